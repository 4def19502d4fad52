"""Both binding tables and both eligibility tables, every row driven through the pool itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.correlations import Allocator, GenerationId
from harness.models.pools.deadlines import NO_DEADLINE
from harness.models.pools.keyed import outcomes as o
from harness.models.pools.keyed.eligibility import ELIGIBILITY, admission_of, management_of, standing
from harness.models.pools.keyed.inputs import Binding, Command, Rebalance
from harness.models.pools.keyed.state import Constructed, Draining, Operating, State, UnsentCell
from harness.models.pools.values import Admitted
from tests.models.pools.keyed import _keyed as p

ABSENT, BOUND = p.law()["binding_table_absent"], p.law()["binding_table_bound"]
KEPT = Binding("a1", GenerationId(3), "a")
OTHER_KEY = Binding("b1", GenerationId(4), "b")
B_IDLE = m.Idle(1, p.OTHER)
SPENT = Allocator(GenerationId(9), 8)


# -- the tables ----------------------------------------------------------------------------------------------------


def cases(table: list[dict[str, Any]], bound: bool) -> Iterator[tuple[int, str, GenerationId | None, str, str | None]]:
    """Every row, once for each command, expectation and reason that it names: row, command, expectation, result."""
    expectations: dict[str, tuple[GenerationId | None, ...]] = {
        "absent": (None,),
        "exact": (GenerationId(3), GenerationId(9)),
        "kept": (KEPT.generation,),
        "other": (None, GenerationId(2), GenerationId(9)),
    }
    for row in table:
        for command in ("rebalance", "unbind") if row["command"] == "either" else (row["command"],):
            for expected in expectations[row["expects"]]:
                for reason in row.get("reasons", (None,)):
                    yield row["row"], command, expected, row["result"], reason


def driven(command: str, expected: GenerationId | None, bound: bool, reason: str | None, same: bool) -> Any:
    """A pool of two roles in the situation of a row, and the command that meets it."""
    lost = reason == "target-unavailable"
    kept = ((KEPT,) if bound else ()) + ((OTHER_KEY,) if reason == "binding-capacity-exhausted" else ())
    pool: Operating = p.operating(p.MEMBERS["idle"], m.Retired(1, "test") if lost else B_IDLE, kept=kept)
    if reason == "generation-reservation-rejected":
        pool = pool._replace(table=pool.table._replace(generations=SPENT))
    target = "nobody" if reason == "unknown-target" else "a" if same else "b"
    sent: Command = p.unbind(expected) if command == "unbind" else p.rebalance(target, expected)
    return pool, sent


def check(row: dict[str, Any], command: str, expected: GenerationId | None, bound: bool, reason: str | None) -> None:
    """Drive one case: the answer, the table after it, and the generations."""
    before, sent = driven(command, expected, bound, reason, row.get("target") == "same")
    done = p.step(before, sent, "a", "b", binding_capacity=1 if reason == "binding-capacity-exhausted" else 2)
    outcome = p.answer(done)
    assert outcome.kind == row["result"]
    assert done.actions == o.KeyedActions(management_deliveries=(o.DeliverManagement("manager", outcome),))
    if outcome.kind in ("rejected", "already-unbound"):
        assert (done.state is before, outcome.command) == (True, sent)
        assert getattr(outcome, "reason", None) == reason
        if reason == "stale-expectation":
            assert outcome.actual == (KEPT.generation if bound else None)
        return
    after = done.state
    assert isinstance(after, Operating)
    assert after.cells == before.cells
    made = Binding("a1", GenerationId(6), "b")
    says: dict[str, Any] = {
        "bound-absent": (o.BoundAbsent(sent.request, Admitted(*made[1:])), (made,), 7),
        "rebalanced": (o.Rebalanced(sent.request, Admitted(*KEPT[1:]), Admitted(*made[1:])), (made,), 7),
        "rebalance-unchanged": (o.RebalanceUnchanged(sent.request, Admitted(*KEPT[1:])), (KEPT,), 6),
        "unbound": (o.Unbound(sent.request, KEPT), (), 6),
    }
    assert (outcome, after.table.kept, after.table.generations.next) == says[outcome.kind]


@pytest.mark.parametrize(("row", "command", "expected", "result", "reason"), tuple(cases(ABSENT, False)))
def test_absent_key_is_managed_by_its_table(
    row: int, command: str, expected: GenerationId | None, result: str, reason: str | None
) -> None:
    """A key without a binding: five rows, each with all that can be expected and refused."""
    check(ABSENT[row - 1], command, expected, False, reason)


@pytest.mark.parametrize(("row", "command", "expected", "result", "reason"), tuple(cases(BOUND, True)))
def test_bound_key_is_managed_by_its_table(
    row: int, command: str, expected: GenerationId | None, result: str, reason: str | None
) -> None:
    """A key with a binding: five rows, each with all that can be expected and refused."""
    check(BOUND[row - 1], command, expected, True, reason)


def test_tables_have_five_rows_each() -> None:
    """No row is left out, and every refusal and answer is met."""
    assert [each["row"] for each in ABSENT] == [each["row"] for each in BOUND] == [1, 2, 3, 4, 5]
    met = {each["result"] for each in (*ABSENT, *BOUND)}
    assert met == {"bound-absent", "rebalanced", "rebalance-unchanged", "unbound", "already-unbound", "rejected"}


def test_expectation_is_compared_before_the_target_is_looked_at() -> None:
    """A stale command for a role that there is not is stale."""
    before = p.operating(p.MEMBERS["idle"], kept=(KEPT,))
    assert p.answer(p.step(before, p.rebalance("nobody", GenerationId(2)))).reason == "stale-expectation"


def test_clashing_generation_refuses_once_and_is_not_tried_again() -> None:
    """The binding stays as it is, and the next command gets the next generation."""
    before = p.operating(p.MEMBERS["idle"], B_IDLE, kept=(KEPT,))
    clash = before._replace(table=before.table._replace(generations=Allocator(GenerationId(6), None, (6,))))
    refused = p.step(clash, p.rebalance("b", KEPT.generation), "a", "b")
    assert p.answer(refused).reason == "generation-reservation-rejected"
    assert isinstance(refused.state, Operating)
    assert refused.state.table.kept == (KEPT,)
    moved = p.step(refused.state, p.rebalance("b", KEPT.generation), "a", "b")
    assert p.answer(moved).current == Admitted(GenerationId(7), "b")


def test_quarantined_role_keeps_its_binding_and_takes_no_other() -> None:
    """A rebalance to the role that has the key, or of another key to it, is refused; the binding stays."""
    quarantined = m.Quarantined(0, p.WORKER, m.Outstanding(shutdown=True), None)
    before = p.operating(quarantined, B_IDLE, kept=(KEPT,))
    for sent in (p.rebalance("a", KEPT.generation), p.rebalance("a", key="a2")):
        done = p.step(before, sent, "a", "b")
        assert (p.answer(done).reason, done.state is before) == ("target-unavailable", True)


def test_unbound_key_frees_its_room_at_once_and_comes_back_under_a_new_generation() -> None:
    """Unbind, refuse the late command, bind again: the old generation never matches."""
    before = p.operating(p.MEMBERS["idle"], B_IDLE, kept=(KEPT,))
    gone = p.step(before, p.unbind(KEPT.generation), "a", "b", binding_capacity=1)
    late = p.step(gone.state, p.rebalance("b", KEPT.generation), "a", "b", binding_capacity=1)
    assert (p.answer(late).reason, p.answer(late).actual) == ("stale-expectation", None)
    again = p.step(gone.state, p.submission("a1"), "a", "b", binding_capacity=1)
    assert isinstance(again.state, Operating)
    assert again.state.table.kept == (Binding("a1", GenerationId(6), "a"),)


def test_unbind_leaves_waiting_and_running_jobs_alone() -> None:
    """Jobs go on under the role that admitted them, with the generation that is gone."""
    before = p.operating(p.MEMBERS["busy-delivered"], queues=((p.waiting(2),),), kept=(KEPT,))
    done = p.step(before, p.unbind(KEPT.generation))
    assert isinstance(done.state, Operating)
    assert done.state.cells == before.cells
    finished = p.step(done.state, p.COLUMNS["completion"][0])
    assert [each.job for each in finished.actions.role_assignments] == [2]


# -- eligibility ---------------------------------------------------------------------------------------------------

ADMISSION, MANAGEMENT = p.law()["admission_eligibility"], p.law()["management_eligibility"]


def pool_at(row: str) -> State:
    """A pool whose first role is at that row, and whose second one is idle."""
    if row == "prepared":
        cells = (UnsentCell(p.UNSENT), UnsentCell(p.UNSENT._replace(role=1)))
        return Constructed(cells, p.table(), p.LATER)
    if row == "shutdown-owned":
        return Draining((m.DrainWorker(0, p.WORKER, "idle", p.EVERYTHING), m.Drained(1)), NO_DEADLINE, p.LATER)
    ending = p.MEMBERS["draining-pre-ready"]
    assert isinstance(ending, m.DrainingPreReady)
    found: dict[str, m.Member] = {
        **p.MEMBERS,
        "busy": p.MEMBERS["busy-delivered"],
        "draining-pre-ready-resume": ending,
        "draining-pre-ready-retire": ending._replace(after="retire"),
    }
    state: State = p.operating(found[row], B_IDLE)
    return state


def member_at(row: str) -> Any:
    """What stands for the first role."""
    state = pool_at(row)
    if isinstance(state, Draining):
        return state.members[0]
    assert isinstance(state, Constructed | Operating)
    return state.cells[0].member


def test_eligibility_tables_are_total() -> None:
    """Fourteen rows each; the one phase beyond them is the quarantine, which takes nothing."""
    assert len(ADMISSION) == len(MANAGEMENT) == 14
    assert list(ADMISSION) == list(MANAGEMENT)
    assert set(ELIGIBILITY) == {*ADMISSION, "quarantined"}
    assert set(ELIGIBILITY["quarantined"]) == {"unavailable"}


@pytest.mark.parametrize("row", list(ADMISSION))
def test_admission_is_what_the_table_says(row: str) -> None:
    """A submission to a role is assigned, waits, or is refused, by the role's phase alone."""
    done = p.step(pool_at(row), p.submission("a1"), "a", "b")
    if done.actions.role_assignments:
        seen = "assignable-now"
    else:
        waits = isinstance(done.state, Constructed | Operating) and bool(done.state.cells[0].queue)
        seen = "backlog-admissible" if waits else "unavailable"
    assert seen == ADMISSION[row] == admission_of(member_at(row))
    assert standing(member_at(row)) == row
    if seen == "unavailable":
        assert p.refusal(done) == ("shutting-down" if row == "shutdown-owned" else "role-unavailable")


