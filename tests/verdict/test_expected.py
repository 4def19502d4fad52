"""Expected failures: what they make of a scenario, and when a line has outlived its failure."""

from __future__ import annotations

from typing import Any

import pytest

from harness.base.position import Position
from harness.base.verdict import Status
from harness.verdict.expected import Choosable, Expectations, ExpectedFailure, known_status
from tests.run_builders import clause

CHOOSABLE = Choosable(
    frozenset({"oven"}), frozenset({"oven/burns", "oven/bakes[a]"}), {"oven/cools": "it never gets warm"}
)


def listed(scenario: str, index: int, reason: str = "old", link: str | None = None) -> ExpectedFailure:
    return ExpectedFailure(scenario, index, reason, link, Position("known.yaml", 2, 3))


def clauses(*words: str) -> list[Any]:
    return [clause(at, word) for at, word in enumerate(words)]


@pytest.mark.parametrize(
    ("words", "known", "status"),
    [
        (("violated", "holds"), {0}, Status.KNOWN),
        (("violated", "nothing-to-check"), {0}, Status.KNOWN),
        (("violated", "violated"), {0}, Status.FAIL),
        (("violated", "violated"), {0, 1}, Status.KNOWN),
        (("violated", "error"), {0}, Status.ERROR),
        (("violated", "unreached"), {0}, Status.UNREACHED),
        (("violated", "blind"), {0}, Status.BLIND),
        (("holds", "holds"), {0}, Status.PASS),
        (("violated", "holds"), set(), Status.FAIL),
    ],
)
def test_known_failures_hide_nothing_else(words: tuple[str, ...], known: set[int], status: Status) -> None:
    """A scenario is known only where nothing but its listed failures is wrong with it."""
    assert known_status(clauses(*words), known) is status


def test_known_names_the_listed_clauses_that_are_violated() -> None:
    """Only lines of the scenario count, and of those only violated clauses."""
    expectations = Expectations((listed("oven/burns", 2), listed("oven/burns", 0), listed("oven/other", 1)))
    assert expectations.known("oven/burns", clauses("violated", "violated", "violated")) == (0, 2)
    assert expectations.known("oven/burns", clauses("holds", "violated", "violated")) == (2,)
    assert expectations.known("oven/unlisted", clauses("violated")) == ()


def test_reason_joins_what_is_listed_with_its_links() -> None:
    """Each reason of a scenario is said once, with its link; an unlisted scenario has none."""
    expectations = Expectations(
        (listed("oven/a", 0, "old", "bug 1"), listed("oven/a", 1, "new"), listed("oven/a", 2, "new"))
    )
    assert expectations.reason("oven/a") == "old (bug 1); new"
    assert expectations.reason("oven/b") is None


@pytest.mark.parametrize("word", ["holds", "nothing-to-check"])
def test_line_has_outlived_a_failure_that_is_gone(word: str) -> None:
    """A clause that holds, or has nothing to check, no longer fails."""
    line = listed("oven/burns", 0)
    outlived = Expectations((line,)).outlived({"oven/burns": {"clauses": clauses(word)}}, CHOOSABLE)
    assert outlived == ((line, f"the clause no longer fails, it is {word}"),)


@pytest.mark.parametrize("word", ["violated", "unreached", "blind", "error"])
def test_line_stands_while_its_clause_fails_or_is_undecided(word: str) -> None:
    """What is still violated is expected, and what could not be decided says nothing about the line."""
    entries = {"oven/burns": {"clauses": clauses(word)}}
    assert Expectations((listed("oven/burns", 0),)).outlived(entries, CHOOSABLE) == ()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (listed("oven/burn", 0), "there is no such scenario; did you mean oven/burns?"),
        (listed("oven/x", 0), "there is no such scenario"),
        (listed("oven/cools", 0), "the scenario is excluded: it never gets warm"),
        (listed("oven/burns", 4), "the scenario has no clause 4, its last is 0"),
        (listed("ovens/burns", 0), "no adoption here is called ovens; did you mean oven?"),
    ],
)
def test_line_that_names_nothing_is_told(line: ExpectedFailure, told: str) -> None:
    """A line must name a clause of a scenario of its adoption; what was meant is said where it is near."""
    entries = {"oven/burns": {"clauses": clauses("violated")}}
    assert Expectations((line,)).outlived(entries, CHOOSABLE) == ((line, told),)


def test_line_about_what_was_not_run_is_left_alone() -> None:
    """One list can serve several adoptions, and a run of some scenarios."""
    lines = (listed("kiln/burns", 0), listed("oven/bakes[a]", 0))
    assert Expectations(lines).outlived({}, CHOOSABLE) == ()
