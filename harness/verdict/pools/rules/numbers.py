"""Numbers are issued once: workers, dispatches, activations, recoveries, timers, jobs, bindings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from harness.run.recording import LogRow
from harness.verdict.parts import Part, holds, nothing, violated
from harness.verdict.pools.evidence import PoolEvidence, PoolWorld

OPENS: tuple[tuple[str, str, str], ...] = (
    ("worker-creations", "reservation", "creation"),
    ("activation-begins", "ticket", "activation"),
    ("worker-assignments", "assignment", "dispatch"),
    ("role-assignments", "assignment", "dispatch"),
    ("restart-schedules", "recovery", "recovery"),
    ("restart-schedules", "timer", "timer"),
    ("deadline-schedules", "timer", "timer"),
)
"""Which lane opens something under a new number: the lane, its column, and the kind of the number."""


def issued(e: PoolEvidence, *kinds: str) -> Iterator[Part]:
    """No number of these kinds (none named: of any) is issued again."""
    seen: dict[tuple[int, str, object], LogRow] = {}
    last: dict[tuple[int, str], LogRow] = {}
    for row in e.rows("action-lanes"):
        for lane, column, kind in OPENS:
            if row["lane"] != lane or (kinds and kind not in kinds):
                continue
            first = seen.setdefault((row.world, kind, row[column]), row)
            if first is not row:
                yield violated(row, f"{kind} {row[column]} was issued before", first)
            elif (earlier := last.get((row.world, kind))) is not None:
                yield holds(earlier, row)
            last[row.world, kind] = row


def creations_are_fresh(e: PoolEvidence) -> Iterator[Part]:
    """No creation has the reservation of an earlier one."""
    yield from issued(e, "creation")


def operations_are_fresh(e: PoolEvidence) -> Iterator[Part]:
    """Dispatches, activations, recoveries and timers each have numbers of their own."""
    yield from issued(e, "dispatch", "activation", "recovery", "timer")


def no_reissue(e: PoolEvidence) -> Iterator[Part]:
    """Nothing is opened under a number that was used."""
    yield from issued(e)


_OF_WORLDS = {"creation": "birth", "activation": "ticket"}
_WANTED = {
    "job-correlation-unavailable": "job",
    "dispatch-correlation-unavailable": "dispatch",
    "assignment-correlation-unavailable": "dispatch",
}
"""By reason, the number that a submission is refused for."""

_NO_GENERATION = ("binding-generation-unavailable", "generation-reservation-rejected")
"""Why a submission or a command about a key is refused that can have no generation."""

Issued = Iterator[tuple[LogRow, str, Any]]


def only_numbers_to_be_had(e: PoolEvidence) -> Iterator[Part]:
    """No number that is taken or beyond the last is issued, and none is missed while there is one."""
    for world in e.worlds:
        refused = world.rows("admission-outcomes", reason=tuple(_WANTED))
        yield from _to_be_had(world, _issued_in(world), ((row, _WANTED[row["reason"]]) for row in refused))


def only_generations_to_be_had(e: PoolEvidence) -> Iterator[Part]:
    """The same for the generations of bindings, which managers miss as well as customers."""
    for world in e.worlds:
        bound = ((row, "generation", row["generation"]) for row in world.rows("binding-ledger", change="bound"))
        refused = (
            (row, "generation")
            for log in ("admission-outcomes", "management-outcomes")
            for row in world.rows(log, reason=_NO_GENERATION)
        )
        yield from _to_be_had(world, bound, refused)


def _to_be_had(world: PoolWorld, issued: Issued, refused: Iterator[tuple[LogRow, str]]) -> Iterator[Part]:
    """Judges what was issued and what was refused for want of a number against the numbers that the world leaves."""
    last, taken = world.run.world.get("numbers", {}), world.run.world.get("taken", {})
    given = tuple(issued)
    for row, kind, number in given:
        if number in taken.get(kind, ()):
            yield violated(row, f"{kind} {number} is issued, and it was taken")
        elif kind in last and isinstance(number, int) and number > last[kind]:
            yield violated(row, f"{kind} {number} is issued, and {last[kind]} was the last")
        elif kind in last or kind in taken:
            yield holds(row)
    missed: Counter[str] = Counter()
    for row, kind in refused:
        # What was refused for want of one number may have retired one of each other kind.
        used = missed.total() + sum(which == kind and each.pos < row.pos for each, which, _ in given)
        missed[kind] += 1
        if missed[kind] <= len(taken.get(kind, ())) or (kind in last and used >= last[kind]):
            yield holds(row)
        else:
            yield violated(row, f"this is refused for want of a {kind} number, and there is one")


def _issued_in(world: PoolWorld) -> Issued:
    """What a world's pool opened under a number: the row, the kind as worlds name it, and the number."""
    for row in world.rows("action-lanes"):
        for lane, column, kind in OPENS:
            if row["lane"] == lane:
                yield row, _OF_WORLDS.get(kind, kind), row[column]
    for row in world.rows("admission-outcomes", outcome="accepted"):
        yield row, "job", row["job"]


