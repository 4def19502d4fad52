"""What judgments see: rows by question, events, and what was true around each row."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from harness.verdict.evidence import Evidence, all_rows
from tests.verdict.evidence_builders import LIFE, evidence


@pytest.fixture(name="baked")
def _baked() -> Evidence:
    return evidence(LIFE)


# -- rows ---------------------------------------------------------------------------------------------------------


def test_rows_are_selected_by_log_run_and_columns(baked: Evidence) -> None:
    """Columns are asked by name with `_` for `-`, and a trailing `_` is no part of the name."""
    (world,) = baked.worlds
    assert [row["report"] for row in world.life("A")] == [
        *("job-requested", "job-started", "job-working", "job-finished", "job-delivered")
    ]
    assert [row["to"] for row in world.rows("state-trace", from_="working")] == ["finished"]
    assert len(world.rows("claim-ledger", run="A", held_after=0)) == 2
    assert world.rows("claim-ledger", run="B") == ()


def test_rows_take_one_value_or_any_of_several(baked: Evidence) -> None:
    """A tuple or a set asks for any of its members; report names can be given the same way."""
    assert len(baked.rows("claim-ledger", change={"claim", "spend"}, item="water")) == 2
    assert [row["new"] for row in baked.reports(("job-finished", "job-delivered"))] == ["finished", "delivered"]
    assert baked.rows("report-log", no_such_column=None) == ()


def test_rows_of_all_worlds_include_those_of_none(baked: Evidence) -> None:
    """Rows of world 0 are found over all worlds, but belong to none of them."""
    row = baked.rows("declaration-record", declares="row", name="interruptions")[0]
    assert row.world == 0
    assert baked.worlds[0].rows("declaration-record") == ()
    with pytest.raises(KeyError):
        baked.world_of(row)


def test_rows_lead_to_their_settle_batch_and_event(baked: Evidence) -> None:
    """From a row one gets every row of its settle, of its batch, and the event that caused it."""
    (finished,) = baked.reports("job-finished")
    settle = [row.log for row in baked.settle_of(finished) if row.log in ("claim-ledger", "state-trace", "count-trace")]
    assert settle == ["claim-ledger", "claim-ledger", "state-trace", "count-trace"]
    batch = [row["report"] for row in baked.batch_of(finished) if row.log == "report-log"]
    assert batch == ["job-finished", "job-delivered"]
    assert (baked.sent_of(finished).kind, baked.sent_of(finished).place) == ("tick", 5)


def test_request_is_in_no_batch(baked: Evidence) -> None:
    """A job-requested has a settle but no batch."""
    (requested,) = baked.reports("job-requested")
    assert baked.batch_of(requested) == ()
    assert requested in baked.settle_of(requested)


def test_rows_of_a_batch_can_be_narrowed(baked: Evidence) -> None:
    """With logs named, only their rows come and only they are touched; without, nothing is touched."""
    fresh = baked.renewed()
    world = fresh.worlds[0]
    assert {row.log for row in world.batch_rows(5)} > {"state-trace"}
    assert fresh.touched == set()
    assert {row.log for row in world.settle_rows(8, "state-trace")} == {"state-trace"}
    assert fresh.touched == {"state-trace"}


def test_rows_of_several_logs_come_in_order(baked: Evidence) -> None:
    """Rows of several logs are merged in the order of the recording."""
    rows = list(all_rows(baked, "report-log", "claim-ledger"))
    assert [row.pos for row in rows] == sorted(row.pos for row in rows)
    assert {row.log for row in rows} == {"report-log", "claim-ledger"}


# -- events -------------------------------------------------------------------------------------------------------


def test_events_are_selected_by_kind_outcome_and_fields() -> None:
    """Accepted events are the default; refused ones are asked for, and fields narrow the answer."""
    refused = evidence([*LIFE, {"refused cancel A baker-cancels": "too late"}, {"skipped tick": "no clock"}])
    (world,) = refused.worlds
    assert len(world.events("tick")) == 4
    assert len(world.events("tick", outcome=None)) == 5
    (cancel,) = world.events(outcome="refused", run="A")
    assert (cancel.kind, cancel.reason, cancel.moment, cancel.rows_of("report-log")) == ("cancel", "too late", 4, ())
    assert [row["report"] for row in world.events("request")[0].rows_of("report-log", new="working")] == ["job-working"]


# -- what was true ------------------------------------------------------------------------------------------------


def test_snapshot_before_and_after_an_event(baked: Evidence) -> None:
    """An event's snapshots tell state, claim, work and slots when it entered and when all had settled."""
    request, *_, last = baked.worlds[0].sent[1:]
    assert request.before.state("A") is None
    assert request.before.usable("flour", "larder") == 7
    assert request.after.state("A") == "working"
    assert request.after.held("A") == {("flour", "larder"): 3, ("water", "tap"): 1}
    assert request.after.used("ovens", None, "working") == 1
    assert last.before.work("A") == Fraction(3)
    assert (last.after.work("A"), last.after.held_items("A"), last.after.slots("A")) == (Fraction(4), {}, ())
    assert last.after.ended("A")
    assert last.after.open_runs == ()
    assert last.after.destination("A") == "shelf"


