"""Jobs without a work phase: instant-start-settles-finish-in-one-batch and no-stop-before-the-finish-gate."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow, fraction
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.admission_asked import Asked, asked_runs, route_of
from harness.verdict.judgments.admission_events import Breach, breaches, event_trouble
from harness.verdict.judgments.reports_agreement import report_without_move, states_disagree, work_disagrees
from harness.verdict.parts import Part, absent, holds, nothing

INSTANT = "instant-start-settles-finish-in-one-batch"
NO_STOP = "no-stop-before-the-finish-gate"

GATE_CAUSES = frozenset({"output-full", "inputs-unavailable-at-finish"})


def _has_phase(e: Evidence) -> Iterator[Part]:
    if e.config.phases:
        yield nothing(f"the adoption has the work phase {e.config.phases[0].id}")


# -- one batch ----------------------------------------------------------------------------------------------------


@clause(INSTANT, 0)
def start_and_finish_settle_in_one_batch(e: Evidence) -> Iterator[Part]:
    """job-finished follows job-started in the same batch, and so does an accepted job-delivered."""
    yield from _has_phase(e)
    if e.config.phases:
        return
    yield from event_trouble(e, "request", "admit")
    for w in e.worlds:
        yield from breaches(wrong := list(states_disagree(w)))
        for report in w.reports(new="started"):
            batch = _rest_of_batch(w, report)
            found = list(_finish_is_wrong(w, report, batch))
            yield from breaches(found)
            if not found and not wrong and batch and batch[0]["report"] == "job-finished":
                yield holds(report, *batch)


def _rest_of_batch(w: WorldView, report: LogRow) -> list[LogRow]:
    """The run's reports after this one in its batch."""
    rows = w.batch_rows(report.batch, "report-log") if report.batch is not None else ()
    return [row for row in rows if row.run == report.run and row.pos > report.pos]


def _finish_is_wrong(w: WorldView, report: LogRow, batch: list[LogRow]) -> Iterator[Breach]:
    run = report.run
    if not batch:
        later = [row for row in w.life(str(run)) if row.pos > report.pos]
        missing = absent("report-log", f"job-finished of {run} in batch {report.batch}", 0, report)
        yield later[0] if later else missing, f"{run} starts in batch {report.batch} and does not finish in it"
    elif batch[0]["report"] not in ("job-finished", "job-stopped"):
        yield batch[0], f"{batch[0]['report']} of {run} follows its start, not job-finished"
    for row in w.life(str(run)):
        accepted = row["report"] == "job-delivered" and list(row["causes"]) == ["accepted"]
        refused = any(each["report"] == "destination-refused" for each in w.life(str(run)) if each.pos < row.pos)
        if accepted and not refused and batch and batch[0]["report"] == "job-finished" and row not in batch:
            yield row, f"{run} is delivered outside of the batch in which it finished"


@clause(INSTANT, 1)
def the_batch_ends_early_only_where_something_keeps_the_job(e: Evidence) -> Iterator[Part]:
    """A held or uncollected output keeps the job finished, a finish-gate cause keeps it stopped; nothing else does."""
    yield from _has_phase(e)
    if e.config.phases:
        return
    for w in e.worlds:
        runs = asked_runs(e, w)
        for report in w.reports(new="started"):
            asked = runs.get(str(report.run))
            if asked is None:
                continue
            batch = [report, *_rest_of_batch(w, report)]
            wrong = list(_end_is_wrong(e, asked, batch))
            wrong += [each for row in batch for each in report_without_move(w, row)]
            yield from breaches(wrong)
            if not wrong:
                yield holds(batch[-1])


def _end_is_wrong(e: Evidence, asked: Asked, batch: list[LogRow]) -> Iterator[Breach]:
    last, run = batch[-1], asked.run
    if last["new"] == "delivered":
        return
    if last["new"] == "stopped":
        wrong = sorted(set(last["causes"] or ()) - _gate_causes(e))
        if wrong:
            yield last, f"{run} stops at its gate with {', '.join(wrong)}, which cannot stop it there"
    elif last["new"] == "finished":
        yield from _held_is_wrong(e, asked, batch)
    else:
        yield last, f"the batch of the start of {run} ends with the run {last['new']}"


