"""Members of a pool as cells: one reading of the members that pool laws share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from harness.models.pools import members as m
from harness.run.pools.port import Assigned, Cell


def cells_of(members: Sequence[m.Member | m.DrainMember], roles: Sequence[str]) -> tuple[Cell, ...]:
    """The cells of all members, in the order of their places."""
    return tuple(cell_of(each, roles[each.role]) for each in members)


def cell_of(member: m.Member | m.DrainMember, role: str) -> Cell:
    """One member as a log shows it."""
    worker = getattr(member, "worker", None) or getattr(member, "predecessor", None)
    ticket = getattr(member, "ticket", None)
    return Cell(
        role=role,
        phase=m.phase_of(member) if isinstance(member, m.Busy) else member.phase,
        within=_within(member),
        worker=None if worker is None else int(worker.child),
        birth=None if worker is None else int(worker.evidence),
        ticket=None if ticket is None else int(ticket),
        open=tuple(_open(member)),
        kept=tuple(_kept(member)),
        after=_after(member),
        member=member,
    )


def assigned_of(members: Sequence[Any], roles: Sequence[str]) -> tuple[Assigned, ...]:
    """The running assignments, in the order of the places."""
    return tuple(
        Assigned(
            roles[each.role],
            int(each.worker.child),
            int(each.job.assignment),
            int(each.job.obligation.job),
            each.join.state,
        )
        for each in members
        if isinstance(each, m.Busy)
    )


def tickets_of(members: Sequence[Any]) -> int:
    """How many activations run."""
    return sum(isinstance(each, m.ActivationDispatched | m.Activating) for each in members)


def _within(member: Any) -> str | None:
    if isinstance(member, m.Recovering):
        return member.recovery.name
    return member.work if isinstance(member, m.DrainWorker) else None


def _open(member: Any) -> Iterator[str]:
    outstanding = getattr(member, "outstanding", None)
    if outstanding is None:
        return
    for name in m.Outstanding._fields:
        value = getattr(outstanding, name)
        if value is not None and value is not False:
            yield name


def _kept(member: Any) -> Iterator[str]:
    """The facts that a member holds back until another one comes."""
    join = getattr(member, "join", None)
    if getattr(member, "early_stop", None) is not None or getattr(member, "stop", None) is not None:
        yield "stop"
    if isinstance(join, m.CompletionFirst):
        yield "completion"
        if join.later_stop is not None:
            yield "stop"
    elif isinstance(join, m.StopFirst):
        yield "stop"
        if join.later_completion is not None:
            yield "completion"


def _after(member: Any) -> str | None:
    after = getattr(member, "after", None)
    return None if after is None else {"retire": "retire-role"}.get(str(after), str(after))
