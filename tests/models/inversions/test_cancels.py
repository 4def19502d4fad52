"""Inversions of cancellations: each leaves other rows than the sound model, and just those that it is about."""

from __future__ import annotations

import pytest

from harness.models.lifecycle import events as e
from tests.models.inversions._cases import Case, check, names_in, row
from tests.models.lifecycle._configs import cancel_return, config, job, links, pool

A, B = e.Request("A", "bake"), e.Request("B", "bake")
GLAZE = e.Request("B", "glaze")
CANCEL = e.Cancel("A", "called-off")
TICKS = (e.Tick(),) * 4
ONE_OVEN = config(pools=(pool(working=1),))
CHAIN = config(jobs=(job(), job("glaze")), dependents=links(("glaze", ("bake",))), pools=(pool(working=1),))
ENDING = CHAIN._replace(end_dependents=True)
LOST = (A, GLAZE, CANCEL)

CASES = {
    "cancel-settles-twice": Case(config(), (A, CANCEL), row("report-log", "A", report="job-canceled")),
    "snapshot-follows-the-settlement": Case(config(), (A, CANCEL), row("claim-snapshot", "A", claim=[])),
    "canceled-run-makes-its-output": Case(config(), (A, CANCEL), row("output-identity", "A", change="established")),
    "cancel-takes-the-queue-along": Case(ONE_OVEN, (A, B, CANCEL), row("report-log", "B", report="job-canceled")),
    "return-rule-is-not-read": Case(
        config(cancel_return="return-by-rule", cancel_returns=(cancel_return((("flour", 1),)),)),
        (A, CANCEL),
        row("claim-ledger", "A", change="release", item="flour", amount=3),
    ),
    "undeclared-cancel-is-taken": Case(
        config(cancellations=()), (A, CANCEL), row("report-log", "A", report="job-canceled")
    ),
    "dependents-start-after-the-cancel": Case(ENDING, LOST, row("report-log", "B", report="job-started")),
    "dependents-are-taken-along": Case(CHAIN, LOST, row("report-log", "B", report="job-canceled")),
    "lost-dependents-are-queued-again": Case(CHAIN, LOST, row("report-log", "B", report="job-waiting")),
    "ended-dependents-keep-their-places": Case(
        ENDING, LOST, drops=row("count-trace", "B", slot="waiting", change="free")
    ),
    "cancel-undoes-the-chain": Case(
        CHAIN,
        (A, *TICKS, B, e.Cancel("B", "called-off")),
        row("output-identity", "A", change="destroyed"),
    ),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_cancels_inversion_leaves_the_rows_of_its_breach(name: str) -> None:
    """Each inversion shows its breach on a few events, where the sound model does not."""
    check(name, CASES[name])


def test_cancels_inversions_all_have_a_case() -> None:
    """No inversion of the module goes without an example."""
    assert names_in("cancels") == set(CASES)
