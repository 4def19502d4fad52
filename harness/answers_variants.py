"""The same adoption with another answer to one question, completed by as little as makes it whole again.

Another answer may need rows, make new questions be asked, or make rows and answers idle. All that is changed besides
the answer is said, in words. What is added is the plainest there is, as in `harness.assembly`.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from harness.base.finding import Finding, Severity
from harness.contract.documents import Document, parse_document
from harness.contract.questions import FLAGS, MAY_STAY_UNANSWERED, asked, failure_result
from harness.contract.reading import build_adoption
from harness.contract.rules import field_rule, job_declarations, rows_of, rule_address
from harness.contract.shapes import Adoption, Contract, Row
from harness.contract.validation import validate_document
from harness.contract.validation.contract_rules import NEEDS, PAIRINGS
from harness.kits import check_of

ADDED = "what-if@1:rules"
"""Where the rules of added rows are said to stand: outside, so that nobody looks for them."""

#: What a question is answered with where another answer makes it be asked.
PLAINEST = {
    "input-claim-timing": "taken-at-start",
    "partial-work": "keep-with-job",
    "failure-result": "partial-inputs-or-work",
    "stopped-claims": "hold",
    "cancel-return": "return-claimed",
    "cancel-dependents": "end-dependents",
}

_RECOVERABLE, _RUINED = "partial-inputs-or-work", "job-ruined"


@dataclass(frozen=True, slots=True)
class Variant:
    """An adoption with another answer; `notes` say what else was changed to make it whole."""

    flag: str
    answer: str
    adoption: Adoption
    document: Document
    notes: tuple[str, ...]


def make_variant(adoption: Adoption, flag: str, answer: str) -> Variant:
    """The adoption with that answer to the question."""
    draft = _Draft(adoption)
    old = draft.answers.get(flag)
    draft.answers[flag] = answer
    if flag == "job-inputs":
        _change_inputs(draft, answer)
    if flag == "output-full":
        _change_capacities(draft, old, answer)
    _settle(draft)
    document = draft.finished()
    return Variant(flag, answer, build_adoption(document), document, tuple(draft.notes))


class _Draft:
    """A copy of the adoption's document while it is being changed, and the notes on the changes."""

    def __init__(self, adoption: Adoption) -> None:
        self.path = adoption.path
        self.value: dict[str, Any] = copy.deepcopy(dict(adoption.document))
        self.notes: list[str] = []
        self._frame = _parsed(self.path, {})

    @property
    def answers(self) -> dict[str, str]:
        """The answers, to be changed."""
        found: dict[str, str] = self.value.setdefault("answers", {})
        return found

    @property
    def collections(self) -> dict[str, list[dict[str, str]]]:
        """The rows, to be changed."""
        if not isinstance(self.value.get("collections"), dict):
            self.value["collections"] = {}
        found: dict[str, list[dict[str, str]]] = self.value["collections"]
        return found

    @property
    def adoption(self) -> Adoption:
        """The adoption as it is now; the values of its rules are those of the draft."""
        return build_adoption(self._frame, self.value)

    def cite(self, name: str, kind: str, rule: Any) -> str:
        """A rule of an added or changed row, at an address of its own."""
        address = f"{ADDED}#{name}"
        self.value.setdefault("rules", {}).setdefault(address, {})[kind] = rule
        return address

    def add_row(self, collection: str, row_id: str, field: str, kind: str, rule: Any) -> None:
        """One more row, with its rule, and a note on it."""
        rows = self.collections.setdefault(collection, [])
        rows.append({"id": row_id, field: self.cite(row_id, kind, rule)})
        self.notes.append(f"{collection} gains the row {row_id}: {_words(rule)}")

    def drop_rows(self, collection: str) -> None:
        """A collection without rows, and a note on those that are left out."""
        rows = self.collections.pop(collection, None)
        if rows:
            self.notes.append(f"{collection} loses {', '.join(row['id'] for row in rows)}, not legal here")

    def finished(self) -> Document:
        """The document, parsed anew so that every value has its place."""
        return _parsed(self.path, self.value)


