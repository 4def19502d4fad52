"""Keys: who is asked for a role, and what is bound with a job."""

from __future__ import annotations

from collections.abc import Iterator

from harness.verdict.parts import Part, absent, holds, violated
from harness.verdict.pools.bindings import key_steps, open_steps
from harness.verdict.pools.evidence import PoolEvidence
from harness.verdict.pools.judgments.keyed import clause
from harness.verdict.pools.rules.losses import all_lost

_ASKED = "claim-03-key-apart-selector-once"
_TOGETHER = "claim-04-binding-with-job"


@clause(_ASKED, 0)
def asked_once(e: PoolEvidence) -> Iterator[Part]:
    """One question for a key that isn't bound, none for one that is; a pool without roles needs no answer."""
    for each in open_steps(e, "submit"):
        step, calls = each.step, each.step.of("selector-calls")
        if step.before.mode == "operating" and all_lost(e, step.before):
            continue
        keys = [row["key"] for row in calls]
        if each.bound is not None and calls:
            yield violated(calls[0], f"{each.key} is bound, and the selector is asked", each.bound, step.input)
        elif each.bound is None and keys != [each.key]:
            gone = absent("selector-calls", f"the question for {each.key}", near=step.input)
            asked = ", ".join(map(str, keys)) or "nothing"
            told = f"the selector is asked for {asked}, and the job has the key {each.key}"
            yield violated(calls[0] if calls else gone, told, step.input)
        else:
            yield holds(step.input, *calls)


@clause(_ASKED, 1)
def nothing_else_asks(e: PoolEvidence) -> Iterator[Part]:
    """Commands, facts and closed pools ask nobody."""
    for step in e.steps():
        calls = step.of("selector-calls")
        if step.kind == "submit" and step.before.mode != "draining":
            continue
        if calls:
            yield violated(calls[0], f"{step.kind} asks the selector", step.input)
        else:
            yield holds(step.input)


@clause(_ASKED, 2)
def goes_where_named(e: PoolEvidence) -> Iterator[Part]:
    """The answer of the selector is the role, or there is none."""
    for each in open_steps(e, "submit"):
        step, role = each.step, each.role
        if each.bound is not None or role is None:
            continue
        for row in step.of("admission-outcomes"):
            unknown = row["reason"] == "unknown-selected-role"
            if unknown == (role in e.pool.roles):
                told = row["reason"] or "accepted"
                yield violated(row, f"the selector named {role}, and the answer is {told}", *step.of("selector-calls"))
            elif row["outcome"] == "accepted" and row["role"] != role:
                yield violated(row, f"the selector named {role}, and the job is admitted to {row['role']}")
            else:
                yield holds(row, *step.of("selector-calls"))


@clause(_ASKED, 3)
def answers_are_whole(e: PoolEvidence) -> Iterator[Part]:
    """Role and generation with an acceptance; key and payload with a refusal."""
    for each in key_steps(e, "submit"):
        given = each.step.input
        for row in each.step.of("admission-outcomes"):
            if row["outcome"] == "accepted":
                whole = row["role"] in e.pool.roles and isinstance(row["generation"], int) and row["key"] is None
            else:
                whole = (row["key"], row["payload"]) == (given["key"], given["payload"]) and row["generation"] is None
            if whole:
                yield holds(given, row)
            else:
                yield violated(row, f"{row['outcome']} tells something else than it has to", given)


@clause(_TOGETHER, 0)
def bound_with_the_job(e: PoolEvidence) -> Iterator[Part]:
    """After an acceptance the key is bound as the acceptance says; a binding that was there is that one."""
    for each in open_steps(e, "submit"):
        for row in each.step.of("admission-outcomes", outcome="accepted"):
            bound, told = each.after.get(each.key), (row["role"], row["generation"])
            if bound is None:
                gone = absent("binding-ledger", f"the binding of {each.key}", near=row)
                yield violated(gone, f"job {row['job']} is accepted and its key is not bound", row)
            elif (bound["role"], bound["generation"]) != told:
                yield violated(bound, f"job {row['job']} goes through another binding than its key has", row)
            elif each.bound is not None and each.changes:
                yield violated(each.changes[0], f"{each.key} was bound already, and is bound anew", row)
            else:
                yield holds(row, bound)


@clause(_TOGETHER, 1)
def refused_without(e: PoolEvidence) -> Iterator[Part]:
    """A refusal makes and ends no binding."""
    for each in key_steps(e, "submit"):
        for row in each.step.of("admission-outcomes", outcome="rejected"):
            if each.changes:
                yield violated(each.changes[0], f"the job was refused for {row['reason']}, and this followed", row)
            else:
                yield holds(row)


@clause(_TOGETHER, 2)
def nothing_else_binds(e: PoolEvidence) -> Iterator[Part]:
    """A key is bound by an acceptance or by a rebalance."""
    for each in key_steps(e):
        step, made = each.step, [row for row in each.changes if row["change"] == "bound"]
        told = step.of("admission-outcomes", outcome="accepted")
        told += step.of("management-outcomes", outcome=("bound-absent", "rebalanced"))
        if made and not told:
            yield violated(made[0], f"{step.kind} binds a key, and takes no job", step.input)
        elif made and step.kind == "rebalance":
            yield holds(step.input, *made)
