"""The study of other answers: complete variants, honest differences, shortest runs, no dead answer without a reason."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from harness.answers import Case, Standing, answers_to, cases, runs_of
from harness.answers_explained import EXPLANATIONS, explanation
from harness.answers_search import (
    WIDE,
    Found,
    Pair,
    find_parting,
    follow,
    in_any_log,
    in_reports,
    part_along,
    part_anywhere,
    part_beside,
)
from harness.answers_variants import make_variant, variant_errors
from harness.assembly import assemble
from harness.contract.questions import FLAGS, asked
from harness.contract.validation import Validation
from harness.expansion.selection import Selection
from harness.intake import validate_files
from harness.models.lifecycle.events import OpenPool, Request, event_from_json
from harness.run.planning import world_from_json
from harness.strategies import typed_adoption
from tests.answers_shipped import BAKERY, MURAL, SHIPPED, SOME, adoption, cases_of, document, intake, other, others

#: A study of everything, or of some questions: (name, whole). The whole bakery takes twice as long as the three.
STUDIES = [(MURAL, True), (BAKERY, False), pytest.param(BAKERY, True, marks=pytest.mark.deep)]

# -- variants -------------------------------------------------------------------------------------------------------


def assembled(choices: dict[str, str], folder: Path, rules: Mapping[str, Any] = MappingProxyType({})) -> Validation:
    """An assembled adoption with some rules replaced, validated."""
    made = assemble(choices, "made")
    made["rules"].update(rules)
    path = folder / "made.json"
    path.write_text(json.dumps(made))
    return validate_files([str(path)])[0]


def notes(name: str, flag: str, answer: str) -> str:
    """What else a variant of a shipped adoption changes."""
    return "; ".join(make_variant(adoption(name), flag, answer).notes)


@pytest.mark.parametrize("name", SHIPPED)
def test_variants_are_complete(name: str) -> None:
    """Every other answer that can be given comes with what it needs: the variant has no error that was not there."""
    impossible = [(case.flag, case.answer) for case in cases_of(name) if case.impossible is not None]
    in_place = adoption(name).job["output"] == "in-place"
    assert {flag for flag, _ in impossible} == ({"output-full"} if in_place else set())


def test_variant_gains_the_rows_that_its_answer_needs() -> None:
    """An answer that needs a row gets the plainest one, and that is said."""
    variant = make_variant(adoption(BAKERY), "output-full", "wait-before-start")
    assert [row.id for row in variant.adoption.rows("readmission-events")] == ["room-again"]
    assert variant.notes == ("readmission-events gains the row room-again: room-again",)


def test_variant_loses_the_rows_that_its_answer_forbids() -> None:
    """Rows that only the old answer makes legal are left out, and that is said."""
    assert "readmission-events loses yard-free, not legal here" in notes("recoil-factory", "output-full", "never-full")


def test_variant_answers_what_is_asked_now() -> None:
    """A question that the other answer makes be asked is answered, and that is said."""
    said = notes("slurm", "job-inputs", "required-inputs")
    assert "input-claim-timing is asked now; it is answered taken-at-start" in said
    assert "the jobs take 2 unit from store" in said


def test_variant_drops_answers_that_nothing_asks_for_now() -> None:
    """An answer to a question that is not asked any more is left out, and that is said."""
    variant = make_variant(adoption(BAKERY), "job-inputs", "no-inputs")
    assert not {"input-claim-timing", "stopped-claims", "cancel-return"} & set(variant.adoption.answers)
    assert "cancel-return is not asked any more" in variant.notes


def test_variant_says_what_a_recoverable_failure_cannot_lose() -> None:
    """A failure that ruins by losing everything loses nothing where the job is to recover."""
    said = notes("recoil-factory", "failure-result", "partial-inputs-or-work")
    assert "the failure frame-destroyed is without loses: a job that can recover keeps a part" in said


def test_variant_changes_a_failure_where_its_rules_stand_by_row(tmp_path: Path) -> None:
    """Where one address holds the rules of all rows, only the changed row's is another one, and none is left over."""
    choices = {"inputs": "taken-at-start", "work": "three-ticks", "failures": "several", "citing": "by-row"}
    made = assembled({**choices, "failure-result": "answered-ruined", "failure-rule": "all"}, tmp_path)
    variant = next(each for each in cases(made) if each.flag == "failure-result")
    assert variant.impossible is None
    assert variant.notes[-1] == "the failure accident is without loses: a job that can recover keeps a part"


