"""first-ordering-violation: good orders leave no row, and each broken order is named at its first wrong row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from harness.run.derive.paths import LEGAL_MOVES, MOVING_REPORTS, REPORT_MOVES, STANDING_REPORTS, TERMINAL
from harness.run.recording import Draft, SentDrafts
from tests.run.derive_builders import claim, derived, move, report, requested, sent

Rows = list[Draft]


def step(run: str, name: str, old: str, new: str, batch: int, settle: int, *causes: str) -> Rows:
    """A transition and its report."""
    return [
        move(run, old, new, batch, settle),
        report(run, name, old, new, *causes, batch=batch, settle=settle),
    ]


def start(run: str, batch: int, settle: int) -> Rows:
    """A claim and the start it belongs to."""
    return [
        claim(run, "claim", 3, "larder", batch, settle),
        *step(run, "job-started", "requested", "started", batch, settle),
    ]


def life() -> list[Rows]:
    """One run with work that is stopped twice over, resumed and delivered: the rows of each event."""
    joined = report("A", "job-stopped", "stopped", "stopped", "fire", batch=3, settle=5)
    return [
        [requested("A", 1), *start("A", 1, 2), *step("A", "job-working", "started", "working", 1, 3)],
        step("A", "job-stopped", "working", "stopped", 2, 4, "power-cut"),
        [joined],
        step("A", "job-resumed", "stopped", "working", 4, 6),
        [
            claim("A", "spend", 3, "larder", 5, 7),
            *step("A", "job-finished", "working", "finished", 5, 7),
            *step("A", "job-delivered", "finished", "delivered", 5, 8, "accepted"),
        ],
    ]


def instant(delivered_in: int = 1) -> list[Rows]:
    """One run without work, delivered in the batch of that number."""
    rows = [requested("A", 1), *start("A", 1, 2), *step("A", "job-finished", "started", "finished", 1, 3)]
    delivered = step("A", "job-delivered", "finished", "delivered", delivered_in, 4, "accepted")
    return [[*rows, *delivered]] if delivered_in == 1 else [rows, delivered]


def violations(events: list[Rows]) -> list[Draft]:
    sends: list[SentDrafts] = [sent("tick", *rows) for rows in events]
    return derived("first-ordering-violation", *sends)


def refused_then_accepted() -> list[Rows]:
    """An instant run that no destination took at first."""
    first, _ = instant(delivered_in=2)
    refused = report("A", "destination-refused", "finished", "finished", "no-room", batch=1, settle=4)
    return [[*first, refused], step("A", "job-delivered", "finished", "delivered", 2, 5, "accepted")]


def collected() -> list[Rows]:
    """An instant run that is delivered when someone collects its output."""
    first, _ = instant(delivered_in=2)
    return [first, step("A", "job-delivered", "finished", "delivered", 2, 4, "shop")]


def failed_while_stopped() -> list[Rows]:
    """A recoverable failure of a stopped run changes no state."""
    failed = report("A", "job-failed", "stopped", "stopped", "burn", batch=3, settle=5)
    return [*life()[:2], [claim("A", "lose", 1, "larder", 3, 5), failed]]


def scanned() -> list[Rows]:
    """A request that a scan makes stands between the rows of the batch that it happens in."""
    first, _ = instant(delivered_in=2)
    second = [requested("S1", 5, "restock"), *start("S1", 1, 6)]
    return [[*first, *step("A", "job-delivered", "finished", "delivered", 1, 4, "accepted"), *second]]


def stopped_at_the_gate() -> list[Rows]:
    """An instant run that stops at the finish gate goes on from there in the batch of its resume."""
    first = [requested("A", 1), *start("A", 1, 2), *step("A", "job-stopped", "started", "stopped", 1, 3, "output-full")]
    second = [
        *step("A", "job-resumed", "stopped", "started", 2, 4),
        *step("A", "job-finished", "started", "finished", 2, 5),
        *step("A", "job-delivered", "finished", "delivered", 2, 6, "accepted"),
    ]
    return [first, second]


def reported_before_its_move() -> list[Rows]:
    """Which of the move and its report comes first inside a settle is not the lifecycle's business."""
    traced, told = step("A", "job-canceled", "requested", "canceled", 1, 2, "r")
    return [[requested("A", 1)], [told, traced]]


GOOD: list[Callable[[], list[Rows]]] = [
    life,
    instant,
    refused_then_accepted,
    collected,
    failed_while_stopped,
    scanned,
    stopped_at_the_gate,
    reported_before_its_move,
]


