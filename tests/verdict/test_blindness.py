"""What a driver leaves out: told by the logs that it could write, with the one that would help most."""

from __future__ import annotations

from typing import Any

import pytest

from harness.expansion.selection import Selection
from harness.intake import validate_files
from harness.run.driver.channel import ObjectChannel
from harness.run.driver.served import served_lifecycle
from harness.run.driver.session import DriverSystem
from harness.runner import AdoptionRunner
from harness.verdict.blindness import blind_reason, lacked_by, most_restoring
from harness.writers.run_document import AdoptionRun
from harness.writers.run_summary import blind_text
from tests.run_builders import BAKERY, adoption_run, clause, result

FOUR = frozenset({"report-log", "claim-ledger", "state-trace", "count-trace"})


def blind(*logs: str) -> Any:
    return clause(0, "blind", blind_reason(logs, FOUR))


def test_derived_logs_are_told_by_what_they_are_derived_from() -> None:
    """A driver does not write usable-inputs: what it would have to write is the claim ledger."""
    assert blind_reason(["usable-inputs"], FOUR - {"claim-ledger"}) == "the system does not supply claim-ledger"
    assert blind_reason(["stop-causes", "resume-point"], FOUR).endswith("resume-point, stop-causes")


def test_log_that_alone_restores_most_is_named() -> None:
    """A clause that lacks two logs is restored by neither alone; equals are named by the alphabet."""
    two = blind("resume-point", "stop-causes")
    assert most_restoring([two, two, blind("stop-causes"), blind("resume-point"), clause(0, "holds")]) == (
        4,
        "resume-point",
        1,
    )
    assert most_restoring([two]) == (1, None, 0)
    assert most_restoring([clause(0, "holds")]) is None


@pytest.mark.parametrize(
    ("clauses", "text"),
    [
        ((clause(0, "holds"),), None),
        ((blind("a", "b"),), "blind: 1 clauses, each of which lacks several logs"),
        ((blind("a"), blind("a")), "blind: 2 clauses; a alone would restore 2 of them, no other log more"),
    ],
)
def test_summary_says_what_would_help(clauses: tuple[Any, ...], text: str | None) -> None:
    """The summary of an adoption has one line on its blind clauses, where it has any."""
    adoption: AdoptionRun = adoption_run(result("oven/a", *clauses))
    assert blind_text(adoption) == text


class Partial:
    """The built-in lifecycle, of which only some logs are shown; the rows of the others come all the same."""

    def __init__(self, observes: frozenset[str]) -> None:
        self._inner = served_lifecycle()
        self._observes = observes

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """The inner answer; `observes` names less."""
        answer = self._inner.answer(message)
        return {**answer, "observes": sorted(self._observes)} if message["cmd"] == "start" else answer


def judged(observes: frozenset[str]) -> dict[tuple[str, int], Any]:
    runner = AdoptionRunner(validate_files([str(BAKERY)])[0])
    document = dict(runner.adoption.document)
    make = lambda: ObjectChannel(lambda: Partial(observes))  # noqa: E731  # made anew for each start
    system = DriverSystem(make, {"contract": "job-resolution"}, document, runner.logs)
    clauses = {}
    for scenario in runner.scenarios(Selection()):
        for each in runner.judge_on(system, scenario, runner.plan(scenario)).clauses:
            clauses[scenario.id, each.index] = each.to_json("bakery-oven")
    return clauses


def test_named_log_restores_what_is_said() -> None:
    """With the log that is named, all the clauses it was said to restore are decided, and nothing else changes."""
    before = judged(FOUR)
    assert {each["verdict"] for each in before.values()} == {"holds", "nothing-to-check", "blind"}
    told = most_restoring(before.values())
    assert told is not None
    assert told.log is not None
    after = judged(FOUR | {told.log})
    restored = [key for key, each in before.items() if lacked_by(each) == {told.log}]
    assert len(restored) == told.restored
    assert all(after[key]["verdict"] != "blind" for key in restored)
    changed = {key for key in before if before[key]["verdict"] != after[key]["verdict"]}
    assert changed == set(restored)
