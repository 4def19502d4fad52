"""pool-assignment, run-id-trace, request-log and report-order: what reports say about runs, batch by batch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from harness.run.derive.facts import DeriveFacts, Deriver, beside, moment_after
from harness.run.recording import Draft, SentDrafts

_ENDING = frozenset({"job-rejected", "job-delivered", "job-canceled"})


def is_ending(row: Draft) -> bool:
    """Whether the report ends its run."""
    report = row.data.get("report")
    return report in _ENDING or (report == "job-failed" and row.data.get("new") == "failed")


class PoolAssignment(Deriver):
    """One row for each job-requested: the assigned pool and place, and every pool row that covers the request."""

    log = "pool-assignment"
    needs = frozenset({"report-log"})

    def row(self, row: Draft, sent: SentDrafts | None) -> Iterable[Draft]:
        if row.log != "report-log" or row.data["report"] != "job-requested":
            return
        event = sent.event if sent is not None else {}
        asked = event.get("kind") == "request" and event.get("run") == row.run
        fields = event.get("fields", {}) if asked else {}
        data = row.data
        by = next(iter(data["causes"]), None)
        covered_by = list(self.facts.covering(data["job"], fields, by))
        yield beside(
            row,
            self.log,
            {"job": data["job"], "pool": data["pool"], "place": data["place"], "covered-by": covered_by},
        )


class RunIdTrace(Deriver):
    """One row for each report: whose life it belongs to, and whether that life was over before it."""

    log = "run-id-trace"
    needs = frozenset({"report-log"})

    def __init__(self, facts: DeriveFacts, state_log: str) -> None:
        super().__init__(facts, state_log)
        self._count: dict[str | None, int] = {}
        self._ended: set[str | None] = set()
        self._by: dict[str | None, str | None] = {}

    def row(self, row: Draft, sent: SentDrafts | None) -> Iterable[Draft]:
        if row.log != "report-log":
            return
        run, data = row.run, row.data
        self._count[run] = self._count.get(run, 0) + 1
        if data["report"] == "job-requested":
            self._by.setdefault(run, next(iter(data["causes"]), None))
        yield beside(
            row,
            self.log,
            {
                "job": data["job"],
                "report": data["report"],
                "nth": self._count[run],
                "ended-before": run in self._ended,
                "requested-by": self._by.get(run),
            },
        )
        if is_ending(row):
            self._ended.add(run)


class RequestLog(Deriver):
    """One row for each job-requested, at the end of the event that brought it: what became of the request by then."""

    log = "request-log"
    needs = frozenset({"report-log"})

    def leave(self, sent: SentDrafts) -> Iterable[Draft]:
        reports = [each for each in sent.drafts if each.log == "report-log"]
        for row in reports:
            if row.data["report"] == "job-requested":
                yield Draft(self.log, row.run, self._data(row, reports), moment=moment_after(sent))

    def _data(self, asked: Draft, reports: list[Draft]) -> dict[str, Any]:
        own = {each.data["report"]: each for each in reports if each.run == asked.run}
        outcome, causes = "requested", []
        for name, report in (("rejected", "job-rejected"), ("started", "job-started"), ("waiting", "job-waiting")):
            if report in own:
                outcome, causes = name, list(own[report].data["causes"])
                break
        return {
            "job": asked.data["job"],
            "by": next(iter(asked.data["causes"]), None),
            "pool": asked.data["pool"],
            "place": asked.data["place"],
            "outcome": outcome,
            "causes": causes,
        }


class ReportOrder(Deriver):
    """One row for each claim change and report of a batch, with its position in that batch."""

    log = "report-order"
    needs = frozenset({"claim-ledger", "report-log"})

    def __init__(self, facts: DeriveFacts, state_log: str) -> None:
        super().__init__(facts, state_log)
        self._position: dict[int, int] = {}

    def row(self, row: Draft, sent: SentDrafts | None) -> Iterable[Draft]:
        if row.batch is None or row.log not in self.needs:
            return
        self._position[row.batch] = self._position.get(row.batch, 0) + 1
        what, name = ("report", "report") if row.log == "report-log" else ("claim-change", "change")
        yield beside(row, self.log, {"position": self._position[row.batch], "what": what, "name": row.data[name]})
