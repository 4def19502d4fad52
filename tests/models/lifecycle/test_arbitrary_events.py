"""Events of any kind with any names: each is taken or refused with a reason, and no audit breaks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.models.lifecycle import events as e
from tests.models.lifecycle._play import Play
from tests.models.lifecycle._worlds import DIMENSIONS, mix

RUNS = st.sampled_from(("A", "B", "C", "D", "S1", "S2", "Z"))
JOBS = st.sampled_from(("bake", "dough", "sandwich", "cake"))
PLACES = st.sampled_from((None, "north", "south", "nowhere"))
POOLS = st.sampled_from(("ovens", "rush", "nowhere"))
FIELDS = st.dictionaries(st.sampled_from(("rank", "admission")), st.sampled_from((0, 1, 2, "x")), max_size=2)
INSTRUCTIONS = st.sampled_from(("power-cut", "alarm", "worker-stopped", "sing"))
CAUSES = st.sampled_from(("power-cut", "drill", "failure-recovery", "output-full", "unable-to-advance"))
FAILURES = st.builds(
    "{}-{}".format,
    st.sampled_from(("slip", "trip", "ruin")),
    st.sampled_from(("waiting", "working", "stopped", "finished")),
)
UNITS = st.sampled_from((("flour", "larder"), ("salt", "jar"), ("salt", "larder"), ("sugar", "larder")))
AMOUNTS = st.integers(0, 7)
SLOTS = st.integers(0, 3)


def _made(kind: Callable[..., e.Event], *fields: st.SearchStrategy[Any]) -> st.SearchStrategy[e.Event]:
    return st.tuples(*fields).map(lambda values: kind(*values))


def _units(kind: type[e.Supply] | type[e.Use]) -> st.SearchStrategy[e.Event]:
    return st.builds(lambda unit, amount: kind(unit[0], amount, unit[1]), UNITS, AMOUNTS)


ANYTHING: st.SearchStrategy[e.Event] = st.one_of(
    _made(e.OpenPool, POOLS),
    st.builds(
        lambda run, job, place, fields, pause: e.Request(run, job, place, None, e.sorted_fields(fields), pause),
        RUNS,
        JOBS,
        PLACES,
        FIELDS,
        st.booleans(),
    ),
    _made(e.Admit, RUNS),
    st.just(e.Tick()),
    _made(e.Instruct, RUNS, INSTRUCTIONS, st.one_of(st.none(), RUNS)),
    _made(e.Clear, RUNS, CAUSES),
    _made(e.Cancel, RUNS, st.sampled_from(("called-off", "x", "nothing"))),
    _made(e.Fail, RUNS, FAILURES),
    _units(e.Supply),
    _units(e.Use),
    _made(e.Room, st.sampled_from(("shelf", "cellar", "nowhere")), st.integers(0, 3)),
    _made(e.Readmit, st.sampled_from(("cleared", "nothing"))),
    _made(e.Redeliver, st.sampled_from(("van", "nothing"))),
    _made(e.Collect, st.sampled_from(("pickup", "nothing")), st.one_of(st.none(), RUNS)),
    _made(e.Eligible, st.sampled_from(("daily", "nothing")), st.booleans(), PLACES),
    st.builds(lambda run, fields: e.SetFields(run, e.sorted_fields(fields)), RUNS, FIELDS),
    _made(e.WorkerStop, POOLS, SLOTS, PLACES),
    _made(e.WorkerReady, POOLS, SLOTS, PLACES),
)
CHOICES = st.tuples(*(st.integers(0, len(options) - 1) for options in DIMENSIONS.values()))


@given(chosen=CHOICES, sent=st.lists(ANYTHING, max_size=30))
@settings(max_examples=100, deadline=None)
def test_any_event_is_taken_or_refused_with_a_reason(chosen: tuple[int, ...], sent: list[e.Event]) -> None:
    """Whatever is sent into whatever configuration: nothing crashes, and a refusal leaves the very same state."""
    rules = mix(chosen)
    play = Play(rules, stock=(("flour", 6, "larder"), ("salt", 4, "jar")) if rules.timing else ())
    for event in sent:
        before = play.state
        transition = play.step(event)
        if transition.refused is not None:
            assert transition.refused
            assert transition.state is before


@given(chosen=CHOICES, sent=st.lists(ANYTHING, max_size=20))
@settings(max_examples=40, deadline=None)
def test_same_events_leave_the_same_rows(chosen: tuple[int, ...], sent: list[e.Event]) -> None:
    """The model has no memory but its state: the same events give equal states and equal rows."""
    rules = mix(chosen)
    first, second = Play(rules), Play(rules)
    for event in sent:
        first.step(event)
        second.step(event)
        assert first.state == second.state
        assert first.rows == second.rows
    assert hash(first.state) == hash(second.state)
