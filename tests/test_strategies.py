"""The published strategies: what they draw is valid and shrinks, and every property of the model holds on it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from harness import workspace
from harness.assembly import CHOICES, assemble, plainest
from harness.assembly.needs import dropped
from harness.base.finding import Severity
from harness.base.verdict import Verdict
from harness.contract.questions import effective_answers
from harness.contract.reading import read_contract
from harness.contract.shapes import Adoption, Contract
from harness.contract.validation import Validation, validate_adoption
from harness.expansion.expand import expand_adoption
from harness.kits import check_of
from harness.models.lifecycle import events as e
from harness.models.lifecycle.model import Transition
from harness.models.lifecycle.state import State
from harness.run.facts import Facts
from harness.run.plan import Plan, PlannedWorld
from harness.run.planning import world_to_json
from harness.strategies import (
    NOWHERE,
    Run,
    adoption_documents,
    adoptions,
    choices,
    event_sequences,
    events,
    runs,
    typed_adoption,
    worlds,
)
from harness.verdict.judging import judge_scenario
from tests.run_builders import recorded_by_model

CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def steady(examples: int) -> settings:
    """The same examples in every run."""
    return settings(max_examples=examples, derandomize=True, deadline=None, database=None, suppress_health_check=CHECKS)


SOME, MANY = steady(30), steady(400)
#: Where it is enough that something is drawn, however large.
DRAWN = settings(MANY, phases=(Phase.generate,))


@cache
def contract() -> Contract:
    """The shipped contract, read once."""
    found, findings = read_contract(workspace.contract_path("job-resolution"))
    assert found is not None, findings
    return found


def facts_of(chosen: dict[str, str]) -> Facts:
    """An adoption with these choices, plain in all others."""
    return Facts(typed_adoption(assemble(chosen)))


def validated(document: dict[str, object], folder: Path) -> Validation:
    """What validation says about a document."""
    path = folder / "made-up.json"
    path.write_text(json.dumps(document))
    return validate_adoption(str(path), contract(), checks=check_of)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all examples of a test share."""
    return tmp_path_factory.mktemp("adoptions")


def with_runs(legal: bool, size: int = 20) -> st.SearchStrategy[tuple[Facts, Run]]:
    """An adoption with a world and a sequence for it."""
    facts = adoptions().map(Facts)
    return facts.flatmap(lambda each: st.tuples(st.just(each), runs(each, size, legal)))


# -- adoptions ------------------------------------------------------------------------------------------------------


def test_choices_shrink_to_the_plainest() -> None:
    """Without a reason for anything else, the smallest set of choices has the first option of each."""
    assert find(choices(), lambda _: True, settings=SOME) == plainest()


def test_choices_shrink_one_by_one() -> None:
    """A set that must hold two options keeps only those two, and the earliest that do."""
    found = find(choices(), lambda each: each["pool"] != "none" and each["work"] == "fractions", settings=MANY)
    assert found == {**plainest(), "pool": "shared-one", "work": "fractions"}


def test_adoption_documents_shrink_to_a_job_without_rows() -> None:
    """The smallest adoption is a job without inputs, work and pool."""
    found = find(adoption_documents(), lambda _: True, settings=SOME)
    assert found["collections"] == {}
    assert found["answers"] == {"job-inputs": "no-inputs", "output-full": "never-full"}


@SOME
@given(document=adoption_documents())
def test_adoption_documents_validate_without_error_or_warning(folder: Path, document: dict[str, object]) -> None:
    """Any combination of choices makes a valid adoption, about which there are only notes."""
    assert [each for each in validated(document, folder).findings if each.severity is not Severity.NOTE] == []


@SOME
@given(adoption=adoptions())
def test_adoptions_expand_to_an_account_that_adds_up(adoption: Adoption) -> None:
    """Every template x row of a generated adoption is expanded or excluded, once."""
    expansion = expand_adoption(contract(), adoption, effective_answers(adoption))
    assert expansion.unaccounted == 0
    assert expansion.scenarios


@SOME
@given(document=adoption_documents())
def test_adoptions_are_what_reading_the_document_gives(folder: Path, document: dict[str, object]) -> None:
    """The typed adoption holds what the one read from a file holds."""
    read = validated(document, folder).adoption
    assert read is not None
    assert dict(read.document) == document


