"""The tables of the law: what a mode does with facts about the supervisor, and a phase with facts about its proxy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from harness.verdict.parts import Part, absent, holds, violated
from harness.verdict.pools.evidence import PoolEvidence
from harness.verdict.pools.judgments.supervisor.facts import told_whole, unchanged
from harness.verdict.pools.supervisor.evidence import Moment, moment_of, moments
from harness.verdict.pools.supervisor.standing import OVER

BIRTH = ("proxy-committed", "proxy-fold-rejected", "proxy-host-rejected")
EARLY = ("exit-before-birth",)
EXIT = ("exit-after-birth",)
INPUT = ("input-accepted", "input-rejected")
INITIAL = ("initial-ready", "initial-failed")
REPLACEMENT = ("replacement-ready", "replacement-failed")
STOP = ("worker-stopped",)
LOST = ("stop-report-refused",)
CALL = ("unavailable",)
TOLD = ("shutdown-accepted", "shutdown-rejected")
KINDS = (*BIRTH, *EARLY, *EXIT, *INPUT, *INITIAL, *REPLACEMENT, *STOP, *LOST, *CALL, *TOLD)

_ALWAYS = (*EXIT, *CALL)
TAKES: Mapping[str, tuple[str, ...]] = {
    "creating-proxy": (*BIRTH, *EARLY),
    "creating-proxy-after-exit": BIRTH,
    "starting/waiting-for-authorization": _ALWAYS,
    "starting/dispatched": (*_ALWAYS, *INPUT),
    "starting/awaiting-outcome": (*_ALWAYS, *INITIAL),
    "online": (*_ALWAYS, *STOP),
    "empty": _ALWAYS,
    "recovery-awaiting-initial/waiting-for-authorization": _ALWAYS,
    "recovery-awaiting-initial/dispatched": (*_ALWAYS, *INPUT),
    "recovery-awaiting-initial/awaiting-outcome": (*_ALWAYS, *INITIAL),
    "recovery-waiting": (*_ALWAYS, *STOP),
    "recovery-needs-receipt-and-stop": (*_ALWAYS, *INPUT, *STOP, *LOST),
    "recovery-needs-receipt": (*_ALWAYS, *INPUT),
    "recovery-needs-stop-and-outcome": (*_ALWAYS, *REPLACEMENT, *STOP, *LOST),
    "recovery-needs-outcome": (*_ALWAYS, *REPLACEMENT),
    "recovery-needs-stop": (*_ALWAYS, *STOP, *LOST),
    "stopping": (*_ALWAYS, *TOLD),
    "retired": (),
    "resolving-proxy-birth": (*BIRTH, *EARLY),
    "draining-proxy/idle": (*_ALWAYS, *TOLD),
    "draining-proxy/initial-waiting": (*_ALWAYS, *TOLD),
    "draining-proxy/recovery-waiting": (*_ALWAYS, *TOLD),
    "draining-proxy/initial-emitted": (*_ALWAYS, *TOLD, *INPUT, *INITIAL),
    "draining-proxy/replacement-emitted": (*_ALWAYS, *TOLD, *INPUT, *REPLACEMENT, *STOP, *LOST),
    "drained": (),
}
"""By phase of a member (with the part of it that matters), the facts about its proxy that it takes when they fit."""

_DIVIDED = ("starting", "recovery-awaiting-initial", "draining-proxy")
_DEADLINE = ("deadline-accepted", "deadline-rejected", "deadline-elapsed")


def modes_decide(e: PoolEvidence) -> Iterator[Part]:
    """Facts about the supervisor as a whole."""
    for step in moments(e, "shutdown", *_DEADLINE):
        if step.kind == "shutdown":
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


def _shutdown(step: Moment) -> Iterator[Part]:
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
        yield violated(step.input, "a shutdown leaves the supervisor open")


def members_take(e: PoolEvidence) -> Iterator[Part]:
    """A fact that fits and that the phase takes changes the member, or is passed on where it is a command."""
    for step, role, phase in _member_facts(e):
        if not step.is_expected or step.kind not in TAKES[phase]:
            continue
        if step.kind in CALL:
            yield from _passed_on(step, role)
            continue
        rows = [row for row in step.of("state-trace") if row["role"] in (role, None)]
        if rows:
            yield holds(step.input, *rows)
        else:
            gone = absent("state-trace", f"a change of {role}", near=step.input)
            yield violated(gone, f"{role} is {phase}, {step.kind} fits, and {role} is as it was", step.input)


def _passed_on(step: Moment, role: str) -> Iterator[Part]:
    rows = [*step.of("lifecycle-events", event="unavailable"), *step.of("diagnostics", diagnostic="proxy-unavailable")]
    if len(rows) != 1 or rows[0]["role"] != role:
        gone = absent("lifecycle-events", f"the command that {role} could not serve", near=step.input)
        yield violated(rows[0] if rows else gone, f"the command is passed on {len(rows)} times", step.input)
    else:
        yield holds(step.input, rows[0])


def members_refuse(e: PoolEvidence) -> Iterator[Part]:
    """A fact that the phase does not take changes nothing, and is told."""
    for step, _, phase in _member_facts(e):
        if step.kind not in TAKES[phase]:
            yield from unchanged(step)
            yield from told_whole(e, step)


def _member_facts(e: PoolEvidence) -> Iterator[tuple[Moment, str, str]]:
    """Events about the proxy of a member, with the role and its phase before."""
    for step in moments(e, *KINDS):
        role = step.before.role_of(step.input["proxy"], step.input["reservation"])
        phase = None if role is None else step.before.phase(role)
        if role is None or phase is None:
            continue
        key = f"{phase}/{step.before.within(role)}" if phase in _DIVIDED else phase
        if key in TAKES:
            yield step, role, key


def over_is_over(e: PoolEvidence) -> Iterator[Part]:
    """Nothing is taken in once the supervisor has stopped, was retired by force, or was ended by a diagnostic."""
    for world in e.worlds:
        for step in map(moment_of, world.steps):
            if step.before.mode not in OVER:
                continue
            last = next((each.rows[-1] for each in reversed(world.steps[: step.place]) if each.rows), None)
            if step.rows or not step.is_refused:
                row = step.rows[0] if step.rows else absent("input-log", "a refusal", near=last)
                yield violated(row, f"the supervisor is {step.before.mode} and takes {step.sent.event['kind']} in")
            else:
                yield holds(absent("input-log", f"an input after the supervisor was {step.before.mode}", near=last))