@pytest.mark.parametrize("join", ["awaiting-both", "completion-first", "stop-first", "delivered"])
def test_busy_role_takes_jobs_whatever_its_join(join: str) -> None:
    """A stop that was seen before its delivery's answer does not close the role."""
    done = p.step(p.operating(p.MEMBERS[f"busy-{join}"]), p.submission("a1"))
    assert (p.refusal(done), p.jobs(done.state)) == ("", [[6]])


@pytest.mark.parametrize("row", list(MANAGEMENT))
def test_management_is_what_the_table_says(row: str) -> None:
    """A key is bound to a role, or the role is refused, by its phase alone; its queue is not asked."""
    sent: Rebalance = p.rebalance("a")
    done = p.step(pool_at(row), sent, "a", "b", backlog=0)
    outcome = p.answer(done)
    seen = {"bound-absent": "bindable", "rejected": "unavailable"}[outcome.kind]
    assert seen == MANAGEMENT[row] == management_of(member_at(row))
    if seen == "unavailable":
        assert outcome.reason == ("shutting-down" if row == "shutdown-owned" else "target-unavailable")


def test_entering_unavailability_drops_the_bindings_in_the_same_step() -> None:
    """A worker without a ticket ends its role: the queue and the binding go before the worker does."""
    before = p.operating(p.MEMBERS["initializing"], B_IDLE, queues=((p.waiting(2),),), kept=(KEPT, OTHER_KEY))
    spent = before._replace(allocators=before.allocators._replace(ticket=Allocator(p.TICKET, 0)))
    done = p.step(spent, f.InitReady(0, p.WORKER, p.ATTEMPT), "a", "b")
    assert p.phases(done.state) == ("draining-pre-ready", "idle")
    assert p.outcomes(done) == ("returned-queued/role-permanently-unavailable",)
    assert isinstance(done.state, Operating)
    assert done.state.table.kept == (OTHER_KEY,)
    assert p.kinds(done) == ("unused-activation", "binding-removed")
