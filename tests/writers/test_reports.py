"""A run as JUnit XML, CTRF, Markdown, HTML, SARIF and a badge."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from importlib import import_module
from xml.etree import ElementTree

import pytest

from harness.base.finding import Severity
from harness.contract.validation import Validation
from harness.writers import (
    findings_sarif,
    report_badge,
    report_ctrf,
    report_html,
    report_junit,
    report_markdown,
    report_sarif,
)
from harness.writers.report import KINDS
from tests.run_builders import ONE_OF_EACH, REPORT, adoption_run, clause, finding, report, result

NASTY = "<b>&amp; ]]> \" ' | `x` *y* _z_ [a](b) \x1b[2J \x00 \ufffe \ud800 two\nlines \u202e"
SPOILT = report(
    adoption_run(result(f"oven/{NASTY}[x]", clause(0, "violated", NASTY, [{"adoption": NASTY}])), path=NASTY),
    adoption_run(instance=None, path=NASTY, digest=None, findings=(finding(NASTY),)),
)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_takes_any_text_and_no_scenario(kind: str) -> None:
    """Each kind renders texts with anything in them, an unusable file, and a run without a scenario."""
    render = import_module(f"harness.writers.report_{kind}").render
    for each in (REPORT, SPOILT, report(adoption_run()), report()):
        text = render(each)
        assert text.endswith("\n")
        assert "\x1b" not in text
        assert "\x00" not in text


# -- JUnit ---------------------------------------------------------------------------------------------------------


def junit(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text.encode("utf-8"))


def test_junit_has_a_case_for_each_scenario_with_its_outcome() -> None:
    """Violated is a failure; error, unreached and blind are errors of that type; nothing and known are skipped."""
    root = junit(report_junit.render(REPORT))
    cases = {each.get("name"): each for each in root.iter("testcase")}
    outcomes = {name: [(child.tag, child.get("type")) for child in case] for name, case in cases.items()}
    assert outcomes == {
        "passes": [],
        "fails[a]": [("failure", "violated")],
        "breaks": [("error", "error")],
        "is-far": [("error", "unreached")],
        "is-dark": [("error", "blind")],
        "has-nothing": [("skipped", None)],
        "is-known": [("skipped", None)],
    }
    assert {case.get("classname") for case in cases.values()} == {"harness.oven"}
    assert all(case.get("time") == "0" for case in cases.values())


def test_junit_says_why() -> None:
    """A failure has the clause, the reason and the evidence; a skipped case has its reason."""
    root = junit(report_junit.render(REPORT))
    (failure,) = root.iter("failure")
    assert failure.get("message") == "clause 1: it burns"
    assert failure.text == (
        "clause 1: sentence 1\n  violated: it burns\n  shown by oven-report-log row 7, "
        "oven-state-trace without a move (3 rows looked through), the adoption at /answers/output-full"
    )
    assert [each.get("message") for each in root.iter("skipped")] == [
        "nothing to check: clause 0: why it is nothing-to-check",
        "known failure: the chimney is old (bug 7)",
    ]


def test_junit_counts_add_up() -> None:
    """The numbers of a suite and of the whole are those of the cases in it."""
    root = junit(report_junit.render(report(adoption_run(*ONE_OF_EACH), adoption_run(result("kiln/a", "holds")))))
    for element in (root, *root.iter("testsuite")):
        counted = [len(list(element.iter(tag))) for tag in ("testcase", "failure", "error", "skipped")]
        assert [int(element.get(each, "-1")) for each in ("tests", "failures", "errors", "skipped")] == counted
    assert root.get("tests") == "8"


def test_junit_of_an_invalid_adoption_is_not_green() -> None:
    """Error findings are a case of their own with an error; other findings are not."""
    warning = finding(severity=Severity.WARNING)
    root = junit(report_junit.render(report(adoption_run(findings=(finding("no job"), warning)))))
    (case,) = root.iter("testcase")
    assert (case.get("classname"), case.get("name")) == ("harness.oven", "adoption")
    (error,) = case
    assert error.get("message") == "oven.yaml:3:5: wrong-form: no job"
    assert list(junit(report_junit.render(report(adoption_run(findings=(warning,))))).iter("testcase")) == []


def test_junit_is_xml_whatever_the_texts_hold() -> None:
    """Characters that XML cannot hold are written as escapes, and names stay unique."""
    root = junit(report_junit.render(SPOILT))
    names = [(each.get("classname"), each.get("name")) for each in root.iter("testcase")]
    assert len(set(names)) == len(names) == 2
    assert "\\x1b[2J \\x00 \\ufffe \\ud800 two lines" in (next(root.iter("failure")).get("message") or "")


# -- CTRF ----------------------------------------------------------------------------------------------------------


def test_ctrf_has_what_the_format_requires() -> None:
    """The summary's numbers are those of the tests, and every test has name, status and duration."""
    document = json.loads(report_ctrf.render(REPORT))
    assert (document["reportFormat"], document["specVersion"]) == ("CTRF", "0.0.0")
    results = document["results"]
    assert results["tool"]["name"] == "harness"
    statuses = [each["status"] for each in results["tests"]]
    assert statuses == ["passed", "failed", "failed", "other", "other", "skipped", "skipped"]
    counted = {word: statuses.count(word) for word in ("passed", "failed", "skipped", "pending", "other")}
    assert results["summary"] == {"tests": 7, **counted, "start": 0, "stop": 0}
    assert [each["rawStatus"] for each in results["tests"]] == [each.status for each in ONE_OF_EACH]
    assert all(each["duration"] == 0 and each["suite"] == ["oven"] for each in results["tests"])
    assert results["tests"][1]["message"] == "clause 1: it burns"
    assert "message" not in results["tests"][0]


