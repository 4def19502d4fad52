"""Proxies, their one outcome, and what counts as ready."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.parts import Part, holds, nothing, violated
from harness.verdict.pools.evidence import PoolEvidence
from harness.verdict.pools.rules import roster
from harness.verdict.pools.supervisor.evidence import Moment, declared, moments

OMITTED = "no lifecycle events of this supervisor are published"
RECOVERING = "recovery-"


def created_in_order(e: PoolEvidence) -> Iterator[Part]:
    """The first event creates each role's proxy, in order, and has each creation observed."""
    for step in moments(e, "initialize"):
        if step.before.mode != "constructed":
            continue
        made = step.lane("proxy-creations")
        numbers = [row["reservation"] for row in made]
        watched = [row["reservation"] for row in step.lane("proxy-creation-observations")]
        ends = [row["reservation"] for row in step.lane("proxy-stop-observations")]
        if [row["role"] for row in made] != list(e.pool.roles):
            told = ", ".join(str(row["role"]) for row in made) or "none"
            yield violated(
                step.input, f"declared are {', '.join(e.pool.roles)}, and the proxies made are {told}", *made
            )
        elif Counter(watched) != Counter((*numbers, *numbers)) or Counter(ends) != Counter(numbers):
            yield violated(step.input, "not every creation is observed in its own event", *made)
        else:
            yield holds(*made)


def keeps_its_roster(e: PoolEvidence) -> Iterator[Part]:
    """Every row about a member names the place of its role, and no role is without a member."""
    for row in e.rows("state-trace", to="absent"):
        yield violated(row, f"{row['role']} has no member any more")
    yield from roster.keeps_places(e)


def created_once(e: PoolEvidence) -> Iterator[Part]:
    """No role gets a second proxy."""
    first: dict[tuple[int, str], LogRow] = {}
    for step in moments(e):
        for row in step.lane("proxy-creations"):
            earlier = first.setdefault((row.world, row["role"]), row)
            if earlier is not row:
                yield violated(row, f"a second proxy is made for {row['role']}", earlier)
            elif step.kind != "initialize":
                yield violated(row, f"a proxy is made for {row['role']} after the beginning", step.input)
            else:
                yield holds(row)


def proxies_are_own(e: PoolEvidence) -> Iterator[Part]:
    """Whoever has a proxy has the one that its own creation became."""
    for step in moments(e):
        for row in step.of("state-trace"):
            if row["proxy"] is None:
                continue
            owner = step.told.alive.get(row["proxy"], row["role"] if step.input["proxy"] == row["proxy"] else None)
            if owner is None and row["to"] == "stopping":
                owner = row["role"]
            if owner == row["role"]:
                yield holds(row)
            else:
                yield violated(row, f"{row['role']} has proxy {row['proxy']}, which is that of {owner or 'nobody'}")


def proxies_are_apart(e: PoolEvidence) -> Iterator[Part]:
    """After each event no two roles have one proxy, or one birth on its way."""
    for step in moments(e):
        seen: dict[int, LogRow] = {}
        for row in step.after.cells.values():
            number = row["proxy"] if row["reservation"] is None else row["reservation"]
            if number is None:
                continue
            first = seen.setdefault(number, row)
            if first is not row:
                yield violated(step.input, f"{first['role']} and {row['role']} share proxy {number}", first, row)
        if seen:
            yield holds(step.input)


def only_proxies_show(e: PoolEvidence) -> Iterator[Part]:
    """Events and replies show the role's own proxy, and no worker."""
    for step in moments(e):
        for row in step.of("lifecycle-events"):
            wants = row["event"] in ("started", "restarted")
            if row["worker"] is not None:
                yield violated(row, f"the event {row['event']} shows worker {row['worker']}")
            elif wants and step.told.role_of(row["proxy"]) != row["role"]:
                yield violated(row, f"the event {row['event']} of {row['role']} does not show its proxy")
            else:
                yield holds(row)
        for row in step.of("management-replies"):
            yield from _shown(step, row)


def _shown(step: Moment, row: LogRow) -> Iterator[Part]:
    pairs = [*zip(row["roles"], row["proxies"], strict=False), (row["role"], row["proxy"])]
    wrong = [role for role, proxy in pairs if proxy is not None and step.told.role_of(proxy) != role]
    if wrong:
        yield violated(row, f"the reply shows a proxy that is not that of {wrong[0]}", step.input)
    else:
        yield holds(row)


# -- outcomes ------------------------------------------------------------------------------------------------------


def readiness_is_an_outcome(e: PoolEvidence) -> Iterator[Part]:
    """A role becomes online by the outcome of its proxy, or by the stop that an outcome waited for."""
    for step in moments(e):
        for row in step.of("state-trace", to="online"):
            if row["from"] in ("recovery-waiting", "recovery-awaiting-initial"):
                continue  # a recovery that is not to be leaves whoever was online so
            made = ("initial-ready", "replacement-ready", "worker-stopped", "stop-report-refused")
            if step.kind in made and step.input["proxy"] == row["proxy"] and step.is_expected:
                yield holds(step.input, row)
            else:
                yield violated(
                    row, f"{row['role']} is online by {step.kind}, which is no outcome of its proxy", step.input
                )


