"""Judgments on the finish: everything claimed is spent and one output exists, in one commit."""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.lifecycle.config import PLACE, JobRule, at_place
from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence
from harness.verdict.judgments.delivery_room import ATTEMPTS
from harness.verdict.judgments.failures_settles import (
    claims,
    observed,
    settled,
    told,
    totals,
)
from harness.verdict.judgments.outputs_declared import answered
from harness.verdict.judgments.outputs_logs import own_log_faults
from harness.verdict.parts import Part, absent, declared, holds, nothing, violated

FINISH = "finish-spends-and-establishes-one-output"
CHANGES = ("established", "delivered", "destroyed", "target-remains")


def job_of(e: Evidence, report: LogRow) -> JobRule | None:
    """The rule of the job that a report is about."""
    return e.config.job_rule(str(report["job"]))


def requirement(job: JobRule, place: str | None) -> dict[tuple[str, str], int]:
    """What the job takes at a place, by (item, source)."""
    found: dict[tuple[str, str], int] = {}
    for need in job.needs:
        unit = (need.item, at_place(need.source, place) if PLACE in need.source else need.source)
        found[unit] = found.get(unit, 0) + need.amount
    return {unit: amount for unit, amount in found.items() if amount}


# -- one commit --------------------------------------------------------------------------------------------------------


@clause(FINISH, 0)
def a_finish_spends_the_claim_and_establishes_one_output(e: Evidence) -> Iterator[Part]:
    finished = e.reports("job-finished")
    for report in finished:
        yield from _spends_all(e, report)
    yield from _spends_without_finish(e)
    yield from _unfinished(e)
    for report in finished:
        yield from _establishes_one(e, report)
    yield from _outputs_without_finish(e)
    yield from own_log_faults(e)


def _spends_all(e: Evidence, report: LogRow) -> Iterator[Part]:
    """The whole requirement is spent before the report, and no claim is left."""
    job, run = job_of(e, report), str(report.run)
    if job is None or e.config.timing is None:
        return
    rows, owed = claims(e, report, "spend"), requirement(job, report["place"])
    left = dict(e.after(report).held(run))
    late = [row for row in rows if row.pos > report.pos]
    if totals(rows) != owed:
        first = rows[0] if rows else absent("claim-ledger", f"the spending of {told(owed)}", near=report)
        yield violated(
            first, f"run {run} finishes and spends {told(totals(rows))}; {job.id} takes {told(owed)}", report
        )
    elif late:
        yield violated(late[0], f"run {run} reports job-finished before its claim is spent", report)
    elif left:
        yield violated(report, f"run {run} finishes and still holds {told(left)}", *rows)
    elif rows:
        yield holds(*rows, report)


def _establishes_one(e: Evidence, report: LogRow) -> Iterator[Part]:
    """One output in the settle of the report and before it, and no other one of this run at any time."""
    run, w, job = str(report.run), e.world_of(report), job_of(e, report)
    every = w.rows("output-identity", run=run, change="established")
    made = [row for row in settled(e, report, "output-identity") if row["change"] == "established"]
    moves = [row for row in settled(e, report, "state-trace") if row["to"] == "finished"]
    if not made:
        missing = absent("output-identity", f"the output of run {run}", rows=len(every), near=report)
        yield violated(missing, f"run {run} finishes and no output is established", report)
    elif len(every) > 1:
        yield violated(every[1], f"run {run} establishes more than one output", every[0])
    elif made[0].pos > report.pos or any(row.pos > report.pos for row in moves):
        yield violated(report, f"run {run} reports job-finished before its output is established", made[0])
    elif job is not None and (made[0]["item"], made[0]["size"]) != (job.output, job.size):
        said = f"{made[0]['item']} of size {made[0]['size']}"
        yield violated(made[0], f"run {run} makes {said}; {job.id} makes {job.output} of size {job.size}")
    else:
        yield holds(made[0], *moves, report)


def _outputs_without_finish(e: Evidence) -> Iterator[Part]:
    owners: dict[tuple[int, str], LogRow] = {}
    for row in e.rows("output-identity"):
        if row["change"] not in CHANGES:
            yield violated(row, f"an output changes in a way that is not known: {row['change']}")
        if row["change"] != "established":
            continue
        first = owners.setdefault((row.world, row["output"]), row)
        if first.run != row.run:
            yield violated(row, f"run {row.run} makes {row['output']}, which is the output of run {first.run}", first)
        if not any(each["report"] == "job-finished" for each in settled(e, row, "report-log")):
            yield violated(row, f"run {row.run} establishes an output and does not finish")


def _spends_without_finish(e: Evidence) -> Iterator[Part]:
    for row in e.rows("claim-ledger", change="spend"):
        reports = settled(e, row, "report-log")
        if not any(each["report"] in ("job-finished", "job-canceled") for each in reports):
            yield violated(row, f"run {row.run} spends {row['amount']} {row['item']} and does not finish")


def _unfinished(e: Evidence) -> Iterator[Part]:
    """A run never rests at work that is done: past the gate it has finished, before it it is stopped."""
    if not observed(e, "work-before-after"):
        return
    for row in e.rows("work-before-after"):
        after = e.sent_of(row).after
        done = row["after"] == row["required"] and row["why"] in ("advance", "enter")
        if done and after.state(str(row.run)) in ("working", "started"):
            missing = absent("report-log", f"job-finished or job-stopped of run {row.run}", near=row)
            yield violated(missing, f"run {row.run} has done its work and neither finishes nor stops", row)


# -- one unit ----------------------------------------------------------------------------------------------------------


