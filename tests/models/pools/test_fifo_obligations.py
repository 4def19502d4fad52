"""What a model of the law has to cover beyond its matrices: limits, exhaustion, the ring, retries, the end."""

from __future__ import annotations

from typing import Any

import pytest

from harness.models.pools import actions as a
from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.correlations import Allocator, BirthId, DispatchId, JobId, TicketId, TimerId
from harness.models.pools.fifo.state import Deadline, Draining, ForcedRetirement, Operating, Stopped
from harness.models.pools.timing import CLOCK_MAX, Budget
from harness.models.pools.values import AssignedJob, Authority, Birth, Command, Evidence, Stop, Worker
from tests.models.pools import _fifo as p


def worker(role: int) -> Worker:
    return Worker(BirthId(role + 1), BirthId(role + 1))


def idle(role: int) -> m.Idle:
    return m.Idle(role, worker(role))


def busy(role: int, number: int, join: m.Join | None = None) -> m.Busy:
    job = AssignedJob(p.queued(number).obligation, DispatchId(number), DispatchId(number), worker(role), role)
    return m.Busy(role, worker(role), job, join or m.Delivered())


def stopped(role: int, at: int = 10, abnormal: bool = True) -> f.WorkerStopped:
    return f.WorkerStopped(role, Stop(worker(role), abnormal, at))


def completed(role: int, number: int) -> f.WorkerCompleted:
    authority = Authority(DispatchId(number), worker(role).evidence)
    return f.WorkerCompleted(worker(role).child, Evidence(DispatchId(number), authority, "done"))


def exhausted(state: Operating, **kinds: type) -> Operating:
    """The same pool with nothing left to issue of these kinds."""
    spent = {kind: Allocator(issued(9), 8) for kind, issued in kinds.items()}
    return state._replace(allocators=state.allocators._replace(**spent))


def waiting(state: Any) -> list[int]:
    return [int(each.obligation.job) for each in state.queue]


# -- admission -----------------------------------------------------------------------------------------------------


def test_capacity_of_zero_assigns_at_once_and_lets_nobody_wait() -> None:
    """With no backlog a free worker still gets the job; the next submission is refused."""
    first = p.step(p.operating(idle(0)), p.submission(1), backlog=0)
    assert [each.job for each in first.actions.worker_assignments] == [JobId(6)]
    second = p.step(first.state, p.submission(2), backlog=0)
    assert second.actions.admission_deliveries[0].outcome == a.Rejected(
        p.submission(2).request, p.submission(2).payload, "backlog-full"
    )
    assert second.state is first.state


def test_refusal_at_the_door_reserves_nothing() -> None:
    """A full backlog and lost roles are seen before any number is taken."""
    full = p.operating(busy(0, 1), queue=(p.queued(2), p.queued(3)))
    assert p.step(full, p.submission()).state is full
    lost = p.operating(m.Retired(0, "test"))
    done = p.step(lost, p.submission())
    assert done.state is lost
    assert getattr(done.actions.admission_deliveries[0].outcome, "reason", "") == "no-recoverable-workers"


@pytest.mark.parametrize(
    ("kind", "issued", "reason"),
    [
        ("job", JobId, "job-correlation-unavailable"),
        ("dispatch", DispatchId, "dispatch-correlation-unavailable"),
    ],
)
def test_admission_without_numbers_is_refused_whole(kind: str, issued: type, reason: str) -> None:
    """A job that can't be numbered or dispatched is refused; it does not wait instead."""
    before = exhausted(p.operating(idle(0)), **{kind: issued})
    done = p.step(before, p.submission())
    assert getattr(done.actions.admission_deliveries[0].outcome, "reason", "") == reason
    assert isinstance(done.state, Operating)
    assert (done.state.members, done.state.queue) == (before.members, ())


def test_candidate_of_a_refused_submission_is_never_used() -> None:
    """The job's number of a submission that could not be dispatched is retired with it."""
    before = exhausted(p.operating(idle(0)), dispatch=DispatchId)
    after = p.step(before, p.submission()).state
    assert isinstance(after, Operating)
    assert after.allocators.job.next == before.allocators.job.next + 1


def test_colliding_number_is_skipped_for_good() -> None:
    """A number that clashes refuses the one submission and is not tried again."""
    state = p.operating(idle(0))
    clash = state._replace(allocators=state.allocators._replace(job=Allocator(JobId(6), None, (6,))))
    refused = p.step(clash, p.submission(1))
    accepted = p.step(refused.state, p.submission(2))
    assert accepted.actions.worker_assignments[0].job == JobId(7)


