"""Judgments on outputs that found no room: held, out of reach, and tried again only on a declared event."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from harness.run.recording import SKIPPED, LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, SentView
from harness.verdict.judgments.answers_in_force import in_force, not_retrying
from harness.verdict.judgments.declared_events import is_declared_event
from harness.verdict.judgments.delivery_answers import (
    Route,
    accepted_parts,
    is_redelivery,
    refusal_parts,
    routes,
)
from harness.verdict.judgments.delivery_room import attempt_faults
from harness.verdict.judgments.failures_settles import observed, settled
from harness.verdict.judgments.outputs_declared import answered, existence, pairing
from harness.verdict.judgments.outputs_logs import own_log_faults
from harness.verdict.parts import Part, absent, holds, nothing, violated

HELD = "held-output-retries-only-on-event"
PAIRS = "redelivery-event-pairs-with-retry-answer"
LEGAL = ("hold-undelivered", "try-destinations")


class Hold(NamedTuple):
    """A run whose output found no room when it finished: its first refusal, its finish, and the events after it."""

    route: Route
    refused: LogRow
    finished: LogRow
    later: tuple[SentView, ...]

    @property
    def run(self) -> str:
        """The run's id."""
        return self.route.run

    def tries(self, sent: SentView) -> list[LogRow]:
        """The delivery attempts of the run that the event brought, the finish's own ones left out."""
        mine = {row.pos for row in sent.rows}
        kept = [row for row in self.route.kind("delivery") if row.pos in mine]
        return [row for row in kept if row.batch != self.finished.batch]


def holdings(e: Evidence) -> Iterator[Hold]:
    """Every run whose first walk along its route ended in refusals alone."""
    for route in routes(e):
        for finished in route.w.reports("job-finished", run=route.run):
            first = [row for row in route.kind("delivery") if row.batch == finished.batch and row.pos > finished.pos]
            if first and all(row["outcome"] == "refused" for row in first):
                sent = route.w.sent_of(first[0])
                yield Hold(route, first[0], finished, route.w.sent[sent.place :])


def _is_held(hold: Hold, sent: SentView) -> bool:
    """Whether the output is still held when the event enters (the finishing event itself counts)."""
    if sent.place == hold.later[0].place:
        return True
    taken = [row for row in hold.route.kind("delivery") if row["outcome"] == "accepted"]
    before = not taken or not sent.rows or taken[0].pos >= sent.rows[0].pos
    return before and sent.before.state(hold.run) == "finished"


def checks_nothing(e: Evidence) -> str | None:
    """Why a held output cannot be spoken of under this adoption, None where it can."""
    if e.config.in_place:
        return "an in-place job is delivered by its change and never holds an output"
    return None


# -- held-output-retries-only-on-event ---------------------------------------------------------------------------------


@clause(HELD, 0)
def one_output_is_held_out_of_reach(e: Evidence) -> Iterator[Part]:
    reason = checks_nothing(e)
    if reason is not None:
        yield nothing(reason)
        return
    for hold in holdings(e):
        yield from _one_location(hold)
        yield from _inputs_spent(e, hold)
        yield from _stays_finished(e, hold)
    yield from own_log_faults(e)


def _one_location(hold: Hold) -> Iterator[Part]:
    """Held once, nowhere and out of reach; nothing but an acceptance makes it reachable."""
    rows = hold.route.w.rows("output-location", run=hold.run)
    held = [row for row in rows if row["change"] == "held"]
    if not held:
        missing = absent("output-location", f"the held output of run {hold.run}", len(rows), hold.refused)
        yield violated(missing, f"run {hold.run} is refused, and no row says that its output is held", hold.refused)
        return
    for again in held[1:]:
        yield violated(again, f"the output of run {hold.run} is held twice", held[0])
    if held[0]["location"] is not None or held[0]["accessible"]:
        yield violated(held[0], f"the held output of run {hold.run} is at {held[0]['location']} and can be reached")
    for row in rows:
        if row["output"] != held[0]["output"]:
            yield violated(row, f"run {hold.run} has the output {row['output']} beside {held[0]['output']}", held[0])
        elif row is not held[0] and row["change"] in ("accepted", "delivered") and not _taken(hold, row):
            yield violated(row, f"the held output of run {hold.run} is {row['change']} and no destination took it")
    yield holds(held[0])


def _taken(hold: Hold, row: LogRow) -> bool:
    """Whether an attempt in the row's batch took the output there."""
    tries = hold.route.kind("delivery")
    return any(
        each["outcome"] == "accepted" and each.batch == row.batch and each["destination"] == row["location"]
        for each in tries
    )


def _inputs_spent(e: Evidence, hold: Hold) -> Iterator[Part]:
    """Nothing is claimed any more, and nothing is claimed or given back later."""
    if e.config.timing is None:
        return
    left = dict(e.after(hold.finished).held(hold.run))
    later = [row for row in hold.route.w.rows("claim-ledger", run=hold.run) if row.pos > hold.finished.pos]
    spent = [row for row in settled(e, hold.finished, "claim-ledger") if row["change"] == "spend"]
    if left:
        yield violated(hold.finished, f"run {hold.run} is finished and still claims inputs", *spent)
    elif later:
        yield violated(later[0], f"the inputs of run {hold.run} move while its output is held", hold.finished)
    elif spent:
        yield holds(*spent)


