"""The published walks: how many sequences they visit, that nothing is broken, and that every breach is caught."""

from __future__ import annotations

from functools import cache

import pytest

from harness.models.explorer import Bounds
from harness.models.pools.actions import CreateWorker, TransferResidual
from harness.models.pools.inverting import PoolInversion
from harness.models.pools.keyed.audits import CLAIMS
from harness.models.pools.keyed.bench import fact_of
from harness.models.pools.keyed.exploring import Stepper, explore
from harness.models.pools.keyed.inversions import INVERSIONS
from harness.models.pools.keyed.law import KEYED
from harness.models.pools.keyed.walks import WALKS
from harness.models.pools.keyed_oracle.compare import DIFFERENCES
from harness.models.pools.walking import Walked
from tests.models.pools.keyed import _keyed as p
from tests.models.pools.walk_checks import check_caught

STATES = {"keyed-pool": (257, 618), "keyed-recovery": (312, 646)}
"""Distinct states at depth 4 up to the names of correlations, and with them."""

DEEP_STATES = {"keyed-pool": 2_896, "keyed-recovery": 3_354}
"""Distinct states at depth 8 up to the names of correlations."""

FIRST_CAUGHT = {
    "any-authority-reunites": 2,
    "any-completion-counts": 2,
    "binding-before-the-job": 2,
    "bounds-are-one": 2,
    "candidate-loss": 3,
    "completion-does-not-fill": 2,
    "late-stop-retires": 2,
    "plan-vanishes": 3,
    "quarantine-is-open": 4,
    "recovery-closes-the-role": 3,
    "repeats-are-foreign": 2,
    "replacement-reuses-birth": 3,
    "restart-after-shutdown": 3,
    "retry-also-returns": 2,
    "roles-share-room": 2,
    "same-role-changes-generation": 2,
    "shutdown-forgets-births": 2,
    "source-serves-all": 4,
}
"""At which depth a breach is first named; the others are named at the first letter, or break their own start."""

BREAK_THEIR_START = {
    "accepted-work-retargeting": 2,
    "accepts-in-silence": 1,
    "dispatch-number-stays": 11,
    "generation-reuse": 2,
    "job-without-binding": 1,
    "selector-asked-by-managers": 1,
    "selector-asked-for-bound-key": 1,
}
"""With how many letters from the very beginning a breach is named that no warm start is reached with."""

PUBLISHED = {
    "generation-reuse": "GenerationReused",
    "stale-mutation": "StaleMutation",
    "accepted-work-retargeting": "QueueLocation",
    "cross-role-consumption": "AssignmentRole",
    "duplicate-terminal": "DuplicateTerminal",
    "candidate-loss": "CandidateLost",
    "restart-after-shutdown": "RestartAfterShutdown",
}
"""The breaches that the law itself names."""


@cache
def walked(name: str, depth: int = 4, by_states: bool = False) -> Walked:
    return explore(WALKS[name], Bounds(depth, 1_000_000), by_states)[1]


@pytest.mark.parametrize("name", list(WALKS))
def test_walk_visits_every_prefix_and_breaks_nothing(name: str) -> None:
    """Twelve letters to depth four are 22,621 sequences; no audit and no comparison with the oracles fails on one."""
    found = walked(name)
    assert (found.prefixes, found.states) == (22_621, STATES[name][1])
    assert found.violations == ()
    assert len(set(WALKS[name].letters)) == 12


@pytest.mark.parametrize("name", list(WALKS))
def test_walk_by_states_finds_fewer_and_breaks_nothing(name: str) -> None:
    """States that differ in the names of correlations only are one, and what is met is the same."""
    found = walked(name, by_states=True)
    assert (found.states, found.limit, found.violations) == (STATES[name][0], "depth", ())
    assert found.reached == walked(name).reached


@pytest.mark.parametrize("name", list(WALKS))
def test_walk_has_no_letter_without_effect(name: str) -> None:
    """Every letter changes the pool, or is answered to a customer or manager, somewhere in the walk."""
    assert walked(name).acted == WALKS[name].letters


@pytest.mark.parametrize("name", list(WALKS))
def test_walk_starts_where_roles_differ(name: str) -> None:
    """The warm start is stated as letters, and its roles are in different phases."""
    way = Stepper(WALKS[name]).warm_up()
    assert len(way) == len(WALKS[name].start)
    assert len(set(p.phases(way[-1].node.state))) == 2


