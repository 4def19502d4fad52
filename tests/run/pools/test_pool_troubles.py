"""Workers and sources that give up, times other than 0, numbers that cannot be had: shown by runs, and judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_args

import pytest

from harness.base.verdict import Verdict
from harness.models.pools import facts as f
from harness.models.pools import recovery, turn
from harness.models.pools.correlations import Allocator, Reservation, reserve
from harness.models.pools.recovery import Recoveries
from harness.models.pools.startup import Startup
from harness.models.pools.timing import CLOCK_MAX, Budget, Charged, charge, due
from harness.run.plan import Plan, PlannedWorld
from harness.run.pools.events import event_of
from harness.run.pools.fifo_plans import SHOWN
from harness.run.pools.planning import Shown
from harness.run.recording import LogRow
from tests.verdict.pools.pool_runs import POOLS, Pool, pool

NUMBERS, STOPS = "claim-02-fresh-workers", "claim-11-stop-resolves-once"
MATRIX = "matrix-of-modes-and-members"
TEMPORARY = "workers of this pool are never replaced"
WARM = tuple(f"advance {role}" for role in ("left", "right") for _ in range(4))


def rows_of(name: str, world: PlannedWorld, log: str) -> list[LogRow]:
    recording = pool(name).record(MATRIX, Plan((world,)))
    return [row for row in recording.rows if row.log == log]


def entered(*letters: str) -> LogRow:
    """The last fact that enters the ticket desk by these letters."""
    events = tuple(map(event_of, ("initialize", *letters)))
    return rows_of("ticket-desk", PlannedWorld({}, events), "input-log")[-1]


def shown(name: str, shape: str, table: Mapping[str, Shown] = SHOWN) -> PlannedWorld | None:
    """The run of a pool that shows this, by the table of its law; None for a pool that has none."""
    for template, each in table.items():
        if shape in each.shapes:
            worlds = pool(name).plan(template).worlds
            return next((world for world in worlds if shape in world.shapes), None)
    raise LookupError(f"no template names {shape!r}")


# -- letters -----------------------------------------------------------------------------------------------------------


def test_a_worker_gives_its_start_up() -> None:
    """`quit` answers the open start in every number; with none open it names nobody."""
    fact = entered("advance left", "quit left")
    assert (fact["input"], fact["worker"], fact["attempt"]) == ("init-stopped", 1, 1)
    assert entered("quit left")["worker"] == 0


def test_a_source_gives_up() -> None:
    """`partial` answers for the worker that stopped, with what had been prepared, also where it is not asked."""
    fact = entered(*WARM, "stop right", "partial right")
    assert (fact["input"], fact["role"], fact["replaces"]) == ("source-partial", "right", 2)
    assert fact["prefix"] == ["half-made"]
    assert entered(*WARM, "partial left")["input"] == "source-partial"


def test_answers_that_come_out_of_turn_close_their_own_question() -> None:
    """A start that is given up is not answered again by the next good answer; older questions stay open."""
    assert entered("advance left", "quit left", "stop left", "advance left")["input"] == "source-prepared"
    assert entered(*WARM, "submit", "stop left", "partial left", "advance left")["input"] == "delivery-accepted"


@pytest.mark.parametrize(
    ("letters", "at"),
    [
        (("stop left",), 0),
        (("stop-later left",), 101),
        (("stop-later left", "stop-later right"), 202),
        (("stop-later left", "stop right"), 101),
        (("stop-later left", "stop-earlier right"), 100),
        (("stop-earlier left",), 0),
        (("stop-at-end left",), CLOCK_MAX),
        (("stop-at-end left", "stop-later right"), CLOCK_MAX),
    ],
)
def test_stops_have_times(letters: tuple[str, ...], at: int) -> None:
    """A later stop lies beyond the window, an earlier one before the last stop, and no time lies outside the clock."""
    fact = entered(*WARM, *letters)
    assert (fact["input"], fact["at"], fact["abnormal"]) == ("worker-stopped", at, True)


# -- what runs show ----------------------------------------------------------------------------------------------------


def test_runs_show_every_kind_of_fact() -> None:
    """The pool with every answer meets each fact of the law in its runs."""
    recording = pool("night-mill").record(MATRIX, pool("night-mill").plan(MATRIX))
    found = {row["input"] for row in recording.rows if row.log == "input-log"}
    assert found == {kind._field_defaults["kind"] for kind in get_args(f.Fact)}


@pytest.mark.parametrize("name", POOLS)
@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        ("job numbers that run out", "job-correlation-unavailable"),
        ("a job number that is taken", "job-correlation-unavailable"),
        ("dispatch numbers that run out", "dispatch-correlation-unavailable"),
        ("a dispatch number that is taken", "dispatch-correlation-unavailable"),
    ],
)
def test_submissions_are_refused_for_want_of_a_number(name: str, shape: str, reason: str) -> None:
    """Every pool refuses one for it; where the number is only taken, the next submission is accepted."""
    world = shown(name, shape)
    assert world is not None
    answers = [row["reason"] for row in rows_of(name, world, "admission-outcomes")]
    assert answers == [None, reason, None] if "taken" in shape else answers == [None, reason]


@pytest.mark.parametrize("name", ["ticket-desk", "night-mill"])
@pytest.mark.parametrize(
    ("shape", "made"),
    [
        ("a stop after the window of all restarts", True),
        ("a stop at the last tick of the window of all restarts", False),
        ("a stop that is told with a time before the last restart", False),
        ("worker numbers that run out", False),
        ("recovery numbers that run out", False),
        ("restart timers that have no number", False),
        ("a worker source that gives up at a role", False),
    ],
)
def test_a_replacement_is_made_or_not(name: str, shape: str, made: bool) -> None:
    """The last source that answers in these runs has its replacement made or scheduled, or role or pool are over."""
    world = shown(name, shape)
    if world is None:
        assert name == "ticket-desk"
        assert "timer" in shape
        return
    assert last_source_makes(name, world) == made


def last_source_makes(name: str, world: PlannedWorld) -> bool:
    """Whether the last worker that a source has is made or scheduled; where it is not, role or pool are over."""
    rows = pool(name).record(MATRIX, Plan((world,))).rows
    last = [row for row in rows if row.log == "input-log" and str(row["input"]).startswith("source-")][-1]
    followed = [row for row in rows if row.log == "action-lanes" and row.settle == last.settle]
    made = any(row["lane"] in ("worker-creations", "restart-schedules") for row in followed)
    changed = [row["to"] for row in rows if row.log == "state-trace" and row.settle == last.settle]
    assert made or {"retired", "draining", "forced-retirement"} & set(changed)
    return made


def test_the_delay_has_no_room_at_the_end_of_the_clock() -> None:
    """A delayed restart after a stop at the last time is not scheduled, one that comes at once is made."""
    for name, lane, made in (("night-mill", "restart-schedules", False), ("ticket-desk", "worker-creations", True)):
        world = shown(name, "a restart at the last time that there is")
        assert world is not None
        rows = rows_of(name, world, "action-lanes")
        assert any(row["lane"] == lane and row["settle"] for row in rows_after_stop(rows)) == made


def rows_after_stop(rows: list[LogRow]) -> Iterator[dict[str, Any]]:
    """What left once a replacement had been asked for."""
    asked = next(at for at, row in enumerate(rows) if row["lane"] == "worker-preparations")
    return ({"lane": row["lane"], "settle": row.settle} for row in rows[asked:])


def test_a_pool_without_replacements_says_why_it_shows_none() -> None:
    """What such a pool can't have is impossible for that reason, never silently missing."""
    plan = pool("lone-kiosk").plan(STOPS)
    assert plan.unreached == ()
    assert {each.reason for each in plan.impossible} >= {TEMPORARY}
    assert shown("lone-kiosk", "a worker that stops as the answer to its start") is not None
    assert shown("lone-kiosk", "a worker source that gives up at a role") is None