@MANY
@given(chosen=choices())
def test_assembly_drops_exactly_what_the_needs_rule_out(chosen: dict[str, str]) -> None:
    """An option changes the document if the other choices meet its needs, and only then."""
    document = assemble(chosen)
    kept = {
        name
        for name, option in chosen.items()
        if option != CHOICES[name][0] and document != assemble({**chosen, name: CHOICES[name][0]})
    }
    assert kept == {name for name, option in chosen.items() if option != CHOICES[name][0]} - set(dropped(chosen))


def test_assembly_refuses_an_option_that_is_none() -> None:
    """A misspelt option is an error and not the plainest one."""
    with pytest.raises(ValueError, match="no choice pool: two"):
        assemble({"pool": "two"})


# -- worlds and events ----------------------------------------------------------------------------------------------


@SOME
@given(data=st.data())
def test_worlds_are_possible(data: st.DataObject) -> None:
    """No stock is negative, no room exceeds its capacity, and every name is the adoption's."""
    facts = data.draw(adoptions().map(Facts))
    world = data.draw(worlds(facts))
    assert {(item, source) for item, _, source in world.stock} == set(facts.tables.stock_keys())
    assert all(amount >= 0 for _, amount, _ in world.stock)
    assert all(0 <= free <= (facts.tables.capacities[name] or 0) for name, free in world.room)
    assert {row for row, _, _ in world.eligible} <= {row.id for row in facts.config.standing_orders}


@SOME
@given(data=st.data())
def test_events_are_well_formed(data: st.DataObject) -> None:
    """An event survives its JSON form, whatever it names."""
    event = data.draw(events(data.draw(adoptions().map(Facts))))
    assert e.event_from_json(json.loads(json.dumps(e.event_to_json(event)))) == event


def test_events_come_in_every_kind_and_also_name_nothing() -> None:
    """The arbitrary events hold every kind there is, and names that nothing has."""
    drawn = events(facts_of({}))
    for kind in e.KINDS:
        find(drawn, lambda each, kind=kind: each.kind == kind, settings=DRAWN)  # type: ignore[misc]
    assert find(drawn, lambda each: NOWHERE in each, settings=DRAWN)


@SOME
@given(example=with_runs(legal=True))
def test_legal_sequences_are_hardly_ever_refused(example: tuple[Facts, Run]) -> None:
    """The events drawn from what is enabled are taken, but for a few that only settling can refuse."""
    facts, run = example
    refused = [each for each in steps(facts, run) if each[2].refused is not None]
    assert len(refused) <= 1 + len(run.events) // 3


def test_event_sequences_shrink_to_the_events_that_matter() -> None:
    """The smallest sequence in which a job is delivered is opening its pools and requesting it."""
    facts = facts_of({"pool": "shared-one"})

    def delivers(sent: tuple[e.Event, ...]) -> bool:
        rows = [row for _, _, each in steps(facts, Run(facts.world(), sent)) for row in each.rows]
        return any(row.data.get("report") == "job-delivered" for row in rows)

    found = find(event_sequences(facts), delivers, settings=MANY)
    assert [each.kind for each in found] == ["open-pool", "request"]


def steps(facts: Facts, run: Run) -> list[tuple[State, e.Event, Transition]]:
    """Every step of a run: the state before it, the event, what it did."""
    state, found = facts.model.initial(run.world), []
    for event in run.events:
        transition = facts.model.step(state, event)
        found.append((state, event, transition))
        state = transition.state
    return found


# -- what holds on all of them --------------------------------------------------------------------------------------


def check_steps(example: tuple[Facts, Run]) -> None:
    """Refusals change nothing, units are conserved, and no count leaves its range."""
    facts, run = example
    for before, event, transition in steps(facts, run):
        if transition.refused is not None:
            assert transition.state == before, event
            assert transition.rows == ()
        expected = units(facts, before) + moved_by(event, transition)
        assert units(facts, transition.state) == expected, event
        in_range(facts, transition.state)


