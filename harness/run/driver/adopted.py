"""The adoption document that a driver is given: the one of the file, with the numbers that the events are made for."""

from __future__ import annotations

from typing import Any

from harness.contract.rules import BY_ROW, rule_address
from harness.contract.shapes import Adoption
from harness.run.facts import Facts


def plain_document(adoption: Adoption) -> dict[str, Any]:
    """An adoption's document as plain data, as written."""
    document: dict[str, Any] = _plain(adoption.document)
    return document


def adopted_document(facts: Facts) -> dict[str, Any]:
    """The document as written; where numbers are too large to walk, with the smaller ones in its rules."""
    document = plain_document(facts.adoption)
    if not facts.reduced:
        return document
    written, walked = facts.written, facts.config
    for old, new in zip(written.pools, walked.pools, strict=True):
        row = facts.adoption.row("work-limits", old.id)
        for field, kind, before, after in (
            ("working-limit-key", "limit", old.working, new.working),
            ("waiting-limit-key", "limit", old.waiting, new.waiting),
            ("places-declared-in", "places", list(old.places), list(new.places)),
        ):
            address = row.get(field)
            if address is not None and before != after:
                _write(document, facts.adoption, address, kind, row.id, after)
    for old_phase, new_phase in zip(written.phases, walked.phases, strict=True):
        address = facts.adoption.row("work-phases", old_phase.id).fields["duration-declared-in"]
        changed = _changed(
            ("work", old_phase.work, new_phase.work), ("per-tick", old_phase.per_tick, new_phase.per_tick)
        )
        _write(document, facts.adoption, address, "duration", old_phase.id, changed)
    for old_rule, new_rule in zip(written.reversals, walked.reversals, strict=True):
        address = facts.adoption.row("reversal-rules", old_rule.id).fields["reversal-declared-in"]
        changed = _changed(
            ("per-tick", old_rule.per_tick, new_rule.per_tick), ("after", old_rule.after, new_rule.after)
        )
        _write(document, facts.adoption, address, "reversal", old_rule.id, changed)
    for old_failure, new_failure in zip(written.failures, walked.failures, strict=True):
        address = facts.adoption.row("failures", old_failure.id).fields["trigger-declared-in"]
        changed = _changed(("loses-work", old_failure.loses_work, new_failure.loses_work))
        _write(document, facts.adoption, address, "failure", old_failure.id, changed)
    for old_rounding, new_rounding in zip(written.roundings, walked.roundings, strict=True):
        row = facts.adoption.row("progress-rounding-rules", old_rounding.id)
        address = row.fields["progress-rounding-declared-in"]
        changed = _changed(("initial-work", old_rounding.initial_work, new_rounding.initial_work))
        _write(document, facts.adoption, address, "progress-rounding", old_rounding.id, changed)
    return document


def _plain(value: Any) -> Any:
    """Read-only views as plain data that can be sent."""
    if isinstance(value, dict) or hasattr(value, "items"):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def _changed(*parts: tuple[str, Any, Any]) -> dict[str, Any]:
    """The named parts of a rule that differ, with their new values as a document writes them."""
    return {name: after if isinstance(after, int) else str(after) for name, before, after in parts if before != after}


def _write(document: dict[str, Any], adoption: Adoption, address: str, kind: str, row: str, value: Any) -> None:
    """Replace a rule's value, or the named parts of it."""
    key = rule_address(adoption, address)
    if key is None or value == {}:
        return
    kinds = document["rules"][key]
    rule = kinds[kind]
    by_row = isinstance(rule, dict) and set(rule) == {BY_ROW}
    old = rule[BY_ROW][row] if by_row else rule
    new = {**old, **value} if isinstance(old, dict) and isinstance(value, dict) else value
    if by_row:
        rule[BY_ROW][row] = new
    else:
        kinds[kind] = new
