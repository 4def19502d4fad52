"""What the ledger of bindings and the answers to customers say of keys, event by event."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from harness.run.recording import LogRow
from harness.verdict.pools.evidence import PoolEvidence, Step
from harness.verdict.pools.standing import Standing

OPEN = ("constructed", "operating")
"""Modes of a pool that takes jobs and commands."""

COMMANDS = ("rebalance", "unbind")

IDLE, WAITS, UNAVAILABLE = "assignable-now", "backlog-admissible", "unavailable"
_LETS_WAIT = ("creating", "initializing", "waiting-authorization", "activation-dispatched", "activating", "recovering")


class KeyStep(NamedTuple):
    """An event with the rows of the bindings that were there before and after it, by key."""

    step: Step
    before: Mapping[str, LogRow]
    after: Mapping[str, LogRow]

    @property
    def key(self) -> str:
        """The key that a submission or a command is about."""
        return str(self.step.input["key"])

    @property
    def bound(self) -> LogRow | None:
        """The binding of that key before."""
        return self.before.get(self.key)

    @property
    def generation(self) -> int | None:
        """The generation of that binding as the ledger has it, None for no binding."""
        bound = self.bound
        return None if bound is None else bound["generation"]

    @property
    def is_met(self) -> bool:
        """Whether a command expects what there is."""
        return bool(self.step.input["expected"] == self.generation)

    @property
    def role(self) -> str | None:
        """The role that a submission leads to: that of the binding, or what the selector said; None for neither."""
        bound = self.bound
        if bound is not None:
            return str(bound["role"])
        asked = self.step.of("selector-calls")
        return str(asked[0]["role"]) if asked else None

    @property
    def changes(self) -> tuple[LogRow, ...]:
        """The rows of bindings that the event made or ended."""
        return self.step.of("binding-ledger")


def key_steps(e: PoolEvidence, *inputs: str) -> Iterator[KeyStep]:
    """Every event that was taken in, with the bindings around it; with names, only those inputs."""
    for world in e.worlds:
        table: dict[str, LogRow] = {}
        for step in world.taken:
            before = dict(table)
            for row in step.of("binding-ledger"):
                if row["change"] == "bound":
                    table[row["key"]] = row
                else:
                    table.pop(row["key"], None)
            if not inputs or step.kind in inputs:
                yield KeyStep(step, before, dict(table))


def open_steps(e: PoolEvidence, *inputs: str) -> Iterator[KeyStep]:
    """Those events of a pool that was open before them."""
    return (each for each in key_steps(e, *inputs) if each.step.before.mode in OPEN)


def eligibility(standing: Standing, role: str) -> str:
    """What the phase of a role allows a job: `assignable-now`, `backlog-admissible` or `unavailable`."""
    phase = standing.phase(role)
    if standing.mode == "constructed" or phase in _LETS_WAIT:
        return WAITS
    if phase == "idle":
        return IDLE
    if phase is not None and phase.startswith("busy"):
        return WAITS
    if phase == "draining-pre-ready" and not standing.is_lost(role):
        return WAITS
    return UNAVAILABLE


def role_of(step: Step, job: object) -> str | None:
    """The role that a job's acceptance told, None for a job that was not accepted."""
    found = step.book_after.jobs.get(job)  # type: ignore[call-overload]  # a number, or anything a broken pool wrote
    return None if found is None else found.accepted["role"]


def lost_in(e: PoolEvidence, step: Step) -> tuple[str, ...]:
    """The roles that an open pool loses for good by this event, in declared order."""
    if step.before.mode != "operating":
        return ()
    return tuple(role for role in e.pool.roles if step.after.is_lost(role) and not step.before.is_lost(role))
