"""Which mutants there are and which of them are drawn; cosmic-ray finds them and makes them."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

_POOLS = "harness/models/pools"


def _modules(folder: str, names: str) -> tuple[str, ...]:
    return tuple(f"{folder}/{name}.py" for name in names.split())


#: What is mutated, by the name of its group: patterns of modules below the root. Of a pool's model that is what takes
#: its steps, not what judges them: no oracle, audit, ledger, bench or walk. Modules that laws share stand with FIFO.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "model": ("harness/models/lifecycle/*.py",),
    "judgments": ("harness/verdict/judgments/*.py",),
    "fifo": (
        *_modules(_POOLS, "actions assignments correlations deadlines definition draining endings joins members"),
        *_modules(_POOLS, "recovery settlement startup timing turn"),
        *_modules(f"{_POOLS}/fifo", "dispatching model state turn"),
    ),
    "keyed": _modules(
        f"{_POOLS}/keyed", "admission binding definition eligibility holdings losing model outcomes settling state turn"
    ),
    "supervisor": _modules(
        f"{_POOLS}/supervisor", "definition draft draining members model recovery replacing startup state timing turn"
    ),
}
#: Samples are drawn for each of these, the groups in equal parts.
SAMPLES: Mapping[str, tuple[str, ...]] = {"jobs": ("model", "judgments"), "pools": ("fifo", "keyed", "supervisor")}

_EQUALITY = frozenset({"Eq", "NotEq"})
_IDENTITY = frozenset({"Is", "IsNot"})
_COMPARISON = "core/ReplaceComparisonOperator_"

#: An operator has no more occurrences than that in one module.
OCCURRENCES_MAX = 120

#: Why a mutant is left out before the draw.
ANNOTATION = "in an annotation, which is never evaluated"
SWAPPED_IDENTITY = "identity for equality or back, which tells nothing about the code's meaning"


@dataclass(frozen=True, order=True)
class Mutant:
    """One small change: `start` and `end` are (line, column) of the mutated text, `occurrence` counts per operator."""

    module: str
    start: tuple[int, int]
    end: tuple[int, int]
    operator: str
    occurrence: int
    definition: str | None

    @property
    def id(self) -> str:
        """Names the mutant in results, such as `harness/models/lifecycle/work.py:12:4 core/AddNot`."""
        return f"{self.module}:{self.start[0]}:{self.start[1]} {self.operator}"

    def to_json(self) -> dict[str, Any]:
        """Its fields as they stand in `results.json`."""
        return asdict(self)


def mutant_of(value: Mapping[str, Any]) -> Mutant:
    """The mutant that `to_json` wrote."""
    fields = {name: value[name] for name in ("module", "operator", "occurrence", "definition")}
    return Mutant(start=tuple(value["start"]), end=tuple(value["end"]), **fields)


def mutants_below(root: Path, patterns: Iterable[str], database: Path) -> Iterator[Mutant]:
    """Every mutant of the modules that match; `database` is a new file for cosmic-ray's work items."""
    from cosmic_ray.commands.init import init
    from cosmic_ray.work_db import WorkDB, use_db

    with use_db(str(database), WorkDB.Mode.create) as work:
        init(sorted(path for each in patterns for path in root.glob(each)), work, {})
        for item in work.work_items:
            (made,) = item.mutations
            module = Path(made.module_path).relative_to(root).as_posix()
            name = made.definition_name
            yield Mutant(module, tuple(made.start_pos), tuple(made.end_pos), made.operator_name, made.occurrence, name)


def left_out(root: Path, mutants: Iterable[Mutant]) -> tuple[list[Mutant], dict[str, int]]:
    """The mutants worth drawing from, sorted, and how many were left out for which reason."""
    spans: dict[str, list[tuple[tuple[int, int], tuple[int, int]]]] = {}
    kept, gone = [], {ANNOTATION: 0, SWAPPED_IDENTITY: 0}
    for mutant in mutants:
        if mutant.module not in spans:
            spans[mutant.module] = list(_annotations((root / mutant.module).read_text(encoding="utf-8")))
        if any(start <= mutant.start < end for start, end in spans[mutant.module]):
            gone[ANNOTATION] += 1
        elif _swaps_identity(mutant.operator):
            gone[SWAPPED_IDENTITY] += 1
        else:
            kept.append(mutant)
    return sorted(kept, key=lambda each: (each.module, each.start, each.operator, each.occurrence)), gone


def _swaps_identity(operator: str) -> bool:
    if not operator.startswith(_COMPARISON):
        return False
    old, new = operator.removeprefix(_COMPARISON).split("_")
    return (old in _EQUALITY and new in _IDENTITY) or (old in _IDENTITY and new in _EQUALITY)


def _annotations(source: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Where the annotations of a module begin and end; `from __future__ import annotations` keeps them texts."""
    for node in ast.walk(ast.parse(source)):
        for each in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(each, ast.expr) and each.end_lineno is not None and each.end_col_offset is not None:
                yield (each.lineno, each.col_offset), (each.end_lineno, each.end_col_offset)


def draw(mutants: Sequence[Mutant], wanted: int, seed: int, group: str) -> list[Mutant]:
    """A sample without repetition: places are drawn, then one mutation for each place.

    Some operators have a dozen variants for one place; drawing places first gives every line of code the same chance.
    """
    places: dict[tuple[str, tuple[int, int]], list[Mutant]] = {}
    for each in mutants:
        places.setdefault((each.module, each.start), []).append(each)
    rng = random.Random(f"{seed} {group}")
    drawn = rng.sample(sorted(places), min(wanted, len(places)))
    return sorted(rng.choice(places[each]) for each in drawn)


def mutated(root: Path, mutant: Mutant) -> tuple[str, str]:
    """The module's text before and after the mutation, made in memory."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    before = (root / mutant.module).read_text(encoding="utf-8")
    after = mutate_code(before, get_operator(mutant.operator)(), mutant.occurrence)
    if after is None:
        raise ValueError(f"{mutant.id} is not in {mutant.module} any more")
    return before, after


def found_again(root: Path, mutant: Mutant, lines: tuple[str, str]) -> Mutant | None:
    """The mutant that changes the line in this way, where its module has changed since the draw; None: no such line."""
    for number in (mutant.occurrence, *range(OCCURRENCES_MAX)):
        same = replace(mutant, occurrence=number)
        try:
            changed = mutated(root, same)
        except ValueError:
            continue
        if changed_lines(*changed) == lines:
            return same
    return None


def changed_lines(before: str, after: str) -> tuple[str, str]:
    """The first line that differs, without its indentation, as it was and as it is now."""
    old, new = before.splitlines(), after.splitlines()
    for was, now in zip(old, new, strict=False):
        if was != now:
            return was.strip(), now.strip()
    return "", ""
