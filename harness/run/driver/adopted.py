"""The adoption document that a driver is given: the one of the file, with the numbers that the events are made for."""

from __future__ import annotations

import copy
from typing import Any

from harness.contract.rules import BY_ROW, rule_address
from harness.contract.shapes import Adoption
from harness.run.facts import Facts


def adopted_document(facts: Facts) -> dict[str, Any]:
    """The document as written; where numbers are too large to walk, with the smaller ones in its rules."""
    document: dict[str, Any] = copy.deepcopy(_plain(facts.adoption.document))
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
        if old_phase.work != new_phase.work:
            address = facts.adoption.row("work-phases", old_phase.id).fields["duration-declared-in"]
            _write(document, facts.adoption, address, "duration", old_phase.id, {"work": new_phase.work})
    for old_rule, new_rule in zip(written.reversals, walked.reversals, strict=True):
        if old_rule.after != new_rule.after:
            address = facts.adoption.row("reversal-rules", old_rule.id).fields["reversal-declared-in"]
            _write(document, facts.adoption, address, "reversal", old_rule.id, {"after": new_rule.after})
    for old_failure, new_failure in zip(written.failures, walked.failures, strict=True):
        if old_failure.loses_work != new_failure.loses_work:
            address = facts.adoption.row("failures", old_failure.id).fields["trigger-declared-in"]
            lost = str(new_failure.loses_work)
            _write(document, facts.adoption, address, "failure", old_failure.id, {"loses-work": lost})
    return document


def _plain(value: Any) -> Any:
    """Read-only views as plain data that can be sent."""
    if isinstance(value, dict) or hasattr(value, "items"):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def _write(document: dict[str, Any], adoption: Adoption, address: str, kind: str, row: str, value: Any) -> None:
    """Replace a rule's value, or the named parts of it."""
    key = rule_address(adoption, address)
    if key is None:
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
