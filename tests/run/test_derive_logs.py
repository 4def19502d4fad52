"""Each derived log, told from small recordings written by hand."""

from __future__ import annotations

from typing import Any

import pytest

from harness.models.lifecycle.config import Config, Covers, Eligibility, Pool, StandingOrder
from harness.run.derive import DERIVED, DerivedWorlds, Passage, covering_pools, derivable, derive_all
from harness.run.recording import Draft, WorldDrafts
from tests.run.derive_builders import SYSTEM, claim, derived, facts, logs_in_order, move, report, requested, sent

STOCK = {"stock": [{"item": "flour", "amount": 5, "source": "larder"}]}
FLOUR: dict[str, Any] = {"item": "flour", "source": "larder"}
WAITED = report("A", "job-waiting", "requested", "waiting", "no-free-slot", batch=1, settle=2)
STARTED = report("A", "job-started", "waiting", "started", "slot-offered", batch=1, settle=3)


def data(rows: list[Draft]) -> list[dict[str, Any]]:
    return [dict(row.data) for row in rows]


def columns(rows: list[Draft], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row.data[name] for name in names) for row in rows]


# -- source-record ------------------------------------------------------------------------------------------------


def test_source_record_keeps_the_claimed_source() -> None:
    """A release at another source than the claim's shows the recorded source beside the one it named."""
    rows = derived(
        "source-record", sent("tick", claim("A", "claim", 3, "larder", 1, 2), claim("A", "release", 3, "tap", 1, 3))
    )
    assert columns(rows, "change", "recorded", "settled-at") == [
        ("claim", "larder", "larder"),
        ("release", "larder", "tap"),
    ]


def test_source_record_tells_sources_of_one_item_apart() -> None:
    """Where a run holds the item from the named source, that source is the recorded one."""
    rows = derived(
        "source-record",
        sent("tick", claim("A", "claim", 1, "a", 1, 2), claim("A", "claim", 1, "b", 1, 2)),
        sent("tick", claim("A", "spend", 1, "b", 2, 3), claim("A", "spend", 1, "b", 2, 3)),
    )
    assert columns(rows[2:], "recorded", "settled-at") == [("b", "b"), ("a", "b")]


def test_source_record_of_what_was_never_claimed_is_null() -> None:
    """A run that settles an item it never claimed has no recorded source, whatever others claimed."""
    rows = derived(
        "source-record", sent("tick", claim("B", "claim", 1, "larder", 1, 2), claim("A", "lose", 1, "larder", 1, 3))
    )
    assert columns(rows, "recorded") == [("larder",), (None,)]


# -- usable-inputs ------------------------------------------------------------------------------------------------


def test_usable_inputs_follow_every_change() -> None:
    """Stock, supplies and accepted uses change what is usable; claims move units between usable and claimed."""
    rows = derived(
        "usable-inputs",
        sent("supply", amount=2, **FLOUR),
        sent("use", amount=1, **FLOUR),
        sent("tick", claim("A", "claim", 4, "larder", 1, 1), claim("A", "release", 1, "larder", 1, 2)),
        sent("tick", claim("A", "spend", 2, "larder", 2, 3), claim("A", "lose", 1, "larder", 2, 4)),
        world=STOCK,
    )
    assert columns(rows, "why", "by", "usable", "claimed") == [
        ("world", "outside", 5, 0),
        ("supply", "outside", 7, 0),
        ("use", "outside", 6, 0),
        ("claim", "A", 2, 4),
        ("release", "A", 3, 3),
        ("spend", "A", 3, 1),
        ("lose", "A", 3, 0),
    ]


def test_usable_inputs_record_a_refused_use() -> None:
    """A use that was refused changes nothing and is marked; a skipped one was never tried and has no row."""
    rows = derived(
        "usable-inputs",
        sent("use", amount=9, outcome="refused", reason="absent", **FLOUR),
        sent("use", amount=1, outcome="skipped", reason="cannot", **FLOUR),
        world=STOCK,
    )
    assert columns(rows, "why", "refused", "usable") == [("world", False, 5), ("use", True, 5)]


