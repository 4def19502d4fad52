"""From the parts of a judgment to the verdict on its clause."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.base.verdict import Verdict
from harness.run.plan import Impossible, Plan, Unreached
from harness.verdict.clauses import JOBS, NO_JUDGMENT, SILENT, ClauseVerdict, Judgment, clause
from harness.verdict.evidence import Evidence
from harness.verdict.parts import Part, absent, declared, exhibit_json, holds, nothing, violated
from tests.verdict.evidence_builders import LIFE, evidence

TEMPLATE = "kept-work-stays-with-the-job"


@pytest.fixture(name="baked")
def _baked() -> Evidence:
    return evidence(LIFE)


def judged(
    monkeypatch: pytest.MonkeyPatch, judgment: Judgment, seen: Evidence, plan: Plan | None = None
) -> ClauseVerdict:
    """What the judgment makes of clause 0 of the template."""
    monkeypatch.setattr(JOBS, "judgment_for", lambda template, index: judgment)
    return JOBS.judge(seen, TEMPLATE, 0, plan or Plan())


def test_clause_holds_when_every_judged_part_holds(monkeypatch: pytest.MonkeyPatch, baked: Evidence) -> None:
    """Parts with nothing to check don't count against parts that hold; the evidence is each exhibit once, in order."""

    def judgment(e: Evidence) -> Iterator[Part]:
        for row in e.reports():
            yield holds(row)
        yield nothing("no failure is declared")
        yield holds(e.reports("job-requested")[0])

    verdict = judged(monkeypatch, judgment, baked)
    assert (verdict.verdict, verdict.reason) == (Verdict.HOLDS, None)
    assert verdict.evidence == baked.reports()
    assert verdict.text == baked.scenario.clauses[0]


def test_clause_is_violated_by_its_first_wrong_row(monkeypatch: pytest.MonkeyPatch, baked: Evidence) -> None:
    """One violated part decides, and of several the one that comes first in the recording is told."""

    def judgment(e: Evidence) -> Iterator[Part]:
        first, second, third = e.reports()[:3]
        yield holds(first)
        yield violated(third, "later", first)
        yield violated(second, "earlier", first)

    verdict = judged(monkeypatch, judgment, baked)
    first, second = baked.reports()[:2]
    assert (verdict.verdict, verdict.reason, verdict.evidence) == (Verdict.VIOLATED, "earlier", (second, first))


def test_absence_is_told_where_it_was_due(monkeypatch: pytest.MonkeyPatch, baked: Evidence) -> None:
    """An absence comes after every row unless it says where it was due; a declaration comes before all."""

    def judgment(e: Evidence) -> Iterator[Part]:
        yield violated(absent("report-log", "a report"), "last")
        yield violated(e.reports()[-1], "row")
        yield violated(absent("report-log", "another", 3, near=e.reports()[0]), "placed")

    assert judged(monkeypatch, judgment, baked).reason == "placed"

    def invalid(e: Evidence) -> Iterator[Part]:
        yield violated(e.reports()[0], "row")
        yield violated(declared("/answers/output-full"), "declared")

    assert judged(monkeypatch, invalid, baked).reason == "declared"


def test_crash_is_an_error_and_never_a_pass(monkeypatch: pytest.MonkeyPatch, baked: Evidence) -> None:
    """A judgment that crashes after parts that hold is an error with its message."""

    def judgment(e: Evidence) -> Iterator[Part]:
        yield holds(e.reports()[0])
        raise ValueError("no such thing")

    verdict = judged(monkeypatch, judgment, baked)
    assert verdict.verdict is Verdict.ERROR
    assert verdict.reason == "the judgment crashed: ValueError: no such thing"


def test_breach_found_before_a_crash_stands(monkeypatch: pytest.MonkeyPatch, baked: Evidence) -> None:
    """What was seen to be wrong stays wrong when the judgment crashes afterwards."""

    def judgment(e: Evidence) -> Iterator[Part]:
        yield violated(e.reports()[0], "wrong")
        raise ValueError("later")

    assert judged(monkeypatch, judgment, baked).verdict is Verdict.VIOLATED


def test_unreached_shape_bars_a_pass(monkeypatch: pytest.MonkeyPatch, baked: Evidence) -> None:
    """A shape that the search did not reach makes the clauses that need it unreached, and no others."""

    def judgment(e: Evidence) -> Iterator[Part]:
        yield holds(e.reports()[0])

    missed = Plan(unreached=(Unreached("a full queue", "10 states visited", (0,)),))
    verdict = judged(monkeypatch, judgment, baked, missed)
    assert (verdict.verdict, verdict.reason) == (Verdict.UNREACHED, "a full queue: 10 states visited")
    elsewhere = Plan(unreached=(Unreached("a full queue", "10 states visited", (1,)),))
    assert judged(monkeypatch, judgment, baked, elsewhere).verdict is Verdict.HOLDS