def test_acceptance_leaves_before_its_assignment() -> None:
    """In one step admission outcomes are interpreted before assignments."""
    done = p.step(p.operating(idle(0)), p.submission())
    assert [type(each) for each in done.actions.operations()] == [a.DeliverAdmission, a.DeliverAssignment]


# -- the ring and the queue ----------------------------------------------------------------------------------------


def test_cursor_goes_round_and_skips_who_is_not_idle() -> None:
    """The search begins at the cursor, passes busy and retired roles, wraps once, and moves on behind its find."""
    roles = ("a", "b", "c", "d")
    before = p.operating(idle(0), busy(1, 1), m.Retired(2, "test"), idle(3), cursor=1)
    first = p.step(before, p.submission(), *roles)
    second = p.step(first.state, p.submission(), *roles)
    given = [done.actions.worker_assignments[0].role for done in (first, second)]
    assert given == [3, 0]
    assert isinstance(second.state, Operating)
    assert second.state.cursor == 1


def test_readiness_with_a_waiting_job_never_shows_an_idle_worker() -> None:
    """A worker that becomes ready beside a queue has its job in the same step."""
    before = p.operating(m.Activating(0, worker(0), Birth(), TicketId(1)), queue=(p.queued(2),))
    done = p.step(before, f.WorkerReady(0, worker(0), TicketId(1)))
    assert p.phases(done.state) == ("busy-awaiting-both",)
    command = Command(p.queued(2).obligation.payload, Authority(DispatchId(6), worker(0).evidence))
    assert done.actions.worker_assignments[0].command == command


def test_completion_and_next_dispatch_are_one_step() -> None:
    """The outcome leaves first, then the next assignment of the same worker."""
    done = p.step(p.operating(busy(0, 1), queue=(p.queued(2),)), completed(0, 1))
    assert [type(each) for each in done.actions.operations()] == [a.DeliverTerminal, a.DeliverAssignment]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_interrupted_jobs_wait_in_the_order_of_admission(order: tuple[int, int]) -> None:
    """Whoever stops first, two interrupted jobs stand before a later one as they were admitted, beyond the backlog."""
    state: Any = p.operating(busy(0, 1), busy(1, 2), queue=(p.queued(3),))
    for role in order:
        state = p.step(state, stopped(role), "a", "b", backlog=1, interruption="retry").state
    assert waiting(state) == [1, 2, 3]


def test_interrupted_job_goes_to_another_idle_worker_at_once() -> None:
    """A retry is dispatched in the step of the stop, with an authority of its own."""
    done = p.step(p.operating(busy(0, 1), idle(1)), stopped(0), "a", "b", interruption="retry")
    (given,) = done.actions.worker_assignments
    assert (given.role, given.job, given.assignment) == (1, JobId(1), DispatchId(6))


@pytest.mark.parametrize(
    ("prior", "outcome"),
    [(None, "returned-queued/dispatch-correlation-failed"), (0, "returned-assigned/retry-preparation-rejected")],
)
def test_job_that_cannot_be_dispatched_goes_back_by_its_origin(prior: int | None, outcome: str) -> None:
    """Left at the head it would wait for ever beside an idle worker."""
    queue = (p.queued(2, prior), p.queued(3, prior))
    before = exhausted(p.operating(busy(0, 1), queue=queue), dispatch=DispatchId)
    done = p.step(before, completed(0, 1))
    assert p.outcomes(done) == ("completed", outcome, outcome)
    assert p.phases(done.state) == ("idle",)


# -- start-up ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 2])
def test_activations_keep_their_limit_and_go_by_declared_order(limit: int) -> None:
    """Places are given in declared order, and a freed place goes to the next in the same step."""
    members = [m.WaitingForAuthorization(role, worker(role), Birth(), "permit", "plan") for role in (1, 2)]
    before = p.operating(m.Initializing(0, worker(0), Birth(), 1), *members)
    done = p.step(before, f.InitReady(0, worker(0), 1), "a", "b", "c", activation_limit=limit)
    assert [each.role for each in done.actions.activation_begins] == [0, 1][:limit]
    freed = p.step(done.state, f.BeginRejected(0, worker(0), TicketId(6), "refused"), "a", "b", "c")
    assert [each.role for each in freed.actions.activation_begins] == [limit][: 2 - limit]


def test_worker_without_a_ticket_ends() -> None:
    """Nobody waits for ever for a ticket that can't be had: the worker ends and its role retires."""
    before = exhausted(p.operating(m.Initializing(0, worker(0), Birth(), 1)), ticket=TicketId)
    done = p.step(before, f.InitReady(0, worker(0), 1))
    assert p.phases(done.state) == ("draining-pre-ready",)
    told = p.step(done.state, f.ShutdownRejected(0, worker(0), "refused"))
    assert p.phases(p.step(told.state, stopped(0)).state) == ("retired",)