def test_ctrf_of_an_invalid_adoption_has_a_failed_test() -> None:
    """A file with error findings is a failed test."""
    (test,) = json.loads(report_ctrf.render(report(adoption_run(findings=(finding(),)))))["results"]["tests"]
    assert (test["name"], test["status"], test["message"]) == (
        "oven/adoption",
        "failed",
        "oven.yaml:3:5: wrong-form: it does not fit",
    )


# -- Markdown ------------------------------------------------------------------------------------------------------


def test_markdown_shows_totals_what_needs_a_look_and_reasons() -> None:
    """First a table of totals, then each scenario that did not pass, then why the rest checks nothing."""
    lines = report_markdown.render(REPORT).splitlines()
    assert lines[0] == "# Conformance to the contract tiny-contract, version 1"
    assert lines[4] == "| oven | 7 of 7 run, 2 excluded by rule, 0 unaccounted | 4 | 2 | 2 | 2 | 1 | 1 |"
    assert "- **fail** oven/fails\\[a\\]" in lines
    assert "- **known** oven/is-known: the chimney is old (bug 7)" in lines
    assert "| 2 | why it is nothing-to-check |" in lines
    assert not any("oven/passes" in each for each in lines)


def test_markdown_says_that_nothing_failed_and_that_nothing_ran() -> None:
    """Quiet adoptions are told apart from empty ones, and findings are listed."""
    text = report_markdown.render(
        report(adoption_run(result("oven/a", "holds")), adoption_run(), adoption_run(findings=(finding(),)))
    )
    assert text.count("Nothing failed.") == text.count("Nothing was run.") == 1
    assert "- finding at oven.yaml:3:5: it does not fit" in text


def test_markdown_stays_in_its_cells_whatever_the_texts_hold() -> None:
    """No text opens a link, a tag or a cell, or breaks its line."""
    clean = report(
        adoption_run(result("oven/plain[x]", clause(0, "violated", "why", [{"adoption": "/x"}])), path="x"),
        adoption_run(instance=None, path="x", digest=None, findings=(finding("x"),)),
    )
    rendered = report_markdown.render(SPOILT)
    assert len(rendered.splitlines()) == len(report_markdown.render(clean).splitlines())
    assert "<b>" not in rendered.replace("\\<b", "")
    assert "](b)" not in rendered.replace("\\](b)", "")


# -- HTML ----------------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """What is on a page: its tags with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_is_one_page_that_needs_nothing_else() -> None:
    """Every tag is closed, and nothing is loaded or run: no script, no address."""
    page = Page(report_html.render(REPORT))
    assert page.open == []
    assert {"script", "link", "img", "iframe", "a"} & {tag for tag, _ in page.tags} == set()
    assert not any(name in attributes for _, attributes in page.tags for name in ("src", "href", "onclick"))
    assert "url(" not in page.text


def test_html_opens_what_needs_a_look() -> None:
    """Every scenario is on the page with its clauses; those that need a look stand open."""
    page = Page(report_html.render(REPORT))
    opened = ["open" in attributes for tag, attributes in page.tags if tag == "details"]
    assert opened == [False, True, True, True, True, False, True]
    for said in ("oven/fails[a]", "sentence 1", "it burns", "oven-report-log row 7", "the chimney is old (bug 7)"):
        assert said in page.text


def test_html_shows_any_text_as_it_is() -> None:
    """A text with markup in it is text."""
    page = Page(report_html.render(SPOILT))
    assert page.open == []
    assert "<b>&amp; ]]>" in page.text
    assert "b" not in {tag for tag, _ in page.tags}


# -- SARIF and badge -----------------------------------------------------------------------------------------------


def test_sarif_is_what_validate_prints_for_the_same_files() -> None:
    """The findings of a run's adoptions are the same document as those of their validation."""
    run = adoption_run(findings=(finding(), finding(severity=Severity.NOTE)))
    assert report_sarif.render(report(run)) == findings_sarif.render([Validation(run.path, None, run.findings)])


@pytest.mark.parametrize(
    ("words", "message", "colour"),
    [
        (("holds", "holds", "nothing-to-check"), "2 of 2 hold", "brightgreen"),
        (("holds", "violated"), "1 of 2 hold", "red"),
        (("holds", "unreached"), "1 of 2 hold", "orange"),
        (("nothing-to-check",), "nothing checked", "lightgrey"),
    ],
)
def test_badge_counts_what_was_checked(words: tuple[str, ...], message: str, colour: str) -> None:
    """The badge says how many clauses hold of those with something to check, in the colour of the worst."""
    badge = json.loads(report_badge.render(report(adoption_run(result("oven/a", *words)))))
    assert badge == {"schemaVersion": 1, "label": "tiny-contract", "message": message, "color": colour}


def test_badge_of_known_failures_is_yellow_and_of_findings_red() -> None:
    """A known failure is not green, and an invalid adoption is red."""
    known = report(adoption_run(result("oven/a", "holds", "violated", status="known")))
    assert json.loads(report_badge.render(known))["color"] == "yellow"
    assert json.loads(report_badge.render(report(adoption_run(findings=(finding(),)))))["color"] == "red"
