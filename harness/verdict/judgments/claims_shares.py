"""Claims of one run settle by settle, the merged order of a batch, and the start gate that was short."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.admission_asked import Asked, Units, first_of_settle, lacking, reserves, units_text
from harness.verdict.judgments.admission_events import Breach
from harness.verdict.parts import absent

#: The reports that answer an admission at the start gate.
ANSWERS = ("job-waiting", "job-started", "job-rejected")


def claims_by_settle(w: WorldView, run: str) -> list[tuple[LogRow, ...]]:
    """The run's claim rows, grouped by settle, in order."""
    groups: dict[int | None, list[LogRow]] = {}
    for row in w.rows("claim-ledger", run, change="claim"):
        groups.setdefault(row.settle, []).append(row)
    return [tuple(rows) for rows in groups.values()]


def order_disagrees(w: WorldView) -> Iterator[Breach]:
    """report-order against the claim ledger and report-log: one row for each claim change and report of a batch."""
    due: dict[int, list[LogRow]] = {}
    told: dict[int, list[LogRow]] = {}
    merged = sorted((*w.rows("claim-ledger"), *w.reports()), key=lambda row: row.pos)
    for groups, rows in ((due, merged), (told, list(w.rows("report-order")))):
        for row in rows:
            if row.batch is not None:
                groups.setdefault(row.batch, []).append(row)
    for batch in sorted({*due, *told}):
        yield from _batch_differs(batch, due.get(batch, []), told.get(batch, []))


def _batch_differs(batch: int, due: list[LogRow], told: list[LogRow]) -> Iterator[Breach]:
    for at, (row, wanted) in enumerate(zip(told, due, strict=False), start=1):
        what, column = ("report", "report") if wanted.log == "report-log" else ("claim-change", "change")
        if (row["position"], row["what"], row["name"], row.run) != (at, what, wanted[column], wanted.run):
            said = f"{row['position']} {row['name']} of {row.run}"
            yield row, f"batch {batch} has {at} {wanted[column]} of {wanted.run} there, report-order says {said}"
            return
    if len(told) > len(due):
        yield told[len(due)], f"report-order has a row in batch {batch} that no claim change or report brought"
    elif len(told) < len(due):
        wanted = due[len(told)]
        name = wanted["report" if wanted.log == "report-log" else "change"]
        missing = absent("report-order", f"{name} of {wanted.run} in batch {batch}", len(told), wanted)
        yield missing, f"report-order does not tell of {name} of {wanted.run}"


# -- the start gate -----------------------------------------------------------------------------------------------


def answer_of(w: WorldView, asked: Asked) -> LogRow | None:
    """The report that answered the run's admission at its start gate; None for one that did not get there.

    A refusal for missing inputs in the event of the request is the availability check's and not the gate's.
    """
    for report in w.reports(ANSWERS, asked.run):
        if report["report"] != "job-rejected" or report["old"] == "requested":
            check = "missing-inputs" in report["causes"] and w.sent_of(report).place == asked.sent.place
            return None if report["report"] == "job-rejected" and check else report
    return None


def gate_answers_are_wrong(
    e: Evidence, w: WorldView, asked: Asked, needed: Units
) -> tuple[LogRow | None, Units, list[Breach]]:
    """The answer at the start gate, what of `needed` was not usable then, and what is wrong with the answer."""
    answer = answer_of(w, asked)
    if answer is None:
        return None, {}, list(_unanswered(e, w, asked))
    short = lacking(e, needed, first_of_settle(e, answer))
    return answer, short, list(_answer_is_wrong(e, w, asked, answer, short))


def _answer_is_wrong(e: Evidence, w: WorldView, asked: Asked, answer: LogRow, short: Units) -> Iterator[Breach]:
    name, causes, run = answer["report"], answer["causes"], asked.run
    if name == "job-started" and short:
        yield answer, f"{run} starts although {units_text(short)} is lacking at its start gate"
    elif name == "job-waiting" and short and "inputs-unavailable" not in causes:
        yield answer, f"{run} waits without inputs-unavailable although {units_text(short)} is lacking"
    elif name == "job-waiting" and not short and "inputs-unavailable" in causes:
        yield answer, f"{run} waits with inputs-unavailable although the start gate's units are usable"
    elif name == "job-rejected" and causes != ["job-limit-full"]:
        yield answer, f"{run} is refused at its start gate with {', '.join(causes)}, not with job-limit-full"
    elif name == "job-rejected":
        yield from refusal_is_wrong(e, w, asked, answer)


def refusal_is_wrong(e: Evidence, w: WorldView, asked: Asked, answer: LogRow) -> Iterator[Breach]:
    """A refusal with job-limit-full although the waiting limit is not full, or that keeps a claim or a reservation."""
    pool, limit = asked.pool, asked.pool.waiting if asked.pool is not None else None
    before = e.at(first_of_settle(e, answer))
    waiting = [
        run
        for run in before.in_state("waiting")
        if (before.pool(run), before.place(run)) == (pool.id if pool is not None else None, asked.place)
    ]
    if limit is None or len(waiting) < limit:
        yield answer, f"{asked.run} is refused with job-limit-full while {len(waiting)} wait and the limit is {limit}"
    if e.after(answer).held(asked.run):
        yield answer, f"{asked.run} is refused and holds {units_text(e.after(answer).held(asked.run))}"
    if reserves(e, asked):
        yield from _kept_reservation(w, asked, answer)


def _kept_reservation(w: WorldView, asked: Asked, answer: LogRow) -> Iterator[Breach]:
    rows = w.rows("reservation-ledger", asked.run)
    reserved = [row for row in rows if row["change"] == "reserve" and row.pos < answer.pos]
    released = [row for row in rows if row["change"] == "release" and row.settle == answer.settle]
    if not reserved:
        yield (
            absent("reservation-ledger", f"the reservation of {asked.run}", len(rows), answer),
            (f"{asked.run} was refused with job-limit-full without having reserved its output"),
        )
    elif not released or released[0]["amount"] != reserved[-1]["amount"]:
        missing = absent("reservation-ledger", f"the release of {asked.run}", len(rows), answer)
        yield released[0] if released else missing, f"the refusal of {asked.run} does not release its reservation"


def _unanswered(e: Evidence, w: WorldView, asked: Asked) -> Iterator[Breach]:
    """An admission that brought no answer, where the reservation cannot be what stopped it."""
    if reserves(e, asked) or w.reports(("job-rejected", "job-canceled"), asked.run):
        return
    admitted = w.events("admit", run=asked.run) if asked.is_paused else (asked.sent,)
    if admitted:
        near = admitted[0].rows[0] if admitted[0].rows else asked.report
        yield (
            absent("report-log", f"the answer to the admission of {asked.run}", 1, near),
            (f"{asked.run} was neither started nor left waiting nor refused"),
        )
