"""Which events a walk tries: names, amounts, rooms, fields and slots, each exactly."""

from __future__ import annotations

import pytest

from harness.models.lifecycle import events as e
from harness.models.lifecycle.alphabet import Alphabet, Form
from harness.models.lifecycle.config import Config, Destination, Interruption
from harness.models.lifecycle.model import Lifecycle, World
from harness.models.lifecycle.state import State
from tests.models.lifecycle._configs import by_field, config, instant, job, named, pool, standing
from tests.models.lifecycle._play import Play

FORM = Form("bake", "ovens", None, (), None)
WORKERS = (Interruption("fire-drill", ("alarm", "worker-stopped")),)


def tried(rules: Config, state: State, *kinds: str, runs_max: int = 40) -> list[e.Event]:
    """What a walk tries in this state, of these kinds."""
    return list(Alphabet(rules, (FORM,), runs_max).enabled(state, kinds))


def asked(rules: Config, runs: int) -> State:
    """A world in which the requester has asked for so many runs."""
    play = Play(rules)
    for number in range(1, runs + 1):
        play.step(e.Request(f"run{number}", "bake"))
    return play.state


@pytest.mark.parametrize(("runs", "name"), [(0, "A"), (1, "B"), (25, "Z"), (26, "R27"), (27, "R28")])
def test_next_run_is_named_by_letter_then_by_number(runs: int, name: str) -> None:
    """The first twenty-six runs are A to Z, the next one is R27."""
    rules = instant(jobs=(job(needs=()),), destinations=(Destination("shelf", None),))
    assert Alphabet(rules, (FORM,), 40).next_name(asked(rules, runs)) == name


def test_next_name_does_not_count_runs_of_standing_orders() -> None:
    """Runs that standing orders asked for have names of their own, whatever the order is called."""
    for order in ("daily", "weekly"):
        rules = instant(
            jobs=(job(needs=()),), standing_orders=(standing(name=order, no_open_run=True),), pools=(pool(working=1),)
        )
        play = Play(rules)
        assert [run.by for run in play.state.runs][:1] == [order]
        assert Alphabet(rules, (FORM,), 40).next_name(play.state) == "A"


def test_requests_end_at_the_most_runs() -> None:
    """A walk asks for a run while there are fewer than it may make."""
    rules = config()
    assert tried(rules, asked(rules, 1), "request", runs_max=2) == [e.Request("B", "bake")]
    assert tried(rules, asked(rules, 2), "request", runs_max=2) == []


def test_fields_are_set_to_every_other_value() -> None:
    """An order's field goes to 0, 1 and 2, but never to what it is."""
    rules = config(pools=(pool(working=0, order=by_field()),))
    play = Play(rules)
    play.do(e.Request("A", "bake", fields=(("rank", 1),)))
    assert tried(rules, play.state, "set-fields") == [e.SetFields("A", (("rank", value),)) for value in (0, 2)]


def test_requests_take_every_value_of_an_order_field_that_the_form_leaves_open() -> None:
    """A field that the pool sorts by is 0, 1 and 2, unless the form has it."""
    rules = config(pools=(pool(order=by_field()),))
    play = Play(rules)
    open_forms = [e.Request("A", "bake", fields=(("rank", value),)) for value in (0, 1, 2)]
    assert tried(rules, play.state, "request") == open_forms
    given = Form("bake", "ovens", None, (("rank", 7),), None)
    assert list(Alphabet(rules, (given,), 9).enabled(play.state, ("request",))) == [
        e.Request("A", "bake", fields=(("rank", 7),))
    ]


def test_use_takes_all_that_is_there() -> None:
    """Usable units go all at once; where there are none, none are used."""
    rules = config()
    state = Lifecycle(rules).initial(World((("flour", 1, "larder"), ("water", 0, "tap"))))
    assert tried(rules, state, "use") == [e.Use("flour", 1, "larder")]


def test_supply_is_what_one_job_needs() -> None:
    """The most units that one job takes of an item arrive at once."""
    rules = config()
    assert tried(rules, Play(rules).state, "supply") == [e.Supply("flour", 3, "larder"), e.Supply("water", 1, "tap")]


def test_room_is_none_one_outputs_or_all_there_could_be() -> None:
    """A destination's room is set to each of these, within its capacity, but never to what it is."""
    rules = config(destinations=(Destination("shelf", 3),))
    state = Lifecycle(rules).initial(World((), (("shelf", 1),)))
    assert tried(rules, state, "room") == [e.Room("shelf", 0), e.Room("shelf", 3)]


def test_room_of_a_destination_without_capacity_is_only_none() -> None:
    """Where nothing fits, the room is none and stays so; nothing is tried that would be refused."""
    rules = config(destinations=(Destination("shelf", 0),))
    state = Lifecycle(rules).initial(World((), (("shelf", 0),)))
    assert tried(rules, state, "room") == []


def test_workers_of_the_first_slots_stop_and_come_back() -> None:
    """The worker of each of the first two slots goes; one that is away comes back instead."""
    rules = config(pools=(pool(working=3),), interruptions=WORKERS)
    play = Play(rules)
    stops = [e.WorkerStop("ovens", 1), e.WorkerStop("ovens", 2)]
    assert tried(rules, play.state, "worker-stop", "worker-ready") == stops
    play.do(stops[0])
    assert tried(rules, play.state, "worker-stop", "worker-ready") == [stops[1], e.WorkerReady("ovens", 1)]


def test_workers_stop_only_where_an_interruption_says_so() -> None:
    """Without the instruction in an interruptions row no worker is sent away."""
    rules = config(interruptions=(Interruption("power-cut", ("power-cut",)),))
    assert tried(rules, Play(rules).state, "worker-stop") == []


def test_conditions_of_standing_orders_turn_over() -> None:
    """A condition that is false becomes true and the other way round; orders without one are left alone."""
    rules = config(standing_orders=(standing(), standing(name="rest", no_open_run=True)), pools=(pool(working=0),))
    play = Play(rules)
    assert tried(rules, play.state, "eligible") == [e.Eligible("daily", True)]
    play.do(e.Eligible("daily", True))
    assert tried(rules, play.state, "eligible") == [e.Eligible("daily", False)]


def test_polled_rows_are_not_sent() -> None:
    """What fires by itself in every tick is no event of a walk."""
    for polled in (False, True):
        rules = instant(
            jobs=(job(needs=()),),
            output_full="hold-undelivered",
            destinations=(Destination("shelf", 0),),
            redeliveries=named("van", polled),
        )
        state = asked(rules, 1)
        assert tried(rules, state, "redeliver") == ([] if polled else [e.Redeliver("van")])


def test_opened_pools_are_not_opened_again() -> None:
    """A pool is opened once."""
    rules = config(pools=(pool("rush"), pool()))
    play = Play(rules, closed=True)
    assert tried(rules, play.state, "open-pool") == [e.OpenPool("rush"), e.OpenPool("ovens")]
    play.do(e.OpenPool("rush"))
    assert tried(rules, play.state, "open-pool") == [e.OpenPool("ovens")]