def units(facts: Facts, state: State) -> Counter[tuple[str, str]]:
    """The units that are there, usable or claimed, by item and source."""
    found = Counter(dict(zip(state.keys, state.stock, strict=True)))
    for run in state.runs:
        for key, held in zip(facts.tables.sources(run.job, run.place), run.held, strict=True):
            found[key] += held
    return Counter({key: amount for key, amount in found.items() if amount})


def moved_by(event: e.Event, transition: Transition) -> Counter[tuple[str, str]]:
    """The units that the event itself brings or takes, and those that its settles spend or lose."""
    found: Counter[tuple[str, str]] = Counter()
    if transition.refused is None and isinstance(event, e.Supply | e.Use):
        found[event.item, event.source] += event.amount if isinstance(event, e.Supply) else -event.amount
    for row in transition.rows:
        if row.log == "claim-ledger" and row.data["change"] in ("spend", "lose"):
            found[row.data["item"], row.data["source"]] -= row.data["amount"]
    return found


def in_range(facts: Facts, state: State) -> None:
    """No stock or room below 0, no slot held twice or beyond the limit, no waiting limit exceeded."""
    assert min(state.stock, default=0) >= 0
    assert min(state.free, default=0) >= 0
    for pool, place, _ in state.pools:
        rule = facts.tables.pools[pool]
        inside = [run for run in state.runs if (run.pool, run.place) == (pool, place)]
        slots = [run.working_slot for run in inside if run.working_slot is not None]
        assert len(slots) == len(set(slots)) <= rule.working
        assert rule.waiting is None or sum(run.waiting_slot for run in inside) <= rule.waiting


@SOME
@given(example=with_runs(legal=True))
def test_legal_events_keep_the_model_in_order(example: tuple[Facts, Run]) -> None:
    """No sequence of enabled events crashes the model, loses a unit, or exceeds a limit."""
    check_steps(example)


@SOME
@given(example=with_runs(legal=False))
def test_any_events_keep_the_model_in_order(example: tuple[Facts, Run]) -> None:
    """No sequence of well-formed events does so either, and a refused one changes nothing."""
    check_steps(example)


@pytest.mark.deep
@steady(3000)
@given(example=st.booleans().flatmap(lambda legal: with_runs(legal, 40)))
def test_long_sequences_keep_the_model_in_order(example: tuple[Facts, Run]) -> None:
    """The same over many adoptions and longer lives."""
    check_steps(example)


def check_clauses(example: tuple[Facts, Run]) -> None:
    """No clause is violated by the recording, and no judgment crashes on it."""
    facts, run = example
    sent = tuple(e.event_to_json(each) for each in run.events)
    plan = Plan((PlannedWorld(world_to_json(run.world), sent),))
    recording = recorded_by_model("made-up/walk", facts, plan)
    expansion = expand_adoption(contract(), facts.adoption, effective_answers(facts.adoption))
    found = [
        (scenario.id, clause.index, str(clause.verdict), clause.reason)
        for scenario in expansion.scenarios
        for clause in judge_scenario(facts, scenario, plan, recording).clauses
        if clause.verdict in (Verdict.VIOLATED, Verdict.ERROR)
    ]
    assert found == []


@SOME
@given(example=with_runs(legal=True))
def test_walks_violate_no_clause(example: tuple[Facts, Run]) -> None:
    """Whatever the sound model does, every judgment finds it in order."""
    check_clauses(example)


@SOME
@given(example=with_runs(legal=False))
def test_walks_with_strange_events_violate_no_clause(example: tuple[Facts, Run]) -> None:
    """Refusing what is not legal is in order, too."""
    check_clauses(example)


@pytest.mark.deep
@steady(2000)
@given(example=st.booleans().flatmap(lambda legal: with_runs(legal, 40)))
def test_long_walks_violate_no_clause(example: tuple[Facts, Run]) -> None:
    """The same over many adoptions and longer lives."""
    check_clauses(example)


def test_strategies_without_hypothesis_say_what_to_install() -> None:
    """Where Hypothesis is missing, the message names the extra that brings it."""
    script = "import sys; sys.modules['hypothesis'] = None; import harness.strategies"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "pip install 'job-resolution-harness[strategies]'" in done.stderr.splitlines()[-1]