def test_usable_inputs_of_a_supply_stand_before_what_follows_from_it() -> None:
    """The row of a supply comes before the rows that the system wrote about it."""
    order = logs_in_order(sent("supply", move("A", "waiting", "started", 1, 2), amount=1, **FLOUR))
    assert order.index("usable-inputs") < order.index("state-trace")


# -- report-order -------------------------------------------------------------------------------------------------


def test_report_order_counts_within_the_batch() -> None:
    """Claim changes and reports of a batch are counted together from 1; job-requested is in no batch and has no row."""
    rows = derived(
        "report-order",
        sent("request", requested("A", 1), claim("A", "claim", 1, "larder", 1, 2), WAITED, STARTED, run="A"),
        sent("tick", report("A", "job-finished", "working", "finished", batch=2, settle=4)),
    )
    assert [(row.batch, *row.data.values()) for row in rows] == [
        (1, 1, "claim-change", "claim"),
        (1, 2, "report", "job-waiting"),
        (1, 3, "report", "job-started"),
        (2, 1, "report", "job-finished"),
    ]


# -- pool-assignment ----------------------------------------------------------------------------------------------


def test_pool_assignment_names_every_covering_row() -> None:
    """The row shows the assigned pool beside all rows that cover the request, by the fields it came with."""
    rows = derived("pool-assignment", sent("request", requested("A", 1), run="A", job="bake", fields={"size": 2}))
    assert data(rows) == [{"job": "bake", "pool": "ovens", "place": None, "covered-by": ["big", "ovens"]}]


def test_pool_assignment_of_a_standing_order_has_no_fields() -> None:
    """The fields of an event do not belong to another request that follows from it."""
    event = sent("request", requested("A", 1), requested("S1", 3, "restock"), run="A", fields={"size": 2})
    assert columns(derived("pool-assignment", event), "covered-by") == [(["big", "ovens"],), (["ovens"],)]


# -- run-id-trace -------------------------------------------------------------------------------------------------


def test_run_id_trace_counts_a_run_and_sees_its_end() -> None:
    """Reports of a run are counted, keep who requested it, and show when the run had ended before."""
    rows = derived(
        "run-id-trace",
        sent("request", requested("A", 1, "restock"), WAITED, run="A"),
        sent("cancel", report("A", "job-canceled", "waiting", "canceled", "r", batch=2, settle=3), run="A"),
        sent("tick", STARTED),
    )
    assert columns(rows, "report", "nth", "ended-before", "requested-by") == [
        ("job-requested", 1, False, "restock"),
        ("job-waiting", 2, False, "restock"),
        ("job-canceled", 3, False, "restock"),
        ("job-started", 4, True, "restock"),
    ]


@pytest.mark.parametrize(
    ("ending", "new", "ends"),
    [("job-rejected", "requested", True), ("job-failed", "failed", True), ("job-failed", "stopped", False)],
)
def test_run_id_trace_knows_what_ends_a_run(ending: str, new: str, ends: bool) -> None:
    """A rejection and a ruined failure end a run; a recoverable failure does not."""
    rows = derived("run-id-trace", sent("fail", report("A", ending, "working", new), WAITED))
    assert rows[1].data["ended-before"] is ends


# -- request-log --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reports", "outcome", "causes"),
    [
        ((report("A", "job-rejected", "requested", "requested", "missing-inputs"),), "rejected", ["missing-inputs"]),
        ((WAITED,), "waiting", ["no-free-slot"]),
        ((WAITED, STARTED), "started", ["slot-offered"]),
        ((), "requested", []),
    ],
)
def test_request_log_tells_what_became_of_a_request(
    reports: tuple[Draft, ...], outcome: str, causes: list[str]
) -> None:
    """The outcome is what the run's reports say by the end of the event that brought the request."""
    (row,) = derived("request-log", sent("request", requested("A", 1), *reports, run="A"))
    assert row.run == "A"
    assert (row.data["by"], row.data["outcome"], row.data["causes"]) == ("requester", outcome, causes)


def test_request_log_leaves_later_events_aside() -> None:
    """What happens to a request in a later event changes nothing in its row, and brings no second one."""
    rows = derived("request-log", sent("request", requested("A", 1), run="A"), sent("readmit", WAITED, row="r"))
    assert columns(rows, "outcome") == [("requested",)]


# -- event-log and failure-log ------------------------------------------------------------------------------------


