"""Recoveries: chosen from one snapshot, admitted whole or not at all, each role in one of them."""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.pools.supervisor.definition import Restarts
from harness.run.recording import LogRow
from harness.verdict.parts import Part, holds, nothing, violated
from harness.verdict.pools.evidence import PoolEvidence
from harness.verdict.pools.judgments.supervisor.operations import NEVER
from harness.verdict.pools.supervisor.evidence import Moment, declared, moments

DENIALS = ("recovery-denied", "worker-preparation-failed")


def restarts_of(e: PoolEvidence) -> Restarts | None:
    """How roles come back, None where none does."""
    recovery = declared(e).recovery
    return None if recovery is None else recovery.restarts


def chosen_by_strategy(e: PoolEvidence) -> Iterator[Part]:
    """Workers are asked for the roles that the strategy wants, and a recovery is admitted with exactly these."""
    restarts = restarts_of(e)
    if restarts is None:
        yield nothing(NEVER)
        return
    for step in moments(e):
        for row in step.of("recovery-trace", change="asked"):
            if row["trigger"] not in e.pool.roles:
                yield violated(row, f"a recovery is asked for {row['trigger']}, which is no declared role")
                continue
            wanted = _wanted(e, step, restarts.strategy, row["trigger"])
            if list(row["roles"]) == wanted:
                yield holds(row)
            else:
                told = ", ".join(row["roles"])
                yield violated(row, f"{row['trigger']} wants {', '.join(wanted)} replaced, and asked for are {told}")
        for row in step.of("recovery-trace", change="admitted"):
            asked = step.book.preparing.get(step.input["preparation"], ())
            if tuple(row["roles"]) == asked and not step.told.preparing.get(step.input["preparation"]):
                yield holds(step.input, row)
            else:
                told = ", ".join(row["roles"])
                yield violated(row, f"workers were made for {', '.join(asked)}, and admitted are {told}", step.input)


def _wanted(e: PoolEvidence, step: Moment, strategy: str, trigger: str) -> list[str]:
    """The roles that a strategy wants: all that are not over, in their order."""
    if strategy == "one-for-one":
        return [trigger]
    roles = e.pool.roles[e.pool.roles.index(trigger) :] if strategy == "rest-for-one" else e.pool.roles
    return [role for role in roles if role == trigger or not _is_over(step, role)]


def _is_over(step: Moment, role: str) -> bool:
    phase = step.after.phase(role)
    return phase in ("stopping", "retired") or (phase == "empty" and not step.after.kept(role))


def charged_with_admission(e: PoolEvidence) -> Iterator[Part]:
    """An admission charges its roles and counts one recovery of its trigger; nothing else charges or counts."""
    if restarts_of(e) is None:
        yield nothing(NEVER)
        return
    for step in moments(e):
        admitted, rows = step.of("recovery-trace", change="admitted"), step.of("budget-trace")
        if step.before.mode != "operating":
            continue
        if len(admitted) != len(rows):
            shown = [*rows, *admitted]
            yield violated(
                shown[0], f"{len(admitted)} recoveries are admitted, and {len(rows)} charges made", step.input
            )
        for team, row in zip(admitted, rows, strict=False):
            yield from _charge(e, step, team, row)


def _charge(e: PoolEvidence, step: Moment, team: LogRow, row: LogRow) -> Iterator[Part]:
    before = step.before.budget
    had = [0] * len(e.pool.roles) if before is None else before["recoveries"]
    counted = [now - was for was, now in zip(had, row["recoveries"], strict=False)]
    wanted = [int(role == team["trigger"]) for role in e.pool.roles]
    if not row["replacements"] or row["replacements"][-1] != len(team["roles"]):
        yield violated(row, f"a recovery of {len(team['roles'])} is charged otherwise", team)
    elif counted != wanted:
        yield violated(row, f"the recovery of {team['trigger']} is counted otherwise", team)
    else:
        yield holds(team, row)


