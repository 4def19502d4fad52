"""One step of a pool as rows: the input, the operations in their lanes with what they tell, then the new state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.models.pools import actions as a
from harness.models.pools.correlations import Correlation
from harness.models.pools.keyed.outcomes import DeliverManagement
from harness.models.pools.values import Worker
from harness.run.pools.facts import fact_columns, told
from harness.run.pools.keyed_logs import binding_rows, managed
from harness.run.pools.port import Cell, Held, Took, View
from harness.run.recording import Draft

#: The logs that every pool writes; a law with more says so in its kit.
POOL_LOGS = (
    "input-log",
    "action-lanes",
    "admission-outcomes",
    "terminal-outcomes",
    "assignment-trace",
    "diagnostics",
    "state-trace",
    "ownership-ledger",
    "queue-trace",
    "count-trace",
)
"""In the order in which their rows of one event stand."""

#: What pools write besides whose jobs have keys.
KEYED_LOGS = ("selector-calls", "management-outcomes", "binding-ledger")


def step_rows(roles: tuple[str, ...], before: View, took: Took, after: View, settle: int) -> tuple[Draft, ...]:
    """Every row of one event that was taken in; `settle` is its number in the world, from 1."""
    drafts = [_draft("input-log", fact_columns(took.fact, roles), settle)]
    drafts.extend(_draft("selector-calls", {"key": key, "role": role}, settle) for key, role in took.selections)
    for place, operation in enumerate(took.actions.operations(), start=1):
        drafts.append(_draft("action-lanes", {"place": place, **_operation(operation, roles)}, settle))
        drafts.extend(_draft(log, data, settle) for log, data in _tells(operation, roles))
    drafts.extend(_draft(log, data, settle) for log, data in _state(before, after))
    return tuple(drafts)


def _draft(log: str, data: dict[str, Any], settle: int) -> Draft:
    job = data.get("job")
    return Draft(log, None if job is None else f"job-{job}", data, settle=settle)


# -- operations ----------------------------------------------------------------------------------------------------

_NUMBERS = ("reservation", "ticket", "assignment", "recovery", "timer", "due", "after", "job")


def _operation(operation: Any, roles: tuple[str, ...]) -> dict[str, Any]:
    """An operation by the numbers it carries; what it tells a customer or a diagnostic stands in their own logs."""
    about = getattr(operation, "residual", operation)
    role, outcome = getattr(about, "role", None), getattr(operation, "outcome", None)
    worker, birth = _worker(about)
    numbers = {name: _number(getattr(about, name, None)) for name in _NUMBERS}
    if outcome is not None:
        numbers["job"] = _number(getattr(outcome, "job", None))
    return {
        "lane": operation.lane,
        "role": None if role is None else roles[role],
        "worker": worker,
        "birth": birth,
        **numbers,
        "request": _number(getattr(getattr(outcome, "command", outcome), "request", None)),
        "route": getattr(operation, "route", None),
        "cause": getattr(operation, "cause", None),
    }


def _worker(operation: Any) -> tuple[int | None, int | None]:
    worker = getattr(operation, "worker", None) or getattr(operation, "replaces", None)
    if isinstance(worker, Worker):
        return int(worker.child), int(worker.evidence)
    return _number(getattr(operation, "child", None)), None


def _number(value: Any) -> int | None:
    return int(value) if isinstance(value, int) else None


def _tells(operation: Any, roles: tuple[str, ...]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What an operation says, in the log of its own."""
    if operation.lane == "admission-deliveries":
        columns = ("request", "outcome", "job", "key", "payload", "reason")
        yield "admission-outcomes", {**_outcome(operation, columns), **_through(operation.outcome)}
    elif isinstance(operation, DeliverManagement):
        yield "management-outcomes", managed(operation)
    elif operation.lane == "terminal-customer-deliveries":
        yield "terminal-outcomes", _outcome(operation, _ENDS)
    elif isinstance(operation, a.DeliverAssignment):
        yield "assignment-trace", _dispatch(operation, roles)
    elif isinstance(operation, a.DeliverDiagnostic | a.TransferDiagnostic | a.TransferRejectedFact):
        found = operation.diagnostic
        facts = [told(each, roles) for each in found.facts]
        route = getattr(operation, "route", None)
        yield "diagnostics", {"diagnostic": found.kind, "reason": found.reason, "route": route, "facts": facts}


_ENDS = ("job", "outcome", "role", "generation", "payload", "result", "reason")


def _outcome(operation: Any, columns: tuple[str, ...]) -> dict[str, Any]:
    outcome: Any = operation.outcome
    found = {name: _public(getattr(outcome, "kind" if name == "outcome" else name, None)) for name in columns}
    return {**found, "route": operation.route}


