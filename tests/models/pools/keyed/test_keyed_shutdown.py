"""The end of a pool from every phase: jobs, bindings, replacements, plans, workers, the deadline."""

from __future__ import annotations

import pytest

from harness.models.pools import actions as a
from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.correlations import BirthId, GenerationId, TimerId
from harness.models.pools.deadlines import Deadline
from harness.models.pools.keyed import outcomes as o
from harness.models.pools.keyed.inputs import Binding
from harness.models.pools.keyed.state import Constructed, Draining, ForcedRetirement, Operating, Stopped, UnsentCell
from harness.models.pools.values import Admitted, Birth
from tests.models.pools.keyed import _keyed as p
from tests.models.pools.keyed._cast import (
    KEPT,
    KEPT_B,
    busy,
    completed,
    exhausted,
    idle,
    prepared,
    sought,
    stopped,
    worker,
)

# -- the end -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", [*p.MEMBERS, "quarantined"])
@pytest.mark.parametrize("waits", [0, 1, 2])
def test_shutdown_from_every_phase_answers_every_job_and_binding_once(phase: str, waits: int) -> None:
    """The queue goes back in order, then the job on the worker; a worker is asked to end at most once."""
    quarantined = m.Quarantined(0, p.WORKER, m.Outstanding(shutdown=True), None)
    member = p.MEMBERS.get(phase, quarantined)
    queue = tuple(p.waiting(number) for number in range(2, 2 + waits))
    done = p.step(p.operating(member, queues=(queue,), kept=(KEPT, KEPT_B)), f.Shutdown())
    assigned = ("returned-assigned/pool-shutdown",) if phase.startswith("busy") else ()
    assert p.outcomes(done) == ("returned-queued/pool-shutdown",) * waits + assigned
    removed = [each.facts[0] for each in done.actions.diagnostics() if each.kind == "binding-removed"]
    assert removed == [KEPT, KEPT_B]
    alive = phase not in ("creating", "recovering", "retired", "busy-stop-first")
    asked_before = phase in ("draining-pre-ready", "quarantined", "stopping")
    assert len(done.actions.worker_shutdowns) == (alive and not asked_before)
    assert p.phases(done.state) == (("stopped",) if phase in ("retired", "busy-stop-first") else ("draining",))


@pytest.mark.parametrize("phase", ["busy-completion-first", "busy-stop-first"])
def test_completion_that_was_kept_is_out_of_date_at_shutdown(phase: str) -> None:
    """The job returns; the result is told with it."""
    member = p.MEMBERS[phase]
    assert isinstance(member, m.Busy)
    if phase == "busy-stop-first":
        member = member._replace(join=m.StopFirst(p.STOP, p.EVIDENCE))
    done = p.step(p.operating(member), f.Shutdown())
    assert p.outcomes(done) == ("returned-assigned/pool-shutdown",)
    assert [each.facts for each in done.actions.diagnostics()] == [(p.EVIDENCE,)]


def test_replacement_that_waits_for_its_timer_is_handed_out_at_shutdown() -> None:
    """It leaves whole in a diagnostic, nobody is made, and the pool is over at once."""
    done = p.step(p.operating(p.WAITING_FOR_TIMER), f.Shutdown())
    assert [(each.kind, each.facts) for each in done.actions.diagnostics()] == [("candidate-unused", (p.PREPARED,))]
    assert (done.state, done.actions.worker_creations) == (Stopped(), ())


@pytest.mark.parametrize(
    ("member", "fact"),
    [
        (sought(0), prepared(0)),
        (sought(0), f.SourcePartial(0, worker(0), ("made",), "refused")),
        (sought(0), f.SourceRejected(0, worker(0), "none")),
        (p.MEMBERS["recovering"], f.ScheduleAccepted(0, p.RECOVERY, p.TIMER)),
        (p.MEMBERS["recovering"], f.ScheduleRejected(0, p.RECOVERY, p.TIMER, "refused")),
    ],
)
def test_answer_about_a_replacement_after_shutdown_starts_nothing(member: m.Member, fact: f.Fact) -> None:
    """The drain waits for it, and is over with it; a replacement in it is told as unused."""
    closing = p.step(p.operating(member), f.Shutdown())
    assert isinstance(closing.state, Draining)
    late = p.step(closing.state, fact)
    assert late.state == Stopped()
    offered = isinstance(fact, f.SourcePrepared | f.SourcePartial)
    assert p.kinds(late) == (("candidate-unused",) if offered else ())
    lanes = (late.actions.worker_creations, late.actions.restart_schedules, late.actions.worker_preparations)
    assert lanes == ((), (), ())


