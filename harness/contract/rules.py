"""Cited address -> the rule there, in executable form.

A rule is data. Each row field that cites a rule reads one kind of it; the kinds and their values are in the adoption
schema. Where rows of one collection need different values at one address, the value stands under `by-row`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from harness.contract.documents import pointer_to
from harness.contract.shapes import Adoption, JsonValue

BY_ROW = "by-row"

#: The kind that a row field reads, where it is not the one the field is named for.
_KINDS_BY_FIELD = {
    "interruptions-declared-in": "instruction",
    "readmission-declared-in": "event",
    "redelivery-declared-in": "event",
    "collection-declared-in": "event",
    "working-limit-key": "limit",
    "waiting-limit-key": "limit",
    "job-declared-in": "job",
    "requests-job-declared-in": "job",
}
_TRIGGER_KINDS = {"failures": "failure", "cancellations": "cancellation"}

#: Row fields that are consulted only under one value of another field of the row.
IDLE_UNLESS = {
    ("work-limits", "places-declared-in"): ("scope", "each-place"),
    ("work-limits", "place-assignment-declared-in"): ("scope", "each-place"),
    ("work-limits", "order-declared-in"): ("waiting-order", "game-rule-order"),
}


class Citation(NamedTuple):
    """One place where an adoption cites an address. `kind` is the kind it reads, None where no rule is needed.

    `collection` and `row` are None for the job row. `is_consulted` is false where the row's other fields make it idle.
    """

    address: str
    kind: str | None
    pointer: str
    collection: str | None
    row: str | None
    field: str
    is_consulted: bool = True


def is_address_field(field: str) -> bool:
    """Whether a row field holds an address."""
    return field.endswith(("-declared-in", "-key")) or field == "read-first"


def rule_kind(collection: str | None, field: str) -> str | None:
    """The kind of rule that a field of this collection (None: the job row) reads; None where it reads none."""
    if field == "trigger-declared-in":
        return _TRIGGER_KINDS.get(collection or "")
    if field in _KINDS_BY_FIELD:
        return _KINDS_BY_FIELD[field]
    return field.removesuffix("-declared-in") if field.endswith("-declared-in") else None


def citations(adoption: Adoption) -> Iterator[Citation]:
    """Every cited address in reading order: the job row first, then the rows as written."""
    address = adoption.job.get("job-declared-in")
    if address is not None:
        yield Citation(address, "job", "/job/job-declared-in", None, adoption.job.get("id"), "job-declared-in")
    for collection, rows in adoption.collections.items():
        for row in rows:
            for field, text in row.fields.items():
                if is_address_field(field):
                    other, value = IDLE_UNLESS.get((collection, field), ("", None))
                    is_consulted = value is None or row.get(other) == value
                    pointer = pointer_to("collections", collection, row.index, field)
                    kind = rule_kind(collection, field)
                    yield Citation(text, kind, pointer, collection, row.id, field, is_consulted)


def expand_address(sources: Mapping[str, str], address: str) -> str:
    """The address with a short source name at its beginning replaced by what the name stands for."""
    short, colon, rest = address.partition(":")
    return sources[short] + rest if colon and short in sources else address


def rule_address(adoption: Adoption, address: str) -> str | None:
    """The key in `rules` that an address leads to: itself, or one that is the same place under another spelling."""
    if address in adoption.rules:
        return address
    if not adoption.sources:
        return None
    full = expand_address(adoption.sources, address)
    for key in adoption.rules:
        if expand_address(adoption.sources, key) == full:
            return key
    return None


def rule_value(adoption: Adoption, address: str, kind: str, row_id: str | None = None) -> JsonValue:
    """The value of a kind of rule at an address, for a row; None where there is none.

    A value under `by-row` needs the row's id. What comes back is plain data; it is shared, so nobody should change it.
    """
    key = rule_address(adoption, address)
    if key is None or kind not in adoption.rules[key]:
        return None
    value: JsonValue = adoption.rules[key][kind]  # type: ignore[assignment] # rules hold plain JSON
    by_row = rows_of(value)
    if by_row is None:
        return value
    return by_row.get(row_id) if row_id is not None else None


def rows_of(value: JsonValue) -> dict[str, JsonValue] | None:
    """The values by row id where a rule's value is `{by-row: {...}}`, else None."""
    if isinstance(value, dict) and len(value) == 1 and isinstance(found := value.get(BY_ROW), dict):
        return found
    return None


def field_rule(adoption: Adoption, collection: str, row_id: str, field: str) -> JsonValue:
    """The rule that a field of a row cites; None where the field is absent or nothing stands there."""
    address, kind = adoption.row(collection, row_id).get(field), rule_kind(collection, field)
    return rule_value(adoption, address, kind, row_id) if address is not None and kind is not None else None


def job_rules(adoption: Adoption) -> dict[str, tuple[str, JsonValue]]:
    """Every declared job by id, with the address of its rule and the rule: the main job first, then as written.

    A rule that only names a job declared elsewhere declares none. The first declaration of an id counts.
    """
    found: dict[str, tuple[str, JsonValue]] = {}
    for declared in job_declarations(adoption):
        if declared.job is not None:
            found.setdefault(declared.job, (declared.address, declared.value))
    return found


class JobDeclaration(NamedTuple):
    """One job rule that is written out. `job` is None where the id is required and missing; `pointer` leads to it."""

    job: str | None
    address: str
    value: dict[str, JsonValue]
    pointer: str


def job_declarations(adoption: Adoption) -> Iterator[JobDeclaration]:
    """Every job rule that is written out: the main job's first, then the others in written order."""
    main = rule_address(adoption, adoption.job.get("job-declared-in", ""))
    main_id = adoption.job.get("id")
    ordered = ([main] if main is not None else []) + [each for each in adoption.rules if each != main]
    for address in ordered:
        value: JsonValue = adoption.rules[address].get("job")  # type: ignore[assignment] # rules hold plain JSON
        pointer = pointer_to("rules", address, "job")
        by_row = rows_of(value)
        entries: list[tuple[str | None, JsonValue]] = [(None, value)] if by_row is None else [*by_row.items()]
        entries.sort(key=lambda entry: entry[0] != main_id)  # the job row's own entry first
        for row_id, each in entries:
            if isinstance(each, dict):
                own = each.get("id")
                is_main = address == main and row_id in (None, main_id)
                job = own if isinstance(own, str) else (main_id if is_main else None)
                yield JobDeclaration(
                    job, address, each, pointer if row_id is None else pointer + pointer_to(BY_ROW, row_id)
                )


def named_job(adoption: Adoption, address: str, row_id: str | None = None) -> str | None:
    """The id of the job that a citing field asks for: that of the rule there, or the one that the rule names."""
    value = rule_value(adoption, address, "job", row_id)
    if isinstance(value, str):
        return value
    for declared in job_declarations(adoption):
        if declared.value is value:
            return declared.job
    return None


def fraction(value: JsonValue) -> Fraction:
    """A whole number or a text such as "3/4" as an exact fraction; ValueError for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise ValueError(f"not a fraction: {value!r}")
    try:
        return Fraction(value)
    except ZeroDivisionError:
        raise ValueError(f"not a fraction: {value!r}") from None
