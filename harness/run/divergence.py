"""Where a system first did something else than the model: both recordings side by side, up to the first other row.

Rows are compared log by log within one event, because the lifecycle leaves the order between logs open where no clause
names it; numbers of rows, settles and batches are a system's own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from harness.contract.shapes import Adoption
from harness.run.recording import SKIPPED, LogRow, Recording, Sent

#: The step of the lifecycle that writes such a row, by log and by the column that tells which.
_STEPS: dict[str, tuple[str, dict[str, str]]] = {
    "report-log": (
        "report",
        {
            "job-requested": "request",
            "job-rejected": "admission",
            "job-waiting": "waiting",
            "job-started": "start",
            "job-working": "work",
            "job-stopped": "stop",
            "job-resumed": "resume",
            "job-finished": "finish",
            "destination-refused": "delivery",
            "job-delivered": "delivery",
            "job-failed": "failure",
            "job-canceled": "cancellation",
        },
    ),
    "state-trace": (
        "to",
        {
            "waiting": "waiting",
            "started": "start",
            "working": "work",
            "stopped": "stop",
            "finished": "finish",
            "delivered": "delivery",
            "failed": "failure",
            "canceled": "cancellation",
        },
    ),
    "work-before-after": (
        "why",
        {
            "enter": "work",
            "advance": "work",
            "stop": "stop",
            "reversal": "stop",
            "loss": "failure",
            "cancel": "cancellation",
            "resume": "resume",
        },
    ),
    "count-trace": ("slot", {"working": "slots and offers", "waiting": "waiting"}),
    "stop-causes": ("change", {"add": "stop", "join": "stop", "clear": "resume"}),
    "resume-point": ("change", {"recorded": "stop", "returned": "resume"}),
    "claim-ledger": ("change", {"spend": "finish", "lose": "failure"}),
}
_STEP_OF_LOG = {
    "job-rule-read-log": "request",
    "output-identity": "finish",
    "admission-trace": "admission",
    "reservation-ledger": "output reservation",
    "reversal-log": "stop",
    "claim-snapshot": "cancellation",
    "pool-offer-log": "slots and offers",
    "standing-order-scan-log": "standing orders",
    "waiting-order-record": "slots and offers",
    "dependency-trace": "admission",
    "delivery-attempts": "delivery",
    "output-location": "delivery",
}
_EVENT_STEPS = {
    "open-pool": "slots and offers",
    "request": "request",
    "admit": "admission",
    "tick": "work",
    "instruct": "stop",
    "clear": "resume",
    "cancel": "cancellation",
    "fail": "failure",
    "readmit": "output reservation",
    "redeliver": "delivery",
    "collect": "delivery",
    "eligible": "standing orders",
}
#: The collection and field whose cited rule governs a step.
_RULES = {
    "admission": ("work-limits", "waiting-limit-key"),
    "waiting": ("work-limits", "waiting-limit-key"),
    "slots and offers": ("work-limits", "working-limit-key"),
    "work": ("work-phases", "duration-declared-in"),
    "stop": ("interruptions", "interruptions-declared-in"),
    "resume": ("interruptions", "interruptions-declared-in"),
    "failure": ("failures", "trigger-declared-in"),
    "cancellation": ("cancellations", "trigger-declared-in"),
    "standing orders": ("standing-orders", "eligible-declared-in"),
}


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first difference. `world` and `event` count from 1; `agreed` counts the events before it that are the same.

    `expected` is what the model wrote or said there, `found` what the system did; either can be None. `log` is None
    where the outcomes differ. `step` names the part of the lifecycle, `address` the rule that is cited for it.
    """

    world: int
    event: int
    sent: dict[str, Any]
    agreed: int
    agreed_rows: int
    log: str | None
    expected: dict[str, Any] | None
    found: dict[str, Any] | None
    step: str | None
    address: str | None

    def to_json(self) -> dict[str, Any]:
        """The divergence as it stands in the scenario's file."""
        return {
            "world": self.world,
            "event": self.event,
            "sent": self.sent,
            "agreed-events": self.agreed,
            "agreed-rows": self.agreed_rows,
            "log": self.log,
            "expected": self.expected,
            "found": self.found,
            "step": self.step,
            "address": self.address,
        }


def first_divergence(
    expected: Recording, found: Recording, logs: Collection[str], adoption: Adoption
) -> Divergence | None:
    """The first event at which the outcome or a row of these logs differs; None where all of them agree.

    Only logs that both recordings have are compared.
    """
    compared = frozenset(logs) & expected.observes & found.observes
    for world, (one, other) in enumerate(zip(expected.worlds, found.worlds, strict=True), start=1):
        rows = 0
        for at, (due, done) in enumerate(zip(one.sent, other.sent, strict=True)):
            if done.outcome == SKIPPED:  # nothing was tried, so nothing can differ
                break
            difference = _difference(due, done, compared)
            if difference is not None:
                log, before, after, same = difference
                step = _step(log, before or after) if log is not None else None
                step = step or _EVENT_STEPS.get(str(due.event["kind"]))
                address = _address(adoption, step, done.event)
                sent = dict(done.event)
                return Divergence(world, at + 1, sent, at, rows + same, log, before, after, step, address)
            rows += sum(row.log in compared for row in done.rows)
    return None


_Difference = tuple[str | None, dict[str, Any] | None, dict[str, Any] | None, int]


def _difference(due: Sent, done: Sent, logs: frozenset[str]) -> _Difference | None:
    if due.outcome != done.outcome:
        said = [{"outcome": each.outcome, "reason": each.reason} for each in (due, done)]
        return None, said[0], said[1], 0
    found = [each for log in sorted(logs) for each in _other_rows(due, done, log)]
    # What comes first in the model's own order; a row that only the system has comes at its place there.
    return min(found, key=lambda each: each[0], default=(0, None))[1]


def _other_rows(due: Sent, done: Sent, log: str) -> Iterator[tuple[int, _Difference]]:
    pairs = zip_longest(_rows(due, log), _rows(done, log))
    for same, (one, other) in enumerate(pairs):
        before, after = (None if each is None else _fact(each[1]) for each in (one, other))
        if before != after:
            place = min(each[0] for each in (one, other) if each is not None)
            yield place, (log, before, after, same)
            return


def _rows(sent: Sent, log: str) -> list[tuple[int, LogRow]]:
    return [(place, row) for place, row in enumerate(sent.rows) if row.log == log]


#: Columns that are a system's own: the number of another row, and the machinery of its pool.
_OWN = ("at", "internal")


def _fact(row: LogRow) -> dict[str, Any]:
    return {"run": row.run, **{name: value for name, value in row.data.items() if name not in _OWN}}


def _step(log: str, row: dict[str, Any] | None) -> str | None:
    column, steps = _STEPS.get(log, ("", {}))
    return steps.get(str((row or {}).get(column))) or _STEP_OF_LOG.get(log)


def _address(adoption: Adoption, step: str | None, event: Any) -> str | None:
    """The rule that an adoption cites for a step: that of the row which the event names, else of the first row."""
    if step in ("request", "start", "finish", "delivery", None):
        return adoption.job.get("job-declared-in") if step is not None else None
    collection, field = _RULES.get(str(step), ("", ""))
    rows = adoption.rows(collection)
    named = [each for each in rows if each.id in (event.get("row"), event.get("instruction"), event.get("cause"))]
    return next((each.get(field) for each in (*named, *rows) if each.get(field) is not None), None)
