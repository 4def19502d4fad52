"""One scenario of a run: given, when, then; a verdict for each clause; the events; the evidence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from harness.writers.plain import one_line
from harness.writers.run_reader import ScenarioInRun
from harness.writers.run_summary import evidence_text

EVIDENCE_SHOWN = 12


def render(found: ScenarioInRun) -> str:
    """The scenario as a page of text."""
    return "\n".join([*_head(found), *_clauses(found), *_runs(found), *_searched(found), *_logs(found)]) + "\n"


def _head(found: ScenarioInRun) -> Iterator[str]:
    yield f"{one_line(found.entry['id'])}: {found.entry['status']}"
    scenario = found.scenario
    if scenario is None:
        return
    yield f"  {one_line(scenario['title'])}"
    if scenario["type"] == "general":
        yield f"  across {one_line(str(scenario['scope']))}"
        return
    yield f"  given {one_line(scenario['given'])}"
    for step in scenario["when"]:
        yield f"  when  {one_line(step)}"


def _clauses(found: ScenarioInRun) -> Iterator[str]:
    word = "holds" if found.scenario is not None and found.scenario["type"] == "general" else "then"
    for clause in found.entry["clauses"]:
        yield ""
        yield f"  {word} [{clause['index']}] {one_line(clause['text'])}"
        yield f"    {clause['verdict']}" + (f": {one_line(clause['reason'])}" if clause["reason"] else "")
        yield from _evidence(found, clause["evidence"])


def _evidence(found: ScenarioInRun, evidence: list[dict[str, Any]]) -> Iterator[str]:
    rows: dict[str, dict[int, dict[str, Any]]] = {}
    for each in evidence[:EVIDENCE_SHOWN]:
        if "seq" not in each:
            yield f"      {one_line(evidence_text([each]))}"
            continue
        log = each["log"]
        if log not in rows:
            rows[log] = {row["seq"]: row for row in found.log(log)[1]}
        row = rows[log].get(each["seq"])
        yield f"      {log} {_row_text(row) if row is not None else each['seq']}"
    if len(evidence) > EVIDENCE_SHOWN:
        yield f"      and {len(evidence) - EVIDENCE_SHOWN} more rows"


def _row_text(row: dict[str, Any]) -> str:
    said = " ".join(
        f"{name}={_value(value)}"
        for name, value in row.items()
        if name not in ("seq", "world", "moment", "batch", "settle")
    )
    return one_line(f"{row['seq']} (run {row['world']}, moment {row['moment']}) {said}")


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _runs(found: ScenarioInRun) -> Iterator[str]:
    for number, run in enumerate(found.entry["runs"], start=1):
        yield ""
        shapes = found.shapes_of(number)
        yield f"  run {number}" + (f" ({one_line(', '.join(shapes))})" if shapes else "")
        yield f"    world {_value(run['world'])}"
        for event in run["events"]:
            rest = {name: value for name, value in event.items() if name != "kind"}
            yield "    " + one_line(" ".join([event["kind"], *(f"{name}={_value(rest[name])}" for name in rest)]))


def _searched(found: ScenarioInRun) -> Iterator[str]:
    """What the search for runs says of itself."""
    scenario = found.scenario or {}
    if scenario.get("walked"):
        yield ""
        yield f"  {one_line(scenario['walked'])}; what takes longer is built by goal"
    for reason in scenario.get("impossible", ()):
        yield f"  cannot be constructed: {one_line(reason)}"
    for reason in scenario.get("unreached", ()):
        yield f"  not reached: {one_line(reason)}"


def _logs(found: ScenarioInRun) -> Iterator[str]:
    yield ""
    yield "  logs (--log NAME prints one):"
    for name, path in found.log_names().items():
        supporting = "" if path in found.entry["logs"].values() else "  (supporting)"
        yield f"    {name}{supporting}"
