"""Counts and pool assignments of one pool: what makes a clause that rests on them wrong by itself."""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.lifecycle.config import Pool
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.admission_asked import asked_runs
from harness.verdict.judgments.admission_events import Breach
from harness.verdict.parts import absent


def bad_slots(e: Evidence, pool: Pool) -> Iterator[Breach]:
    """Count rows of the pool that are wrong by themselves, name another limit, or belong to a run in another state."""
    yield from e.bad_counts(pool.id)
    for row in e.rows("count-trace", pool=pool.id):
        declared = pool.working if row["slot"] == "working" else pool.waiting
        if row["change"] not in ("take", "free"):
            yield row, f"a slot of {pool.id} is counted for a {row['change']}, which is neither a take nor a free"
        elif row["limit"] != declared:
            yield row, f"the {row['slot']} limit of {pool.id} is {declared}, the count says {row['limit']}"
    for w in e.worlds:
        yield from _waiting_differs(w, pool)
        yield from _working_differs(w, pool)


def _waiting_differs(w: WorldView, pool: Pool) -> Iterator[Breach]:
    """Runs that wait without a waiting slot, or hold one without waiting, once an event has settled."""
    for sent in w.sent:
        after = sent.after
        for place in pool.places or (None,):
            in_slots = set(after.in_slot(pool.id, place, "waiting"))
            waiting = {
                run for run in after.in_state("waiting") if (after.pool(run), after.place(run)) == (pool.id, place)
            }
            if in_slots != waiting and sent.rows:
                odd = sorted(in_slots ^ waiting)
                held = "wait without a waiting slot" if odd[0] in waiting else "hold a waiting slot without waiting"
                missing = absent("count-trace", f"the change of the waiting slot of {odd[0]}", 0, sent.rows[-1])
                yield missing, f"{', '.join(odd)} {held} in {pool.id}"
                return


def _working_differs(w: WorldView, pool: Pool) -> Iterator[Breach]:
    """Runs that work without a working slot, or that have ended and hold one, once an event has settled."""
    for sent in w.sent:
        after = sent.after
        for place in pool.places or (None,):
            slots = after.in_slot(pool.id, place, "working")
            working = [r for r in after.in_state("working") if (after.pool(r), after.place(r)) == (pool.id, place)]
            idle = [run for run in working if run not in slots]
            ended = [run for run in slots if after.ended(run)]
            if (idle or ended) and sent.rows:
                odd = (idle or ended)[0]
                told = "works without a working slot" if idle else "has ended and holds a working slot"
                missing = absent("count-trace", f"the change of the working slot of {odd}", 0, sent.rows[-1])
                yield missing, f"{odd} {told} in {pool.id}"
                return


def pools_disagree(e: Evidence, w: WorldView, pool: Pool) -> Iterator[Breach]:
    """pool-assignment against the requests and reports of the world, where this pool is or has to be assigned."""
    for run, asked in asked_runs(e, w).items():
        rows = w.rows("pool-assignment", run)
        report = asked.report
        fields = (asked.sent.event.get("fields") or {}) if asked.is_own else dict(pool.covers.fields)
        first = e.config.covering_pool(asked.job.id, tuple(fields.items()))
        due = first.id if first is not None else None
        if asked.is_own and pool.id in (due, report["pool"]) and report["pool"] != due:
            yield report, f"{run} is assigned the pool {report['pool']}, the first that covers it is {due}"
        if report["pool"] != pool.id:
            continue
        if len(rows) != 1:
            missing = absent("pool-assignment", f"the assignment of {run}", len(rows), report)
            yield rows[1] if rows else missing, f"the pool of {run} is assigned {len(rows)} times"
        for row in rows:
            told = (row["job"], row["pool"], row["place"])
            if told != (report["job"], report["pool"], report["place"]):
                yield row, f"{run} is assigned {told}, its job-requested tells {report['pool']} {report['place']}"
            elif asked.is_own and (row["covered-by"] or [None])[0] != row["pool"]:
                yield row, f"{run} is assigned {row['pool']}, covered by {', '.join(row['covered-by'])}"
