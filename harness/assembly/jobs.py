"""The jobs and the answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.assembly.decided import MAIN, Decided
from harness.assembly.sheet import Sheet

_AMOUNTS = {"three-and-two": (3, 2), "one-unit": (1, 1), "two-and-none": (2, 0)}


def add_jobs(sheet: Sheet, decided: Decided) -> None:
    """A rule for each job; the main one's has no id of its own."""
    for job in decided.jobs:
        rule = job_rule(decided, job)
        sheet.cite(job, "job", rule if job == MAIN else {"id": job, **rule})


def job_rule(decided: Decided, job: str) -> dict[str, Any]:
    """What one job takes, makes, and where that goes. Names hold the place where every request has one."""
    chosen = decided.chosen
    here = "-{place}" if decided.each_place and job in decided.covered else ""
    rule: dict[str, Any] = {"output": {"item": "thing", "size": size(decided)}}
    if chosen["output"] == "compound":
        rule["output"]["parts"] = ["lid", "box"]
    if decided.has_inputs:
        source = f"yard{here}" if chosen["sources"] == "by-place" else "yard"
        wood, glue = _AMOUNTS[chosen["amounts"]]
        rule["inputs"] = [
            {"item": "wood", "amount": wood, "source": source},
            {"item": "glue", "amount": glue, "source": source},
        ]
    if decided.progress and chosen["offer-check"] != "none":
        rule["offer-check"] = "full" if chosen["offer-check"] == "full" else [{"item": "wood", "amount": 1}]
    if decided.in_place:
        rule["site"] = f"site{here}"
    else:
        rule["destination"] = {"name": f"shelf{here}", "capacity": normal_capacity(decided)}
    if chosen["work"] == "phase-by-job" and job == MAIN:
        rule["phase"] = "slow-shaping"
    return rule


def size(decided: Decided) -> int:
    """How much room an output takes."""
    return 2 if decided.chosen["size"] == "two" else 1


def normal_capacity(decided: Decided) -> int | str:
    """How much the normal destination holds; the choice counts outputs."""
    outputs = {"one": 1, "two": 2}.get(decided.chosen["destination"])
    return "unlimited" if outputs is None or decided.output_full == "never-full" else outputs * size(decided)


def answers(decided: Decided) -> Iterator[tuple[str, str]]:
    """The answers to the questions that are asked."""
    chosen = decided.chosen
    yield "job-inputs", "required-inputs" if decided.has_inputs else "no-inputs"
    if decided.has_inputs:
        yield "input-claim-timing", chosen["inputs"]
    yield "output-full", decided.output_full
    if not decided.in_place and chosen["delivery"] != "unanswered":
        yield "delivery-trigger", chosen["delivery"]
    if decided.stops:
        yield "partial-work", chosen["partial-work"]
    failure = failure_answer(decided)
    if failure is not None:
        yield "failure-result", failure
    if decided.works and decided.claims_early and (decided.stops or _recovers_from_working(decided)):
        yield "stopped-claims", chosen["stopped-claims"]
    if decided.cancels and decided.has_inputs:
        by_rule = chosen["cancel-return"].startswith("by-")
        yield "cancel-return", "return-by-rule" if by_rule else chosen["cancel-return"]
    if decided.linked:
        yield "cancel-dependents", chosen["dependents"]


def main_failure_state(decided: Decided) -> str | None:
    """The state that the row with the chosen result fails from, None where there is no such row."""
    chosen = decided.chosen["failures"]
    state = "working" if chosen == "several" else chosen
    needs_work = state in ("working", "stopped")
    return None if state == "none" or (needs_work and not decided.works) else state


def failure_answer(decided: Decided) -> str | None:
    """The failure-result answer, None where every row says its result (from finished only one is legal)."""
    said = {"answered-recoverable": "partial-inputs-or-work", "answered-ruined": "job-ruined"}
    answer = said.get(decided.chosen["failure-result"])
    state = main_failure_state(decided)
    if answer is None or state is None or (state == "finished" and answer != "job-ruined"):
        return None
    return answer


def _recovers_from_working(decided: Decided) -> bool:
    return main_failure_state(decided) == "working" and decided.chosen["failure-result"].endswith("recoverable")
