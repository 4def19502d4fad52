"""Commands of managers: what they expect, what they do to bindings, and that they do nothing to jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from harness.run.recording import LogRow
from harness.verdict.parts import Part, absent, holds, violated
from harness.verdict.pools.bindings import COMMANDS, KeyStep, key_steps, open_steps
from harness.verdict.pools.evidence import PoolEvidence
from harness.verdict.pools.judgments.keyed import clause

_FUTURE = "claim-11-management-is-future-only"
_FRESH = "claim-12-fresh-generation"
_TABLE = "table-of-commands"
_ONE = "invariant-one-generation-one-role"
_BOUND = "invariant-binding-bound"
_CHANGES: Mapping[str, tuple[str, ...]] = {
    "bound-absent": ("bound",),
    "rebalanced": ("dropped", "bound"),
    "unbound": ("dropped",),
}
_OF_JOBS = ("ownership-ledger", "queue-trace", "terminal-outcomes", "assignment-trace")


@clause(_FUTURE, 0)
def moves_no_job(e: PoolEvidence) -> Iterator[Part]:
    """No row about a job in the event of a command."""
    for step in e.steps(*COMMANDS):
        moved = [row for log in _OF_JOBS for row in step.of(log)]
        for row in moved:
            yield violated(row, f"{step.kind} is about later jobs, and this followed", step.input)
        if not moved:
            yield holds(step.input)


@clause(_FUTURE, 1)
def expectation_is_compared(e: PoolEvidence) -> Iterator[Part]:
    """stale-expectation is said exactly where another generation, or none, is there, and tells which."""
    for each in open_steps(e, *COMMANDS):
        for row in each.step.of("management-outcomes"):
            stale = row["reason"] == "stale-expectation"
            there = "none" if each.generation is None else each.generation
            if stale == each.is_met:
                told = row["reason"] or row["outcome"]
                expected = each.step.input["expected"] or "none"
                yield violated(row, f"the command expects {expected}, there is {there}, and the answer is {told}")
            elif stale and row["actual"] != each.generation:
                yield violated(row, f"{each.key} has the generation {there}, and another is told")
            else:
                yield holds(each.step.input, row)


@clause(_FUTURE, 4)
def one_answer(e: PoolEvidence) -> Iterator[Part]:
    """Each command is answered once, on its own route, and goes back whole where it is refused."""
    for step in e.steps():
        rows, left = step.of("management-outcomes"), step.lane("management-deliveries")
        if step.kind not in COMMANDS:
            for row in (*rows, *left):
                yield violated(row, f"{step.kind} is no command and is answered as one", step.input)
            continue
        asked = (step.input["request"], step.input["reply"])
        gone = absent("management-outcomes", f"the answer to command {asked[0]}", near=step.input)
        if len(rows) != 1 or len(left) != 1:
            yield violated(rows[-1] if rows else gone, f"command {asked[0]} has {len(rows)} answers", step.input)
        elif (rows[0]["request"], rows[0]["route"]) != asked or (left[0]["request"], left[0]["route"]) != asked:
            yield violated(rows[0], f"the answer is not that of command {asked[0]} of {asked[1]}", step.input)
        elif rows[0]["outcome"] == "rejected" and not _is_whole(rows[0], step.input):
            yield violated(rows[0], "the command that goes back is not the one that came", step.input)
        else:
            yield holds(step.input, rows[0])


@clause(_FUTURE, 5)
def does_what_it_says(e: PoolEvidence) -> Iterator[Part]:
    """The bindings that change are those of the answer, and all of one key."""
    for each in key_steps(e, *COMMANDS):
        for row in each.step.of("management-outcomes"):
            wanted = _CHANGES.get(row["outcome"], ())
            found = tuple((one["key"], one["change"]) for one in each.changes)
            moves = each.bound is not None and each.bound["role"] != each.step.input["target"]
            if found != tuple((each.key, change) for change in wanted):
                yield violated(row, f"the answer is {row['outcome']}, and other bindings change", *each.changes)
            elif row["outcome"] == "rebalanced" and not moves:
                yield violated(row, f"{each.key} is told to move, and was bound there before", *each.changes)
            else:
                yield holds(each.step.input, row, *each.changes)


def _is_whole(row: LogRow, command: LogRow) -> bool:
    return all(row[name] == command[name] for name in ("key", "expected", "target"))


@clause(_FRESH, 0)
@clause(_ONE, 0)
def generations_are_fresh(e: PoolEvidence) -> Iterator[Part]:
    """No generation is that of an earlier binding."""
    seen: dict[tuple[int, int], LogRow] = {}
    last: dict[int, LogRow] = {}
    for row in e.rows("binding-ledger", change="bound"):
        first = seen.setdefault((row.world, row["generation"]), row)
        if first is not row:
            yield violated(row, f"generation {row['generation']} was of {first['key']} before", first)
        elif row.world in last:
            yield holds(last[row.world], row)
        last[row.world] = row


@clause(_FRESH, 1)
def stale_changes_nothing(e: PoolEvidence) -> Iterator[Part]:
    """A command that expects something else leaves the bindings alone."""
    for each in open_steps(e, *COMMANDS):
        if each.is_met:
            continue
        for row in each.changes:
            expected = each.step.input["expected"] or "no binding"
            yield violated(row, f"the command expected {expected}, and this followed", each.step.input)
        if not each.changes:
            yield holds(each.step.input)


@clause(_FRESH, 2)
def same_role_stays(e: PoolEvidence) -> Iterator[Part]:
    """To where it is already a key is not bound anew."""
    for each in open_steps(e, "rebalance"):
        bound = each.bound
        if not each.is_met or bound is None or bound["role"] != each.step.input["target"]:
            continue
        for row in each.step.of("management-outcomes"):
            if row["reason"] == "target-unavailable":
                continue
            stays = (row["role"], row["generation"]) == (bound["role"], bound["generation"]) and not each.changes
            if row["outcome"] == "rebalance-unchanged" and stays:
                yield holds(each.step.input, row)
            else:
                yield violated(row, f"{each.key} is bound there already, and the answer is {row['outcome']}", bound)


@clause(_FRESH, 3)
def outcomes_keep_their_generation(e: PoolEvidence) -> Iterator[Part]:
    """An outcome names the generation of its job's acceptance."""
    accepted = {(row.world, row["job"]): row for row in e.rows("admission-outcomes", outcome="accepted")}
    for row in e.rows("terminal-outcomes"):
        first = accepted.get((row.world, row["job"]))
        if first is None:
            continue
        if row["generation"] == first["generation"]:
            yield holds(first, row)
        else:
            told = f"job {row['job']} was admitted through generation {first['generation']}"
            yield violated(row, f"{told}, and its outcome tells {row['generation']}", first)