def test_variant_makes_a_destination_that_can_be_full() -> None:
    """Where nothing is ever full the destination gets a limit, or the other answer would mean nothing."""
    assert "hold one output" in notes("openra-production", "output-full", "wait-until-space")


def test_variant_leaves_the_adoption_as_it_is() -> None:
    """Making a variant changes nothing of the adoption that it is made from."""
    before = json.dumps(dict(adoption(BAKERY).document), sort_keys=True)
    make_variant(adoption(BAKERY), "job-inputs", "no-inputs")
    assert json.dumps(dict(adoption(BAKERY).document), sort_keys=True) == before


def test_variant_errors_are_those_that_the_adoption_has_not() -> None:
    """A variant that an added row does not make whole tells what is wrong with it."""
    contract = intake(BAKERY).contract
    assert contract is not None
    value = dict(adoption(BAKERY).document)
    torn = typed_adoption({**value, "rules": {}})
    variant = make_variant(torn, "partial-work", "reset-at-stop")
    assert variant_errors(torn, variant, contract) == ()
    assert any("no rule stands at" in each for each in variant_errors(adoption(BAKERY), variant, contract))


# -- questions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "whole"), STUDIES)
def test_study_looks_at_every_answer_of_every_question_that_is_asked(name: str, whole: bool) -> None:
    """Each question that is asked and looked at stands there, with every answer but the one that is given."""
    contract = intake(name).contract
    assert contract is not None
    questions = {each["flag"]: each for each in document(name, whole)["questions"]}
    assert whole or set(questions) == set(SOME[name])
    for flag in FLAGS if whole else SOME[name]:
        if asked(adoption(name), flag):
            answers = [questions[flag]["answer"], *(each["answer"] for each in questions[flag]["others"])]
            assert sorted(answers) == sorted(answers_to(contract, flag))


def test_study_looks_at_questions_that_another_answer_would_ask() -> None:
    """A question that is not asked is looked at under the answer that makes it be asked."""
    (question,) = [each for each in document(MURAL)["questions"] if each["flag"] == "input-claim-timing"]
    assert question["under"] == [{"flag": "job-inputs", "answer": "required-inputs"}]
    assert question["answer"] == "taken-at-start"


def test_study_says_what_an_in_place_job_cannot_answer() -> None:
    """An in-place job answers never-full; its other answers are told as not possible, and nothing is run for them."""
    found = other(MURAL, "output-full", "hold-undelivered")
    assert found["impossible"] == "an in-place job has no destination that could be full"
    assert found["run"] is None
    assert not found["dead"]


def test_study_tells_which_scenarios_come_and_go() -> None:
    """Scenarios that apply under one of the answers only are told by their id."""
    found = other(BAKERY, "partial-work", "reset-at-stop")
    assert found["appear"] == ["bakery-oven/reset-work-clears-on-ordinary-stop"]
    assert found["disappear"] == ["bakery-oven/kept-work-stays-with-the-job"]


def test_study_tells_which_verdicts_change() -> None:
    """A clause whose verdict is another one is told with both."""
    found = other(BAKERY, "job-inputs", "no-inputs")["clauses"]
    assert {"scenario", "index", "from", "to"} == set(found[0])
    assert all(each["from"] != each["to"] for each in found)
    assert any(each["scenario"] == "bakery-oven/claims-keep-their-source" for each in found)


@pytest.mark.parametrize(("name", "whole"), STUDIES)
def test_study_leaves_no_clause_violated(name: str, whole: bool) -> None:
    """Every variant is sound too: no clause becomes violated or an error by answering otherwise."""
    bad = [each for _, one in others(name, whole) for each in one["clauses"] if each["to"] in ("violated", "error")]
    assert bad == []


