"""The two tables of a pool law: what a mode does with a fact about the pool, what a phase does with one about a worker.

The cells are those of the law, with what it leaves open decided: a quarantined member waits for its exit and the answer
to its shutdown, a recovering one for the worker source or its timer, and a completion after a stop is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from harness.verdict.parts import Part, absent, holds, violated
from harness.verdict.pools.evidence import PoolEvidence, Step
from harness.verdict.pools.rules.late import told_whole, unchanged
from harness.verdict.pools.standing import OVER

BIRTH = ("birth-committed", "birth-rejected")
INIT = ("init-ready", "init-rejected", "init-stopped")
ACTIVATION = ("begin-accepted", "begin-rejected")
READY = ("worker-ready",)
STOP = ("worker-stopped",)
ASSIGNMENT = ("delivery-accepted", "delivery-rejected")
COMPLETION = ("worker-completed",)
SOURCE = ("source-prepared", "source-partial", "source-rejected")
SCHEDULE = ("schedule-accepted", "schedule-rejected")
TIMER = ("timer-elapsed",)
ASKED = ("shutdown-accepted", "shutdown-rejected")

TAKES: Mapping[str, tuple[str, ...]] = {
    "creating": (*BIRTH, *STOP),
    "initializing": (*INIT, *STOP),
    "waiting-authorization": STOP,
    "activation-dispatched": (*ACTIVATION, *STOP),
    "activating": (*READY, *STOP),
    "draining-pre-ready": (*INIT, *ACTIVATION, *READY, *STOP, *ASKED),
    "idle": STOP,
    "busy-awaiting-both": (*STOP, *ASSIGNMENT, *COMPLETION),
    "busy-completion-first": (*STOP, *ASSIGNMENT),
    "busy-stop-first": (*ASSIGNMENT, *COMPLETION),
    "busy-delivered": (*STOP, *COMPLETION),
    "quarantined": (*STOP, *ASKED),
    "recovering": (*SOURCE, *SCHEDULE, *TIMER),
    "stopping": (*INIT, *ACTIVATION, *READY, *STOP, *ASSIGNMENT, *ASKED),
    "retired": (),
    "resolving-creation": (*BIRTH, *STOP),
    "worker": (*INIT, *ACTIVATION, *READY, *STOP, *ASSIGNMENT, *ASKED),
    "awaiting-worker-preparation": SOURCE,
    "awaiting-restart-schedule": SCHEDULE,
    "drained": (),
}
"""By phase of a member, the facts about its worker that it takes when they fit in every number."""

_DEADLINE = ("deadline-accepted", "deadline-rejected", "deadline-elapsed")


def modes_decide(e: PoolEvidence) -> Iterator[Part]:
    """Facts about the pool as a whole."""
    for step in e.steps("submit", "shutdown", *_DEADLINE):
        if step.kind == "submit":
            yield from _submission(step)
        elif step.kind == "shutdown":
            yield from _shutdown(step)
        elif step.is_expected and step.before.mode == "draining":
            moved = step.of("state-trace", role=None)
            if moved:
                yield holds(step.input, *moved)
            else:
                yield violated(step.input, "the drain timer's fact fits, and the drain is as it was")
        else:
            yield from unchanged(step)
            yield from told_whole(e, step)


def _submission(step: Step) -> Iterator[Part]:
    closed = step.before.mode == "draining"
    for row in step.of("admission-outcomes"):
        if (row["reason"] == "shutting-down") == closed:
            yield holds(step.input, row)
        else:
            told = row["reason"] or "accepted"
            yield violated(row, f"the pool is {step.before.mode} and the submission is told {told}", step.input)


def _shutdown(step: Step) -> Iterator[Part]:
    modes = step.of("state-trace", role=None)
    if step.before.mode == "draining":
        followed = [row for row in step.rows if row.log not in ("input-log", "count-trace")]
        if followed:
            yield violated(followed[0], "a repeated shutdown is not without effect", step.input)
        else:
            yield holds(step.input)
    elif modes and step.after.mode != "operating":
        yield holds(step.input, *modes)
    else:
        yield violated(step.input, "a shutdown leaves the pool open")


def members_take(e: PoolEvidence) -> Iterator[Part]:
    """A fact that fits and that the phase takes changes the member."""
    yield from taking(e, TAKES)


def taking(e: PoolEvidence, takes: Mapping[str, tuple[str, ...]]) -> Iterator[Part]:
    """Judges what phases take, by a law's own table."""
    for step, role, phase in _member_facts(e):
        if not step.is_expected or step.kind not in takes[phase]:
            continue
        rows = [row for row in step.of("state-trace") if row["role"] in (role, None)]
        if rows:
            yield holds(step.input, *rows)
        else:
            gone = absent("state-trace", f"a change of {role}", near=step.input)
            yield violated(gone, f"{role} is {phase}, {step.kind} fits, and {role} is as it was", step.input)


def members_refuse(e: PoolEvidence) -> Iterator[Part]:
    """A fact that the phase does not take changes nothing, and is told."""
    yield from refusing(e, TAKES)


def refusing(e: PoolEvidence, takes: Mapping[str, tuple[str, ...]]) -> Iterator[Part]:
    """Judges what phases refuse, by a law's own table."""
    for step, _, phase in _member_facts(e):
        if step.kind not in takes[phase]:
            yield from unchanged(step)
            yield from told_whole(e, step)


def _member_facts(e: PoolEvidence) -> Iterator[tuple[Step, str, str]]:
    """Events about a member: with its role and its phase before."""
    kinds = {kind for taken in TAKES.values() for kind in taken}
    for step in e.steps(*sorted(kinds)):
        role = step.input["role"]
        if role is None:
            worker = step.book.workers.get(step.input["worker"])
            role = None if worker is None else worker.role
        phase = None if role is None else step.before.phase(role)
        if phase in TAKES:
            yield step, str(role), str(phase)


def over_is_over(e: PoolEvidence) -> Iterator[Part]:
    """Nothing is taken in once the pool has stopped or was retired by force."""
    for world in e.worlds:
        for step in world.steps:
            if step.before.mode not in OVER:
                continue
            last = next((each.rows[-1] for each in reversed(world.steps[: step.place]) if each.rows), None)
            if step.rows or not step.is_refused:
                row = step.rows[0] if step.rows else absent("input-log", "a refusal", near=last)
                yield violated(row, f"the pool is {step.before.mode} and takes {step.sent.event['kind']} in")
            else:
                yield holds(absent("input-log", f"an input after the pool was {step.before.mode}", near=last))
