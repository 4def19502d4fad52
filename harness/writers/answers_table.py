"""The study of an adoption's answers for the terminal: a line for each other answer, and in full where asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from textwrap import wrap
from typing import Any

from harness.writers.plain import count, one_line

RUN_WIDTH = 72
COLUMNS_SHOWN = 3
HEADERS = ("question", "answer", "instead", "scenarios", "clauses", "the shortest run whose logs differ")


def render(document: Mapping[str, Any], in_full: bool = False) -> str:
    """The table; with `in_full`, everything that is known about each other answer after it."""
    from tabulate import tabulate

    questions = document["questions"]
    rows = [_row(question, other) for question in questions for other in question["others"]]
    table = tabulate(rows, HEADERS, tablefmt="simple", disable_numparse=True)
    lines = [_head(document), "", table, *_footnotes(questions)]
    lines += [f"in these runs {one_line(each)}" for each in document["reduced"]]
    if in_full:
        lines += [line for question in questions for line in _in_full(question)]
    return "\n".join(lines) + "\n"


def _head(document: Mapping[str, Any]) -> str:
    questions = document["questions"]
    others = sum(len(each["others"]) for each in questions)
    told = f"{count(len(questions), 'question')}, {count(others, 'other answer')}, {document['dead']} dead"
    return f"{one_line(document['instance'])}: {told}"


def _row(question: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    name = question["flag"] + ("*" if question["under"] else "")
    if other["impossible"] is not None:
        return [name, question["answer"], other["answer"], "", "", _wrapped(f"not possible: {other['impossible']}")]
    scenarios = f"+{len(other['appear'])} -{len(other['disappear'])}"
    return [name, question["answer"], other["answer"], scenarios, str(len(other["clauses"])), _wrapped(_parting(other))]


def _wrapped(text: str) -> str:
    """The text in lines that are broken between words only: names here are full of hyphens."""
    return "\n".join(wrap(text, RUN_WIDTH, break_long_words=False, break_on_hyphens=False))


def _parting(other: Mapping[str, Any]) -> str:
    if other["dead"]:
        return f"dead: {other['explained'] or 'no run was found that tells the two apart'}"
    return f"{events_text(other['run']['events'])} -> {difference_text(other['run'])}"


def _footnotes(questions: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Where the questions that are not asked as the adoption stands would be asked."""
    for question in questions:
        if question["under"]:
            named = ", ".join(f"{each['flag']}: {each['answer']}" for each in question["under"])
            yield f"* {question['flag']} would be asked under {named}"


# -- runs and rows --------------------------------------------------------------------------------------------------


def events_text(events: Sequence[Mapping[str, Any]]) -> str:
    """Events in a line: their kind and what they name, the same one several times told once."""
    told = []
    for text, same in groupby(_event_text(each) for each in events):
        times = len(list(same))
        told.append(text if times == 1 else f"{text} x{times}")
    return ", ".join(told)


def _event_text(event: Mapping[str, Any]) -> str:
    parts = [event["kind"]]
    for name, value in event.items():
        if name == "pause":
            parts.append("paused")
        elif name != "kind":
            parts.append(value_text(value))
    return one_line(" ".join(parts))


def value_text(value: Any) -> str:
    """A value of a row or event in a few characters: units as `3 flour at larder`."""
    if isinstance(value, list):
        return ", ".join(value_text(each) for each in value) or "none"
    if isinstance(value, dict) and set(value) == {"item", "amount", "source"}:
        return f"{value['amount']} {value['item']} at {value['source']}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def difference_text(run: Mapping[str, Any]) -> str:
    """The log, and the columns in which its first differing rows differ, or which answer has a row of its own."""
    here, there = run["row"]["here"], run["row"]["there"]
    if here is None or there is None:
        row = here or there
        shown = [f"{column} {value_text(row[column])}" for column in list(row)[:COLUMNS_SHOWN]]
        told = row.get("report") or ", ".join(shown)
        return one_line(f"{run['log']}: {told} only under {run['answers']['here' if there is None else 'there']}")
    differing = [column for column in (*here, *there) if here.get(column) != there.get(column)]
    told = [
        f"{column} {value_text(here.get(column))} or {value_text(there.get(column))}"
        for column in list(dict.fromkeys(differing))[:COLUMNS_SHOWN]
    ]
    return one_line(f"{run['log']}: {'; '.join(told)}")


# -- in full --------------------------------------------------------------------------------------------------------


def _in_full(question: Mapping[str, Any]) -> Iterator[str]:
    for other in question["others"]:
        if other["impossible"] is None:
            yield ""
            yield f"{question['flag']}: {other['answer']} instead of {question['answer']}"
            yield from (f"  {line}" for line in _facts(other))


def _facts(other: Mapping[str, Any]) -> Iterator[str]:
    for note in other["notes"]:
        yield f"with it: {one_line(note)}"
    for word in ("appear", "disappear", "reworded"):
        yield from (f"{word}: {one_line(each)}" for each in other[word])
    for each in other["clauses"]:
        yield f"{one_line(each['scenario'])} clause {each['index']}: {each['from']} -> {each['to']}"
    yield from _run_facts("the shortest run whose logs differ", other["run"])
    if other["reported"] is not None and other["reported"] != other["run"]:
        yield from _run_facts("the shortest one found whose reports differ", other["reported"])
    if other["dead"]:
        yield f"dead: {other['explained'] or 'for no known reason'} ({other['searched']})"


def _run_facts(name: str, run: Mapping[str, Any] | None) -> Iterator[str]:
    if run is not None:
        yield f"{name}:"
        yield f"  world {one_line(json.dumps(run['world'], ensure_ascii=False))}"
        yield f"  {events_text(run['events'])}"
        yield f"  {difference_text(run)}"
