"""Judgments on how runs end and what comes before them: one delivery report, no retry, a review before results."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.judgments.collection_common import delivered_once
from harness.verdict.judgments.life_agreement import report_wrongs
from harness.verdict.judgments.life_records import request_log_wrongs, run_id_wrongs
from harness.verdict.judgments.life_refusals import refusal_wrongs
from harness.verdict.judgments.pools_common import Wrong, observes, skipped, wrongs
from harness.verdict.judgments.pools_line import REQUESTER
from harness.verdict.judgments.reports_agreement import states_disagree
from harness.verdict.parts import Part, absent, holds, nothing, violated

AUTOMATIC = "automatic-delivery-reports-once"
REJECTION = "rejection-ends-the-requested-run"


# -- automatic delivery -----------------------------------------------------------------------------------------------


@clause(AUTOMATIC, 0)
def an_accepted_output_is_delivered_at_once_and_reported_once(e: Evidence) -> Iterator[Part]:
    """From its acceptance the run is delivered in the same batch, with one report; in place, only the one report."""
    if e.config.on_collection:
        yield nothing("delivery-trigger answers on-collection")
        return
    yield from wrongs(report_wrongs(e))
    for w in e.worlds:
        yield from wrongs(states_disagree(w))
        yield from wrongs(delivered_once(w))
        for finish in w.reports("job-finished"):
            yield from _delivery(e, w, finish)
    yield from skipped(e)


def _delivery(e: Evidence, w: WorldView, finish: LogRow) -> Iterator[Part]:
    run = str(finish.run)
    delivery = next((row for row in w.reports("job-delivered", run=run) if row.pos > finish.pos), None)
    if delivery is not None:
        yield _at_once(e, w, finish, delivery)
        return
    missing = _accepted_undelivered(e, w, finish)
    if missing is not None:
        yield violated(missing, f"no destination refused the output of {run}, and the run is not delivered", finish)


def _at_once(e: Evidence, w: WorldView, finish: LogRow, delivery: LogRow) -> Part:
    """The delivery follows in the batch of the finish, or of the redelivery that found room."""
    run = str(finish.run)
    moves = [row for row in w.rows("state-trace", run, to="delivered") if row.settle == delivery.settle]
    if e.config.in_place or delivery.batch == finish.batch:
        return holds(delivery, *moves)
    refused = [row for row in w.reports("destination-refused", run=run) if row.batch == finish.batch]
    retried = _is_retry(e, e.sent_of(delivery))
    if refused and retried:
        return holds(delivery, *moves)
    because = f"{run} finished in batch {finish.batch} and is delivered only in batch {delivery.batch}"
    return violated(delivery, because, finish)


def _is_retry(e: Evidence, sent: SentView) -> bool:
    polled = any(row.polled for row in e.config.redeliveries)
    return sent.kind == "redeliver" or (sent.kind == "tick" and polled)


def _accepted_undelivered(e: Evidence, w: WorldView, finish: LogRow) -> LogRow | None:
    """The row that shows an output which no destination refused, of a run that was never delivered; None for none."""
    run = str(finish.run)
    if observes(e, "delivery-attempts"):
        attempts = w.rows("delivery-attempts", run, attempt="delivery")
        accepted = [row for row in attempts if row["outcome"] == "accepted"]
        return (accepted or [finish])[0] if accepted or not attempts else None
    refused = w.reports("destination-refused", run=run)
    # A destination that is never full by its answer, and finite after all, may refuse without a report.
    unknown = e.config.output_full == "never-full" and any(each.capacity is not None for each in e.config.destinations)
    return None if refused or (unknown and not e.config.in_place) else finish


# -- a refused request ------------------------------------------------------------------------------------------------


def _refusals(w: WorldView) -> tuple[LogRow, ...]:
    return w.rows("run-id-trace", report="job-rejected")


def _records_agree(w: WorldView) -> Iterator[Part]:
    yield from wrongs(refusal_wrongs(w))
    yield from wrongs(run_id_wrongs(w))
    yield from wrongs(request_log_wrongs(w))


@clause(REJECTION, 0)
def a_refused_run_stays_ended_and_nothing_retries_it(e: Evidence) -> Iterator[Part]:
    """After its refusal no report of the run follows, and no request comes of itself."""
    for w in e.worlds:
        yield from _records_agree(w)
        yield from wrongs(_reports_after_the_end(w))
        yield from wrongs(_unasked_requests(w))
        for refusal in _refusals(w):
            yield holds(refusal, *w.rows("request-log", refusal.run))
    yield from skipped(e)


def _reports_after_the_end(w: WorldView) -> Iterator[Wrong]:
    refused = {row.run for row in _refusals(w)}
    for row in w.rows("run-id-trace", ended_before=True):
        if row.run in refused:
            yield row, f"{row['report']} of {row.run}, whose request was refused"


def _unasked_requests(w: WorldView) -> Iterator[Wrong]:
    """Requests that neither a request event nor a declared standing order made."""
    orders = {each.id for each in w.evidence.config.standing_orders}
    for row in w.reports("job-requested"):
        sent, by = w.sent_of(row), next(iter(row["causes"]), None)
        asked = sent.kind == "request" and sent.event.get("run") == row.run
        if by == REQUESTER and not asked:
            yield row, f"{row.run} is requested at {sent.kind}, and the requester did not ask for it"
        elif by != REQUESTER and (by not in orders or asked):
            yield row, f"{row.run} is requested by {by}, which is neither the requester nor a standing order"


@clause(REJECTION, 1)
def a_later_retry_is_a_new_run(e: Evidence) -> Iterator[Part]:
    """A request after a refusal is a run of its own, made by the requester or by a scan."""
    for w in e.worlds:
        yield from _records_agree(w)
        yield from wrongs(_unasked_requests(w))
        refusals = _refusals(w)
        known: set[str | None] = set()
        for row in w.rows("run-id-trace", report="job-requested"):
            if row.run in known or row["nth"] != 1 or row["ended-before"]:
                yield violated(row, f"the request of {row.run} goes on with a run that was there before")
            elif any(each.pos < row.pos and each["job"] == row["job"] for each in refusals):
                yield holds(row, *w.rows("request-log", row.run))
            known.add(row.run)
    yield from skipped(e)


@clause(REJECTION, 2)
def without_standing_orders_nothing_repeats_by_itself(e: Evidence) -> Iterator[Part]:
    """Each run answers to one request event of the requester."""
    if e.adoption.rows("standing-orders"):
        yield nothing("the adoption declares a standing-orders row")
        return
    for w in e.worlds:
        yield from _records_agree(w)
        yield from wrongs(_unasked_requests(w))
        asked = w.rows("request-log")
        for row in asked:
            if row["by"] != REQUESTER:
                yield violated(row, f"{row.run} is requested by {row['by']}, and no standing order is declared")
        if _refusals(w) and asked:
            yield holds(*asked)
    yield from skipped(e)


# -- what is read first -----------------------------------------------------------------------------------------------


@clause("read-first-note-precedes-verification", 0)
def the_note_is_read_before_any_result(e: Evidence) -> Iterator[Part]:
    """The reviewed passage is the one that is there now, and its record stands before every result."""
    assert e.row is not None
    address = e.row.fields["read-first"]
    if address not in e.adoption.pins:
        yield nothing(f"{address} has no pin: nobody has recorded a review of the passage")
        return
    found = e.rows("review-record", row=e.row.id)
    if not found:
        yield violated(absent("review-record", f"the row of {e.row.id}"), f"{e.row.id} is not in the review record")
        return
    yield from _review(e, address, found)


def _review(e: Evidence, address: str, found: tuple[LogRow, ...]) -> Iterator[Part]:
    row, pin = found[0], e.adoption.pins[address]
    first = next((each for each in e.recording.rows if each.world > 0), None)
    if len(found) > 1:
        yield violated(found[1], f"{row['row']} stands in the review record twice")
    elif (row["address"], row["pin"]) != (address, pin) or row["matches"] is not _matches(row):
        yield violated(row, f"the record has {row['address']} with the pin {row['pin']}, matching: {row['matches']}")
    elif first is not None and first.pos < row.pos:
        yield violated(row, f"{row['row']} is read only after results", first)
    elif row["resolved"] is None:
        yield nothing(f"{address} is external: recorded, not read")
    elif row["resolved"] is False:
        yield violated(row, f"{address} leads to no passage: it cannot have been read")
    elif not row["matches"]:
        yield nothing(f"{address} has changed since it was reviewed: its pin is not current")
    else:
        yield holds(row)


def _matches(row: LogRow) -> bool | None:
    return None if row["pin"] is None or row["digest"] is None else row["pin"] == row["digest"]
