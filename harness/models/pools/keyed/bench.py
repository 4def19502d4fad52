"""The world around a keyed pool in a walk: the shared bench of workers, and a manager who remembers generations.

Letters about workers are the shared ones. `late KEY ROLE` is a rebalance of a manager who has slept: it expects a
generation that the key had before, or one that it never had.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from harness.models.pools import bench as shared
from harness.models.pools.bench import Bench, Desk
from harness.models.pools.correlations import GenerationId, RequestId
from harness.models.pools.keyed import outcomes as o
from harness.models.pools.keyed.inputs import Input, Rebalance, Submit, Unbind

NEVER = GenerationId(0)


class Known(NamedTuple):
    """What the manager knows of a key: the generation that it last heard of (None: unbound), and the one before."""

    key: str
    current: GenerationId | None = None
    earlier: GenerationId = NEVER


class KeyedBench(NamedTuple):
    """The bench of workers, the next request, and what is known of each key."""

    workers: Bench
    request: RequestId
    known: tuple[Known, ...]


def opening(roles: int, keys: tuple[str, ...], window: int = 0) -> KeyedBench:
    """The bench before anything happened; `window` is the pool's window of restarts, in ticks."""
    return KeyedBench(Bench((Desk(),) * roles, window=window), RequestId(1), tuple(map(Known, keys)))


def fact_of(letter: str, bench: KeyedBench, roles: tuple[str, ...]) -> Input:
    """The input that a letter stands for now; ValueError for a letter that there is not."""
    word, _, rest = letter.partition(" ")
    key, _, target = rest.partition(" ")
    known = next((each for each in bench.known if each.key == key), None)
    number = bench.request
    if word == "submit" and known is not None and not target:
        return Submit(number, key, number, "customer")
    if word == "unbind" and known is not None and not target:
        return Unbind(number, key, known.current, "manager")
    if word in ("rebalance", "late") and known is not None and target:
        expected = known.current if word == "rebalance" else known.earlier
        return Rebalance(number, key, expected, target, "manager")
    if word in ("submit", "unbind", "rebalance", "late"):
        raise ValueError(f"there is no letter {letter!r}")
    return shared.fact_of(letter, bench.workers, roles)


LETTERS: Mapping[str, str] = {
    **{letter: says for letter, says in shared.LETTERS.items() if letter != "submit"},
    "submit KEY": "a customer hands in the next job, for that key",
    "rebalance KEY ROLE": "the manager binds the key to the role, expecting what it heard of last",
    "unbind KEY": "the manager unbinds the key, expecting what it heard of last",
    "late KEY ROLE": "a rebalance that expects the generation before that, or one that never was",
}
"""What each letter means."""


def after(bench: KeyedBench, fact: Input, actions: o.KeyedActions) -> KeyedBench:
    """The bench once an input was told and the pool's actions were taken in."""
    asks = isinstance(fact, Submit | Rebalance | Unbind)
    request = RequestId(bench.request + 1) if asks else bench.request
    workers = shared.after(bench.workers, fact, actions)
    known = bench.known
    for key, generation in _heard(fact, actions):
        known = tuple(_told(each, generation) if each.key == key else each for each in known)
    return KeyedBench(workers, request, known)


def _told(known: Known, generation: GenerationId | None) -> Known:
    if generation == known.current:
        return known
    return Known(known.key, generation, known.earlier if known.current is None else known.current)


def _heard(fact: Input, actions: o.KeyedActions) -> list[tuple[str, GenerationId | None]]:
    """What the outcomes and diagnostics of one step say of keys."""
    heard: list[tuple[str, GenerationId | None]] = []
    told: list[o.AdmissionOutcome | o.ManagementOutcome] = [each.outcome for each in actions.admission_deliveries]
    told += [each.outcome for each in actions.management_deliveries]
    for outcome in told:
        if isinstance(outcome, o.Accepted) and isinstance(fact, Submit):
            heard.append((fact.key, outcome.binding.generation))
        elif isinstance(outcome, o.BoundAbsent | o.Rebalanced) and isinstance(fact, Rebalance):
            heard.append((fact.key, outcome.current.generation))
        elif isinstance(outcome, o.Unbound):
            heard.append((outcome.removed.key, None))
    removed = (each for each in actions.diagnostics() if each.kind == "binding-removed")
    return [*heard, *((each.facts[0].key, None) for each in removed)]