def test_snapshot_around_a_row(baked: Evidence) -> None:
    """Around a row, exactly that row makes the difference."""
    (started,) = baked.rows("state-trace", to="started")
    assert (baked.at(started).state("A"), baked.after(started).state("A")) == ("requested", "started")
    spent = baked.rows("claim-ledger", change="spend")[0]
    assert (baked.at(spent).held_items("A"), baked.after(spent).held_items("A")) == (
        {"flour": 3, "water": 1},
        {"water": 1},
    )


def test_snapshot_knows_what_a_run_was_requested_as(baked: Evidence) -> None:
    """Job, pool and place come from the request; a run that was never requested has none."""
    end = baked.worlds[0].end
    assert (end.job("A"), end.pool("A"), end.place("A")) == ("bake-loaf", "ovens", None)
    assert (end.job("Z"), end.state("Z"), end.work("Z"), end.causes("Z")) == (None, None, Fraction(0), frozenset())
    assert end.open_pools == ("ovens",)


def test_snapshot_adds_up_units() -> None:
    """Supplies and accepted uses change what is usable, refused ones don't; releases go back, spent units don't."""
    events = [
        {"request A": ["job-requested A", "claim A 3 flour larder; job-started A"]},
        "supply 2 flour larder",
        "use 1 flour larder",
        {"refused use 9 flour larder": "too few"},
        {"tick": ["release A 1 flour larder", "lose A 1 flour larder", "spend A 1 flour larder"]},
    ]
    found = evidence(events)
    supply, use, refused, tick = found.worlds[0].sent[1:]
    assert [each.after.usable("flour", "larder") for each in (supply, use, refused, tick)] == [6, 5, 5, 6]
    assert (use.after.claimed("flour", "larder"), tick.after.claimed("flour", "larder")) == (3, 0)
    assert tick.after.held("A") == {}


STOPPED: list[Any] = [
    *LIFE[:2],
    {
        "instruct A power-cut": "work A 0 stop; free A ovens working; job-stopped A power-cut;"
        " stop-causes A change=add cause=power-cut active=power-cut first=ordinary"
    },
    {
        "instruct A fire": "job-stopped A fire;"
        " stop-causes A change=join cause=fire active=power-cut+fire first=ordinary"
    },
    {"clear A power-cut": "stop-causes A change=clear cause=power-cut active=fire first=ordinary"},
    {
        "clear A fire": "stop-causes A change=clear cause=fire first=ordinary; take A ovens working; job-resumed A",
    },
]


