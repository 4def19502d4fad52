"""What is lost for good, what is kept, and what is told of it: retirement, recovery, shutdown, repeats."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.parts import Part, absent, holds, violated
from harness.verdict.pools.bindings import COMMANDS, OPEN, KeyStep, key_steps, lost_in, role_of
from harness.verdict.pools.book import empty_first
from harness.verdict.pools.entries import ASKED, RUNNING
from harness.verdict.pools.evidence import PoolEvidence, Step
from harness.verdict.pools.judgments.keyed import clause
from harness.verdict.pools.rules import shutdowns, stops

_LOSS = "claim-13-retirement-is-one-step"
_END = "claim-14-full-shutdown"
_NOTHING_LEFT = "invariant-retired-role-unbound"
GONE = "role-permanently-unavailable"


@clause(_LOSS, 0)
def work_goes_back(e: PoolEvidence) -> Iterator[Part]:
    """With a role its queue goes, in its order."""
    for step in e.steps():
        for role in lost_in(e, step):
            if step.after.mode != "operating":
                continue
            ends = [row for row in step.outcomes() if row["role"] == role]
            told = [row["job"] for row in ends if (row["outcome"], row["reason"]) == ("returned-queued", GONE)]
            other = {row["job"] for row in ends} - set(told)
            waited = [job for job in step.told.waiting() if role_of(step, job) == role and job not in other]
            if told != waited:
                yield violated(step.input, f"{role} is lost, {len(waited)} jobs wait for it and {told} go back", *ends)
            elif told:
                yield holds(step.input, *ends)
    yield from _waits_for_nobody(e)


@clause(_NOTHING_LEFT, 1)
def nothing_waits(e: PoolEvidence) -> Iterator[Part]:
    """A lost role has no queue."""
    yield from _waits_for_nobody(e)
    for step, role in _lost(e):
        if not step.after.queue_of(role):
            yield holds(step.input)


def _waits_for_nobody(e: PoolEvidence) -> Iterator[Part]:
    for step, role in _lost(e):
        queue = step.after.queue_of(role)
        if queue:
            yield violated(step.input, f"{role} is lost for good and job {queue[0].job} waits for it")


def _lost(e: PoolEvidence) -> Iterator[tuple[Step, str]]:
    """Every event of an open pool after which a role is lost for good, with that role."""
    for step in e.steps():
        if step.after.mode == "operating":
            for role in e.pool.roles:
                if step.after.is_lost(role):
                    yield step, role


@clause(_LOSS, 1)
@clause(_NOTHING_LEFT, 0)
def bindings_go(e: PoolEvidence) -> Iterator[Part]:
    """No key is bound to a lost role."""
    for each in key_steps(e):
        step = each.step
        if step.after.mode != "operating":
            continue
        lost = [role for role in e.pool.roles if step.after.is_lost(role)]
        kept = [row for row in each.after.values() if row["role"] in lost]
        for row in kept:
            yield violated(row, f"{row['role']} is lost for good and {row['key']} is bound to it", step.input)
        if lost and not kept:
            yield holds(step.input, *(row for row in each.changes if row["role"] in lost))


@clause(_LOSS, 2)
def ended_bindings_are_told(e: PoolEvidence) -> Iterator[Part]:
    """One diagnostic for each binding that ends with its role."""
    for each in key_steps(e):
        lost = lost_in(e, each.step)
        for row in each.changes:
            if row["change"] == "dropped" and row["role"] in lost:
                yield _told_once(each.step, row)


def _told_once(step: Step, row: LogRow) -> Part:
    """Judges that a binding that ended without a command was told, whole."""
    whole = {"input": "binding", "key": row["key"], "role": row["role"], "generation": row["generation"]}
    told = [one for one in step.of("diagnostics", diagnostic="binding-removed") if one["facts"] == [whole]]
    if len(told) == 1 and told[0]["reason"]:
        return holds(row, told[0])
    gone = absent("diagnostics", f"the binding of {row['key']}", near=row)
    return violated(gone, f"the binding of {row['key']} ends and is told {len(told)} times", row)


@clause(_LOSS, 3)
def one_source(e: PoolEvidence) -> Iterator[Part]:
    """A replacement is asked for once for each stop, and while nobody else's is open."""
    yield from stops.recovers_once(e)
    for step in e.steps():
        for row, book in step.unfold():
            if row.log != "action-lanes" or row["lane"] != "worker-preparations":
                continue
            others = sorted(set(book.preparations) - {row["role"]}, key=empty_first)
            if others:
                yield violated(row, f"a replacement for {row['role']} is asked for while that for {others[0]} is open")


@clause(_LOSS, 4)
def comes_back_as_declared(e: PoolEvidence) -> Iterator[Part]:
    """The declared stops lead to recovery, which keeps what the role has; all others end the role."""
    for each in key_steps(e, "worker-stopped", "delivery-accepted"):
        step, stop = each.step, stops.settled_stop(each.step)
        if stop is None:
            continue
        role, eligible = stop["role"], e.pool.covers(bool(stop["abnormal"]))
        recovers, over = step.after.phase(role) == "recovering", step.after.is_lost(role) or step.after.mode not in OPEN
        how = "abnormal stop" if stop["abnormal"] else "normal exit"
        if eligible and not recovers:
            yield violated(step.input, f"the {how} of {role} leads to no recovery", stop)
        elif not eligible and not over:
            yield violated(step.input, f"the {how} of {role} does not end the role", stop)
        elif eligible:
            yield _keeps(each, role)
        else:
            yield holds(step.input)


