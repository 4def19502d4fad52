"""Each question is asked exactly when the lifecycle says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.contract.questions import FLAGS, asked, effective_answers, failure_result
from tests.contract.adoption_files import Edit, adopted, answers, drop, put, rows

NO_INPUTS = answers(job_inputs="no-inputs")
PROGRESS = answers(input_claim_timing="with-progress")
NO_PHASE = drop("collections", "work-phases")
NO_INTERRUPTION = drop("collections", "interruptions")


def failures(result: str | None = None, state: str = "working") -> Edit:
    row = {"id": "mouse", "from-state": state, "trigger-declared-in": "mill.md#extra"}
    return rows("failures", row if result is None else {**row, "result": result})


@pytest.mark.parametrize(
    ("flag", "edits", "expected"),
    [
        ("job-inputs", [NO_INPUTS], True),
        ("input-claim-timing", [], True),
        ("input-claim-timing", [NO_INPUTS], False),
        ("output-full", [put("job", "output", value="in-place")], True),
        ("delivery-trigger", [], True),
        ("delivery-trigger", [put("job", "output", value="in-place")], False),
        ("partial-work", [], True),
        ("partial-work", [NO_PHASE], False),
        ("partial-work", [NO_INTERRUPTION], False),
        ("partial-work", [NO_INTERRUPTION, PROGRESS], True),
        ("partial-work", [NO_INTERRUPTION, PROGRESS, NO_INPUTS], False),
        ("failure-result", [], False),
        ("failure-result", [failures()], True),
        ("failure-result", [failures("job-ruined")], False),
        ("stopped-claims", [], True),
        ("stopped-claims", [NO_PHASE], False),
        ("stopped-claims", [NO_INPUTS], False),
        ("stopped-claims", [answers(input_claim_timing="taken-at-finish")], False),
        ("stopped-claims", [answers(input_claim_timing="taken-at-request")], True),
        ("stopped-claims", [NO_INTERRUPTION], False),
        ("stopped-claims", [NO_INTERRUPTION, PROGRESS], True),
        ("stopped-claims", [NO_INTERRUPTION, failures("partial-inputs-or-work")], True),
        ("stopped-claims", [NO_INTERRUPTION, failures("partial-inputs-or-work", "waiting")], False),
        ("stopped-claims", [NO_INTERRUPTION, failures("job-ruined")], False),
        ("stopped-claims", [NO_INTERRUPTION, failures()], False),
        ("stopped-claims", [NO_INTERRUPTION, failures(), answers(failure_result="partial-inputs-or-work")], True),
        ("cancel-return", [], True),
        ("cancel-return", [NO_INPUTS], False),
        ("cancel-return", [drop("collections", "cancellations")], False),
        ("cancel-dependents", [], False),
        (
            "cancel-dependents",
            [
                rows(
                    "dependent-cancellations",
                    {"id": "a", "cancellation": "farmer-leaves", "link-declared-in": "mill.md#extra"},
                )
            ],
            True,
        ),
    ],
)
def test_question_is_asked_under_its_condition(tmp_path: Path, flag: str, edits: list[Edit], expected: bool) -> None:
    """A question is asked when its condition holds and not otherwise."""
    assert asked(adopted(tmp_path, *edits), flag) is expected


def test_effective_answers_leave_out_what_was_not_asked(tmp_path: Path) -> None:
    """An answer to a question that was not asked counts for nothing, nor does a missing one stand in."""
    adoption = adopted(tmp_path, NO_INPUTS, answers(cancel_dependents="end-dependents"))
    assert dict(effective_answers(adoption)) == {
        "job-inputs": "no-inputs",
        "output-full": "wait-until-space",
        "partial-work": "keep-with-job",
    }


def test_every_question_has_its_condition() -> None:
    """There are nine questions, each once."""
    assert len(FLAGS) == len(set(FLAGS)) == 9


def test_failure_result_is_the_row_s_own_or_the_shared_one(tmp_path: Path) -> None:
    """A row's own result counts before the answer."""
    shared = answers(failure_result="job-ruined")
    own = adopted(tmp_path, failures("partial-inputs-or-work"), shared)
    assert failure_result(own, own.row("failures", "mouse")) == "partial-inputs-or-work"
    omitted = adopted(tmp_path, failures(), shared)
    assert failure_result(omitted, omitted.row("failures", "mouse")) == "job-ruined"
