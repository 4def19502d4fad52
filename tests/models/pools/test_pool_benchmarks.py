"""The measurements of pools run, and the small pool they compare with counts the states that it must."""

from __future__ import annotations

import pytest

from benchmarks import peers
from benchmarks.peers import Peer
from benchmarks.pools import EXPLORER, SMALL, beside, main
from benchmarks.small_pool import START, Limits, Pool, bare_loop, broken, closure
from harness.models.pools.catalogue import models

LIMITS = Limits(2, 3, 4)
SMALLEST = Limits(2, 2, 3)


def altered(job: int = 0, given: int = 0, line: tuple[int, ...] = (), ends: tuple[int, ...] = (0,)) -> Pool:
    """The first pool with one job handed in, and the first role as told."""
    closed, fresh, (_, second), _, _, _ = START
    return (closed, fresh, ((True, 0, job, given, line), second), (0, -1), (0,), ends)


@pytest.fixture
def quickest(monkeypatch: pytest.MonkeyPatch) -> str:
    """Of the small pools only the smallest one is measured; its name."""
    name = "1,408 states"
    monkeypatch.setattr("benchmarks.pools.SMALL", {name: SMALLEST})
    return name


def test_pool_benchmarks_print_every_table(quickest: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With the smallest sizes every measurement gives a line below its heads."""
    main(["--quick"])
    laws, small, others = (each.splitlines() for each in capsys.readouterr().out.strip().split("\n\n"))
    assert laws[0] == "pool laws"
    assert len(laws) == 2 + 2 * len(models())
    assert small[2].startswith(quickest)
    assert "1,408" in small[2].removeprefix(quickest)
    assert [each for each in others if each.startswith((EXPLORER, "no explorer"))]
    assert len(others) == 2 + 2 + len(peers.peers())


@pytest.mark.parametrize(("limits", "states"), [(SMALLEST, 1_408), (SMALL["8,810 states"], 8_810)])
def test_small_pool_closes_at_the_known_number_of_states(limits: Limits, states: int) -> None:
    """Other model checkers count as many states of the same pool, and so does a loop without the explorer."""
    closed = closure(limits)
    assert closed[0] == states
    assert bare_loop(limits) == closed


@pytest.mark.deep
def test_small_pool_closes_at_185_548_states() -> None:
    """So does the larger one."""
    assert closure(Limits(2, 4, 5))[0] == 185_548


@pytest.mark.parametrize(
    "pool",
    [
        altered(ends=(9,)),
        altered(job=1, given=7),
        altered(line=(1,)),
        altered(job=1, line=(1,)),
        altered(),
        altered(job=1, ends=(1,)),
    ],
    ids=[
        "ended twice",
        "of another generation",
        "waits beside a free worker",
        "in two places",
        "lost",
        "done and held",
    ],
)
def test_small_pool_is_audited(pool: Pool) -> None:
    """A job that is finished twice, lost, or stands where it must not, is found, by both ways to state invariants."""
    named = dict(zip(peers.FIELDS, pool, strict=True))
    assert broken(pool, LIMITS)
    assert not all(holds(named) for holds in peers.predicates(LIMITS).values())


def test_small_pool_begins_sound() -> None:
    """Neither way to state invariants finds anything in the first pool, nor in one with a job on its worker."""
    for pool in (START, altered(job=1)):
        assert broken(pool, LIMITS) == ""
        assert all(holds(dict(zip(peers.FIELDS, pool, strict=True))) for holds in peers.predicates(LIMITS).values())


@pytest.mark.parametrize("peer", peers.peers(), ids=lambda each: each.name)
def test_peer_counts_the_same_states(peer: Peer) -> None:
    """A checker that is installed closes the same pool at the same number of states; one that isn't, says why."""
    if peer.missing is not None:
        assert peer.missing.startswith("no ")
        pytest.skip(peer.missing)
    assert peer.count(SMALLEST) == 1_408


def test_missing_checkers_are_told_and_not_run(quickest: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without other checkers the table has this explorer's own lines, and says what is missing."""

    def never(limits: Limits) -> int:
        raise AssertionError(limits)

    monkeypatch.setattr("benchmarks.pools.peers", lambda: (Peer("another", "no package another", never),))
    lines = list(beside(quickest, 1))
    assert lines[-1] == ("another", "skipped", "no package another", "-", "-")
    assert [each[1] for each in lines[:2]] == ["1,408", "1,408"]


def test_checkers_that_disagree_are_no_measurement(quickest: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another number of states means another pool, and its time means nothing."""
    monkeypatch.setattr("benchmarks.pools.peers", lambda: (Peer("another", None, lambda limits: 7),))
    with pytest.raises(ValueError, match="count \\[7, 1408\\] states"):
        list(beside(quickest, 1))