def test_foreign_answer_of_the_source_after_shutdown_is_rejected_and_no_more() -> None:
    """It is told once, whole, and the drain goes on waiting for its own."""
    closing = p.step(p.operating(sought(0)), f.Shutdown()).state
    late = p.step(closing, prepared(0)._replace(replaces=worker(5)))
    assert (late.state is closing, p.kinds(late)) == (True, ("rejected-input",))


def test_plan_of_a_worker_that_ends_is_told_as_unused() -> None:
    """Whether it waits for a place, or its start goes well too late, the activation leaves whole."""
    waits = p.MEMBERS["waiting-authorization"]
    ready = f.InitReady(0, p.WORKER, p.ATTEMPT)
    ending = m.DrainingPreReady(0, p.WORKER, m.Outstanding(init=p.ATTEMPT), p.STOP, False, "test", "recover")
    shut = p.step(p.operating(p.MEMBERS["initializing"]), f.Shutdown()).state
    found = [
        p.step(p.operating(waits), f.WorkerStopped(0, p.STOP)),
        p.step(p.operating(waits), f.Shutdown()),
        p.step(p.operating(ending), ready),
        p.step(shut, ready),
    ]
    told = [[each.facts[0] for each in done.actions.diagnostics()] for done in found]
    assert told == [[waits], [waits], [ready], [ready]]


def test_birth_during_the_drain_starts_nothing_and_ends() -> None:
    """A worker that is born into a closing pool is asked to end; its exit ends the pool."""
    closing = p.step(p.operating(m.Creating(0, BirthId(1), Birth())), f.Shutdown())
    born = p.step(closing.state, f.BirthCommitted(0, BirthId(1), worker(0), 1))
    assert [type(each) for each in born.actions.operations()] == [a.ObserveWorkerStop, a.ShutdownWorker]
    assert p.step(born.state, stopped(0)).state == Stopped()


def test_closed_pool_gives_submissions_and_commands_back_whole() -> None:
    """Both are refused as shutting down, and the late completion is told with its result."""
    closing = p.step(p.operating(busy(0, 1), kept=(KEPT,)), f.Shutdown()).state
    assert p.refusal(p.step(closing, p.submission("a1"))) == "shutting-down"
    sent = p.unbind(KEPT.generation)
    assert p.answer(p.step(closing, sent)) == o.Refused(sent, "shutting-down", None)
    late = p.step(closing, completed(0, 1))
    assert (late.state is closing, p.kinds(late)) == (True, ("stale-completion",))


def test_deadline_without_a_timer_forces_the_drain_at_once() -> None:
    """A limit that can't be armed is not dropped: who has not ended is handed over in the step of the shutdown."""
    done = p.step(exhausted(p.operating(idle(0)), timer=TimerId), f.Shutdown(), deadline=9)
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
    assert done.actions == o.KeyedActions(forced_drain_transfers=(a.TransferResidual(left, cause),))
    assert done.state == ForcedRetirement((left,), cause)
    assert p.step(done.state, stopped(0), "a", "b").refused == "not-admitted"


@pytest.mark.parametrize("route", ["operator", None])
def test_diagnostics_leave_by_the_chosen_way(route: str | None) -> None:
    """A route gets them delivered; without one they stay in custody, rejected inputs on a lane of their own."""
    rejected = p.step(p.operating(idle(0)), stopped(5), diagnostics=route).actions
    stale = p.step(p.operating(idle(0)), completed(0, 1), diagnostics=route).actions
    counts = [
        (len(each.diagnostic_deliveries), len(each.rejected_input_transfers), len(each.terminal_diagnostic_transfers))
        for each in (rejected, stale)
    ]
    assert counts == ([(1, 0, 0), (1, 0, 0)] if route else [(0, 1, 0), (0, 0, 1)])


def test_shutdown_before_the_beginning_ends_a_pool_that_never_had_a_worker() -> None:
    """Its waiting job goes back and its binding is told."""
    accepted = p.step(Constructed((UnsentCell(p.UNSENT),), p.table(), p.LATER), p.submission("a1"))
    assert p.phases(accepted.state) == ("prepared",)
    done = p.step(accepted.state, f.Shutdown())
    assert (done.state, p.outcomes(done)) == (Stopped(), ("returned-queued/pool-shutdown",))
    assert [each.facts for each in done.actions.diagnostics()] == [(Binding("a1", GenerationId(6), "a"),)]


def test_evidence_of_a_job_outlives_its_binding() -> None:
    """A job admitted through a binding that is gone keeps its generation and role to the end."""
    before = p.operating(busy(0, 1), kept=(Binding("a1", GenerationId(3), "a"),))
    taken = p.step(before, p.submission("a1"))
    gone = p.step(taken.state, p.unbind(GenerationId(3)))
    assert isinstance(gone.state, Operating)
    assert gone.state.cells[0].queue[0].obligation.admitted == Admitted(GenerationId(3), "a")
