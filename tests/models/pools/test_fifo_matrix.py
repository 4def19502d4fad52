"""Every cell of the law's matrices, driven: what the model does is compared with what the cell says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.actions import NO_ACTIONS
from harness.models.pools.correlations import DispatchId, TimerId
from harness.models.pools.fifo.state import Deadline, Draining, Operating, State, Stopped, Transition
from harness.models.pools.values import Birth
from tests.models.pools import _fifo as p

MATRIX = p.law()["member_matrix"]
DECIDED = p.law()["decided"]
ENDING = (m.DrainingPreReady, m.Stopping)


def expected(phase: str, column: str) -> str:
    """What a cell says, or what was decided where the law disagrees with itself."""
    decided = DECIDED.get(phase, {}).get(column)
    return str(decided["is"] if decided else MATRIX[phase][column])


def cells() -> Iterator[tuple[str, str, int]]:
    """Every cell, once for each exact fact of its column."""
    for phase, row in MATRIX.items():
        for column in row:
            for number in range(len(p.COLUMNS[column])):
                yield phase, column, number


def member_for(phase: str, fact: f.Fact) -> m.Member:
    """The member of a row; a restart timer that goes off meets a recovery that waits for it."""
    waits = phase == "recovering" and isinstance(fact, f.TimerElapsed)
    return p.WAITING_FOR_TIMER if waits else p.MEMBERS[phase]


def observed(before: Operating, done: Transition) -> str:
    """What a step did, in the words of the matrix."""
    kinds = p.kinds(done)
    if done.state is before:
        return {"rejected-fact": "reject", "stale-completion": "stale-diagnostic"}[kinds[0]]
    assert "rejected-fact" not in kinds
    was = before.members[0]
    now = done.state.members[0] if isinstance(done.state, Operating) else None
    if isinstance(was, ENDING) and isinstance(now, ENDING):
        if now.stop is not None or was.outstanding.shutdown != now.outstanding.shutdown:
            return "drain"
        assert was.outstanding != now.outstanding
        return "settle-stale" if "stale-readiness" in kinds else "settle"
    if isinstance(was, m.Creating) and isinstance(now, m.Creating):
        return "join"
    return "join" if isinstance(was, m.Busy) and was.join.state != "delivered" else "apply"


def test_matrix_has_every_phase_and_every_column() -> None:
    """The table is total: fourteen phases by eight columns."""
    assert list(MATRIX) == list(p.MEMBERS)
    assert all(list(row) == list(p.COLUMNS) for row in MATRIX.values())
    assert sum(map(len, MATRIX.values())) == 112


@pytest.mark.parametrize(("phase", "column", "number"), tuple(cells()))
def test_cell_does_what_the_law_says(phase: str, column: str, number: int) -> None:
    """An exact fact does to a member what its cell says."""
    fact = p.COLUMNS[column][number]
    before = p.operating(member_for(phase, fact))
    done = p.step(before, fact)
    assert done.refused is None
    assert observed(before, done) == expected(phase, column)


@pytest.mark.parametrize(("phase", "column", "number"), tuple(cells()))
def test_cell_rejects_the_same_fact_of_another_worker(phase: str, column: str, number: int) -> None:
    """A fact about another worker or number changes nothing, wherever it comes, and is told whole."""
    fact = foreign(p.COLUMNS[column][number])
    before = p.operating(member_for(phase, fact))
    done = p.step(before, fact)
    assert done.state is before
    (told,) = done.actions.diagnostics()
    assert told.facts[0] in (fact, getattr(fact, "completion", None))


def foreign(fact: f.Fact) -> f.Fact:
    """The same kind of fact, about a worker, birth, assignment or timer that is not this one's."""
    other = p.OTHER
    if isinstance(fact, f.WorkerStopped):
        return fact._replace(stop=fact.stop._replace(worker=other))
    if isinstance(fact, f.WorkerCompleted):
        return fact._replace(completion=fact.completion._replace(assignment=DispatchId(4)))
    if isinstance(fact, f.BirthCommitted | f.BirthRejected):
        return fact._replace(reservation=other.child)
    if isinstance(fact, f.DeliveryAccepted | f.DeliveryRejected):
        return fact._replace(child=other.child)
    if isinstance(fact, f.ScheduleAccepted | f.ScheduleRejected | f.TimerElapsed):
        return fact._replace(timer=TimerId(4))
    left: Any = fact
    changed: f.Fact = left._replace(worker=other)
    return changed


