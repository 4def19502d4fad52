"""Every rule that a finding can name, with what it means. The ids are stable: reports and suppressions rest on them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_FILE = {
    "file-unreadable": "The file is missing, is a folder, or can't be opened.",
    "file-too-large": "The file is larger than the bound.",
    "file-encoding": "The file is not UTF-8 text.",
    "file-control-character": "The file or a text in it holds a character that has no place in text.",
    "file-empty": "The file holds no document.",
    "file-too-deep": "The document is nested deeper than the bound.",
    "file-too-many-values": "The document has more values than the bound, aliases counted as expanded.",
    "syntax": "The file is not JSON or YAML.",
    "several-documents": "The file holds more than one document.",
    "duplicate-key": "A key stands twice in one mapping.",
    "key-too-long": "A key of a JSON file is longer than the bound.",
    "key-not-text": "A key is not text.",
    "merge-key": "YAML merge keys are not supported.",
    "tag-refused": "YAML tags are refused and never followed.",
    "alias-bound": "The file uses more aliases than the bound.",
    "alias-unknown": "An alias has no anchor before it, or stands inside its own anchor.",
    "number-too-large": "A number is too large to be kept exact everywhere.",
    "number-not-finite": "A number is infinite or not a number.",
    "contract-unknown": "The adoption names no contract, or one that can't be found.",
    "contract-schema-missing": "The schema of contracts is not installed.",
    "schema-unusable": "A schema that came with the contract is broken.",
    "contract-mismatch": "The adoption names another contract than the one it is checked against.",
    "contract-version": "The adoption answers another version of the contract.",
}
_SHAPE = {
    "unknown-key": "A key is not known at this place.",
    "missing-key": "A required key is missing.",
    "unknown-value": "A value is not one of those that can stand here.",
    "wrong-type": "A value is of the wrong type.",
    "wrong-form": "A text is not of the form that is needed here.",
    "out-of-range": "A number, or the length of a list or text, is out of range.",
    "duplicate-item": "A value stands twice in a list.",
    "decimal-fraction": "A number is a decimal fraction, which is never exact.",
}
_CONTRACT = {
    "duplicate-template": "Two templates of a contract have one id.",
    "template-type": "A template's type and its test's type differ.",
    "template-collection": "A template that expands once names a collection or row fields.",
    "contract-collection": "A template names a collection that adoptions don't have.",
    "contract-flag": "A template names a flag that adoptions don't answer.",
    "contract-answer": "A template names an answer that its flag doesn't have.",
    "contract-row-field": "A template names a row field that its collection doesn't have.",
    "placeholder-form": "A placeholder is none of the four forms, or its braces are not closed.",
    "placeholder-row": "A row placeholder stands in a template without a row.",
    "placeholder-name": "A placeholder names a binding or input that its template doesn't have.",
}
_REFERENCES = {
    "duplicate-row-id": "Two rows of a collection have one id.",
    "duplicate-job-id": "Two job rules have one id.",
    "job-id-differs": "The job row and the rule at its address name different jobs.",
    "job-id-missing": "A job rule away from the job row's address has no id.",
    "unknown-work-limit": "A row names a pool that is not declared.",
    "unknown-cancellation": "A row or rule names a cancellation that is not declared.",
    "unknown-job": "A rule names a job that is not declared.",
    "unknown-phase": "A job names a work phase that is not declared.",
    "unknown-row": "A value by row names a row that does not cite its address.",
    "unknown-item": "A rule names an item that is no input of any job.",
    "unknown-destination": "A delivery case names a destination that is not declared.",
    "unknown-template": "A verification input names a template that the contract doesn't have.",
    "unknown-input": "A verification input is not one that its template has, or is of another type.",
    "unnamed-answer": "No template of the contract names this answer.",
    "link-cycle": "Jobs need each other in a circle.",
    "standing-order-not-covered": "A standing order's pool doesn't cover the job that it requests.",
    "standing-order-elsewhere": "A standing order's requests belong to an earlier pool than the one it names.",
    "missing-rule": "A cited address has no rule where one is consulted.",
    "wrong-rule-kind": "The rule at a cited address is of another kind than the one that is read.",
    "unused-rule": "A rule is not read by anything.",
    "field-not-read": "A row field is not read under the row's other fields.",
    "unresolved-address": "A local address leads to nothing.",
    "address-leaves-root": "A local address leads out of the adoption's folder.",
    "external-address": "An address is external: recorded, never fetched.",
    "stale-pin": "A pinned passage has changed since it was reviewed.",
    "unused-pin": "A pin is for an address that nothing cites, or that can't be checked.",
    "item-twice": "An item stands twice in one list.",
    "inputs-not-asked-for": "A job has inputs although the answer is no-inputs.",
    "inputs-missing": "A job has no inputs although the answer is required-inputs.",
    "job-place": "A job lacks its destination or site, or has the one that its output doesn't use.",
    "ruined-only": "A failure takes or gives back what only a ruined job can lose.",
    "value-out-of-range": "A fraction in a rule is out of range.",
    "capacity-differs": "Two rules give one destination different capacities.",
    "never-full-finite": "The answer is never-full although a destination has a finite capacity.",
    "row-never-chosen": "A row can never be chosen, because earlier ones always are.",
    "no-row-matches": "A job or cancellation needs a row of a collection and none is for it.",
}
_QUESTIONS = {
    "question-unanswered": "A question that is asked has no answer.",
    "answer-not-asked": "A question is answered that is not asked; the answer is ignored.",
}
_POOLS = {
    "number-missing": "A pool's answer needs a number that is not there.",
    "number-not-read": "A pool's number is not read under the pool's answers.",
    "reserved-role-name": "A role has a name that events use for something else.",
    "selector-role-unknown": "The selector of a pool names a role that is not declared.",
    "pool-not-constructible": "No pool can be built from the answers and numbers.",
}
_INVALID = {
    "row-not-legal": "A row is declared under an answer that doesn't allow it.",
    "row-needed": "An answer needs at least one row of a collection.",
    "interruption-without-work": "An interruption is declared although there is no work phase.",
    "recoverable-from-finished": "A failure from finished has a recoverable result.",
    "in-place-needs-never-full": "An in-place job doesn't answer never-full.",
    "route-needs-redelivery": "Every destination of the route can refuse and nothing makes it try again.",
}

#: Rule id -> one sentence, in the order of the kinds of finding.
RULES: Mapping[str, str] = MappingProxyType(
    {**_FILE, **_SHAPE, **_CONTRACT, **_REFERENCES, **_QUESTIONS, **_POOLS, **_INVALID}
)