@clause(FINISH, 1)
def a_compound_output_stays_one_unit(e: Evidence) -> Iterator[Part]:
    if not any(job.parts for job in e.config.jobs):
        yield nothing("no output of the adoption has parts")
        return
    for row in e.rows("output-identity", change="established"):
        reports = [each for each in settled(e, row, "report-log") if each["report"] == "job-finished"]
        job = job_of(e, reports[0]) if reports else None
        if job is not None and job.parts:
            yield from _one_unit(e, row, job)


def _one_unit(e: Evidence, made: LogRow, job: JobRule) -> Iterator[Part]:
    w = e.world_of(made)
    for row in w.rows("output-identity", run=made.run):
        if row["output"] != made["output"]:
            yield violated(row, f"run {made.run} has a second output {row['output']} beside {made['output']}", made)
            return
        if tuple(row["parts"]) != job.parts or row["size"] != job.size:
            because = f"the output of run {made.run} has parts {row['parts']} and size {row['size']}"
            yield violated(row, f"{because}; {job.id} makes one of {list(job.parts)} and size {job.size}")
            return
    deliveries = w.reports("job-delivered", run=made.run)
    if len(deliveries) > 1:
        yield violated(deliveries[1], f"run {made.run} delivers its one unit twice", deliveries[0])
    else:
        yield holds(made, *deliveries)


# -- the delivery that follows -----------------------------------------------------------------------------------------


@clause(FINISH, 2)
def the_output_follows_the_kind_of_job(e: Evidence) -> Iterator[Part]:
    if e.config.in_place and answered(e, "output-full") != "never-full":
        because = f"an in-place job has no destination that could be full, and output-full is {e.config.output_full}"
        yield violated(declared("/answers/output-full"), because, declared("/job/output"))
        return
    finished = e.reports("job-finished")
    for report in finished:
        yield from (_in_place(e, report) if e.config.in_place else _new_thing(e, report))
    for report in finished:
        for delivered in _delivered_with(e, report):
            yield from _same_output(e, report, delivered)


def _in_place(e: Evidence, report: LogRow) -> Iterator[Part]:
    """The change at the site is the delivery, in the same batch and without a decision on room."""
    run, w, job = str(report.run), e.world_of(report), job_of(e, report)
    site = at_place(job.site or "", report["place"]) if job is not None else None
    delivered = _delivered_with(e, report)
    tried = list(w.rows(ATTEMPTS, run=run)) if observed(e, ATTEMPTS) else []
    if tried:
        yield violated(tried[0], f"run {run} changes its site, and room is asked for", report)
    elif not delivered:
        missing = absent("report-log", f"job-delivered of run {run}", near=report)
        yield violated(missing, f"run {run} changed its site and is not delivered with it", report)
    else:
        made = [row for row in settled(e, report, "output-identity") if row["change"] == "established"]
        if made and made[0]["site"] != site:
            yield violated(made[0], f"run {run} changes {made[0]['site']}; the site of its job is {site}")


def _delivered_with(e: Evidence, report: LogRow) -> list[LogRow]:
    """The job-delivered in the batch of a finish."""
    rows = e.world_of(report).reports("job-delivered", run=report.run)
    return [row for row in rows if row.batch == report.batch]


def _new_thing(e: Evidence, report: LogRow) -> Iterator[Part]:
    """The output is delivered in this batch, or its route says why not."""
    run, w = str(report.run), e.world_of(report)
    later = [row for row in w.reports(run=run) if row.pos > report.pos and row.batch == report.batch]
    delivered = [row for row in later if row["report"] == "job-delivered"]
    refused = [row for row in later if row["report"] == "destination-refused"]
    if delivered and e.config.on_collection:
        yield violated(delivered[0], f"run {run} is delivered before its output is collected", report)
    elif delivered:
        yield holds(report, delivered[0])
    elif refused and e.config.output_full in ("hold-undelivered", "try-destinations"):
        yield holds(report, *refused)
    elif refused:
        yield violated(refused[0], f"run {run} is refused, and {e.config.output_full} knows no refusal", report)
    elif e.config.on_collection:
        yield from _accepted(e, report)
    else:
        missing = absent("report-log", f"job-delivered of run {run}", near=report)
        yield violated(missing, f"run {run} finishes and its output is neither delivered nor refused", report)


def _accepted(e: Evidence, report: LogRow) -> Iterator[Part]:
    """Under collection the output lies at its destination, without a report, until it is fetched."""
    if not observed(e, ATTEMPTS):
        yield holds(report)
        return
    tries = [row for row in e.world_of(report).rows(ATTEMPTS, run=report.run) if row.batch == report.batch]
    taken = [row for row in tries if row["attempt"] == "delivery" and row["outcome"] == "accepted"]
    if taken:
        yield holds(report, *taken)
    else:
        missing = absent(ATTEMPTS, f"a destination that takes the output of run {report.run}", len(tries), report)
        yield violated(missing, f"run {report.run} finishes and its output is neither taken nor refused", report)


def _same_output(e: Evidence, finished: LogRow, delivered: LogRow) -> Iterator[Part]:
    """The output that is delivered is the one that the finish made."""
    run = finished.run
    made = [row for row in settled(e, finished, "output-identity") if row["change"] == "established"]
    given = [row for row in settled(e, delivered, "output-identity") if row["change"] == "delivered"]
    if not given:
        missing = absent("output-identity", f"the delivery of the output of run {run}", near=delivered)
        yield violated(missing, f"run {run} is delivered, and no output of it is", delivered)
    elif len(given) > 1:
        yield violated(given[1], f"the output of run {run} is delivered twice", given[0])
    elif not made or given[0]["output"] != made[0]["output"]:
        was = made[0]["output"] if made else "nothing"
        yield violated(given[0], f"run {run} made {was}, and {given[0]['output']} is delivered", *made)
    else:
        yield holds(made[0], given[0], delivered)
