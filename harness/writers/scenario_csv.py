"""Scenarios as comma-separated values (RFC 4180 but for plain line ends), for spreadsheets and data tools."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from harness.expansion.scenario import Exclusion, Scenario

COLUMNS = (
    "id",
    "contract",
    "version",
    "instance",
    "template",
    "collection",
    "row",
    "type",
    "title",
    "given",
    "when",
    "then",
    "holds",
    "scope",
    "seeds",
    "diagnostics",
    "text",
    "answers",
)


def render(entries: Sequence[Scenario | Exclusion]) -> str:
    """A header, then a line an entry. A list has one line of its cell for each item, answers read `flag=answer`.

    Where exclusions are listed there is one more column, `excluded`, with the reason.
    """
    excluded = any(isinstance(each, Exclusion) for each in entries)
    columns = (*COLUMNS, "excluded") if excluded else COLUMNS
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    for entry in entries:
        fields = entry.to_json()
        writer.writerow([_cell(fields.get(name)) for name in columns])
    return buffer.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return "\n".join(map(str, value))
    if isinstance(value, dict):
        return "\n".join(f"{name}={answer}" for name, answer in value.items())
    return str(value)
