"""A run as Markdown, for the summary page of a CI job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.base.verdict import Verdict
from harness.writers.report import NEED_A_LOOK, RunReport, decisive, errors_of, name_of
from harness.writers.run_document import AdoptionRun, summary
from harness.writers.run_summary import blind_text, evidence_text, reasons_of, total_line
from harness.writers.scenario_markdown import escape


def render(report: RunReport) -> str:
    """The Markdown text: the totals, what needs a look, and why the rest checks nothing."""
    word = "contract" if len(report.contracts) == 1 else "contracts"
    lines = [f"# Conformance to the {word} {escape(report.subject)}", "", *_totals(report)]
    for adoption in report.adoptions:
        lines += _adoption(adoption, report.reasons)
    return "\n".join(lines) + "\n"


def _totals(report: RunReport) -> Iterator[str]:
    counted = [summary([each])["clauses"] for each in report.adoptions]
    words = [word for word in Verdict if any(each.get(word) for each in counted)]
    yield " | ".join(["| adoption", "scenarios", *words]) + " |"
    yield "|---|---|" + "---:|" * len(words)
    for adoption, counts in zip(report.adoptions, counted, strict=True):
        numbers = [str(counts.get(word, 0)) for word in words]
        yield " | ".join([f"| {escape(name_of(adoption))}", total_line(adoption), *numbers]) + " |"


def _adoption(adoption: AdoptionRun, reasons: Mapping[str, str]) -> Iterator[str]:
    loud = [each.entry for each in adoption.results if each.status in NEED_A_LOOK]
    errors = errors_of(adoption)
    yield from ("", f"## {escape(name_of(adoption))}", "")
    if not loud and not errors:
        yield "Nothing failed." if adoption.results else "Nothing was run."
    blind = blind_text(adoption)
    if blind is not None:
        yield f"- {escape(blind)}"
    for finding in errors:
        yield f"- finding at {escape(str(finding.position))}: {escape(finding.message)}"
    for entry in loud:
        yield from _scenario(entry, reasons.get(entry["id"]))
    yield from _nothing_to_check(adoption)


def _scenario(entry: Mapping[str, Any], known: str | None) -> Iterator[str]:
    yield f"- **{entry['status']}** {escape(entry['id'])}" + (f": {escape(known)}" if known else "")
    for clause in decisive(entry):
        shown = f" (shown by {escape(evidence_text(clause['evidence']))})" if clause["evidence"] else ""
        yield f"  - clause {clause['index']} {clause['verdict']}: {escape(str(clause['reason']))}{shown}"


def _nothing_to_check(adoption: AdoptionRun) -> Iterator[str]:
    counted = reasons_of(adoption)
    if counted:
        total = sum(number for _, number in counted)
        yield from ("", f"Nothing to check in {total} clauses:", "", "| clauses | reason |", "|---:|---|")
        for reason, number in counted:
            yield f"| {number} | {escape(reason)} |"
