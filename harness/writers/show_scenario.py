"""One scenario of a run: given, when, then; a verdict for each clause; the events; the evidence."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from harness.writers.plain import one_line
from harness.writers.run_summary import evidence_text

EVIDENCE_SHOWN = 12

Entry = Mapping[str, Any]


class ShownScenario(NamedTuple):
    """What there is to show: the scenario's entry in run.json, its expanded text, and rows of its logs.

    `expanded` is None where it is not known. `rows` are by log name (with the instance in it, as evidence names it)
    and number; those that evidence points to are enough.
    """

    entry: Entry
    expanded: Entry | None
    rows: Mapping[tuple[str, int], Entry]


def render(shown: ShownScenario) -> str:
    """The scenario as a page of text."""
    clauses = _clauses(shown, shown.entry["clauses"])
    return (
        "\n".join([*_head(shown), *clauses, *_runs(shown), *_explained(shown), *_searched(shown), *_logs(shown)]) + "\n"
    )


def failure_text(shown: ShownScenario, words: Collection[str]) -> str:
    """What a test runner prints: the clauses whose verdict is among `words`, and the runs that they are about."""
    chosen = [each for each in shown.entry["clauses"] if each["verdict"] in words]
    evidence = (shown.rows.get((one.get("log", ""), one.get("seq", 0))) for each in chosen for one in each["evidence"])
    runs = {row["world"] for row in evidence if row is not None}
    return "\n".join([*_head(shown), *_clauses(shown, chosen), *_runs(shown, runs)])


def _head(shown: ShownScenario) -> Iterator[str]:
    yield f"{one_line(shown.entry['id'])}: {one_line(shown.entry['status'])}"
    scenario = shown.expanded
    if scenario is None:
        return
    yield f"  {one_line(scenario['title'])}"
    if scenario["type"] == "general":
        yield f"  across {one_line(str(scenario['scope']))}"
        return
    yield f"  given {one_line(str(scenario['given']))}"
    for step in scenario["when"]:
        yield f"  when  {one_line(step)}"


def _clauses(shown: ShownScenario, clauses: Collection[Entry]) -> Iterator[str]:
    word = "holds" if shown.expanded is not None and shown.expanded["type"] == "general" else "then"
    for clause in clauses:
        yield ""
        yield f"  {word} [{clause['index']}] {one_line(clause['text'])}"
        yield f"    {one_line(clause['verdict'])}" + (f": {one_line(clause['reason'])}" if clause["reason"] else "")
        for each in clause["evidence"][:EVIDENCE_SHOWN]:
            yield f"      {one_line(_exhibit_text(shown, each))}"
        if len(clause["evidence"]) > EVIDENCE_SHOWN:
            yield f"      and {len(clause['evidence']) - EVIDENCE_SHOWN} more"


def _exhibit_text(shown: ShownScenario, exhibit: Entry) -> str:
    row = shown.rows.get((exhibit["log"], exhibit["seq"])) if "seq" in exhibit else None
    return f"{exhibit['log']} {_row_text(row)}" if row is not None else evidence_text([dict(exhibit)])


def _row_text(row: Entry) -> str:
    said = " ".join(
        f"{name}={_value(value)}"
        for name, value in row.items()
        if name not in ("seq", "world", "moment", "batch", "settle") and value not in (None, [])
    )
    return f"{row['seq']} (run {row['world']}, moment {row['moment']}) {said}"


def _event_text(event: Entry) -> str:
    return " ".join(filter(None, (str(event["kind"]), _columns({k: v for k, v in event.items() if k != "kind"}))))


def _columns(values: Entry) -> str:
    return " ".join(f"{name}={_value(value)}" for name, value in values.items())


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _runs(shown: ShownScenario, only: Collection[int] | None = None) -> Iterator[str]:
    shapes = (shown.expanded or {}).get("runs", ())
    for number, run in enumerate(shown.entry["runs"], start=1):
        if only is not None and number not in only:
            continue
        yield ""
        named = ", ".join(shapes[number - 1]) if number <= len(shapes) else ""
        yield f"  run {number}" + (f" ({one_line(named)})" if named else "")
        yield f"    world {one_line(_value(run['world']))}"
        for event in run["events"]:
            yield "    " + one_line(_event_text(event))


def _explained(shown: ShownScenario) -> Iterator[str]:
    """Where an outside system left the model's way, and the smallest run that shows the fault."""
    scenario = shown.expanded or {}
    if scenario.get("divergence"):
        yield ""
        yield from (f"  {one_line(each)}" for each in _divergence_lines(scenario["divergence"]))
    if scenario.get("shrunk"):
        yield ""
        yield from (f"  {one_line(each)}" for each in _shrunk_lines(scenario["shrunk"]))


def _divergence_lines(found: Entry) -> Iterator[str]:
    yield f"first divergence from the model: run {found['world']}, event {found['event']}: {_event_text(found['sent'])}"
    yield f"- {found['agreed-events']} events and {found['agreed-rows']} rows before it agree"
    what = found["log"] or "answer"
    for name, side in (("the model", found["expected"]), ("the system", found["found"])):
        yield f"- {name}: {what} {_columns(side) if side is not None else 'has no such row'}"
    if found["step"] is not None:
        yield f"- this is the step: {found['step']}" + (f", as {found['address']} says" if found["address"] else "")


def _shrunk_lines(found: Entry) -> Iterator[str]:
    bounded = "" if found["smallest"] else " (as far as the bound on replays allows)"
    yield f"the smallest run that violates clause {found['clause']}{bounded}: {found['reason']}"
    yield f"- world {_value(found['world'])}"
    for event in found["events"]:
        yield f"- {_event_text(event)}"


def _searched(shown: ShownScenario) -> Iterator[str]:
    """What the search for runs says of itself."""
    scenario = shown.expanded or {}
    if scenario.get("walked"):
        yield ""
        yield f"  {one_line(scenario['walked'])}; what takes longer is built by goal"
    for reason in scenario.get("impossible", ()):
        yield f"  cannot be constructed: {one_line(reason)}"
    for reason in scenario.get("unreached", ()):
        yield f"  not reached: {one_line(reason)}"


def _logs(shown: ShownScenario) -> Iterator[str]:
    yield ""
    yield "  logs (--log NAME prints one):"
    for named, note in ((shown.entry["logs"], ""), (shown.entry.get("supporting", {}), "  (supporting)")):
        for path in named.values():
            yield f"    {one_line(PurePosixPath(path).name.removesuffix('.jsonl'))}{note}"