def test_snapshot_follows_causes() -> None:
    """Active causes come from their log; those that reports named lose only what a clear event took."""
    world = evidence(STOPPED).worlds[0]
    causes = [(sorted(each.after.causes("A")), sorted(each.after.reported_causes("A"))) for each in world.sent[2:]]
    assert causes == [
        (["power-cut"], ["power-cut"]),
        (["fire", "power-cut"], ["fire", "power-cut"]),
        (["fire"], ["fire"]),
        ([], []),
    ]
    assert world.sent[2].after.in_state("stopped") == ("A",)
    assert not world.sent[2].after.has_slot("A")
    assert world.end.has_slot("A")


def test_snapshot_reported_causes_of_a_failure() -> None:
    """A recoverable failure stops for failure-recovery, whatever row its report names."""
    events = [*LIFE[:2], {"fail A burn": "free A ovens working; job-failed A burn"}]
    assert evidence(events).worlds[0].end.reported_causes("A") == {"failure-recovery"}


def test_snapshot_tells_reasons_and_reservations() -> None:
    """A waiting run's reasons are the last recorded ones, and a reservation is what its ledger left."""
    events = [
        {"request A": ["job-requested A", "take A ovens waiting; job-waiting A no-free-slot+inputs-unavailable"]},
        {"supply 1 flour larder": ["admission-trace A step=reasons outcome=changed reasons=no-free-slot"]},
        {"tick": "reservation-ledger A change=reserve destination=shelf amount=1 reserved-after=1"},
    ]
    world = evidence(events).worlds[0]
    assert [sorted(each.after.reasons("A")) for each in world.sent[:2]] == [
        ["inputs-unavailable", "no-free-slot"],
        ["no-free-slot"],
    ]
    assert (world.start.reserved("A"), world.end.reserved("A")) == (0, 1)


# -- counts -------------------------------------------------------------------------------------------------------


def test_bad_counts_of_a_good_run(baked: Evidence) -> None:
    """Counts that add up and stay within the limit are not bad."""
    assert baked.bad_counts("ovens") == ()


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("take A ovens working used=2", "takes minus frees make 1"),
        ("take A ovens working; take B ovens working; take C ovens working", "3 slots are used where the limit is 2"),
        ("free A ovens working", "never taken"),
    ],
)
def test_bad_counts_are_told(rows: str, says: str) -> None:
    """A count that does not add up, exceeds its limit or falls below nothing is bad, for its own pool only."""
    found = evidence([{"tick": rows}])
    ((row, why),) = found.bad_counts("ovens")
    assert row.log == "count-trace"
    assert says in why
    assert found.bad_counts("other") == ()


# -- what was looked at -------------------------------------------------------------------------------------------


def test_looks_are_noted(baked: Evidence) -> None:
    """Each question notes the log that answers it, and renewed evidence begins with none."""
    fresh = baked.renewed()
    end = fresh.worlds[0].end
    looks = [end.held("A"), end.work("A"), end.causes("A"), end.used("ovens", None, "working"), end.reasons("A")]
    assert len(looks) == 5
    assert fresh.touched == {"claim-ledger", "work-before-after", "stop-causes", "count-trace", "admission-trace"}
    assert baked.renewed().touched == set()


def test_unsupplied_logs_make_a_look_blind() -> None:
    """A touched log that the system does not supply is told; what is derived from it is not supplied either."""
    found = evidence(LIFE, unobserved=["claim-ledger"])
    found.rows("usable-inputs")
    found.reports()
    found.worlds[0].end.held("A")
    assert found.blind == ("claim-ledger", "usable-inputs")


def test_states_are_told_by_reports_where_there_is_no_trace() -> None:
    """Without a state trace the reports tell the states, and the trace is not missed."""
    found = evidence(LIFE, unobserved=["state-trace"])
    assert found.worlds[0].end.state("A") == "delivered"
    assert found.worlds[0].sent[1].after.state("A") == "working"
    assert found.blind == ()
