"""The measurements of pools run, and the small pool they compare with counts the states that it must."""

from __future__ import annotations

import pytest

from benchmarks.pools import main
from benchmarks.small_pool import START, Limits, broken, closure


def test_pool_benchmarks_print_both_tables(capsys: pytest.CaptureFixture[str]) -> None:
    """With the smallest sizes every measurement gives a line below its heads."""
    main(["--quick"])
    laws, small = capsys.readouterr().out.strip().split("\n\n")
    assert laws.splitlines()[0] == "pool laws"
    assert len(laws.splitlines()) == 6
    assert "8,810" in small


@pytest.mark.parametrize(("limits", "states"), [(Limits(2, 2, 3), 1_408), (Limits(1, 3, 4), 8_810)])
def test_small_pool_closes_at_the_known_number_of_states(limits: Limits, states: int) -> None:
    """Other model checkers count as many states of the same pool."""
    assert closure(limits)[0] == states


@pytest.mark.deep
def test_small_pool_closes_at_185_548_states() -> None:
    """So does the larger one."""
    assert closure(Limits(2, 4, 5))[0] == 185_548


def test_small_pool_is_audited() -> None:
    """A job that is finished twice, or stands on a worker that never got it, is found."""
    assert broken(START, Limits(2, 3, 4)) == ""
    assert broken(START._replace(ends=(9,), keys=(0,)), Limits(2, 3, 4))
    role = START.roles[0]._replace(job=1, given=7)
    assert broken(START._replace(roles=(role, START.roles[1]), keys=(0,), ends=(0,)), Limits(2, 3, 4))
