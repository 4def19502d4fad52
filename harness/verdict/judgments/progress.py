"""Rounding rules: progress-rounding-rule-pairs-with-progress and progress-needs-a-rounding-rule."""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.lifecycle.config import Rounding
from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.answers_in_force import in_force, not_with_progress
from harness.verdict.judgments.progress_declared import answers_with, declares_some, pairing
from harness.verdict.judgments.progress_shares import (
    Amounts,
    Terms,
    amounts_text,
    highest,
    missing,
    next_point,
    resume_share,
    rounding_for,
    start_share,
    terms_of,
    tick_share,
)
from harness.verdict.judgments.stops_records import judged, number, of_log, settle_rows
from harness.verdict.judgments.stops_rows import ledger_faults, reported_units_faults, work_chain_faults
from harness.verdict.parts import Part, Violated, absent, nothing, violated

_PAIRS = "progress-rounding-rule-pairs-with-progress"
_FLAG, _ANSWER = "input-claim-timing", "with-progress"


def _never_chosen(e: Evidence) -> bool:
    """Whether every job is taken by an earlier rounding rule, so that this row decides nothing."""
    return e.row is not None and all(_rule_id(rounding_for(e.config, job.id)) != e.row.id for job in e.config.jobs)


def _rule_id(rule: Rounding | None) -> str | None:
    return rule.id if rule is not None else None


_UNUSED = "an earlier row is for every job that this row is for, so it is never chosen"


@clause(_PAIRS, 0)
def a_rounding_rule_is_legal_only_under_progress_claiming(e: Evidence) -> Iterator[Part]:
    """The row beside any other answer makes the adoption invalid, and so does an answer that the runs don't show."""
    if e.row is None:
        return
    if answers_with(e, _FLAG, _ANSWER) and _never_chosen(e):
        yield nothing(_UNUSED)
    else:
        yield from in_force(pairing(e, e.row, _FLAG, _ANSWER), not_with_progress(e))


@clause(_PAIRS, 1)
def the_rounding_rule_decides_every_share(e: Evidence) -> Iterator[Part]:
    """At each start, work point and resume the run holds the share that the cited rule rounds to."""
    if not answers_with(e, _FLAG, _ANSWER):
        yield nothing(f"{_FLAG} is not {_ANSWER}, so no rounding rule is consulted")
    elif _never_chosen(e):
        yield nothing(_UNUSED)
    elif not e.config.phases:
        yield nothing("without a work phase the share is the whole requirement, whatever the rule says")
    else:
        for w in e.worlds:
            for run in w.runs:
                terms = terms_of(w, run)
                if terms is not None and _rule_id(terms.rounding) == getattr(e.row, "id", None) and terms.whole:
                    yield from _judge_run(w, terms)


def _judge_run(w: WorldView, terms: Terms) -> Iterator[Part]:
    run = terms.run
    ledger = w.rows("claim-ledger", run=run)
    work = w.rows("work-before-after", run=run)
    faults = [*work_chain_faults(w, run), *ledger_faults(w, run, ledger)]
    for report in w.life(run):
        faults.extend(reported_units_faults(w, report))
    faults.extend(_start_faults(w, terms))
    for row in work:
        if row["why"] == "advance":
            faults.extend(_point_faults(w, terms, row))
        elif row["why"] == "resume":
            faults.extend(_resume_faults(w, terms, row))
    faults.extend(_tick_faults(w, terms))
    shown = [row for row in work if row["why"] == "advance"]
    if shown or faults:
        yield from judged(faults, *(row for row in ledger if row["change"] == "claim"), *shown)


def _held_is(w: WorldView, row: LogRow, terms: Terms, wanted: Amounts, point: str) -> Iterator[Violated]:
    """A fault where the run does not hold exactly this share after the row's settle."""
    rows = settle_rows(w, row)
    held = w.snapshot(rows[-1], before=False).held(terms.run)
    if dict(held) != dict(wanted):
        rule = terms.rounding.id if terms.rounding else "the rule"
        because = f"{terms.run} holds {amounts_text(held)} {point}; {rule} makes it {amounts_text(wanted)}"
        claims = of_log(rows, "claim-ledger", terms.run)
        yield violated((*claims, row)[0], because, row)


def _start_faults(w: WorldView, terms: Terms) -> Iterator[Violated]:
    for report in w.reports("job-started", run=terms.run):
        before = w.snapshot(settle_rows(w, report)[0], before=True).held(terms.run)
        yield from _held_is(w, report, terms, highest(before, start_share(terms)), "at its start")


def _point_faults(w: WorldView, terms: Terms, row: LogRow) -> Iterator[Violated]:
    if number(row["after"]) != next_point(terms, number(row["before"])):
        yield violated(row, f"a tick took the work of {terms.run} from {row['before']} to {row['after']}")
        return
    # What the finish spends in the same settle is held at this point all the same.
    before = w.snapshot(settle_rows(w, row)[0], before=True).held(terms.run)
    wanted = highest(before, tick_share(terms, number(row["after"])))
    yield from _held_is(w, row, terms, wanted, f"at work {row['after']}")


def _resume_faults(w: WorldView, terms: Terms, row: LogRow) -> Iterator[Violated]:
    before = w.snapshot(settle_rows(w, row)[0], before=True).held(terms.run)
    wanted = highest(before, resume_share(terms, number(row["after"]), at_finish_gate=False))
    yield from _held_is(w, row, terms, wanted, f"when it resumes at work {row['after']}")


def _tick_faults(w: WorldView, terms: Terms) -> Iterator[Violated]:
    """A tick that found the run working recorded the next point, unless its share could not be had."""
    run = terms.run
    for sent in w.events("tick"):
        if sent.before.state(run) != "working" or sent.rows_of("work-before-after", run, why="advance"):
            continue
        stopped = sent.rows_of("report-log", run, report="job-stopped")
        target = tick_share(terms, next_point(terms, sent.before.work(run)))
        lack = missing(target, sent.before.held(run))
        at = w.snapshot(settle_rows(w, stopped[0])[0], before=True) if stopped else sent.before
        if not stopped:
            gone = absent("work-before-after", f"a tick's work of {run}", near=sent.rows[-1] if sent.rows else None)
            yield violated(gone, f"{run} was working at moment {sent.moment} and the tick left no trace of it")
        elif all(amount <= at.usable(*unit) for unit, amount in lack.items()):
            yield violated(stopped[0], f"{run} stopped although its next share, {amounts_text(lack)} more, was usable")


@clause("progress-needs-a-rounding-rule", 0)
def progress_claiming_declares_a_rounding_rule(e: Evidence) -> Iterator[Part]:
    """Without a row the adoption is invalid."""
    yield from declares_some(e, "progress-rounding-rules", _FLAG, _ANSWER)
