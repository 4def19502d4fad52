"""What an adoption declares, judged as pairings: rows that an answer makes legal, answers that need a row."""

from __future__ import annotations

from collections.abc import Iterator

from harness.contract.questions import answer
from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence
from harness.verdict.judgments.outputs_logs_events import declaration_faults
from harness.verdict.parts import Part, declared, holds, nothing, violated


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


def recorded(e: Evidence, collection: str) -> tuple[LogRow, ...]:
    """The rows of declaration-record that speak of a collection: its count, then its rows."""
    counts = e.rows("declaration-record", declares="collection", name=collection)
    return (*counts, *e.rows("declaration-record", declares="row", name=collection))


def existence(e: Evidence, flag: str, owing: str, collection: str) -> Iterator[Part]:
    """Under the answer `owing` to `flag` the adoption declares at least one row of `collection`."""
    if answered(e, flag) != owing:
        yield nothing(f"{flag} is not {owing}")
        return
    faults = list(declaration_faults(e))
    yield from faults
    rows = e.adoption.rows(collection)
    if not rows:
        because = f"{flag} is {owing}, and the adoption declares no row of {collection}"
        yield violated(declared(f"/answers/{flag}"), because, *recorded(e, collection))
    elif not faults:
        yield holds(*recorded(e, collection), declared(f"/collections/{collection}/{rows[0].index}"))
