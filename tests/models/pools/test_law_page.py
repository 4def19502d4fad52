"""The page on the law says what the model does."""

from __future__ import annotations

from pathlib import Path

from harness.models.pools.fifo.law import FIFO
from tests.models.pools._fifo import MEMBERS
from tests.models.pools.law_diagram import diagram, edges

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "laws" / "fifo-pool.md").read_text(encoding="utf-8")


def test_page_shows_the_diagram_that_the_table_gives() -> None:
    """The diagram on the page is the one drawn from the cells; after a change it is drawn anew."""
    assert f"```mermaid\n{diagram()}\n```" in PAGE


def test_diagram_has_every_phase() -> None:
    """Every phase of the law is left or reached by an arrow."""
    drawn = {phase for was, now, _ in edges() for phase in (was, now)}
    assert set(MEMBERS) <= drawn


def test_page_names_every_violation_and_walk() -> None:
    """Whoever meets a violation's name finds it on the page, and so does whoever looks for a walk."""
    names = [*FIFO.violations, *FIFO.walks]
    assert [each for each in names if f"`{each}`" not in PAGE] == []
