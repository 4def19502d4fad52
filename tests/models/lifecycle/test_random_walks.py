"""Seeded random walks over configurations that take every answer and option, with every audit after every step."""

from __future__ import annotations

from collections import Counter

import pytest

from harness.models.lifecycle import events as e
from harness.models.lifecycle.state import STATES
from tests.models.lifecycle._audits import MOVES
from tests.models.lifecycle._configs import config, failure, instant, job, links, pool
from tests.models.lifecycle._play import Play
from tests.models.lifecycle._worlds import DIMENSIONS, Mixed, Walker, mixtures

COUNT = 28
STEPS = 80
MIXED = tuple(mixtures(COUNT))
STOCK = (("flour", 9, "larder"), ("salt", 6, "jar"))

Seen = Counter[tuple[str, ...]]


def walk(mixed: Mixed, seed: str, steps: int = STEPS) -> Play:
    """One walk; `Play` audits every step."""
    play = Play(mixed.config, stock=STOCK if mixed.config.timing else ())
    walker = Walker(mixed.config, seed)
    for _ in range(steps):
        play.step(walker.event(play.state))
    return play


def seen_in(play: Play) -> Seen:
    """What a walk showed: reports with their moves, causes of stops, outcomes of offers and scans."""
    seen: Seen = Counter()
    for row in play.history:
        data = row.data
        if row.log == "report-log":
            seen["report", data["report"]] += 1
            seen["move", data["report"], str(data["old"]), data["new"]] += 1
            if data["report"] in ("job-waiting", "job-rejected"):
                seen.update(("reason", cause) for cause in data["causes"])
        elif row.log == "state-trace":
            seen["state", data["to"]] += 1
        elif row.log == "stop-causes":
            seen["stop", data["cause"], data["change"]] += 1
        elif row.log == "pool-offer-log":
            seen["offer", data["offer"]] += 1
        elif row.log == "standing-order-scan-log":
            seen["scan", data["outcome"]] += 1
            seen["scan-why", data["why"]] += 1
        elif row.log == "resume-point":
            seen["point", data["point"], data["change"]] += 1
        elif row.log == "claim-ledger":
            seen["claim", data["change"]] += 1
        elif row.log == "dependency-trace":
            seen["need", data["change"]] += 1
        elif row.log == "delivery-attempts":
            seen["attempt", data["attempt"], data["outcome"]] += 1
        elif row.log == "output-location":
            seen["location", data["change"]] += 1
    return seen


def _back_to_the_start_gate() -> Play:
    """A failure takes a run out of waiting, and it comes back."""
    play = Play(
        config(failures=(failure("stumble", "waiting"), failure("flood", "waiting", ruined=True)), pools=(ONE,))
    )
    play.request("A")
    play.request("B")
    play.do(e.Fail("B", "stumble"), e.Clear("B", "failure-recovery"), e.Cancel("A", "called-off"))
    play.request("C")
    play.do(e.Fail("C", "flood"))
    return play


def _both_gates() -> Play:
    """An instant run waits at its gate for inputs and for room."""
    play = Play(instant(output_full="wait-until-space", timing="taken-at-finish"), room=(("shelf", 0),))
    play.request("A", pause=True)
    play.do(e.Use("water", 4, "tap"), e.Admit("A"), e.Room("shelf", 1), e.Use("flour", 9, "larder"))
    play.do(e.Room("shelf", 0), e.Supply("water", 1, "tap"), e.Room("shelf", 1), e.Supply("flour", 3, "larder"))
    return play


def _lost_needs(end: bool) -> Play:
    """A cancellation takes away what a waiting run needs."""
    rules = config(jobs=(job(), job("dough")), dependents=links(("bake", ("dough",))), end_dependents=end)
    play = Play(rules)
    play.request("D", "dough")
    play.request("B")
    play.do(e.Cancel("D", "called-off"))
    return play


ONE = pool(working=1)
DIRECTED = (_back_to_the_start_gate, _both_gates, lambda: _lost_needs(True), lambda: _lost_needs(False))


@pytest.fixture(scope="module")
def shown() -> Seen:
    """Everything that the walks of this module show together, and a few directed ones for what is rare."""
    total: Seen = Counter()
    for number, mixed in enumerate(MIXED):
        for turn in range(2):
            total += seen_in(walk(mixed, f"{number}-{turn}"))
    for directed in DIRECTED:
        total += seen_in(directed())
    return total


@pytest.mark.parametrize("number", range(COUNT))
def test_walk_breaks_no_audit(number: int) -> None:
    """Units are conserved, counts and room add up, settles are whole, and what has ended stays."""
    assert walk(MIXED[number], f"audit-{number}").history


def test_configurations_take_every_option() -> None:
    """Every option of every dimension is in some configuration."""
    for place, options in enumerate(DIMENSIONS.values()):
        assert {mixed.chosen[place] for mixed in MIXED} == set(range(len(options)))


def test_walks_reach_every_report_and_state(shown: Seen) -> None:
    """No report, no move that a report may tell, and no state is beyond the model's reach."""
    moves = {("move", name, str(old), new) for name, pairs in MOVES.items() for old, new in pairs}
    assert moves - set(shown) == set()
    assert {("state", state) for state in STATES if state != "requested"} - set(shown) == set()


def test_walks_reach_every_cause_and_reason(shown: Seen) -> None:
    """Every way to wait, to be refused and to be stopped is met."""
    reasons = (
        "no-free-slot",
        "earlier-job-first",
        "inputs-unavailable",
        "dependency-unmet",
        "missing-inputs",
        "job-limit-full",
    )
    assert {("reason", each) for each in reasons} - set(shown) == set()
    causes = (
        "power-cut",
        "drill",
        "output-full",
        "inputs-unavailable-at-finish",
        "unable-to-advance",
        "failure-recovery",
    )
    assert {("stop", cause, "add") for cause in causes} - set(shown) == set()
    assert {("stop", cause, "clear") for cause in causes} - set(shown) == set()


def test_walks_reach_every_outcome(shown: Seen) -> None:
    """Offers, scans, resume points, claims, needs, attempts and places of outputs: all that rows can say is said."""
    wanted = {
        *(("offer", each) for each in ("started", "resumed", "passed-over", "nobody")),
        *(("scan", each) for each in ("took-slot", "waiting", "refused", "blocked", "not-eligible", "no-slot")),
        *(("scan-why", each) for each in ("pool-opened", "eligible", "slot-free", "refusal")),
        *(
            ("point", point, change)
            for point in ("start-gate", "work-point", "finish-gate")
            for change in ("recorded", "returned")
        ),
        *(("claim", each) for each in ("claim", "release", "spend", "lose")),
        *(("need", each) for each in ("bound", "met", "unmet", "ended")),
        *(
            ("attempt", attempt, outcome)
            for attempt in ("reservation", "finish-gate", "delivery")
            for outcome in ("accepted", "refused")
        ),
        *(("location", each) for each in ("held", "accepted", "collected", "delivered", "destroyed")),
    }
    assert wanted - set(shown) == set()


@pytest.mark.deep
@pytest.mark.parametrize("number", range(COUNT))
def test_long_walks_break_no_audit(number: int) -> None:
    """The same walks, many and long."""
    for turn in range(60):
        walk(MIXED[number], f"deep-{turn}", 150)
