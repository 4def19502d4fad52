"""Sets of choices in which every two options that can be together are together: made once, kept as data.

Making them takes minutes, so they stand in `array.json`. After a change of the choices make them anew:
`python -m tests.covering.array`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any

from harness.assembly.choices import CHOICES
from harness.assembly.needs import Need, needs_of

ARRAY_FILE = Path(__file__).with_name("array.json")

Choices = Mapping[str, str]
Option = tuple[str, str]
Pair = tuple[Option, Option]


def read_array() -> tuple[dict[str, str], ...]:
    """The kept sets of choices; one that is not named in the file has its first option."""
    plain = {name: options[0] for name, options in CHOICES.items()}
    return tuple({**plain, **each} for each in json.loads(ARRAY_FILE.read_text(encoding="utf-8")))


def array_text(rows: Sequence[Choices]) -> str:
    """The data file: a line for each set, without the options that are the first of their choice."""
    named = [{name: row[name] for name in CHOICES if row[name] != CHOICES[name][0]} for row in rows]
    return "[\n" + ",\n".join(json.dumps(each) for each in named) + "\n]\n"


# -- which pairs there are ------------------------------------------------------------------------------------------


def pairs_of(choices: Choices) -> Iterator[Pair]:
    """Every two options of a set of choices, in the order of the choices."""
    yield from combinations(((name, choices[name]) for name in CHOICES), 2)


def all_pairs() -> Iterator[Pair]:
    """Every two options of different choices."""
    for first, second in combinations(CHOICES, 2):
        for one, other in product(CHOICES[first], CHOICES[second]):
            yield (first, one), (second, other)


def can_be_together(pair: Pair) -> bool:
    """Whether some set of choices holds both options and drops neither."""
    return _solvable({name: (option,) for name, option in pair}, frozenset())


def _solvable(domains: dict[str, tuple[str, ...]], settled: frozenset[str]) -> bool:
    """Whether the domains hold a set of choices whose needs are met; needs are looked into one choice at a time."""
    for name, options in domains.items():
        if name in settled or CHOICES[name][0] in options:
            continue
        return any(
            _solvable(narrowed, settled | {name})
            for option in options
            for need in needs_of(name, option) or ({},)
            if (narrowed := _narrowed({**domains, name: (option,)}, need)) is not None
        )
    return True


def _narrowed(domains: dict[str, tuple[str, ...]], need: Need) -> dict[str, tuple[str, ...]] | None:
    found = dict(domains)
    for name, options in need.items():
        found[name] = tuple(each for each in found.get(name, CHOICES[name]) if each in options)
        if not found[name]:
            return None
    return found


# -- making them ----------------------------------------------------------------------------------------------------


def make_array() -> list[dict[str, str]]:
    """The sets, by the covering array library under the needs as constraints."""
    from covertable import make  # type: ignore[import-untyped]  # it brings no types

    return list(make({name: list(options) for name, options in CHOICES.items()}, constraints=list(_constraints())))


def _constraints() -> Iterator[dict[str, Any]]:
    """One for each choice and each way to need something: an option without that need, or the need."""
    for name, options in CHOICES.items():
        needs = dict.fromkeys(json.dumps(needs_of(name, option)) for option in options)
        for need in needs:
            alternatives = json.loads(need)
            if alternatives:
                free = [option for option in options if json.dumps(needs_of(name, option)) != need]
                yield _any({name: free}, *alternatives)


def _any(*alternatives: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    conditions = [
        {
            "operator": "and",
            "conditions": [{"operator": "in", "left": name, "values": list(options)} for name, options in each.items()],
        }
        for each in alternatives
    ]
    return {"operator": "or", "conditions": conditions}


if __name__ == "__main__":
    made = make_array()
    ARRAY_FILE.write_bytes(array_text(made).encode())
    print(f"{len(made)} sets of choices written to {ARRAY_FILE.name}")
