"""event-log and failure-log: what was sent, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from harness.run.derive.facts import DeriveFacts, Deriver, moment_after
from harness.run.recording import SKIPPED, Draft, SentDrafts

_RESULTS = {"partial-inputs-or-work": "recoverable", "job-ruined": "ruined"}


class EventLog(Deriver):
    """One row for each event, at its end: the event itself, its outcome, and the reports it caused."""

    log = "event-log"
    needs = frozenset({"report-log"})

    def leave(self, sent: SentDrafts) -> Iterable[Draft]:
        reports = [each.data["report"] for each in sent.drafts if each.log == "report-log"]
        data = {"event": dict(sent.event), "outcome": sent.outcome, "reason": sent.reason, "reports": reports}
        yield Draft(self.log, sent.event.get("run"), data, moment=moment_after(sent))


class FailureLog(Deriver):
    """One row for each offered failure: the state it was offered in, and whether it fired."""

    log = "failure-log"
    needs = frozenset({"report-log"})

    def __init__(self, facts: DeriveFacts, state_log: str) -> None:
        super().__init__(facts, state_log)
        self._states: dict[str | None, str] = {}
        self._offered_in: str | None = None

    def enter(self, sent: SentDrafts) -> Iterable[Draft]:
        self._offered_in = self._states.get(sent.event.get("run"))
        return ()

    def row(self, row: Draft, sent: SentDrafts | None) -> Iterable[Draft]:
        if row.log == "report-log" and row.data["report"] == "job-requested":
            self._states[row.run] = "requested"
        elif row.log == self.state_log:
            state = row.data["to" if row.log == "state-trace" else "new"]
            if state is not None:
                self._states[row.run] = state
        return ()

    def leave(self, sent: SentDrafts) -> Iterable[Draft]:
        if sent.event.get("kind") != "fail" or sent.outcome == SKIPPED:
            return
        run = sent.event.get("run")
        fired = any(
            each.log == "report-log" and each.run == run and each.data["report"] == "job-failed" for each in sent.drafts
        )
        data = self._data(sent.event.get("row"), fired, sent.reason)
        yield Draft(self.log, run, data, moment=moment_after(sent))

    def _data(self, name: str | None, fired: bool, reason: str | None) -> dict[str, Any]:
        adoption = self.facts.adoption
        declared = next((each for each in adoption.rows("failures") if each.id == name), None)
        result = (declared.get("result") if declared else None) or adoption.answers.get("failure-result")
        return {
            "row": name,
            "offered-in": self._offered_in,
            "fired": fired,
            "reason": reason,
            "result": _RESULTS.get(result or ""),
            "from-state": declared.get("from-state") if declared else None,
        }
