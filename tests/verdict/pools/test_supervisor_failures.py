"""Failures that are told on and deliveries that end: each kind is judged, and a changed row of it is rejected."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from harness.base.verdict import Verdict
from harness.run.plan import Plan, PlannedWorld
from harness.run.pools.events import event_of
from harness.run.recording import LogRow, Recording
from harness.verdict.pools.judgments.supervisor.failures import TELLS
from tests.verdict.pools.pool_runs import Change, beside, changed, double, drop, pool, put

TEMPLATE, FAILURES, DELIVERIES = "claim-11-one-state-one-product", 8, 9
WATCH = "harbour-watch"
BORN = ("initialize", "advance lookout")
WARM = ("initialize", *("advance lookout",) * 3, *("advance lamp",) * 3)
REPLACING = (*WARM, "stop lookout", *("advance recovery",) * 3)

RUNS: dict[str, tuple[str, ...]] = {
    "proxy-fold-rejected": ("initialize", "abort lookout"),
    "proxy-host-rejected": ("initialize", "refuse lookout"),
    "input-rejected": (*BORN, "damage lookout"),
    "input-rejected, replacement": (*REPLACING, "withhold lookout"),
    "input-rejected, drain": (*BORN, "shutdown", "damage lookout"),
    "initial-failed": (*BORN, "advance lookout", "refuse lookout"),
    "initial-failed, drain": (*BORN, "advance lookout", "shutdown", "refuse lookout"),
    "shutdown-rejected": (*WARM, "shutdown", "refuse lookout"),
    "workers-partial": (*WARM, "stop lookout", "cut recovery"),
    "workers-partial, none": (*WARM, "stop lookout", "refuse recovery"),
    "source-rejected": (*WARM, "stop lookout", "deny recovery"),
    "schedule-rejected": (*WARM, "stop lookout", "advance recovery", "refuse recovery"),
}
"""By kind of a failure, letters that end with it."""


@cache
def left_by(*letters: str) -> Recording:
    """What the sound supervisor leaves."""
    return pool(WATCH).record(TEMPLATE, Plan((PlannedWorld({}, tuple(map(event_of, letters))),)))


def last(recording: Recording, log: str) -> LogRow:
    """The last row of a log."""
    return [row for row in recording.rows if row.log == log][-1]


def judged(recording: Recording, at: int) -> Any:
    return pool(WATCH).judge(TEMPLATE, recording)[at]


def test_every_failure_has_a_run() -> None:
    """No kind of failure is judged that is not tried here, and each run ends with its kind."""
    assert {each.split(",")[0] for each in RUNS} == set(TELLS)
    for kind, letters in RUNS.items():
        assert last(left_by(*letters), "input-log")["input"] == kind.split(",")[0]


@pytest.mark.parametrize("kind", list(RUNS))
def test_a_failure_is_told_on_once_and_whole(kind: str) -> None:
    """It holds as it is; not told, told twice, as something else or in part it is violated."""
    recording = left_by(*RUNS[kind])
    told = last(recording, "diagnostics")
    assert told["diagnostic"] == TELLS[kind.split(",")[0]]
    assert judged(recording, FAILURES).verdict is Verdict.HOLDS
    changes: tuple[Change, ...] = (drop, double, put(diagnostic="unexpected-input"), put(facts=[]))
    for change in changes:
        found = judged(changed(recording, told, change), FAILURES)
        assert found.verdict is Verdict.VIOLATED
        assert found.evidence


def lessened(facts: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The facts of a diagnostic without one of them each."""
    for place in range(len(facts)):
        yield [*facts[:place], *facts[place + 1 :]]


def test_no_part_of_a_partial_source_may_be_missing() -> None:
    """The worker that was made, where the source gave up, why, and whom it did not come to."""
    recording = left_by(*RUNS["workers-partial"])
    told = last(recording, "diagnostics")
    assert [each["input"] for each in told["facts"]] == ["submission", "word", "word"]
    for facts in lessened(told["facts"]):
        assert judged(changed(recording, told, put(facts=facts)), FAILURES).verdict is Verdict.VIOLATED


