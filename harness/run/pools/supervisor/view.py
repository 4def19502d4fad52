"""What a supervisor holds, as values that its logs are written from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from harness.models.pools.supervisor import members as m
from harness.models.pools.supervisor.state import Draining, Operating, State, all_members
from harness.models.pools.supervisor.values import ReportRefused
from harness.run.pools.port import Cell, View

ABSENT = "absent"
"""The phase of a declared role that the supervisor has no member for."""


class Seat(NamedTuple):
    """A role at its place.

    `within` is the part of its phase, `proxy`, `reservation`, `worker`, `ticket` and `recovery` are the numbers that it
    holds, `asked` says how its proxy was asked to end, `kept` which facts it holds back, and `member` is the whole.
    """

    within: str | None = None
    proxy: int | None = None
    reservation: int | None = None
    worker: int | None = None
    ticket: int | None = None
    recovery: int | None = None
    asked: str | None = None
    kept: tuple[str, ...] = ()
    member: Any = None


class Team(NamedTuple):
    """A recovery: `asked` while its workers are being prepared, then `admitted`, and `cancelled` by a drain.

    Numbers that it has not are None; what a drain has cancelled has no trigger and no roles any more.
    """

    stage: str
    preparation: int | None
    recovery: int | None
    trigger: str | None
    roles: tuple[str, ...]
    release: str | None = None
    timer: int | None = None
    due: int | None = None


class Input(NamedTuple):
    """A worker's definition that a role holds and that was not given to its proxy."""

    role: str
    ticket: int
    definition: str


class Rest(NamedTuple):
    """Recoveries, charges as (at, replacements), recoveries counted by role, inputs held, and who waits for a place.

    `sent` is how many events, replies and diagnostics have left so far.
    """

    teams: tuple[Team, ...] = ()
    charges: tuple[tuple[int, int], ...] = ()
    admitted: tuple[int, ...] = ()
    inputs: tuple[Input, ...] = ()
    waiting: int = 0
    sent: int = 0


def view_of(state: State, roles: tuple[str, ...], sent: int = 0) -> View:
    """The view of a state; `roles` are the declared names, `sent` is how many deliveries have left."""
    view = _held_by(state, roles)
    return view._replace(rest=view.rest._replace(sent=sent)) if isinstance(view.rest, Rest) else view


def _held_by(state: State, roles: tuple[str, ...]) -> View:
    if isinstance(state, Operating):
        return _operating(state, roles)
    if isinstance(state, Draining):
        seats = {each.role: _drained(each) for each in state.members}
        inputs = tuple(_held(state.members, roles))
        charges = tuple((each.at, each.replacements) for each in state.charges)
        teams = (
            *(_asked(each, roles)._replace(stage="cancelled") for each in state.sources),
            *(
                Team("cancelled", None, int(each.recovery), None, (), each.word, int(each.timer), each.due)
                for each in state.cancelled
            ),
        )
        rest = Rest(teams, charges, (), inputs, 0)
        return View(state.mode, _cells(seats, roles), (), (), None, 0, (), state.deadline.phase, rest)
    return View(state.mode, (), (), (), None, 0, (), None, Rest())


def _operating(state: Operating, roles: tuple[str, ...]) -> View:
    members = all_members(state)
    batch_of = {each.role: batch for batch in state.batches for each in batch.members}
    seats = {each.role: _seat(each, batch_of.get(each.role)) for each in members}
    released = {each.role for batch in state.batches if isinstance(batch.release, m.Ready) for each in batch.members}
    rest = Rest(
        (*(_asked(each, roles) for each in state.pending), *(_team(each, roles) for each in state.batches)),
        tuple((each.at, each.replacements) for each in state.charges),
        state.admitted,
        tuple(_held(members, roles)),
        sum(_waits(each, released) for each in members),
    )
    charges = tuple(each.at for each in state.charges)
    occupied = sum(map(m.holds_activation, members))
    return View(state.mode, _cells(seats, roles), (), (), None, occupied, charges, None, rest)


def _cells(seats: dict[int, tuple[str, Seat]], roles: tuple[str, ...]) -> tuple[Cell, ...]:
    cells = []
    for place, role in enumerate(roles):
        phase, seat = seats.get(place, (ABSENT, Seat()))
        cells.append(Cell(role, phase, seat.within, seat.worker, seat.proxy, seat.ticket, (), seat.kept, None, seat))
    return tuple(cells)


