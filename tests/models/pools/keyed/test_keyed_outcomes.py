"""Every end of a keyed job tells the generation and the role that the job was admitted through."""

from __future__ import annotations

from typing import Any

import pytest

from harness.models.explorer import Bounds
from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.correlations import DispatchId, GenerationId
from harness.models.pools.keyed.exploring import Stepper, explore
from harness.models.pools.keyed.inputs import Binding
from harness.models.pools.keyed.inversions import OutcomeOfAnotherGeneration
from harness.models.pools.keyed.outcomes import Accepted
from harness.models.pools.keyed.turn import KeyedTurn
from harness.models.pools.keyed.walks import BINDINGS, WALKS
from harness.models.pools.values import Authority, Stop
from tests.models.pools.keyed import _keyed as p
from tests.models.pools.keyed._cast import busy, completed, exhausted, idle, refused, stopped, worker

MOVED = (Binding("a1", GenerationId(4), "b"),)
"""The key has been bound again since, to the other role."""


def two(first: m.Member, *waiting: Any) -> Any:
    """A pool of two roles: what the first one has, and an idle worker beside it."""
    return p.operating(first, idle(1), queues=(waiting,), kept=MOVED)


FORGED = refused(0, 1)._replace(returned=Authority(DispatchId(7), worker(0).evidence))
ENDS: dict[str, tuple[Any, f.Fact, dict[str, Any]]] = {
    "completed": (two(busy(0, 1)), completed(0, 1), {}),
    "returned-queued/pool-shutdown": (two(busy(0, 1), p.waiting(2)), f.Shutdown(), {}),
    "returned-queued/role-permanently-unavailable": (
        two(busy(0, 1), p.waiting(2)),
        stopped(0),
        {"eligibility": "temporary", "source": False},
    ),
    "returned-queued/dispatch-correlation-unavailable": (
        exhausted(two(busy(0, 1), p.waiting(2)), dispatch=DispatchId),
        completed(0, 1),
        {},
    ),
    "returned-assigned/pool-shutdown": (two(busy(0, 1)), f.Shutdown(), {}),
    "returned-assigned/worker-stopped": (two(busy(0, 1)), stopped(0), {}),
    "returned-assigned/role-permanently-unavailable": (
        two(busy(0, 1)),
        stopped(0),
        {"eligibility": "temporary", "source": False, "interruption": "retry"},
    ),
    "returned-assigned/contradictory-assignment-settlement": (two(busy(0, 1, m.AwaitingBoth())), FORGED, {}),
    "returned-assigned/retry-preparation-rejected": (
        exhausted(two(busy(0, 1), p.waiting(2, "retried")), dispatch=DispatchId),
        completed(0, 1),
        {},
    ),
}
"""Every outcome with its reason: a pool that is about to give it, the input, and what the pool declares."""


def told(before: Any, fact: f.Fact, changes: dict[str, Any]) -> dict[str, Any]:
    """The outcomes of one step by their words."""
    done = p.step(before, fact, "a", "b", **changes)
    outcomes = [each.outcome for each in done.actions.terminal_customer_deliveries]
    return dict(zip(p.outcomes(done), outcomes, strict=True))


@pytest.mark.parametrize("word", list(ENDS))
def test_an_outcome_tells_what_its_job_was_admitted_through(word: str) -> None:
    """Wherever the key is bound by now: the job's own generation, and its own role."""
    outcome = told(*ENDS[word])[word]
    assert outcome.binding == p.ADMITTED
    assert (outcome.generation, outcome.role) == (GenerationId(1), "a")


def test_the_table_of_ends_has_all_that_the_walks_meet() -> None:
    """No walk meets an end that the table has not."""
    walked = {
        name.removeprefix("terminal/")
        for walk in WALKS.values()
        for name in dict(explore(walk, Bounds(4, 1_000_000))[1].reached)["outcomes"]
        if name.startswith("terminal/")
    }
    assert walked
    assert walked <= set(ENDS)


def ends(turn: type[KeyedTurn]) -> list[tuple[Any, Any, tuple[str, ...]]]:
    """The key `x` moves while its jobs run and wait: what each job was admitted through and was told, and the breaches.

    The walk's warm start has the first job of `x` under its first generation, and the key under its third.
    """
    stepper = Stepper(BINDINGS, turn)
    node, admitted, found = stepper.construct(), dict[Any, Any](), list[tuple[Any, Any, tuple[str, ...]]]()
    for letter in (*BINDINGS.start, "complete a", "advance a", "complete b", "shutdown"):
        taken = stepper.take(node, letter)
        for each in taken.actions.admission_deliveries:
            if isinstance(each.outcome, Accepted):
                admitted[each.outcome.job] = each.outcome.binding
        for end in taken.actions.terminal_customer_deliveries:
            found.append((admitted[end.outcome.job], end.outcome.binding, taken.node.broken))
        node = taken.node
    return found


def test_jobs_of_a_key_that_moved_end_under_their_own_generation() -> None:
    """All three jobs end, none under the generation that its key has by now; nothing is broken."""
    found = ends(KeyedTurn)
    assert len(found) == 3
    assert all(admitted == outcome and not broken for admitted, outcome, broken in found)


def test_another_generation_in_an_outcome_is_a_stale_mutation() -> None:
    """The ledger names it, and so does the counter, whose slips carry the stamp of their lease."""
    found = ends(OutcomeOfAnotherGeneration)
    assert found
    assert {"StaleMutation", "OutcomeDiffers"} <= set(found[0][2])
    assert found[0][0] != found[0][1]


def test_a_stop_with_a_kept_completion_tells_the_binding_too() -> None:
    """The delivery's answer comes last; the completion was first, and its job is the one that was admitted."""
    before = two(busy(0, 1, m.CompletionFirst(completed(0, 1).completion, Stop(worker(0), True, 3))))
    outcome = told(before, f.DeliveryAccepted(0, worker(0).child, DispatchId(1)), {})["completed"]
    assert outcome.binding == p.ADMITTED
