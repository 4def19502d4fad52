"""What the judgments on pools share: the row's pool, its slots in the counts, and what reports make of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from harness.contract.rules import field_rule
from harness.models.lifecycle.config import Pool
from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.parts import Absence, Part, absent, nothing, violated
from harness.verdict.snapshot import Snapshot

#: A row, or the lack of one, with what is wrong about it.
Wrong: TypeAlias = tuple[LogRow | Absence, str]

FINISH_GATE_CAUSES = frozenset({"output-full", "inputs-unavailable-at-finish"})
TERMINAL = frozenset({"delivered", "canceled", "failed"})


def row_pool(e: Evidence) -> Pool:
    """The executable pool of the scenario's work-limits row."""
    pool = e.config.pool(e.row.id) if e.row is not None else None
    if pool is None:
        raise ValueError("the scenario is not about a work-limits row")
    return pool


def places(pool: Pool) -> tuple[str | None, ...]:
    """The places of a pool, or the one None of a shared pool."""
    return pool.places or (None,)


def observes(e: Evidence, *logs: str) -> bool:
    """Whether the system supplies these logs: supporting evidence is only looked at where it does."""
    return e.recording.observes.issuperset(logs)


def wrongs(found: Iterator[Wrong]) -> Iterator[Part]:
    """Each wrong thing as a violated part."""
    return (violated(exhibit, because) for exhibit, because in found)


def skipped(e: Evidence) -> Iterator[Part]:
    """What rests on an event that the system could not be given has nothing to check."""
    for w in e.worlds:
        for sent in w.events(outcome="skipped"):
            yield nothing(f"the system skipped {sent.kind}: {sent.reason}")


def named(where: tuple[str | None, str | None]) -> str:
    """A pool and place in words."""
    pool, place = where
    return f"{pool} at {place}" if place is not None else str(pool)


# -- limits and free slots ------------------------------------------------------------------------------------------


def limits(e: Evidence, pool: Pool, slot: str) -> tuple[int | None, ...]:
    """The limits that a count row may name: the one that is walked, and the one that the cited rule holds."""
    walked = pool.working if slot == "working" else pool.waiting
    key = "working-limit-key" if slot == "working" else "waiting-limit-key"
    row = e.adoption.row("work-limits", pool.id)
    written = field_rule(e.adoption, "work-limits", pool.id, key) if row.get(key) is not None else None
    return (walked, written) if isinstance(written, int) and written != walked else (walked,)


def workers_away(w: WorldView, pool: str, place: str | None, at: int) -> int:
    """How many slots have no worker once the event with this index has entered."""
    away: set[object] = set()
    for sent in w.sent[: at + 1]:
        if sent.outcome == "accepted" and (sent.event.get("pool"), sent.event.get("place")) == (pool, place):
            if sent.kind == "worker-stop":
                away.add(sent.event.get("slot"))
            elif sent.kind == "worker-ready":
                away.discard(sent.event.get("slot"))
    return len(away)


def free_slots(e: Evidence, pool: Pool, place: str | None, snapshot: Snapshot, away: int) -> tuple[int, ...]:
    """How many working slots could be taken at that point, for each limit that may hold; touches count-trace."""
    used = snapshot.used(pool.id, place, "working")
    return tuple((limit or 0) - used - away for limit in limits(e, pool, "working"))


def free_at(e: Evidence, pool: Pool, place: str | None, row: LogRow) -> tuple[int, ...]:
    """The same just before a row."""
    w = e.world_of(row)
    return free_slots(e, pool, place, e.at(row), workers_away(w, pool.id, place, w.sent_of(row).place))


def free_after(e: Evidence, pool: Pool, place: str | None, sent: SentView) -> int:
    """The free working slots when an event and all that followed have settled, by the limit that is walked."""
    return free_slots(e, pool, place, sent.after, workers_away(sent.world, pool.id, place, sent.place))[0]


# -- counts ---------------------------------------------------------------------------------------------------------


def slot_wrongs(e: Evidence, pool: Pool) -> Iterator[Wrong]:
    """What is wrong with a pool's counts: by themselves, by their limit, by who takes and frees, by the reports."""
    yield from e.bad_counts(pool.id)
    yield from _strange_rows(e, pool)
    yield from _double_slots(e, pool)
    for report in e.reports(pool=pool.id):
        yield from _slots_of_report(e, pool, report)


