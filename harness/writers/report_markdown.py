"""A run as Markdown, for the summary page of a CI job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.base.verdict import Status, Verdict
from harness.writers.plain import one_line
from harness.writers.run_document import AdoptionRun, summary
from harness.writers.run_summary import evidence_text, total_line

_LOUD = (Status.FAIL, Status.ERROR, Status.UNREACHED, Status.BLIND, Status.KNOWN)


def render(adoptions: Sequence[AdoptionRun], known_reasons: Mapping[str, str]) -> str:
    """The Markdown text: the totals, what needs a look, and why the rest checks nothing."""
    lines = ["# Conformance to the job resolution contract", "", *_totals(adoptions)]
    for adoption in adoptions:
        lines += _adoption(adoption, known_reasons)
    return "\n".join(lines) + "\n"


def _totals(adoptions: Sequence[AdoptionRun]) -> Iterator[str]:
    words = [word for word in Verdict if any(summary([each])["clauses"].get(word) for each in adoptions)]
    yield "| adoption | scenarios | " + " | ".join(words) + " |"
    yield "|---|---|" + "---|" * len(words)
    for adoption in adoptions:
        counts = summary([adoption])["clauses"]
        numbers = " | ".join(str(counts.get(word, 0)) for word in words)
        yield f"| {_cell(adoption.instance or adoption.path)} | {total_line(adoption)} | {numbers} |"


def _adoption(adoption: AdoptionRun, known_reasons: Mapping[str, str]) -> Iterator[str]:
    loud = [each.entry for each in adoption.results if each.status in _LOUD]
    errors = [each for each in adoption.findings if each.severity == "error"]
    yield from ("", f"## {_cell(adoption.instance or adoption.path)}", "")
    if not loud and not errors:
        yield "Nothing failed."
    for finding in errors:
        yield f"- finding at {_cell(str(finding.position))}: {_cell(finding.message)}"
    for entry in loud:
        yield from _scenario(entry, known_reasons.get(entry["id"]))
    yield from _reasons(adoption)


def _scenario(entry: Mapping[str, Any], known: str | None) -> Iterator[str]:
    yield f"- **{entry['status']}** `{entry['id']}`" + (f": {_cell(known)}" if known else "")
    for clause in entry["clauses"]:
        if clause["verdict"] not in (Verdict.HOLDS, Verdict.NOTHING_TO_CHECK):
            shown = f" (shown by {_cell(evidence_text(clause['evidence']))})" if clause["evidence"] else ""
            yield f"  - clause {clause['index']} {clause['verdict']}: {_cell(str(clause['reason']))}{shown}"


def _reasons(adoption: AdoptionRun) -> Iterator[str]:
    counts: dict[str, int] = {}
    for result in adoption.results:
        for clause in result.entry["clauses"]:
            if clause["verdict"] == Verdict.NOTHING_TO_CHECK:
                counts[str(clause["reason"])] = counts.get(str(clause["reason"]), 0) + 1
    if not counts:
        return
    yield from ("", f"Nothing to check in {sum(counts.values())} clauses:", "", "| clauses | reason |", "|---|---|")
    for reason, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        yield f"| {count} | {_cell(reason)} |"


def _cell(text: str) -> str:
    """Text that stays inside a Markdown cell and is no markup."""
    escaped = one_line(text).replace("\\", "\\\\").replace("|", "\\|")
    return escaped.replace("<", "&lt;").replace("`", "\\`").replace("*", "\\*").replace("[", "\\[")
