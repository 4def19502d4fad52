"""The reservation ledger against itself: what each row says is reserved, and when a reservation may end."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.admission_asked import Asked, asked_runs, destination_of, reserves
from harness.verdict.judgments.admission_events import Breach
from harness.verdict.parts import absent


def reservations_disagree(e: Evidence, w: WorldView) -> Iterator[Breach]:
    """Rows that do not follow from the rows before them, or that name another output than the run's."""
    runs = asked_runs(e, w)
    yield from _owed(e, w, runs)
    reserved: dict[str, int] = {}
    holding: dict[str | None, int] = {}
    for row in w.rows("reservation-ledger"):
        asked = runs.get(str(row.run))
        if asked is not None:
            yield from _row_is_wrong(asked, row)
        name, change = row["destination"], row["change"]
        if change == "reserve":
            if holding.get(row.run):
                yield row, f"{row.run} reserves a second time"
            holding[row.run] = row["amount"]
            reserved[name] = reserved.get(name, 0) + row["amount"]
        elif change in ("release", "use"):
            if row.run not in holding:
                yield row, f"{row.run} has no reservation to {change}"
            reserved[name] = reserved.get(name, 0) - holding.pop(row.run, 0)
        if row["reserved-after"] != reserved.get(name, 0):
            yield row, f"{reserved.get(name, 0)} are reserved at {name}, the ledger says {row['reserved-after']}"
        yield from _free_is_wrong(e, row)


def _owed(e: Evidence, w: WorldView, runs: dict[str, Asked]) -> Iterator[Breach]:
    """Admitted runs that never reserved, and delivered ones that never used their reservation."""
    for name, change in (("job-waiting", "reserve"), ("job-started", "reserve"), ("job-delivered", "use")):
        for report in w.reports(name):
            asked = runs.get(str(report.run))
            if asked is None or not reserves(e, asked):
                continue
            rows = w.rows("reservation-ledger", asked.run, change=change)
            if not any(row.pos < report.pos for row in rows):
                missing = absent("reservation-ledger", f"the {change} of {asked.run}", len(rows), report)
                yield missing, f"{name} of {asked.run} comes without the {change} of its room"


def _row_is_wrong(asked: Asked, row: LogRow) -> Iterator[Breach]:
    if row["destination"] != destination_of(asked):
        yield row, f"{asked.run} reserves at {row['destination']}, its destination is {destination_of(asked)}"
    elif row["amount"] != asked.job.size:
        yield row, f"{asked.run} reserves {row['amount']}, its output takes {asked.job.size}"


def _free_is_wrong(e: Evidence, row: LogRow) -> Iterator[Breach]:
    capacities = {each.name: each.capacity for each in e.config.destinations}
    capacity, free = capacities.get(row["destination"]), row["free-after"]
    if capacity is None and free is not None:
        yield row, f"{row['destination']} is unlimited, the ledger says {free} are free"
    elif capacity is not None and (free is None or not 0 <= free <= capacity):
        yield row, f"{row['destination']} holds {capacity}, the ledger says {free} are free"
