"""The records of requests, runs, pools and events, held against the reports and events that they are told from.

Each function yields what is wrong with one of these logs: a missing, repeated or false row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.judgments.pools_common import Wrong
from harness.verdict.judgments.pools_line import request_fields
from harness.verdict.parts import absent


def _compare(log: str, owed: Sequence[tuple[LogRow, Mapping[str, Any]]], found: tuple[LogRow, ...]) -> Iterator[Wrong]:
    """Owed rows (beside the report they tell of) against those that are there, in order; the first that is wrong."""
    for at, row in enumerate(found):
        if at >= len(owed):
            yield row, f"a row of {log} that no report stands for"
            return
        if _tells(row, owed[at]):
            continue
        if at + 1 < len(owed) and _tells(row, owed[at + 1]):
            yield _missing(log, owed[at][0], len(found))
        else:
            report, data = owed[at]
            told = {name: row.get(name) for name in data}
            yield row, f"the row says {_text(row.run, told)}; the reports make it {_text(report.run, data)}"
        return
    if len(found) < len(owed):
        yield _missing(log, owed[len(found)][0], len(found))


def _tells(row: LogRow, owed: tuple[LogRow, Mapping[str, Any]]) -> bool:
    report, data = owed
    return row.run == report.run and all(row.get(name) == value for name, value in data.items())


def _missing(log: str, report: LogRow, rows: int) -> Wrong:
    what = f"the row of {report.run} at its {report['report']}"
    return absent(log, what, rows, report), f"{log} has no row for the {report['report']} of {report.run}"


def _text(run: str | None, data: Mapping[str, Any]) -> str:
    return f"{run}: " + ", ".join(f"{name} {value}" for name, value in data.items())


# -- run-id-trace ---------------------------------------------------------------------------------------------------


def run_id_wrongs(w: WorldView) -> Iterator[Wrong]:
    """One row for each report: which run, how many reports it had, whether it had ended, who asked for it."""
    counts: dict[str | None, int] = {}
    asked: dict[str | None, str | None] = {}
    ended: set[str | None] = set()
    owed = []
    for row in w.reports():
        counts[row.run] = counts.get(row.run, 0) + 1
        if row["report"] == "job-requested":
            asked.setdefault(row.run, next(iter(row["causes"]), None))
        data = {
            "job": row["job"],
            "report": row["report"],
            "nth": counts[row.run],
            "ended-before": row.run in ended,
            "requested-by": asked.get(row.run),
        }
        owed.append((row, data))
        if row["report"] == "job-rejected" or row["new"] in ("delivered", "canceled", "failed"):
            ended.add(row.run)
    yield from _compare("run-id-trace", owed, w.rows("run-id-trace"))


# -- request-log ----------------------------------------------------------------------------------------------------


def request_log_wrongs(w: WorldView) -> Iterator[Wrong]:
    """One row for each request: who asked for what, where, and what it came to by the end of its event."""
    owed = []
    for report in w.reports("job-requested"):
        outcome, causes = _outcome(w, report)
        data = {
            "job": report["job"],
            "by": next(iter(report["causes"]), None),
            "pool": report["pool"],
            "place": report["place"],
            "outcome": outcome,
            "causes": causes,
        }
        owed.append((report, data))
    yield from _compare("request-log", owed, w.rows("request-log"))


_OUTCOMES = (("rejected", "job-rejected"), ("started", "job-started"), ("waiting", "job-waiting"))


def _outcome(w: WorldView, asked: LogRow) -> tuple[str, list[str]]:
    reports = {row["report"]: row for row in reversed(w.sent_of(asked).rows_of("report-log", asked.run))}
    for outcome, report in _OUTCOMES:
        if report in reports:
            return outcome, list(reports[report]["causes"])
    return "requested", []


# -- pool-assignment --------------------------------------------------------------------------------------------------


def assignment_wrongs(e: Evidence, w: WorldView) -> Iterator[Wrong]:
    """One row for each request: its one pool, the first in written order that covers it, and its one place."""
    owed = []
    for report in w.reports("job-requested"):
        data = {"job": report["job"], "pool": report["pool"], "place": report["place"]}
        owed.append((report, data))
    rows = w.rows("pool-assignment")
    yield from _compare("pool-assignment", owed, rows)
    for (report, _), row in zip(owed, rows, strict=False):
        true = covering(e, w, report)
        if list(row["covered-by"]) != true and report["causes"] == ["requester"]:
            yield row, f"the rows that cover the request of {row.run} are {', '.join(true) or 'none'}"


def covering(e: Evidence, w: WorldView, asked: LogRow) -> list[str]:
    """The work-limits rows that cover a request, in written order."""
    fields = dict(request_fields(e.config, asked, w.sent_of(asked)))
    return [pool.id for pool in e.config.pools if _covers(pool.covers, asked["job"], fields)]


def _covers(rule: Any, job: str, fields: Mapping[str, Any]) -> bool:
    if rule.everything or job in rule.jobs:
        return True
    return bool(rule.fields) and all(fields.get(name, 0) == value for name, value in rule.fields)


# -- event-log --------------------------------------------------------------------------------------------------------


def event_log_wrongs(w: WorldView, concerns: Callable[[SentView], bool]) -> Iterator[Wrong]:
    """One row for each event: the event, what became of it, and the reports that it brought."""
    rows = w.rows("event-log")
    for sent, row in zip(w.sent, rows, strict=False):
        reports = [each["report"] for each in sent.rows_of("report-log")]
        told = (dict(row["event"]), row["outcome"], row["reason"], list(row["reports"]))
        if told != (dict(sent.event), sent.outcome, sent.reason, reports) or row.run != sent.event.get("run"):
            yield row, f"the row tells of {_event(row['event'])} with {_names(row['reports'])}, sent was {_sent(sent)}"
            return
    if len(rows) > len(w.sent):
        yield rows[len(w.sent)], "a row of event-log that no event stands for"
    elif len(rows) < len(w.sent) and any(concerns(each) for each in w.sent):
        missing = w.sent[len(rows)]
        near = missing.rows[-1] if missing.rows else None
        yield absent("event-log", f"the row of {_event(missing.event)}", len(rows), near), "an event left no row"


def _event(event: Mapping[str, Any]) -> str:
    return " ".join(str(value) for value in event.values())


def _names(reports: list[str]) -> str:
    return ", ".join(reports) or "no report"


def _sent(sent: SentView) -> str:
    return f"{_event(sent.event)}, {sent.outcome}, with {_names([e['report'] for e in sent.rows_of('report-log')])}"
