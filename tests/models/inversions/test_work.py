"""Inversions of recorded work: each leaves other rows than the sound model, and just those that it is about."""

from __future__ import annotations

import pytest

from harness.models.lifecycle import events as e
from tests.models.inversions._cases import Case, check, names_in, row
from tests.models.lifecycle._configs import config, job, pool, progress, reversal

ASK, TICK, CUT = e.Request("A", "bake"), e.Tick(), e.Instruct("A", "power-cut")
ANOTHER, OFF = e.Request("B", "bake"), e.Cancel("A", "called-off")
COOLING = config(partial_work="reverse-while-stopped", reversals=(reversal(),))

CASES = {
    "nightfall-takes-the-work": Case(
        config(), (ASK, TICK, CUT), row("report-log", "A", report="job-stopped", work_after="0")
    ),
    "resumed-work-starts-over": Case(
        config(),
        (ASK, TICK, CUT, e.Clear("A", "power-cut")),
        row("report-log", "A", report="job-resumed", work_after="0"),
    ),
    "work-passes-to-the-next-run": Case(
        config(), (ASK, TICK, CUT, ANOTHER), row("work-before-after", "B", why="enter", after="1")
    ),
    "cancel-resets-the-one-at-work": Case(
        config(pools=(pool(working=1),)),
        (ASK, TICK, ANOTHER, e.Cancel("B", "called-off"), TICK),
        row("work-before-after", "A", why="advance", before="0", after="1"),
    ),
    "reset-work-is-kept": Case(
        config(partial_work="reset-at-stop"),
        (ASK, TICK, CUT),
        row("report-log", "A", report="job-stopped", work_after="1"),
    ),
    "canceled-work-remains": Case(
        config(partial_work="reset-at-stop"),
        (ASK, TICK, OFF),
        row("report-log", "A", report="job-canceled", work_after="1"),
    ),
    "snapshot-comes-after-the-reset": Case(
        config(partial_work="reset-at-stop"), (ASK, TICK, OFF), row("claim-snapshot", "A", work="0")
    ),
    "stopped-work-stands-still": Case(COOLING, (ASK, TICK, CUT, TICK), drops=row("reversal-log", "A")),
    "work-falls-twice-as-fast": Case(
        COOLING, (ASK, TICK, TICK, CUT, TICK), row("reversal-log", "A", before="2", after="0")
    ),
    "work-falls-too-soon": Case(
        config(partial_work="reverse-while-stopped", reversals=(reversal(after=1),)),
        (ASK, TICK, CUT, TICK),
        row("reversal-log", "A"),
    ),
    "work-falls-below-none": Case(COOLING, (ASK, CUT, TICK), row("reversal-log", "A", after="-1")),
    "shares-are-rounded-the-other-way": Case(
        progress(jobs=(job(),)), (ASK, TICK), drops=row("claim-ledger", "A", item="water", change="claim")
    ),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_work_inversion_leaves_the_rows_of_its_breach(name: str) -> None:
    """Each inversion shows its breach on a few events, where the sound model does not."""
    check(name, CASES[name])


def test_work_inversions_all_have_a_case() -> None:
    """No inversion of the module goes without an example."""
    assert names_in("work") == set(CASES)
