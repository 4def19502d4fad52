"""One log of a scenario as a table."""

from __future__ import annotations

import json
from typing import Any

from harness.writers.plain import one_line


def render(header: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """The rows under their columns; without rows, the reason why there are none."""
    from tabulate import tabulate

    if not rows:
        return f"{header['log']}: no rows" + (f": {one_line(header['reason'])}" if header.get("reason") else "") + "\n"
    columns = [each for each in header["columns"] if any(each in row for row in rows)]
    table = [[_cell(row.get(column)) for column in columns] for row in rows]
    return tabulate(table, headers=columns, tablefmt="simple", disable_numparse=True) + "\n"


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return ", ".join(_cell(each) for each in value)
    if isinstance(value, dict):
        return _unit(value) if set(value) == {"item", "amount", "source"} else json.dumps(value, ensure_ascii=False)
    return one_line(str(value).lower() if isinstance(value, bool) else str(value))


def _unit(value: dict[str, Any]) -> str:
    return one_line(f"{value['amount']} {value['item']} ({value['source']})")
