"""Inversions of claims: each leaves other rows than the sound model, and just those that it is about."""

from __future__ import annotations

import pytest

from harness.models.lifecycle import events as e
from tests.models.inversions._cases import Case, check, names_in, row
from tests.models.lifecycle._configs import config, pool, progress

ASK, TICK = e.Request("A", "bake"), e.Tick()
TO_THE_END = (ASK, TICK, TICK, TICK, TICK)
CANCELED = (ASK, e.Cancel("A", "called-off"))
WITHOUT_WATER = (e.Request("A", "bake", pause=True), e.Use("water", 4, "tap"), e.Admit("A"))
ONE_OVEN = (pool(working=1),)
TWO_ASK = (ASK, e.Request("B", "bake"))
AT_REQUEST = config(timing="taken-at-request", pools=ONE_OVEN)
AT_FINISH = config(timing="taken-at-finish")
ONE_FLOUR = (("flour", 1, "larder"),)


def units(flour: int, water: int = 0) -> list[dict[str, object]]:
    """Units as a report tells them."""
    found = (("flour", flour, "larder"), ("water", water, "tap"))
    return [{"item": item, "amount": amount, "source": source} for item, amount, source in found if amount]


USABLE = [{**each, "usable": usable} for each, usable in zip(units(3, 1), (12, 4), strict=True)]

CASES = {
    "claimed-units-stay-usable": Case(
        config(), TWO_ASK, row("admission-trace", "B", step="input-check", tested=USABLE)
    ),
    "release-forgets-the-source": Case(config(), CANCELED, row("claim-ledger", "A", source="lost-and-found")),
    "spent-units-come-back": Case(config(), TO_THE_END, row("claim-ledger", "A", change="release", item="flour")),
    "start-forgets-one-input": Case(config(), (ASK,), drops=row("claim-ledger", "A", item="water")),
    "claim-follows-the-start": Case(config(), (ASK,), row("report-log", "A", report="job-started", claimed=[])),
    "short-start-takes-what-is-there": Case(
        config(), WITHOUT_WATER, row("report-log", "A", report="job-waiting", claimed=units(3))
    ),
    "start-gate-stands-open": Case(config(), WITHOUT_WATER, row("report-log", "A", report="job-started")),
    "short-start-is-rejected": Case(config(), WITHOUT_WATER, row("report-log", "A", report="job-rejected")),
    "waiting-runs-hoard-units": Case(
        config(pools=ONE_OVEN), TWO_ASK, row("report-log", "B", report="job-waiting", claimed=units(3, 1))
    ),
    "request-claim-waits-for-the-start": Case(AT_REQUEST, TWO_ASK, drops=row("claim-ledger", "B", item="flour")),
    "request-claim-in-two-parts": Case(
        AT_REQUEST, (ASK,), row("report-log", "A", report="job-started", claimed=units(1))
    ),
    "finish-inputs-taken-at-start": Case(AT_FINISH, (ASK,), row("claim-ledger", "A", item="flour")),
    "finish-makes-do-without-inputs": Case(
        AT_FINISH,
        (ASK, e.Use("flour", 12, "larder"), TICK, TICK, TICK, TICK),
        row("report-log", "A", report="job-finished"),
    ),
    "work-is-banked-without-inputs": Case(
        progress(), (ASK, TICK, TICK), row("work-before-after", "A", after="2"), stock=ONE_FLOUR
    ),
    "progress-checks-the-whole": Case(
        progress(), (ASK,), row("report-log", "A", report="job-rejected"), stock=ONE_FLOUR
    ),
    "cancel-keeps-the-inputs": Case(config(), CANCELED, row("claim-ledger", "A", change="spend", item="flour")),
    "cancel-pays-the-head-only": Case(
        config(),
        (ASK, e.Instruct("A", "power-cut"), e.Cancel("A", "called-off")),
        row("report-log", "A", report="job-canceled", released=[], spent=units(3, 1)),
    ),
    "cancel-returns-todays-price": Case(config(), CANCELED, row("claim-ledger", "A", change="release", amount=1)),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_claims_inversion_leaves_the_rows_of_its_breach(name: str) -> None:
    """Each inversion shows its breach on a few events, where the sound model does not."""
    check(name, CASES[name])


def test_claims_inversions_all_have_a_case() -> None:
    """No inversion of the module goes without an example."""
    assert names_in("claims") == set(CASES)