@pytest.mark.parametrize("phase", ["draining-pre-ready", "stopping"])
def test_shutdown_answer_counts_towards_the_end(phase: str) -> None:
    """The second half of a drain cell: the answer to the request to end is taken once."""
    before = p.operating(p.MEMBERS[phase])
    done = p.step(before, f.ShutdownAccepted(0, p.WORKER))
    assert observed(before, done) == "drain"
    again = p.step(done.state, f.ShutdownAccepted(0, p.WORKER))
    assert again.state is done.state


# -- modes ---------------------------------------------------------------------------------------------------------

MODES: dict[str, State] = {
    "operating": p.operating(p.MEMBERS["activating"]),
    "draining": Draining(
        (m.DrainWorker(0, p.WORKER, "activating", p.EVERYTHING),), Deadline("scheduling", p.TIMER), p.LATER
    ),
    "stopped": Stopped(),
}
GROUPS: dict[str, f.Fact] = {
    "submit": p.submission(),
    "shutdown": f.Shutdown(),
    "worker-lifecycle": f.WorkerStopped(0, p.STOP),
    "assignment": f.DeliveryAccepted(0, p.WORKER.child, DispatchId(1)),
    "recovery-timer": f.ScheduleAccepted(0, p.RECOVERY, p.TIMER),
    "drain-timer": f.DeadlineAccepted(p.TIMER),
}


def mode_word(mode: str, group: str, done: Transition) -> str:
    """What a step did, in the words of the mode matrix."""
    before = MODES[mode]
    if done.refused:
        assert (done.state, done.actions) == (before, NO_ACTIONS)
        return done.refused
    if group == "submit":
        (told,) = done.actions.admission_deliveries
        closed = getattr(told.outcome, "reason", "") == "shutting-down"
        return "return-unchanged" if closed and done.state is before else "admit"
    if group == "shutdown":
        silent = done.state is before and done.actions == NO_ACTIONS
        return "repeat" if silent else "begin-drain" if isinstance(done.state, Draining) else "?"
    if group == "drain-timer":
        return "reject" if p.kinds(done) == ("rejected-fact",) and done.state is before else "apply"
    return "by-member"


@pytest.mark.parametrize("group", list(GROUPS))
@pytest.mark.parametrize("mode", list(MODES))
def test_mode_does_what_the_law_says(mode: str, group: str) -> None:
    """Every mode by every group of inputs does what its cell says."""
    table = p.law()["mode_matrix"]
    assert sum(map(len, table.values())) == len(MODES) * len(GROUPS) == 18
    assert mode_word(mode, group, p.step(MODES[mode], GROUPS[group], deadline=9)) == table[mode][group]


# -- joins and eligibility -----------------------------------------------------------------------------------------

JOIN_FACTS: dict[str, f.Fact] = {
    "delivery-accepted": p.COLUMNS["assignment"][0],
    "delivery-rejected": p.COLUMNS["assignment"][1],
    "completion": p.COLUMNS["completion"][0],
    "stop": p.COLUMNS["stop"][0],
}


@pytest.mark.parametrize("fact", list(JOIN_FACTS))
@pytest.mark.parametrize("join", list(p.law()["join_matrix"]))
def test_join_does_what_the_law_says(join: str, fact: str) -> None:
    """Delivery, completion and stop meet in sixteen ways; each has one next phase and at most one outcome."""
    cell = p.law()["join_matrix"][join][fact]
    two = p.operating(p.MEMBERS[f"busy-{join}"], m.Creating(1, p.OTHER.child, Birth()))
    done = p.step(two, JOIN_FACTS[fact], "a", "b")
    assert p.phases(done.state)[0] == cell["next"]
    assert p.outcomes(done) == (() if cell["outcome"] == "none" else (cell["outcome"],))
    assert ("rejected-fact" in p.kinds(done)) == (cell.get("told") == "rejected-fact")


@pytest.mark.parametrize("stop", ["normal", "abnormal"])
@pytest.mark.parametrize("policy", list(p.law()["recovery_eligibility"]))
def test_eligibility_is_what_the_law_says(policy: str, stop: str) -> None:
    """Each policy by each way to stop either asks for a replacement or retires the role."""
    fact = f.WorkerStopped(0, p.STOP._replace(abnormal=stop == "abnormal"))
    done = p.step(p.operating(p.MEMBERS["idle"]), fact, eligibility=policy)
    eligible = p.phases(done.state) == ("recovering",) and len(done.actions.worker_preparations) == 1
    retired = p.phases(done.state) == ("retired",) and not any(done.actions)
    assert (eligible, retired) == (
        (True, False) if p.law()["recovery_eligibility"][policy][stop] == "eligible" else (False, True)
    )
