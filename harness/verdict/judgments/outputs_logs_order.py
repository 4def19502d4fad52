"""Whether waiting-order-record has every run that waits or is stopped, once, as long as it does."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.parts import Violated, absent, violated

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
    for where in wheres(e):
        mine = [row for row in earlier if (row["pool"], row["place"]) == where]
        found.extend(mine[-1]["order"] if mine else ())
    return found


def order_faults(e: Evidence) -> Iterator[Violated]:
    """Rows that name other runs than wait or are stopped there, a run that comes or goes twice, and rows that lack."""
    for w in e.worlds:
        last: dict[Where, list[str]] = {}
        for sent in w.sent:
            for row in sent.rows_of("waiting-order-record"):
                where = (row["pool"], row["place"])
                yield from _row(e, row, where, last.get(where, []))
                last[where] = list(row["order"])
            yield from _after(e, w, sent, last)


def _row(e: Evidence, row: LogRow, where: Where, was: list[str]) -> Iterator[Violated]:
    now, run = list(row["order"]), row.run
    others, owed = [each for each in now if each != run], _standing(e, row, where) - {str(run)}
    if where not in wheres(e):
        yield violated(row, f"there is no pool {where[0]} with the place {where[1]}")
    elif (run in was) == (row["change"] == "enter"):
        verb = "enters the order, and stands" if row["change"] == "enter" else "moves or leaves, and never stood"
        yield violated(row, f"run {run} {verb} in it")
    elif (run in now) == (row["change"] == "leave"):
        yield violated(row, f"run {run}: {row['change']}, and the order after it is {now}")
    elif set(others) != owed or len(others) != len(owed):
        yield violated(row, f"the order says {now}; besides {run}, {sorted(owed)} wait or are stopped there")


def _standing(e: Evidence, row: LogRow, where: Where) -> set[str]:
    """The runs of that pool and place that wait or are stopped once the row's settle is over."""
    at = e.after(e.settle_of(row)[-1]) if row.settle is not None else e.after(row)
    return {run for run in at.in_state("waiting", "stopped") if (at.pool(run), at.place(run)) == where}


def _after(e: Evidence, w: WorldView, sent: SentView, last: dict[Where, list[str]]) -> Iterator[Violated]:
    """When the event has settled, the order holds exactly the runs that wait or are stopped."""
    if not any(row.log in ("waiting-order-record", "state-trace") for row in sent.rows):
        return
    at = sent.after
    for where in wheres(e):
        owed = {run for run in at.in_state("waiting", "stopped") if (at.pool(run), at.place(run)) == where}
        found = last.get(where, [])
        if set(found) != owed:
            near = next(row for row in reversed(sent.rows) if row.run is not None)
            missing = absent("waiting-order-record", f"the order of {where[0]}", near=near)
            yield violated(missing, f"{sorted(owed)} wait or are stopped, and the order is {found}", near)
            last[where] = [run for run in at.runs if run in owed]
