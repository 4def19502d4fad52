"""A run as JUnit XML, in the form that every reader of it understands.

One suite an adoption, one case a scenario. A violated clause is a failure; unreached, blind and error are errors with
their word as type; nothing to check and a known failure are skipped, with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from harness.base.verdict import Status, Verdict
from harness.writers.plain import one_line
from harness.writers.run_document import AdoptionRun
from harness.writers.run_summary import evidence_text

_ERRORS = (Status.ERROR, Status.UNREACHED, Status.BLIND)
_SKIPPED = (Status.NOTHING_TO_CHECK, Status.KNOWN)


def render(adoptions: Sequence[AdoptionRun], known_reasons: Mapping[str, str]) -> str:
    """The XML text. `known_reasons` says why a known scenario fails, by its id."""
    root = ElementTree.Element("testsuites", name="harness")
    totals = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for adoption in adoptions:
        suite = _suite(adoption, known_reasons)
        root.append(suite)
        for name in totals:
            totals[name] += int(suite.get(name, "0"))
    for name, number in totals.items():
        root.set(name, str(number))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suite(adoption: AdoptionRun, known_reasons: Mapping[str, str]) -> ElementTree.Element:
    statuses = [each.status for each in adoption.results]
    suite = ElementTree.Element(
        "testsuite",
        name=adoption.instance or adoption.path,
        tests=str(len(statuses)),
        failures=str(sum(each == Status.FAIL for each in statuses)),
        errors=str(sum(each in _ERRORS for each in statuses)),
        skipped=str(sum(each in _SKIPPED for each in statuses)),
        time="0",
    )
    for result in adoption.results:
        suite.append(_case(adoption.instance or "", result.entry, known_reasons.get(result.id)))
    return suite


def _case(instance: str, entry: Mapping[str, Any], known: str | None) -> ElementTree.Element:
    name = entry["id"].removeprefix(f"{instance}/")
    case = ElementTree.Element("testcase", classname=f"harness.{instance}", name=_xml_text(name), time="0")
    status = entry["status"]
    if status == Status.FAIL:
        _child(case, "failure", _first(entry, Verdict.VIOLATED), "violated", _details(entry, Verdict.VIOLATED))
    elif status in _ERRORS:
        _child(case, "error", _first(entry, Verdict(status)), status, _details(entry, Verdict(status)))
    elif status == Status.KNOWN:
        _child(case, "skipped", f"known failure: {known or _first(entry, Verdict.VIOLATED)}")
    elif status == Status.NOTHING_TO_CHECK:
        _child(case, "skipped", f"nothing to check: {_first(entry, Verdict.NOTHING_TO_CHECK)}")
    return case


def _child(case: ElementTree.Element, tag: str, message: str, kind: str | None = None, text: str | None = None) -> None:
    child = ElementTree.SubElement(case, tag, message=_xml_text(message))
    if kind is not None:
        child.set("type", kind)
    if text is not None:
        child.text = _xml_text(text, lines=True)


def _first(entry: Mapping[str, Any], word: Verdict) -> str:
    clause = next(each for each in entry["clauses"] if each["verdict"] == word)
    return f"clause {clause['index']}: {clause['reason']}"


def _details(entry: Mapping[str, Any], word: Verdict) -> str:
    lines = []
    for clause in entry["clauses"]:
        if clause["verdict"] == word:
            lines.append(f"clause {clause['index']}: {clause['text']}")
            lines.append(f"  {clause['verdict']}: {clause['reason']}")
            if clause["evidence"]:
                lines.append(f"  shown by {evidence_text(clause['evidence'])}")
    return "\n".join(lines)


def _xml_text(text: str, lines: bool = False) -> str:
    """Text without what XML cannot hold: control characters are written as escapes."""
    return "\n".join(one_line(each) for each in text.splitlines()) if lines else one_line(text)