def _strange_rows(e: Evidence, pool: Pool) -> Iterator[Wrong]:
    """Count rows of the pool's runs that are of no such slot, no such change, or that no report goes with."""
    for row in e.rows("count-trace"):
        mine = e.at(row).pool(str(row.run)) == pool.id
        if not mine and row["pool"] != pool.id:
            continue
        if not mine or row["pool"] != pool.id:
            yield row, f"{row.run} belongs to {e.at(row).pool(str(row.run))}, the count row to {row['pool']}"
        elif row["change"] not in ("take", "free") or row["slot"] not in ("working", "waiting"):
            yield row, f"the count row says {row['change']} of a {row['slot']} slot"
        elif not _is_told(e, row):
            yield row, f"{row.run} {row['change']}s a {row['slot']} slot, and no report tells why"


def _is_told(e: Evidence, row: LogRow) -> bool:
    """Whether a report stands beside the row; a stopped run gives up a kept slot, its claim failed, without one."""
    if any(each.log == "report-log" and each.run == row.run for each in e.settle_of(row)):
        return True
    return bool(row["change"] == "free" and last_report(e, row).get("new") == "stopped")


def last_report(e: Evidence, row: LogRow) -> LogRow:
    """The last report of the row's run before it, the row itself where there is none."""
    found = [each for each in e.world_of(row).reports(run=row.run) if each.pos < row.pos]
    return found[-1] if found else row


def _double_slots(e: Evidence, pool: Pool) -> Iterator[Wrong]:
    for row in e.rows("count-trace", pool=pool.id):
        if row["limit"] not in limits(e, pool, row["slot"]):
            yield row, f"the count names the limit {row['limit']}, the cited rule {limits(e, pool, row['slot'])[0]}"
        held = row.run in e.at(row).in_slot(pool.id, row["place"], row["slot"])
        if row["change"] == "take" and held:
            yield row, f"{row.run} takes a {row['slot']} slot that it holds already"
        elif row["change"] == "free" and not held:
            yield row, f"{row.run} frees a {row['slot']} slot that it does not hold"
        elif row["place"] not in places(pool):
            yield row, f"{named((pool.id, row['place']))} has no slots"


def _slots_of_report(e: Evidence, pool: Pool, report: LogRow) -> Iterator[Wrong]:
    """The slots that a run must hold, and must not, when the settle of its report is over."""
    owed = _owed_slots(pool, report)
    if owed is None:
        return
    held = {kind for _, _, kind in e.after(last_of_settle(e, report)).slots(str(report.run))}
    for kind in ("working", "waiting"):
        if owed.get(kind) is True and kind not in held:
            missing = absent("count-trace", f"a {kind} slot that {report.run} takes", near=report)
            yield missing, f"{report.run} holds no {kind} slot at {report['report']}"
        elif owed.get(kind) is False and kind in held:
            yield report, f"{report.run} still holds a {kind} slot after {report['report']}"


_OWED: Mapping[str, Mapping[str, bool]] = {
    "job-requested": {"working": False, "waiting": False},
    "job-rejected": {"working": False, "waiting": False},
    "job-waiting": {"working": False, "waiting": True},
    "job-started": {"working": True, "waiting": False},
    "job-working": {"working": True, "waiting": False},
    "job-resumed": {"working": True, "waiting": False},
    "job-canceled": {"working": False, "waiting": False},
    "job-delivered": {"working": False, "waiting": False},
}


def _owed_slots(pool: Pool, report: LogRow) -> Mapping[str, bool] | None:
    """What the settle of a report leaves the run in slots; None where it may be one or the other."""
    name, causes = report["report"], frozenset(report["causes"])
    if name == "job-stopped":
        kept = causes <= FINISH_GATE_CAUSES
        if kept and report["old"] == "stopped":
            return {"waiting": False}
        return {"working": kept, "waiting": False}
    if name == "job-finished":
        return {"working": pool.releases_at == "delivered", "waiting": False}
    if name == "job-failed":
        return {"working": False, "waiting": False}
    return _OWED.get(name)


def last_of_settle(e: Evidence, row: LogRow) -> LogRow:
    """The last row of the row's settle; the row itself where it stands in none."""
    return (e.settle_of(row) or (row,))[-1]


def first_of_settle(e: Evidence, row: LogRow) -> LogRow:
    """The first row of the row's settle; the row itself where it stands in none."""
    return (e.settle_of(row) or (row,))[0]
