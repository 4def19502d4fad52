"""The ownership table: for each value, who has it before an operation leaves and who has it afterwards."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.models.pools import actions as a
from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.fifo.state import ForcedRetirement, Operating
from harness.models.pools.settlement import Answer, settle_batch
from harness.models.pools.values import Authority, Birth
from tests.models.pools import _fifo as p


def unaccepted_submission() -> None:
    before = p.operating(p.MEMBERS["busy-delivered"])
    done = p.step(before, p.submission(), backlog=0)
    asked = p.submission()
    assert done.state is before
    assert done.actions.admission_deliveries[0].outcome == a.Rejected(asked.request, asked.payload, "backlog-full")


def queued_obligation() -> None:
    before = p.operating(p.MEMBERS["busy-delivered"], queue=(p.queued(2),))
    dispatched = p.step(before, p.COLUMNS["completion"][0])
    returned = p.step(before, f.Shutdown())
    assert [each.job for each in dispatched.actions.worker_assignments] == [p.queued(2).obligation.job]
    assert p.outcomes(returned).count("returned-queued/pool-shutdown") == 1
    assert isinstance(dispatched.state, Operating)
    assert dispatched.state.queue == ()


def assigned_obligation() -> None:
    done = p.step(p.operating(p.MEMBERS["busy-delivered"]), p.COLUMNS["completion"][0])
    assert (p.phases(done.state), p.outcomes(done)) == (("idle",), ("completed",))
    assert p.step(done.state, p.COLUMNS["completion"][0]).state is done.state


def execution_payload_and_authority() -> None:
    done = p.step(p.operating(p.MEMBERS["idle"]), p.submission())
    (given,) = done.actions.worker_assignments
    assert isinstance(done.state, Operating)
    member = done.state.members[0]
    assert isinstance(member, m.Busy)
    assert not any(isinstance(each, Authority) for each in member.job)
    back = f.DeliveryRejected(0, given.child, given.assignment, given.command.authority, "refused")
    after = p.step(done.state, back).state
    assert isinstance(after, Operating)
    assert [each.obligation for each in after.queue] == [member.job.obligation]


def unsettled_join() -> None:
    kept = p.step(p.operating(p.MEMBERS["busy-awaiting-both"]), p.COLUMNS["completion"][0])
    assert not any(kept.actions)
    assert p.outcomes(p.step(kept.state, p.COLUMNS["assignment"][0])) == ("completed",)


def initialization_plan_and_settlement() -> None:
    starting = p.step(p.operating(p.MEMBERS["creating"]), p.COLUMNS["birth"][0]).state
    assert isinstance(starting, Operating)
    assert starting.members[0] == m.Initializing(0, p.WORKER, Birth(), p.ATTEMPT)
    ready = p.step(starting, f.InitReady(0, p.WORKER, p.ATTEMPT, "its permit", "its plan"))
    (begin,) = ready.actions.activation_begins
    assert (begin.permit, begin.plan) == ("its permit", "its plan")


def worker_definition() -> None:
    done = p.step(p.operating(p.WAITING_FOR_TIMER), f.TimerElapsed(0, p.RECOVERY, p.TIMER))
    assert [each.definition for each in done.actions.worker_creations] == [p.PREPARED.definition]
    assert isinstance(done.state, Operating)
    assert p.PREPARED.definition not in done.state.members[0]


def exact_worker_capability() -> None:
    done = p.step(p.operating(p.MEMBERS["idle"]), f.WorkerStopped(0, p.STOP))
    assert p.step(done.state, f.WorkerStopped(0, p.STOP)).state is done.state
    assert not p.step(done.state, p.submission()).actions.worker_assignments


def activation_slot() -> None:
    waiting = m.WaitingForAuthorization(1, p.OTHER, Birth(), "permit", "plan")
    for fact in (p.COLUMNS["ready"][0], p.COLUMNS["stop"][0]):
        done = p.step(p.operating(p.MEMBERS["activating"], waiting), fact, "a", "b")
        assert [each.role for each in done.actions.activation_begins] == [1]
        assert p.step(done.state, fact, "a", "b").state is done.state


def recovery_candidate() -> None:
    before = p.operating(p.MEMBERS["recovering"])._replace(charges=(10,))
    done = p.step(before, f.ScheduleRejected(0, p.RECOVERY, p.TIMER, "refused"))
    assert isinstance(done.state, Operating)
    assert (p.phases(done.state), done.state.charges) == (("retired",), (10,))
    assert p.step(done.state, f.TimerElapsed(0, p.RECOVERY, p.TIMER)).state is done.state


def customer_outcome() -> None:
    done = p.step(p.operating(p.MEMBERS["busy-delivered"]), p.COLUMNS["completion"][0])
    settled = settle_batch(done.actions.operations(), lambda _: Answer("rejected", "route closed"))
    assert settled.returned == done.actions.terminal_customer_deliveries
    assert isinstance(done.state, Operating)
    assert done.state.queue == ()


def diagnostic() -> None:
    done = p.step(p.operating(p.MEMBERS["retired"]), p.COLUMNS["completion"][0])
    settled = settle_batch(done.actions.operations(), lambda _: Answer("rejected", "route closed"))
    (told,) = done.actions.diagnostics()
    assert told.facts == (p.EVIDENCE,)
    assert len(settled.items) == 1


def drain_residual() -> None:
    closing = p.step(p.operating(p.MEMBERS["activating"]), f.Shutdown(), deadline=9)
    (armed,) = closing.actions.deadline_schedules
    done = p.step(closing.state, f.DeadlineRejected(armed.timer, "refused"), deadline=9)
    assert isinstance(done.state, ForcedRetirement)
    assert [each.residual for each in done.actions.forced_drain_transfers] == list(done.state.unresolved)
    assert done.state.unresolved[0].phase == "worker"


OWNED: dict[str, Callable[[], None]] = {
    each.__name__.replace("_", "-"): each
    for each in (
        unaccepted_submission,
        queued_obligation,
        assigned_obligation,
        execution_payload_and_authority,
        unsettled_join,
        initialization_plan_and_settlement,
        worker_definition,
        exact_worker_capability,
        activation_slot,
        recovery_candidate,
        customer_outcome,
        diagnostic,
        drain_residual,
    )
}


def test_every_row_of_the_table_is_checked() -> None:
    """No value of the ownership table is without a check."""
    assert list(OWNED) == list(p.law()["ownership"])


@pytest.mark.parametrize("value", list(OWNED))
def test_value_has_one_owner(value: str) -> None:
    """Before and after the operation that moves it, the value is where its row says, and nowhere else."""
    OWNED[value]()