def test_event_log_has_a_row_for_every_event() -> None:
    """Each event has one row at its end, with its outcome, its reason and the reports it caused, in order."""
    rows = derived(
        "event-log",
        sent("request", requested("A", 1), WAITED, run="A"),
        sent("tick", moment=3),
        sent("cancel", outcome="refused", reason="not there", run="B", row="r", moment=4),
    )
    assert [(row.run, row.moment, row.data["outcome"], row.data["reason"], row.data["reports"]) for row in rows] == [
        ("A", 0, "accepted", None, ["job-requested", "job-waiting"]),
        (None, 4, "accepted", None, []),
        ("B", 4, "refused", "not there", []),
    ]
    assert rows[2].data["event"] == {"kind": "cancel", "run": "B", "row": "r"}


FAILURES: dict[str, Any] = {
    "rows": {
        "failures": [
            {"id": "burn", "from-state": "working", "result": "job-ruined"},
            {"id": "drop", "from-state": "waiting"},
        ]
    },
    "answers": {"failure-result": "partial-inputs-or-work"},
}


def test_failure_log_tells_state_and_firing() -> None:
    """A row has the state the failure was offered in, whether job-failed followed, and what the adoption declares."""
    rows = derived(
        "failure-log",
        sent("request", requested("A", 1), move("A", "requested", "waiting", 1, 2), WAITED, run="A"),
        sent("fail", outcome="refused", reason="not from waiting", run="A", row="burn"),
        sent("fail", report("A", "job-failed", "waiting", "stopped", "drop", batch=2, settle=3), run="A", row="drop"),
        given=facts(**FAILURES),
    )
    names = ("row", "offered-in", "fired", "reason", "result", "from-state")
    assert columns(rows, *names) == [
        ("burn", "waiting", False, "not from waiting", "ruined", "working"),
        ("drop", "waiting", True, None, "recoverable", "waiting"),
    ]


def test_failure_log_takes_a_failure_of_nothing() -> None:
    """A failure of an unknown run or row is a row with nulls; a skipped one has none."""
    rows = derived(
        "failure-log",
        sent("fail", outcome="refused", reason="no such run", run="Z", row="none"),
        sent("fail", outcome="skipped", reason="cannot", run="Z", row="none"),
    )
    assert columns(rows, "offered-in", "result", "from-state") == [(None, None, None)]


# -- what stands before all runs ----------------------------------------------------------------------------------


def test_declaration_record_lists_answers_collections_and_rows() -> None:
    """Every answer, every collection with its number of rows (also none) and every row is recorded, rows cite."""
    given = facts(rows={"interruptions": [{"id": "cut", "interruptions-declared-in": "a.md"}]}, answers={"q": "yes"})
    head, _ = derive_all(given, [], SYSTEM)
    found = [tuple(row.data.values()) for row in head if row.log == "declaration-record"]
    assert ("answer", "q", "yes", None) in found
    assert ("collection", "interruptions", 1, None) in found
    assert ("collection", "failures", 0, None) in found
    assert ("row", "interruptions", "cut", "a.md") in found
    assert len([each for each in found if each[0] == "collection"]) == 16


@pytest.mark.parametrize(
    ("passage", "pin", "expected"),
    [
        (Passage(True, "sha256:1"), "sha256:1", (True, "sha256:1", "sha256:1", True)),
        (Passage(True, "sha256:2"), "sha256:1", (True, "sha256:2", "sha256:1", False)),
        (Passage(True, "sha256:1"), None, (True, "sha256:1", None, None)),
        (Passage(False), "sha256:1", (False, None, "sha256:1", None)),
        (Passage(None), None, (None, None, None, None)),
    ],
)
def test_review_record_compares_passage_and_pin(passage: Passage, pin: str | None, expected: tuple[Any, ...]) -> None:
    """The row says whether the passage is there and, where there is a pin, whether it is the reviewed one."""
    pins = {} if pin is None else {"a.md": pin}
    given = facts({"a.md": passage}, rows={"read-first": [{"id": "note", "read-first": "a.md"}]}, pins=pins)
    head, _ = derive_all(given, [], SYSTEM)
    assert head[0].log == "review-record"
    assert tuple(head[0].data[name] for name in ("resolved", "digest", "pin", "matches")) == expected


