"""Judgments on requests that wait before admission for reserved room."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from harness.run.recording import SKIPPED, LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.judgments.declared_events import is_declared_event
from harness.verdict.judgments.delivery_room import Rooms, capacity, target_of
from harness.verdict.judgments.failures_settles import settled
from harness.verdict.judgments.outputs_logs import own_log_faults
from harness.verdict.parts import Part, absent, holds, nothing, violated

TEMPLATE = "pre-start-reservation-blocks-admission"
LEDGER = "reservation-ledger"
ADMITTED = ("job-waiting", "job-started")


class Block(NamedTuple):
    """A request without room: its first refused row, and the events after the one that it stands in."""

    w: WorldView
    run: str
    refused: LogRow
    later: tuple[SentView, ...]


def checks_nothing(e: Evidence) -> str | None:
    """Why the whole test checks nothing, None where some request can be blocked."""
    if e.config.in_place:
        return "an in-place job has no destination whose room could be reserved"
    normal = [job.destination for job in e.config.jobs if job.destination is not None]
    places = [None, *(place for pool in e.config.pools for place in pool.places)]
    names = [name.replace("{place}", place) if place else name for name in normal for place in places]
    if all(capacity(e.config, name) is None for name in names):
        return "the normal destination always has room, so no request is ever blocked"
    return None


def blocks(e: Evidence) -> Iterator[Block]:
    """Every run whose reservation was refused at least once."""
    for w in e.worlds:
        for run in w.runs:
            refused = w.rows(LEDGER, run=run, change="refused")
            if refused:
                sent = w.sent_of(refused[0])
                yield Block(w, run, refused[0], w.sent[sent.place + 1 :])


def _retries(e: Evidence, sent: SentView) -> bool:
    """Whether the event is one that a declared readmission row makes a retry: its own, or a polled tick."""
    if sent.kind == "readmit":
        return is_declared_event(sent)
    return sent.kind == "tick" and any(row.polled for row in e.config.readmissions)


# -- requested until the event -----------------------------------------------------------------------------------------


@clause(TEMPLATE, 0)
def a_blocked_request_waits_for_its_event(e: Evidence) -> Iterator[Part]:
    reason = checks_nothing(e)
    if reason is not None:
        yield nothing(reason)
        return
    for block in blocks(e):
        yield from _stays_requested(block)
        for sent in block.later:
            if _has_left(sent, block.run):
                break
            yield from _event(e, block, sent)
    yield from _admitted_without_room(e)
    yield from own_log_faults(e)


def _stays_requested(block: Block) -> Iterator[Part]:
    """Within the event that blocks it: no admission, no work, no claim."""
    sent, run = block.w.sent_of(block.refused), block.run
    moved = _moves(sent, run, block.refused.pos)
    if moved:
        yield violated(moved[0], f"run {run} has no room for its output, and goes on", block.refused)
    else:
        yield holds(block.refused)


def _moves(sent: SentView, run: str, after: int = -1) -> list[LogRow]:
    """What a blocked run must not do: a state change, a claim, or a report of its admission."""
    rows = [*sent.rows_of("state-trace", run=run), *sent.rows_of("claim-ledger", run=run)]
    rows += sent.rows_of("report-log", run=run, report=(*ADMITTED, "job-working", "job-finished"))
    return sorted((row for row in rows if row.pos > after), key=lambda row: row.pos)


def _has_left(sent: SentView, run: str) -> bool:
    return sent.before.state(run) != "requested" or sent.before.ended(run)


def _event(e: Evidence, block: Block, sent: SentView) -> Iterator[Part]:
    run, tried = block.run, sent.rows_of(LEDGER, run=block.run, change=("refused", "reserve"))
    moved = _moves(sent, run)
    if sent.outcome == SKIPPED:
        yield nothing(f"the system skips {sent.kind}: {sent.reason}")
    elif sent.kind in ("cancel", "fail", "admit") and sent.event.get("run") == run:
        return
    elif not _retries(e, sent):
        for row in (*tried, *moved)[:1]:
            yield violated(
                row, f"run {run} is tried again by {sent.kind}, which is no readmission event", block.refused
            )
        if not tried and not moved:
            yield holds(absent("state-trace", f"a move of run {run} by {sent.kind}", near=block.refused), block.refused)
    elif sent.outcome == "refused":
        yield violated(block.refused, f"{sent.kind} is refused while run {run} is blocked: {sent.reason}")
    elif not tried:
        missing = absent(LEDGER, f"a retry of run {run} by {sent.kind}", near=block.refused)
        yield violated(missing, f"{sent.kind} does not try run {run} again", block.refused)
    else:
        yield from _retried(sent, run, tried[-1], moved)


def _retried(sent: SentView, run: str, last: LogRow, moved: list[LogRow]) -> Iterator[Part]:
    if last["change"] == "refused":
        if moved:
            yield violated(moved[0], f"run {run} has no room for its output, and goes on", last)
        else:
            yield holds(last)
        return
    reports = sent.rows_of("report-log", run=run, report=(*ADMITTED, "job-rejected"))
    if not reports:
        missing = absent("report-log", f"the admission of run {run}", near=last)
        yield violated(missing, f"run {run} has reserved its room and is not admitted", last)
    elif reports[0].pos < last.pos:
        yield violated(reports[0], f"run {run} is admitted before its room is reserved", last)
    else:
        yield holds(last, reports[0])


def _admitted_without_room(e: Evidence) -> Iterator[Part]:
    """No run waits or starts without its whole output being reserved."""
    for report in e.reports(ADMITTED, old="requested"):
        reserved = e.at(report).reserved(str(report.run))
        kept = e.world_of(report).rows(LEDGER, run=report.run, change="reserve")
        if not any(row.pos < report.pos for row in kept) or reserved < 1:
            missing = absent(LEDGER, f"the room reserved for run {report.run}", len(kept), report)
            yield violated(missing, f"run {report.run} is admitted and holds no reserved room", report)


# -- reserved whole, and held ------------------------------------------------------------------------------------------


@clause(TEMPLATE, 1)
def room_is_reserved_whole_and_held_through_delivery(e: Evidence) -> Iterator[Part]:
    reason = checks_nothing(e)
    if reason is not None:
        yield nothing(reason)
        return
    for w in e.worlds:
        rooms = Rooms(e, w)
        yield from _arithmetic(e, w, rooms)
        for run in w.runs:
            yield from _held_through(e, w, run)


def _arithmetic(e: Evidence, w: WorldView, rooms: Rooms) -> Iterator[Part]:
    """Each row of the ledger names the whole output, and what is reserved and free once it is done."""
    reserved: dict[str, dict[str, int]] = {}
    for row in w.rows(LEDGER):
        run, where, target = str(row.run), row["destination"], target_of(e, w, str(row.run))
        if target is None or where != target.route[0] or row["amount"] != target.job.size:
            size = target.job.size if target is not None else None
            yield violated(row, f"run {run}: {row['change']} of {row['amount']} at {where}; its output is {size}")
            continue
        mine = reserved.setdefault(where, {})
        if (row["change"] == "reserve" and run in mine) or (row["change"] in ("use", "release") and run not in mine):
            yield violated(row, f"run {run}: {row['change']}, and it has {mine.get(run, 0)} reserved at {where}")
        if row["change"] == "reserve":
            mine[run] = row["amount"]
        elif row["change"] in ("use", "release"):
            mine.pop(run, None)
        free = _free_after(w, rooms, row)
        if row["reserved-after"] != sum(mine.values()):
            yield violated(
                row, f"{sum(mine.values())} is reserved at {where}, and the row says {row['reserved-after']}"
            )
        elif row["free-after"] != free:
            yield violated(row, f"{free} is free at {where}, and the row says {row['free-after']}")


def _free_after(w: WorldView, rooms: Rooms, row: LogRow) -> int | None:
    """The free room at the row's destination once its settle is over."""
    sent = w.sent_of(row)
    known = [each for each in sent.rows if each.pos in rooms.after]
    same = [each for each in known if row.settle is not None and each.settle == row.settle]
    earlier = [each for each in known if each.pos < row.pos]
    if same:
        return rooms.after[same[-1].pos].free.get(row["destination"])
    if earlier:
        return rooms.after[earlier[-1].pos].free.get(row["destination"])
    later = [each for each in known if each.pos > row.pos]
    return rooms.before[later[0].pos].free.get(row["destination"]) if later else row["free-after"]