def test_breach_counts_although_a_shape_is_unreached(monkeypatch: pytest.MonkeyPatch, baked: Evidence) -> None:
    """What the runs already contradict is violated, whatever else was not reached."""

    def judgment(e: Evidence) -> Iterator[Part]:
        yield violated(e.reports()[0], "wrong")

    plan = Plan(unreached=(Unreached("x", "y"),))
    assert judged(monkeypatch, judgment, baked, plan).verdict is Verdict.VIOLATED


def no_parts(e: Evidence) -> Iterator[Part]:
    yield from ()


def two_reasons(e: Evidence) -> Iterator[Part]:
    yield nothing("one")
    yield nothing("two")
    yield nothing("one")


IMPOSSIBLE = Plan(impossible=(Impossible("never", (0,)), Impossible("elsewhere", (1,))))


@pytest.mark.parametrize(
    ("judgment", "plan", "reason"),
    [
        (two_reasons, Plan(), "one; two"),
        (two_reasons, IMPOSSIBLE, "one; two"),
        (no_parts, IMPOSSIBLE, "never"),
        (no_parts, Plan(), SILENT),
    ],
)
def test_nothing_to_check_gives_its_reason(
    monkeypatch: pytest.MonkeyPatch, baked: Evidence, judgment: Judgment, plan: Plan, reason: str
) -> None:
    """The judgment's own reasons come first, each once, then the plan's for this clause, then that runs are silent."""
    verdict = judged(monkeypatch, judgment, baked, plan)
    assert (verdict.verdict, verdict.reason) == (Verdict.NOTHING_TO_CHECK, reason)


def test_missing_judgment_is_unreached(monkeypatch: pytest.MonkeyPatch, baked: Evidence) -> None:
    """A clause without a judgment is never counted as a pass."""
    monkeypatch.setattr(JOBS, "judgment_for", lambda template, index: None)
    verdict = JOBS.judge(baked, TEMPLATE, 1, Plan())
    assert (verdict.verdict, verdict.reason) == (Verdict.UNREACHED, NO_JUDGMENT)


def looks_at_causes(e: Evidence) -> Iterator[Part]:
    yield holds(e.reports()[0])
    if not e.rows("stop-causes"):
        yield violated(absent("stop-causes", "a row"), "missing")


def test_unsupplied_log_makes_a_clause_blind(monkeypatch: pytest.MonkeyPatch) -> None:
    """What rests on a log that the system does not supply is blind: neither held nor violated by its absence."""
    seen = evidence(LIFE, unobserved=["stop-causes"])
    verdict = judged(monkeypatch, looks_at_causes, seen)
    assert (verdict.verdict, verdict.reason) == (Verdict.BLIND, "the system does not supply stop-causes")


def test_breach_before_a_blind_look_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """A breach that only supplied logs show is violated, although the judgment looked at a missing one later."""

    def judgment(e: Evidence) -> Iterator[Part]:
        yield violated(e.reports()[0], "wrong")
        yield from looks_at_causes(e)

    seen = evidence(LIFE, unobserved=["stop-causes"])
    assert judged(monkeypatch, judgment, seen).reason == "wrong"


def test_impossible_clause_without_runs_is_not_blind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing could be run, a missing log hides nothing."""
    seen = evidence([], unobserved=["stop-causes"], worlds=[])
    plan = Plan(impossible=(Impossible("no work is declared"),))

    def judgment(e: Evidence) -> Iterator[Part]:
        yield from (holds(row) for row in e.rows("stop-causes"))

    verdict = judged(monkeypatch, judgment, seen, plan)
    assert (verdict.verdict, verdict.reason) == (Verdict.NOTHING_TO_CHECK, "no work is declared")


def test_clause_takes_one_judgment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Registering a second judgment for a clause is a mistake of this project and is told at once."""
    monkeypatch.setattr(JOBS, "registry", {})
    clause(TEMPLATE, 0, 1)(no_parts)
    with pytest.raises(ValueError, match="clause 1 of kept-work"):
        clause(TEMPLATE, 1)(two_reasons)


def test_part_that_holds_needs_evidence() -> None:
    """Nothing holds without something that shows it."""
    with pytest.raises(ValueError, match="needs a row"):
        holds()


def test_evidence_is_written_as_references(baked: Evidence) -> None:
    """A row is named by log and number, an absence by what is missing and the rows seen, a declaration by its place."""
    row = baked.reports("job-requested")[0]
    verdict = ClauseVerdict(0, "text", Verdict.VIOLATED, "why", (row, absent("state-trace", "a move", 2)))
    assert verdict.to_json("oven") == {
        "index": 0,
        "text": "text",
        "verdict": "violated",
        "reason": "why",
        "evidence": [
            {"log": "oven-report-log", "seq": row.seq},
            {"log": "oven-state-trace", "absent": "a move", "rows": 2},
        ],
    }
    assert exhibit_json(declared("/answers/x"), "oven") == {"adoption": "/answers/x"}