@pytest.mark.parametrize("committed", [True, False])
def test_stop_before_birth_is_kept_until_the_birth_is_known(committed: bool) -> None:
    """The worker that is born after its stop is never ready; one that is not born contradicts the stop."""
    early = p.step(p.operating(m.Creating(0, BirthId(1), Birth())), stopped(0))
    assert p.step(early.state, stopped(0)).state is early.state
    if committed:
        born = p.step(early.state, f.BirthCommitted(0, BirthId(1), worker(0), 1))
        settled = p.step(born.state, f.InitReady(0, worker(0), 1))
        assert (p.phases(born.state), p.phases(settled.state)) == (("draining-pre-ready",), ("recovering",))
    else:
        refused = p.step(early.state, f.BirthRejected(0, BirthId(1), "refused"))
        assert (p.phases(refused.state), p.kinds(refused)) == (("retired",), ("contradiction",))


# -- recovery ------------------------------------------------------------------------------------------------------


def recovering(at: int = 10, charges: tuple[int, ...] = ()) -> Operating:
    state = p.operating(m.Recovering(0, worker(0), Stop(worker(0), True, at), m.Preparing()), queue=(p.queued(2),))
    return state._replace(charges=charges)


PREPARED = f.SourcePrepared(0, worker(0), "replacement")


@pytest.mark.parametrize(
    ("charges", "at", "granted"),
    [((), 10, True), ((5,), 10, False), ((0,), 10, False), ((0,), 11, True), ((11,), 10, False)],
)
def test_budget_counts_an_inclusive_window_at_the_time_of_the_stop(
    charges: tuple[int, ...], at: int, granted: bool
) -> None:
    """A charge exactly as old as the window still counts; a clock that runs backwards grants nothing."""
    done = p.step(recovering(at, charges), PREPARED, budget=Budget(1, 10))
    assert p.phases(done.state) == (("creating",) if granted else ("retired",))
    assert isinstance(done.state, Operating)
    assert done.state.charges == ((at,) if granted else charges)


@pytest.mark.parametrize("answer", [f.SourceRejected(0, worker(0), "none"), f.SourcePartial(0, worker(0), (), "none")])
@pytest.mark.parametrize(("failure", "after"), [("retire-role", ("retired",)), ("stop-pool", ("stopped",))])
def test_source_that_gives_nothing_ends_the_role_or_the_pool(
    answer: f.SourceAnswer, failure: str, after: tuple[str, ...]
) -> None:
    """Either way the waiting job is answered."""
    done = p.step(recovering(), answer, failure=failure)
    reason = "pool-shutdown" if failure == "stop-pool" else "no-recoverable-workers"
    assert (p.phases(done.state), p.outcomes(done)) == (after, (f"returned-queued/{reason}",))


@pytest.mark.parametrize(
    ("before", "delay"),
    [
        (recovering(CLOCK_MAX), 1),
        (exhausted(recovering(), recovery=TimerId), None),
        (exhausted(recovering(), birth=BirthId), None),
        (exhausted(recovering(), timer=TimerId), 5),
    ],
)
def test_preparation_that_fails_charges_nothing(before: Operating, delay: int | None) -> None:
    """An overflow or a missing number commits no timer, no creation and no charge."""
    done = p.step(before, PREPARED, delay=delay)
    assert isinstance(done.state, Operating)
    assert (p.phases(done.state), done.state.charges) == (("retired",), ())
    assert not done.actions.worker_creations
    assert not done.actions.restart_schedules


def test_delayed_recovery_creates_when_its_own_timer_goes_off() -> None:
    """Schedule, acceptance, timer: the replacement is fresh and names whom it replaces."""
    asked = p.step(recovering(), PREPARED, delay=5)
    (schedule,) = asked.actions.restart_schedules
    assert schedule.due == 15
    accepted = p.step(asked.state, f.ScheduleAccepted(0, schedule.recovery, schedule.timer), delay=5)
    gone_off = p.step(accepted.state, f.TimerElapsed(0, schedule.recovery, schedule.timer), delay=5)
    assert isinstance(gone_off.state, Operating)
    assert gone_off.state.members[0] == m.Creating(0, BirthId(6), Birth(schedule.recovery, worker(0).evidence))


def test_quarantine_is_left_by_exit_and_answer_in_either_order() -> None:
    """A worker that did not take its job recovers only when both are in."""
    refused = f.DeliveryRejected(0, worker(0).child, DispatchId(1), p.AUTHORITY, "refused")
    start = p.step(p.operating(busy(0, 1, m.AwaitingBoth())), refused).state
    answer, exit_ = f.ShutdownAccepted(0, worker(0)), stopped(0)
    facts: tuple[tuple[f.Fact, f.Fact], ...] = ((answer, exit_), (exit_, answer))
    for first, second in facts:
        half = p.step(start, first).state
        assert p.phases(half) == ("quarantined",)
        assert p.phases(p.step(half, second).state) == ("recovering",)


