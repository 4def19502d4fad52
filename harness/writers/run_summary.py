"""The summary that `run` prints: per adoption the total, what failed and where, and why the rest checks nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from harness.base.verdict import Status, Verdict
from harness.verdict.blindness import most_restoring
from harness.writers.plain import one_line
from harness.writers.run_document import AdoptionRun

_LOUD = (Verdict.VIOLATED, Verdict.ERROR, Verdict.UNREACHED, Verdict.BLIND)
REASON_WIDTH = 110
REASONS_SHOWN = 12


def total_line(*adoptions: AdoptionRun) -> str:
    """The total of some adoptions in its fixed wording."""
    finished, selected = sum(len(each.results) for each in adoptions), sum(each.selected for each in adoptions)
    excluded, lost = sum(each.excluded for each in adoptions), sum(each.unaccounted for each in adoptions)
    return f"{finished} of {selected} run, {excluded} excluded by rule, {lost} unaccounted"


def render_summary(adoptions: Sequence[AdoptionRun]) -> str:
    """Text of the summary, one block for each adoption, and the total of several."""
    lines = [line for each in adoptions for line in _adoption_lines(each)]
    if len(adoptions) > 1:
        lines.append(f"together: {total_line(*adoptions)}")
    return "\n".join(lines) + "\n"


def _adoption_lines(adoption: AdoptionRun) -> Iterator[str]:
    yield f"{one_line(adoption.instance or adoption.path)}: {total_line(adoption)}"
    clauses = [(result, clause) for result in adoption.results for clause in result.entry["clauses"]]
    if clauses:
        counts = Counter(str(clause["verdict"]) for _, clause in clauses)
        said = ", ".join(f"{counts[word]} {word}" for word in Verdict if counts[word])
        yield f"  clauses: {counts[Verdict.HOLDS]} of {len(clauses)} hold ({said})"
    for word in _LOUD:
        for result, clause in clauses:
            if clause["verdict"] == word:
                yield from _loud_lines(result.entry, clause)
    blind = blind_text(adoption)
    if blind is not None:
        yield f"  {blind}"
    yield from _reason_lines(adoption)


def blind_text(adoption: AdoptionRun) -> str | None:
    """How many clauses are blind, and the one log that would restore most of them; None where none is."""
    found = most_restoring(clause for result in adoption.results for clause in result.entry["clauses"])
    if found is None:
        return None
    if found.log is None:
        return f"blind: {found.blind} clauses, each of which lacks several logs"
    return f"blind: {found.blind} clauses; {found.log} alone would restore {found.restored} of them, no other log more"


def _loud_lines(entry: dict[str, Any], clause: dict[str, Any]) -> Iterator[str]:
    known = "known, " if entry["status"] == Status.KNOWN else ""
    yield f"  {known}{clause['verdict']}: {entry['id']} clause {clause['index']}: {one_line(str(clause['reason']))}"
    where = evidence_text(clause["evidence"])
    if where:
        yield f"    shown by {one_line(where)}"


def evidence_text(evidence: Sequence[dict[str, Any]], most: int = 4) -> str:
    """Where the evidence stands: log and row numbers, declarations, missing rows."""
    said = [_exhibit_text(each) for each in evidence[:most]]
    if len(evidence) > most:
        said.append(f"and {len(evidence) - most} more")
    return ", ".join(said)


def _exhibit_text(exhibit: dict[str, Any]) -> str:
    if "seq" in exhibit:
        return f"{exhibit['log']} row {exhibit['seq']}"
    if "absent" in exhibit:
        return f"{exhibit['log']} without {exhibit['absent']} ({exhibit['rows']} rows looked through)"
    return f"the adoption at {exhibit['adoption']}"


def reasons_of(adoption: AdoptionRun) -> tuple[tuple[str, int], ...]:
    """Why clauses have nothing to check, each reason with the number of its clauses, the commonest first."""
    counts = Counter(
        str(clause["reason"])
        for result in adoption.results
        for clause in result.entry["clauses"]
        if clause["verdict"] == Verdict.NOTHING_TO_CHECK
    )
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _reason_lines(adoption: AdoptionRun) -> Iterator[str]:
    ordered = reasons_of(adoption)
    if not ordered:
        return
    yield f"  nothing to check in {sum(count for _, count in ordered)} clauses:"
    for reason, count in ordered[:REASONS_SHOWN]:
        said = one_line(reason)
        yield f"    {count:3d}  {said if len(said) <= REASON_WIDTH else said[: REASON_WIDTH - 1] + '…'}"
    if len(ordered) > REASONS_SHOWN:
        rest = sum(count for _, count in ordered[REASONS_SHOWN:])
        yield f"    {rest:3d}  for {len(ordered) - REASONS_SHOWN} other reasons (harness show tells each)"