# -- what is judged ----------------------------------------------------------------------------------------------------


def never_forgets(charges: tuple[int, ...], at: int, budget: Budget) -> Charged:
    """Restarts outside of the window count."""
    return charge(charges, at, budget._replace(window=CLOCK_MAX))


def ends_early(charges: tuple[int, ...], at: int, budget: Budget) -> Charged:
    """The last tick of the window is not in it."""
    return charge(charges, at, budget._replace(window=budget.window - 1))


def runs_back(charges: tuple[int, ...], at: int, budget: Budget) -> Charged:
    """A clock that runs backwards is no failure."""
    return charge(tuple(min(each, at) for each in charges), at, budget)


def one_more(charges: tuple[int, ...], at: int, budget: Budget) -> Charged:
    """One restart more than declared."""
    return charge(charges, at, budget._replace(restarts=budget.restarts + 1))


def wraps(at: int, delay: int) -> int | None:
    """A time after the last begins anew."""
    return (at + delay) % (CLOCK_MAX + 1)


def sooner(at: int, delay: int) -> int | None:
    """A delay that is a tick short."""
    return due(at, delay - 1)


OF_THE_BUDGET = (never_forgets, ends_early, runs_back, one_more)
OF_THE_DELAY = (wraps, sooner)


def takes_taken(allocator: Allocator) -> tuple[Reservation, Allocator]:
    """A number that is taken is issued."""
    return reserve(allocator._replace(clashes=()))


