"""A run as one static page that needs nothing else: no script, no font, no address outside of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from harness import __version__
from harness.base.verdict import Status, Verdict
from harness.writers.plain import one_line
from harness.writers.report import NEED_A_LOOK, RunReport, errors_of, name_of
from harness.writers.run_document import AdoptionRun, summary
from harness.writers.run_summary import evidence_text, reasons_of, total_line

_STYLE = """
body { font: 16px/1.5 sans-serif; color: #222; background: #fff; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { border: 1px solid #ccc; padding: .25rem .6rem; text-align: left; vertical-align: top; }
td.number { text-align: right; }
summary { cursor: pointer; }
details { margin: .25rem 0; }
li { margin: .5rem 0; }
.word { font-weight: bold; }
.fail, .violated, .error { color: #a40000; }
.unreached, .blind { color: #8a4b00; }
.known { color: #6b5900; }
.pass, .holds { color: #006400; }
.nothing-to-check { color: #555; }
"""


def render(report: RunReport) -> str:
    """The page: totals, then for each adoption what needs a look, every scenario, and why some check nothing."""
    title = _text(f"Conformance to {report.subject}")
    body = "\n".join([*_totals(report), *(line for each in report.adoptions for line in _adoption(each, report))])
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}\n"
        f"<p>Written by harness {_text(__version__)}.</p>\n</body>\n</html>\n"
    )


def _text(text: object) -> str:
    """Any text as it is: nothing in it is read as markup."""
    return escape(one_line(str(text)))


def _word(word: str) -> str:
    return f'<span class="word {_text(word)}">{_text(word)}</span>'


def _totals(report: RunReport) -> Iterator[str]:
    counted = [summary([each])["clauses"] for each in report.adoptions]
    words = [word for word in Verdict if any(each.get(word) for each in counted)]
    heads = "".join(f"<th>{_text(each)}</th>" for each in ("adoption", "scenarios", *words))
    yield f"<table>\n<tr>{heads}</tr>"
    for adoption, counts in zip(report.adoptions, counted, strict=True):
        numbers = "".join(f'<td class="number">{counts.get(word, 0)}</td>' for word in words)
        yield f"<tr><td>{_text(name_of(adoption))}</td><td>{_text(total_line(adoption))}</td>{numbers}</tr>"
    yield "</table>"


def _adoption(adoption: AdoptionRun, report: RunReport) -> Iterator[str]:
    yield f"<h2>{_text(name_of(adoption))}</h2>"
    errors = errors_of(adoption)
    if errors:
        items = "".join(f"<li>{_text(each.position)}: {_text(each.message)}</li>" for each in errors)
        yield f"<ul>{items}</ul>"
    for result in adoption.results:
        yield from _scenario(result.entry, report.reasons.get(result.id))
    counted = reasons_of(adoption)
    if counted:
        yield "<h3>Nothing to check</h3>\n<table>\n<tr><th>clauses</th><th>reason</th></tr>"
        for reason, number in counted:
            yield f'<tr><td class="number">{number}</td><td>{_text(reason)}</td></tr>'
        yield "</table>"


def _scenario(entry: Mapping[str, Any], known: str | None) -> Iterator[str]:
    is_open = " open" if Status(entry["status"]) in NEED_A_LOOK else ""
    yield f"<details{is_open}><summary>{_word(entry['status'])} {_text(entry['id'])}</summary>"
    if known:
        yield f"<p>{_text(known)}</p>"
    yield "<ul>"
    for clause in entry["clauses"]:
        reason = f": {_text(clause['reason'])}" if clause["reason"] else ""
        shown = f"<br>shown by {_text(evidence_text(clause['evidence']))}" if clause["evidence"] else ""
        yield f"<li>{_text(clause['text'])}<br>{_word(clause['verdict'])}{reason}{shown}</li>"
    yield "</ul></details>"
