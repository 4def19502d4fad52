"""What is true of one world after each of its rows, told from its rows and events alone.

The fold never asks the model: it adds up what the logs say. Each row (and each accepted event) gives the next
`Facts`; unchanged parts are shared, so keeping one for every row is cheap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from harness.run.recording import ACCEPTED, LogRow, Sent, WorldRun, fraction, whole

#: An item at the source that its units come from.
Unit: TypeAlias = tuple[str, str]

#: One kind of slot: pool, place (None where the pool is shared) and `working` or `waiting`.
SlotKey: TypeAlias = tuple[str, str | None, str]

TERMINAL_STATES = frozenset({"delivered", "canceled", "failed"})


class About(NamedTuple):
    """What a run was requested as; `destination` is the last one that a report named."""

    job: str | None
    pool: str | None
    place: str | None
    destination: str | None = None


class Facts(NamedTuple):
    """One world at one moment. Amounts are whole numbers; entries that fell to nothing are left out."""

    states: Mapping[str, str]
    ended: frozenset[str]
    about: Mapping[str, About]
    held: Mapping[str, Mapping[Unit, int]]
    usable: Mapping[Unit, int]
    work: Mapping[str, Fraction]
    slots: Mapping[SlotKey, tuple[str, ...]]
    causes: Mapping[str, frozenset[str]]
    reported: Mapping[str, frozenset[str]]
    reasons: Mapping[str, frozenset[str]]
    reserved: Mapping[str, int]
    open_pools: tuple[str, ...]


class FoldedWorld(NamedTuple):
    """The facts around every row and event: `first` before all, `after[pos]`, and per event on entry and at its end."""

    first: Facts
    before: Mapping[int, Facts]
    after: Mapping[int, Facts]
    entered: tuple[Facts, ...]
    ended: tuple[Facts, ...]


def fold_world(run: WorldRun, state_log: str) -> FoldedWorld:
    """Folds a world; `state_log` tells the states: `state-trace`, or `report-log` where that is not supplied."""
    facts = first = _beginning(run.world)
    before: dict[int, Facts] = {}
    after: dict[int, Facts] = {}
    entered, ended = [], []

    def take(rows: tuple[LogRow, ...], facts: Facts) -> Facts:
        for row in rows:
            before[row.pos] = facts
            facts = after[row.pos] = _STEPS.get(row.log, _same)(facts, row, state_log)
        return facts

    facts = take(run.opening, facts)
    for sent in run.sent:
        entered.append(facts)
        facts = take(sent.rows, _event(facts, sent))
        ended.append(facts)
    return FoldedWorld(first, before, after, tuple(entered), tuple(ended))


def _beginning(world: Mapping[str, Any]) -> Facts:
    usable: dict[Unit, int] = {}
    for entry in world.get("stock", ()):
        unit = (entry["item"], entry["source"])
        usable[unit] = usable.get(unit, 0) + entry["amount"]
    return Facts({}, frozenset(), {}, {}, usable, {}, {}, {}, {}, {}, {}, ())


def _event(facts: Facts, sent: Sent) -> Facts:
    """What an accepted event changes by itself, before any row."""
    if sent.outcome != ACCEPTED:
        return facts
    event = sent.event
    kind = event.get("kind")
    if kind in ("supply", "use"):
        amount = event["amount"] if kind == "supply" else -event["amount"]
        return facts._replace(usable=_added(facts.usable, (event["item"], event["source"]), amount))
    if kind == "open-pool":
        return facts._replace(open_pools=(*facts.open_pools, event["row"]))
    if kind == "clear":
        return facts._replace(reported=_without(facts.reported, event["run"], event["cause"]))
    return facts


def _same(facts: Facts, row: LogRow, state_log: str) -> Facts:
    return facts


def _state(facts: Facts, row: LogRow, state_log: str) -> Facts:
    if row.run is None or state_log != "state-trace":
        return facts
    return _entered(facts, row.run, row["to"])


def _entered(facts: Facts, run: str, state: str) -> Facts:
    ended = facts.ended | {run} if state in TERMINAL_STATES else facts.ended
    return facts._replace(states={**facts.states, run: state}, ended=ended)


def _report(facts: Facts, row: LogRow, state_log: str) -> Facts:
    run, report = row.run, row.get("report")
    if run is None:
        return facts
    if report == "job-requested":
        facts = _entered(facts, run, "requested")
        about = About(row.get("job"), row.get("pool"), row.get("place"), row.get("destination"))
        facts = facts._replace(about={**facts.about, run: about})
    elif row.get("destination") is not None and run in facts.about:
        about = facts.about[run]._replace(destination=row["destination"])
        facts = facts._replace(about={**facts.about, run: about})
    if report == "job-rejected":
        facts = facts._replace(ended=facts.ended | {run})
    elif state_log == "report-log" and row.get("new") is not None:
        facts = _entered(facts, run, row["new"])
    return _reported(_worked(facts, run, row.get("work-after")), row)


def _reported(facts: Facts, row: LogRow) -> Facts:
    """The causes that reports gave a stop, and the reasons that a wait began with."""
    run, report, causes = str(row.run), row.get("report"), frozenset(row.get("causes") or ())
    if report == "job-waiting":
        return facts._replace(reasons={**facts.reasons, run: causes})
    if report == "job-stopped":
        return facts._replace(reported={**facts.reported, run: facts.reported.get(run, frozenset()) | causes})
    if report == "job-failed" and row.get("new") == "stopped":
        with_failure = facts.reported.get(run, frozenset()) | {"failure-recovery"}
        return facts._replace(reported={**facts.reported, run: with_failure})
    if report in ("job-resumed", "job-canceled", "job-failed") and run in facts.reported:
        return facts._replace(reported={**facts.reported, run: frozenset()})
    return facts


def _worked(facts: Facts, run: str, value: object) -> Facts:
    work = fraction(value)
    if work is None or facts.work.get(run) == work:
        return facts
    return facts._replace(work={**facts.work, run: work})


def _work(facts: Facts, row: LogRow, state_log: str) -> Facts:
    return facts if row.run is None else _worked(facts, row.run, row["after"])


def _claim(facts: Facts, row: LogRow, state_log: str) -> Facts:
    if row.run is None:
        return facts
    unit, amount, change = (row["item"], row["source"]), whole(row["amount"]), row["change"]
    mine = _added(facts.held.get(row.run, {}), unit, amount if change == "claim" else -amount)
    facts = facts._replace(held={**facts.held, row.run: mine})
    if change in ("claim", "release"):
        back = amount if change == "release" else -amount
        facts = facts._replace(usable=_added(facts.usable, unit, back))
    return facts


def _count(facts: Facts, row: LogRow, state_log: str) -> Facts:
    key = (row["pool"], row["place"], row["slot"])
    runs, run = facts.slots.get(key, ()), row.run or ""
    if row["change"] == "take":
        runs = (*runs, run)
    elif run in runs:
        at = runs.index(run)
        runs = runs[:at] + runs[at + 1 :]
    else:
        runs = runs[1:]  # freed by a run that never took one: the count falls all the same
    return facts._replace(slots={**facts.slots, key: runs})


def _cause(facts: Facts, row: LogRow, state_log: str) -> Facts:
    return facts if row.run is None else facts._replace(causes={**facts.causes, row.run: frozenset(row["active"])})


def _admission(facts: Facts, row: LogRow, state_log: str) -> Facts:
    if row.run is None or row["step"] not in ("admission", "reasons"):
        return facts
    return facts._replace(reasons={**facts.reasons, row.run: frozenset(row["reasons"])})


def _reservation(facts: Facts, row: LogRow, state_log: str) -> Facts:
    if row.run is None or row["change"] == "refused":
        return facts
    # `reserved-after` is what all runs hold at the destination; what this one holds is the amount of its own row.
    held = whole(row["amount"]) if row["change"] == "reserve" else 0
    return facts._replace(reserved={**facts.reserved, row.run: held})


def _added(amounts: Mapping[Unit, int], unit: Unit, amount: int) -> Mapping[Unit, int]:
    total = amounts.get(unit, 0) + amount
    return {**{key: value for key, value in amounts.items() if key != unit}, **({unit: total} if total else {})}


def _without(causes: Mapping[str, frozenset[str]], run: str, cause: str) -> Mapping[str, frozenset[str]]:
    return {**causes, run: causes[run] - {cause}} if run in causes else causes


_STEPS = {
    "state-trace": _state,
    "report-log": _report,
    "work-before-after": _work,
    "claim-ledger": _claim,
    "count-trace": _count,
    "stop-causes": _cause,
    "admission-trace": _admission,
    "reservation-ledger": _reservation,
}


def miscounts(rows: Iterator[LogRow] | tuple[LogRow, ...]) -> Iterator[tuple[LogRow, str]]:
    """The count rows that are wrong by themselves, each with why.

    A row is wrong where `used` is not the takes minus the frees so far in its world, or lies above the limit or
    below nothing (lifecycle: Counts). Rows must come in recording order.
    """
    used: dict[tuple[int, SlotKey], int] = {}
    for row in rows:
        if row["change"] not in ("take", "free"):
            yield row, f"a slot is neither taken nor freed by {row['change']!r}"
            continue
        key = (row.world, (row["pool"], row["place"], row["slot"]))
        used[key] = used.get(key, 0) + (1 if row["change"] == "take" else -1)
        if row["used"] != used[key]:
            yield row, f"the count says {row['used']} used, takes minus frees make {used[key]}"
        elif used[key] < 0:
            yield row, "a slot is freed that was never taken"
        elif row["limit"] is not None and not isinstance(row["limit"], int):
            yield row, f"the limit {row['limit']!r} is no number"
        elif row["limit"] is not None and used[key] > row["limit"]:
            yield row, f"{used[key]} slots are used where the limit is {row['limit']}"
