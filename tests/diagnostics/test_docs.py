"""The pages for people say what the schemas say."""

from __future__ import annotations

import json
import re

from harness.run.derive.paths import REPORT_MOVES
from harness.run.logs import catalogue
from tests.diagnostics.logs_page import PAGE, ROOT, page

EVENTS_PAGE = (ROOT / "docs" / "worlds-and-events.md").read_text(encoding="utf-8")


def table_rows(text: str) -> list[list[str]]:
    """The cells of every table row of a page."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


def test_logs_page_is_up_to_date() -> None:
    """The page of logs is what the schemas say; `python -m tests.diagnostics.logs_page` writes it again."""
    assert PAGE.read_text(encoding="utf-8") == page(dict(catalogue(ROOT / "diagnostics")))


def test_events_page_names_every_event_with_its_fields() -> None:
    """Each kind of event has one row on the page, with exactly its fields, the optional ones in brackets."""
    schema = json.loads((ROOT / "diagnostics" / "events.schema.json").read_text(encoding="utf-8"))
    expected = {
        kind: [f"`{f}`" if f in each["required"] else f"[`{f}`]" for f in each["properties"] if f != "kind"]
        for kind, each in schema["$defs"].items()
    }
    named = {cells[0].strip("`"): cells[1] for cells in table_rows(EVENTS_PAGE) if cells[0].strip("`") in expected}
    assert {kind: sorted(re.findall(r"\[?`[a-z-]+`\]?", fields)) for kind, fields in named.items()} == {
        kind: sorted(fields) for kind, fields in expected.items()
    }


def test_events_page_names_every_report_with_its_states() -> None:
    """Each report has one row on the page that names every state it can come from and lead to."""
    rows = {cells[0].strip("`"): cells[1] for cells in table_rows(EVENTS_PAGE) if cells[0].strip("`") in REPORT_MOVES}
    assert set(rows) == set(REPORT_MOVES)
    for report, pairs in REPORT_MOVES.items():
        states = {state for pair in pairs for state in pair if state is not None}
        assert {
            each for each in re.findall(r"[a-z]+", rows[report]) if each not in ("or", "old", "is", "null")
        } == states