def _parsed(path: str, value: dict[str, Any]) -> Document:
    # As JSON whatever the file's own form was; only the path stays, because addresses are relative to it.
    document, findings = parse_document("variant.json", json.dumps(value, ensure_ascii=False).encode())
    if document is None:
        raise ValueError(f"a variant of {path} is no document: {findings}")
    return Document(path, document.digest, document.text, document.root, document.lines)


def _words(rule: Any) -> str:
    return rule if isinstance(rule, str) else json.dumps(rule, ensure_ascii=False)


# -- rows and questions that go with the answers --------------------------------------------------------------------


def _settle(draft: _Draft) -> None:
    """Rows, answers and failures follow the answers, until nothing is left to change."""
    before = None
    while before != (now := json.dumps(draft.value, sort_keys=True)):
        before = now
        _answer_what_is_asked(draft)
        _drop_illegal_rows(draft)
        _add_needed_rows(draft)
        _keep_failures_legal(draft)


def _answer_what_is_asked(draft: _Draft) -> None:
    for flag in FLAGS:
        is_asked, is_answered = asked(draft.adoption, flag), flag in draft.answers
        if is_asked and not is_answered and flag not in MAY_STAY_UNANSWERED:
            draft.answers[flag] = PLAINEST[flag]
            draft.notes.append(f"{flag} is asked now; it is answered {PLAINEST[flag]}")
        elif is_answered and not is_asked:
            del draft.answers[flag]
            draft.notes.append(f"{flag} is not asked any more")


def _drop_illegal_rows(draft: _Draft) -> None:
    for pairing in PAIRINGS:
        if draft.answers.get(pairing.flag) not in pairing.answers:
            draft.drop_rows(pairing.collection)


def _add_needed_rows(draft: _Draft) -> None:
    missing = {
        need.collection
        for need in NEEDS
        if draft.answers.get(need.flag) == need.answer and not draft.collections.get(need.collection)
    }
    if draft.answers.get("output-full") == "try-destinations":
        wanted = {"redelivery-events", "output-destinations"}
        missing |= {each for each in wanted if not draft.collections.get(each)}
    for collection in sorted(missing):
        _ADDITIONS[collection](draft)


def _add_event(collection: str, row_id: str, field: str) -> Callable[[_Draft], None]:
    return lambda draft: draft.add_row(collection, row_id, field, "event", row_id)


def _add_rounding(draft: _Draft) -> None:
    """Rounded down, so that the first share is less than the whole wherever there is more than one tick."""
    field = "progress-rounding-declared-in"
    draft.add_row("progress-rounding-rules", "whole-units", field, "progress-rounding", {"round": "down"})


def _add_reversal(draft: _Draft) -> None:
    draft.add_row("reversal-rules", "undone", "reversal-declared-in", "reversal", {"per-tick": 1})


def _add_return(draft: _Draft) -> None:
    """One unit of the first input comes back: told from the whole claim and from nothing."""
    item = next((need["item"] for job in _jobs(draft) for need in job.get("inputs", ())), "unit")
    rule = {"amounts": [{"item": item, "amount": 1}]}
    draft.add_row("cancel-return-rules", "refund", "cancel-return-declared-in", "cancel-return", rule)


def _add_destination(draft: _Draft) -> None:
    size = max((job["output"]["size"] for job in _jobs(draft)), default=1)
    rule = {"name": "spare-place", "capacity": max(1, size)}
    draft.add_row("output-destinations", "spare-place", "destination-declared-in", "destination", rule)


_ADDITIONS: dict[str, Callable[[_Draft], None]] = {
    "readmission-events": _add_event("readmission-events", "room-again", "readmission-declared-in"),
    "redelivery-events": _add_event("redelivery-events", "try-again", "redelivery-declared-in"),
    "collection-events": _add_event("collection-events", "fetched", "collection-declared-in"),
    "progress-rounding-rules": _add_rounding,
    "reversal-rules": _add_reversal,
    "cancel-return-rules": _add_return,
    "output-destinations": _add_destination,
}


# -- jobs -----------------------------------------------------------------------------------------------------------


def _jobs(draft: _Draft) -> Iterator[dict[str, Any]]:
    """The job rules of the draft, to be changed."""
    for declared in job_declarations(draft.adoption):
        yield declared.value