def workers_are_new(e: PoolEvidence) -> Iterator[Part]:
    """A committed birth is of a worker that was never there before."""
    seen: dict[tuple[int, int], LogRow] = {}
    for step in e.steps("birth-committed"):
        if not step.is_expected:
            continue
        born = step.input
        first = seen.setdefault((born.world, born["birth"]), born)
        if first is born:
            if any(world == born.world for world, birth in seen if birth != born["birth"]):
                yield holds(born)
        else:
            yield violated(born, f"the worker of {born['role']} is the one of birth {born['birth']} again", first)


def jobs_rise(e: PoolEvidence) -> Iterator[Part]:
    """The numbers of accepted jobs rise."""
    last: dict[int, LogRow] = {}
    for row in e.rows("admission-outcomes", outcome="accepted"):
        before = last.get(row.world)
        if row["job"] is None:
            yield violated(row, "a submission was accepted, and the job has no number")
            continue
        if before is not None and not row["job"] > before["job"]:
            yield violated(row, f"job {row['job']} was told after job {before['job']}", before)
        elif before is not None:
            yield holds(before, row)
        last[row.world] = row


def authorities_are_apart(e: PoolEvidence) -> Iterator[Part]:
    """Each dispatch has an authority that no other has, bound to the birth of its worker."""
    seen: dict[tuple[int, int], LogRow] = {}
    for step in e.steps():
        for row in step.dispatches():
            worker = step.told.workers.get(row["worker"])
            first = seen.setdefault((row.world, row["authority"]), row)
            if first is not row:
                yield violated(row, f"authority {row['authority']} was given out before", first)
            elif worker is None or worker.birth != row["authority-birth"]:
                birth = row["authority-birth"]
                yield violated(row, f"the authority is bound to birth {birth}, which is not that of its worker")
            else:
                yield holds(row)


def open_authorities_differ(e: PoolEvidence) -> Iterator[Part]:
    """No two open assignments have one authority."""
    if len(e.pool.roles) == 1:
        yield nothing("this pool runs one job at a time")
    for step in e.steps():
        open_ = [each for each in step.book_after.assignments if each.runs]
        found: dict[int, LogRow] = {}
        for each in open_:
            first = found.setdefault(each["authority"], each.dispatched)
            if first is not each.dispatched:
                yield violated(each.dispatched, f"two running jobs have the authority {each['authority']}", first)
        if len(open_) > 1 and len(found) == len(open_):
            yield holds(*found.values())


def open_authorities_are_bound(e: PoolEvidence) -> Iterator[Part]:
    """The authority of an open assignment belongs to the worker that has it."""
    for step in e.steps():
        for each in step.book_after.assignments:
            if not each.runs:
                continue
            worker = step.book_after.workers.get(each["worker"])
            if worker is not None and worker.birth == each["authority-birth"]:
                yield holds(each.dispatched, worker.committed)
            else:
                yield violated(each.dispatched, f"the authority of job {each['job']} is bound to another birth")
