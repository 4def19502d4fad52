"""The ownership table: for each value, who has it before an operation leaves and who has it afterwards."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.correlations import RequestId
from harness.models.pools.keyed import outcomes as o
from harness.models.pools.keyed.inputs import Binding
from harness.models.pools.keyed.state import ForcedRetirement, Operating, Stopped
from harness.models.pools.settlement import Answer, settle_batch
from harness.models.pools.values import Admitted, Authority
from tests.models.pools.keyed import _keyed as p
from tests.models.pools.keyed._cast import KEPT, busy, completed, prepared, refused, sought


def unaccepted_submission() -> None:
    sent = p.submission("a1")
    done = p.step(p.operating(busy(0, 1)), sent, backlog=0)
    (told,) = done.actions.admission_deliveries
    assert told.outcome == o.Rejected(sent.request, sent.key, sent.payload, sent.customer, "role-backlog-full")
    assert isinstance(done.state, Operating)
    assert (done.state.table.kept, p.jobs(done.state)) == ((), [[]])


def retained_key() -> None:
    bound = p.step(p.operating(p.MEMBERS["creating"]), p.rebalance("a")).state
    assert isinstance(bound, Operating)
    (kept,) = bound.table.kept
    taken = p.step(bound, p.submission("a1")).state
    assert isinstance(taken, Operating)
    assert taken.table.kept == (kept,)
    assert "a1" not in taken.cells[0].queue[0].obligation
    assert p.answer(p.step(taken, p.unbind(kept.generation))).removed == kept
    shut = p.step(taken, f.Shutdown())
    assert [each.facts for each in shut.actions.diagnostics()] == [(kept,)]


def binding_evidence() -> None:
    taken = p.step(p.operating(busy(0, 1), kept=(KEPT,)), p.submission("a1")).state
    gone = p.step(taken, p.unbind(KEPT.generation)).state
    assert isinstance(gone, Operating)
    assert gone.cells[0].queue[0].obligation.admitted == Admitted(KEPT.generation, KEPT.role)
    assert gone.table.kept == ()


def customer_obligation() -> None:
    done = p.step(p.operating(busy(0, 1), queues=((p.waiting(2),),)), completed(0, 1))
    settled = settle_batch(done.actions.operations(), lambda _: Answer("rejected", "route closed"))
    assert done.actions.terminal_customer_deliveries[0] in settled.returned
    assert p.jobs(done.state) == [[]]
    again = p.step(done.state, completed(0, 1))
    assert (again.state is done.state, p.outcomes(again)) == (True, ())


def execution_payload_and_authority() -> None:
    done = p.step(p.operating(p.MEMBERS["idle"]), p.submission("a1"))
    (given,) = done.actions.role_assignments
    (member,) = p.members(done.state)
    assert isinstance(member, m.Busy)
    assert not any(isinstance(each, Authority) for each in member.job)
    back = f.DeliveryRejected(0, given.child, given.assignment, given.command.authority, "refused")
    after = p.step(done.state, back).state
    assert isinstance(after, Operating)
    assert [each.obligation for each in after.cells[0].queue] == [member.job.obligation]


def assignment_join() -> None:
    kept = p.step(p.operating(p.MEMBERS["busy-awaiting-both"]), p.COLUMNS["completion"][0])
    assert not any(kept.actions)
    assert p.outcomes(p.step(kept.state, p.COLUMNS["assignment"][0])) == ("completed",)


def management_command() -> None:
    sent = p.rebalance("nobody")
    done = p.step(p.operating(p.MEMBERS["idle"]), sent)
    assert p.answer(done) == o.Refused(sent, "unknown-target")
    assert done.actions.management_deliveries[0].route == sent.reply


def reply_or_customer_route() -> None:
    sent = p.submission("nobody")
    done = p.step(p.operating(p.MEMBERS["idle"]), sent)
    (told,) = done.actions.admission_deliveries
    settled = settle_batch(done.actions.operations(), lambda _: Answer("rejected", "route closed"))
    assert isinstance(told.outcome, o.Rejected)
    assert (told.route, told.outcome.customer) == (sent.customer, sent.customer)
    assert settled.returned == (told,)


def request_value() -> None:
    sent = p.submission("a1", 77)._replace(payload=RequestId(5))
    done = p.step(p.operating(p.MEMBERS["creating"]), sent)
    (told,) = done.actions.admission_deliveries
    assert told.outcome.request == RequestId(77)
    assert "77" not in repr(done.state)


def recovery_candidate() -> None:
    asked = p.step(p.operating(sought(0)), prepared(0), delay=5)
    (member,) = p.members(asked.state)
    assert isinstance(member, m.Recovering)
    assert isinstance(member.recovery, m.Scheduling)
    candidate = member.recovery.prepared
    assert candidate.definition == "replacement"
    shut = p.step(asked.state, f.Shutdown())
    assert [each.facts for each in shut.actions.diagnostics()] == [(candidate,)]
    (schedule,) = asked.actions.restart_schedules
    late = p.step(shut.state, f.ScheduleAccepted(0, schedule.recovery, schedule.timer))
    assert (late.state, any(late.actions)) == (Stopped(), False)


def removed_binding() -> None:
    done = p.step(p.operating(sought(0), kept=(KEPT,)), f.SourceRejected(0, sought(0).predecessor, "none"))
    settled = settle_batch(done.actions.operations(), lambda _: Answer("rejected", "route closed"))
    (told,) = done.actions.diagnostics()
    assert told.facts == (Binding("a1", KEPT.generation, "a"),)
    assert settled.returned == done.actions.diagnostic_deliveries
    assert isinstance(done.state, Operating)
    assert done.state.table.kept == ()


def drain_residual() -> None:
    start = p.step(p.operating(busy(0, 1, m.AwaitingBoth())), refused(0, 1)).state
    closing = p.step(start, f.Shutdown(), deadline=9)
    (armed,) = closing.actions.deadline_schedules
    done = p.step(closing.state, f.DeadlineRejected(armed.timer, "refused"), deadline=9)
    assert isinstance(done.state, ForcedRetirement)
    assert [each.residual for each in done.actions.forced_drain_transfers] == list(done.state.unresolved)
    assert p.outcomes(done) == ()


OWNED: dict[str, Callable[[], None]] = {
    each.__name__.replace("_", "-"): each
    for each in (
        unaccepted_submission,
        retained_key,
        binding_evidence,
        customer_obligation,
        execution_payload_and_authority,
        assignment_join,
        management_command,
        reply_or_customer_route,
        request_value,
        recovery_candidate,
        removed_binding,
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
