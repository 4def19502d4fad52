"""The waiting order as waiting-order-record has it: before an event, and whether its rows agree with the states."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence, SentView
from harness.verdict.parts import Violated, violated

Where = tuple[str | None, str | None]


def wheres(e: Evidence) -> tuple[Where, ...]:
    """Pools in written order, their places in list order, then the runs without a pool."""
    places: list[Where] = []
    for pool in e.config.pools:
        places.extend((pool.id, place) for place in pool.places or (None,))
    return (*places, (None, None))


def order_before(e: Evidence, sent: SentView) -> list[str]:
    """Waiting and stopped runs when the event entered, over all pools and places."""
    rows = sent.world.rows("waiting-order-record")
    earlier = [row for row in rows if not sent.rows or row.pos < sent.rows[0].pos]
    found: list[str] = []
    for pool, place in wheres(e):
        mine = [row for row in earlier if (row["pool"], row["place"]) == (pool, place)]
        found.extend(mine[-1]["order"] if mine else ())
    return found


def order_faults(e: Evidence) -> Iterator[Violated]:
    """Rows of the order that name other runs than wait or are stopped there, or a run that comes or goes twice."""
    for w in e.worlds:
        last: dict[Where, list[str]] = {}
        for row in w.rows("waiting-order-record"):
            where = (row["pool"], row["place"])
            was, now = last.get(where, []), list(row["order"])
            others, owed = [run for run in now if run != row.run], _standing(e, row, where) - {row.run}
            if (row.run in was) == (row["change"] == "enter"):
                verb = (
                    "enters the order, and stands" if row["change"] == "enter" else "moves or leaves, and never stood"
                )
                yield violated(row, f"run {row.run} {verb} in it")
            elif (row.run in now) == (row["change"] == "leave"):
                yield violated(row, f"run {row.run}: {row['change']}, and the order after it is {now}")
            elif set(others) != owed or len(others) != len(owed):
                yield violated(
                    row, f"the order says {now}; besides {row.run}, {sorted(owed)} wait or are stopped there"
                )
            last[where] = now


def _standing(e: Evidence, row: LogRow, where: Where) -> set[str]:
    """The runs of that pool and place that wait or are stopped once the row's settle is over."""
    at = e.after(e.settle_of(row)[-1]) if row.settle is not None else e.after(row)
    return {str(run) for run in at.in_state("waiting", "stopped") if (at.pool(run), at.place(run)) == where}