def _through(outcome: Any) -> dict[str, Any]:
    """The binding that an accepted job goes through, where it has one."""
    binding = getattr(outcome, "binding", None)
    if binding is None:
        return {"role": None, "generation": None}
    return {"role": binding.role, "generation": int(binding.generation)}


def _public(value: Any) -> Any:
    """A value as the customer gets it; what is neither number nor text stands there as the text of its numbers."""
    if isinstance(value, Correlation):
        return int(value)
    return str(value) if isinstance(value, tuple) else value


def _dispatch(operation: a.DeliverAssignment, roles: tuple[str, ...]) -> dict[str, Any]:
    authority = operation.command.authority
    return {
        "change": "dispatched",
        "role": roles[operation.role],
        "worker": int(operation.child),
        "assignment": int(operation.assignment),
        "authority": int(authority.token),
        "authority-birth": int(authority.birth),
        "job": int(operation.job),
        "payload": int(operation.command.payload),
        "join": None,
    }


# -- the new state -------------------------------------------------------------------------------------------------


def _state(before: View, after: View) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from _joins(before, after)
    if (before.mode, before.within) != (after.mode, after.within):
        yield "state-trace", _mode_row(before.mode, after)
    for place, cell in enumerate(after.cells):
        was = before.cells[place] if place < len(before.cells) else None
        if was is None or was.member != cell.member or was.role != cell.role:
            yield "state-trace", _cell_row(place, was, cell)
    yield from _ledger(before, after)
    yield from binding_rows(before, after)
    for role in dict.fromkeys(each.role for each in (*before.queue, *after.queue)):
        queue = [each for each in after.queue if each.role == role]
        if queue != [each for each in before.queue if each.role == role]:
            yield "queue-trace", {"role": role, **_columns(queue)}
    yield (
        "count-trace",
        {
            "mode": after.mode,
            "queued": len(after.queue),
            "assigned": len(after.running),
            "idle": sum(each.phase == "idle" for each in after.cells),
            "tickets": after.tickets,
            "cursor": after.cursor,
            "charges": len(after.charges),
        },
    )


def _columns(queue: list[Held]) -> dict[str, Any]:
    return {
        "jobs": [each.job for each in queue],
        "ordinals": [each.ordinal for each in queue],
        "priors": [each.prior for each in queue],
    }


def _joins(before: View, after: View) -> Iterator[tuple[str, dict[str, Any]]]:
    """Assignments whose facts have joined further, and those that are over."""
    now = {(each.role, each.assignment): each for each in after.running}
    for each in before.running:
        later = now.get((each.role, each.assignment))
        if later is None or later.join != each.join:
            yield (
                "assignment-trace",
                {
                    "change": "ended" if later is None else "joined",
                    "role": each.role,
                    "worker": each.worker,
                    "assignment": each.assignment,
                    "authority": None,
                    "authority-birth": None,
                    "job": each.job,
                    "payload": None,
                    "join": None if later is None else later.join,
                },
            )


def _mode_row(before: str, after: View) -> dict[str, Any]:
    nothing = dict.fromkeys(("place", "role"))
    rest: dict[str, Any] = {"within": after.within, "worker": None, "birth": None, "ticket": None}
    return {**nothing, "from": before, "to": after.mode, **rest, "open": [], "kept": [], "after": None}


def _cell_row(place: int, was: Cell | None, cell: Cell) -> dict[str, Any]:
    return {
        "place": place,
        "role": cell.role,
        "from": None if was is None else was.phase,
        "to": cell.phase,
        "within": cell.within,
        "worker": cell.worker,
        "birth": cell.birth,
        "ticket": cell.ticket,
        "open": list(cell.open),
        "kept": list(cell.kept),
        "after": cell.after,
    }


def _ledger(before: View, after: View) -> Iterator[tuple[str, dict[str, Any]]]:
    """Who gives a job up, then who takes one."""
    had, has = _holders(before), _holders(after)
    for each in had:
        if each not in has:
            yield "ownership-ledger", _held_row(each, "gives-up")
    for each in has:
        if each not in had:
            yield "ownership-ledger", _held_row(each, "takes")


def _holders(view: View) -> dict[Held, None]:
    running = (Held(each.job, 0, "worker", each.role) for each in view.running)
    return dict.fromkeys((*(each._replace(ordinal=0, prior=None) for each in view.queue), *running))


def _held_row(held: Held, change: str) -> dict[str, Any]:
    return {"job": held.job, "change": change, "holder": held.holder, "role": held.role}