def test_walks_reach_every_phase_but_stopping() -> None:
    """No rule makes a role stopping: what ends a live worker for good drains it before readiness, or ends the pool."""
    reached = {phase for name in WALKS for phase in dict(walked(name).reached)["phases"]}
    steps = {f"recovering-{each}" for each in ("preparing", "scheduling", "waiting-for-source", "waiting-for-timer")}
    wanted = {"prepared", *p.MEMBERS, "quarantined", *steps}
    assert wanted - reached == {"stopping"}


def test_no_job_is_ever_returned_as_unaccepted() -> None:
    """The outcome is in the sum of the law, and no rule of it leads there."""
    outcomes = {each for name in WALKS for each in dict(walked(name).reached)["outcomes"]}
    assert "terminal/completed" in outcomes
    assert not [each for each in outcomes if "unaccepted" in each]


@pytest.mark.parametrize("letter", ["submit q", "submit x a", "unbind", "rebalance x", "late q a", "dance a"])
def test_bench_knows_its_letters(letter: str) -> None:
    """A letter about a key or role that the walk does not have is none."""
    node = Stepper(WALKS["keyed-pool"]).construct()
    with pytest.raises(ValueError, match="there is no letter"):
        fact_of(letter, node.bench, ("a", "b"))


def test_no_worker_is_made_once_the_pool_ends() -> None:
    """Whatever comes after a shutdown, no creation leaves, and an end that is forced hands over who is left."""
    stepper = Stepper(WALKS["keyed-recovery"])
    start = stepper.warm_up()[-1].node
    frontier = [stepper.take(start, letter).node for letter in ("stop a", "leave a", "submit x")]
    closed = [stepper.take(node, "shutdown").node for node in (start, *frontier)]
    residuals = 0
    for _ in range(3):
        taken = [stepper.take(node, letter) for node in closed for letter in WALKS["keyed-recovery"].letters]
        left = [type(each) for done in taken for each in done.actions.operations()]
        assert CreateWorker not in left
        residuals += left.count(TransferResidual)
        closed = list({done.node.state: done.node for done in taken}.values())
    assert residuals > 0


# -- inversions ----------------------------------------------------------------------------------------------------


def test_every_claim_has_an_inversion() -> None:
    """Each of the sixteen claims can be broken on purpose, and is then the claim of the named violation."""
    broken = {claim for each in INVERSIONS.all() for claim in each.claims}
    assert broken == set(range(1, len(KEYED.claims) + 1)) == set(range(1, 17))
    named = {CLAIMS[each.violation] for each in INVERSIONS.all()}
    assert named == broken


def test_every_violation_belongs_to_a_claim() -> None:
    """Each name that an audit or an oracle can give stands beside the claim that it breaks."""
    assert {each.violation for each in INVERSIONS.all()} | set(DIFFERENCES) <= set(CLAIMS)
    assert set(CLAIMS.values()) == set(range(1, 17))


@pytest.mark.parametrize("name", list(PUBLISHED))
def test_published_inversion_has_its_published_violation(name: str) -> None:
    """The seven breaches that the law speaks of are named as it names them."""
    broken = INVERSIONS.named(name)
    assert broken is not None
    assert broken.violation == PUBLISHED[name]


@pytest.mark.parametrize("broken", INVERSIONS.all(), ids=lambda each: each.name)
def test_inversion_is_caught_by_its_violation(broken: PoolInversion) -> None:
    """A breach is named by its violation at the stated depth, and not before."""
    check_caught(KEYED, broken, FIRST_CAUGHT, BREAK_THEIR_START)


def test_breach_on_the_way_to_the_start_is_walked_from_the_beginning() -> None:
    """A pool that breaks before its start is walked without it, over the letters of both, to the shortest way."""
    broken = INVERSIONS.named("generation-reuse")
    assert broken is not None
    start, found = explore(WALKS[broken.model], Bounds(2, 1_000), False, broken.turn)
    assert (start, len(found.letters), found.prefixes) == ((), 15, 241)
    assert ("GenerationReused", ("submit x", "rebalance x b")) in found.violations


@pytest.mark.deep
@pytest.mark.parametrize("name", list(WALKS))
def test_keyed_walk_by_states_goes_deep(name: str) -> None:
    """To depth eight nothing is broken either, and the states are as many as before."""
    found = walked(name, 8, True)
    assert found.violations == ()
    assert found.states == DEEP_STATES[name]
