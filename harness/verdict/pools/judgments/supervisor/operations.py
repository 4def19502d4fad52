"""Operations of proxies: how many are unresolved, their tickets, and what one needs to leave."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.parts import Part, holds, nothing, violated
from harness.verdict.pools.evidence import PoolEvidence
from harness.verdict.pools.supervisor.book import INPUT_LANES, REPLACEMENT
from harness.verdict.pools.supervisor.evidence import Moment, declared, moments

NEVER = "workers of this supervisor are never replaced"
OPENS: tuple[tuple[str, str, str], ...] = (
    ("proxy-creations", "reservation", "creation"),
    ("worker-preparations", "preparation", "preparation"),
    ("restart-schedules", "recovery", "recovery"),
    ("restart-schedules", "timer", "timer"),
    ("deadline-schedules", "timer", "timer"),
    *((lane, "ticket", "operation") for lane in INPUT_LANES),
)
"""Which lane opens something under a new number: the lane, its column, and the kind of the number."""


def within_the_limit(e: PoolEvidence) -> Iterator[Part]:
    """Facts and operations leave no more operations open than the limit."""
    limit = e.pool.activation_limit
    for step in moments(e):
        given = step.book_after.given
        if len(given) > limit:
            rows = [each.left for each in given.values()]
            yield violated(step.input, f"{len(given)} operations are unresolved, and the limit is {limit}", *rows)
        elif given:
            yield holds(*(each.left for each in given.values()))


def counted_within_the_limit(e: PoolEvidence) -> Iterator[Part]:
    """So say the counts."""
    for row in e.rows("count-trace"):
        if row["operations"] > e.pool.activation_limit:
            yield violated(
                row, f"{row['operations']} operations are unresolved, the limit is {e.pool.activation_limit}"
            )
        elif row["operations"]:
            yield holds(row)


def counts_are_the_book(e: PoolEvidence) -> Iterator[Part]:
    """While the supervisor operates, it counts those operations that left and have no outcome."""
    for step in moments(e):
        for row in step.of("count-trace", mode="operating"):
            given = step.book_after.given
            if row["operations"] != len(given):
                yield violated(
                    row, f"{len(given)} operations have no outcome, {row['operations']} are counted", step.input
                )
            elif given:
                yield holds(row)


def one_for_each_proxy(e: PoolEvidence) -> Iterator[Part]:
    """A proxy that gets an operation is there and has none."""
    for step in moments(e):
        for row, book in step.leaving():
            if row["lane"] not in INPUT_LANES:
                continue
            open_ = book.given.get(row["proxy"])
            if open_ is not None:
                yield violated(row, f"proxy {row['proxy']} still has operation {open_.left['ticket']}", open_.left)
            elif book.role_of(row["proxy"]) is None:
                yield violated(row, f"an operation leaves for proxy {row['proxy']}, which is not there")
            else:
                yield holds(row)


def issued_once(e: PoolEvidence) -> Iterator[Part]:
    """No number is issued again."""
    yield from _issued(e, ())


def tickets_are_fresh(e: PoolEvidence) -> Iterator[Part]:
    """No ticket is issued again."""
    yield from _issued(e, ("operation",))


def _issued(e: PoolEvidence, kinds: tuple[str, ...]) -> Iterator[Part]:
    seen: dict[tuple[int, str, object], LogRow] = {}
    last: dict[tuple[int, str], LogRow] = {}
    for row in e.rows("action-lanes"):
        for lane, column, kind in OPENS:
            if row["lane"] != lane or (kinds and kind not in kinds):
                continue
            first = seen.setdefault((row.world, kind, row[column]), row)
            earlier = last.get((row.world, kind))
            if first is not row:
                yield violated(row, f"{kind} {row[column]} was issued before", first)
            elif earlier is not None:
                yield holds(earlier, row)
            last[row.world, kind] = row


# -- what a replacement needs --------------------------------------------------------------------------------------


def released_first(e: PoolEvidence) -> Iterator[Part]:
    """A replacement leaves once the timer of its recovery has gone off."""
    restarts = None if declared(e).recovery is None else declared(e).recovery.restarts  # type: ignore[union-attr]  # looked at right here
    if restarts is None:
        yield nothing(NEVER)
        return
    timed = restarts.timing.kind != "immediate"
    for step in moments(e):
        for row in step.lane("proxy-replacement-inputs"):
            timers = [each for (number, _), each in step.told.timers.items() if number == row["recovery"]]
            if timed and not (timers and all(each.state == "over" for each in timers)):
                yield violated(
                    row, f"recovery {row['recovery']} is not released, and its replacement leaves", step.input
                )
            else:
                yield holds(step.input, row)


def predecessor_is_there(e: PoolEvidence) -> Iterator[Part]:
    """A replacement names the worker that its proxy reported ready last, and a first operation finds none."""
    for step in moments(e):
        for row, book in step.leaving():
            if row["lane"] not in INPUT_LANES:
                continue
            service = book.serving.get(row["proxy"])
            if row["operation"] != REPLACEMENT:
                if service is not None:
                    yield violated(
                        row, f"a first worker leaves for proxy {row['proxy']}, which has had one", service.ready
                    )
                else:
                    yield holds(row)
            elif service is None or service.worker != row["replaces"] or service.successor is not None:
                yield violated(row, f"worker {row['replaces']} is to be replaced, which is not the one reported ready")
            else:
                yield holds(service.ready, row)


def nobody_held_back(e: PoolEvidence) -> Iterator[Part]:
    """With an activation free, nobody waits for nothing else."""
    for row in e.rows("count-trace", mode="operating"):
        if row["waiting"] and row["operations"] < e.pool.activation_limit:
            yield violated(row, f"{row['waiting']} wait for an activation, and {row['operations']} are taken")
        elif row["waiting"] or row["operations"]:
            yield holds(row)


def traces_hold_nobody_back(e: PoolEvidence) -> Iterator[Part]:
    """Nor does the state trace show anybody who waits beside a free activation."""
    for step in moments(e):
        if step.after.mode != "operating":
            continue
        waiting = tuple(_waiting(e, step))
        used = len(step.book_after.given)
        if waiting and used < e.pool.activation_limit:
            row = step.after.cells[waiting[0]]
            yield violated(step.input, f"{waiting[0]} waits for an activation, and {used} are taken", row)
        elif waiting:
            yield holds(step.input, step.after.cells[waiting[0]])


def declared_order_first(e: PoolEvidence) -> Iterator[Part]:
    """Whoever gets an activation stands before those that wait on."""
    if len(e.pool.roles) == 1:
        yield nothing("the supervisor has one role")
    for step in moments(e):
        if step.after.mode != "operating":
            continue
        waiting = list(_waiting(e, step))
        for row in step.of("action-lanes", lane=INPUT_LANES):
            role = step.told.role_of(row["proxy"])
            before = [each for each in waiting if role in e.pool.roles and _place(e, each) < _place(e, str(role))]
            if before:
                yield violated(row, f"{role} gets an activation, and {before[0]} stands before it and waits on")
            else:
                yield holds(row)


def _place(e: PoolEvidence, role: str) -> int:
    return e.pool.roles.index(role)


def _waiting(e: PoolEvidence, step: Moment) -> Iterator[str]:
    """The roles that wait for nothing but an activation, as the state trace has them."""
    for role in e.pool.roles:
        phase, team = step.after.phase(role), step.after.team_of(role)
        if phase in ("starting", "recovery-awaiting-initial"):
            if step.after.within(role) == "waiting-for-authorization":
                yield role
        elif phase == "recovery-waiting" and team is not None and team["release"] == "ready":
            yield role
