"""The notation of the histories: what short texts become, and what edits do to them."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from harness.run.recording import LogRow
from tests.histories._load import History, _histories, evidence_of, load_adoption
from tests.histories._rows import HistoryError

TEMPLATE = "kept-work-stays-with-the-job"
BASE = """
world: {stock: [{item: flour, amount: 6, source: larder}]}
accepted:
  - name: base
    clause: 0
    events:
      - open-pool ovens
      - request A:
          - job-requested A
          - claim A 3 flour larder; take A ovens working; job-started A
          - job-working A; work A 0 enter
      - tick x2: work A +1/2 advance
      - instruct A power-cut: work A 1/4 stop; free A ovens working; job-stopped A power-cut
"""


def histories(text: str) -> tuple[History, ...]:
    return tuple(_histories(yaml.safe_load(text), TEMPLATE))


def rows(text: str, place: int = 0) -> tuple[LogRow, ...]:
    evidence, _ = evidence_of(histories(text)[place])
    return evidence.recording.rows


def of(log: str, found: tuple[LogRow, ...]) -> list[LogRow]:
    return [row for row in found if row.log == log]


def edited(*edits: str) -> tuple[LogRow, ...]:
    """The rows of the base after these edits."""
    lines = "".join(f"      - {each}\n" for each in edits)
    return rows(f"{BASE}rejected:\n  - from: base\n    clause: 0\n    edit:\n{lines}", 1)


def test_settles_and_batches_are_numbered() -> None:
    """Each settle counts; each event with more than a request is a batch; a request is in none."""
    found = [(row.batch, row.settle, row.moment) for row in of("report-log", rows(BASE))]
    assert found == [(None, 1, 0), (1, 2, 0), (1, 3, 0), (4, 6, 2)]


def test_reports_fill_in_what_follows() -> None:
    """States, work, units, pool and job of a report follow from the rows of its settle and those before."""
    started, _, stopped = of("report-log", rows(BASE))[1:]
    assert (started["old"], started["new"], started["causes"]) == ("requested", "started", ["slot-offered"])
    assert started["claimed"] == [{"item": "flour", "amount": 3, "source": "larder"}]
    assert (started["job"], started["pool"], started["destination"]) == ("bake-loaf", "ovens", None)
    assert (stopped["old"], stopped["work-before"], stopped["work-after"]) == ("working", "1", "1/4")


def test_moves_are_put_before_their_reports() -> None:
    """A report of a change of state brings the state's row, unless the settle has one already."""
    own = rows(BASE.replace("job-stopped A power-cut", "job-stopped A power-cut; A working -> stopped"))
    assert [(row["from"], row["to"]) for row in of("state-trace", own)][-1] == ("working", "stopped")
    (move, report) = [row for row in rows(BASE) if row.log in ("state-trace", "report-log")][-2:]
    assert (move.log, report.log) == ("state-trace", "report-log")


def test_general_rows_are_typed_by_the_catalogue() -> None:
    """Columns of any log are read as lists, numbers, truths, units or null, as their schema says."""
    more = """
      - tick:
          - pool-offer-log - offer=nobody pool=ovens free=2 order=A+B
          - admission-trace A step=input-check outcome=passed tested=3*flour@larder:6
          - {log: output-location, run: A, output: o1, change: held, location: null, accessible: true}
"""
    found = rows(BASE + more)
    (offer,), (admission,), (location,) = (
        of(log, found) for log in ("pool-offer-log", "admission-trace", "output-location")
    )
    assert (offer.run, offer.settle, offer["free"], offer["order"], offer["why"]) == (None, None, 2, ["A", "B"], None)
    assert admission["tested"] == [{"item": "flour", "amount": 3, "source": "larder", "usable": 6}]
    assert (admission.settle, location.settle) == (None, 7)
    assert (location["location"], location["accessible"]) == (None, True)


def test_derived_logs_follow_from_the_edits() -> None:
    """Derived logs are told from the edited rows, so an edit need not be made twice."""
    found = edited("{set: claim A, to: {source: tap}}")
    assert of("source-record", found)[0]["recorded"] == "tap"


def test_derived_row_can_be_edited_itself() -> None:
    """An edit of a derived log is made after derivation and leaves the other logs as they are."""
    found = edited('{set: "source-record A", to: {recorded: tap}}')
    assert of("source-record", found)[0]["recorded"] == "tap"
    assert of("claim-ledger", found)[0]["source"] == "larder"