def _keeps(each: KeyStep, role: str) -> Part:
    step = each.step
    dropped = [row for row in each.changes if row["role"] == role]
    gone = {one.job for one in step.before.queue_of(role)} - {one.job for one in step.after.queue_of(role)}
    if dropped:
        return violated(dropped[0], f"{role} recovers, and {dropped[0]['key']} is not bound to it any more", step.input)
    if gone:
        return violated(
            step.input, f"{role} recovers, and job {min(gone, key=empty_first)} does not wait for it any more"
        )
    return holds(step.input, *step.of("state-trace", role=role))


@clause(_END, 1)
def refuses_when_closed(e: PoolEvidence) -> Iterator[Part]:
    """Submissions and commands to a closed pool go straight back."""
    yield from shutdowns.refuses_when_closed(e)
    for step in e.steps(*COMMANDS):
        if step.before.mode != "draining":
            continue
        for row in step.of("management-outcomes"):
            whole = all(row[name] == step.input[name] for name in ("key", "expected", "target"))
            if (row["outcome"], row["reason"]) == ("rejected", "shutting-down") and whole:
                yield holds(step.input, row)
            else:
                yield violated(row, "the pool is closed, and the command is not simply given back", step.input)


@clause(_END, 5)
def leaves_nothing_untold(e: PoolEvidence) -> Iterator[Part]:
    """Bindings, replacements and activations that end with the pool are told, and so are activations nobody needs."""
    for each in key_steps(e):
        step = each.step
        if step.before.mode in OPEN and step.after.mode not in OPEN:
            yield from _closing(each)
        yield from _plans(step)


def _closing(each: KeyStep) -> Iterator[Part]:
    step = each.step
    for row in each.after.values():
        yield violated(row, f"the pool is closed and {row['key']} is bound", step.input)
    for row in each.changes:
        if row["change"] == "dropped":
            yield _told_once(step, row)
    if step.kind != "shutdown":
        return
    ready = [name for name, state in step.told.schedules.items() if state in (ASKED, RUNNING)]
    told = step.of("diagnostics", diagnostic="candidate-unused")
    if len(told) != len(ready):
        gone = absent("diagnostics", "the replacement that will not be made", near=step.input)
        yield violated(told[0] if told else gone, f"{len(ready)} replacements are not made, and {len(told)} are told")
    elif told:
        yield holds(step.input, *told)


def _plans(step: Step) -> Iterator[Part]:
    """A worker that waited for its activation and won't get it, and a start that came too late."""
    told = [fact.get("role") for row in step.of("diagnostics", diagnostic="unused-activation") for fact in row["facts"]]
    for role, phase in step.before.phases().items():
        if phase == "waiting-authorization":
            now = step.after.phase(role) if step.after.mode in OPEN else "closed"
            late = now not in ("waiting-authorization", "activation-dispatched")
        else:
            late = phase in ("draining-pre-ready", "worker") and step.kind == "init-ready" and step.is_expected
            late = late and step.input["role"] == role
        if not late:
            continue
        if told.count(role) == 1:
            yield holds(step.input, *step.of("diagnostics"))
        else:
            gone = absent("diagnostics", f"the activation of {role}", near=step.input)
            yield violated(gone, f"{role} is not activated any more, and that is told {told.count(role)} times")


@clause("claim-15-late-facts-harmless", 3)
def repeats_are_duplicates(e: PoolEvidence) -> Iterator[Part]:
    """A result or stop that is in already, while the delivery's answer is open."""
    for step in e.steps("worker-completed", "worker-stopped"):
        if step.before.mode != "operating" or not _is_repeat(step):
            continue
        for row in step.of("diagnostics"):
            if row["diagnostic"] == "duplicate":
                yield holds(step.input, row)
            else:
                yield violated(row, f"{step.kind} was told before, and is told as {row['diagnostic']}", step.input)


@clause("claim-15-late-facts-harmless", 4)
def every_ended_binding_is_told(e: PoolEvidence) -> Iterator[Part]:
    """One diagnostic for each binding that ends, unless a command ended it."""
    for each in key_steps(e):
        for row in each.changes:
            if row["change"] == "dropped" and each.step.kind not in COMMANDS:
                yield _told_once(each.step, row)


def _is_repeat(step: Step) -> bool:
    fact = step.input
    mine = [each for each in step.book.assignments if each["worker"] == fact["worker"] and not each.closed]
    open_ = [each for each in mine if each.answer is None]
    if step.kind == "worker-stopped":
        worker = step.book.workers.get(fact["worker"])
        known = worker is not None and (worker.role, worker.birth) == (fact["role"], fact["birth"])
        return known and any(each.stop is not None for each in open_)
    named = ("assignment", "authority", "authority-birth")
    return any(each.completion is not None and all(each[one] == fact[one] for one in named) for each in open_)
