"""Late facts, pairs of facts, and queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.run.recording import LogRow
from harness.verdict.parts import Part, absent, holds, nothing, violated
from harness.verdict.pools.evidence import PoolEvidence
from harness.verdict.pools.judgments.supervisor.operations import NEVER
from harness.verdict.pools.judgments.supervisor.recoveries import restarts_of
from harness.verdict.pools.supervisor.evidence import Moment, declared, moments

DIAGNOSTIC_LANES = ("diagnostic-deliveries", "terminal-diagnostics")
UNEXPECTED = "unexpected-input"
STATE = ("state-trace", "recovery-trace", "budget-trace", "ownership-ledger")
QUERIES = ("query-status", "query-capability")
_COUNTS = ("mode", "operations", "waiting", "online", "preparing", "recoveries", "charged", "held")


def changes_nothing(e: PoolEvidence) -> Iterator[Part]:
    """A fact about nothing that is open leaves everything as it was."""
    for step in moments(e):
        if not step.is_expected:
            yield from unchanged(step)


def unchanged(step: Moment) -> Iterator[Part]:
    """Judges that an event left everything as it was; one whose diagnostic ends the supervisor only hands over."""
    if step.after.mode == "terminated":
        yield from _only_ended(step)
        return
    moved = [row for log in STATE for row in step.of(log)]
    left = [row for row in step.of("action-lanes") if row["lane"] not in DIAGNOSTIC_LANES]
    counts, before = step.of("count-trace"), step.before.counts
    others = [row for row in counts if before is not None and any(row[name] != before[name] for name in _COUNTS)]
    for row in (*moved, *left):
        yield violated(row, f"{step.kind} is about nothing that is open, and this followed", step.input)
    for row in others:
        yield violated(row, f"{step.kind} is about nothing that is open, and the counts are others", step.input)
    if not moved and not left and not others:
        yield holds(step.input, *counts)


def _only_ended(step: Moment) -> Iterator[Part]:
    left = [row for row in step.of("action-lanes") if row["lane"] not in (*DIAGNOSTIC_LANES, "residual-transfers")]
    moved = [row for row in (*step.of("state-trace"), *step.of("budget-trace")) if row.get("role") is not None]
    for row in (*left, *moved):
        yield violated(row, f"{step.kind} is about nothing that is open, and this followed", step.input)
    if not left and not moved:
        yield holds(step.input)


def told_once_and_whole(e: PoolEvidence) -> Iterator[Part]:
    """One diagnostic has the whole fact, on the declared way."""
    for step in moments(e):
        if not step.is_expected:
            yield from told_whole(e, step)


def told_whole(e: PoolEvidence, step: Moment) -> Iterator[Part]:
    """Judges that an event was told once, whole, and on the declared way."""
    rows = step.of("diagnostics")
    if len(rows) != 1 or rows[0]["diagnostic"] != UNEXPECTED:
        gone = absent("diagnostics", f"the unexpected {step.kind}", near=step.input)
        yield violated(rows[0] if rows else gone, f"{step.kind} is told {len(rows)} times", step.input)
    elif not any(_is_whole(step.input, fact) for fact in rows[0]["facts"]):
        yield violated(rows[0], f"not all of {step.kind} is told", step.input)
    elif rows[0]["route"] != declared(e).diagnostics:
        route = declared(e).diagnostics or "custody"
        yield violated(rows[0], f"diagnostics go to {route}, and this one went to {rows[0]['route'] or 'custody'}")
    else:
        yield holds(step.input, rows[0])


def _is_whole(fact: LogRow, told: Mapping[str, Any]) -> bool:
    return all(told.get(name) == value for name, value in fact.data.items() if value is not None and value != [])


def pairs_close(e: PoolEvidence) -> Iterator[Part]:
    """Nobody keeps a stop beside the outcome of its replacement."""
    if restarts_of(e) is None:
        yield nothing(NEVER)
        return
    for row in e.rows("state-trace"):
        outcome = [each for each in row["kept"] if each.startswith("replacement-")]
        stop = [each for each in row["kept"] if each in ("stop", "report-refused")]
        if outcome and stop and row["to"] != "draining-proxy":
            yield violated(row, f"{row['role']} keeps {stop[0]} and {outcome[0]}, which settle each other")
        elif outcome or stop:
            yield holds(row)


# -- queries -------------------------------------------------------------------------------------------------------


def answered_once(e: PoolEvidence) -> Iterator[Part]:
    """A query has one reply in its own event, on its route, and nothing else has any."""
    for step in moments(e):
        rows = step.of("management-replies")
        if step.kind not in QUERIES:
            if rows:
                yield violated(rows[0], f"{step.kind} is no query and is answered", step.input)
        elif len(rows) != 1:
            gone = absent("management-replies", f"the answer to {step.kind}", near=step.input)
            yield violated(rows[-1] if rows else gone, f"{step.kind} has {len(rows)} answers", step.input)
        elif rows[0]["reply"] != step.kind.removeprefix("query-") or rows[0]["route"] != step.input["route"]:
            yield violated(rows[0], f"{step.kind} is answered otherwise", step.input)
        else:
            yield holds(step.input, rows[0])


def queries_change_nothing(e: PoolEvidence) -> Iterator[Part]:
    """A query leaves no row of state, the counts as they were, and no operation but its reply."""
    for step in moments(e, *QUERIES):
        rows = [row for log in STATE for row in step.of(log)]
        rows += [row for row in step.of("action-lanes") if row["lane"] != "management-replies"]
        before = step.before.counts
        rows += [
            row
            for row in step.of("count-trace")
            if before is not None and any(row[name] != before[name] for name in _COUNTS)
        ]
        if rows:
            yield violated(rows[0], f"{step.kind} was to be answered and no more", step.input)
        else:
            yield holds(step.input)


def statuses_are_the_states(e: PoolEvidence) -> Iterator[Part]:
    """A status has every declared role in order, as the state trace has it."""
    for step in moments(e, "query-status"):
        for row in step.of("management-replies"):
            wanted = [shown(step, role) for role in e.pool.roles]
            found = list(zip(row["statuses"], row["proxies"], strict=False))
            if list(row["roles"]) != list(e.pool.roles):
                yield violated(row, "the status does not have the declared roles in their order", step.input)
            elif len(found) != len(wanted):
                yield violated(row, f"the status tells of {len(found)} of {len(wanted)} roles", step.input)
            elif found != wanted:
                place = next(at for at, each in enumerate(wanted) if each != found[at])
                role = e.pool.roles[place]
                yield violated(row, f"{role} is told as {found[place][0]} and is {step.before.phase(role)}", step.input)
            else:
                yield holds(row)


def capabilities_are_the_states(e: PoolEvidence) -> Iterator[Part]:
    """A capability is the proxy of a ready role, else the role's status."""
    for step in moments(e, "query-capability"):
        for row in step.of("management-replies"):
            if row["role"] not in e.pool.roles:
                fits = row["answer"] == "unknown-role" and row["proxy"] is None
            else:
                status, proxy = shown(step, row["role"])
                ready = status == "ready"
                wanted = ("ready", proxy, None) if ready else ("unavailable", None, status)
                fits = (row["answer"], row["proxy"], row["status"]) == wanted
            if fits and row["role"] == step.input["role"]:
                yield holds(row)
            else:
                yield violated(
                    row, f"the answer about {step.input['role']} is not what the state trace has", step.input
                )


def shown(step: Moment, role: str) -> tuple[str, int | None]:
    """What a query may tell of a role: its status, and the proxy of a ready one."""
    phase, within = str(step.before.phase(role)), step.before.within(role)
    if phase == "online":
        return "ready", step.before.cells[role]["proxy"]
    if phase.startswith("recovery-"):
        return "recovering", None
    if phase == "starting":
        waits = within == "waiting-for-authorization"
        return ("waiting-for-activation-authorization" if waits else "awaiting-proxy-outcome"), None
    return _STATUS.get(phase, phase), None


_STATUS: Mapping[str, str] = {
    "creating-proxy-after-exit": "creating-proxy",
    "resolving-proxy-birth": "stopping",
    "draining-proxy": "stopping",
    "drained": "retired",
}