@pytest.mark.parametrize("history", GOOD, ids=lambda each: each.__name__)
def test_good_order_has_no_row(history: Callable[[], list[Rows]]) -> None:
    """An order that the contract allows leaves the log empty."""
    assert violations(history()) == []


def edit(event: int, place: int, **changes: object) -> list[Rows]:
    """The life with some fields of one row's draft changed."""
    events = life()
    events[event][place] = replace(events[event][place], **changes)  # type: ignore[arg-type]  # fields by name
    return events


def column(event: int, place: int, **changes: object) -> list[Rows]:
    """The life with some columns of one row changed (`from_` is `from`)."""
    row = life()[event][place]
    own = {name.rstrip("_"): value for name, value in changes.items()}
    return edit(event, place, data={**row.data, **own})


def without(event: int, place: int) -> list[Rows]:
    events = life()
    del events[event][place]
    return events


def swapped(event: int, one: int, other: int) -> list[Rows]:
    """The life with two rows of one settle in the other order."""
    events = life()
    rows = events[event]
    rows[one], rows[other] = rows[other], rows[one]
    return events


def with_more(event: int, place: int, *rows: Draft) -> list[Rows]:
    events = life()
    events[event][place:place] = rows
    return events


DELIVERED_AGAIN = step("A", "job-delivered", "finished", "delivered", 6, 9, "accepted")

BROKEN: list[tuple[str, str, list[Rows]]] = [
    ("row-numbers-rise", "claim-ledger", [[replace(each, seq=1) for each in rows] for rows in life()]),
    ("moments-rise", "state-trace", edit(2, 0, moment=5)),
    ("inside-a-settle", "state-trace", edit(1, 0, settle=None)),
    ("one-settle-at-a-time", "state-trace", edit(1, 0, settle=1)),
    ("one-batch-at-a-time", "state-trace", edit(4, 3, batch=4)),
    ("batch-of-one-event", "report-log", edit(2, 0, batch=2)),
    ("nothing-after-the-end", "state-trace", [*life(), DELIVERED_AGAIN]),
    ("nothing-after-the-end", "claim-ledger", [*life(), [claim("A", "release", 3, "larder", 6, 9)]]),
    ("request-first", "state-trace", without(0, 0)),
    ("request-first", "report-log", with_more(1, 0, requested("A", 3))),
    ("states-join", "state-trace", column(3, 0, from_="working")),
    ("legal-path", "state-trace", column(3, 0, to="finished")),
    ("legal-report", "report-log", column(2, 0, old="finished", new="finished")),
    ("reports-agree", "report-log", with_more(1, 0, report("A", "job-stopped", "stopped", "stopped", settle=4))),
    ("instant-in-one-batch", "report-log", instant(delivered_in=2)),
    ("one-run-a-settle", "claim-ledger", with_more(3, 1, claim("B", "release", 1, "larder", 4, 6))),
    ("one-transition-a-settle", "state-trace", edit(0, 4, settle=2)),
    ("request-stands-alone", "claim-ledger", edit(0, 1, settle=1, batch=None)),
    ("moves-are-reported", "state-trace", without(1, 1)),
    ("reports-have-moves", "report-log", without(1, 0)),
    ("claims-before-report", "claim-ledger", swapped(4, 0, 2)),
]


@pytest.mark.parametrize(
    ("rule", "log", "events"), BROKEN, ids=[f"{rule}-{log}-{place}" for place, (rule, log, _) in enumerate(BROKEN)]
)
def test_broken_order_is_named(rule: str, log: str, events: list[Rows]) -> None:
    """Each order has a history that breaks it, and the row names that order and the wrong row's log."""
    (row,) = violations(events)
    assert (row.data["rule"], row.data["log"]) == (rule, log)
    assert row.about is not None
    assert row.about.log == log


def test_only_the_first_wrong_row_is_told() -> None:
    """A world has at most one row: the first wrong one, at the end of its event."""
    events = life()
    del events[1][0], events[3][0]
    (row,) = violations(events)
    assert (row.about, row.run) == (events[1][0], "A")


def test_paths_and_reports_belong_together() -> None:
    """Every legal move has a report that tells of it, every report tells of legal moves, and the end leads nowhere."""
    told = {pair for name in MOVING_REPORTS for pair in REPORT_MOVES[name] if pair[0] != pair[1]}
    assert told == {(old, new) for old, each in LEGAL_MOVES.items() for new in each}
    assert all(LEGAL_MOVES[state] == frozenset() for state in TERMINAL)
    standing = {name for name, pairs in REPORT_MOVES.items() if any(old == new for old, new in pairs)}
    assert standing == STANDING_REPORTS