def test_what_a_drain_has_no_use_for_is_not_told_on() -> None:
    """A recovery that is off may fail as it likes; so may a request to a proxy that has ended."""
    for letters in (
        (*WARM, "stop lookout", "shutdown", "cut recovery"),
        (*WARM, "shutdown", "exit lookout", "refuse lookout"),
    ):
        recording = left_by(*letters)
        assert judged(recording, FAILURES).verdict is not Verdict.VIOLATED
    assert last(left_by(*WARM, "shutdown", "exit lookout", "refuse lookout"), "diagnostics")["diagnostic"] == (
        "unexpected-input"
    )


# -- deliveries ----------------------------------------------------------------------------------------------------

SENT = {"event": WARM, "reply": (*WARM, "status"), "diagnostic": (*WARM, "advance lookout")}


@pytest.mark.parametrize("word", ["deliver", "bounce", "mangle", "drop"])
@pytest.mark.parametrize("name", list(SENT))
def test_a_delivery_ends_once(name: str, word: str) -> None:
    """Its end holds; told again it is an unexpected fact, which ends nothing a second time."""
    once = left_by(*SENT[name], f"{word} {name}")
    assert judged(once, DELIVERIES).verdict is Verdict.HOLDS
    fact = last(once, "input-log")
    assert (fact["input"], fact["delivery"] > 0, fact["lane"] is None) == ("delivery-settled", True, False)
    if word != "deliver" and name == "diagnostic":
        assert last(once, "state-trace")["to"] == "terminated"
        return
    again = left_by(*SENT[name], f"{word} {name}", f"{word} {name}")
    twice = last(again, "input-log")
    assert (twice["delivery"], twice["lane"]) == (fact["delivery"], None)
    assert last(again, "diagnostics")["diagnostic"] == "unexpected-input"
    assert judged(again, DELIVERIES).verdict is Verdict.HOLDS
    assert pool(WATCH).judge("claim-08-late-facts-harmless", again)[1].verdict is Verdict.HOLDS


BACK: tuple[tuple[str, str, str, Change], ...] = (
    ("event", "bounce", "residual-transfers", drop),
    ("event", "bounce", "residual-transfers", double),
    ("event", "mangle", "residual-transfers", put(delivery=1)),
    ("reply", "drop", "residual-transfers", put(reason="another")),
    ("reply", "bounce", "action-lanes", beside("action-lanes", lane="proxy-shutdowns", proxy=1)),
    ("reply", "deliver", "count-trace", beside("action-lanes", lane="lifecycle-events", route="else", delivery=9)),
    ("event", "deliver", "count-trace", beside("recovery-trace", change="ended", preparation=1, recovery=None)),
    ("diagnostic", "bounce", "diagnostics", drop),
    ("diagnostic", "mangle", "diagnostics", put(diagnostic="unexpected-input")),
    ("diagnostic", "drop", "diagnostics", put(route="harbour-master")),
    ("diagnostic", "bounce", "state-trace", drop),
)


@pytest.mark.parametrize(("name", "word", "log", "change"), BACK)
def test_another_end_of_a_delivery_is_rejected(name: str, word: str, log: str, change: Change) -> None:
    """Each changed row of the last event violates the clause."""
    recording = left_by(*SENT[name], f"{word} {name}")
    assert judged(changed(recording, last(recording, log), change), DELIVERIES).verdict is Verdict.VIOLATED


def test_a_settlement_of_another_ticket_is_about_nothing() -> None:
    """With the number of no open delivery, what follows has no reason: the late fact took effect."""
    recording = left_by(*SENT["reply"], "bounce reply")
    fact = last(recording, "input-log")
    doctored = changed(recording, fact, put(delivery=fact["delivery"] + 1))
    found = pool(WATCH).judge("claim-08-late-facts-harmless", doctored)
    assert [each.verdict for each in found[:2]] == [Verdict.VIOLATED, Verdict.VIOLATED]
