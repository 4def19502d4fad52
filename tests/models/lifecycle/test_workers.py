"""Workers of slots that go and come back (Events: worker-stop, worker-ready)."""

from __future__ import annotations

from harness.models.lifecycle import events as e
from tests.models.lifecycle._configs import config, pool
from tests.models.lifecycle._play import Play


def test_worker_stop_stops_the_run_on_the_slot() -> None:
    """The run on the slot is given the row that declares `worker-stopped`, and the slot is not free."""
    play = Play(config(pools=(pool(working=1),)))
    play.request("A")
    assert play.do(e.WorkerStop("ovens", 1)) == ["A job-stopped"]
    assert play.run("A").causes == ("fire-drill",)
    assert play.request("B") == ["B job-requested", "B job-waiting"]


def test_worker_ready_clears_the_cause_that_its_stop_gave() -> None:
    """Only when its worker is back can the slot be taken again, by the run that its stop stopped."""
    play = Play(config(pools=(pool(working=1),)))
    play.request("A")
    play.do(e.WorkerStop("ovens", 1))
    assert play.do(e.WorkerReady("ovens", 1)) == ["A job-resumed"]


def test_worker_ready_leaves_a_cause_that_another_slot_gave() -> None:
    """A cause that was cleared and given again by another slot's stop does not clear with the first slot."""
    play = Play(config(pools=(pool(working=2),)))
    play.request("A")
    play.do(e.WorkerStop("ovens", 1))
    assert play.do(e.Clear("A", "fire-drill")) == ["A job-resumed"]
    assert play.run("A").working_slot == 1
    play.do(e.WorkerStop("ovens", 2))
    assert play.do(e.WorkerReady("ovens", 1)) == []
    assert play.run("A").causes == ("fire-drill",)
    assert play.do(e.WorkerReady("ovens", 2)) == ["A job-resumed"]


def test_worker_ready_leaves_a_cause_that_somebody_gave() -> None:
    """An instruction that came first is not undone by the worker's return."""
    play = Play(config())
    play.request("A")
    play.do(e.Instruct("A", "alarm"))
    play.do(e.WorkerStop("ovens", 1), e.WorkerReady("ovens", 1))
    assert play.run("A").causes == ("fire-drill",)


def test_worker_stop_on_an_idle_slot_takes_it_away() -> None:
    """An idle slot whose worker goes is not free until its worker is back."""
    play = Play(config(pools=(pool(working=1),)))
    play.do(e.WorkerStop("ovens", 1))
    assert play.request("A") == ["A job-requested", "A job-waiting"]
    assert play.report("job-waiting")["causes"] == ["no-free-slot"]
    assert play.do(e.WorkerReady("ovens", 1)) == ["A job-started", "A job-working"]


def test_worker_stop_is_refused_where_it_cannot_stop_the_run() -> None:
    """Without a row that declares `worker-stopped` a busy slot keeps its worker; an idle one may lose it."""
    play = Play(config(interruptions=()))
    play.request("A")
    assert play.refuse(e.WorkerStop("ovens", 1)) == "the run on the slot cannot be stopped that way"
    play.do(e.WorkerStop("ovens", 2))


def test_worker_stop_is_refused_for_a_finished_run() -> None:
    """A run that only waits for its delivery is neither working nor stopped."""
    play = Play(config(pools=(pool(releases_at="delivered"),), output_full="hold-undelivered"), room=(("shelf", 0),))
    play.request("A")
    play.tick(4)
    assert play.run("A").working_slot == 0
    assert play.refuse(e.WorkerStop("ovens", 1)) == "the run on the slot cannot be stopped that way"


def test_worker_events_must_fit_the_slot() -> None:
    """A slot that is not there, a worker that is away, or one that is there already: each refused with its reason."""
    play = Play(config())
    assert play.refuse(e.WorkerStop("ovens", 3)) == "the pool ovens has no slot 3"
    assert play.refuse(e.WorkerStop("kilns", 1)) == "there is no open pool kilns"
    assert play.refuse(e.WorkerStop("ovens", 1, "north")) == "there is no open pool ovens at north"
    assert play.refuse(e.WorkerReady("ovens", 1)) == "the slot's worker is there"
    play.do(e.WorkerStop("ovens", 1))
    assert play.refuse(e.WorkerStop("ovens", 1)) == "the slot's worker is away already"