def first_outcomes_decide(e: PoolEvidence) -> Iterator[Part]:
    """A first outcome is taken as it comes."""
    for step in moments(e, "initial-ready", "initial-failed"):
        role = step.role
        if role is None or not step.is_expected or step.before.mode != "operating" or step.after.mode != "operating":
            continue
        phase, worker = step.after.phase(role), step.after.cells[role]["worker"]
        if step.kind == "initial-ready":
            fits = (phase == "online" or str(phase).startswith(RECOVERING)) and worker == step.input["worker"]
        else:
            fits = phase in ("stopping", "retired")
        if fits:
            yield holds(step.input, step.after.cells[role])
        else:
            yield violated(step.input, f"{step.kind} came for {role}, which is {phase}", step.after.cells[role])


def replacements_join(e: PoolEvidence) -> Iterator[Part]:
    """A replacement's outcome waits for the stop, and with both the replacement is decided in that event."""
    for step in moments(e, "replacement-ready", "replacement-failed", "worker-stopped", "stop-report-refused"):
        role = step.role
        if role is None or not step.is_expected or step.before.mode != "operating" or step.after.mode != "operating":
            continue
        service = step.book.serving.get(step.input["proxy"])
        if service is None:
            continue
        outcome = step.input if step.kind.startswith("replacement-") else service.successor or service.failed
        stopped = service.stop is not None or not step.kind.startswith("replacement-")
        if outcome is None:
            continue
        phase = step.after.phase(role)
        if not stopped:
            wanted: tuple[str, ...] = ("recovery-needs-stop",)
        else:
            wanted = ("online",) if outcome["input"] == "replacement-ready" else ("stopping", "retired")
        if phase in wanted:
            yield holds(step.input, step.after.cells[role])
        else:
            known = "known" if stopped else "not known"
            told = f"{outcome['input']} is here and the stop is {known}, and {role} is {phase}"
            yield violated(step.input, told, step.after.cells[role])


# -- ready ---------------------------------------------------------------------------------------------------------


def online_by_report(e: PoolEvidence) -> Iterator[Part]:
    """Whoever is online has the worker that its proxy reported, with its predecessor known to have ended."""
    for step in moments(e):
        for row in step.of("state-trace", to="online"):
            service = step.book_after.serving.get(row["proxy"])
            if service is None or service.worker != row["worker"]:
                yield violated(
                    row, f"{row['role']} is online with worker {row['worker']}, which was not reported ready"
                )
            elif service.successor is not None:
                yield violated(
                    row, f"{row['role']} is online, and the stop before that is not known", service.successor
                )
            elif service.stop is not None:
                yield violated(row, f"{row['role']} is online, and its worker has ended", service.stop)
            else:
                yield holds(service.ready, row)


def starts_are_told_when_ready(e: PoolEvidence) -> Iterator[Part]:
    """A start is told with the first outcome, a restart with the last of a replacement's outcome and stop."""
    if declared(e).lifecycle is None:
        yield nothing(OMITTED)
    for step in moments(e):
        for row in step.of("lifecycle-events", event=("started", "restarted")):
            first = row["event"] == "started"
            fits = (step.kind == "initial-ready") == first and step.is_expected
            if fits and step.role == row["role"] and step.told.is_ready(step.input["proxy"]):
                yield holds(step.input, row)
            else:
                yield violated(row, f"{row['role']} is told as {row['event']} with {step.kind}", step.input)


def restarts_follow_stops(e: PoolEvidence) -> Iterator[Part]:
    """The stop is told before its restart, of the same recovery."""
    if declared(e).lifecycle is None:
        yield nothing(OMITTED)
    for step in moments(e):
        rows = step.of("lifecycle-events")
        for place, row in enumerate(rows):
            if row["event"] != "restarted":
                continue
            service = step.book.serving.get(row["proxy"])
            stop = step.input if service is not None and service.stop is None else service.stop if service else None
            if stop is None or stop["input"] != "worker-stopped":
                continue
            told = rows[place - 1] if place else None
            if told is None or told["event"] != "worker-stopped" or told["role"] != row["role"]:
                yield violated(row, f"{row['role']} is told as restarted, and its stop is not told before", stop)
            elif (told["recovery"], told["disposition"]) != (row["recovery"], "admitted"):
                yield violated(told, "the stop is told of another recovery than the restart behind it", row)
            else:
                yield holds(told, row)


def replies_call_ready(e: PoolEvidence) -> Iterator[Part]:
    """A role that a reply calls ready has a worker that its proxy reported and that is not known to have ended."""
    for step in moments(e, "query-status", "query-capability"):
        for row in step.of("management-replies"):
            said = [*zip(row["roles"], row["statuses"], row["proxies"], strict=False)]
            if row["answer"] == "ready":
                said.append((row["role"], "ready", row["proxy"]))
            ready = [(role, proxy) for role, status, proxy in said if status == "ready"]
            wrong = [role for role, proxy in ready if not step.book.is_ready(proxy)]
            if wrong:
                yield violated(row, f"{wrong[0]} is called ready, and no worker behind its proxy is", step.input)
            elif ready:
                yield holds(row)
