"""The roster: declared roles, in their order, for good."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.parts import Part, absent, holds, violated
from harness.verdict.pools.evidence import PoolEvidence


def begins_as_declared(e: PoolEvidence) -> Iterator[Part]:
    """The first members are the declared roles, at their places."""
    for step in e.steps("initialize"):
        rows = [row for row in step.of("state-trace") if row["role"] is not None]
        if [(row["place"], row["role"]) for row in rows] == list(enumerate(e.pool.roles)):
            yield holds(*rows)
        else:
            found = ", ".join(str(row["role"]) for row in rows) or "nobody"
            exhibit = rows[0] if rows else absent("state-trace", "the first members", near=step.input)
            yield violated(exhibit, f"declared are {', '.join(e.pool.roles)}, and the pool begins with {found}")


def keeps_places(e: PoolEvidence) -> Iterator[Part]:
    """Every row about a member names the place of its role."""
    for row in e.rows("state-trace"):
        if row["role"] is None:
            continue
        if row["role"] in e.pool.roles and e.pool.roles.index(row["role"]) == row["place"]:
            yield holds(row)
        else:
            yield violated(row, f"{row['role']} stands at place {row['place']}, where it was not declared")


def retired_stay(e: PoolEvidence) -> Iterator[Part]:
    """A retired member stays one until the pool closes."""
    retired: dict[tuple[int, str], LogRow] = {}
    for row in e.rows("state-trace"):
        key = (row.world, str(row["role"]))
        if key in retired and row["to"] not in ("retired", "drained"):
            yield violated(row, f"{row['role']} had retired and is {row['to']}", retired[key])
        elif row["to"] == "retired":
            retired[key] = row
            yield holds(row)