def _seat(member: m.Member, batch: m.Batch | None) -> tuple[str, Seat]:
    """The phase and the seat of a member that operates."""
    proxy = getattr(member, "proxy", None)
    operation = getattr(member, "initial", None) or getattr(member, "response", None)
    worker = getattr(member, "worker", None) or getattr(member, "previous", None)
    seat = Seat(
        within=_within(member),
        proxy=None if proxy is None else int(proxy.birth),
        reservation=int(member.reservation) if isinstance(member, m.CreatingProxy | m.CreatingProxyAfterExit) else None,
        worker=None if worker is None else int(worker),
        ticket=_ticket(operation) if m.holds_activation(member) else None,
        recovery=None if batch is None else int(batch.ticket),
        asked=member.asked if isinstance(member, m.Stopping) else None,
        kept=tuple(_kept(member)),
        member=(member, None if batch is None else batch.ticket),
    )
    return m.phase_of(member), seat


def _within(member: m.Member) -> str | None:
    if isinstance(member, m.Starting | m.AwaitingInitial):
        return member.initial.word
    if isinstance(member, m.Empty | m.Stopping | m.Retired):
        return member.cause
    return None


def _ticket(operation: Any) -> int | None:
    ticket = getattr(operation, "ticket", None)
    return None if ticket is None else int(ticket)


def _kept(member: Any) -> Iterator[str]:
    """The facts that a member holds back until another one comes."""
    stop = getattr(member, "stop", None)
    if stop is not None:
        yield stop.word if isinstance(stop, ReportRefused) else "stop"
    response = getattr(member, "response", None)
    if isinstance(response, m.OutcomeReturned):
        yield response.outcome.kind
    if getattr(member, "exit", None) is not None:
        yield "exit"
    if getattr(member, "refusal", None) is not None:
        yield "refusal"


def _drained(member: m.DrainMember) -> tuple[str, Seat]:
    """The phase and the seat of a member that only ends."""
    kept = tuple(_kept(member))
    if isinstance(member, m.ResolvingProxyBirth):
        return member.phase, Seat(reservation=int(member.reservation), kept=kept, member=member)
    if isinstance(member, m.Drained):
        return member.phase, Seat(within=member.result, member=member)
    out = member.outstanding
    emitted = out.emitted
    seat = Seat(
        within=out.word,
        proxy=int(member.proxy.birth),
        worker=None if emitted is None or emitted.previous is None else int(emitted.previous),
        ticket=None if emitted is None or emitted.ticket is None else int(emitted.ticket),
        recovery=None if out.recovery is None else int(out.recovery),
        asked=member.asked,
        kept=(*kept, *_kept(out)),
        member=member,
    )
    return member.phase, seat


def _asked(pending: m.Pending, roles: tuple[str, ...]) -> Team:
    names = tuple(roles[each] for each in pending.roles)
    return Team("asked", int(pending.preparation), None, roles[pending.trigger], names)


def _team(batch: m.Batch, roles: tuple[str, ...]) -> Team:
    release = batch.release
    timed = not isinstance(release, m.Ready)
    return Team(
        "admitted",
        None,
        int(batch.ticket),
        roles[batch.trigger],
        tuple(roles[each.role] for each in batch.members),
        release.word,
        int(release.timer) if timed else None,  # type: ignore[union-attr]  # timed has looked
        release.due if timed else None,  # type: ignore[union-attr]  # timed has looked
    )


def _waits(member: m.Member, released: set[int]) -> bool:
    """Whether nothing but a free activation is missing for a member's operation to leave."""
    if isinstance(member, m.Starting | m.AwaitingInitial):
        return isinstance(member.initial, m.WaitingForAuthorization)
    return isinstance(member, m.Waiting) and member.role in released


def _held(members: tuple[Any, ...], roles: tuple[str, ...]) -> Iterator[Input]:
    """The inputs that members hold."""
    for member in members:
        for each in _unissued(member):
            yield Input(roles[member.role], int(each.ticket), each.definition)


def _unissued(member: Any) -> Iterator[Any]:
    if isinstance(member, m.DrainingProxy):
        yield from member.outstanding.unissued
    elif isinstance(member, m.CreatingProxy | m.CreatingProxyAfterExit | m.ResolvingProxyBirth):
        yield member.initial
    elif isinstance(getattr(member, "initial", None), m.WaitingForAuthorization):
        yield member.initial.input
    if isinstance(member, m.AwaitingInitial | m.Waiting):
        yield member.prepared
