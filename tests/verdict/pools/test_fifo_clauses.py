"""Each clause of the fifo-pool contract: a recording that it accepts, and one that it rejects."""

from __future__ import annotations

import pytest

from harness.run.pools.logs import POOL_LOGS
from harness.verdict.pools.judgments.fifo import FIFO
from tests.verdict.pools.clause_checks import (
    check_judged_and_doctored,
    check_rejected,
    check_silent,
    check_sound,
    named,
)
from tests.verdict.pools.doctorings import ALL, Doctoring
from tests.verdict.pools.pool_runs import POOLS

DESK = "ticket-desk"


def test_every_clause_has_a_judgment_and_a_doctoring() -> None:
    """The contract's clauses are the judged ones; all but the one about silent events have a doctoring."""
    check_judged_and_doctored(DESK, FIFO, ALL)


@pytest.mark.parametrize("name", POOLS)
def test_sound_pools_violate_nothing(name: str) -> None:
    """A shipped pool on the sound model has nothing violated and nothing unreached, and most clauses hold."""
    check_sound(name, holds_all=name != "lone-kiosk")


@pytest.mark.parametrize("doctoring", ALL, ids=named)
def test_a_doctored_recording_is_rejected(doctoring: Doctoring) -> None:
    """A clause that a sound run does not violate is violated once one row of it is changed."""
    check_rejected(doctoring)


def test_events_after_the_end_must_be_refused() -> None:
    """The clause about a pool that is over rejects a recording in which an event was taken in after the end."""
    check_silent(DESK)


def test_every_log_is_read_by_some_clause() -> None:
    """Each log that pools write is one that the doctorings change, so that no log could hold anything at all."""
    assert {each.log for each in ALL} == set(POOL_LOGS)
