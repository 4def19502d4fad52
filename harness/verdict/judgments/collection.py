"""Judgments on delivery on collection: its pairing with collection rows, the accessible wait, and the event."""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.lifecycle.config import NamedEvent
from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, SentView
from harness.verdict.judgments.answers_in_force import in_force, not_on_collection
from harness.verdict.judgments.collection_common import (
    LOCATION,
    Outputs,
    collected_by,
    delivered_once,
    location_wrongs,
)
from harness.verdict.judgments.declared_events import is_declared_event
from harness.verdict.judgments.life_agreement import report_wrongs
from harness.verdict.judgments.life_records import event_log_wrongs
from harness.verdict.judgments.pools_common import skipped, wrongs
from harness.verdict.parts import Part, absent, declared, holds, nothing, violated

PAIRS = "collection-event-pairs-with-collection-delivery"
NEEDS = "collection-needs-a-collection-event"
WAITS = "collection-delivery-waits-for-event"
COLLECTION = "collection-events"
_ANSWER = declared("/answers/delivery-trigger")


@clause(PAIRS, 0)
def a_collection_row_is_legal_only_on_collection(e: Evidence) -> Iterator[Part]:
    """The declaration and the answer belong together, and no run delivers under another answer."""
    assert e.row is not None
    row = declared(f"/collections/{COLLECTION}/{e.row.index}")
    if e.config.on_collection:
        yield from in_force([holds(row, _ANSWER)], not_on_collection(e))
    else:
        yield violated(row, f"{e.row.id} is declared, and delivery-trigger does not answer on-collection")


@clause(PAIRS, 1)
def the_collection_rule_is_consulted(e: Evidence) -> Iterator[Part]:
    """Its event delivers an accepted output, under the row's name, and delivers nothing where none is there."""
    if not e.config.on_collection or e.row is None:
        yield nothing("delivery-trigger does not answer on-collection: no rule of collection is consulted")
        return
    rule = next(each for each in e.config.collections if each.id == e.row.id)
    for w in e.worlds:
        yield from wrongs(event_log_wrongs(w, lambda sent: sent.kind in ("collect", "tick")))
        outputs = Outputs(w)
        for sent in w.sent:
            if rule.polled:
                yield from _poll(outputs, sent, rule)
            elif sent.kind == "collect" and sent.event.get("row") == rule.id:
                yield from _event(outputs, sent)
    yield from skipped(e)


def _event(outputs: Outputs, sent: SentView) -> Iterator[Part]:
    """A sent collection event: it takes the named output, or the first accepted, and none where none is there."""
    due = outputs.due(sent)
    logged = outputs.logged(sent)
    taken = sent.rows_of("report-log", report="job-delivered")
    if sent.outcome == "skipped":
        return
    if not is_declared_event(sent):
        if taken:
            yield violated(
                taken[0], f"{sent.event['row']} delivers {taken[0].run}, and is no declared collection event"
            )
        else:
            yield nothing(f"{sent.event['row']} is no collection event that is sent")
        return
    if due is None:
        if taken:
            yield violated(taken[0], f"{sent.event['row']} delivers {taken[0].run}, and no accepted output was there")
        else:
            yield nothing("no accepted output was there to be collected")
    elif sent.outcome == "refused":
        because = f"{sent.event['row']} was refused although the output of {due} was accepted: {sent.reason}"
        yield violated(logged[0] if logged else absent("event-log", "the collection"), because)
    else:
        yield from collected_by(sent, due, sent.event["row"], logged)


def _poll(outputs: Outputs, sent: SentView, rule: NamedEvent) -> Iterator[Part]:
    """A polled row fires in every tick: each output that it delivers was accepted before."""
    if sent.kind != "tick" or sent.outcome != "accepted":
        return
    for report in sent.rows_of("report-log", report="job-delivered"):
        if report["causes"] == [rule.id]:
            yield from collected_by(sent, str(report.run), rule.id, outputs.logged(sent))
    first = next(each for each in outputs.config.collections if each.polled)
    left = outputs.accepted(sent)
    if first.id == rule.id and left and not any(outputs.ended(sent, run) for run in left):
        near = sent.rows[-1] if sent.rows else None
        what = absent("report-log", f"the job-delivered of {left[0]}", near=near)
        yield violated(what, f"{rule.id} is polled, and the accepted output of {left[0]} is left in this tick")


