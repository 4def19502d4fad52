"""Whether the scenario's own logs agree: each with the events, the adoption, and the reports that it stands beside.

A log that was falsified (a row dropped, repeated or changed) contradicts one of these; what such a row would have
proved is then not proved, so the clause that rests on the log is violated at the row that contradicts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from harness.verdict.evidence import Evidence
from harness.verdict.judgments.failures_settles import ledger_faults, observed, trace_faults, work_faults
from harness.verdict.judgments.outputs_logs_claims import point_faults, slot_faults, snapshot_faults
from harness.verdict.judgments.outputs_logs_events import (
    declaration_faults,
    dependency_faults,
    event_faults,
    failure_faults,
    review_faults,
)
from harness.verdict.judgments.outputs_logs_order import order_faults
from harness.verdict.judgments.outputs_logs_reports import report_faults
from harness.verdict.judgments.outputs_logs_room import attempt_log_faults, location_faults, reservation_faults
from harness.verdict.judgments.outputs_logs_things import identity_faults
from harness.verdict.parts import Violated

_FAULTS: dict[str, Callable[[Evidence], Iterator[Violated]]] = {
    "report-log": report_faults,
    "state-trace": trace_faults,
    "claim-ledger": ledger_faults,
    "count-trace": slot_faults,
    "work-before-after": work_faults,
    "claim-snapshot": snapshot_faults,
    "resume-point": point_faults,
    "waiting-order-record": order_faults,
    "dependency-trace": dependency_faults,
    "output-identity": identity_faults,
    "output-location": location_faults,
    "delivery-attempts": attempt_log_faults,
    "reservation-ledger": reservation_faults,
    "failure-log": failure_faults,
    "event-log": event_faults,
    "declaration-record": declaration_faults,
    "review-record": review_faults,
}


def own_log_faults(e: Evidence) -> Iterator[Violated]:
    """What contradicts itself, or the others, in the logs that the scenario is judged by, as far as they are known."""
    for log in e.scenario.logs:
        if observed(e, log):
            yield from _FAULTS[log](e)