@clause(_ONE, 1)
def bindings_stay_as_made(e: PoolEvidence) -> Iterator[Part]:
    """What ends is what was made, and its role is a declared one."""
    for each in key_steps(e):
        for row in each.changes:
            made = each.before.get(row["key"])
            if row["role"] not in e.pool.roles:
                yield violated(row, f"{row['key']} is bound to {row['role']}, which is no declared role")
            elif row["change"] == "bound" or made is None:
                yield holds(row)
            elif (made["role"], made["generation"]) != (row["role"], row["generation"]):
                yield violated(row, f"another binding of {row['key']} ends than was made", made)
            else:
                yield holds(made, row)


@clause(_BOUND, 1)
def bound_once(e: PoolEvidence) -> Iterator[Part]:
    """A bound key is not bound again, and only what is there can end."""
    for each in key_steps(e):
        there = set(each.before)
        for row in each.changes:
            if (row["change"] == "bound") == (row["key"] in there):
                state = "bound already" if row["change"] == "bound" else "not bound"
                yield violated(row, f"{row['key']} is {state}, and its binding is {row['change']}", each.step.input)
            else:
                yield holds(row)
            (there.add if row["change"] == "bound" else there.discard)(row["key"])


# -- the tables ----------------------------------------------------------------------------------------------------


