"""The published walks: how many sequences they visit, that nothing is broken, and that every breach is caught."""

from __future__ import annotations

import pytest

from harness.models.explorer import Bounds
from harness.models.pools.fifo.audits import CLAIMS
from harness.models.pools.fifo.exploring import Stepper, explore
from harness.models.pools.fifo.inversions import INVERSIONS
from harness.models.pools.fifo.law import FIFO
from harness.models.pools.fifo.walks import WALKS
from harness.models.pools.fifo_oracle.oracle import DIFFERENCES
from harness.models.pools.inverting import PoolInversion
from harness.models.pools.walking import Walked, shortened, visit
from tests.models.pools import _fifo as p
from tests.models.pools.walk_checks import check_caught

BOUNDS = Bounds(4, 1_000_000)
STATES = {"fifo-pool": (479, 685), "fifo-recovery": (313, 608)}
"""Distinct states at depth 4 up to the names of correlations, and with them."""

DEEP = {"fifo-pool": (10, 16_407, "depth"), "fifo-recovery": (60, 21_838, None)}
"""How deep a long walk by states may go, the distinct states it meets, and how it ends: None where it closes."""

FIRST_CAUGHT = {
    "activation-left-to-the-worker": 3,
    "any-completion-counts": 4,
    "backlog-has-no-end": 3,
    "completion-does-not-fill": 2,
    "cursor-stays": 4,
    "late-stop-retires": 2,
    "newest-first": 3,
    "queue-outlives-the-roles": 3,
    "replacement-reuses-birth": 2,
    "retry-at-the-front": 2,
    "shutdown-forgets-births": 2,
    "stop-counts-twice": 2,
}
"""At which depth a breach is first named; the others are named at the first letter, or break their own start."""

BREAK_THEIR_START = {
    "accepts-in-silence": 2,
    "completion-loses-to-stop": 8,
    "customer-learns-the-worker": 8,
    "dispatch-number-stays": 11,
}
"""With how many letters from the very beginning a breach is named that no warm start is reached with."""


def walked(name: str, depth: int = 4, by_states: bool = False) -> Walked:
    return explore(WALKS[name], Bounds(depth, 1_000_000), by_states)[1]


@pytest.mark.parametrize("name", list(WALKS))
def test_walk_visits_every_prefix_and_breaks_nothing(name: str) -> None:
    """Twelve letters to depth four are 22,621 sequences; no audit and no comparison with the oracle fails on one."""
    found = walked(name)
    assert (found.prefixes, found.states) == (22_621, STATES[name][1])
    assert found.violations == ()
    assert len(set(WALKS[name].letters)) == 12


@pytest.mark.parametrize("name", list(WALKS))
def test_walk_by_states_finds_fewer_and_breaks_nothing(name: str) -> None:
    """States that differ in the names of correlations only are one."""
    found = walked(name, by_states=True)
    assert (found.states, found.limit, found.violations) == (STATES[name][0], "depth", ())


@pytest.mark.parametrize("name", list(WALKS))
def test_walk_has_no_letter_without_effect(name: str) -> None:
    """Every letter changes the pool, or is answered to a customer, somewhere in the walk."""
    assert walked(name).acted == WALKS[name].letters


@pytest.mark.parametrize("name", list(WALKS))
def test_walk_starts_where_roles_differ(name: str) -> None:
    """The warm start is stated as letters, and its roles are in different phases."""
    way = Stepper(WALKS[name]).warm_up()
    assert len(way) == len(WALKS[name].start)
    assert len(set(p.phases(way[-1].node.state))) == 2


def test_walks_reach_every_phase_between_them() -> None:
    """With the way to their start, the two walks meet every phase of the law that its rules can lead to."""
    reached: set[str] = set()
    for name in WALKS:
        reached |= set(dict(walked(name, by_states=True).reached)["phases"])
    wanted = set(p.MEMBERS) | {"quarantined", "recovering-preparing", "recovering-scheduling"}
    assert wanted - reached == set()


def test_visit_counts_every_sequence() -> None:
    """Sequences are counted over the table of edges, the empty one too; what has no edges ends there."""
    assert visit({0: [0, 1], 1: [0]}, 3) == 1 + 2 + 3 + 5
    assert visit({}, 5) == 1


# -- inversions ----------------------------------------------------------------------------------------------------


def test_every_claim_has_an_inversion() -> None:
    """Each of the sixteen claims can be broken on purpose."""
    broken = {claim for each in INVERSIONS.all() for claim in each.claims}
    assert broken == set(range(1, len(FIFO.claims) + 1)) == set(range(1, 17))


def test_every_violation_belongs_to_a_claim() -> None:
    """Each name that an audit or the oracle can give stands beside the claim that it breaks."""
    assert {each.violation for each in INVERSIONS.all()} | set(DIFFERENCES.values()) <= set(CLAIMS)
    assert set(CLAIMS.values()) == set(range(1, 17))


@pytest.mark.parametrize("broken", INVERSIONS.all(), ids=lambda each: each.name)
def test_inversion_is_caught_by_its_violation(broken: PoolInversion) -> None:
    """A breach is named by its violation at the stated depth, and not before."""
    check_caught(FIFO, broken, FIRST_CAUGHT, BREAK_THEIR_START)


def test_retry_at_the_front_turns_two_jobs_round() -> None:
    """Two workers, interrupted in the order in which their jobs were admitted, show what front insertion does."""
    broken = INVERSIONS.named("retry-at-the-front")
    assert broken is not None
    _, found = explore(WALKS[broken.model], Bounds(3, 1_000_000), True, broken.turn)
    assert [(each.name, each.letters) for each in found.violations] == [("queue-order", ("stop b", "refuse a"))]


WAY = ("initialize", *("advance a",) * 4, "submit", "advance a", "complete a")
"""What shows a completion that loses to a stop, from the very beginning."""


def test_breach_that_the_bound_hides_is_told_with_the_way_to_it() -> None:
    """Rules that break before the warm start are walked from the beginning; what lies deeper is told all the same."""
    broken = INVERSIONS.named("completion-loses-to-stop")
    assert broken is not None
    start, found = explore(WALKS[broken.model], BOUNDS, False, broken.turn)
    assert (start, found.limit) == ((), "depth")
    assert set(found.letters) == {*WALKS[broken.model].start, *WALKS[broken.model].letters}
    assert found.prefixes == sum(len(found.letters) ** depth for depth in range(BOUNDS.depth + 1))
    assert dict(found.violations)["doubled-outcome"] == WAY


@pytest.mark.parametrize("spare", ["advance b", "submit"])
def test_way_to_a_breach_has_no_letter_to_spare(spare: str) -> None:
    """What the violation at the end of a way does not need is dropped, and nothing else."""
    broken = INVERSIONS.named("completion-loses-to-stop")
    assert broken is not None
    stepper = Stepper(WALKS[broken.model], broken.turn)
    for at in range(1, len(WAY)):
        assert shortened(stepper, (*WAY[:at], spare, *WAY[at:]), "doubled-outcome") == WAY


@pytest.mark.deep
@pytest.mark.parametrize("name", list(WALKS))
def test_fifo_walk_by_states_goes_deep(name: str) -> None:
    """Nothing is broken far beyond four letters either; the recovery walk closes, so nothing is left to break."""
    depth, states, limit = DEEP[name]
    found = walked(name, depth, True)
    assert (found.states, found.limit, found.violations) == (states, limit, ())
