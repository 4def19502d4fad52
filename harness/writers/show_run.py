"""A run in lines: what failed first, then the rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.base.verdict import Status
from harness.writers.plain import one_line

_ORDER = (Status.FAIL, Status.ERROR, Status.UNREACHED, Status.BLIND, Status.KNOWN, Status.PASS, Status.NOTHING_TO_CHECK)


def render(document: dict[str, Any]) -> str:
    """A line a scenario: its status, its id, and what its clauses amount to; the failures first."""
    entries = [entry for adoption in document["adoptions"] for entry in adoption["scenarios"]]
    width = max((len(each["status"]) for each in entries), default=0)
    lines = [
        f"{entry['status']:<{width}}  {one_line(entry['id'])}  {_clauses(entry)}"
        for status in _ORDER
        for entry in entries
        if entry["status"] == status
    ]
    return "\n".join([*lines, *_findings(document), _total(document)]) + "\n"


def _clauses(entry: dict[str, Any]) -> str:
    words: dict[str, int] = {}
    for clause in entry["clauses"]:
        words[clause["verdict"]] = words.get(clause["verdict"], 0) + 1
    return "(" + ", ".join(f"{count} {word}" for word, count in words.items()) + ")"


def _findings(document: dict[str, Any]) -> Iterator[str]:
    for adoption in document["adoptions"]:
        for each in adoption["findings"]:
            if each["severity"] == "error":
                yield f"finding  {each['file']}:{each['line']}:{each['column']}: {one_line(each['message'])}"


def _total(document: dict[str, Any]) -> str:
    summary = document["summary"]
    scenarios = ", ".join(f"{count} {word}" for word, count in summary["scenarios"].items()) or "no scenario"
    clauses = summary["clauses"]
    return f"{scenarios}; {clauses.get('holds', 0)} of {sum(clauses.values())} clauses hold"
