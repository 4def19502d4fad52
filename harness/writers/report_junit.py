"""A run as JUnit XML, in the form that every reader of it understands.

One suite an adoption, one case a scenario. A violated clause is a failure; unreached, blind and error are errors with
their word as type; nothing to check and a known failure are skipped, with the reason. An adoption that is not valid
has a case of its own, so that no suite is green because nothing ran. No times: they would differ from call to call.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from harness.base.verdict import Status
from harness.writers.plain import one_line
from harness.writers.report import UNDECIDED, RunReport, details, errors_of, headline, name_of
from harness.writers.run_document import AdoptionRun

_SKIPPED = (Status.NOTHING_TO_CHECK, Status.KNOWN)
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_COUNTS = ("tests", "failures", "errors", "skipped")


def render(report: RunReport) -> str:
    """The XML text."""
    root = ElementTree.Element("testsuites", name="harness")
    suites = [_suite(each, report.reasons) for each in report.adoptions]
    for name in _COUNTS:
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    root.set("time", "0")
    root.extend(suites)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suite(adoption: AdoptionRun, reasons: Mapping[str, str]) -> ElementTree.Element:
    name = name_of(adoption)
    cases = [_case(name, each.entry, reasons.get(each.id)) for each in adoption.results]
    if errors_of(adoption):
        cases.insert(0, _adoption_case(name, adoption))
    counted = (len(cases), *(sum(case.find(tag) is not None for case in cases) for tag in _TAGS))
    suite = ElementTree.Element("testsuite", name=_xml_text(name))
    for attribute, number in zip(_COUNTS, counted, strict=True):
        suite.set(attribute, str(number))
    suite.set("time", "0")
    suite.extend(cases)
    return suite


_TAGS = ("failure", "error", "skipped")


def _new_case(adoption: str, name: str) -> ElementTree.Element:
    return ElementTree.Element("testcase", classname=_xml_text(f"harness.{adoption}"), name=_xml_text(name), time="0")


def _adoption_case(adoption: str, run: AdoptionRun) -> ElementTree.Element:
    case = _new_case(adoption, "adoption")
    said = [f"{each.position}: {each.rule}: {each.message}" for each in errors_of(run)]
    _child(case, "error", said[0], "finding", "\n".join(said))
    return case


def _case(adoption: str, entry: Mapping[str, Any], known: str | None) -> ElementTree.Element:
    case = _new_case(adoption, entry["id"].removeprefix(f"{adoption}/"))
    status = entry["status"]
    if status == Status.FAIL:
        _child(case, "failure", headline(entry), "violated", details(entry))
    elif status in UNDECIDED:
        _child(case, "error", headline(entry), status, details(entry))
    elif status in _SKIPPED:
        _child(case, "skipped", headline(entry, known))
    return case


def _child(case: ElementTree.Element, tag: str, message: str, kind: str | None = None, text: str | None = None) -> None:
    child = ElementTree.SubElement(case, tag, message=_xml_text(message))
    if kind is not None:
        child.set("type", kind)
    if text is not None:
        child.text = "\n".join(_xml_text(each, keep_indent=True) for each in text.splitlines())


def _xml_text(text: str, keep_indent: bool = False) -> str:
    """Text on one line without what XML cannot hold: control characters are written as escapes."""
    indent = text[: len(text) - len(text.lstrip(" "))] if keep_indent else ""
    return indent + _NOT_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", one_line(text))
