"""Kinds 4 and 5: the questions, and what the contract itself calls invalid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.base.finding import Severity
from harness.contract.reading import read_contract
from harness.contract.validation.contract_rules import NEEDS, PAIRINGS, RULE_IDS
from tests.contract.adoption_files import (
    CONTRACT,
    Edit,
    answers,
    drop,
    ids,
    job,
    only,
    put,
    rows,
    rule,
    text_at,
    validation,
)

# One rule of each kind that the paired collections read, all at one address.
BELL = rule(
    "bell",
    event="bell",
    progress_rounding={"round": "up"},
    reversal={"per-tick": 1},
    cancel_return={"fraction": 1, "round": "up"},
    destination={"name": "yard", "capacity": "unlimited"},
)
FIELDS = {
    "readmission-events": "readmission-declared-in",
    "progress-rounding-rules": "progress-rounding-declared-in",
    "reversal-rules": "reversal-declared-in",
    "cancel-return-rules": "cancel-return-declared-in",
    "redelivery-events": "redelivery-declared-in",
    "output-destinations": "destination-declared-in",
    "collection-events": "collection-declared-in",
}


def errors(found: Any) -> list[tuple[str, str | None]]:
    return [(each.rule, each.template) for each in found.findings if each.severity is Severity.ERROR]


def row_of(collection: str) -> Edit:
    return rows(collection, {"id": "one", FIELDS[collection]: "mill.md#bell"})


@pytest.mark.parametrize("pairing", PAIRINGS, ids=lambda each: each.collection)
def test_paired_rows_are_legal_under_their_answers_only(tmp_path: Path, pairing: Any) -> None:
    """Under each legal answer the row is silent; under the mill's own answer it is an error at the row's id."""
    for answer in pairing.answers:
        extra = [row_of("redelivery-events")] if pairing.collection == "output-destinations" else []
        found = validation(tmp_path, answers(**{pairing.flag: answer}), row_of(pairing.collection), BELL, *extra)
        assert errors(found) == []
    found = validation(tmp_path, row_of(pairing.collection), BELL)
    assert errors(found) == [("row-not-legal", pairing.template)]
    finding = next(each for each in found.findings if each.rule == "row-not-legal")
    assert text_at(found.path, finding).startswith('"one"')


@pytest.mark.parametrize("need", NEEDS, ids=lambda each: each.template)
def test_answer_needs_at_least_one_row(tmp_path: Path, need: Any) -> None:
    """Without a row the answer is an error, at the answer; with one it is silent."""
    given = answers(**{need.flag: need.answer})
    found = validation(tmp_path, given)
    assert errors(found) == [("row-needed", need.template)]
    finding = next(each for each in found.findings if each.rule == "row-needed")
    assert text_at(found.path, finding).startswith(f'"{need.answer}"')
    assert errors(validation(tmp_path, given, row_of(need.collection), BELL)) == []


def test_every_template_that_is_named_is_in_the_contract() -> None:
    """The templates that findings of kind 5 rest on are templates of the contract, and speak of invalidity."""
    contract, _ = read_contract(CONTRACT)
    assert contract is not None
    named = {each.template for each in (*PAIRINGS, *NEEDS)} | {
        "declared-interruption-stops-once",
        "failure-row-fires-from-its-state",
        "finish-spends-and-establishes-one-output",
        "ordered-route-keeps-one-output",
    }
    for template_id in named:
        contract.template(template_id)
    pairing = {each.id for each in contract.templates if "-pairs-with-" in each.id or "-needs-a-" in each.id}
    assert pairing == {each.template for each in (*PAIRINGS, *NEEDS)}
    assert len(RULE_IDS) == 6


def test_interruption_needs_a_work_phase(tmp_path: Path) -> None:
    """An interruption without work is an error at its row."""
    found = validation(tmp_path, drop("collections", "work-phases"))
    assert errors(found) == [("interruption-without-work", "declared-interruption-stops-once")]


@pytest.mark.parametrize("shared", [False, True])
def test_failure_from_finished_is_ruined(tmp_path: Path, shared: bool) -> None:
    """A recoverable result from finished is an error, whether the row's own or the shared answer."""
    row = {"id": "fire", "from-state": "finished", "trigger-declared-in": "mill.md#bell"}
    recoverable = "partial-inputs-or-work"
    edits = [answers(failure_result=recoverable)] if shared else []
    own = row if shared else {**row, "result": recoverable}
    bell = rule("bell", failure={"loses-work": 1})
    found = validation(tmp_path, rows("failures", own), bell, *edits)
    assert errors(found) == [("recoverable-from-finished", "failure-row-fires-from-its-state")]
    finding = next(each for each in found.findings if each.severity is Severity.ERROR)
    assert text_at(found.path, finding).startswith('"finished"' if shared else f'"{recoverable}"')
    assert ids(validation(tmp_path, rows("failures", {**row, "result": "job-ruined"}), bell)) == []


