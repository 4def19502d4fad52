"""The page on the supervisor's law says what the model does."""

from __future__ import annotations

from pathlib import Path

from harness.models.pools.supervisor.law import SUPERVISOR
from tests.models.pools._supervisor import MEMBERS
from tests.models.pools.supervisor_diagram import diagram, edges, joining

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "laws" / "fixed-supervisor.md").read_text(encoding="utf-8")


def test_supervisor_page_shows_the_diagram_that_the_table_gives() -> None:
    """The diagram on the page is the one drawn from the cells; after a change it is drawn anew."""
    assert f"```mermaid\n{diagram()}\n```" in PAGE


def test_supervisor_diagram_has_every_phase() -> None:
    """Every phase of the law is left or reached by an arrow."""
    drawn = {phase for was, now, _ in (*edges(), *joining()) for phase in (was, now)}
    assert drawn == set(MEMBERS)


def test_supervisor_page_tells_every_claim_violation_and_walk() -> None:
    """Whoever meets a violation's name finds it on the page beside its claim, and so does whoever looks for a walk."""
    names = [*SUPERVISOR.violations, *SUPERVISOR.walks]
    assert [each for each in names if f"`{each}`" not in PAGE] == []
    assert [text for number, text in enumerate(SUPERVISOR.claims, 1) if f"| {number} | {text} |" not in PAGE] == []
