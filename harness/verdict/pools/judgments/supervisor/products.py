"""One state and one whole product for each input, and the sums of what came in and what left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.parts import Part, holds, violated
from harness.verdict.pools.evidence import PoolEvidence
from harness.verdict.pools.judgments.supervisor.facts import DIAGNOSTIC_LANES, STATE, UNEXPECTED
from harness.verdict.pools.supervisor.book import INPUT_LANES
from harness.verdict.pools.supervisor.evidence import Moment, declared, moments

LANES = (
    "proxy-creations",
    "proxy-creation-observations",
    "proxy-stop-observations",
    "worker-preparations",
    "proxy-install-inputs",
    "proxy-replacement-inputs",
    "proxy-shutdowns",
    "restart-schedules",
    "deadline-schedules",
    "lifecycle-events",
    "management-replies",
    "diagnostic-deliveries",
    "terminal-diagnostics",
    "delivery-rejections",
    "residual-transfers",
)
"""All lanes, in the order in which their operations leave."""


def not_silent(e: PoolEvidence) -> Iterator[Part]:
    """Something changes or leaves, unless a shutdown is repeated or a delivery has arrived."""
    for step in moments(e):
        followed = [*step.of("action-lanes"), *(row for log in STATE for row in step.of(log))]
        if followed:
            yield holds(step.input, followed[0])
        elif step.kind == "delivery-settled" and step.input["word"] == "accepted" and step.is_expected:
            yield holds(step.input)
        elif step.kind != "shutdown" or step.before.mode != "draining":
            yield violated(step.input, f"{step.kind} passed without a word")


def lanes_in_order(e: PoolEvidence) -> Iterator[Part]:
    """Lanes are known, and in their order."""
    for step in moments(e):
        rows = step.of("action-lanes")
        unknown = [row for row in rows if row["lane"] not in LANES]
        places = [LANES.index(row["lane"]) for row in rows if row["lane"] in LANES]
        if unknown:
            yield violated(unknown[0], f"there is no lane {unknown[0]['lane']}")
        elif places != sorted(places) or [row["place"] for row in rows] != list(range(1, len(rows) + 1)):
            yield violated(rows[0], "the operations of this event do not leave in the order of the lanes", *rows[1:])
        elif rows:
            yield holds(*rows)


def logs_are_the_product(e: PoolEvidence) -> Iterator[Part]:
    """What the logs tell has left by an operation, and what left is told."""
    for step in moments(e):
        told, left = Counter(_told(step)), Counter(_left(step))
        if told != left:
            wrong = min((told - left) + (left - told))
            yield violated(step.input, f"operations and logs of this event disagree about {' '.join(wrong)}")
        elif told:
            yield holds(step.input, *step.of("action-lanes"))


def _told(step: Moment) -> Iterator[tuple[str, ...]]:
    for row in step.of("lifecycle-events"):
        yield "event", str(row["role"]), str(row["route"])
    for row in step.of("management-replies"):
        yield "reply", str(row["route"])
    for row in step.of("diagnostics"):
        yield "diagnostic", str(row["route"])
    for row in step.of("residual-transfers"):
        yield row["lane"], str(row["role"])


def _left(step: Moment) -> Iterator[tuple[str, ...]]:
    for row in step.lane("lifecycle-events"):
        yield "event", str(row["role"]), str(row["route"])
    for row in step.lane("management-replies"):
        yield "reply", str(row["route"])
    for row in step.of("action-lanes", lane=DIAGNOSTIC_LANES):
        yield "diagnostic", str(row["route"])
    for row in step.of("action-lanes", lane=("residual-transfers", "delivery-rejections")):
        yield row["lane"], str(row["role"])


# -- what is held --------------------------------------------------------------------------------------------------


def inputs_add_up(e: PoolEvidence) -> Iterator[Part]:
    """For each role, the inputs that came in and did not leave are as many as those that it holds."""
    for step in moments(e):
        held = Counter(each.role for each in step.after.inputs)
        owed = {role: count for role, count in step.book_after.unissued.items() if count}
        wrong = [role for role in e.pool.roles if held[role] != owed.get(role, 0)]
        if wrong:
            role = wrong[0]
            yield violated(
                step.input, f"{role} holds {held[role]} workers to come, and {owed.get(role, 0)} did not leave"
            )
        elif held:
            yield holds(step.input, *step.of("ownership-ledger"))


def inputs_leave_as_held(e: PoolEvidence) -> Iterator[Part]:
    """An operation has a ticket and a definition that its role held, or took in this very event."""
    for step in moments(e):
        for row in step.of("action-lanes", lane=INPUT_LANES):
            role = step.told.role_of(row["proxy"])
            gone = [
                each
                for each in step.before.inputs
                if (each.role, each.ticket, each.definition) == (role, row["ticket"], row["definition"])
            ]
            kept = [each for each in step.after.inputs if each.role == role and each.ticket == row["ticket"]]
            if kept:
                yield violated(row, f"operation {row['ticket']} has left, and {role} still holds it")
            elif not gone and step.kind != "workers-prepared":
                yield violated(row, f"operation {row['ticket']} leaves, and {role} did not hold it", step.input)
            else:
                yield holds(row)


def every_role_is_somewhere(e: PoolEvidence) -> Iterator[Part]:
    """Each declared role is one member; whoever recovers is in one recovery, and nobody else is in any."""
    for step in moments(e):
        if step.after.mode != "operating":
            continue
        wrong = [role for role in e.pool.roles if not _is_placed(step, role)]
        if wrong:
            row = step.after.cells.get(wrong[0])
            yield violated(step.input, f"{wrong[0]} is {step.after.phase(wrong[0])}", *(() if row is None else (row,)))
        else:
            yield holds(step.input)


def _is_placed(step: Moment, role: str) -> bool:
    phase = step.after.phase(role)
    if phase in (None, "absent"):
        return False
    teams = [row for row in step.after.teams.values() if row["recovery"] is not None and role in row["roles"]]
    recovers = str(phase).startswith("recovery-")
    return len(teams) == int(recovers) and (not recovers or teams[0]["recovery"] == step.after.cells[role]["recovery"])


# -- stops ---------------------------------------------------------------------------------------------------------


def stops_are_told(e: PoolEvidence) -> Iterator[Part]:
    """A stop that was taken is kept by its role, or is told in an event, a denial or a hand-over, and never twice."""
    omitted = declared(e).lifecycle is None
    for step in moments(e):
        if step.before.mode != "operating":
            continue
        for role, worker in _stops(step):
            told = [
                *step.of("lifecycle-events", event="worker-stopped", role=role),
                *(row for row in step.of("diagnostics") if _tells(row, role, worker)),
                *(row for row in step.of("residual-transfers") if worker in row["stops"]),
            ]
            keeps = "stop" in step.after.kept(role)
            if keeps and told:
                yield violated(told[0], f"the stop of {role} is told and kept as well", step.input)
            elif keeps or told:
                yield holds(step.input, *told)
            elif not (omitted and _is_discharged(step, role)):
                yield violated(
                    step.input, f"the stop of worker {worker} of {role} is kept by nobody and told to nobody"
                )


def _stops(step: Moment) -> Iterator[tuple[str, int]]:
    """The roles that keep a stop before the event, or take one with it, with the worker that stopped."""
    for role, row in step.before.cells.items():
        if "stop" in row["kept"]:
            yield role, row["worker"]
    taken = step.kind == "worker-stopped" and step.is_expected and not step.of("diagnostics", diagnostic=UNEXPECTED)
    if taken and step.role is not None:
        yield step.role, step.input["worker"]


def _tells(row: LogRow, role: str, worker: int) -> bool:
    own = [fact for fact in row["facts"] if fact.get("input") == "stop" and fact.get("worker") == worker]
    return row["role"] == role and bool(own)


def _is_discharged(step: Moment, role: str) -> bool:
    """Where no events are built: a stop that led to nothing, or whose replacement is ready."""
    phase = step.after.phase(role)
    return phase == "online" or (phase == "empty" and step.after.within(role) == "ineligible")