def _gate_causes(e: Evidence) -> frozenset[str]:
    possible = {"inputs-unavailable-at-finish"} if e.config.timing == "taken-at-finish" else set()
    return frozenset(possible | ({"output-full"} if e.config.output_full == "wait-until-space" else set()))


def _held_is_wrong(e: Evidence, asked: Asked, batch: list[LogRow]) -> Iterator[Breach]:
    refused = sum(1 for row in batch if row["report"] == "destination-refused")
    answer, route, run = e.config.output_full, route_of(e, asked), asked.run
    if answer in ("hold-undelivered", "try-destinations") and route and refused == len(route):
        return
    if not e.config.on_collection:
        told = f"after {refused} of {len(route)} refusals under {answer}"
        yield batch[-1], f"{run} stays finished {told}: nothing holds its output back"
    elif refused and answer != "try-destinations":
        yield batch[-1], f"{run} stays finished after {refused} refusals under {answer}"


# -- no stop ------------------------------------------------------------------------------------------------------


@clause(NO_STOP, 0)
def no_partial_work_is_recorded(e: Evidence) -> Iterator[Part]:
    """Every row of work, and every report, tells of no work at all."""
    yield from _has_phase(e)
    if e.config.phases:
        return
    yield from event_trouble(e, "request", "admit")
    for w in e.worlds:
        rows = w.rows("work-before-after")
        wrong = [*work_disagrees(w)]
        for row in rows:
            if any(fraction(row[column]) != 0 for column in ("before", "after", "required")):
                wrong.append((row, f"{row.run} records work {row['before']} to {row['after']} without a work phase"))
        yield from breaches(wrong)
        admitted = w.reports(("job-waiting", "job-started"))
        if not wrong and admitted:
            yield holds(*(rows or (absent("work-before-after", "a row of partial work"),)), admitted[-1])


@clause(NO_STOP, 1)
def nothing_stops_before_the_finish_gate_but_a_failure_while_waiting(e: Evidence) -> Iterator[Part]:
    """The only ways into stopped are the gate's own causes, and a recoverable failure that leads back to waiting."""
    yield from _has_phase(e)
    if e.config.phases:
        return
    yield from event_trouble(e, "fail", "instruct")
    for w in e.worlds:
        yield from breaches(wrong := list(states_disagree(w)))
        stops = w.rows("state-trace", to="stopped")
        found = [each for row in stops for each in _stop_is_wrong(e, w, row)]
        yield from breaches(found)
        if wrong or found:
            continue
        admitted = w.reports(("job-waiting", "job-started"))
        if stops:
            yield holds(*stops)
        elif admitted:
            rows = w.rows("state-trace")
            yield holds(absent("state-trace", "an entry into stopped", len(rows)), admitted[-1])


def _stop_is_wrong(e: Evidence, w: WorldView, row: LogRow) -> Iterator[Breach]:
    beside = w.settle_rows(row.settle, "report-log") if row.settle is not None else ()
    report = next((each for each in beside if each.run == row.run), None)
    if row["from"] == "started" and report is not None and report["report"] == "job-stopped":
        wrong = sorted(set(report["causes"] or ()) - _gate_causes(e))
        if wrong:
            yield report, f"{row.run} is stopped by {', '.join(wrong)} although it has no work to interrupt"
    elif row["from"] == "waiting" and report is not None and report["report"] == "job-failed":
        yield from _failure_is_wrong(e, w, report)
    else:
        yield row, f"{row.run} goes from {row['from']} to stopped without work, and no failure tells of it"


def _failure_is_wrong(e: Evidence, w: WorldView, report: LogRow) -> Iterator[Breach]:
    rows = {each.id: each for each in e.config.failures}
    failure = rows.get(str(next(iter(report["causes"] or ()), None)))
    if failure is None or failure.from_state != "waiting" or failure.ruined:
        yield report, f"{report.run} is stopped by {report['causes']}, which is no recoverable failure from waiting"
    resumed = next((row for row in w.reports("job-resumed", report.run) if row.pos > report.pos), None)
    if resumed is not None and resumed["new"] != "waiting":
        yield resumed, f"{report.run} failed while waiting and resumes to {resumed['new']}, not at its start gate"