HALVES = ["1/2", "1", "1/4"]


@pytest.mark.parametrize(
    ("edit", "log", "expected"),
    [
        ("{drop: work A}", "work-before-after", []),
        ('{drop: "work A advance #2"}', "work-before-after", ["0", "1/2", "1/4"]),
        ('{set: "work A stop", to: {after: "0"}}', "work-before-after", ["0", "1/2", "1", "0"]),
        ("{repeat: work A stop}", "work-before-after", ["0", "1/2", "1", "1/4", "1/4"]),
        (
            '{repeat: work A stop, to: {after: "9"}, before: work A enter}',
            "work-before-after",
            ["9", "0", "1/2", "1", "1/4"],
        ),
        ('{swap: ["work A advance #1", "work A stop"]}', "work-before-after", ["0", "1/4", "1", "1/2"]),
        ("{move: work A stop, before: work A enter}", "work-before-after", ["1/4", "0", "1/2", "1"]),
        ("{refuse: instruct A power-cut}", "work-before-after", ["0", "1/2", "1"]),
    ],
)
def test_edits_change_rows(edit: str, log: str, expected: list[str]) -> None:
    """Each edit does to the rows what the notation says."""
    assert [row["after"] for row in of(log, edited(edit))] == expected


def test_moved_row_takes_over_its_new_settle() -> None:
    """A row that is moved or swapped belongs to the settle, batch and moment of the place it comes to."""
    moved = of("work-before-after", edited("{move: work A stop, before: work A enter}"))[0]
    assert (moved.batch, moved.settle, moved.moment) == (1, 3, 0)


def test_refused_event_keeps_its_place() -> None:
    """An event that an edit refuses has the reason, and what it would have caused is gone."""
    refused = of("event-log", edited("{refuse: instruct A power-cut, reason: not now}"))[-1]
    assert (refused["outcome"], refused["reason"], refused["reports"]) == ("refused", "not now", [])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("      - explode A\n", "there is no event 'explode'"),
        ("      - use flour\n", "lacks"),
        ("      - cancel A b c d\n", "too many words"),
        ("      - tick: job-stopped A\n", "needs its causes"),
        ("      - tick: somersault A\n", "begins with no report"),
        ("      - tick: claim A flour\n", "cannot read the row"),
        ("      - tick: stop-causes A change=add first=ordinary\n", "needs cause="),
        ("      - tick: stop-causes A causes=x\n", "needs change="),
        ("      - tick: take A ovens working colour=red\n", "no column colour"),
    ],
)
def test_mistakes_in_a_history_are_told(text: str, says: str) -> None:
    """A text that cannot be read is told with what is wrong about it."""
    with pytest.raises(HistoryError, match=says):
        rows(BASE + text)


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        ("{drop: work B}", "no row is"),
        ("{set: work A advance, to: {after: x}}", "2 rows are"),
        ('{set: "work A advance #3", to: {after: x}}', "only 2 rows"),
        ("{set: work A stop, to: {afterwards: x}}", "no column afterwards"),
        ("{paint: work A}", "unknown edit"),
        ("{refuse: cancel A x}", "no event is"),
    ],
)
def test_mistakes_in_an_edit_are_told(edit: str, says: str) -> None:
    """An edit that fits no row, or more than one, is told."""
    with pytest.raises(HistoryError, match=says):
        edited(edit)


def test_adoption_changes_are_merged() -> None:
    """Mappings are merged into the base, a null takes an entry out, lists are replaced."""
    changes: dict[str, Any] = {
        "answers": {"partial-work": "reset-at-stop", "cancel-return": None},
        "collections": {"interruptions": []},
        "rules": {"rules/bakery.md#oven-count": {"limit": 1}},
    }
    changed, plain = load_adoption(changes), load_adoption("bakery-oven")
    assert (changed.answers["partial-work"], changed.answers.get("cancel-return")) == ("reset-at-stop", None)
    assert changed.answers["output-full"] == plain.answers["output-full"]
    assert (len(changed.rows("interruptions")), len(changed.rows("work-limits"))) == (0, 1)
    assert changed.rules["rules/bakery.md#oven-count"] == {"limit": 1}
