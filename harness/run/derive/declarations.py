"""declaration-record and review-record: what the adoption says, before anything runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from harness.contract.shapes import Adoption, Row
from harness.run.derive.facts import DeriveFacts
from harness.run.recording import Draft

#: Every collection that an adoption may have, in the order in which they are recorded.
COLLECTIONS = (
    "work-limits",
    "work-phases",
    "progress-rounding-rules",
    "interruptions",
    "reversal-rules",
    "readmission-events",
    "redelivery-events",
    "collection-events",
    "output-destinations",
    "delivery-cases",
    "standing-orders",
    "failures",
    "cancellations",
    "cancel-return-rules",
    "dependent-cancellations",
    "read-first",
)


def review_record(facts: DeriveFacts) -> Iterable[Draft]:
    """One row for each `read-first` row: whether its passage is there, and whether it matches its pin."""
    for row in facts.adoption.rows("read-first"):
        address = row.fields["read-first"]
        passage = facts.passages.get(address)
        digest = passage.digest if passage else None
        pin = facts.adoption.pins.get(address)
        data = {
            "row": row.id,
            "address": address,
            "resolved": passage.resolved if passage else None,
            "digest": digest,
            "pin": pin,
            "matches": None if pin is None or digest is None else pin == digest,
        }
        yield Draft("review-record", None, data)


def declaration_record(adoption: Adoption) -> Iterable[Draft]:
    """One row for each answer, each collection (also the empty ones) and each declared row, in written order."""
    for flag, answer in adoption.answers.items():
        yield _declared("answer", flag, answer)
    for collection in COLLECTIONS:
        rows = adoption.rows(collection)
        yield _declared("collection", collection, len(rows))
        for row in rows:
            yield _declared("row", collection, row.id, _address(row))


def _declared(declares: str, name: str, value: str | int, address: str | None = None) -> Draft:
    data: dict[str, Any] = {"declares": declares, "name": name, "value": value, "address": address}
    return Draft("declaration-record", None, data)


def _address(row: Row) -> str | None:
    """The first address that the row cites."""
    cites = (name for name in row.fields if name.endswith(("-declared-in", "-key")) or name == "read-first")
    name = next(cites, None)
    return None if name is None else row.fields[name]
