"""Reversing work: reversal-rule-pairs-with-reversing-work, reversing-work-needs-a-reversal-rule."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence
from harness.verdict.judgments.answers_in_force import in_force, not_reversing
from harness.verdict.judgments.progress_declared import answers_with, declares_some, pairing
from harness.verdict.judgments.stops_records import ORDINARY, all_stops, judged, number, only, supplied
from harness.verdict.judgments.stops_reversal_falls import Fall, falls, reversal_for
from harness.verdict.parts import Part, Violated, absent, nothing, violated

_PAIRS = "reversal-rule-pairs-with-reversing-work"
_FLAG, _ANSWER = "partial-work", "reverse-while-stopped"


def _row_falls(e: Evidence) -> Iterator[Fall]:
    for stop in all_stops(e, ORDINARY):
        for fall in falls(stop):
            if e.row is not None and fall.rule.id == e.row.id:
                yield fall


def _out_of_play(e: Evidence) -> str | None:
    """Why this row is not consulted at all, None where it is."""
    if not answers_with(e, _FLAG, _ANSWER):
        return f"{_FLAG} is not {_ANSWER}, so no reversal rule is consulted"
    return _UNUSED if _never_chosen(e) else None


def _never_chosen(e: Evidence) -> bool:
    rules = (reversal_for(e.config, job.id) for job in e.config.jobs)
    return e.row is not None and all(rule is None or rule.id != e.row.id for rule in rules)


_UNUSED = "an earlier row is for every job that this row is for, so it is never chosen"


@clause(_PAIRS, 0)
def a_reversal_rule_is_legal_only_for_reversing_work(e: Evidence) -> Iterator[Part]:
    """The row beside any other answer makes the adoption invalid, and so does an answer that the runs don't show."""
    if e.row is None:
        return
    if answers_with(e, _FLAG, _ANSWER) and _never_chosen(e):
        yield nothing(_UNUSED)
    else:
        yield from in_force(pairing(e, e.row, _FLAG, _ANSWER), not_reversing(e))


@clause(_PAIRS, 1)
def the_reversal_rule_is_consulted_at_each_tick(e: Evidence) -> Iterator[Part]:
    """Work falls by this rule's step, from the tick on that this rule names, and in no tick before."""
    if (reason := _out_of_play(e)) is not None:
        yield nothing(reason)
        return
    yield from _judge_falls(e, by_the_rule=True)


@clause(_PAIRS, 2)
def stopped_work_falls_and_never_below_none(e: Evidence) -> Iterator[Part]:
    """Each fall goes on from the work before it, and ends at no work."""
    if (reason := _out_of_play(e)) is not None:
        yield nothing(reason)
        return
    yield from _judge_falls(e, by_the_rule=False)


def _judge_falls(e: Evidence, by_the_rule: bool) -> Iterator[Part]:
    expected: set[int] = set()
    for fall in _row_falls(e):
        rows = fall.rows
        expected.update(row.pos for row in rows if fall.due)
        faults = [*_owed_faults(fall), *(_rule_faults(fall) if by_the_rule else _work_faults(fall))]
        if faults or rows:
            yield from judged(faults, *rows)
    named = e.row.id if e.row is not None else None
    for row in e.rows("reversal-log", row=named):
        if row.pos not in expected:
            yield violated(row, f"the work of {row.run} falls by {named} where the rule does not say so")
    for row in e.rows("reversal-log"):
        if number(row["after"]) < 0:
            yield violated(row, f"the work of {row.run} falls to {row['after']}")


def _owed_faults(fall: Fall) -> Iterator[Violated]:
    """A tick at which the work is due to fall has exactly one row, and one before the delay has none."""
    if fall.due and not fall.rows:
        near = fall.sent.rows[-1] if fall.sent.rows else None
        gone = absent("reversal-log", f"the fall of the work of {fall.run}", near=near)
        yield violated(
            gone,
            f"{fall.run} has been stopped for {fall.stopped_for} ticks with work {fall.before}, and {fall.rule.id} "
            f"makes it {fall.after} at moment {fall.sent.moment + 1}; nothing fell",
        )
    elif fall.due:
        yield from only(fall.rows, "reversal-log", f"the fall of the work of {fall.run}", fall.rows[0])


def _rule_faults(fall: Fall) -> Iterator[Violated]:
    wanted = (fall.rule.id, Fraction(fall.rule.per_tick), fall.stopped_for)
    for row in fall.rows:
        if (row["row"], number(row["per-tick"]), row["stopped-for"]) != wanted:
            told = f"{row['row']}, {row['per-tick']} a tick, stopped for {row['stopped-for']}"
            yield violated(row, f"{fall.rule.id} says {wanted[1]} a tick at tick {wanted[2]}; the row says {told}")


def _work_faults(fall: Fall) -> Iterator[Violated]:
    for row in fall.rows:
        if (number(row["before"]), number(row["after"])) != (fall.before, fall.after):
            told = f"{row['before']} to {row['after']}"
            yield violated(row, f"the work of {fall.run} falls from {fall.before} to {fall.after}; the row says {told}")
    if fall.due and supplied(fall.sent.world.evidence, "work-before-after"):
        works = fall.sent.rows_of("work-before-after", fall.run, why="reversal")
        if [(number(each["before"]), number(each["after"])) for each in works] != [(fall.before, fall.after)]:
            gone = absent(
                "work-before-after", f"the work of {fall.run} falling to {fall.after}", near=fall.sent.rows[-1]
            )
            yield violated(works[0] if works else gone, f"the work of {fall.run} is recorded otherwise", *fall.rows)


@clause("reversing-work-needs-a-reversal-rule", 0)
def reversing_work_declares_a_reversal_rule(e: Evidence) -> Iterator[Part]:
    """Without a row the adoption is invalid."""
    yield from declares_some(e, "reversal-rules", _FLAG, _ANSWER)
