"""`python -m mutation --sample 300 --seed N`: draws mutants, tries each in a copy, and writes what came of them."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from mutation import results as kept
from mutation.children import Said, in_child
from mutation.mutants import GROUPS, Mutant, changed_lines, draw, left_out, mutants_below, mutated
from mutation.results import Result

ROOT = Path(__file__).resolve().parent.parent
_COPIED = ("harness", "tests", "contracts", "diagnostics", "adoptions", "examples", "docs", "pyproject.toml")


class Trials(Protocol):
    """How the mutants of one half are tried; both are called in a child and given the mutated module's path."""

    def trial(self, module: str) -> Said: ...

    def second(self, module: str) -> Said: ...


def main() -> int:
    """Reads the command line and runs; 1 where a mutant survived without a reason."""
    options = _options()
    os.nice(max(0, 5 - os.nice(0)))
    with _copy() as root:
        if options.table:
            head, done = kept.read_results()
        elif options.survivors:
            head, done = kept.read_results()
            again = [each for each in done if each.outcome in ("survived", "equivalent")]
            fresh = _try_all(root, {g: [each.mutant for each in again if each.group == g] for g in GROUPS}, print)
            done = [each for each in done if each not in again] + fresh
        else:
            head, drawn = _draw(root, options.sample, options.seed)
            done = _try_all(root, drawn, print)
    done = kept.explained(done)
    kept.write_results(head, done)
    kept.write_table(done)
    print(kept.table(done))
    return int(any(each.outcome == "survived" and not each.by for each in done))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m mutation", description=__doc__)
    parser.add_argument("--sample", type=int, default=300, help="mutants to draw, half from the judgments")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw")
    parser.add_argument("--survivors", action="store_true", help="only try those again that no test killed last time")
    parser.add_argument("--table", action="store_true", help="try nothing; read the reasons again and write the table")
    return parser.parse_args()


@contextmanager
def _copy() -> Iterator[Path]:
    """A copy of the tree that is mutated in place of it; everything is imported from there."""
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        root = Path(folder).resolve()
        for name in _COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(
                    source, root / name, ignore=shutil.ignore_patterns("__pycache__", "runs", "node_modules")
                )
            else:
                shutil.copy2(source, root / name)
        sys.path.insert(0, str(root))
        os.chdir(root)
        yield root
        os.chdir(ROOT)


def _draw(root: Path, sample: int, seed: int) -> tuple[dict[str, Any], dict[str, list[Mutant]]]:
    """The drawn mutants of each half, and the head of the results: how many there were to draw from."""
    head: dict[str, Any] = {"sample": sample, "seed": seed, "mutants-found": {}, "left-out": {}}
    drawn = {}
    for number, (group, folder) in enumerate(GROUPS.items()):
        found = list(mutants_below(root, folder, root / f"{group}.sqlite"))
        usable, gone = left_out(root, found)
        head["mutants-found"][group], head["left-out"][group] = len(found), gone
        drawn[group] = draw(usable, sample // 2 + (number < sample % 2), seed, group)
    return head, drawn


def _try_all(root: Path, drawn: dict[str, list[Mutant]], tell: Callable[[str], None]) -> list[Result]:
    """The model's mutants first: their children need a parent that has imported nothing of the harness."""
    done = []
    for group, make in (("model", _model_trials), ("judgments", _judgment_trials)):
        if not drawn.get(group):
            continue
        trials = make(root)
        assert _sound(trials), f"the tests of the {group} fail without a mutation"
        for number, mutant in enumerate(drawn[group], start=1):
            began = time.monotonic()
            done.append(_try(root, group, mutant, trials))
            spent = time.monotonic() - began
            said = f"{done[-1].outcome:10} {mutant.id} | {done[-1].after} | {done[-1].by}"
            tell(f"{group} {number}/{len(drawn[group])} {spent:5.1f}s {said}")
    return done


def _model_trials(root: Path) -> Trials:
    from mutation.model_trials import ModelTrials

    return ModelTrials(root)


def _judgment_trials(root: Path) -> Trials:
    from mutation.judgment_trials import JudgmentTrials

    trials = JudgmentTrials(root)
    trials.prepare()
    return trials


def _sound(trials: Trials) -> bool:
    """Without a mutation nothing may fail; this also leaves the copy's bytecode for all children."""
    modules = {"ModelTrials": "harness/models/lifecycle/turn.py", "JudgmentTrials": "harness/verdict/judgments/life.py"}
    module = modules[type(trials).__name__]
    said = [in_child(lambda: trials.trial(module), warm=True), in_child(lambda: trials.second(module), warm=True)]
    print(said)
    return all(word == "survived" for word, _ in said)


def _try(root: Path, group: str, mutant: Mutant, trials: Trials) -> Result:
    before, after = mutated(root, mutant)
    lines = changed_lines(before, after)
    with _written(root / mutant.module, after):
        word, by = in_child(lambda: trials.trial(mutant.module))
        if word == "survived":
            word, by = in_child(lambda: trials.second(mutant.module))
    return Result(group, mutant, *lines, "not viable" if word == "broken" else word, by)


@contextmanager
def _written(path: Path, text: str) -> Iterator[None]:
    """The text in place of the file's, which comes back with its old time: its bytecode stays good."""
    before, stat = path.read_bytes(), path.stat()
    path.write_text(text, encoding="utf-8")
    yield
    path.write_bytes(before)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


if __name__ == "__main__":
    sys.exit(main())