def _change_inputs(draft: _Draft, answer: str) -> None:
    """Jobs take something where inputs are required, and nothing where they are not."""
    if answer == "no-inputs":
        dropped = [job for job in _jobs(draft) if job.pop("inputs", None)]
        for job in _jobs(draft):
            job.pop("offer-check", None)
        if dropped:
            draft.notes.append("the jobs take nothing any more")
        return
    changed = [job for job in _jobs(draft) if not job.get("inputs")]
    for job in changed:
        job["inputs"] = [{"item": "unit", "amount": 2, "source": "store"}]
    if changed:
        draft.notes.append("the jobs take 2 unit from store")


def _change_capacities(draft: _Draft, old: str | None, answer: str) -> None:
    """A destination that is never full is unlimited; one that can be is not, or the answer would mean nothing."""
    normal = [job["destination"] for job in _jobs(draft) if "destination" in job]
    if answer == "never-full":
        changed = [each for each in normal if each["capacity"] != "unlimited"]
        for each in changed:
            each["capacity"] = "unlimited"
        told = "are unlimited: what is never full has no limit"
    else:
        changed = [each for each in normal if old == "never-full" and each["capacity"] == "unlimited"]
        size = max((job["output"]["size"] for job in _jobs(draft)), default=1)
        for each in changed:
            each["capacity"] = max(1, size)
        told = "hold one output: what is unlimited is never full"
    if changed:
        names = ", ".join(dict.fromkeys(each["name"] for each in changed))
        draft.notes.append(f"the destinations {names} {told}")


# -- failures -------------------------------------------------------------------------------------------------------


def _keep_failures_legal(draft: _Draft) -> None:
    adoption = draft.adoption
    for row, written in zip(adoption.rows("failures"), draft.collections.get("failures", ()), strict=True):
        result = failure_result(adoption, row)
        if row.get("from-state") == "finished" and result == _RECOVERABLE and row.get("result") is None:
            written["result"] = _RUINED
            draft.notes.append(f"the failure {row.id} says {_RUINED}: nothing else is possible from finished")
        else:
            _change_losses(draft, row, written, result == _RECOVERABLE)


def _change_losses(draft: _Draft, row: Row, written: dict[str, str], recoverable: bool) -> None:
    """No losses where nothing is claimed; no loss of everything, and no release, where the job can recover."""
    rule: Any = field_rule(draft.adoption, "failures", row.id, "trigger-declared-in")
    if not isinstance(rule, dict):
        return
    takes_nothing = draft.answers.get("job-inputs") == "no-inputs"
    gone = {"loses", "releases"} if takes_nothing else set()
    if recoverable:
        gone |= {"releases"} | ({"loses"} if rule.get("loses") == "all" else set())
    gone &= set(rule)
    if gone:
        left = {name: value for name, value in rule.items() if name not in gone}
        _replace_failure(draft, row, written, left)
        why = "nothing is taken" if takes_nothing else "a job that can recover keeps a part"
        draft.notes.append(f"the failure {row.id} is without {' and '.join(sorted(gone))}: {why}")


def _replace_failure(draft: _Draft, row: Row, written: dict[str, str], rule: dict[str, Any]) -> None:
    """Another rule for this row alone: in place where the values stand by row, else at an address of its own."""
    address = rule_address(draft.adoption, written["trigger-declared-in"])
    by_row = rows_of(draft.value["rules"][address]["failure"]) if address is not None else None
    if by_row is not None:
        by_row[row.id] = rule
    else:
        written["trigger-declared-in"] = draft.cite(f"{row.id}-trigger", "failure", rule)


# -- checking -------------------------------------------------------------------------------------------------------


def variant_errors(adoption: Adoption, variant: Variant, contract: Contract) -> tuple[str, ...]:
    """The messages of the errors that the variant has and the adoption itself has not."""
    known = {each.rule for each in _findings(_parsed(adoption.path, dict(adoption.document)), contract)}
    return tuple(each.message for each in _findings(variant.document, contract) if each.rule not in known)


def _findings(document: Document, contract: Contract) -> tuple[Finding, ...]:
    """The error findings about a document."""
    found = validate_document(document, contract, checks=check_of).findings
    return tuple(each for each in found if each.severity is Severity.ERROR)
