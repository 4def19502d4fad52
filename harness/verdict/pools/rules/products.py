"""One state and one product for each input, in whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from harness.verdict.parts import Part, absent, holds, violated
from harness.verdict.pools.evidence import PoolEvidence, Step
from harness.verdict.pools.rules.late import DIAGNOSTIC_LANES
from harness.verdict.pools.rules.shutdowns import ASSIGNMENTS

LANES = (
    "worker-creations",
    "worker-creation-observations",
    "worker-stop-observations",
    "worker-preparations",
    "activation-begins",
    "activation-cancellations",
    "management-deliveries",
    "admission-deliveries",
    "terminal-customer-deliveries",
    "worker-assignments",
    "role-assignments",
    "worker-shutdowns",
    "restart-schedules",
    "deadline-schedules",
    *DIAGNOSTIC_LANES,
    "forced-drain-transfers",
)
"""All lanes of all laws, in the order in which their operations leave; of some lanes a law has one or the other."""


def one_state(e: PoolEvidence) -> Iterator[Part]:
    """One row of counts, and no member twice."""
    for step in e.steps():
        counts = step.of("count-trace")
        members = Counter(row["role"] for row in step.of("state-trace"))
        doubled = next((role for role, count in members.items() if count > 1), "")
        if len(counts) != 1:
            yield violated(step.input, f"the event has {len(counts)} rows of counts", *counts)
        elif doubled != "":
            yield violated(counts[0], f"{doubled or 'the pool'} has {members[doubled]} next states")
        else:
            yield holds(step.input, counts[0])


def not_silent(e: PoolEvidence) -> Iterator[Part]:
    """Something changes or leaves, unless a shutdown is repeated."""
    for step in e.steps():
        followed = [*step.of("action-lanes"), *step.of("state-trace"), *step.of("ownership-ledger")]
        if followed:
            yield holds(step.input, followed[0])
        elif step.kind != "shutdown" or step.before.mode != "draining":
            yield violated(step.input, f"{step.kind} passed without a word")


def lanes_in_order(e: PoolEvidence) -> Iterator[Part]:
    """Lanes are known, and in their order."""
    for step in e.steps():
        rows = step.of("action-lanes")
        unknown = [row for row in rows if row["lane"] not in LANES]
        places = [LANES.index(row["lane"]) for row in rows if row["lane"] in LANES]
        if unknown:
            yield violated(unknown[0], f"there is no lane {unknown[0]['lane']}")
        elif places != sorted(places) or [row["place"] for row in rows] != list(range(1, len(rows) + 1)):
            yield violated(rows[0], "the operations of this event do not leave in the order of the lanes", *rows[1:])
        elif rows:
            yield holds(*rows)


def one_admission(e: PoolEvidence) -> Iterator[Part]:
    """A submission is answered once and in its event, and nothing else is."""
    for step in e.steps():
        rows = step.of("admission-outcomes")
        if step.kind != "submit":
            if rows:
                yield violated(rows[0], f"{step.kind} is no submission and is answered as one", step.input)
            continue
        if not rows:
            gone = absent("admission-outcomes", f"the answer to request {step.input['request']}", near=step.input)
            yield violated(gone, f"request {step.input['request']} has no answer", step.input)
        elif len(rows) > 1 or rows[0]["request"] != step.input["request"]:
            yield violated(rows[-1], f"request {step.input['request']} is answered otherwise", step.input)
        else:
            yield holds(step.input, rows[0])


def logs_are_the_product(e: PoolEvidence) -> Iterator[Part]:
    """What the logs tell has left by an operation, and what left is told."""
    for step in e.steps():
        told, left = _told(step), _left(step)
        if told != left:
            wrong = min((told - left) + (left - told))
            yield violated(step.input, f"operations and logs of this event disagree about {' '.join(wrong)}")
        elif told:
            yield holds(step.input, *step.of("action-lanes"))


def _told(step: Step) -> Counter[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [
        ("admission", str(row["request"]), str(row["job"])) for row in step.of("admission-outcomes")
    ]
    rows += [("outcome of job", str(row["job"])) for row in step.outcomes()]
    rows += [("assignment", str(row["assignment"]), str(row["job"])) for row in step.dispatches()]
    rows += [("diagnostic", str(row["route"])) for row in step.of("diagnostics")]
    return Counter(rows)


def _left(step: Step) -> Counter[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [
        ("admission", str(row["request"]), str(row["job"])) for row in step.lane("admission-deliveries")
    ]
    rows += [("outcome of job", str(row["job"])) for row in step.lane("terminal-customer-deliveries")]
    rows += [("assignment", str(row["assignment"]), str(row["job"])) for lane in ASSIGNMENTS for row in step.lane(lane)]
    rows += [("diagnostic", str(row["route"])) for lane in DIAGNOSTIC_LANES for row in step.lane(lane)]
    return Counter(rows)
