"""Drafts become a recording: numbers, worlds, and the places that rows point at."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from harness.run.recording import (
    COMMON_COLUMNS,
    Draft,
    LogRow,
    Recording,
    SentDrafts,
    WorldDrafts,
    fraction,
    fraction_text,
    json_line,
    number_rows,
)

TICK = {"kind": "tick"}


def move(run: str, old: str, new: str, seq: int | None = None) -> Draft:
    return Draft("state-trace", run, {"from": old, "to": new}, 1, 1, 0, seq)


def world(*drafts: Draft, opening: tuple[Draft, ...] = ()) -> WorldDrafts:
    return WorldDrafts({}, ("shape",), (SentDrafts(TICK, "accepted", None, 0, drafts),), opening)


def numbered(*worlds: WorldDrafts, head: tuple[Draft, ...] = ()) -> Recording:
    return number_rows("oven/x", head, worlds, ["state-trace"])


def test_rows_are_numbered_over_all_worlds() -> None:
    """Numbers count from 1 over the rows of world 0, then world by world, and `pos` is one less."""
    head = (Draft("declaration-record", None, {}),)
    first = world(move("A", "requested", "waiting"), opening=(Draft("usable-inputs", None, {}),))
    recording = numbered(first, world(move("A", "requested", "started")), head=head)
    assert [(row.seq, row.pos, row.world) for row in recording.rows] == [(1, 0, 0), (2, 1, 1), (3, 2, 1), (4, 3, 2)]


def test_rows_stand_under_the_event_that_caused_them() -> None:
    """Each event keeps its own rows, and the rows before the first event are the world's opening."""
    opening = Draft("usable-inputs", None, {})
    run = numbered(world(move("A", "requested", "waiting"), opening=(opening,))).worlds[0]
    assert [row.log for row in run.opening] == ["usable-inputs"]
    assert [row.seq for row in run.sent[0].rows] == [2]
    assert run.shapes == ("shape",)


def test_driver_numbers_are_kept_with_one_offset_a_world() -> None:
    """A driver's numbers stay as they are in the first world, also repeated ones, and move as a block in the next."""
    first = world(move("A", "requested", "waiting", 1), move("A", "requested", "waiting", 1), move("A", "x", "y", 4))
    recording = numbered(first, world(move("A", "requested", "started", 1)), head=(Draft("review-record", None, {}),))
    assert [row.seq for row in recording.rows] == [1, 2, 2, 5, 6]
    assert [row.pos for row in recording.rows] == [0, 1, 2, 3, 4]


def test_rows_without_a_number_follow_the_driver_numbers_of_their_world() -> None:
    """Where a driver numbered its rows, the harness's own rows of that world get the numbers after them."""
    derived = Draft("event-log", None, {})
    recording = numbered(world(move("A", "requested", "waiting", 7), derived), world(derived))
    assert [(row.log, row.seq) for row in recording.rows] == [("state-trace", 7), ("event-log", 8), ("event-log", 9)]


def test_row_about_another_names_its_number() -> None:
    """A draft that points at another row gets that row's number in its column `at`."""
    wrong = move("A", "requested", "finished")
    told = Draft("first-ordering-violation", "A", {"log": "state-trace", "at": None}, about=wrong)
    recording = numbered(world(move("B", "requested", "waiting"), wrong, told))
    assert recording.rows[2].data == {"log": "state-trace", "at": 2}


def test_row_is_written_in_column_order() -> None:
    """A row's object has the common columns first and then its own as they were written; the place is not in it."""
    row = LogRow("state-trace", 3, 1, 0, "Ä", 1, 2, {"from": "requested", "to": "waiting"}, 2)
    assert list(row.to_json()) == [*COMMON_COLUMNS, "from", "to"]
    assert json_line(row.to_json()) == (
        '{"seq":3,"world":1,"moment":0,"batch":1,"settle":2,"run":"Ä","from":"requested","to":"waiting"}\n'
    )


def test_rows_are_values() -> None:
    """Rows with the same content are equal and hash alike; a missing column is a KeyError unless a default is given."""
    one, other = (LogRow("x", 1, 1, 0, None, None, None, {"a": []}, pos) for pos in (0, 5))
    assert one == other
    assert hash(one) == hash(other)
    assert one.get("b", 4) == 4
    with pytest.raises(KeyError):
        one["b"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("3/4", Fraction(3, 4)),
        ("4", Fraction(4)),
        (4, Fraction(4)),
        *[(bad, None) for bad in (None, True, "x", "1/0", 0.5, ())],
    ],
)
def test_fraction_reads_work_values(value: object, expected: Fraction | None) -> None:
    """Work stands as text or as a whole number; what is neither has no value, and nothing raises."""
    assert fraction(value) == expected


def test_fraction_text_has_lowest_terms() -> None:
    """Work is written in lowest terms, and a whole number without a denominator."""
    assert (fraction_text(Fraction(6, 8)), fraction_text(Fraction(8, 2))) == ("3/4", "4")
    assert json.loads(json_line(fraction_text(Fraction(1, 3)))) == "1/3"
