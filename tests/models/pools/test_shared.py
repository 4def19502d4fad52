"""The parts that every pool law shares: correlations, clocks, batches of actions, shapes of states."""

from __future__ import annotations

import pytest

from harness.models.pools import actions as a
from harness.models.pools.correlations import Allocator, BirthId, DispatchId, JobId, Reservation, TicketId, reserve
from harness.models.pools.renaming import shape
from harness.models.pools.settlement import Answer, settle_batch
from harness.models.pools.timing import CLOCK_MAX, Budget, Charged, charge, due
from harness.models.pools.values import Authority, Evidence

# -- correlations --------------------------------------------------------------------------------------------------


def test_allocator_gives_rising_numbers_of_its_kind() -> None:
    """Numbers follow each other and keep their kind."""
    first, after = reserve(Allocator(JobId(1)))
    second, _ = reserve(after)
    assert (first, second) == (Reservation(JobId(1), None), Reservation(JobId(2), None))
    assert repr(second.number) == "job-2"


def test_allocator_that_is_spent_stays_spent() -> None:
    """Beyond the last number nothing wraps round."""
    spent = Allocator(JobId(3), 2)
    assert reserve(spent) == (Reservation(None, "exhausted"), spent)


def test_allocator_retires_a_clashing_number() -> None:
    """A number that is taken refuses once; the next reservation gets the next number."""
    refused, after = reserve(Allocator(JobId(3), None, (3,)))
    assert refused == Reservation(None, "collision")
    assert reserve(after)[0].number == JobId(4)


# -- clocks --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("charges", "at", "expected"),
    [
        ((), 0, Charged((0,), None)),
        ((0, 5), 10, Charged((0, 5), "restart-budget-exhausted")),
        ((0, 5), 11, Charged((5, 11), None)),
        ((0, 5), 4, Charged((0, 5), "clock-regressed")),
        ((5,), 5, Charged((5, 5), None)),
    ],
)
def test_charge_prunes_what_is_older_than_the_window(charges: tuple[int, ...], at: int, expected: Charged) -> None:
    """Two restarts in ten ticks: a charge of exactly ten ticks ago still counts."""
    assert charge(charges, at, Budget(2, 10)) == expected


def test_due_has_no_time_beyond_the_clock() -> None:
    """A delay that the clock can't hold is no delay."""
    assert due(CLOCK_MAX - 5, 5) == CLOCK_MAX
    assert due(CLOCK_MAX - 5, 6) is None


# -- batches -------------------------------------------------------------------------------------------------------

BATCH = (
    a.CreateWorker(0, BirthId(1), "first"),
    a.CreateWorker(1, BirthId(2), "second"),
    a.ObserveWorkerCreation(0, BirthId(1)),
    a.ObserveWorkerCreation(1, BirthId(2)),
    a.ObserveWorkerStop(1, BirthId(2)),
)


def test_batch_settles_every_item_in_order() -> None:
    """All accepted: nothing comes back but receipts."""
    settled = settle_batch(BATCH, lambda each: Answer("accepted", "receipt"))
    assert (settled.status, settled.returned) == ("accepted", ())
    assert {each.detail for each in settled.items} == {"receipt"}


def test_batch_goes_on_after_a_refusal_and_blocks_what_depends_on_it() -> None:
    """A refused creation blocks what needs it, untouched and with the reason; its sibling goes on."""
    settled = settle_batch(BATCH, lambda each: Answer("rejected", "no") if each == BATCH[0] else Answer("accepted"))
    assert [each.word for each in settled.items] == ["rejected", "accepted", "blocked", "accepted", "accepted"]
    assert settled.returned == (BATCH[0], BATCH[2])
    assert settled.items[2].detail == "creation birth-1 did not happen"
    assert settled.status == "rejected"


def test_batch_stops_at_a_fault_and_returns_the_rest() -> None:
    """Only a fault of the interpreter stops the walk; what stands behind it was never tried."""
    settled = settle_batch(BATCH, lambda each: Answer("corrupt", "?") if each == BATCH[1] else Answer("accepted"))
    assert [each.word for each in settled.items] == ["accepted", "corrupt", *["not-attempted"] * 3]
    assert settled.returned == BATCH[1:]
    assert settled.status == "corrupt"


def test_refused_report_of_a_worker_comes_back_with_its_evidence() -> None:
    """A closed parent does not lose a completion: the whole of it is the host's again."""
    evidence = Evidence(DispatchId(1), Authority(DispatchId(1), BirthId(1)), "done")
    report = a.ReportCompletion(BirthId(1), evidence)
    settled = settle_batch((report,), lambda _: Answer("rejected", "parent closed"))
    assert settled.returned == (report,)
    assert settled.items[0].detail == "parent closed"


# -- shapes --------------------------------------------------------------------------------------------------------


def test_shape_forgets_names_and_keeps_order_and_kind() -> None:
    """States that differ in the names of correlations have one shape; order, kind and nesting still tell."""
    state = (JobId(3), (JobId(7), TicketId(3)), "x", 3)
    assert shape(state) == shape((JobId(1), (JobId(2), TicketId(9)), "x", 3))
    for other in (
        (JobId(7), (JobId(3), TicketId(3)), "x", 3),
        (JobId(3), (JobId(3), TicketId(3)), "x", 3),
        (JobId(3), (TicketId(7), TicketId(3)), "x", 3),
        (JobId(3), JobId(7), TicketId(3), "x", 3),
        (JobId(3), (JobId(7), TicketId(3)), "x", 4),
    ):
        assert shape(other) != shape(state)
