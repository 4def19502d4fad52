"""Judgments on an adoption without pools: nothing but its own readiness keeps a job from starting."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.judgments.life_agreement import report_wrongs
from harness.verdict.judgments.pools_common import Wrong, skipped, wrongs
from harness.verdict.judgments.pools_ready import Readiness
from harness.verdict.judgments.reports_agreement import states_disagree
from harness.verdict.parts import Part, absent, holds, nothing, violated

NO_POOL = "no-pool-means-every-ready-job-starts"
POOL_CAUSES = frozenset({"no-free-slot", "earlier-job-first"})


@clause(NO_POOL, 0)
def every_ready_job_starts(e: Evidence) -> Iterator[Part]:
    """A request starts at once unless it is rejected, blocked or paused, or waits for what is its own."""
    if e.adoption.rows("work-limits"):
        yield nothing("the adoption has a work-limits row")
        return
    yield from wrongs(report_wrongs(e))
    for w in e.worlds:
        yield from wrongs(states_disagree(w))
        ready = Readiness(w)
        for sent in w.events():
            yield from wrongs(_left_behind(ready, sent))
        for report in w.reports("job-started"):
            yield _started(w, report)
        for report in w.reports("job-rejected"):
            if "job-limit-full" in report["causes"]:
                yield violated(report, f"{report.run} is rejected by a limit, and there is no pool")
    yield from skipped(e)


def _started(w: WorldView, report: LogRow) -> Part:
    if report["causes"] != ["no-pool"] or report["pool"] is not None:
        return violated(report, f"{report.run} starts with {report['causes']} in {report['pool']}: there is no pool")
    moves = w.rows("state-trace", report.run, to="started")
    return holds(report, *(row for row in moves if row.settle == report.settle))


def _left_behind(ready: Readiness, sent: SentView) -> Iterator[Wrong]:
    """Runs that could start and are left in waiting or requested at the end of an event."""
    near = sent.rows[-1] if sent.rows else None
    for run in sent.after.in_state("waiting"):
        if ready.can_start(run, sent.after):
            yield absent("report-log", f"the job-started of {run}", near=near), f"{run} is ready and still waits"
    if sent.kind != "request" or sent.event.get("pause") or _reserves(sent):
        return
    run = str(sent.event["run"])
    if sent.after.state(run) == "requested" and not sent.after.ended(run):
        yield (
            absent("report-log", f"the job-started of {run}", near=near),
            f"{run} stays requested for no reason",
        )


def _reserves(sent: SentView) -> bool:
    return sent.world.evidence.config.output_full == "wait-before-start"


@clause(NO_POOL, 1)
def no_job_waits_for_a_pool(e: Evidence) -> Iterator[Part]:
    """No job-waiting names a reason that only a pool can give."""
    if e.adoption.rows("work-limits"):
        yield nothing("the adoption has a work-limits row")
        return
    yield from wrongs(report_wrongs(e))
    for w in e.worlds:
        yield from wrongs(states_disagree(w))
        waiting = w.reports("job-waiting")
        for report in waiting:
            yield _own_reasons(report)
        if not waiting and w.reports("job-requested"):
            yield holds(absent("report-log", "a job-waiting", len(w.reports())), *w.reports("job-started"))
    yield from skipped(e)


def _own_reasons(report: LogRow) -> Part:
    pool_causes = sorted(POOL_CAUSES.intersection(report["causes"]))
    if pool_causes or report["pool"] is not None:
        return violated(report, f"{report.run} waits for {', '.join(pool_causes) or report['pool']}: there is no pool")
    if not report["causes"]:
        return violated(report, f"{report.run} waits without a reason")
    return holds(report)