@clause(NEEDS, 0)
def on_collection_declares_a_collection_row(e: Evidence) -> Iterator[Part]:
    """At least one row is declared, and the record of declarations has it."""
    rows = e.adoption.rows(COLLECTION)
    if not rows:
        yield violated(_ANSWER, "delivery-trigger answers on-collection, and no collection event is declared")
        return
    yield from _declared(e, "collection", COLLECTION, [len(rows)])
    yield from _declared(e, "row", COLLECTION, [row.id for row in rows])
    yield from _declared(e, "answer", "delivery-trigger", ["on-collection"])


def _declared(e: Evidence, kind: str, name: str, owed: list[str] | list[int]) -> Iterator[Part]:
    found = e.rows("declaration-record", declares=kind, name=name)
    values = [row["value"] for row in found]
    if values == owed:
        yield holds(*found)
    elif len(values) < len(owed):
        what = absent("declaration-record", f"the {kind} {name}", len(found))
        yield violated(what, f"the record of declarations has {values} as {kind} {name}, the adoption {owed}")
    else:
        wrong = next(row for at, row in enumerate(found) if at >= len(owed) or row["value"] != owed[at])
        yield violated(wrong, f"the record of declarations has {values} as {kind} {name}, the adoption {owed}")


# -- the wait for the event -------------------------------------------------------------------------------------------


@clause(WAITS, 0)
def an_accepted_output_stays_accessible_in_finished(e: Evidence) -> Iterator[Part]:
    """From its acceptance to the event the output lies at its destination and the job is finished."""
    for w in e.worlds:
        yield from wrongs(location_wrongs(w))
        outputs = Outputs(w)
        for accepted in w.rows(LOCATION, change="accepted"):
            yield from _stays(e, outputs, accepted)
    yield from skipped(e)


def _stays(e: Evidence, outputs: Outputs, accepted: LogRow) -> Iterator[Part]:
    run, w = str(accepted.run), e.world_of(accepted)
    if not accepted["accessible"] or accepted["location"] not in outputs.destinations(run):
        place = accepted["location"]
        yield violated(accepted, f"the output of {run} is accepted at {place}, accessible: {accepted['accessible']}")
        return
    delivery = next((row for row in w.reports("job-delivered", run=run) if row.pos > accepted.pos), None)
    if delivery is None or outputs.is_collection(delivery):
        yield holds(accepted)
    else:
        because = f"{run} is delivered by {', '.join(delivery['causes'])} at {e.sent_of(delivery).kind}: no collection"
        yield violated(delivery, because, accepted)


@clause(WAITS, 1)
def the_event_delivers_and_reports_once(e: Evidence) -> Iterator[Part]:
    """A collection moves the output to delivered with one report, once in its life."""
    if not e.adoption.rows(COLLECTION):
        yield nothing("the adoption declares no collection event")
        return
    yield from wrongs(report_wrongs(e))
    for w in e.worlds:
        yield from wrongs(event_log_wrongs(w, lambda sent: True))
        yield from wrongs(delivered_once(w))
        outputs = Outputs(w)
        for sent in w.events("collect", outcome=None):
            yield from _event(outputs, sent)
        for rule in e.config.collections:
            if rule.polled:
                for sent in w.events("tick"):
                    yield from _poll(outputs, sent, rule)
    yield from skipped(e)


@clause(WAITS, 2)
def without_an_event_the_job_never_leaves_finished(e: Evidence) -> Iterator[Part]:
    """An adoption on collection that declares no event is invalid."""
    if e.adoption.rows(COLLECTION):
        yield nothing("the adoption declares a collection event")
        return
    yield violated(_ANSWER, "no collection event is declared: an accepted output can never leave finished")
