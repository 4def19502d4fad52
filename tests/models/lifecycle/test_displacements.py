"""Displaced runs in the order of a pool (step 18)."""

from __future__ import annotations

from harness.models.lifecycle import events as e
from tests.models.lifecycle._configs import by_field, config, failure, pool
from tests.models.lifecycle._play import Play


def ranked(working: int = 1) -> Play:
    """One oven, the lowest rank first."""
    return Play(config(pools=(pool(working=working, waiting=None, order=by_field()),)))


def test_displaced_run_stands_behind_its_displacer_from_the_stop_on() -> None:
    """The order that is recorded at the stop already has the displaced run behind its displacer."""
    play = ranked()
    play.request("A", rank=1)
    play.request("B", rank=5)
    play.do(e.Instruct("A", "power-cut", displaced_by="B"))
    assert play.log("waiting-order-record", "A")[0].data["order"] == ["B", "A"]


def test_displacement_lets_the_displacer_go_first() -> None:
    """A displaced run of better rank is offered the slot only after its displacer."""
    play = ranked()
    for name, rank in (("A", 1), ("B", 5), ("C", 3)):
        play.request(name, rank=rank)
    assert play.do(e.Instruct("A", "power-cut", displaced_by="B")) == [
        "A job-stopped",
        "C job-started",
        "C job-working",
    ]
    play.do(e.Clear("A", "power-cut"))
    assert play.do(e.Cancel("C", "called-off")) == ["C job-canceled", "B job-started", "B job-working"]
    assert play.do(e.Cancel("B", "called-off")) == ["B job-canceled", "A job-resumed"]


def test_displacement_ends_when_the_displaced_run_resumes() -> None:
    """After its resume nothing holds the displaced run behind any more."""
    play = ranked()
    play.request("A", rank=1)
    play.request("B", rank=5)
    play.do(e.Instruct("A", "power-cut", displaced_by="B"), e.Clear("A", "power-cut"))
    play.do(e.Cancel("B", "called-off"))
    assert play.states()["A"] == "working"
    assert play.state.displaced == ()


def test_displacement_ends_with_a_displacer_that_is_rejected() -> None:
    """A paused request may displace; once it is rejected nothing stands before the displaced run."""
    play = Play(config(pools=(pool(working=1, waiting=0),)))
    play.request("A")
    play.request("B", pause=True)
    play.do(e.Instruct("A", "power-cut", displaced_by="B"))
    assert len(play.state.displaced) == 1
    play.do(e.Clear("A", "power-cut"))
    assert play.do(e.Admit("B")) == ["B job-rejected"]
    assert len(play.state.displaced) == 0


def test_displacing_oneself_is_refused() -> None:
    """No run displaces itself."""
    play = ranked()
    play.request("A")
    assert play.refuse(e.Instruct("A", "power-cut", displaced_by="A")) == "a run cannot displace itself"


def test_displacer_must_be_an_open_run() -> None:
    """A displacer that does not exist, or has ended, is refused."""
    play = ranked()
    play.request("A")
    play.request("B")
    play.do(e.Cancel("B", "called-off"))
    assert play.refuse(e.Instruct("A", "power-cut", displaced_by="Z")) == "there is no open run Z"
    assert play.refuse(e.Instruct("A", "power-cut", displaced_by="B")) == "there is no open run B"


def test_circle_of_displacements_loses_its_oldest() -> None:
    """A displacement that would close a circle ends the oldest of that circle, and no other."""
    play = ranked(working=4)
    for name in "ABCD":
        play.request(name)
    play.do(e.Instruct("D", "power-cut", displaced_by="A"))
    play.do(e.Instruct("A", "power-cut", displaced_by="B"))
    play.do(e.Instruct("B", "power-cut", displaced_by="C"))
    play.do(e.Instruct("C", "power-cut", displaced_by="A"))
    assert play.state.displaced == (("D", "A"), ("B", "C"), ("C", "A"))


def test_two_circles_closed_at_once_both_open() -> None:
    """Where one displacement closes two circles, the oldest of each ends."""
    play = ranked(working=4)
    for name in "ABCD":
        play.request(name)
    play.do(e.Instruct("A", "power-cut", displaced_by="B"), e.Instruct("A", "alarm", displaced_by="C"))
    play.do(e.Instruct("B", "power-cut", displaced_by="D"), e.Instruct("C", "power-cut", displaced_by="D"))
    play.do(e.Instruct("D", "power-cut", displaced_by="A"))
    assert play.state.displaced == (("B", "D"), ("C", "D"), ("D", "A"))


def test_same_displacement_twice_is_one() -> None:
    """Saying again what already stands adds nothing."""
    play = ranked()
    play.request("A")
    play.request("B")
    play.do(e.Instruct("A", "power-cut", displaced_by="B"), e.Instruct("A", "alarm", displaced_by="B"))
    assert play.state.displaced == (("A", "B"),)


def test_displaced_run_stays_behind_two_displacers() -> None:
    """A run that two others displaced comes after both, in the order of the rest."""
    play = ranked()
    for name, rank in (("A", 1), ("B", 5), ("C", 9)):
        play.request(name, rank=rank)
    play.do(e.Instruct("A", "power-cut", displaced_by="C"), e.Instruct("A", "alarm", displaced_by="B"))
    assert play.states()["B"] == "working"
    play.do(e.Clear("A", "power-cut"), e.Clear("A", "fire-drill"))
    play.do(e.Cancel("B", "called-off"))
    assert play.states() == {"A": "stopped", "B": "canceled", "C": "working"}


def test_displacement_ends_with_a_displacer_that_is_ruined() -> None:
    """A failure that ends the displacer leaves nothing before the displaced run."""
    play = Play(config(pools=(pool(working=1, waiting=None),), failures=(failure("fire", "working", ruined=True),)))
    play.request("A")
    play.request("B")
    play.do(e.Instruct("A", "power-cut", displaced_by="B"))
    assert play.state.displaced == (("A", "B"),)
    play.do(e.Fail("B", "fire"))
    assert len(play.state.displaced) == 0
