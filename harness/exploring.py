"""Walks over pool laws as documents: what was walked and met, and the shortest way to every violation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

from harness import workspace
from harness.base.errors import UsageError
from harness.models.explorer import Bounds
from harness.models.pools.catalogue import LAWS, law_of, models
from harness.models.pools.correlations import Correlation
from harness.models.pools.inverting import PoolInversion
from harness.models.pools.law import PoolLaw
from harness.models.pools.walking import Walked

STATES_MAX = 20_000_000
GROUPS = ("modes", "phases", "outcomes", "diagnostics")


def law_and_walk(model: str) -> tuple[PoolLaw, Any]:
    """The law and the walk of a model; UsageError that lists the models where there is none of that name."""
    law = law_of(model)
    if law is None:
        raise UsageError(f"there is no model {model!r} to explore", f"the models are {', '.join(models())}")
    return law, law.walks[model]


def inversion_of(law: PoolLaw, name: str | None) -> PoolInversion | None:
    """The inversion of a law by its name, None for none; UsageError that lists them for an unknown one."""
    if name is None:
        return None
    found = law.inversions.named(name)
    if found is None:
        known = ", ".join(each.name for each in law.inversions.all())
        raise UsageError(f"the law {law.name} has no inversion {name!r}", f"the inversions are {known}")
    return found


# -- walks ---------------------------------------------------------------------------------------------------------


def explored(model: str, depth: int, count: str, inverted: str | None) -> dict[str, Any]:
    """Walk a model and tell everything; the keys are those of `harness explore --format json`."""
    law, walk = law_and_walk(model)
    broken = inversion_of(law, inverted)
    turn = broken.turn if broken else law.rules
    begun = perf_counter()
    start, found = law.explore(walk, Bounds(depth, STATES_MAX), count == "states", turn)
    seconds = perf_counter() - begun
    reached = dict(found.reached)
    return {
        "model": model,
        "start": list(start),
        "alphabet": list(found.letters),
        "depth": depth,
        "count": count,
        "prefixes": None if count == "states" else found.prefixes,
        "states": found.states,
        "transitions": found.edges,
        "closed": found.closed and not found.violations,
        "verdict": verdict(found),
        "reached": {group: list(reached.get(group, ())) for group in GROUPS},
        "idle-letters": [each for each in found.letters if each not in found.acted],
        "seconds": round(seconds, 3),
        "inverted": inverted,
        "violations": [
            {
                "name": each.name,
                "law": law.name,
                "claim": law.violations[each.name],
                "inputs": list(each.letters),
                "detail": steps(law, walk, start, each.letters, turn),
            }
            for each in found.violations
        ],
    }


def verdict(found: Walked) -> str:
    """What a walk's end allows to say: `violated`, `closed` (nothing is left to walk), else only `at this bound`."""
    if found.violations:
        return "violated"
    return "closed" if found.closed else "at this bound"


def steps(
    law: PoolLaw, walk: Any, start: Sequence[str], letters: Sequence[str], turn: type[Any]
) -> list[dict[str, Any]]:
    """Every step from the start on: the letter, the input it stood for, the state after it, what left, what broke."""
    stepper = law.stepper(walk, turn)
    node = stepper.construct()
    told = []
    for letter in (*start, *letters):
        taken = stepper.take(node, letter)
        node = taken.node
        told.append(
            {
                "letter": letter,
                "input": plain(taken.fact),
                "state": plain(node.state),
                "actions": [plain(each) for each in taken.actions.operations()],
                "broken": list(node.broken),
            }
        )
    return told[len(start) :]


# -- replays -------------------------------------------------------------------------------------------------------


def replayed(model: str, path: str, inverted: str | None) -> list[dict[str, Any]]:
    """Replay the inputs of violations that an earlier walk wrote; the file's own inversion is used unless one is named.

    The file holds an explore document, or one violation of it. UsageError where it is neither, or of another model.
    """
    law, walk = law_and_walk(model)
    document = _read(path)
    whole = "violations" in document
    if whole and document.get("model") != model:
        raise UsageError(f"{path} is a walk of {document.get('model')!r}", f"replay it with that model, not {model}")
    chosen = inversion_of(law, inverted or (document.get("inverted") if whole else None))
    turn = chosen.turn if chosen else law.rules
    start = _letters(path, document.get("start", walk.start) if whole else walk.start)
    violations = document["violations"] if whole else [document]
    if not isinstance(violations, list) or not all(isinstance(each, Mapping) for each in violations):
        raise UsageError(f"{path}: `violations` is no list of violations", "write it with harness explore")
    return [
        {
            "name": str(each.get("name", "")),
            "inverted": chosen.name if chosen else None,
            "start": list(start),
            "inputs": list(letters),
            "detail": _replay(path, law, walk, start, letters, turn),
        }
        for each in violations
        for letters in [_letters(path, each.get("inputs"))]
    ]


def _replay(
    path: str, law: PoolLaw, walk: Any, start: Sequence[str], letters: Sequence[str], turn: type[Any]
) -> list[dict[str, Any]]:
    try:
        return steps(law, walk, start, letters, turn)
    except ValueError as error:
        raise UsageError(f"{path}: {error}", f"the letters of {walk.name} are {', '.join(walk.letters)}") from error


def _read(path: str) -> Mapping[str, Any]:
    try:
        document = json.loads(workspace.read_text(path))
    except json.JSONDecodeError as error:
        raise UsageError(
            f"{path}:{error.lineno}:{error.colno}: {error.msg}", "is it JSON, written by explore?"
        ) from error
    if not isinstance(document, Mapping) or not ("violations" in document or "inputs" in document):
        raise UsageError(f"{path} holds no violation", "write it with harness explore --format json")
    return document


def _letters(path: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise UsageError(f"{path}: inputs are a list of letters", "write it with harness explore --format json")
    return tuple(value)


# -- laws ----------------------------------------------------------------------------------------------------------


def told_laws(name: str | None) -> list[dict[str, Any]]:
    """The laws (or the one named) as `harness laws --format json` tells them."""
    chosen = [law for law in LAWS if name in (None, law.name)]
    if not chosen:
        known = ", ".join(law.name for law in LAWS)
        raise UsageError(f"there is no law {name!r}", f"the laws are {known}")
    return [_told_law(law) for law in chosen]


def _told_law(law: PoolLaw) -> dict[str, Any]:
    inversions = law.inversions.all()
    return {
        "law": law.name,
        "claims": [
            {
                "number": number,
                "text": text,
                "violations": [name for name, claim in law.violations.items() if claim == number],
                "inversions": [each.name for each in inversions if number in each.claims],
            }
            for number, text in enumerate(law.claims, 1)
        ],
        "invariants": [{"name": name, "text": text} for name, text in law.invariants],
        "inversions": [
            {
                "name": each.name,
                "model": each.model,
                "claims": list(each.claims),
                "breach": each.breach,
                "violation": each.violation,
            }
            for each in inversions
        ],
        "models": [
            {"name": each.name, "says": each.says, "start": list(each.start), "alphabet": list(each.letters)}
            for each in law.walks.values()
        ],
    }


# -- values --------------------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """A model's value as JSON has it: named fields, and correlations by their names."""
    if isinstance(value, Correlation):
        return repr(value)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(each) for name, each in value._asdict().items()}
    return [plain(each) for each in value] if isinstance(value, tuple) else value