def _stays_finished(e: Evidence, hold: Hold) -> Iterator[Part]:
    """Time and every other event leave it as it is: no attempt, no work, no report."""
    polled = any(row.polled for row in e.config.redeliveries)
    for sent in hold.later:
        if not _is_held(hold, sent):
            return
        for row in _repeated(e, hold, sent):
            yield violated(row, f"run {hold.run} is finished, and works on", hold.finished)
        tried = hold.tries(sent)
        if sent.kind == "tick" and polled:
            yield nothing("the system polls: a redelivery row fires in every tick")
        elif tried and not is_redelivery(sent):
            because = f"the output of run {hold.run} is tried by {sent.kind}, which is no redelivery event"
            yield violated(tried[0], because, hold.refused)
        elif not tried and sent is not hold.later[0] and not is_redelivery(sent):
            missing = absent("delivery-attempts", f"an attempt of run {hold.run} by {sent.kind}", near=hold.refused)
            yield holds(missing, hold.refused)


def _repeated(e: Evidence, hold: Hold, sent: SentView) -> list[LogRow]:
    rows = list(sent.rows_of("report-log", run=hold.run, report=("job-working", "job-started")))
    rows += sent.rows_of("report-log", run=hold.run, report="job-finished")
    if observed(e, "work-before-after"):
        rows += sent.rows_of("work-before-after", run=hold.run)
    return [row for row in rows if row.pos > hold.finished.pos]


@clause(HELD, 1)
def each_event_tries_the_normal_destination_again(e: Evidence) -> Iterator[Part]:
    reason = checks_nothing(e)
    if reason is not None:
        yield nothing(reason)
        return
    for hold in holdings(e):
        yield from attempt_faults(e, hold.route.w, hold.route.rooms, hold.route.rows)
        yield from _no_duplicate(e, hold)
        for row in hold.route.kind("delivery"):
            if row["outcome"] == "refused":
                yield from refusal_parts(e, hold.route, row)
        if e.config.redeliveries:
            yield from retries(e, hold, None)
        else:
            yield from _never_delivered(hold)


def _no_duplicate(e: Evidence, hold: Hold) -> Iterator[Part]:
    made = hold.route.w.rows("output-identity", run=hold.run, change="established")
    if observed(e, "output-identity") and len(made) > 1:
        yield violated(made[1], f"the output of run {hold.run} is made a second time", made[0])
    outputs = list(dict.fromkeys(row["output"] for row in hold.route.w.rows("output-location", run=hold.run)))
    if len(outputs) > 1:
        second = [row for row in hold.route.w.rows("output-location", run=hold.run) if row["output"] == outputs[1]]
        yield violated(second[0], f"run {hold.run} has two outputs: {outputs[0]} and {outputs[1]}")


def retries(e: Evidence, hold: Hold, row_id: str | None) -> Iterator[Part]:
    """Each redelivery event (of that row; None: of any) tries the held output once, from the normal destination."""
    for sent in hold.later:
        if not _is_held(hold, sent) or (sent is hold.later[0] and sent.kind != "tick"):
            continue
        owed = _owed_tries(e, sent, row_id)
        if owed == 0:
            continue
        if sent.outcome == SKIPPED:
            yield nothing(f"the system skips {sent.kind}: {sent.reason}")
            continue
        walks = _walks(hold, sent)
        if sent.outcome == "refused":
            yield violated(hold.refused, f"{sent.kind} is refused while the output of run {hold.run} is held")
        elif not walks and sent is hold.later[0]:
            continue  # it may have finished in this tick after the polling
        elif not walks:
            missing = absent("delivery-attempts", f"a retry of run {hold.run} by {sent.kind}", near=hold.refused)
            yield violated(missing, f"{sent.kind} does not try the held output of run {hold.run}", hold.refused)
        elif len(walks) > owed:
            yield violated(walks[owed][0], f"one event tries the output of run {hold.run} more than once", walks[0][0])
        else:
            yield from _from_the_normal(hold, walks)


def _owed_tries(e: Evidence, sent: SentView, row_id: str | None) -> int:
    """How many walks of a held output the event may bring: one, or one for each row that polls in a tick."""
    if sent.kind == "tick":
        polled = [row.id for row in e.config.redeliveries if row.polled]
        return len(polled) if row_id is None or row_id in polled else 0
    named = sent.kind == "redeliver" and row_id in (None, sent.event.get("row"))
    return 1 if named and is_declared_event(sent) else 0


def _walks(hold: Hold, sent: SentView) -> list[list[LogRow]]:
    found: dict[int | None, list[LogRow]] = {}
    for row in hold.tries(sent):
        found.setdefault(row.batch, []).append(row)
    return list(found.values())


