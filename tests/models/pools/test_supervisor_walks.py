"""The walks of the supervisor: how many sequences they visit, that nothing is broken, that every breach is caught."""

from __future__ import annotations

from functools import cache

import pytest

from harness.models.explorer import Bounds
from harness.models.pools.inverting import PoolInversion
from harness.models.pools.supervisor.audits import CLAIMS
from harness.models.pools.supervisor.exploring import Stepper, explore
from harness.models.pools.supervisor.inversions import INVERSIONS
from harness.models.pools.supervisor.law import SUPERVISOR
from harness.models.pools.supervisor.walks import WALKS
from harness.models.pools.supervisor_oracle.oracle import DIFFERENCES
from harness.models.pools.walking import Walked
from tests.models.pools import _supervisor as s
from tests.models.pools.walk_checks import check_caught

STATES = {"fixed-supervisor": 337, "supervisor-replacement": 592, "supervisor-settlement": 2_893}
"""Distinct states at depth 4."""

DEEP_STATES = {"fixed-supervisor": 2_448, "supervisor-replacement": 1_109, "supervisor-settlement": 552}
"""Distinct states at depth 10 up to the names of correlations."""

FIRST_CAUGHT = {
    "admits-the-trigger-alone": 2,
    "budget-has-no-end": 7,
    "chosen-twice": 4,
    "denied-stop-vanishes": 4,
    "empty-looks-ready": 2,
    "first-worker-need-not-be-there": 5,
    "forced-end-hands-nothing-over": 3,
    "forced-end-is-silent": 3,
    "free-place-is-not-used": 2,
    "half-a-source-will-do": 2,
    "late-stop-ends-the-role": 2,
    "late-workers-are-asked-again": 3,
    "limit-is-forgotten": 4,
    "recovery-makes-proxies": 2,
    "refusal-fails-the-peers": 2,
    "refused-diagnostic-is-sent-again": 2,
    "prepared-prefix-vanishes": 2,
    "restart-hides-the-stop": 2,
    "shutdown-asks-again": 2,
    "shutdown-forgets-starts": 2,
    "stop-closes-nothing": 2,
    "stop-need-not-be-known": 4,
    "timer-charges-again": 4,
    "timer-is-not-waited-for": 4,
    "undeliverable-is-not-named": 2,
    "untried-delivery-counts": 2,
    "unused-workers-vanish": 3,
}
"""At which depth a breach is first named; the others are named at the first letter, or break their own start."""

BREAK_THEIR_START = {
    "birth-is-a-start": 2,
    "last-role-first": 1,
    "one-proxy-for-all": 2,
    "receipt-is-the-outcome": 3,
    "replacement-leaves-twice": 11,
    "start-names-the-worker": 4,
    "ticket-stays": 11,
}
"""With how many letters from the very beginning a breach is named that no warm start is reached with."""


@cache
def walked(name: str, depth: int = 4, by_states: bool = False) -> Walked:
    return explore(WALKS[name], Bounds(depth, 1_000_000), by_states)[1]


@pytest.mark.parametrize("name", list(WALKS))
def test_supervisor_walk_visits_every_prefix_and_breaks_nothing(name: str) -> None:
    """Twelve letters to depth four are 22,621 sequences; no audit and no comparison with the oracle fails on one."""
    found = walked(name)
    assert (found.prefixes, found.states) == (22_621, STATES[name])
    assert found.violations == ()
    assert len(set(WALKS[name].letters)) == 12


@pytest.mark.parametrize("name", list(WALKS))
def test_supervisor_walk_has_no_letter_without_effect(name: str) -> None:
    """Every letter changes the supervisor, or is heard of outside, somewhere in the walk."""
    assert walked(name).acted == WALKS[name].letters


@pytest.mark.parametrize("name", list(WALKS))
def test_supervisor_walk_starts_where_roles_differ(name: str) -> None:
    """The warm start is stated as letters, and its roles are in different phases."""
    way = Stepper(WALKS[name]).warm_up()
    assert len(way) == len(WALKS[name].start)
    assert len(set(s.phases(way[-1].node.state))) == len(WALKS[name].definition.roles)


def test_supervisor_walks_reach_every_phase_between_them() -> None:
    """With the way to their start, the walks meet every phase of a role but the one that begins before a birth."""
    reached: set[str] = set()
    for name in WALKS:
        reached |= set(dict(walked(name).reached)["phases"])
    assert set(s.MEMBERS) - reached == {"creating-proxy-after-exit"}


def test_supervisor_walk_ends_in_a_forced_retirement() -> None:
    """The first walk drains under its limit, and meets both its reactions and the whole status."""
    reached = dict(walked("fixed-supervisor").reached)
    assert set(reached["modes"]) == {"operating", "draining", "forced-retirement"}
    assert {"forced-retirement", "recovery-denied", "proxy-died"} <= set(reached["diagnostics"])


# -- inversions ----------------------------------------------------------------------------------------------------


def test_every_claim_of_the_supervisor_has_an_inversion() -> None:
    """Each of the eleven claims can be broken on purpose."""
    broken = {claim for each in INVERSIONS.all() for claim in each.claims}
    assert broken == set(range(1, len(SUPERVISOR.claims) + 1)) == set(range(1, 12))


def test_every_violation_of_the_supervisor_is_shown() -> None:
    """Each name that an audit or the oracle can give belongs to a claim, and some inversion brings it about."""
    assert set(CLAIMS) == {each.violation for each in INVERSIONS.all()} | set(DIFFERENCES.values())
    assert set(CLAIMS.values()) == set(range(1, 12))


@pytest.mark.parametrize("broken", INVERSIONS.all(), ids=lambda each: each.name)
def test_supervisor_inversion_is_caught_by_its_violation(broken: PoolInversion) -> None:
    """A breach is named by its violation at the stated depth, and not before."""
    check_caught(SUPERVISOR, broken, FIRST_CAUGHT, BREAK_THEIR_START)


def test_supervisor_that_breaks_on_the_way_is_walked_from_the_beginning() -> None:
    """Rules that break before the warm start give the letters from the very beginning, and are walked from there."""
    broken = INVERSIONS.named("birth-is-a-start")
    assert broken is not None
    start, found = explore(WALKS[broken.model], Bounds(2, 1_000), False, broken.turn)
    assert (start, found.prefixes) == ((), 183)
    assert {each.letters for each in found.violations} == {("initialize", "advance a")}


@pytest.mark.deep
@pytest.mark.parametrize("name", list(WALKS))
def test_supervisor_walk_by_states_goes_deep(name: str) -> None:
    """To depth ten nothing is broken either, and the states are as many as before."""
    found = walked(name, 10, True)
    assert found.violations == ()
    assert found.states == DEEP_STATES[name]
