"""Waits at the finish gate: finish-gate-wait-retains-completed-work, finish-claim-wait-is-slot-retaining."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence
from harness.verdict.judgments.finish_gate_arrivals import (
    INPUTS,
    OUTPUT_FULL,
    Arrival,
    arrivals,
    failing,
    failing_after,
    finished_without_room,
    gate_stops,
    own_log,
)
from harness.verdict.judgments.progress_shares import amounts_text, missing, terms_of
from harness.verdict.judgments.resumes_owed import (
    at_finish_gate,
    end_faults,
    events_of_stay,
    has_a_slot_to_go_on,
    lacks,
    resume_reports,
)
from harness.verdict.judgments.stops_claims import claim_faults, holds_faults, kept_claim
from harness.verdict.judgments.stops_held import ledger_at, staying_faults
from harness.verdict.judgments.stops_records import (
    FINISH_GATE_CAUSES,
    Stop,
    causes_now,
    joins,
    judged,
    number,
    of_log,
    only,
    settle_rows,
    stop_faults,
)
from harness.verdict.judgments.stops_rows import (
    changed,
    life_faults,
    report_work_faults,
    units_faults,
    work_chain_faults,
)
from harness.verdict.parts import Part, Violated, absent, nothing, violated

_ROOM = "finish-gate-wait-retains-completed-work"
_CLAIM = "finish-claim-wait-is-slot-retaining"


# -- the stop ---------------------------------------------------------------------------------------------------------


@clause(_ROOM, 0)
def a_full_destination_stops_the_job_with_its_slot_and_work(e: Evidence) -> Iterator[Part]:
    """The cause is output-full; the work stays complete, and the slot stays while only gate causes are active."""
    yield from _judge_stops(e, OUTPUT_FULL)


@clause(_CLAIM, 0)
def a_missing_claim_stops_the_job_with_its_slot_and_work(e: Evidence) -> Iterator[Part]:
    """The cause is inputs-unavailable-at-finish; work and slot stay as they do for a full destination."""
    yield from _judge_stops(e, INPUTS)


def _judge_stops(e: Evidence, cause: str) -> Iterator[Part]:
    yield from _bad_counts(e)
    met = [arrival for w in e.worlds for arrival in arrivals(w)]
    for arrival in met:
        yield from _owed_stop(arrival, cause)
    for stop in gate_stops(e, cause):
        told = (*stop_faults(stop), *life_faults(stop.world, stop.run))
        faults = (*told, *_cause_faults(stop, met), *_work_faults(stop), *_kept_slot_faults(stop))
        yield from judged(faults, stop.state, stop.report, *_slot_rows(stop))


def _bad_counts(e: Evidence) -> Iterator[Violated]:
    if e.config.pools:
        for row, because in e.bad_counts():
            yield violated(row, because)


def _owed_stop(arrival: Arrival, cause: str) -> Iterator[Violated]:
    """The gate was reached while this condition failed, and the run did not stop for it."""
    causes, run = failing(arrival), arrival.run
    if cause not in causes:
        return
    later = [row for row in arrival.sent.rows_of("report-log", run) if row.pos > arrival.row.pos]
    if any(row["report"] == "job-stopped" and cause in row["causes"] for row in later):
        return
    gone = absent("report-log", f"the stop of {run} by {cause}", near=arrival.row)
    because = (
        f"{run} reached its finish gate, where {' and '.join(sorted(causes))} was due, and {cause} did not stop it"
    )
    yield violated(later[0] if later else gone, because, arrival.row)


def _cause_faults(stop: Stop, met: list[Arrival]) -> Iterator[Violated]:
    """The report of the stop names every condition that fails at the gate, and no other cause."""
    w = stop.world
    for arrival in met:
        here = arrival.world is w and arrival.run == stop.run
        if here and stop.report is not None and arrival.sent.place == w.sent_of(stop.row).place:
            causes = failing(arrival)
            if frozenset(stop.report["causes"]) != causes:
                told = f"{', '.join(sorted(causes))}; the report says {', '.join(stop.report['causes'])}"
                yield violated(stop.report, f"{stop.run} meets at its gate {told}", arrival.row)


def _work_faults(stop: Stop) -> Iterator[Violated]:
    """Completed work stays: at the stop, at every cause that joins, and at every tick; only a loss lowers it."""
    w, run = stop.world, stop.run
    terms = terms_of(w, run)
    if terms is None:
        return
    work = terms.required
    for report in w.life(run):
        if report is stop.report or (stop.within(report) and report["report"] == "job-stopped"):
            yield from report_work_faults(report, work, work)
        elif stop.within(report) and report["report"] == "job-failed":
            work = number(report["work-after"])
    if own_log(w.evidence, "work-before-after"):
        yield from work_chain_faults(w, run)
        for row in w.rows("work-before-after", run=run):
            moved = number(row["before"]) != number(row["after"])
            if stop.within(row) and moved and row["why"] not in ("loss", "cancel"):
                yield violated(row, f"{run} waits at its finish gate and its work changes by {row['why']}", stop.row)


def _slot_rows(stop: Stop) -> tuple[LogRow, ...]:
    if stop.before.pool(stop.run) is None:
        return ()
    rows = stop.world.rows("count-trace", run=stop.run, slot="working")
    return tuple(row for row in rows if row.pos < stop.row.pos)


def _kept_slot_faults(stop: Stop) -> Iterator[Violated]:
    """The working slot is kept while every active cause is a finish-gate cause."""
    w, run = stop.world, stop.run
    if stop.before.pool(run) is None:
        return
    if not stop.after.has_slot(run):
        gone = absent("count-trace", f"the working slot of {run}", near=stop.row)
        freed = of_log(stop.rows, "count-trace", run)
        yield violated(freed[-1] if freed else gone, f"{run} stops at its finish gate without its slot", stop.row)
    for row in w.rows("count-trace", run=run, slot="working", change="free"):
        if stop.within(row) and not _may_free(stop, row):
            yield violated(row, f"{run} gives its slot up while only finish-gate causes stop it", stop.row)


def _may_free(stop: Stop, row: LogRow) -> bool:
    """Whether another cause is active by the end of the settle, or the last cause cleared and a claim failed."""
    e, run = stop.world.evidence, stop.run
    at = stop.world.snapshot(settle_rows(stop.world, row)[-1], before=False)
    if at.state(run) != "stopped":
        return True
    causes = causes_now(e, at, run)
    return bool(causes - FINISH_GATE_CAUSES) or (not causes and bool(lacks(stop, at)))


# -- other causes, and no output --------------------------------------------------------------------------------------


@clause(_ROOM, 1)
def another_cause_frees_the_slot_and_no_output_comes_while_full(e: Evidence) -> Iterator[Part]:
    """The first cause that is not a finish-gate cause frees the slot; nothing is established without room."""
    yield from _judge_other_causes(e, OUTPUT_FULL)
    for stop in gate_stops(e, OUTPUT_FULL):
        none = absent("report-log", f"job-finished of {stop.run} while output-full stops it", rows=len(stop.rows))
        yield from judged(_output_faults(stop), stop.report, none)
    for w in e.worlds:
        for report in w.reports("job-finished"):
            if (free := finished_without_room(w, report)) is not None:
                yield violated(report, f"{report.run} establishes its output where room for {free} is free")


@clause(_CLAIM, 1)
def another_cause_frees_the_slot(e: Evidence) -> Iterator[Part]:
    """The first cause that is not a finish-gate cause frees the working slot."""
    yield from _judge_other_causes(e, INPUTS)


def _judge_other_causes(e: Evidence, cause: str) -> Iterator[Part]:
    yield from _bad_counts(e)
    found = False
    for stop in gate_stops(e, cause):
        first = _first_other_cause(stop)
        if first is not None:
            found = True
            rows = of_log(settle_rows(stop.world, first), "count-trace", stop.run)
            yield from judged(_freeing_faults(stop, first), *rows, first)
    if e.worlds and not found:
        yield nothing("no other cause joins a stop at the finish gate")


def _freeing_faults(stop: Stop, first: LogRow) -> Iterator[Violated]:
    w, run = stop.world, stop.run
    if stop.before.pool(run) is None:
        return
    if w.snapshot(settle_rows(w, first)[-1], before=False).has_slot(run):
        gone = absent("count-trace", f"the freeing of the working slot of {run}", near=first)
        yield violated(gone, f"{', '.join(first['causes'])} joins the stop of {run}, which keeps its slot", first)
    for row in w.rows("count-trace", run=run, slot="working", change="take"):
        ends = stop.end is not None and row.settle is not None and row.settle == stop.end.settle
        if stop.within(row) and first.pos < row.pos and not ends:
            yield violated(row, f"{run} is stopped and takes a working slot", first)


def _first_other_cause(stop: Stop) -> LogRow | None:
    """The report that brought the first cause that is not a finish-gate cause."""
    failures = stop.world.reports("job-failed", run=stop.run, new="stopped")
    found = [row for row in joins(stop) if not FINISH_GATE_CAUSES.issuperset(row["causes"])]
    found += [row for row in failures if stop.within(row)]
    return min(found, key=lambda row: row.pos, default=None)


def _output_faults(stop: Stop) -> Iterator[Violated]:
    yield from stop_faults(stop)
    for row in stop.world.reports("job-finished", run=stop.run):
        if stop.within(row):
            yield violated(row, f"{stop.run} finishes while it is stopped", stop.row)


# -- the claim --------------------------------------------------------------------------------------------------------


@clause(_ROOM, 2)
def a_claim_at_the_gate_follows_the_answer(e: Evidence) -> Iterator[Part]:
    """A current claim is held, or released where the answer says so."""
    yield from _judge_claims(e, OUTPUT_FULL)


@clause(_CLAIM, 2)
def any_other_claim_at_the_gate_follows_the_answer(e: Evidence) -> Iterator[Part]:
    """A run that claims at its finish holds nothing before; what it holds all the same follows the answer."""
    yield from _judge_claims(e, INPUTS)


def _judge_claims(e: Evidence, cause: str) -> Iterator[Part]:
    if e.config.timing is None:
        yield nothing("no inputs are required, so there is no claim")
        return
    if e.config.timing == "taken-at-finish":
        yield nothing("inputs are claimed at the finish itself, so no claim is current before")
    for stop in gate_stops(e, cause):
        if stop.before.held(stop.run):
            staying = () if e.config.release_stopped_claims else staying_faults(stop)
            faults = (*stop_faults(stop), *claim_faults(stop), *_kept_faults(stop), *staying)
            yield from judged(faults, *ledger_at(stop), stop.report)


def _kept_faults(stop: Stop) -> Iterator[Violated]:
    """A claim that nothing should have made yet follows the answer all the same."""
    terms = terms_of(stop.world, stop.run)
    if terms is not None and not terms.claims_early:
        yield from holds_faults(stop.after, stop.run, kept_claim(stop, terms), stop.row)


# -- back to the gate -------------------------------------------------------------------------------------------------


@clause(_ROOM, 3)
def with_room_the_job_resumes_straight_to_its_gate(e: Evidence) -> Iterator[Part]:
    """Once every cause has cleared it reports job-resumed, and finishes without repeating work."""
    for stop in gate_stops(e, OUTPUT_FULL):
        yield from _judge_return(e, stop)


@clause(_CLAIM, 3)
def with_its_inputs_the_job_claims_them_and_returns_to_its_gate(e: Evidence) -> Iterator[Part]:
    """It claims the full requirement, reports job-resumed, and finishes in the same batch."""
    for stop in gate_stops(e, INPUTS):
        for report in resume_reports(stop):
            yield from judged(_whole_claim_faults(stop, report), *_claims_of(stop, report))
        yield from _judge_return(e, stop)


def _claims_of(stop: Stop, report: LogRow) -> tuple[LogRow, ...]:
    stop.world.evidence.touch("claim-ledger")
    return of_log(settle_rows(stop.world, report), "claim-ledger", stop.run, change="claim")


def _whole_claim_faults(stop: Stop, report: LogRow) -> Iterator[Violated]:
    w, run = stop.world, stop.run
    before = w.snapshot(settle_rows(w, report)[0], before=True)
    terms, claims = terms_of(w, run), _claims_of(stop, report)
    yield from units_faults(w, run)
    if terms is None or not at_finish_gate(stop, before):
        return
    wanted, taken = missing(terms.whole, before.held(run)), changed(claims, "claim")
    if dict(taken) != dict(wanted):
        gone = absent("claim-ledger", f"the claim of {amounts_text(wanted)} by {run}", near=report)
        because = f"{run} needs {amounts_text(wanted)} to finish and claims {amounts_text(taken)} as it resumes"
        yield violated(claims[0] if claims else gone, because, report)
    for row in claims:
        if row.pos > report.pos:
            yield violated(row, f"{run} was reported resumed before it claimed {row['item']}", report)


def _judge_return(e: Evidence, stop: Stop) -> Iterator[Part]:
    w, run = stop.world, stop.run
    yield from end_faults(stop)
    yield from _owed_return(e, stop)
    for report in resume_reports(stop):
        if at_finish_gate(stop, w.snapshot(settle_rows(w, report)[0], before=True)):
            sent = w.sent_of(report)
            finished = sent.rows_of("report-log", run, report="job-finished")
            faults = (
                *only(finished, "report-log", f"the finish of {run} in the batch of its resume", report),
                *_repeated_work(stop, report),
            )
            yield from judged(faults, report, *sent.rows_of("state-trace", run), *finished)


def _repeated_work(stop: Stop, report: LogRow) -> Iterator[Violated]:
    w, run = stop.world, stop.run
    terms = terms_of(w, run)
    if terms is not None:
        yield from report_work_faults(report, terms.required, terms.required)
    for row in w.reports("job-working", run=run):
        if row.pos > report.pos:
            yield violated(row, f"{run} enters work again after its finish gate", report)
    if own_log(w.evidence, "work-before-after"):
        yield from work_chain_faults(w, run)
        for row in w.rows("work-before-after", run=run, why="advance"):
            if row.pos > report.pos:
                yield violated(row, f"{run} works again after its finish gate", report)


def _owed_return(e: Evidence, stop: Stop) -> Iterator[Violated]:
    """An event that left both conditions of the gate true, and nothing else in the way, did not resume the run."""
    run = stop.run
    for sent in events_of_stay(stop):
        after = sent.after
        if after.state(run) != "stopped" or causes_now(e, after, run) - FINISH_GATE_CAUSES:
            continue
        in_the_way = not at_finish_gate(stop, after) or failing_after(stop, sent) or lacks(stop, after)
        if in_the_way or not has_a_slot_to_go_on(stop, sent):
            continue
        gone = absent("report-log", f"the resume of {run}", near=sent.rows[-1] if sent.rows else stop.row)
        yield violated(gone, f"both conditions of the finish gate hold for {run}, and {sent.kind} did not resume it")
        return
