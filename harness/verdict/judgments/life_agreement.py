"""What reports must be, told by report-log alone: one chain for each run, with the causes that each report can have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from harness.models.lifecycle.config import Config
from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.life_refusals import refusal_wrongs
from harness.verdict.judgments.pools_common import Wrong
from harness.verdict.judgments.pools_line import REQUESTER
from harness.verdict.parts import absent

TERMINAL = frozenset({"delivered", "canceled", "failed"})
WAIT_REASONS = frozenset({"no-free-slot", "earlier-job-first", "inputs-unavailable", "dependency-unmet"})
WORLD_CAUSES = frozenset({"output-full", "inputs-unavailable-at-finish", "unable-to-advance"})

#: The states that each report leads from and to.
TOLD: Mapping[str, tuple[frozenset[str | None], frozenset[str]]] = {
    "job-requested": (frozenset({None}), frozenset({"requested"})),
    "job-rejected": (frozenset({"requested"}), frozenset({"requested"})),
    "job-waiting": (frozenset({"requested"}), frozenset({"waiting"})),
    "job-started": (frozenset({"requested", "waiting"}), frozenset({"started"})),
    "job-working": (frozenset({"started"}), frozenset({"working"})),
    "job-stopped": (frozenset({"working", "started", "stopped"}), frozenset({"stopped"})),
    "job-resumed": (frozenset({"stopped"}), frozenset({"waiting", "working", "started"})),
    "job-finished": (frozenset({"working", "started"}), frozenset({"finished"})),
    "destination-refused": (frozenset({"finished"}), frozenset({"finished"})),
    "job-delivered": (frozenset({"finished"}), frozenset({"delivered"})),
    "job-failed": (frozenset({"waiting", "working", "stopped", "finished"}), frozenset({"stopped", "failed"})),
    "job-canceled": (frozenset({"requested", "waiting", "working", "stopped"}), frozenset({"canceled"})),
}


def repeated_reports(w: WorldView) -> Iterator[Wrong]:
    """A second report of the same run in one settle, and a second request of one run."""
    seen: set[tuple[str | None, object]] = set()
    for row in w.reports():
        key = (row.run, "requested" if row["report"] == "job-requested" else row.settle)
        if key in seen:
            yield row, f"{row['report']} of {row.run} is reported a second time"
        seen.add(key)


def report_wrongs(e: Evidence) -> Iterator[Wrong]:
    """Reports that don't follow on one another, tell of no such change, or name what their run was not requested as."""
    for w in e.worlds:
        yield from repeated_reports(w)
        yield from _chains(w)
        for row in w.reports():
            yield from _causes(e.config, row)
        yield from _unreported(w)
        yield from refusal_wrongs(w)


def _chains(w: WorldView) -> Iterator[Wrong]:
    last: dict[str | None, LogRow] = {}
    asked: dict[str | None, LogRow] = {}
    for row in w.reports():
        before = last.get(row.run)
        known = before["new"] if before is not None else None
        olds, news = TOLD.get(row["report"], (frozenset(), frozenset()))
        if row["old"] not in olds or row["new"] not in news:
            yield row, f"{row['report']} never tells of {row['old']} to {row['new']}"
        elif row["old"] != known:
            yield row, f"{row['report']} tells that {row.run} was {row['old']}, its last report left it {known}"
        elif before is not None and (known in TERMINAL or before["report"] == "job-rejected"):
            yield row, f"{row['report']} of {row.run}, which has ended"
        first = asked.setdefault(row.run, row)
        for column in ("job", "pool", "place"):
            if row[column] != first[column]:
                yield row, f"{row.run} was requested with the {column} {first[column]}, reported is {row[column]}"
        last[row.run] = row


# -- causes --------------------------------------------------------------------------------------------------------


def _causes(config: Config, row: LogRow) -> Iterator[Wrong]:
    legal, causes = _LEGAL.get(row["report"]), list(row["causes"])
    if legal is None:
        return
    wrong = [each for each in causes if each not in legal(config, row)]
    if wrong or not causes:
        yield row, f"{row['report']} of {row.run} names {', '.join(wrong) or 'nothing'} as its cause"


def _ids(rows: tuple[object, ...]) -> frozenset[str]:
    return frozenset(str(getattr(each, "id", each)) for each in rows)


_LEGAL: Mapping[str, Callable[[Config, LogRow], frozenset[str]]] = {
    "job-requested": lambda config, row: _ids(config.standing_orders) | {REQUESTER},
    "job-rejected": lambda config, row: frozenset({"missing-inputs", "job-limit-full"}),
    "job-waiting": lambda config, row: WAIT_REASONS,
    "job-started": lambda config, row: frozenset({"no-pool" if row["pool"] is None else "slot-offered"}),
    "job-working": lambda config, row: _ids(config.phases),
    "job-stopped": lambda config, row: _ids(config.interruptions) | WORLD_CAUSES,
    "job-resumed": lambda config, row: frozenset({"causes-cleared"}),
    "job-finished": lambda config, row: frozenset({"finish-gate-passed"}),
    "destination-refused": lambda config, row: frozenset({"no-room"}),
    "job-delivered": lambda config, row: _ids(config.collections) if config.on_collection else frozenset({"accepted"}),
    "job-failed": lambda config, row: _ids(config.failures),
    "job-canceled": lambda config, row: _ids(config.cancellations) | {"dependency-ended"},
}


# -- reports that an event owes --------------------------------------------------------------------------------------

_OWED = {"request": "job-requested", "cancel": "job-canceled", "fail": "job-failed"}


def _unreported(w: WorldView) -> Iterator[Wrong]:
    """Requests, cancellations and failures that were taken and left no report of their run."""
    for sent in w.events():
        if sent.kind not in _OWED:
            continue
        report, run = _OWED[sent.kind], str(sent.event.get("run"))
        if not sent.rows_of("report-log", run, report=report):
            near = next((each.rows[-1] for each in reversed(w.sent[: sent.place + 1]) if each.rows), None)
            yield absent("report-log", f"the {report} of {run}", near=near), f"{sent.kind} {run} was taken: no {report}"
