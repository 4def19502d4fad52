"""Every cell of the law's mode, member and join matrices, driven: what the model does is what the cell says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.correlations import DispatchId, TimerId
from harness.models.pools.deadlines import Deadline
from harness.models.pools.keyed.inputs import Input
from harness.models.pools.keyed.outcomes import NO_ACTIONS
from harness.models.pools.keyed.state import Constructed, Draining, Operating, State, Stopped, Transition, UnsentCell
from harness.models.pools.values import Birth
from tests.models.pools.keyed import _keyed as p

MATRIX = p.law()["member_matrix"]
DECIDED = p.law()["decided"]
LEADS_TO = p.law()["leads_to"]
ENDING = (m.DrainingPreReady, m.Stopping)
TOLD = {
    "rejected-input": "reject",
    "stale-completion": "stale-diagnostic",
    "stale-readiness": "stale-diagnostic",
    "duplicate": "duplicate-diagnostic",
}


def expected(phase: str, column: str) -> str:
    """What a cell says, or what was decided where it cannot hold."""
    decided = DECIDED.get(phase, {}).get(column)
    return str(decided["is"] if decided else MATRIX[phase][column])


def cells() -> Iterator[tuple[str, str, int]]:
    """Every cell, once for each exact fact of its column."""
    for phase, row in MATRIX.items():
        for column in row:
            for number in range(len(p.COLUMNS[column])):
                yield phase, column, number


def pool_for(phase: str, fact: f.Fact) -> State:
    """A pool whose one role is at a phase; a restart timer that goes off meets a recovery that waits for it."""
    if phase == "prepared":
        return Constructed((UnsentCell(p.UNSENT),), p.table(), p.LATER)
    waits = phase == "recovering" and isinstance(fact, f.TimerElapsed)
    state: State = p.operating(p.WAITING_FOR_TIMER if waits else p.MEMBERS[phase])
    return state


def observed(before: State, fact: f.Fact, done: Transition) -> str:
    """What a step did, in the words of the matrix."""
    kinds = p.kinds(done)
    if done.state is before:
        (kind,) = kinds
        return TOLD[kind]
    assert not {"rejected-input", "duplicate"} & set(kinds)
    (was,) = p.members(before)
    now = p.members(done.state)[0] if isinstance(done.state, Operating) else None
    if isinstance(was, ENDING) and isinstance(now, ENDING):
        if now.stop is not None or was.outstanding.shutdown != now.outstanding.shutdown:
            return "drain"
        assert was.outstanding != now.outstanding
        return "settle"
    if isinstance(was, m.Creating):
        return "join"
    if isinstance(was, m.Busy) and was.join.state != "delivered":
        retained = isinstance(now, m.Busy) and isinstance(was.join, m.StopFirst) and now.join != was.join
        return "retain" if retained else "join"
    if not isinstance(fact, f.WorkerStopped):
        return "apply"
    if isinstance(was, m.Idle | m.Busy):
        return "interrupt"
    return "join" if isinstance(now, m.DrainingPreReady) and now.outstanding.begin else "drain"


def test_matrix_has_every_phase_and_every_column() -> None:
    """The table is total: fifteen phases by eight columns."""
    assert list(MATRIX) == ["prepared", *p.MEMBERS]
    assert all(list(row) == list(p.COLUMNS) for row in MATRIX.values())
    assert sum(map(len, MATRIX.values())) == 120


@pytest.mark.parametrize(("phase", "column", "number"), tuple(cells()))
def test_cell_does_what_the_law_says(phase: str, column: str, number: int) -> None:
    """An exact fact does to a member what its cell says, and leads to the stated phase."""
    fact = p.COLUMNS[column][number]
    before = pool_for(phase, fact)
    done = p.step(before, fact)
    assert done.refused is None
    assert observed(before, fact, done) == expected(phase, column)
    leads_to = LEADS_TO.get(phase, {}).get(fact.kind)
    assert (done.state is before) == (leads_to is None)
    assert p.phases(done.state) == ((leads_to,) if leads_to else p.phases(before))


@pytest.mark.parametrize(("phase", "column", "number"), tuple(cells()))
def test_cell_rejects_the_same_fact_of_another_worker(phase: str, column: str, number: int) -> None:
    """A fact about another worker or number changes nothing, wherever it comes, and is told whole."""
    fact = foreign(p.COLUMNS[column][number])
    before = pool_for(phase, fact)
    done = p.step(before, fact)
    assert done.state is before
    (told,) = done.actions.diagnostics()
    stale = told.kind == "stale-completion" and told.facts == (getattr(fact, "completion", None),)
    assert stale or (told.kind, told.facts) == ("rejected-input", (fact,))


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


@pytest.mark.parametrize("phase", ["idle", "recovering", "stopping"])
def test_completion_of_another_birth_is_foreign_and_not_stale(phase: str) -> None:
    """What makes a late completion this worker's own is the birth in its authority."""
    authority = p.AUTHORITY._replace(birth=p.OTHER.evidence)
    done = p.step(
        p.operating(p.MEMBERS[phase]),
        f.WorkerCompleted(p.WORKER.child, p.EVIDENCE._replace(authority=authority)),
    )
    assert p.kinds(done) == ("rejected-input",)


