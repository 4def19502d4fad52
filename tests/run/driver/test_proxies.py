"""What a proxy spoils on the way is caught by a template that speaks of it, and the reason names the thing."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from harness.expansion.scenario import Scenario
from harness.expansion.selection import Selection
from harness.intake import validate_files
from harness.run.driver.channel import ObjectChannel
from harness.run.driver.session import DriverSystem
from harness.run.plan import Plan
from harness.runner import AdoptionRunner
from tests.run_builders import BAKERY
from tests.subjects.proxies import FAULTS, Proxy

#: Fault -> the template and the index of the clause that it violates, and what the reason says.
CAUGHT = {
    "releases-dropped": ("claims-keep-their-source", 1, "as released, the ledger has nothing"),
    "delivery-reported-twice": ("automatic-delivery-reports-once", 0, "job-delivered"),
    "wrong-old-state": ("reports-identify-the-run", 2, "from working to finished"),
    "cause-forgotten": ("reports-identify-the-run", 1, "carries no cause"),
    "another-run-id-after-resume": ("resume-waits-for-every-cause", 1, ""),
    "claims-after-the-start": ("start-time-claim-is-atomic", 0, "starts holding nothing"),
    "counts-over-the-limit": ("start-counts-settle-before-report", 0, "the count says 3 used"),
    "waiting-slot-kept": ("start-counts-settle-before-report", 0, "still holds its waiting slot"),
    "working-slot-kept": ("work-limit-offers-room-and-releases-counts", 0, "still holds a working slot"),
    "spends-less-than-claimed": ("claims-keep-their-source", 2, "holds 1 flour from larder, not 0"),
    "request-not-reported": ("reports-identify-the-run", 0, "the request of A was not reported"),
    "rejection-not-reported": ("exact-inputs-required", 0, "is not rejected"),
    "move-not-traced": ("reports-identify-the-run", 2, "no change from working to finished"),
    "release-to-another-source": ("claims-keep-their-source", 1, "from cellar"),
    "second-reason-forgotten": ("waiting-records-every-current-reason", 0, "does not report earlier-job-first"),
    "cancellation-without-its-row": ("declared-cancellation-settles-one-job", 0, "someone"),
    "work-reset-at-the-stop": ("kept-work-stays-with-the-job", 0, "keep-with-job makes it 1"),
    "delivery-in-a-batch-of-its-own": ("automatic-delivery-reports-once", 0, "delivered only in batch"),
    "report-in-the-wrong-settle": ("reports-identify-the-run", 2, "from requested to started"),
}


@cache
def bakery() -> AdoptionRunner:
    return AdoptionRunner(validate_files([str(BAKERY)])[0])


@cache
def planned(template: str) -> tuple[Scenario, Plan]:
    (scenario,) = bakery().scenarios(Selection(templates=(template,)))
    return scenario, bakery().plan(scenario)


def contract_document() -> Any:
    return {"contract": "job-resolution"}


def system(spoil: Any) -> DriverSystem:
    document = dict(bakery().adoption.document)
    return DriverSystem(lambda: ObjectChannel(lambda: Proxy(spoil)), contract_document(), document, bakery().logs)


def test_every_proxy_is_caught_by_a_named_template() -> None:
    """No proxy is left out of the list of what catches it."""
    assert set(CAUGHT) == set(FAULTS)


@pytest.mark.parametrize("name", CAUGHT)
def test_spoilt_records_violate_the_clause_that_speaks_of_them(name: str) -> None:
    """Behind the proxy the clause is violated, and without the fault it holds."""
    template, index, words = CAUGHT[name]
    scenario, plan = planned(template)
    assert bakery().judge_on(system(lambda records, kept: records), scenario, plan).clauses[index].verdict == "holds"
    clause = bakery().judge_on(system(FAULTS[name]), scenario, plan).clauses[index]
    assert clause.verdict == "violated"
    assert words in (clause.reason or "")
