"""The legal moves of a run, and which move each report tells of (lifecycle: States and reports)."""

from __future__ import annotations

from collections.abc import Mapping

TERMINAL = frozenset({"delivered", "canceled", "failed"})

#: From each state, where one transition may lead; terminal states lead nowhere.
LEGAL_MOVES: Mapping[str, frozenset[str]] = {
    "requested": frozenset({"waiting", "started", "canceled"}),
    "waiting": frozenset({"started", "stopped", "canceled", "failed"}),
    "started": frozenset({"working", "finished", "stopped"}),
    "working": frozenset({"finished", "stopped", "canceled", "failed"}),
    "stopped": frozenset({"waiting", "working", "started", "canceled", "failed"}),
    "finished": frozenset({"delivered", "failed"}),
    "delivered": frozenset(),
    "canceled": frozenset(),
    "failed": frozenset(),
}

#: Each report with the pairs of old and new state that it may carry.
REPORT_MOVES: Mapping[str, frozenset[tuple[str | None, str]]] = {
    "job-requested": frozenset({(None, "requested")}),
    "job-rejected": frozenset({("requested", "requested")}),
    "job-waiting": frozenset({("requested", "waiting")}),
    "job-started": frozenset({("requested", "started"), ("waiting", "started")}),
    "job-working": frozenset({("started", "working")}),
    "job-stopped": frozenset({("working", "stopped"), ("started", "stopped"), ("stopped", "stopped")}),
    "job-resumed": frozenset({("stopped", "waiting"), ("stopped", "working"), ("stopped", "started")}),
    "job-finished": frozenset({("working", "finished"), ("started", "finished")}),
    "destination-refused": frozenset({("finished", "finished")}),
    "job-delivered": frozenset({("finished", "delivered")}),
    "job-failed": frozenset(
        {
            ("waiting", "stopped"),
            ("working", "stopped"),
            ("stopped", "stopped"),
            ("waiting", "failed"),
            ("working", "failed"),
            ("stopped", "failed"),
            ("finished", "failed"),
        }
    ),
    "job-canceled": frozenset(
        {("requested", "canceled"), ("waiting", "canceled"), ("working", "canceled"), ("stopped", "canceled")}
    ),
}

#: Reports that can come without a change of state: joining causes, refusals, a failure of a stopped run.
STANDING_REPORTS = frozenset({"job-rejected", "destination-refused", "job-stopped", "job-failed"})

#: Reports that belong to a settle's transition; job-requested stands alone and brings a run into being.
MOVING_REPORTS = frozenset(REPORT_MOVES) - {"job-requested", "job-rejected", "destination-refused"}
