"""The gates of an admission that do not ask for inputs, and every reason why a run must wait (step 4)."""

from __future__ import annotations

from typing import NamedTuple

from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.admission_asked import Asked, asked_runs, first_of_settle, lacking, tested_share
from harness.verdict.judgments.pools_line import Timeline

NO_FREE_SLOT = "no-free-slot"
EARLIER_FIRST = "earlier-job-first"
INPUTS_UNAVAILABLE = "inputs-unavailable"
DEPENDENCY_UNMET = "dependency-unmet"


class Where(NamedTuple):
    """A world with the order of its line, made once for all questions about it."""

    e: Evidence
    w: WorldView
    line: Timeline


def where(e: Evidence, w: WorldView) -> Where:
    """The world, ready to be asked."""
    return Where(e, w, Timeline(w))


def reasons_at(at: Where, asked: Asked, report: LogRow) -> frozenset[str]:
    """Every reason why the run had to wait when the settle of this report of its admission began."""
    row = first_of_settle(at.e, report)
    found = set()
    if asked.pool is not None:
        if free_slots(at.e, at.w, asked, row) < 1:
            found.add(NO_FREE_SLOT)
        if _is_behind(at, asked, row):
            found.add(EARLIER_FIRST)
    if at.e.config.timing in ("taken-at-start", "with-progress") and lacking(at.e, tested_share(at.e, asked), row):
        found.add(INPUTS_UNAVAILABLE)
    if not _needs_met(at.e, at.w, asked, row):
        found.add(DEPENDENCY_UNMET)
    return frozenset(found)


def free_slots(e: Evidence, w: WorldView, asked: Asked, row: LogRow) -> int:
    """Working slots of the run's pool and place that nobody held, and whose worker was there, before the row."""
    pool = asked.pool
    if pool is None:
        return 0
    used = e.at(row).used(pool.id, asked.place, "working")
    away = 0
    for sent in w.sent[: w.sent_of(row).place + 1]:
        if sent.outcome == "accepted" and (sent.event.get("pool"), sent.event.get("place")) == (pool.id, asked.place):
            away += {"worker-stop": 1, "worker-ready": -1}.get(sent.kind, 0)
    return pool.working - used - away


def _is_behind(at: Where, asked: Asked, row: LogRow) -> bool:
    """Whether a waiting run, or a stopped run without causes, stands before it in the pool's order."""
    if asked.pool is None:
        return False
    standing = at.line.before(row).with_newcomer(asked.run)
    order = standing.order(asked.pool, asked.place)
    for run in order[: order.index(asked.run)]:
        if standing.states.get(run) == "waiting" or not at.e.at(row).causes(run):
            return True
    return False


def _needs_met(e: Evidence, w: WorldView, asked: Asked, row: LogRow) -> bool:
    """Whether every need is met: each binds, at the request, to the latest open run of its job, if there is one."""
    runs, at_request = list(asked_runs(e, w).values()), e.at(asked.report)
    now = e.at(row)
    for need in e.config.needs_of(asked.job.id):
        bound = [each for each in runs if each.job.id == need and each.run in at_request.open_runs]
        if not bound:
            continue
        later = [each for each in runs if each.job.id == need and each.report.pos >= bound[-1].report.pos]
        known = [each.run for each in later if each.report.pos < row.pos]
        if not any(now.state(run) in ("finished", "delivered") for run in known):
            return False
    return True
