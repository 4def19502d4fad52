"""What a driver leaves out: nothing is green unseen, and the log that would help most is named."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from harness.expansion.scenario import Scenario
from harness.expansion.selection import Selection
from harness.intake import validate_files
from harness.kits.serving import served
from harness.run.driver.channel import ObjectChannel
from harness.run.driver.session import DriverSystem
from harness.run.plan import Plan
from harness.run.system import SYSTEM_LOGS
from harness.runner import AdoptionRunner
from harness.verdict.blindness import BlindSpots, blind_reason, lacked_by, most_restoring, unseen_reason
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
    unseen = clause(0, "blind", unseen_reason(frozenset({"stop-causes"})))
    assert most_restoring([unseen, two]) == (2, "stop-causes", 1)


def spots(seen_with: list[list[str]], unseen_without: list[list[str]]) -> BlindSpots:
    """A table of one clause."""
    families = {"seen-with": seen_with, "unseen-without": unseen_without}
    said = {name: [{"logs": each} for each in sets] for name, sets in families.items()}
    return BlindSpots({"clauses": [{"template": "t", "index": 0, **said}]})


@pytest.mark.parametrize(
    ("seen_with", "unseen_without", "observes", "lacking"),
    [
        ([["a", "b"], ["c", "d", "e"]], [], "ab", ""),
        ([["a", "b"], ["c", "d", "e"]], [], "a", "b"),
        ([["a", "b"], ["c", "d", "e"]], [], "de", "c"),
        ([[]], [["a"], ["b", "c"]], "abc", ""),
        ([[]], [["a"], ["b", "c"]], "ab", ""),
        ([[]], [["a"], ["b", "c"]], "b", "a"),
        ([[]], [["a"], ["b", "c"]], "", "ab"),
        ([["b"]], [["a"], ["b", "c"]], "", "ab"),
        ([], [], "", ""),
    ],
)
def test_fewest_logs_that_are_lacked(
    seen_with: list[list[str]], unseen_without: list[list[str]], observes: str, lacking: str
) -> None:
    """Some set that shows a breach is whole, and of every set that hides one by its absence there is a log."""
    assert spots(seen_with, unseen_without).lacking("t", 0, frozenset(observes)) == frozenset(lacking)
    assert not spots(seen_with, unseen_without).lacking("t", 0, frozenset(observes + lacking))
    assert not spots(seen_with, unseen_without).lacking("t", 1, frozenset())


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

    def __init__(self, observes: frozenset[str], invert: str | None = None) -> None:
        self._inner = served(invert)
        self._observes = observes

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """The inner answer; `observes` names less."""
        answer = self._inner.answer(message)
        return {**answer, "observes": sorted(self._observes)} if message["cmd"] == "start" else answer


@cache
def bakery() -> AdoptionRunner:
    """The bakery, ready to run."""
    return AdoptionRunner(validate_files([str(BAKERY)])[0])


@cache
def planned(*templates: str) -> tuple[tuple[Scenario, Plan], ...]:
    """The bakery's scenarios of these templates (none named: of all), with their plans."""
    return tuple((each, bakery().plan(each)) for each in bakery().scenarios(Selection(templates=templates)))


@cache
def judged(observes: frozenset[str], invert: str | None = None, *templates: str) -> dict[tuple[str, int], Any]:
    """What is said of the clauses of these scenarios of the bakery with these logs shown."""
    runner = bakery()
    document = dict(runner.adoption.document)
    make = lambda: ObjectChannel(lambda: Partial(observes, invert))  # noqa: E731  # made anew for each start
    system = DriverSystem(make, {"contract": "job-resolution"}, document, runner.logs)
    clauses = {}
    for scenario, plan in planned(*templates):
        for each in runner.judge_on(system, scenario, plan).clauses:
            clauses[scenario.template, each.index] = each.to_json("bakery-oven")
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


ALL = SYSTEM_LOGS
REPORTS = frozenset({"report-log"})
#: An inversion, a clause that it violates, and a log without which its judgment saw nothing and said so of nothing.
UNSEEN = (
    ("freed-slot-waits-for-the-next-event", "resume-waits-for-every-cause", 1, "count-trace"),
    ("claimed-units-stay-usable", "work-limit-offers-room-and-releases-counts", 0, "claim-ledger"),
    ("claim-follows-the-start", "no-failure-without-a-failure-row", 0, "claim-ledger"),
)


@pytest.mark.parametrize(("inversion", "template", "index", "log"), UNSEEN)
def test_breach_that_a_missing_log_hides_is_blind(inversion: str, template: str, index: int, log: str) -> None:
    """With the log the clause is violated; without it, it is blind for want of that log, and never green."""
    seen = judged(ALL, inversion, template)[template, index]
    hidden = judged(ALL - {log}, inversion, template)[template, index]
    assert (seen["verdict"], hidden["verdict"]) == ("violated", "blind")
    assert log in lacked_by(hidden)


@pytest.mark.parametrize(("inversion", "template", "index", "log"), UNSEEN)
def test_sound_system_without_the_log_is_as_blind(inversion: str, template: str, index: int, log: str) -> None:
    """What the breach would not show in, does not show that there is none."""
    assert judged(ALL, None, template)[template, index]["verdict"] in ("holds", "nothing-to-check")
    assert judged(ALL - {log}, None, template)[template, index]["verdict"] == "blind"


def test_breach_in_a_supplied_log_stays_one() -> None:
    """A clause whose breach stands in the reports is violated, whatever else is not supplied."""
    template = "work-limit-offers-room-and-releases-counts"
    found = judged(REPORTS, "canceled-pause-is-lifted", template)
    assert found[template, 3]["verdict"] == "violated"


@pytest.mark.parametrize("observes", [REPORTS, FOUR, ALL - {"count-trace"}], ids=["reports", "four", "no-counts"])
def test_less_to_see_makes_nothing_green_and_nothing_violated(observes: frozenset[str]) -> None:
    """With fewer logs a clause says of the sound model what it said with all of them, or is blind."""
    whole, part = judged(ALL), judged(observes)
    changed = {key: each["verdict"] for key, each in part.items() if each["verdict"] != whole[key]["verdict"]}
    assert changed
    assert set(changed.values()) == {"blind"}