# -- the end -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", [*p.MEMBERS, "quarantined"])
@pytest.mark.parametrize("waiting_jobs", [0, 1, 2])
def test_shutdown_from_every_phase_answers_every_job_once(phase: str, waiting_jobs: int) -> None:
    """The queue goes back in order, then the job on the worker; a worker is asked to end at most once."""
    quarantined = m.Quarantined(0, p.WORKER, m.Outstanding(shutdown=True), None)
    member = p.MEMBERS.get(phase, quarantined)
    before = p.operating(member, queue=tuple(p.queued(number) for number in range(2, 2 + waiting_jobs)))
    done = p.step(before, f.Shutdown())
    assigned = ("returned-assigned/pool-shutdown",) if phase.startswith("busy") else ()
    assert p.outcomes(done) == ("returned-queued/pool-shutdown",) * waiting_jobs + assigned
    alive = phase not in ("creating", "recovering", "retired", "busy-stop-first")
    asked_before = phase in ("draining-pre-ready", "quarantined", "stopping")
    assert len(done.actions.worker_shutdowns) == (alive and not asked_before)
    assert p.phases(done.state) == (("stopped",) if phase in ("retired", "busy-stop-first") else ("draining",))


def test_birth_during_the_drain_starts_nothing_and_ends() -> None:
    """A worker that is born into a closing pool is asked to end; its exit ends the pool."""
    closing = p.step(p.operating(m.Creating(0, BirthId(1), Birth())), f.Shutdown())
    born = p.step(closing.state, f.BirthCommitted(0, BirthId(1), worker(0), 1))
    assert [type(each) for each in born.actions.operations()] == [a.ObserveWorkerStop, a.ShutdownWorker]
    assert p.step(born.state, stopped(0)).state == Stopped()


def test_late_completion_in_the_drain_is_told_and_is_no_job() -> None:
    """Its result is kept in a diagnostic; the job has been returned."""
    closing = p.step(p.operating(busy(0, 1)), f.Shutdown())
    late = p.step(closing.state, completed(0, 1))
    assert late.state is closing.state
    assert (p.outcomes(late), p.kinds(late)) == ((), ("stale-completion",))


def test_deadline_without_a_timer_forces_the_drain_at_once() -> None:
    """A limit that can't be armed is not dropped: who has not ended is handed over in the step of the shutdown."""
    before = exhausted(p.operating(idle(0)), timer=TimerId)
    done = p.step(before, f.Shutdown(), deadline=9)
    assert isinstance(done.state, ForcedRetirement)
    assert done.state.cause == "deadline-correlation-unavailable"
    assert [each.residual.role for each in done.actions.forced_drain_transfers] == [0]


@pytest.mark.parametrize(
    ("phase", "fact", "cause"),
    [
        ("scheduling", f.DeadlineRejected(TimerId(1), "refused"), "deadline-not-scheduled"),
        ("waiting", f.DeadlineElapsed(TimerId(1), 9), "deadline-elapsed"),
    ],
)
def test_deadline_hands_over_who_has_not_ended(phase: str, fact: f.Fact, cause: str) -> None:
    """The residual leaves as it is: no exit, answer or outcome is invented; afterwards nothing is taken in."""
    left = m.DrainWorker(0, worker(0), "idle", m.Outstanding(shutdown=True))
    before = Draining((left, m.Drained(1)), Deadline(phase, TimerId(1)), p.LATER)
    done = p.step(before, fact, "a", "b", deadline=9)
    assert done.actions == a.Actions(forced_drain_transfers=(a.TransferResidual(left, cause),))
    assert done.state == ForcedRetirement((left,), cause)
    assert p.step(done.state, stopped(0), "a", "b").refused == "not-admitted"


@pytest.mark.parametrize("route", ["operator", None])
def test_diagnostics_leave_by_the_chosen_way(route: str | None) -> None:
    """A route gets them delivered; without one they stay in custody, rejected facts on a lane of their own."""
    rejected = p.step(p.operating(idle(0)), stopped(5), diagnostics=route).actions
    stale = p.step(p.operating(m.Retired(0, "test")), completed(0, 1), diagnostics=route).actions
    counts = [
        (len(each.diagnostic_deliveries), len(each.rejected_fact_transfers), len(each.terminal_diagnostic_transfers))
        for each in (rejected, stale)
    ]
    assert counts == ([(1, 0, 0), (1, 0, 0)] if route else [(0, 1, 0), (0, 0, 1)])
