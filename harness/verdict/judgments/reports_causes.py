"""The cause that each report may carry, and the one that its event gave (the table of reports)."""

from __future__ import annotations

from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence, SentView
from harness.verdict.judgments.admission_asked import REQUESTER, Asked, is_own_request

REASONS = frozenset({"no-free-slot", "earlier-job-first", "inputs-unavailable", "dependency-unmet"})

_FIXED = {
    "job-resumed": "causes-cleared",
    "job-finished": "finish-gate-passed",
    "destination-refused": "no-room",
}


def cause_is_wrong(e: Evidence, sent: SentView, report: LogRow, asked: Asked) -> str | None:
    """Why the report's causes are not what they have to be; None where they are."""
    causes = list(report["causes"] or ())
    allowed = _allowed(e, sent, report, asked)
    if not causes:
        return f"{report['report']} of {report.run} carries no cause"
    if len(set(causes)) < len(causes):
        return f"{report['report']} of {report.run} names a cause twice: {', '.join(causes)}"
    wrong = [each for each in causes if each not in allowed]
    if wrong:
        told, due = ", ".join(wrong), ", ".join(sorted(allowed)) or "any"
        return f"{report['report']} of {report.run} carries {told}, which is none of {due}"
    if len(causes) > 1 and report["report"] not in ("job-waiting", "job-stopped"):
        return f"{report['report']} of {report.run} carries more than one cause: {', '.join(causes)}"
    return None


def _allowed(e: Evidence, sent: SentView, report: LogRow, asked: Asked) -> frozenset[str]:
    """Every cause that such a report may carry here."""
    name = report["report"]
    if name in _FIXED:
        return frozenset({_FIXED[name]})
    if name == "job-requested":
        return _requesters(e, sent, report, asked)
    if name == "job-rejected":
        return frozenset({"missing-inputs", "job-limit-full"})
    if name == "job-waiting":
        return REASONS
    if name == "job-started":
        return frozenset({"no-pool" if asked.pool is None else "slot-offered"})
    if name == "job-working":
        return frozenset({asked.phase.id} if asked.phase is not None else ())
    return _from_event(e, sent, report, asked)


def _requesters(e: Evidence, sent: SentView, report: LogRow, asked: Asked) -> frozenset[str]:
    if is_own_request(sent, report):
        return frozenset({REQUESTER})
    pool = asked.pool.id if asked.pool is not None else None
    return frozenset(row.id for row in e.config.standing_orders if row.job == asked.job.id and row.pool == pool)


def _from_event(e: Evidence, sent: SentView, report: LogRow, asked: Asked) -> frozenset[str]:
    name, own = report["report"], sent.event.get("run") == report.run
    if name == "job-stopped":
        return _stop_causes(e, sent, own)
    if name == "job-failed":
        return frozenset({str(sent.event.get("row"))}) if sent.kind == "fail" and own else frozenset()
    if name == "job-canceled":
        if sent.kind != "cancel":
            return frozenset()
        return frozenset({str(sent.event.get("row")) if own else "dependency-ended"})
    if name == "job-delivered":
        return _deliverers(e, sent)
    return frozenset()


def _stop_causes(e: Evidence, sent: SentView, own: bool) -> frozenset[str]:
    given = frozenset[str]()
    if sent.kind == "instruct" and own:
        given = frozenset(row.id for row in e.config.interruptions if sent.event["instruction"] in row.instructions)
    elif sent.kind == "worker-stop":
        given = frozenset(row.id for row in e.config.interruptions if "worker-stopped" in row.instructions)
    world = {"unable-to-advance"} if e.config.timing == "with-progress" else set()
    if e.config.timing == "taken-at-finish":
        world.add("inputs-unavailable-at-finish")
    if e.config.output_full == "wait-until-space":
        world.add("output-full")
    return given | world


def _deliverers(e: Evidence, sent: SentView) -> frozenset[str]:
    if not e.config.on_collection:
        return frozenset({"accepted"})
    if sent.kind == "collect":
        return frozenset({str(sent.event.get("row"))})
    return frozenset(row.id for row in e.config.collections if row.polled) if sent.kind == "tick" else frozenset()