def failure_touches_nobody_else(e: PoolEvidence) -> Iterator[Part]:
    """A recovery that is denied, or has no workers, charges nothing and leaves the others as they are."""
    if restarts_of(e) is None:
        yield nothing(NEVER)
        return
    for step in moments(e):
        for told in step.of("diagnostics", diagnostic=DENIALS):
            charged = step.of("budget-trace")
            if charged:
                yield violated(charged[0], "a recovery that is not to be is charged", told)
            if step.after.mode != "operating":
                continue
            fails = {row["role"] for row in step.of("diagnostics", diagnostic=DENIALS)}
            moved = [row for row in step.of("state-trace") if _is_peer(step, row, fails)]
            if moved:
                yield violated(
                    moved[0], f"the recovery of {told['role']} is not to be, and {moved[0]['role']} changes", told
                )
            elif not charged:
                yield holds(told)


def _is_peer(step: Moment, row: LogRow, fails: set[str]) -> bool:
    """Whether a row is about a role that had not stopped, and whose place in the order of activations is no reason."""
    role = row["role"]
    if role is None or role in fails or role == step.role:
        return False
    issued = row["to"] == row["from"] == "starting"
    return step.before.phase(role) != "empty" and not issued


def within_the_budget(e: PoolEvidence) -> Iterator[Part]:
    """Replacements within the window are never more than the maximum."""
    restarts = restarts_of(e)
    if restarts is None:
        yield nothing(NEVER)
        return
    most, window = restarts.budget.restarts, restarts.budget.window
    for row in e.rows("budget-trace"):
        last = row["times"][-1] if row["times"] else 0
        pairs = zip(row["times"], row["replacements"], strict=False)
        charged = sum(count for at, count in pairs if last - at <= window)
        if charged > most:
            yield violated(row, f"{charged} replacements are charged, and {most} is the most there may be")
        elif charged:
            yield holds(row)


def counted_within_the_budget(e: PoolEvidence) -> Iterator[Part]:
    """So say the counts."""
    restarts = restarts_of(e)
    if restarts is None:
        yield nothing(NEVER)
        return
    for row in e.rows("count-trace"):
        if row["charged"] > restarts.budget.restarts:
            yield violated(
                row, f"{row['charged']} are charged, and {restarts.budget.restarts} is the most there may be"
            )
        elif row["charged"]:
            yield holds(row)


def recoveries_are_disjoint(e: PoolEvidence) -> Iterator[Part]:
    """No role is in two recoveries, admitted or asked for."""
    if restarts_of(e) is None:
        yield nothing(NEVER)
        return
    for step in moments(e):
        seen: dict[str, LogRow] = {}
        doubled = False
        for row in step.after.teams.values():
            for role in row["roles"]:
                first = seen.setdefault(role, row)
                if first is not row:
                    doubled = True
                    yield violated(step.input, f"{role} is in two recoveries", first, row)
        if seen and not doubled:
            yield holds(step.input)


def asked_for_once(e: PoolEvidence) -> Iterator[Part]:
    """Nobody is asked for again while its workers are being prepared or its recovery goes on."""
    if restarts_of(e) is None:
        yield nothing(NEVER)
        return
    for step in moments(e):
        for row, book in step.leaving():
            if row["lane"] != "worker-preparations":
                continue
            busy = {role for names in book.preparing.values() for role in names}
            again = [role for role in row["roles"] if role in busy or _recovers(step, role)]
            if again:
                yield violated(row, f"a worker of {again[0]} is asked for, and one is on its way already", step.input)
            else:
                yield holds(row)


def _recovers(step: Moment, role: str) -> bool:
    return str(step.before.phase(role)).startswith("recovery-") and str(step.after.phase(role)).startswith("recovery-")


def unused_workers_go_back(e: PoolEvidence) -> Iterator[Part]:
    """Workers that were made for a recovery that is denied go back, each for its role."""
    if restarts_of(e) is None:
        yield nothing(NEVER)
        return
    for step in moments(e, "workers-prepared"):
        for told in step.of("diagnostics", diagnostic="recovery-denied"):
            if told["role"] not in step.input["roles"]:
                continue
            back = [role for row in step.of("residual-transfers") for role in row["roles"]]
            missing = [role for role in step.input["roles"] if role not in back]
            if missing and not _reopened(step, told):
                yield violated(told, f"the worker made for {missing[0]} is not used and goes nowhere", step.input)
            elif not missing:
                yield holds(told, *step.of("residual-transfers"))


def _reopened(step: Moment, told: LogRow) -> bool:
    """Whether the denial is about a stop that was decided anew, and not about the workers that came."""
    rows = step.of("diagnostics", diagnostic="recovery-denied")
    return bool(rows) and rows[0] is not told