# -- merging ------------------------------------------------------------------------------------------------------


def test_derived_rows_stand_at_the_row_they_tell_of() -> None:
    """A derived row follows its row directly, in its settle; the rows of an event stand at its end."""
    order = logs_in_order(sent("request", requested("A", 1), claim("A", "claim", 1, "larder", 1, 2), WAITED, run="A"))
    assert order == [
        *("report-log", "pool-assignment", "run-id-trace"),
        *("claim-ledger", "source-record", "usable-inputs", "report-order"),
        *("report-log", "report-order", "run-id-trace"),
        *("request-log", "first-ordering-violation", "event-log"),
    ]


def test_rows_of_a_driver_come_in_the_order_of_its_numbers() -> None:
    """A driver may answer log by log: its numbers say in which order its rows settled."""
    event = sent("tick", report("A", "job-stopped", "working", "stopped", seq=9), move("A", "x", "y", 1, 2, seq=8))
    _, (done,) = derive_all(facts(), [WorldDrafts({}, (), (event,))], SYSTEM)
    assert [row.seq for row in done.sent[0].drafts if row.seq is not None] == [8, 9]


def test_derived_logs_need_what_they_are_told_from() -> None:
    """Without the claim ledger, what is told from it is unknown; what is told from the rest is still there."""
    known = derivable({"report-log"})
    assert {"event-log", "request-log", "run-id-trace", "declaration-record", "failure-log"} <= known
    assert not {"usable-inputs", "source-record", "report-order", "first-ordering-violation"} & known
    assert derivable(SYSTEM) == SYSTEM | set(DERIVED)


def test_derived_log_of_the_system_is_left_to_it() -> None:
    """A system that writes a derived log itself is taken at its word: nothing is added to that log."""
    event = sent("tick", Draft("event-log", None, {"event": {}, "outcome": "refused", "reason": None, "reports": []}))
    _, (done,) = derive_all(facts(), [WorldDrafts({}, (), (event,))], SYSTEM | {"event-log"})
    assert [row.data["outcome"] for row in done.sent[0].drafts if row.log == "event-log"] == ["refused"]


def test_covering_pools_follow_the_written_rules() -> None:
    """A pool covers what its rule says; a standing order's request has the fields that its pool's coverage asks for."""
    pools = (
        pool("big", Covers(fields=(("size", 2),))),
        pool("bakers", Covers(jobs=("bake",))),
        pool("rest", Covers(everything=True)),
    )
    order = StandingOrder("restock", "big", Eligibility(), "fry")
    covering = covering_pools(EMPTY._replace(pools=pools, standing_orders=(order,)))
    assert covering("bake", {}, "requester") == ("bakers", "rest")
    assert covering("fry", {"size": 2}, "requester") == ("big", "rest")
    assert covering("fry", {}, "requester") == ("rest",)
    assert covering("fry", {}, "restock") == ("big", "rest")


def pool(name: str, rule: Covers) -> Pool:
    return Pool(name, rule, 1, None, (), None, (), "finished")


EMPTY = Config(**dict.fromkeys(Config._fields, ()))  # type: ignore[arg-type]  # only pools and orders are read


# -- worlds that come out as before ---------------------------------------------------------------------------------


def test_kept_worlds_are_taken_only_where_nothing_changed() -> None:
    """With kept worlds the outcome is the same as without, and only an equal world is not worked out again."""
    kept = DerivedWorlds()
    start = dict(STOCK)
    whole = WorldDrafts(start, (), (sent("tick", claim("A", "claim", 3, "larder", 1, 2)),))
    other = WorldDrafts(start, (), (sent("tick", claim("A", "claim", 2, "larder", 1, 2)),))
    fewer = SYSTEM - {"claim-ledger"}
    for world, supplied in ((whole, SYSTEM), (whole, SYSTEM), (other, SYSTEM), (whole, fewer), (whole, SYSTEM)):
        assert derive_all(facts(), [world], supplied, kept) == derive_all(facts(), [world], supplied)
    first = derive_all(facts(), [whole], SYSTEM, kept)[1][0]
    assert derive_all(facts(), [whole], SYSTEM, kept)[1][0] is first
