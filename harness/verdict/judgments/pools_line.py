"""Who stands where in a pool's order, told from requests, reports, instructions and the cited order alone.

A run joins the line when it is admitted into waiting or stops, and leaves it when it starts, resumes or ends. The
order of a pool is: the cited fields, then the place in the line, then displaced runs behind their displacers
(lifecycle: Slots and offers). Nothing here trusts an order that a system wrote down.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from harness.models.lifecycle.config import Config, Pool
from harness.run.recording import LogRow
from harness.verdict.evidence import SentView, WorldView

Where: TypeAlias = tuple[str | None, str | None]
Pair: TypeAlias = tuple[str, str]

REQUESTER = "requester"


class Standing(NamedTuple):
    """One world between two rows.

    `line` holds waiting and stopped runs in settlement order of their admission or stop; `states` says which of the
    two. `displaced` are (run, displacer) pairs, oldest first; `recovering` are the runs that a failure took out of
    waiting, which go back to the start gate.
    """

    line: tuple[str, ...] = ()
    states: Mapping[str, str] = {}
    where: Mapping[str, Where] = {}
    fields: Mapping[str, Mapping[str, Any]] = {}
    displaced: tuple[Pair, ...] = ()
    recovering: frozenset[str] = frozenset()

    def order(self, pool: Pool, place: str | None) -> list[str]:
        """The runs of the line that belong to this pool and place, in the pool's order."""
        mine = [run for run in self.line if self.where.get(run) == (pool.id, place)]
        for key in reversed(pool.order):
            mine.sort(key=partial(self._value, field=key.field), reverse=key.descending)
        return self._behind_displacers(mine)

    def with_newcomer(self, run: str) -> Standing:
        """The same with `run` at the end of the line: where a request that is being admitted would stand."""
        return self if run in self.line else self._replace(line=(*self.line, run))

    def _value(self, run: str, field: str) -> tuple[int, Any]:
        if field == "admission":
            return 0, self.line.index(run)
        value = self.fields.get(run, {}).get(field, 0)
        return (1, value) if isinstance(value, str) else (0, value)

    def _behind_displacers(self, mine: list[str]) -> list[str]:
        remaining, ordered = list(mine), []
        while remaining:
            behind = {run for run, displacer in self.displaced if displacer in remaining}
            first = next((run for run in remaining if run not in behind), remaining[0])
            remaining.remove(first)
            ordered.append(first)
        return ordered


class Timeline:
    """The standing of one world before and after every row and event; touches report-log."""

    def __init__(self, w: WorldView) -> None:
        w.evidence.touch("report-log")
        self._config = w.evidence.config
        self._keys: list[int] = []
        self._values: list[Standing] = []
        self.entered: list[Standing] = []
        self.ended: list[Standing] = []
        now = Standing()
        for sent in w.sent:
            now = _event(self._config, now, sent)
            self.entered.append(now)
            now = self._rows(now, sent)
            self.ended.append(now)

    def _rows(self, now: Standing, sent: SentView) -> Standing:
        if sent.rows:
            self._note(2 * sent.rows[0].pos, now)
        for row in sent.rows:
            if row.log == "report-log" and row.run is not None:
                now = _report(self._config, now, row, sent)
                self._note(2 * row.pos + 1, now)
        return now

    def _note(self, key: int, standing: Standing) -> None:
        self._keys.append(key)
        self._values.append(standing)

    def _at(self, key: int) -> Standing:
        found = bisect_right(self._keys, key)
        return self._values[found - 1] if found else Standing()

    def before(self, row: LogRow) -> Standing:
        """The standing just before the row."""
        return self._at(2 * row.pos)

    def after(self, row: LogRow) -> Standing:
        """The standing just after the row."""
        return self._at(2 * row.pos + 1)


def timelines(worlds: tuple[WorldView, ...]) -> Iterator[tuple[WorldView, Timeline]]:
    """Each world with its timeline."""
    return ((w, Timeline(w)) for w in worlds)


def _event(config: Config, now: Standing, sent: SentView) -> Standing:
    """What an accepted event changes by itself."""
    if sent.outcome != "accepted":
        return now
    event = sent.event
    if sent.kind == "set-fields":
        run = event["run"]
        return now._replace(fields={**now.fields, run: {**now.fields.get(run, {}), **event.get("fields", {})}})
    displacer = event.get("displaced-by")
    if sent.kind == "instruct" and displacer is not None and is_declared(config, event["instruction"]):
        return now._replace(displaced=_displaced(now.displaced, (event["run"], displacer)))
    return now


def is_declared(config: Config, instruction: str) -> bool:
    """Whether some interruptions row names this instruction."""
    return any(instruction in row.instructions for row in config.interruptions)


def _displaced(pairs: tuple[Pair, ...], pair: Pair) -> tuple[Pair, ...]:
    """The displacements with one more; a circle that it closes loses the oldest in it."""
    pairs = (*pairs, pair)
    while circle := _circle(pairs, pair[0]):
        oldest = next(each for each in pairs if each in circle)
        at = pairs.index(oldest)
        pairs = pairs[:at] + pairs[at + 1 :]
    return pairs


def _circle(pairs: tuple[Pair, ...], start: str) -> tuple[Pair, ...]:
    paths: list[tuple[str, tuple[Pair, ...]]] = [(start, ())]
    seen: set[str] = set()
    while paths:
        run, path = paths.pop()
        for pair in pairs:
            if pair[0] != run:
                continue
            if pair[1] == start:
                return (*path, pair)
            if pair[1] not in seen:
                seen.add(pair[1])
                paths.append((pair[1], (*path, pair)))
    return ()


def _report(config: Config, now: Standing, row: LogRow, sent: SentView) -> Standing:
    """What a report says about the run's place in the line."""
    run, report, old, new = str(row.run), row["report"], row["old"], row["new"]
    if report == "job-requested":
        fields = {**now.fields, run: request_fields(config, row, sent)}
        return now._replace(where={**now.where, run: (row["pool"], row["place"])}, fields=fields)
    if new in ("waiting", "stopped") and report != "job-resumed":
        return now if old == new else _joined(now, run, new, from_waiting=old == "waiting")
    if report == "job-resumed":
        now = now._replace(displaced=tuple(pair for pair in now.displaced if pair[0] != run))
    elif report == "job-rejected" or new in ("delivered", "canceled", "failed"):
        now = now._replace(displaced=tuple(pair for pair in now.displaced if run not in pair))
    return _left(now, run)


def _joined(now: Standing, run: str, state: str, from_waiting: bool) -> Standing:
    line = (*(each for each in now.line if each != run), run)
    recovering = now.recovering | {run} if from_waiting else now.recovering - {run}
    return now._replace(line=line, states={**now.states, run: state}, recovering=recovering)


def _left(now: Standing, run: str) -> Standing:
    if run not in now.line:
        return now
    return now._replace(line=tuple(each for each in now.line if each != run), recovering=now.recovering - {run})


def request_fields(config: Config, row: LogRow, sent: SentView) -> Mapping[str, Any]:
    """The fields of the request that a job-requested row reports; a standing order gives what its pool covers by."""
    if sent.kind == "request" and sent.event.get("run") == row.run:
        found: Mapping[str, Any] = sent.event.get("fields", {})
        return found
    order = next((each for each in config.standing_orders if each.id in row["causes"]), None)
    pool = config.pool(order.pool) if order is not None else None
    if order is None or pool is None or pool.covers.everything or order.job in pool.covers.jobs:
        return {}
    return dict(pool.covers.fields)