def _held_through(e: Evidence, w: WorldView, run: str) -> Iterator[Part]:
    """From one reservation, made before the admission, to the delivery or another end of the run."""
    rows = w.rows(LEDGER, run=run)
    made = [row for row in rows if row["change"] == "reserve"]
    given = [row for row in rows if row["change"] in ("use", "release")]
    if not made:
        return
    for again in made[1:]:
        yield violated(again, f"run {run} reserves room twice", made[0])
    ends = [row for row in w.reports(run=run) if _ends(row)]
    if not ends:
        for row in given:
            yield violated(row, f"run {run} has not ended, and its reserved room is given up", made[0])
        if not given:
            yield holds(made[0])
        return
    owed = "use" if ends[0]["report"] == "job-delivered" else "release"
    mine = [row for row in settled(e, ends[0], LEDGER) if row["change"] == owed]
    if not mine:
        missing = absent(LEDGER, f"the {owed} of the room of run {run}", len(rows), ends[0])
        first = given[0] if given else missing
        yield violated(first, f"run {run} does not hold its reserved room until {ends[0]['report']}", made[0], ends[0])
    else:
        yield holds(made[0], mine[0], ends[0])


def _ends(row: LogRow) -> bool:
    return row["report"] in ("job-delivered", "job-canceled", "job-rejected") or row["new"] == "failed"


# -- without a readmission event ---------------------------------------------------------------------------------------


@clause(TEMPLATE, 2)
def without_an_event_a_request_never_leaves_requested(e: Evidence) -> Iterator[Part]:
    reason = checks_nothing(e)
    if reason is not None:
        yield nothing(reason)
        return
    if e.adoption.rows("readmission-events"):
        yield nothing("the adoption declares a readmission event")
        return
    for block in blocks(e):
        moves = [row for row in block.w.rows("state-trace", run=block.run) if row["to"] != "canceled"]
        if moves:
            because = f"run {block.run} leaves requested, and no readmission event is declared"
            yield violated(moves[0], because, block.refused)
        else:
            yield holds(block.refused)