# -- runs -----------------------------------------------------------------------------------------------------------


def replayed(pair: Pair, run: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The logs in which the models differ after each event of a run."""
    both = pair.initial(world_from_json(dict(run["world"])))
    found = []
    for event in run["events"]:
        stepped = pair.step(both, event_from_json(dict(event)))
        found.append(tuple(each.log for each in stepped.differences))
        both = stepped.state
    return found


def pair_of(name: str, flag: str, answer: str) -> Pair:
    """The two adoptions of one other answer."""
    case = next(each for each in cases_of(name) if (each.flag, each.answer) == (flag, answer))
    assert case.there is not None
    return Pair(case.here.facts, case.there.facts)


@pytest.mark.parametrize(("name", "whole"), STUDIES)
def test_runs_part_at_their_last_event_and_no_earlier(name: str, whole: bool) -> None:
    """Sent into both models, a run leaves the same rows until its last event, and another row of the named log then."""
    for question, one in others(name, whole):
        if one["run"] is not None:
            *before, last = replayed(pair_of(name, question["flag"], one["answer"]), one["run"])
            assert not any(before)
            assert one["run"]["log"] in last


@pytest.mark.parametrize(("name", "whole"), STUDIES)
def test_runs_hold_no_event_that_they_do_not_need(name: str, whole: bool) -> None:
    """With any one event left out the logs do not differ any more."""
    for question, one in others(name, whole):
        if one["run"] is None:
            continue
        pair, events = pair_of(name, question["flag"], one["answer"]), one["run"]["events"]
        for at in range(len(events)):
            rest = {**one["run"], "events": [*events[:at], *events[at + 1 :]]}
            assert not any(replayed(pair, rest)), (question["flag"], one["answer"], at)


def test_reported_runs_differ_in_the_reports() -> None:
    """Beside the shortest run there is the shortest one known whose reports differ."""
    found = other(BAKERY, "output-full", "hold-undelivered")
    assert found["run"]["log"] == "delivery-attempts"
    assert found["reported"]["log"] == "report-log"
    assert found["reported"]["row"]["here"]["report"] == "job-stopped"


def test_search_finds_a_difference_that_no_known_run_shows() -> None:
    """Without any run to follow, the search alone finds a short difference."""
    pair = pair_of(BAKERY, "cancel-return", "return-nothing")
    found = find_parting(pair, (), in_any_log)
    assert found.parting is not None
    assert [each.kind for each in found.parting.events] == ["open-pool", "request", "cancel"]


def test_search_finds_a_difference_one_event_beside_a_known_run() -> None:
    """A run that stops short of the difference is enough: every event that could follow it is tried."""
    pair = pair_of(BAKERY, "cancel-return", "return-nothing")
    facts = pair.here
    request = Request("A", facts.forms[0].job)
    run = (facts.world(), (OpenPool("ovens"), request))
    assert part_along(pair, (run,), in_any_log) is None
    found = part_beside(pair, (run,), in_any_log).parting
    assert found is not None
    assert [each.kind for each in found.events] == ["open-pool", "request", "cancel"]


def test_search_says_what_it_looked_at_where_it_finds_nothing() -> None:
    """Two equal adoptions have no difference, and the search says how far it went."""
    facts = Standing(adoption(MURAL), _contract()).facts
    found = find_parting(Pair(facts, facts), (), in_reports)
    assert found == Found(None, found.searched)
    assert found.searched.startswith("0 runs of the plans; every event at 0 points of them; searches over ")


def _contract() -> Any:
    return intake(MURAL).contract


# -- dead answers ---------------------------------------------------------------------------------------------------


def test_dead_answer_is_reported_with_its_reason() -> None:
    """An answer that no run tells from the one given is dead, and the reason stands beside it where one is known."""
    found = other(MURAL, "input-claim-timing", "with-progress")
    assert found["dead"]
    assert found["explained"] == "there is no work phase, so the share that the start claims is the whole requirement"
    assert document(MURAL)["dead"] == 1


def is_dead(case: Case) -> bool:
    """Whether nothing tells the answer from the other one; the plans are made, nothing is judged or made short."""
    if case.there is None:
        return False
    pair = Pair(case.here.facts, case.there.facts)
    for standing in (case.here, case.there):
        if any(follow(pair, world, events, in_any_log) for world, events in plans_of(standing)):
            return False
    runs = (*plans_of(case.here), *plans_of(case.there))
    beside = part_beside(pair, runs, in_any_log).parting
    return beside is None and part_anywhere(pair, in_any_log, WIDE).parting is None


def plans_of(standing: Standing) -> Any:
    """The runs of every plan, made once for each adoption."""
    found = standing.__dict__.get("planned")
    if found is None:
        runner = standing.runner
        found = runs_of(runner.plan(each) for each in runner.scenarios(Selection()))
        standing.__dict__["planned"] = found
    return found


#: What takes longest runs deep: long walks of large adoptions.
LONG = ("boat-yard", "luanti-furnace", "slurm")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.deep) if name in LONG else name for name in SHIPPED]
)
def test_no_answer_is_dead_without_a_reason(name: str) -> None:
    """Over all flags and answers of the shipped adoptions: some run tells each from the others, or it is explained."""
    unexplained = [
        (case.flag, case.answer, case.here.under)
        for case in cases_of(name)
        if is_dead(case)
        and case.there is not None
        and explanation(case.flag, case.here.facts, case.there.facts) is None
    ]
    assert unexplained == []


ONE_TICK = {"made@1:rules#shaping-duration-declared-in": {"duration": {"work": 1}}}
AT_FINISH = {"inputs": "taken-at-finish", "work": "three-ticks", "cancellations": "one"}
LINKED = {"cancellations": "one", "dependents": "end-dependents"}
RESET = {"inputs": "with-progress", "partial-work": "reset-at-stop"}
WORKING = {"work": "three-ticks", "interruptions": "one"}


@pytest.mark.parametrize(
    ("flag", "answer", "choices", "rules"),
    [
        ("cancel-return", "return-nothing", AT_FINISH, {}),
        pytest.param(
            *("input-claim-timing", "with-progress", {"inputs": "taken-at-start", "pool": "shared-one"}, {}),
            marks=pytest.mark.deep,
        ),
        ("output-full", "never-full", {"output-full": "hold-undelivered", **WORKING}, {}),
        ("partial-work", "reset-at-stop", WORKING, ONE_TICK),
        ("partial-work", "reset-at-stop", {**WORKING, "pool": "closed"}, {}),
        ("cancel-return", "return-nothing", {"inputs": "taken-at-start", "cancellations": "one"}, {}),
        ("cancel-dependents", "leave-dependents", {**LINKED, "pool": "shared-one", "waiting": "none"}, {}),
        ("failure-result", "partial-inputs-or-work", {"failures": "finished", "failure-result": "answered-ruined"}, {}),
        ("output-full", "hold-undelivered", {"output-full": "try-destinations", **WORKING}, {}),
        pytest.param("stopped-claims", "release-and-reclaim", {**RESET, **WORKING}, {}, marks=pytest.mark.deep),
    ],
)
def test_explained_answers_are_dead(
    tmp_path: Path, flag: str, answer: str, choices: dict[str, str], rules: dict[str, Any]
) -> None:
    """Where a listed reason applies, no run tells the answers apart: the list excuses nothing else."""
    made = assembled(choices, tmp_path, rules)
    case = next(each for each in cases(made) if (each.flag, each.answer) == (flag, answer))
    assert case.there is not None
    assert explanation(flag, case.here.facts, case.there.facts) is not None
    assert is_dead(case)


def test_explanations_name_questions_and_give_reasons() -> None:
    """Each listed reason is for a question that there is, and says something."""
    assert {each.flag for each in EXPLANATIONS} <= {*FLAGS, None}
    assert all(len(each.reason) > 20 for each in EXPLANATIONS)
