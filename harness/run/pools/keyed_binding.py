"""An adoption of the keyed-pool contract as the pool that it describes.

What its workers do is read as for every pool; the keys that runs use, the selector and the bound of the table are its
own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from harness.base.finding import Finding
from harness.contract.documents import pointer_to
from harness.contract.shapes import Adoption
from harness.contract.validation.subject import Subject
from harness.models.pools.keyed.definition import KeyedDefinition, check, choosing
from harness.run.pools import binding

NOBODY = "-"
"""What the selector says of a key that it knows no role for; no role can have that name."""


class KeyedPoolOf(NamedTuple):
    """A keyed pool and the keys that its runs use."""

    definition: KeyedDefinition
    keys: tuple[str, ...]


def keyed_of(adoption: Adoption) -> KeyedPoolOf:
    """The pool that an adoption describes; ValueError where an answer or a number is missing that it needs."""
    workers = binding.definition_of(adoption)
    rows = adoption.rows("keys")
    roles = {row.id: row.get("role") or NOBODY for row in rows}
    capacity = binding.numbers_of(adoption).get("binding-capacity")
    if not isinstance(capacity, int):
        raise ValueError("the adoption does not say binding-capacity")
    return KeyedPoolOf(KeyedDefinition(workers, choosing(roles, NOBODY), capacity), tuple(row.id for row in rows))


def findings(subject: Subject, can_ask: bool) -> Iterator[Finding]:
    """Why an adoption describes no keyed pool: what every pool's says, and the roles that the selector names."""
    yield from _names(subject)
    yield from binding.findings(subject, can_ask, lambda adoption: check(keyed_of(adoption).definition))


def _names(subject: Subject) -> Iterator[Finding]:
    roles = [row.id for row in subject.adoption.rows("roles")]
    for row in subject.adoption.rows("roles"):
        if row.id == NOBODY:
            pointer = pointer_to("collections", "roles", row.index, "id")
            message = f"{NOBODY} is what the selector says where it knows no role"
            yield subject.finding("reserved-role-name", pointer, message, "give the role another name")
    for row in subject.adoption.rows("keys"):
        named = row.get("role")
        if named is not None and named not in roles:
            pointer = pointer_to("collections", "keys", row.index, "role")
            hint = "name a declared role, or leave role out for a key that the selector knows no role for"
            yield subject.finding("selector-role-unknown", pointer, f"{named} is not a declared role", hint)