def test_in_place_job_answers_never_full(tmp_path: Path) -> None:
    """An in-place job has no destination, so any other answer is an error at that answer."""
    in_place = [put("job", "output", value="in-place"), rule("grinding", job=job(destination=None, site="field"))]
    assert ids(validation(tmp_path, *in_place, answers(output_full="never-full"))) == []
    found = validation(tmp_path, *in_place)
    assert errors(found) == [("in-place-needs-never-full", "finish-spends-and-establishes-one-output")]
    assert text_at(found.path, only(found)).startswith('"wait-until-space"')


@pytest.mark.parametrize(
    ("normal", "fallback", "is_invalid"), [(2, 3, True), (2, "unlimited", False), ("unlimited", 3, False)]
)
def test_route_that_can_refuse_everywhere_needs_redelivery(
    tmp_path: Path, normal: Any, fallback: Any, is_invalid: bool
) -> None:
    """Only where every destination is finite does the route need a redelivery event."""
    edits = [
        answers(output_full="try-destinations"),
        row_of("output-destinations"),
        rule("grinding", job=job(destination={"name": "chute", "capacity": normal})),
        rule("bell", destination={"name": "yard", "capacity": fallback}, event="bell"),
    ]
    expected = [("route-needs-redelivery", "ordered-route-keeps-one-output")] if is_invalid else []
    assert errors(validation(tmp_path, *edits)) == expected
    assert errors(validation(tmp_path, *edits, row_of("redelivery-events"))) == []


def test_unanswered_question_is_an_error_at_the_answers(tmp_path: Path) -> None:
    """An asked question without an answer says why it is asked."""
    found = validation(tmp_path, drop("answers", "stopped-claims"))
    finding = only(found)
    assert (finding.rule, finding.severity, finding.pointer) == ("question-unanswered", Severity.ERROR, "/answers")
    assert text_at(found.path, finding).startswith('"answers"')
    assert "stopped-claims" in finding.message


def test_unanswered_always_asked_questions_are_all_reported(tmp_path: Path) -> None:
    """With no answers at all, the questions that are always asked are open."""
    found = validation(tmp_path, put("answers", value={}))
    unanswered = [each.message.split()[2] for each in found.findings if each.rule == "question-unanswered"]
    assert unanswered == ["job-inputs", "output-full", "partial-work"]


def test_delivery_trigger_may_stay_unanswered(tmp_path: Path) -> None:
    """The mill does not answer delivery-trigger, and an in-place job may not."""
    assert ids(validation(tmp_path)) == []
    in_place = [put("job", "output", value="in-place"), rule("grinding", job=job(destination=None, site="field"))]
    found = validation(tmp_path, *in_place, answers(output_full="never-full", delivery_trigger="automatic"))
    assert [(each.rule, each.severity) for each in found.findings] == [("answer-not-asked", Severity.WARNING)]


def test_answer_to_a_question_not_asked_is_a_warning_at_its_key(tmp_path: Path) -> None:
    """An answer nobody asked for is ignored, and said to be."""
    found = validation(tmp_path, answers(failure_result="job-ruined"))
    assert (only(found).rule, only(found).severity) == ("answer-not-asked", Severity.WARNING)
    assert text_at(found.path, only(found)).startswith('"failure-result"')


def test_unanswered_question_lists_its_answers(tmp_path: Path) -> None:
    """The finding says why the question is asked and which answers it has."""
    found = only(validation(tmp_path, drop("answers", "cancel-return")))
    assert found.message == (
        "the question cancel-return has no answer; "
        "it is asked because there is a cancellations row and inputs are required"
    )
    assert found.hint == 'add "cancel-return:" here, with one of: return-claimed, return-nothing, return-by-rule'
    assert only(validation(tmp_path, drop("answers", "output-full"))).message.endswith("it is always asked")