@clause(_TABLE, 0)
def absent_is_bound(e: PoolEvidence) -> Iterator[Part]:
    """A key without a binding gets one to the target, or the command is refused."""
    for each in open_steps(e, "rebalance"):
        if not each.is_met or each.bound is not None:
            continue
        for row in each.step.of("management-outcomes"):
            yield _judged(each, row, "bound-absent", ("bound",))


@clause(_TABLE, 1)
def bound_moves(e: PoolEvidence) -> Iterator[Part]:
    """A key with a binding to another role gets a new one in its place, or keeps it."""
    for each in open_steps(e, "rebalance"):
        bound = each.bound
        if not each.is_met or bound is None or bound["role"] == each.step.input["target"]:
            continue
        for row in each.step.of("management-outcomes"):
            told = (row["prior-role"], row["prior-generation"])
            if row["outcome"] == "rebalanced" and told != (bound["role"], bound["generation"]):
                yield violated(row, f"the answer tells another earlier binding of {each.key}", bound)
            else:
                yield _judged(each, row, "rebalanced", ("dropped", "bound"))


def _judged(each: KeyStep, row: LogRow, done: str, changes: tuple[str, ...]) -> Part:
    """A command that was refused and changed nothing, or did what it says."""
    now, target = each.after.get(each.key), each.step.input["target"]
    if row["outcome"] == "rejected":
        kept = not each.changes
        return holds(row) if kept else violated(row, "the command was refused, and bindings change", *each.changes)
    made = now is not None and (now["role"], now["generation"]) == (row["role"], row["generation"])
    if row["outcome"] != done or tuple(one["change"] for one in each.changes) != changes:
        return violated(row, f"the answer is {row['outcome']}, and {len(each.changes)} bindings change", *each.changes)
    if not made or row["role"] != target:
        return violated(row, f"{each.key} is not bound to {target} as the answer says", *each.changes)
    return holds(each.step.input, row, *each.changes)


@clause(_TABLE, 2)
def unbind_ends(e: PoolEvidence) -> Iterator[Part]:
    """The binding is over and goes back, or there was none."""
    for each in open_steps(e, "unbind"):
        if not each.is_met:
            continue
        bound = each.bound
        for row in each.step.of("management-outcomes"):
            told = (row["outcome"], row["key"], row["prior-role"], row["prior-generation"])
            if bound is None:
                right = row["outcome"] == "already-unbound" and not each.changes
            else:
                right = told == ("unbound", each.key, bound["role"], bound["generation"])
                right = right and each.key not in each.after and len(each.changes) == 1
            if right:
                yield holds(each.step.input, row, *each.changes)
            else:
                there = "not bound" if bound is None else f"bound to {bound['role']}"
                yield violated(row, f"{each.key} is {there}, and the answer is {row['outcome']}", *each.changes)


@clause(_TABLE, 3)
def refusals_have_their_reason(e: PoolEvidence) -> Iterator[Part]:
    """An unknown target, then a full table; the room is not asked for a key that has its place."""
    most = e.pool.binding_capacity or 0
    for each in open_steps(e, "rebalance"):
        if not each.is_met:
            continue
        unknown = each.step.input["target"] not in e.pool.roles
        full = each.bound is None and len(each.before) >= most
        for row in each.step.of("management-outcomes"):
            told = row["reason"] or row["outcome"]
            if (told == "unknown-target") != unknown:
                yield violated(row, f"the target is {each.step.input['target']}, and the answer is {told}")
            elif (told == "binding-capacity-exhausted") != (full and told != "target-unavailable" and not unknown):
                yield violated(row, f"{len(each.before)} of {most} keys are bound, and the answer is {told}")
            else:
                yield holds(each.step.input, row)
