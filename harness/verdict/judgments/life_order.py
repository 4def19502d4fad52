"""The judgment on the whole life of every run: the order of settlement, row by row (template `lifecycle-holds`).

The log of the first ordering violation is read, and not trusted: state trace, claim ledger and reports are gone
through here again, by rules of this module's own, so that the judgment stands where one of the four is false.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, SentView, WorldView, all_rows
from harness.verdict.judgments.life_agreement import TERMINAL, TOLD, report_wrongs
from harness.verdict.judgments.pools_common import Wrong, skipped, wrongs
from harness.verdict.judgments.reports_agreement import ledger_disagrees, states_disagree
from harness.verdict.parts import Part, absent, holds, violated

FIRST = "first-ordering-violation"
WATCHED = ("state-trace", "claim-ledger", "report-log")

#: The forward path and the side paths: where each state may lead.
PATHS: Mapping[str, frozenset[str]] = {
    "requested": frozenset({"waiting", "started", "canceled"}),
    "waiting": frozenset({"started", "stopped", "canceled", "failed"}),
    "started": frozenset({"working", "finished", "stopped"}),
    "working": frozenset({"finished", "stopped", "canceled", "failed"}),
    "stopped": frozenset({"waiting", "working", "started", "canceled", "failed"}),
    "finished": frozenset({"delivered", "failed"}),
}


@clause("lifecycle-holds", 0)
def one_transition_settles_at_a_time_along_the_paths(e: Evidence) -> Iterator[Part]:
    """No order is broken in any world: the log of violations is empty, and the three logs bear it out."""
    yield from wrongs(report_wrongs(e))
    for w in e.worlds:
        yield from wrongs(settlement_wrongs(w))
        yield from wrongs(path_wrongs(w))
        yield from wrongs(_instant_wrongs(w))
        yield from wrongs(states_disagree(w))
        yield from wrongs(ledger_disagrees(w))
        if w.reports():
            none = absent(FIRST, f"a row of world {w.number}", len(w.rows(FIRST)))
            yield holds(none, w.reports()[-1])
    yield from _logged(e)
    yield from skipped(e)


def _logged(e: Evidence) -> Iterator[Part]:
    """Each logged violation, shown by the row that it points at."""
    for row in e.rows(FIRST):
        pointed = [each for each in all_rows(e, str(row["log"])) if each.seq == row["at"] and each.world == row.world]
        yield violated((pointed or [row])[0], f"{row['rule']}: {row['detail']}", row)


# -- one transition at a time -----------------------------------------------------------------------------------------


def watched(w: WorldView, rows: Sequence[LogRow]) -> list[LogRow]:
    """The rows of the three logs among these."""
    w.evidence.touch(*WATCHED)
    return [row for row in rows if row.log in WATCHED]


def settlement_wrongs(w: WorldView) -> Iterator[Wrong]:
    """Settles and batches that come apart, mix runs, or hold more than one transition."""
    settle = batch = moment = 0
    for sent in w.sent:
        earlier = batch
        rows = watched(w, sent.rows)
        for row in rows:
            if row.settle is None:
                yield row, "the row belongs to no settle"
            elif row.settle < settle:
                yield row, f"settle {row.settle} goes on after settle {settle} began"
            if row.batch is not None and (row.batch < batch or row.batch <= earlier):
                yield row, f"batch {row.batch} goes on after another event, or another batch, began"
            if row.moment < moment or row.moment != _moment(sent):
                yield row, f"the row has moment {row.moment}, its event settles at moment {_moment(sent)}"
            settle, batch = max(settle, row.settle or 0), max(batch, row.batch or 0)
            moment = max(moment, row.moment)
        yield from _inside_settles(rows)


def _moment(sent: SentView) -> int:
    return sent.moment + (sent.kind == "tick" and sent.outcome == "accepted")


def _inside_settles(rows: list[LogRow]) -> Iterator[Wrong]:
    settles: dict[int, list[LogRow]] = {}
    for row in rows:
        if row.settle is not None:
            settles.setdefault(row.settle, []).append(row)
    for settle in settles.values():
        yield from _one_settle(settle)


def _one_settle(rows: list[LogRow]) -> Iterator[Wrong]:
    for row in rows:
        if (row.run, row.batch) != (rows[0].run, rows[0].batch):
            yield row, f"a row of {row.run} in batch {row.batch}, inside a settle of {rows[0].run}"
    moves = [row for row in rows if row.log == "state-trace"]
    for row in moves[1:]:
        yield row, f"{row.run} makes a second transition in one settle"
    reports = [row for row in rows if row.log == "report-log"]
    if any(row["report"] == "job-requested" for row in reports) and len(rows) > 1:
        yield rows[1], "more than job-requested in its settle"
    for row in rows:
        if row.log == "claim-ledger" and any(each.pos < row.pos for each in reports):
            yield row, f"the {row['change']} comes after the report of its transition"
    for report in reports:
        if report["report"] == "job-requested" and report.batch is not None:
            yield report, "job-requested belongs to no batch"


# -- the paths --------------------------------------------------------------------------------------------------------


def path_wrongs(w: WorldView) -> Iterator[Wrong]:
    """Moves and reports off the paths, before the request, or after the end."""
    states: dict[str | None, str] = {}
    over: dict[str | None, int | None] = {}
    for sent in w.sent:
        for row in watched(w, sent.rows):
            if row.run in over and (row.settle is None or row.settle != over[row.run]):
                yield row, f"a row of {row.run}, which has ended"
            elif row.log == "state-trace":
                yield from _move(row, states)
            elif row.log == "report-log":
                yield from _told(row, states, sent)
            _note_end(row, over)


def _note_end(row: LogRow, over: dict[str | None, int | None]) -> None:
    rejected = row.log == "report-log" and row["report"] == "job-rejected"
    if rejected or row.get("to" if row.log == "state-trace" else "new") in TERMINAL:
        over.setdefault(row.run, row.settle)


def _move(row: LogRow, states: dict[str | None, str]) -> Iterator[Wrong]:
    old, new = row["from"], row["to"]
    if row.run not in states:
        yield row, f"{row.run} moves before it was requested"
    elif new not in PATHS.get(old, frozenset()):
        yield row, f"no path leads {row.run} from {old} to {new}"
    states[row.run] = new


def _told(row: LogRow, states: dict[str | None, str], sent: SentView) -> Iterator[Wrong]:
    report, old, new = row["report"], row["old"], row["new"]
    olds, news = TOLD.get(report, (frozenset(), frozenset()))
    if report == "job-requested":
        states.setdefault(row.run, "requested")
    elif row.run not in states:
        yield row, f"{report} of {row.run}, which was not requested"
    elif old == new and states[row.run] != new:
        yield row, f"{report} tells that {row.run} is {new}, it is {states[row.run]}"
    if old not in olds or new not in news:
        yield row, f"{report} never tells of {old} to {new}"


# -- instant starts ---------------------------------------------------------------------------------------------------


def _instant_wrongs(w: WorldView) -> Iterator[Wrong]:
    """A start without work finishes, and is delivered where its destination accepts, in one batch of one event."""
    for finish in w.reports("job-finished", old="started"):
        begun = [row for row in w.reports(("job-started", "job-resumed"), run=finish.run) if row.pos < finish.pos]
        if begun and _apart(w, begun[-1], finish):
            yield finish, f"{finish.run} starts in batch {begun[-1].batch} and finishes in batch {finish.batch}"
        for delivery in w.reports("job-delivered", run=finish.run, causes=["accepted"]):
            refused = [row for row in w.reports("destination-refused", run=finish.run) if row.pos < delivery.pos]
            if _apart(w, finish, delivery) and not any(row.batch == finish.batch for row in refused):
                yield delivery, f"{finish.run} finishes in batch {finish.batch}, is delivered in {delivery.batch}"


def _apart(w: WorldView, first: LogRow, second: LogRow) -> bool:
    return first.batch != second.batch or w.sent_of(first).place != w.sent_of(second).place
