"""Writes docs/logs.md from the schemas: `python -m tests.diagnostics.logs_page` in the project's folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.run.logs import LogSpec, catalogue
from harness.run.recording import COMMON_COLUMNS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "logs.md"

_INTRO = """# The logs

A scenario leaves the logs that its template asks for, one JSON Lines file each: a header line
`{"log", "scenario", "columns", "reason"}`, then a line for each row. Rows of all logs of a scenario share one
numbering, so what happened in which order can be read across files. A log without rows is written too; its header
may say why.

A **system** log is written by the system under test. A **derived** log is told by the harness from the events, the
world, the adoption and the four logs with fixed columns (report-log, claim-ledger, state-trace, count-trace), so it
is there for every system that writes those.

This page is written from the schemas in `diagnostics/` (`harness schema <log>` prints one), by
`python -m tests.diagnostics.logs_page`.
"""


def page(logs: dict[str, LogSpec]) -> str:
    """The whole page."""
    return "\n".join(
        (_INTRO, *_common(logs), *_overview(logs), *(line for each in logs.values() for line in _log(each)))
    )


def _common(logs: dict[str, LogSpec]) -> Iterator[str]:
    properties = logs["report-log"].schema["properties"]
    yield "## Columns of every log\n"
    yield "| column | holds | meaning |\n|---|---|---|"
    yield from (_column(name, properties[name]) for name in COMMON_COLUMNS)
    yield ""


def _overview(logs: dict[str, LogSpec]) -> Iterator[str]:
    yield "## All logs\n"
    yield "| log | written by | asked for by | columns of its own |\n|---|---|---|---|"
    for each in logs.values():
        asked = f"{len(each.templates)} template{'' if len(each.templates) == 1 else 's'}"
        columns = ", ".join(f"`{name}`" for name in each.own_columns)
        yield f"| [{each.name}](#{each.name}) | {each.kind} | {asked} | {columns} |"
    yield ""


def _log(spec: LogSpec) -> Iterator[str]:
    yield f"## {spec.name}\n"
    yield f"{spec.schema['description']} A {spec.kind} log.\n"
    yield "| column | holds | meaning |\n|---|---|---|"
    yield from (_column(name, spec.schema["properties"][name]) for name in spec.own_columns)
    yield f"\nAsked for by: {', '.join(f'`{each}`' for each in spec.templates)}.\n"


def _column(name: str, schema: dict[str, Any]) -> str:
    return f"| `{name}` | {_holds(schema)} | {schema['description']} |"


def _holds(schema: dict[str, Any]) -> str:
    """What values a column takes, in words."""
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    none = " or null" if "null" in types else ""
    if "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema["enum"] if each is not None) + none
    if "array" in types:
        items = schema["items"]
        return "texts" if items["type"] == "string" else f"list of {{{', '.join(items['properties'])}}}"
    words = {"string": "text", "integer": "whole number", "boolean": "true or false", "object": "object"}
    if "pattern" in schema:
        return "fraction as text"
    return " or ".join(words[each] for each in types if each != "null") + none


def main() -> None:
    """Writes the page."""
    PAGE.write_text(page(dict(catalogue(ROOT / "diagnostics"))), encoding="utf-8")


if __name__ == "__main__":
    main()