def _from_the_normal(hold: Hold, walks: list[list[LogRow]]) -> Iterator[Part]:
    for walk in walks:
        if walk[0]["position"] != 0:
            where = walk[0]["destination"]
            yield violated(walk[0], f"the retry of run {hold.run} begins at {where}, not at its normal destination")
        else:
            yield holds(walk[0], hold.refused)


def _never_delivered(hold: Hold) -> Iterator[Part]:
    """Without a redelivery event the output is held for good."""
    delivered = hold.route.w.reports("job-delivered", run=hold.run)
    if delivered:
        because = f"run {hold.run} is delivered, and no redelivery event is declared"
        yield violated(delivered[0], because, hold.refused)
    else:
        yield holds(absent("report-log", f"job-delivered of run {hold.run}", near=hold.refused), hold.refused)


@clause(HELD, 2)
def the_retry_that_succeeds_delivers_once(e: Evidence) -> Iterator[Part]:
    reason = checks_nothing(e)
    if reason is not None:
        yield nothing(reason)
        return
    if not e.config.redeliveries:
        yield nothing("no redelivery event is declared, so no retry is made")
        return
    for hold in holdings(e):
        taken = [row for row in hold.route.kind("delivery") if row["outcome"] == "accepted"]
        for row in taken[:1]:
            yield from accepted_parts(e, hold.route, row)
            yield from _delivered_once(e, hold, row)


def _delivered_once(e: Evidence, hold: Hold, taken: LogRow) -> Iterator[Part]:
    delivered = hold.route.w.reports("job-delivered", run=hold.run)
    placed = [
        row
        for row in hold.route.w.rows("output-location", run=hold.run)
        if row["change"] in ("accepted", "delivered") and row.pos > taken.pos
    ]
    if len(delivered) > 1:
        yield violated(delivered[1], f"run {hold.run} is delivered twice", delivered[0])
    elif not placed or placed[0]["location"] != taken["destination"] or not placed[0]["accessible"]:
        missing = absent("output-location", f"the output of run {hold.run} at {taken['destination']}", near=taken)
        first = placed[0] if placed else missing
        yield violated(first, f"{taken['destination']} took the output of run {hold.run}, which is not there", taken)
    elif len(placed) > 1:
        yield violated(placed[1], f"the output of run {hold.run} arrives twice", placed[0])
    else:
        yield holds(placed[0], *delivered)


@clause("held-output-needs-a-redelivery-event", 0)
def a_held_output_declares_a_redelivery_event(e: Evidence) -> Iterator[Part]:
    yield from existence(e, "output-full", "hold-undelivered", "redelivery-events")


# -- redelivery-event-pairs-with-retry-answer --------------------------------------------------------------------------


@clause(PAIRS, 0)
def a_redelivery_row_is_legal_only_where_outputs_are_retried(e: Evidence) -> Iterator[Part]:
    yield from in_force([pairing(e, "output-full", *LEGAL)], not_retrying(e))


@clause(PAIRS, 1)
def only_the_event_retries_the_same_output(e: Evidence) -> Iterator[Part]:
    if answered(e, "output-full") not in LEGAL or e.row is None:
        yield nothing("output-full is an answer that retries nothing")
        return
    for hold in holdings(e):
        yield from attempt_faults(e, hold.route.w, hold.route.rooms, hold.route.rows)
        yield from retries(e, hold, e.row.id)
        yield from _only_on_events(e, hold)
        yield from _same_output(e, hold)
    yield from own_log_faults(e)


def _only_on_events(e: Evidence, hold: Hold) -> Iterator[Part]:
    for sent in hold.later[1:]:
        tried = hold.tries(sent)
        if _is_held(hold, sent) and tried and not is_redelivery(sent):
            because = f"the output of run {hold.run} is tried by {sent.kind}, which is no redelivery event"
            yield violated(tried[0], because, hold.refused)
        for row in _repeated(e, hold, sent):
            yield violated(row, f"run {hold.run} is finished, and works on", hold.finished)


def _same_output(e: Evidence, hold: Hold) -> Iterator[Part]:
    rows = hold.route.w.rows("output-identity", run=hold.run)
    made = [row for row in rows if row["change"] == "established"]
    if not made:
        missing = absent("output-identity", f"the output of run {hold.run}", len(rows), hold.finished)
        yield violated(missing, f"run {hold.run} finishes and no output is established", hold.finished)
        return
    for row in rows:
        if row["output"] != made[0]["output"] or (row is not made[0] and row["change"] == "established"):
            yield violated(row, f"run {hold.run} made {made[0]['output']}, and {row['output']} appears", made[0])
            return
    delivered = hold.route.w.reports("job-delivered", run=hold.run)
    given = [row for row in rows if row["change"] == "delivered"]
    if len(given) != len(delivered):
        missing = absent("output-identity", f"the delivery of the output of run {hold.run}", near=hold.finished)
        first = given[1] if len(given) > 1 else (given[0] if given else missing)
        yield violated(first, f"run {hold.run} is delivered {len(delivered)} times, its output {len(given)} times")
    elif hold.route.kind("delivery")[1:]:
        yield holds(made[0], *given)
