"""When a resume is owed and when it cannot be: causes, the share it takes, and a free working slot (step 12)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.judgments.progress_shares import Amounts, missing, resume_share, terms_of, tested_share
from harness.verdict.judgments.stops_records import (
    FAILURE,
    FINISH_GATE,
    Stop,
    causes_now,
    events_within,
    number,
    only,
    supplied,
)
from harness.verdict.parts import Violated, violated
from harness.verdict.snapshot import Snapshot

START_GATE = "start-gate"
WORK_POINT = "work-point"
AT_FINISH_GATE = "finish-gate"


def point_of(stop: Stop) -> str:
    """The resume point that such a stop records; a failure of a stopped run keeps the one there is."""
    if stop.began == FINISH_GATE:
        return AT_FINISH_GATE
    from_waiting = stop.began == FAILURE and stop.report is not None and stop.report["old"] == "waiting"
    return START_GATE if from_waiting else WORK_POINT


def at_finish_gate(stop: Stop, at: Snapshot) -> bool:
    """Whether the resume meets the finish gate: not where a loss lowered the work below the required amount."""
    terms = terms_of(stop.world, stop.run)
    return point_of(stop) == AT_FINISH_GATE and terms is not None and work_now(stop, at) >= terms.required


def work_now(stop: Stop, at: Snapshot) -> Fraction:
    """The recorded work of the stopped run; by its reports where no log of work is supplied."""
    if supplied(stop.world.evidence, "work-before-after"):
        return at.work(stop.run)
    lost = [row for row in stop.world.reports("job-failed", run=stop.run) if stop.within(row)]
    told = (*lost, stop.report)[0]
    return number(told["work-after"]) if told is not None else Fraction(0)


def wanted_share(stop: Stop, at: Snapshot) -> Amounts:
    """What the run must hold to resume from there."""
    terms = terms_of(stop.world, stop.run)
    if terms is None:
        return {}
    gate = terms.config.timing == "taken-at-finish" and at_finish_gate(stop, at)
    # Recorded work matters only where shares follow it.
    work = work_now(stop, at) if terms.follows_work else terms.required
    return resume_share(terms, work, gate)


def lacks(stop: Stop, at: Snapshot) -> Amounts:
    """The units that the run needs to resume and that are not usable now."""
    return {unit: amount for unit, amount in to_claim(stop, at).items() if at.usable(*unit) < amount}


def to_claim(stop: Stop, at: Snapshot) -> Amounts:
    """What the run must still claim to resume from there."""
    wanted = wanted_share(stop, at)
    return missing(wanted, at.held(stop.run)) if wanted else {}


def gate_lacks(stop: Stop, at: Snapshot) -> Amounts:
    """The units that the start gate tests beyond the share and that are not usable now."""
    terms = terms_of(stop.world, stop.run)
    if terms is None or point_of(stop) != START_GATE or not terms.claims_early:
        return {}
    needed = missing(tested_share(terms), at.held(stop.run))
    return {unit: amount for unit, amount in needed.items() if at.usable(*unit) < amount}


def unmet_needs(stop: Stop, at: Snapshot) -> tuple[str, ...]:
    """The jobs that a run at the start gate still needs: neither the run it is bound to nor a later one is finished."""
    terms = terms_of(stop.world, stop.run)
    if terms is None or point_of(stop) != START_GATE:
        return ()
    asked = stop.world.reports("job-requested", run=stop.run)[0]
    known = stop.world.snapshot(asked, before=True)
    unmet = []
    for need in terms.config.needs_of(terms.job.id):
        bound = [run for run in known.open_runs if known.job(run) == need]
        if bound and not any(at.state(run) in ("finished", "delivered") for run in _from(at, bound[-1], need)):
            unmet.append(need)
    return tuple(unmet)


def _from(at: Snapshot, bound: str, job: str) -> tuple[str, ...]:
    """The runs of the job from the bound one on, in order of request."""
    runs = at.runs[at.runs.index(bound) :]
    return tuple(run for run in runs if at.job(run) == job)


def free_slots(w: WorldView, sent: SentView, pool: str, place: str | None) -> int:
    """Working slots that nobody has and whose worker is there, after the event."""
    limits = w.evidence.config.pool(pool)
    if limits is None:
        return 0
    away: set[tuple[object, object, object]] = set()
    for event in w.sent[: sent.place + 1]:
        if event.outcome == "accepted" and event.kind in ("worker-stop", "worker-ready"):
            key = (event.event.get("pool"), event.event.get("place"), event.event.get("slot"))
            (away.add if event.kind == "worker-stop" else away.discard)(key)
    out = len([key for key in away if key[:2] == (pool, place)])
    return limits.working - sent.after.used(pool, place, "working") - out


def has_a_slot_to_go_on(stop: Stop, sent: SentView) -> bool:
    """Whether the run needs no slot, holds one, or finds one free after the event."""
    after, run = sent.after, stop.run
    pool = after.pool(run)
    return pool is None or after.has_slot(run) or free_slots(stop.world, sent, pool, after.place(run)) > 0


def events_of_stay(stop: Stop) -> Iterator[SentView]:
    """The event that stopped the run and the accepted ones after it, up to the last that left it stopped."""
    first = stop.world.sent_of(stop.row)
    last = stop.world.sent_of(stop.end).place if stop.end is not None else len(stop.world.sent)
    for sent in (first, *events_within(stop)):
        if sent.place < last:
            yield sent


def without_causes(e: Evidence, stop: Stop) -> Iterator[SentView]:
    """The events that left the run stopped although no cause was left."""
    for sent in events_of_stay(stop):
        after = sent.after
        if after.state(stop.run) == "stopped" and not causes_now(e, after, stop.run):
            yield sent


def resume_reports(stop: Stop) -> tuple[LogRow, ...]:
    """The report of the resume that ended this stop, if one did."""
    end = stop.end
    if end is None:
        return ()
    found = stop.world.reports("job-resumed", run=stop.run)
    if end.settle is None:
        place = stop.world.sent_of(end).place
        return tuple(row for row in found if stop.world.sent_of(row).place == place)
    return tuple(row for row in found if row.settle == end.settle)


def end_faults(stop: Stop) -> Iterator[Violated]:
    """A stop that ends in going on is reported resumed, once."""
    end = stop.end
    if end is not None and end.get("to", end.get("new")) in ("waiting", "working", "started"):
        yield from only(resume_reports(stop), "report-log", f"the resume of {stop.run}", end)
    elif end is None:
        later = [row for row in stop.world.life(stop.run) if row.pos > stop.rows[-1].pos and row["old"] != "stopped"]
        for row in later[:1]:
            yield violated(row, f"{stop.run} is stopped, and {row['report']} comes without its resume", stop.row)
