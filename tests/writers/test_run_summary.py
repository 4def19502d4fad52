"""The summary that `run` prints."""

from __future__ import annotations

from harness.writers.run_summary import REASONS_SHOWN, evidence_text, reasons_of, render_summary, total_line
from tests.run_builders import EVIDENCE, ONE_OF_EACH, ROW, adoption_run, clause, result


def test_total_has_its_fixed_wording() -> None:
    """The total reads N of N run, M excluded by rule, and what is unaccounted; several adoptions add up."""
    one = adoption_run(result("oven/a", "holds"), selected=3, excluded=5, unaccounted=1)
    assert total_line(one) == "1 of 3 run, 5 excluded by rule, 1 unaccounted"
    assert total_line(one, adoption_run()) == "1 of 3 run, 7 excluded by rule, 1 unaccounted"


def test_summary_shows_what_is_loud_then_reasons() -> None:
    """Counts first, then violated, error, unreached and blind clauses with their evidence, then reasons grouped."""
    lines = render_summary([adoption_run(*ONE_OF_EACH)]).splitlines()
    assert lines[:2] == [
        "oven: 7 of 7 run, 2 excluded by rule, 0 unaccounted",
        "  clauses: 4 of 12 hold (4 holds, 2 violated, 2 nothing-to-check, 2 unreached, 1 blind, 1 error)",
    ]
    assert [each.split(":")[0].strip() for each in lines[2:] if "clause" in each][:6] == [
        "violated",
        "known, violated",
        "error",
        "unreached",
        "unreached",
        "blind",
    ]
    assert lines[3].startswith("    shown by oven-report-log row 7, oven-state-trace without a move")
    assert lines[-1] == "      2  why it is nothing-to-check"


def test_summary_of_several_adoptions_ends_with_their_total() -> None:
    """Each adoption has its block, a file that cannot be used goes by its path, and the last line adds up."""
    unusable = adoption_run(instance=None, path="broken.yaml", digest=None, excluded=0)
    lines = render_summary([adoption_run(result("oven/a", "holds")), unusable]).splitlines()
    assert lines == [
        "oven: 1 of 1 run, 2 excluded by rule, 0 unaccounted",
        "  clauses: 1 of 1 hold (1 holds)",
        "broken.yaml: 0 of 0 run, 0 excluded by rule, 0 unaccounted",
        "together: 1 of 1 run, 2 excluded by rule, 0 unaccounted",
    ]


def test_reasons_are_grouped_the_commonest_first() -> None:
    """Reasons are counted over all scenarios; many are cut short with the number of the rest."""
    reasons = ["b", "a", "b", *(f"z{each}" for each in range(REASONS_SHOWN))]
    clauses = [clause(at, "nothing-to-check", reason) for at, reason in enumerate(reasons)]
    run = adoption_run(result("oven/a", *clauses))
    assert reasons_of(run)[:2] == (("b", 2), ("a", 1))
    lines = render_summary([run]).splitlines()
    assert lines[2] == f"  nothing to check in {len(reasons)} clauses:"
    assert lines[-1] == "      2  for 2 other reasons (harness show tells each)"


def test_evidence_is_cut_short() -> None:
    """A few exhibits are named, the rest counted."""
    assert evidence_text(EVIDENCE) == (
        "oven-report-log row 7, oven-state-trace without a move (3 rows looked through), the adoption at "
        "/answers/output-full"
    )
    assert evidence_text([ROW] * 6) == ", ".join(["oven-report-log row 7"] * 4) + ", and 2 more"


def test_summary_keeps_a_line_for_each_thing() -> None:
    """No text breaks its line or reaches the terminal as a control sequence."""
    run = adoption_run(result("oven/a", clause(0, "violated", "two\nlines\x1b[2J", [{"adoption": "/a\nb"}])))
    rendered = render_summary([run])
    assert len(rendered.splitlines()) == 4
    assert "\x1b" not in rendered
