"""What an adoption declares, judged as pairings: rows that an answer makes legal, answers that need a row."""

from __future__ import annotations

from collections.abc import Iterator

from harness.contract.questions import answer
from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence
from harness.verdict.parts import Part, Violated, absent, declared, holds, nothing, violated


def answered(e: Evidence, flag: str) -> str | None:
    """The effective answer to a flag; None where it was not asked or not answered."""
    return answer(e.adoption, flag)


def pairing(e: Evidence, flag: str, *legal: str) -> Part:
    """Whether the scenario's row is legal under the answer to this flag; the declarations are the evidence."""
    row, given = e.row, answered(e, flag)
    if row is None:
        return nothing("the scenario has no row")
    where = declared(f"/collections/{row.collection}/{row.index}")
    if given in legal:
        return holds(where, declared(f"/answers/{flag}"))
    if given is None and flag in e.adoption.answers:
        because = f"{row.id} is legal only under {' or '.join(legal)}, and {flag} is not asked"
    else:
        because = f"{row.id} is legal only under {' or '.join(legal)}, and {flag} is {given or 'not answered'}"
    more = (declared(f"/answers/{flag}"),) if flag in e.adoption.answers else ()
    return violated(where, because, *more)


def record_faults(e: Evidence, collection: str) -> Iterator[Violated]:
    """What declaration-record says of a collection and its rows, other than the adoption does."""
    rows = e.adoption.rows(collection)
    counts = e.rows("declaration-record", declares="collection", name=collection)
    if not counts:
        missing = absent("declaration-record", f"the collection {collection}")
        yield violated(missing, f"the record does not say how many rows {collection} has")
    for again in counts[1:]:
        yield violated(again, f"the record names the collection {collection} twice", counts[0])
    if counts and counts[0]["value"] != len(rows):
        because = f"the record counts {counts[0]['value']} rows of {collection}, and the adoption declares {len(rows)}"
        yield violated(counts[0], because)
    yield from _row_faults(e, collection)


def _row_faults(e: Evidence, collection: str) -> Iterator[Violated]:
    recorded = e.rows("declaration-record", declares="row", name=collection)
    ids = [row.id for row in e.adoption.rows(collection)]
    for at, row in enumerate(recorded):
        if at >= len(ids) or row["value"] != ids[at]:
            yield violated(row, f"the record has {row['value']} as row {at + 1} of {collection}, the adoption has not")
            return
        if row["address"] not in e.adoption.rows(collection)[at].fields.values():
            yield violated(row, f"the record has {row['address']} as the address of {row['value']}")
            return
    for missing in ids[len(recorded) :]:
        what = absent("declaration-record", f"the row {missing} of {collection}", rows=len(recorded))
        yield violated(what, f"the record does not name the row {missing} of {collection}")


def answer_faults(e: Evidence, flag: str) -> Iterator[Violated]:
    """What declaration-record says of an answer, other than the adoption does."""
    rows = e.rows("declaration-record", declares="answer", name=flag)
    written = e.adoption.answers.get(flag)
    if written is not None and not rows:
        missing = absent("declaration-record", f"the answer to {flag}")
        yield violated(missing, f"the record does not name the answer to {flag}")
    for again in rows[1:]:
        yield violated(again, f"the record names the answer to {flag} twice", rows[0])
    if rows and rows[0]["value"] != written:
        yield violated(rows[0], f"the record says {flag} is {rows[0]['value']}, and the adoption {written}")


def recorded(e: Evidence, collection: str) -> tuple[LogRow, ...]:
    """The rows of declaration-record that speak of a collection: its count, then its rows."""
    counts = e.rows("declaration-record", declares="collection", name=collection)
    return (*counts, *e.rows("declaration-record", declares="row", name=collection))


def existence(e: Evidence, flag: str, owing: str, collection: str) -> Iterator[Part]:
    """Under the answer `owing` to `flag` the adoption declares at least one row of `collection`."""
    if answered(e, flag) != owing:
        yield nothing(f"{flag} is not {owing}")
        return
    faults = [*record_faults(e, collection), *answer_faults(e, flag)]
    yield from faults
    rows = e.adoption.rows(collection)
    if not rows:
        because = f"{flag} is {owing}, and the adoption declares no row of {collection}"
        yield violated(declared(f"/answers/{flag}"), because, *recorded(e, collection))
    elif not faults:
        yield holds(*recorded(e, collection), declared(f"/collections/{collection}/{rows[0].index}"))
