"""Turns an accepted history into a rejected one: rows dropped, changed, swapped, repeated, moved or put in."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from harness.run.logs import Catalogue
from harness.run.recording import Draft
from tests.histories._rows import CLAIM_CHANGES, REPORTS, HistoryError, typed

#: The rows of one event (or of the opening of a world), to be edited in place.
Rows = list[Draft]


def selector(logs: Catalogue, text: str) -> tuple[Callable[[Draft], bool], int | None, str]:
    """What a selector picks, which of them (`#2`; None: the only one), and the log that it looks at."""
    words = shlex.split(text)
    nth = next((int(each[1:]) for each in words if each.startswith("#")), None)
    plain = [each for each in words if "=" not in each and not each.startswith("#")]
    named = dict(each.split("=", 1) for each in words if "=" in each)
    log, run, more = _head(logs, plain, text)
    asked = {**more, **{name: typed(logs, log, name, value) for name, value in named.items()}}

    def picks(row: Draft) -> bool:
        value = {**row.data, "batch": row.batch, "settle": row.settle, "moment": row.moment}
        return row.log == log and (run is None or row.run == run) and all(value.get(n) == v for n, v in asked.items())

    return picks, nth, log


def _head(logs: Catalogue, plain: list[str], text: str) -> tuple[str, str | None, dict[str, Any]]:
    first, run = plain[0], plain[1] if len(plain) > 1 else None
    if first in REPORTS:
        return "report-log", run, {"report": first}
    if first in CLAIM_CHANGES:
        return "claim-ledger", run, {"change": first}
    if first in ("take", "free"):
        return "count-trace", run, {"change": first}
    if first == "work":
        return "work-before-after", run, {"why": plain[2]} if len(plain) > 2 else {}
    if "->" in plain:
        return "state-trace", plain[0], {"from": plain[1], "to": plain[3]}
    if first not in logs:
        raise HistoryError(f"the selector {text!r} names no report, change or log")
    return first, None if run in ("-", "null") else run, {}


def find(logs: Catalogue, groups: list[Rows], text: str) -> tuple[Rows, int]:
    """The one row that a selector means, as its group and the place in it."""
    picks, nth, _ = selector(logs, text)
    found = [(rows, place) for rows in groups for place, row in enumerate(rows) if picks(row)]
    if not found:
        raise HistoryError(f"no row is {text!r}")
    if nth is None and len(found) > 1:
        raise HistoryError(f"{len(found)} rows are {text!r}: add #1, #2, ...")
    if nth is not None and nth > len(found):
        raise HistoryError(f"only {len(found)} rows are {text!r}")
    return found[(nth or 1) - 1]


def edited_log(logs: Catalogue, edit: Mapping[str, Any]) -> str | None:
    """The log that an edit changes; None for an edit of an event."""
    for verb in ("drop", "set", "repeat", "move", "swap"):
        if verb in edit:
            text = edit[verb][0] if verb == "swap" else edit[verb]
            return selector(logs, text)[2]
    return None


def apply(logs: Catalogue, groups: list[Rows], edit: Mapping[str, Any]) -> None:
    """Carries out one edit of rows."""
    if "drop" in edit:
        picks, nth, _ = selector(logs, edit["drop"])
        if nth is None:
            _drop_all(groups, picks, edit["drop"])
        else:
            rows, place = find(logs, groups, edit["drop"])
            del rows[place]
    elif "set" in edit:
        rows, place = find(logs, groups, edit["set"])
        rows[place] = _changed(logs, rows[place], edit["to"])
    elif "repeat" in edit:
        _repeat(logs, groups, edit)
    elif "swap" in edit:
        _swap(logs, groups, *edit["swap"])
    elif "move" in edit:
        _move(logs, groups, edit)
    else:
        raise HistoryError(f"unknown edit {dict(edit)!r}")


def _drop_all(groups: list[Rows], picks: Callable[[Draft], bool], text: str) -> None:
    if not any(picks(row) for rows in groups for row in rows):
        raise HistoryError(f"no row is {text!r}")
    for rows in groups:
        rows[:] = [row for row in rows if not picks(row)]


def _changed(logs: Catalogue, row: Draft, to: Mapping[str, Any]) -> Draft:
    common = {name: value for name, value in to.items() if name in ("run", "batch", "settle", "moment")}
    unknown = [name for name in to if name not in common and name not in row.data]
    if unknown:
        raise HistoryError(f"{row.log} has no column {', '.join(unknown)}")
    own = {name: typed(logs, row.log, name, value) for name, value in to.items() if name not in common}
    return replace(row, data={**row.data, **own}, **common)


def _swap(logs: Catalogue, groups: list[Rows], one: str, other: str) -> None:
    """Two rows change places; each takes over the batch, settle and moment of the place it comes to."""
    (rows, place), (more, there) = find(logs, groups, one), find(logs, groups, other)
    first, second = rows[place], more[there]
    rows[place], more[there] = _at(second, first), _at(first, second)


def _at(row: Draft, place: Draft) -> Draft:
    return replace(row, batch=place.batch, settle=place.settle, moment=place.moment)


def _repeat(logs: Catalogue, groups: list[Rows], edit: Mapping[str, Any]) -> None:
    """A second copy of a row: directly after it or where `before` or `after` says, with the changes of `to`."""
    rows, place = find(logs, groups, edit["repeat"])
    row, at = _changed(logs, rows[place], edit.get("to", {})), place + 1
    for anchor in ("before", "after"):
        if anchor in edit:
            rows, there = find(logs, groups, edit[anchor])
            row, at = _at(row, rows[there]), there + (anchor == "after")
    rows.insert(at, row)


def _move(logs: Catalogue, groups: list[Rows], edit: Mapping[str, Any]) -> None:
    """A row goes directly before or after another, into that one's settle."""
    rows, place = find(logs, groups, edit["move"])
    row = rows.pop(place)
    anchor = "before" if "before" in edit else "after"
    there, at = find(logs, groups, edit[anchor])
    there.insert(at + (anchor == "after"), _at(row, there[at]))
