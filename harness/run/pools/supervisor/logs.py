"""One step of a supervisor as rows: the input, the operations in their lanes with what they tell, the new state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.models.pools.correlations import Correlation
from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor.facts import DeliverySettled
from harness.models.pools.supervisor.values import WorkerId, WorkerStop
from harness.run.pools.port import Cell, Took, View
from harness.run.pools.supervisor.telling import fact_columns, flat, operation_columns, told
from harness.run.pools.supervisor.view import Rest, Seat, Team
from harness.run.recording import Draft

SUPERVISOR_LOGS = (
    "input-log",
    "action-lanes",
    "lifecycle-events",
    "management-replies",
    "diagnostics",
    "residual-transfers",
    "state-trace",
    "recovery-trace",
    "budget-trace",
    "ownership-ledger",
    "count-trace",
)
"""In the order in which their rows of one event stand."""


def step_rows(roles: tuple[str, ...], before: View, took: Took, after: View, settle: int) -> tuple[Draft, ...]:
    """Every row of one event that was taken in; `settle` is its number in the world, from 1."""
    drafts = [Draft("input-log", None, fact_columns(took.fact), settle=settle)]
    sent = _rest(before).sent
    for place, operation in enumerate(took.actions.operations(), start=1):
        delivery = None
        if isinstance(operation, a.Delivery):
            delivery = sent = sent + 1
        row = {"place": place, **_operation(operation), "delivery": delivery}
        drafts.append(Draft("action-lanes", None, row, settle=settle))
        drafts.extend(Draft(log, None, data, settle=settle) for log, data in _tells(operation, took.fact))
    drafts.extend(Draft(log, None, data, settle=settle) for log, data in _state(before, after))
    return tuple(drafts)


# -- operations ----------------------------------------------------------------------------------------------------

_NUMBERS = ("reservation", "preparation", "recovery", "timer", "due", "after")


def _operation(operation: Any) -> dict[str, Any]:
    """An operation by the numbers it carries; what it tells stands in a log of its own."""
    proxy = getattr(operation, "proxy", None)
    given = getattr(operation, "operation", None)
    columns: dict[str, Any] = {
        "lane": operation.lane,
        "role": getattr(operation, "role", None) or getattr(getattr(operation, "event", None), "role", None),
        **{name: _number(getattr(operation, name, None)) for name in _NUMBERS},
        "proxy": None if proxy is None else int(proxy.birth),
        "roles": list(getattr(operation, "roles", ())),
        **dict.fromkeys(("ticket", "operation", "replaces", "definition")),
        "route": getattr(operation, "route", None),
    }
    if columns["reservation"] is None:
        columns["reservation"] = _number(getattr(operation, "child", None))
    return columns if given is None else {**columns, **operation_columns(given)}


def _number(value: Any) -> int | None:
    return int(value) if isinstance(value, int) else None


def _tells(operation: Any, fact: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """What an operation says, in the log of its own."""
    if isinstance(operation, a.PublishEvent):
        yield "lifecycle-events", _event(operation)
    elif isinstance(operation, a.Reply):
        yield "management-replies", _reply(operation)
    elif isinstance(operation, a.DeliverDiagnostic | a.TerminalDiagnostic):
        yield "diagnostics", _diagnostic(operation)
    elif isinstance(operation, a.TransferResidual | a.TransferRefusal):
        yield "residual-transfers", {**_residual(operation), "delivery": _came_back(operation, fact)}


_EVENT = ("recovery", "abnormal", "at", "sender", "phase", "command")


def _event(operation: a.PublishEvent) -> dict[str, Any]:
    event: Any = operation.event
    shown = getattr(event, "proxy", None)
    leaked = int(shown) if isinstance(shown, WorkerId) else None
    disposition = None
    if isinstance(event, a.StopPublished):
        disposition = "ineligible" if event.recovery is None else "admitted"
    return {
        "event": event.kind,
        "route": operation.route,
        "role": event.role,
        "proxy": None if shown is None or leaked is not None else int(shown.birth),
        "worker": leaked,
        "disposition": disposition,
        **{name: _plain(getattr(event, name, None)) for name in _EVENT},
    }


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, Correlation) else value


def _reply(operation: a.Reply) -> dict[str, Any]:
    answer = operation.answer
    lines = answer.members if isinstance(answer, a.Status) else ()
    one: Any = None if isinstance(answer, a.Status) else answer
    return {
        "reply": answer.kind,
        "route": operation.route,
        "role": None if one is None else one.role,
        "answer": None if one is None else one.word,
        "proxy": None if one is None or one.proxy is None else int(one.proxy.birth),
        "status": None if one is None else one.status,
        "roles": [each.role for each in lines],
        "statuses": [each.status for each in lines],
        "proxies": [None if each.proxy is None else int(each.proxy.birth) for each in lines],
    }


def _diagnostic(operation: a.DeliverDiagnostic | a.TerminalDiagnostic) -> dict[str, Any]:
    diagnostic = operation.diagnostic
    values = list(flat(diagnostic.facts))
    role = values.pop(0) if diagnostic.kind != "unexpected-input" and isinstance(values[0], str) else None
    reasons = [told(each).get("reason") for each in values]
    return {
        "diagnostic": diagnostic.kind,
        "role": role,
        "reason": next((each for each in reversed(reasons) if each is not None), None),
        "route": getattr(operation, "route", None),
        "facts": [told(each) for each in values],
    }


def _residual(operation: a.TransferResidual | a.TransferRefusal) -> dict[str, Any]:
    whole: Any = operation.residual if isinstance(operation, a.TransferResidual) else (operation.refused,)
    found = list(_inside(whole))
    return {
        "lane": operation.lane,
        "role": getattr(operation, "role", None),
        "roles": [getattr(each, "role", None) or operation.role for each in found if hasattr(each, "definition")],  # type: ignore[union-attr]  # only residuals have definitions
        "definitions": [each.definition for each in found if hasattr(each, "definition")],
        "tickets": [int(each.ticket) for each in found if getattr(each, "ticket", None) is not None],
        "stops": [int(each.worker) for each in found if isinstance(each, WorkerStop)],
        "reason": getattr(operation, "reason", None),
    }


def _came_back(operation: Any, fact: Any) -> int | None:
    """The ticket of the delivery that goes to the host because it was refused."""
    refused = getattr(operation, "refused", None)
    is_it = isinstance(fact, DeliverySettled) and refused is not None and refused is fact.operation
    return int(fact.ticket) if is_it else None


def _inside(value: Any) -> Iterator[Any]:
    """The named values inside, down to those that have a definition or are a stop."""
    if not isinstance(value, tuple):
        return
    if hasattr(value, "ticket"):
        yield value
    elif hasattr(value, "definition") or isinstance(value, WorkerStop):
        yield value
        return
    if not hasattr(value, "definition"):
        for each in value:
            yield from _inside(each)


# -- the new state -------------------------------------------------------------------------------------------------


def _state(before: View, after: View) -> Iterator[tuple[str, dict[str, Any]]]:
    if (before.mode, before.within) != (after.mode, after.within):
        yield "state-trace", _row(None, None, before.mode, after.mode, Seat(within=after.within))
    for place, cell in enumerate(after.cells):
        was = before.cells[place] if place < len(before.cells) else None
        if was is None or was.member != cell.member or was.phase != cell.phase:
            yield "state-trace", _row(place, cell.role, None if was is None else was.phase, cell.phase, _seat(cell))
    had, has = _rest(before), _rest(after)
    yield from _teams(had, has)
    if (had.charges, had.admitted) != (has.charges, has.admitted) and after.mode == "operating":
        yield (
            "budget-trace",
            {
                "times": [at for at, _ in has.charges],
                "replacements": [count for _, count in has.charges],
                "recoveries": list(has.admitted),
            },
        )
    for change, these, others in (("gives-up", had, has), ("takes", has, had)):
        for each in these.inputs:
            if each not in others.inputs:
                yield "ownership-ledger", {"change": change, **each._asdict()}
    yield "count-trace", _counts(after, has)


def _rest(view: View) -> Rest:
    return view.rest if isinstance(view.rest, Rest) else Rest()


def _seat(cell: Cell) -> Seat:
    return cell.member if isinstance(cell.member, Seat) else Seat()


def _row(place: int | None, role: str | None, before: str | None, after: str, seat: Seat) -> dict[str, Any]:
    return {
        "place": place,
        "role": role,
        "from": before,
        "to": after,
        "within": seat.within,
        "proxy": seat.proxy,
        "reservation": seat.reservation,
        "worker": seat.worker,
        "ticket": seat.ticket,
        "recovery": seat.recovery,
        "asked": seat.asked,
        "kept": list(seat.kept),
    }


def _teams(had: Rest, has: Rest) -> Iterator[tuple[str, dict[str, Any]]]:
    """Recoveries that are over, then those that changed or are new."""
    now = {_number_of(each): each for each in has.teams}
    was = {_number_of(each): each for each in had.teams}
    for number, each in was.items():
        if number not in now:
            yield "recovery-trace", _team_row("ended", each)
    for number, each in now.items():
        if number not in was:
            yield "recovery-trace", _team_row(each.stage, each)
        elif each != was[number]:
            yield "recovery-trace", _team_row("changed", each)


def _number_of(team: Team) -> tuple[int | None, int | None]:
    return team.preparation, team.recovery


def _team_row(change: str, team: Team) -> dict[str, Any]:
    return {
        "change": change,
        "preparation": team.preparation,
        "recovery": team.recovery,
        "trigger": team.trigger,
        "roles": list(team.roles),
        "release": team.release,
        "timer": team.timer,
        "due": team.due,
    }


def _counts(view: View, rest: Rest) -> dict[str, Any]:
    return {
        "mode": view.mode,
        "operations": view.tickets,
        "waiting": rest.waiting,
        "online": sum(each.phase == "online" for each in view.cells),
        "preparing": sum(each.stage == "asked" for each in rest.teams),
        "recoveries": sum(each.stage == "admitted" for each in rest.teams),
        "charged": sum(count for _, count in rest.charges),
        "held": len(rest.inputs),
    }