@pytest.mark.parametrize("phase", ["draining-pre-ready", "stopping"])
def test_shutdown_answer_counts_towards_the_end(phase: str) -> None:
    """The second half of a drain cell: the answer to the request to end is taken once."""
    before = p.operating(p.MEMBERS[phase])
    fact = f.ShutdownAccepted(0, p.WORKER)
    done = p.step(before, fact)
    assert observed(before, fact, done) == "drain"
    again = p.step(done.state, fact)
    assert again.state is done.state


# -- modes ---------------------------------------------------------------------------------------------------------

MODES: dict[str, State] = {
    "operating": p.operating(p.MEMBERS["activating"]),
    "draining": Draining(
        (m.DrainWorker(0, p.WORKER, "activating", p.EVERYTHING),), Deadline("scheduling", p.TIMER), p.LATER
    ),
    "stopped": Stopped(),
}
GROUPS: dict[str, Input] = {
    "submit": p.submission(),
    "management": p.rebalance("a"),
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
        assert (done.refused, done.state, done.actions) == ("not-admitted", before, NO_ACTIONS)
        return "not-admitted" if group in ("submit", "management", "shutdown") else "host-owned"
    if group in ("submit", "management"):
        reason = p.refusal(done) if group == "submit" else getattr(p.answer(done), "reason", "")
        if reason == "shutting-down" and done.state is before:
            return "return-unchanged"
        return "admit" if group == "submit" else "by-table"
    if group == "shutdown":
        silent = done.state is before and done.actions == NO_ACTIONS
        return "repeat" if silent else "begin-drain" if isinstance(done.state, Draining) else "?"
    if group == "drain-timer":
        return "reject" if p.kinds(done) == ("rejected-input",) and done.state is before else "apply"
    opened = done.actions.worker_creations or done.actions.worker_preparations or done.actions.role_assignments
    if mode == "draining":
        return "drain-only" if not opened and not isinstance(done.state, Operating) else "?"
    return "by-member"


@pytest.mark.parametrize("group", list(GROUPS))
@pytest.mark.parametrize("mode", list(MODES))
def test_mode_does_what_the_law_says(mode: str, group: str) -> None:
    """Every mode by every group of inputs does what its cell says."""
    matrix = p.law()["mode_matrix"]
    assert sum(map(len, matrix.values())) == len(MODES) * len(GROUPS) == 21
    assert mode_word(mode, group, p.step(MODES[mode], GROUPS[group], deadline=9)) == matrix[mode][group]


# -- joins and eligibility for recovery ----------------------------------------------------------------------------

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
    repeats = {"duplicate", "rejected-input"} & set(p.kinds(done))
    assert repeats == ({cell["told"]} if "told" in cell else set())


@pytest.mark.parametrize("stop", ["normal", "abnormal"])
@pytest.mark.parametrize("policy", list(p.law()["recovery_eligibility"]))
def test_eligibility_is_what_the_law_says(policy: str, stop: str) -> None:
    """Each policy by each way to stop either asks for a replacement or retires the role."""
    fact = f.WorkerStopped(0, p.STOP._replace(abnormal=stop == "abnormal"))
    done = p.step(p.operating(p.MEMBERS["idle"]), fact, eligibility=policy)
    asked = len(done.actions.worker_preparations)
    expect = (("recovering",), 1) if p.law()["recovery_eligibility"][policy][stop] == "eligible" else (("retired",), 0)
    assert (p.phases(done.state), asked) == expect
