"""Pairings of an answer with the rows of a collection, as far as the adoption alone decides them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.contract.questions import answer
from harness.contract.shapes import Row
from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence
from harness.verdict.parts import Exhibit, Part, Violated, absent, declared, holds, violated


def declaration(row: Row) -> Exhibit:
    """Where the row stands in the adoption."""
    return declared(f"/collections/{row.collection}/{row.index}")


def answers_with(e: Evidence, flag: str, wanted: str) -> bool:
    """Whether the question was asked and answered that way."""
    return answer(e.adoption, flag) == wanted


def pairing(e: Evidence, row: Row, flag: str, wanted: str) -> Iterator[Part]:
    """The row is legal only under that answer; under any other, or where nobody asked, the adoption is invalid."""
    given = answer(e.adoption, flag)
    if given == wanted:
        yield holds(declaration(row), declared(f"/answers/{flag}"))
        return
    told = f"{flag} is answered {given}" if given else f"{flag} is not asked"
    yield violated(declaration(row), f"the row {row.id} is declared and {told}; it is legal only under {wanted}")


def declares_some(e: Evidence, collection: str, flag: str, wanted: str) -> Iterator[Part]:
    """The adoption has at least one row of the collection, and the declaration record says so."""
    rows = e.adoption.rows(collection)
    if not rows:
        yield violated(declared(f"/answers/{flag}"), f"{flag} is answered {wanted} and no {collection} row is declared")
        return
    record = e.rows("declaration-record")
    faults = (
        *_recorded(record, "answer", flag, (wanted,)),
        *_recorded(record, "collection", collection, (len(rows),)),
        *_recorded(record, "row", collection, tuple(row.id for row in rows)),
    )
    yield from faults
    if not faults:
        shown = [row for row in record if row["name"] in (flag, collection)]
        yield holds(declaration(rows[0]), *shown)


def _recorded(record: Sequence[LogRow], declares: str, name: str, values: tuple[str | int, ...]) -> Iterator[Violated]:
    """Faults where the record does not have exactly these values under that name, in this order."""
    found = [row for row in record if row["declares"] == declares and row["name"] == name]
    for row, value in zip(found, values, strict=False):
        if row["value"] != value:
            yield violated(row, f"the record says {name} is {row['value']}, the adoption says {value}")
    for row in found[len(values) :]:
        yield violated(row, f"the record has {name} {row['value']} once more than the adoption")
    for value in values[len(found) :]:
        gone = absent("declaration-record", f"the {declares} {name} {value}", rows=len(record))
        yield violated(gone, f"the record leaves out that {name} is {value}")
