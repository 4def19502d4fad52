"""Faults that real pools had, each shown by an inversion of a pool law and named by its violation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.models.pools import facts as f
from harness.models.pools.catalogue import LAWS
from harness.models.pools.correlations import RequestId
from harness.models.pools.definition import Definition, RecoveryPolicy
from harness.models.pools.fifo.inversions import QueueOutlivesTheRoles
from harness.models.pools.fifo.model import FifoPool
from harness.models.pools.fifo.turn import FifoTurn
from harness.models.pools.fifo_slots import FifoSlots
from harness.models.pools.members import Busy
from harness.models.pools.timing import Budget
from harness.models.pools.values import Authority, Evidence, Stop

FILE = Path(__file__).parents[2] / "data" / "faults.yaml"
SHOWN: list[tuple[str, dict[str, Any]]] = [
    (fault["id"], each) for fault in yaml.safe_load(FILE.read_text(encoding="utf-8")) for each in fault.get("pools", ())
]
TEMPORARY = RecoveryPolicy("temporary", Budget(0, 0), source=False)


def broken_by(law: Any, model: str, turn: type[Any], letters: list[str]) -> list[str]:
    """The violations after each of these letters, from the warm start of a walk on."""
    stepper = law.stepper(law.walks[model], turn)
    node = stepper.warm_up()[-1].node
    found: list[str] = list(node.broken)
    for letter in letters:
        node = stepper.take(node, letter).node
        found += node.broken
    return found


@pytest.mark.parametrize(("fault", "entry"), SHOWN, ids=[f"{fault}-{each['law']}" for fault, each in SHOWN])
def test_fault_is_caught_by_the_named_violation(fault: str, entry: dict[str, Any]) -> None:
    """The letters break nothing in a sound pool, and show the violation, with its last letter, in the broken one."""
    law = next(each for each in LAWS if each.name == entry["law"])
    inversion = law.inversions.named(entry["inversion"])
    assert inversion is not None, fault
    assert inversion.violation == entry["violation"]
    assert broken_by(law, inversion.model, law.rules, entry["letters"]) == []
    assert entry["violation"] in broken_by(law, inversion.model, inversion.turn, entry["letters"])
    assert entry["violation"] not in broken_by(law, inversion.model, inversion.turn, entry["letters"][:-1])


def test_stranded_queue_is_a_fault_of_more_than_one_law() -> None:
    """The queue of an abandoned pool is a matter of pools alone, and both laws with queues are asked."""
    assert [each["law"] for fault, each in SHOWN if fault == "F23"] == ["fifo-pool", "keyed-pool"]


def ends(turn: type[FifoTurn]) -> dict[int, list[str]]:
    """One worker that nobody replaces, four jobs; it does the first and is gone. How each job ends, by its number."""
    state: Any = FifoSlots().initial(1).pool
    model = FifoPool(Definition(("slot-1",), 1, TEMPORARY, 3, "fail"), turn)
    told: dict[int, list[str]] = {number: [] for number in range(1, 5)}

    def take(fact: f.Fact) -> None:
        nonlocal state
        done = model.step(state, fact)
        state = done.state
        for each in done.actions.terminal_customer_deliveries:
            told[int(each.outcome.job)].append(each.outcome.kind)
        for given in done.actions.worker_assignments:
            take(f.DeliveryAccepted(given.role, given.child, given.assignment))

    for number in map(RequestId, told):
        take(f.Submit(number, number, "customer"))
    busy = state.members[0]
    assert isinstance(busy, Busy)
    authority = Authority(busy.job.token, busy.worker.evidence)
    take(f.WorkerCompleted(busy.worker.child, Evidence(busy.job.assignment, authority, "done")))
    take(f.WorkerStopped(0, Stop(busy.worker, False, 0)))
    return told


def test_no_job_of_an_abandoned_pool_is_left_without_an_end() -> None:
    """Where the worker of the last role is gone for good, its job and all that wait go back; the breach strands two."""
    returned = ["returned-queued"]
    assert ends(FifoTurn) == {1: ["completed"], 2: ["returned-assigned"], 3: returned, 4: returned}
    assert ends(QueueOutlivesTheRoles) == {1: ["completed"], 2: ["returned-assigned"], 3: [], 4: []}
