"""One queue in the order of admission, one cursor on the ring: what makes a pool a FIFO pool."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.parts import Part, holds, nothing, violated
from harness.verdict.pools.book import Book
from harness.verdict.pools.evidence import PoolEvidence
from harness.verdict.pools.judgments.fifo import clause

_CLAIM = "claim-09-fifo-and-ring"


@clause(_CLAIM, 0)
def earliest_first(e: PoolEvidence) -> Iterator[Part]:
    """The dispatched job is the first admitted one of all that wait then."""
    for step in e.steps():
        for row, book in step.unfold():
            if row.log != "assignment-trace" or row["change"] != "dispatched":
                continue
            waiting = book.waiting()
            if waiting and waiting[0] != row["job"]:
                yield violated(row, f"job {waiting[0]} was admitted before job {row['job']}, and waits on")
            elif len(waiting) > 1:
                yield holds(row)


@clause(_CLAIM, 1)
def queue_in_admission_order(e: PoolEvidence) -> Iterator[Part]:
    """The queue is sorted by the order of the acceptances."""
    for step in e.steps():
        order = list(step.book_after.jobs)
        for row in step.of("queue-trace"):
            places = [order.index(job) for job in row["jobs"] if job in order]
            if places == sorted(places):
                yield from _shown(row, len(places) > 1)
            else:
                yield violated(row, f"the queue stands as {row['jobs']}, and {order} is the order of admission")


@clause(_CLAIM, 2)
def first_free_on_the_ring(e: PoolEvidence) -> Iterator[Part]:
    """The search begins behind the last dispatch, goes around once, and takes the first free worker."""
    roles = e.pool.roles
    for step in e.steps():
        for row, book in step.unfold():
            if row.log != "assignment-trace" or row["change"] != "dispatched":
                continue
            start = _behind(book, roles)
            ring = (*roles[start:], *roles[:start])
            free = [role for role in ring if book.is_free(role)]
            if free[:1] == [row["role"]]:
                yield from _shown(row, len(free) > 1 or start > 0)
            else:
                yield violated(row, f"from {roles[start]} on the first free worker is that of {(*free, 'nobody')[0]}")


@clause(_CLAIM, 3)
def cursor_behind_the_last(e: PoolEvidence) -> Iterator[Part]:
    """The cursor that the counts show is the place behind the last dispatch."""
    for step in e.steps():
        for row in step.of("count-trace", mode="operating"):
            wanted = _behind(step.book_after, e.pool.roles)
            if row["cursor"] == wanted:
                yield from _shown(row, step.book_after.last_role is not None)
            else:
                yield violated(row, f"the cursor is {row['cursor']}, behind the last dispatch is {wanted}")


def _shown(row: LogRow, says_something: bool) -> Iterator[Part]:
    """The row, where it could have been otherwise."""
    if says_something:
        yield holds(row)


def _behind(book: Book, roles: tuple[str, ...]) -> int:
    if book.last_role not in roles:
        return 0
    return (roles.index(book.last_role) + 1) % len(roles)


@clause("invariant-ordinal-order", 0)
def ordinals_rise(e: PoolEvidence) -> Iterator[Part]:
    """Along the queue each ordinal is higher than the one before."""
    for row in e.rows("queue-trace"):
        ordinals = row["ordinals"]
        if ordinals == sorted(set(ordinals)):
            yield from _shown(row, len(ordinals) > 1)
        else:
            yield violated(row, f"the ordinals of the queue are {ordinals}")


@clause("invariant-ordinal-order", 1)
def ordinals_stay(e: PoolEvidence) -> Iterator[Part]:
    """A job keeps its ordinal, and ordinals follow the order of admission."""
    seen: dict[tuple[int, int], tuple[int, LogRow]] = {}
    for step in e.steps():
        for row in step.of("queue-trace"):
            for job, ordinal in zip(row["jobs"], row["ordinals"], strict=False):
                first, shown = seen.setdefault((row.world, job), (ordinal, row))
                if first != ordinal:
                    yield violated(row, f"job {job} has the ordinal {ordinal} and had {first}", shown)
            order = [job for job in step.book_after.jobs if (row.world, job) in seen]
            ordinals = [seen[row.world, job][0] for job in order]
            if ordinals != sorted(ordinals):
                yield violated(row, f"the jobs {order} were admitted in this order and have the ordinals {ordinals}")
            elif row["jobs"]:
                yield holds(row)


@clause("invariant-cursor-on-ring", 0)
def cursor_on_the_ring(e: PoolEvidence) -> Iterator[Part]:
    """An open pool's cursor is a place of the roster."""
    for row in e.rows("count-trace", mode="operating"):
        if row["cursor"] in range(len(e.pool.roles)):
            yield holds(row)
        else:
            yield violated(row, f"the cursor is {row['cursor']}, and the ring has {len(e.pool.roles)} places")


@clause("invariant-cursor-on-ring", 1)
def cursor_moves_with_dispatches(e: PoolEvidence) -> Iterator[Part]:
    """Nothing but a dispatch moves the cursor."""
    if len(e.pool.roles) == 1:
        yield nothing("the ring of this pool has one place")
    for step in e.steps():
        before = step.before.counts
        for row in step.of("count-trace", mode="operating"):
            given = step.dispatches()
            if before is None or row["cursor"] == before["cursor"]:
                continue
            if given:
                yield holds(row, given[-1])
            else:
                yield violated(row, f"the cursor moved from {before['cursor']} with no dispatch", step.input)
