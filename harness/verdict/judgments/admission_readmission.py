"""Readmission events: readmission-event-pairs-with-reservation and reservation-needs-a-readmission-event."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.judgments.admission_events import Breach, breaches, event_text, event_trouble
from harness.verdict.judgments.admission_traces import trace_disagrees
from harness.verdict.judgments.answers_in_force import in_force, not_reserving
from harness.verdict.parts import Part, absent, declared, holds, nothing, violated

PAIRS = "readmission-event-pairs-with-reservation"
NEEDS = "reservation-needs-a-readmission-event"

RESERVES = "wait-before-start"


@clause(PAIRS, 0)
def the_row_is_legal_only_under_reservation(e: Evidence) -> Iterator[Part]:
    """A readmission event belongs to wait-before-start, in word and in deed, and to no other answer."""
    if e.row is None:
        return
    row, answer = declared(f"/collections/readmission-events/{e.row.index}"), declared("/answers/output-full")
    if e.config.output_full == RESERVES:
        yield from in_force([holds(row, answer)], not_reserving(e))
    else:
        because = f"the readmission event {e.row.id} is declared, but output-full is {e.config.output_full}"
        yield violated(row, because, answer)


@clause(PAIRS, 1)
def the_readmission_rule_is_consulted(e: Evidence) -> Iterator[Part]:
    """At the event every blocked request tries its reservation again; without one it does not."""
    if e.row is None or e.config.output_full != RESERVES:
        yield nothing(f"output-full is {e.config.output_full}, under which no request is blocked for room")
        return
    yield from event_trouble(e, "readmit", "request", "tick")
    for w in e.worlds:
        wrong = [*trace_disagrees(e, w), *_events_disagree(w)]
        yield from breaches(wrong)
        for sent in w.sent:
            blocked = _blocked_before(w, sent)
            if not blocked or sent.outcome != "accepted":
                continue
            if _consults(e, sent, e.row.id):
                found = list(_not_retried(sent, blocked))
                yield from breaches(found)
                if not found and not wrong:
                    yield holds(*_retries(sent, blocked))
            elif not any(_consults(e, sent, each.id) for each in e.config.readmissions):
                for row in _retries(sent, blocked):
                    because = f"{row.run} tries its reservation again at {event_text(sent)}, which is no readmission"
                    yield violated(row, because)


def _consults(e: Evidence, sent: SentView, row_id: str) -> bool:
    """Whether this event is, or polls, the readmission of that row."""
    row = next((each for each in e.config.readmissions if each.id == row_id), None)
    if row is None:
        return False
    return sent.kind == "tick" if row.polled else (sent.kind, sent.event.get("row")) == ("readmit", row.id)


def _blocked_before(w: WorldView, sent: SentView) -> tuple[str, ...]:
    """The requests that no room was found for, when the event entered."""
    last: dict[str, str] = {}
    for earlier in w.sent[: sent.place]:
        for row in earlier.rows_of("admission-trace", step="reservation"):
            last[str(row.run)] = row["outcome"]
    open_runs = sent.before.open_runs
    return tuple(run for run, outcome in last.items() if outcome == "blocked" and run in open_runs)


def _retries(sent: SentView, blocked: tuple[str, ...]) -> tuple[LogRow, ...]:
    rows = sent.rows_of("admission-trace", step="reservation")
    return tuple(row for row in rows if row.run in blocked)


def _not_retried(sent: SentView, blocked: tuple[str, ...]) -> Iterator[Breach]:
    tried = {row.run for row in _retries(sent, blocked)}
    for run in blocked:
        if run not in tried:
            near = sent.rows[0] if sent.rows else None
            missing = absent("admission-trace", f"the new reservation attempt of {run}", len(tried), near)
            yield missing, f"{run} was blocked and is not tried again at {event_text(sent)}"


def _events_disagree(w: WorldView) -> Iterator[Breach]:
    """event-log against the events that were sent and the reports they caused: one row for each."""
    rows = w.rows("event-log")
    for row, sent in zip(rows, w.sent, strict=False):
        reports = [each["report"] for each in sent.rows_of("report-log")]
        if (row["event"], row["outcome"], row["reason"]) != (dict(sent.event), sent.outcome, sent.reason):
            yield row, f"event-log tells {row['event']} was {row['outcome']}, sent was {event_text(sent)}"
            return
        if list(row["reports"]) != reports:
            yield row, f"event-log gives {event_text(sent)} the reports {row['reports']}, it caused {reports}"
            return
    if len(rows) < len(w.sent):
        missing = absent("event-log", event_text(w.sent[len(rows)]), len(rows))
        yield missing, f"event-log has {len(rows)} rows, {len(w.sent)} events were sent"
    elif len(rows) > len(w.sent):
        yield rows[len(w.sent)], f"event-log has a row beyond the {len(w.sent)} events that were sent"


# -- at least one readmission event -------------------------------------------------------------------------------


@clause(NEEDS, 0)
def reservation_declares_a_readmission_event(e: Evidence) -> Iterator[Part]:
    """Under wait-before-start the adoption, and the record of what it declares, have a readmission event."""
    rows, answer = e.adoption.rows("readmission-events"), declared("/answers/output-full")
    if e.config.output_full != RESERVES:
        yield nothing(f"output-full is {e.config.output_full}")
        return
    recorded = e.rows("declaration-record", declares="row", name="readmission-events")
    counts = e.rows("declaration-record", declares="collection", name="readmission-events")
    answers = e.rows("declaration-record", declares="answer", name="output-full")
    if not rows:
        yield violated(answer, "output-full is wait-before-start, but no readmission event is declared", *counts)
        return
    if [row["value"] for row in recorded] != [row.id for row in rows]:
        missing = absent("declaration-record", "the readmission events that the adoption declares", len(recorded))
        yield violated(recorded[0] if recorded else missing, "the record names other readmission events than declared")
    elif [row["value"] for row in counts] != [len(rows)]:
        missing = absent("declaration-record", "the number of readmission events", len(counts))
        yield violated(counts[0] if counts else missing, f"the record does not count {len(rows)} readmission events")
    elif [row["value"] for row in answers] != [RESERVES]:
        missing = absent("declaration-record", "the answer to output-full", len(answers))
        yield violated(answers[0] if answers else missing, "the record does not tell wait-before-start")
    else:
        yield holds(*counts, *recorded)