def has_no_end(allocator: Allocator) -> tuple[Reservation, Allocator]:
    """A number beyond the last is issued."""
    return reserve(allocator._replace(last=None))


def ends_one_early(allocator: Allocator) -> tuple[Reservation, Allocator]:
    """The last number is not issued."""
    last = allocator.last
    found, after = reserve(allocator._replace(last=None if last is None else last - 1))
    return found, after._replace(last=last)


def tries_again(allocator: Allocator) -> tuple[Reservation, Allocator]:
    """A number that is taken is not retired, so that it is tried for ever."""
    found, after = reserve(allocator)
    return found, allocator if found.failure == "collision" else after


@pytest.mark.parametrize(
    ("name", "template", "index", "fault"),
    [
        ("ticket-desk", STOPS, 4, never_forgets),
        ("ticket-desk", STOPS, 4, ends_early),
        ("night-mill", STOPS, 4, ends_early),
        ("ticket-desk", STOPS, 4, runs_back),
        ("ticket-desk", STOPS, 4, one_more),
        ("night-mill", STOPS, 4, one_more),
        ("night-mill", STOPS, 4, wraps),
        ("night-mill", STOPS, 4, sooner),
        ("lone-kiosk", NUMBERS, 3, takes_taken),
        ("ticket-desk", NUMBERS, 3, takes_taken),
        ("ticket-desk", STOPS, 4, tries_again),
        ("lone-kiosk", NUMBERS, 3, tries_again),
        ("lone-kiosk", NUMBERS, 3, has_no_end),
        ("ticket-desk", NUMBERS, 3, has_no_end),
        ("lone-kiosk", NUMBERS, 3, ends_one_early),
        ("ticket-desk", NUMBERS, 3, ends_one_early),
    ],
)
def test_a_fault_in_times_and_numbers_is_a_violation(
    name: str, template: str, index: int, fault: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clause holds on the sound pool and is violated on one with that fault."""
    check_fault(name, template, index, place_of(fault), fault, monkeypatch)


def place_of(fault: Callable[..., Any]) -> tuple[Any, str]:
    """The module and the function of the model that a fault in times and numbers stands for."""
    if fault in OF_THE_DELAY:
        return recovery, "due"
    if fault in OF_THE_BUDGET:
        return recovery, "charge"
    return turn, "reserve"


def check_fault(
    name: str,
    template: str,
    index: int,
    place: tuple[Any, str],
    fault: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The clause holds on the sound pool and is violated on one that has the fault in that place."""
    plan = pool(name).plan(template)
    sound = pool(name).judge(template, pool(name).record(template, plan), plan)[index]
    assert sound.verdict is Verdict.HOLDS
    monkeypatch.setattr(*place, fault)
    assert judged_anew(name, template, plan)[index] is Verdict.VIOLATED


def judged_anew(name: str, template: str, plan: Plan) -> list[Verdict]:
    """The verdicts on a pool that remembers nothing of the sound one."""
    broken = Pool(name)
    return [each.verdict for each in broken.judge(template, broken.record(template, plan), plan)]


init_settled, source_settled = Startup.init_settled, Recoveries.source_settled


def goes_on(self: Startup, fact: Any) -> None:
    """A worker that gives its start up counts as ready."""
    is_stop = isinstance(fact, f.InitStopped)
    init_settled(self, f.InitReady(fact.role, fact.worker, fact.attempt) if is_stop else fact)


def takes_half(self: Recoveries, fact: Any) -> None:
    """What a source had prepared before it gave up counts as a replacement."""
    is_half = isinstance(fact, f.SourcePartial)
    source_settled(self, f.SourcePrepared(fact.role, fact.replaces, "half-made") if is_half else fact)


@pytest.mark.parametrize(
    ("place", "fault", "template", "index"),
    [
        ((Startup, "init_settled"), goes_on, MATRIX, 2),
        ((Recoveries, "source_settled"), takes_half, "claim-04-direct-ownership", 3),
    ],
)
def test_a_fault_in_what_gives_up_is_a_violation(
    place: tuple[type, str], fault: Callable[..., None], template: str, index: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pool that goes on with what was given up violates that clause."""
    plan = pool("ticket-desk").plan(template)
    monkeypatch.setattr(*place, fault)
    assert judged_anew("ticket-desk", template, plan)[index] is Verdict.VIOLATED
