"""The world around a supervisor in a walk: it remembers what was asked for, and turns letters into exact facts.

A letter such as `advance a` is one input whatever the role is at: the good answer to the oldest question that is open
about it. With no question open the letter still is an input, one that nobody expects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from harness.models.pools.correlations import BirthId, RecoveryId, TimerId
from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor import post
from harness.models.pools.supervisor.values import (
    Initial,
    Operation,
    OperationId,
    PreparationId,
    Proxy,
    Replacement,
    Submission,
    WorkerId,
    WorkerStop,
)

Question = tuple[Any, ...]
NO_PROXY = Proxy(BirthId(0))
NO_WORKER = WorkerId(0)
NO_OPERATION = Operation(OperationId(0), Initial(), "nothing")
NOBODY = "no role of this name"
"""A role that no supervisor has."""


class Seat(NamedTuple):
    """One role: its proxy, its workers that live (oldest first), the last that ended, the open questions."""

    birth: BirthId = BirthId(0)
    proxy: Proxy = NO_PROXY
    living: tuple[WorkerId, ...] = ()
    last: WorkerId = NO_WORKER
    open: tuple[Question, ...] = ()


class Bench(NamedTuple):
    """All seats, open questions about recoveries and the drain timer, the next worker, the clock, what was sent."""

    seats: tuple[Seat, ...]
    recoveries: tuple[Question, ...] = ()
    deadline: Question = ()
    worker: WorkerId = WorkerId(1)
    clock: int = 0
    post: post.Post = post.EMPTY


def fact_of(letter: str, bench: Bench, roles: tuple[str, ...]) -> f.Fact:
    """The input that a letter stands for now; ValueError for a letter that there is not."""
    word, _, name = letter.partition(" ")
    if letter in _PLAIN:
        return _PLAIN[letter](bench)
    if word in post.ANSWERS and name in post.LANES:
        return post.settlement(bench.post, word, name)
    if word not in _OF_A_ROLE or name not in roles:
        raise ValueError(f"there is no letter {letter!r}")
    return _OF_A_ROLE[word](bench, roles.index(name), name)


# -- letters -------------------------------------------------------------------------------------------------------


def _advance(bench: Bench, role: int, _: str) -> f.Fact:
    seat = bench.seats[role]
    question = seat.open[0] if seat.open else ("outcome", NO_PROXY, NO_OPERATION)
    return _GOOD[question[0]](bench, *question[1:])


def _refuse(bench: Bench, role: int, _: str) -> f.Fact:
    seat = bench.seats[role]
    question = seat.open[0] if seat.open else ("outcome", NO_PROXY, NO_OPERATION)
    return _BAD[question[0]](*question[1:])


def _cross(bench: Bench, role: int, _: str) -> f.Fact:
    fact: Any = _advance(bench, role, _)
    other = bench.seats[(role + 1) % len(bench.seats)]
    return fact._replace(proxy=other.proxy) if hasattr(fact, "proxy") else fact._replace(reservation=other.birth)  # type: ignore[no-any-return]  # a fact stays one


def _forge(answer: Callable[[Bench, int, str], f.Fact]) -> Callable[[Bench, int, str], f.Fact]:
    def forge(bench: Bench, role: int, name: str) -> f.Fact:
        fact = answer(bench, role, name)
        if isinstance(fact, f.InputAccepted):
            return fact._replace(ticket=OperationId(fact.ticket + 1))
        if isinstance(fact, f.InputRejected):
            return fact._replace(operation=fact.operation._replace(ticket=OperationId(fact.operation.ticket + 1)))
        return fact

    return forge


def _come_back(word: str) -> Callable[[Bench, int, str], f.Fact]:
    def come_back(bench: Bench, role: int, name: str) -> f.Fact:
        fact = _refuse(bench, role, name)
        return fact._replace(word=word) if isinstance(fact, f.InputRejected) else fact

    return come_back


def _abort(bench: Bench, role: int, _: str) -> f.Fact:
    return f.ProxyFoldRejected(bench.seats[role].birth, "failed")


def _stop(abnormal: bool) -> Callable[[Bench, int, str], f.Fact]:
    def stop(bench: Bench, role: int, _: str) -> f.Fact:
        seat = bench.seats[role]
        return f.WorkerStopped(seat.proxy, WorkerStop(_oldest(seat), abnormal, bench.clock))

    return stop


def _lose(bench: Bench, role: int, _: str) -> f.Fact:
    seat = bench.seats[role]
    return f.StopReportRefused(seat.proxy, WorkerStop(_oldest(seat), True, bench.clock), "closed")


def _exit(bench: Bench, role: int, _: str) -> f.Fact:
    seat = bench.seats[role]
    return f.ExitBeforeBirth(seat.birth) if seat.proxy == NO_PROXY else f.ExitAfterBirth(seat.proxy)


def _oldest(seat: Seat) -> WorkerId:
    return seat.living[0] if seat.living else seat.last


def _advance_recovery(bench: Bench) -> f.Fact:
    question = bench.recoveries[0] if bench.recoveries else ("timer", RecoveryId(0), TimerId(0), 0)
    if question[0] == "source":
        made = tuple(Submission(role, f"replacement of {role}") for role in question[2])
        return f.WorkersPrepared(question[1], made)
    if question[0] == "schedule":
        return f.ScheduleAccepted(question[1], question[2])
    return f.TimerElapsed(question[1], question[2], max(question[3], bench.clock))


def _refuse_recovery(bench: Bench) -> f.Fact:
    question = bench.recoveries[0] if bench.recoveries else ("nothing",)
    if question[0] == "source":
        first, *rest = question[2]
        return f.WorkersPartial(question[1], (), first, "refused", tuple(rest))
    if question[0] == "schedule":
        return f.ScheduleRejected(question[1], question[2], "refused")
    return f.SourceRejected(PreparationId(0), "refused")


def _cut_recovery(bench: Bench) -> f.Fact:
    question = bench.recoveries[0] if bench.recoveries else ("nothing",)
    if question[0] != "source":
        return f.WorkersPartial(PreparationId(0), (), NOBODY, "refused", ())
    first, *left = question[2]
    if not left:
        return f.WorkersPartial(question[1], (), first, "refused", ())
    made = (Submission(first, f"replacement of {first}"),)
    return f.WorkersPartial(question[1], made, left[0], "refused", tuple(left[1:]))


def _deny_recovery(bench: Bench) -> f.Fact:
    question = bench.recoveries[0] if bench.recoveries else ("nothing",)
    return f.SourceRejected(question[1] if question[0] == "source" else PreparationId(0), "closed")


def _advance_deadline(bench: Bench) -> f.Fact:
    if not bench.deadline:
        return f.DeadlineElapsed(TimerId(0), bench.clock)
    word, timer, after = bench.deadline
    return f.DeadlineAccepted(timer) if word == "schedule" else f.DeadlineElapsed(timer, bench.clock + after)


def _refuse_deadline(bench: Bench) -> f.Fact:
    return f.DeadlineRejected(bench.deadline[1] if bench.deadline else TimerId(0), "refused")


_PLAIN: Mapping[str, Callable[[Bench], f.Fact]] = {
    "initialize": lambda _: f.Initialize(),
    "status": lambda _: f.QueryStatus("customer"),
    "unknown": lambda _: f.QueryCapability(NOBODY, "customer"),
    "shutdown": lambda _: f.Shutdown(),
    "advance recovery": _advance_recovery,
    "refuse recovery": _refuse_recovery,
    "cut recovery": _cut_recovery,
    "deny recovery": _deny_recovery,
    "advance deadline": _advance_deadline,
    "refuse deadline": _refuse_deadline,
}
_OF_A_ROLE: Mapping[str, Callable[[Bench, int, str], f.Fact]] = {
    "advance": _advance,
    "refuse": _refuse,
    "cross": _cross,
    "forge": _forge(_advance),
    "disown": _forge(_refuse),
    "damage": _come_back("corrupt"),
    "withhold": _come_back("not-attempted"),
    "abort": _abort,
    "stop": _stop(True),
    "leave": _stop(False),
    "lose": _lose,
    "exit": _exit,
    "call": lambda bench, role, _: f.Unavailable(bench.seats[role].proxy, "customer", "starting", "work"),
    "capability": lambda _, __, name: f.QueryCapability(name, "customer"),
}


def _outcome(bench: Bench, proxy: Proxy, operation: Operation) -> f.Fact:
    kind = operation.kind
    if isinstance(kind, Replacement):
        return f.ReplacementReady(proxy, kind.replaces, bench.worker)
    return f.InitialReady(proxy, bench.worker)


def _no_outcome(proxy: Proxy, operation: Operation) -> f.Fact:
    kind = operation.kind
    if isinstance(kind, Replacement):
        return f.ReplacementFailed(proxy, kind.replaces, "refused")
    return f.InitialFailed(proxy, "refused")


_GOOD: Mapping[str, Callable[..., f.Fact]] = {
    "birth": lambda _, birth: f.ProxyCommitted(birth, Proxy(birth)),
    "input": lambda _, proxy, operation: f.InputAccepted(proxy, operation.ticket),
    "outcome": _outcome,
    "told": lambda _, proxy: f.ShutdownAccepted(proxy),
}
_BAD: Mapping[str, Callable[..., f.Fact]] = {
    "birth": lambda birth: f.ProxyHostRejected(birth, "refused"),
    "input": lambda proxy, operation: f.InputRejected(proxy, operation, "refused"),
    "outcome": _no_outcome,
    "told": lambda proxy: f.ShutdownRejected(proxy, "refused"),
}

# -- what the supervisor did ---------------------------------------------------------------------------------------


def after(bench: Bench, fact: f.Fact, actions: a.Actions, roles: tuple[str, ...]) -> Bench:
    """The bench once a fact was told and the actions were taken in."""
    seats = [_heard(seat, fact) for seat in bench.seats]
    for made in actions.proxy_creations:
        role = roles.index(made.role)
        seats[role] = seats[role]._replace(birth=made.reservation, open=(("birth", made.reservation),))
    asked = [("input", each.proxy, each.operation) for each in actions.inputs()]
    asked += [("told", each.proxy) for each in actions.proxy_shutdowns]  # type: ignore[misc]  # questions differ in length
    for question in asked:
        for role, seat in enumerate(seats):
            if seat.birth == question[1].birth:
                seats[role] = seat._replace(open=(*seat.open, question))
    worker = bench.worker
    if isinstance(fact, f.InitialReady | f.ReplacementReady) and fact.worker == worker:
        worker = WorkerId(worker + 1)
    clock = max(bench.clock, fact.at) if isinstance(fact, f.TimerElapsed) else bench.clock
    return Bench(
        tuple(seats),
        _recoveries(bench.recoveries, fact, actions),
        _deadline(bench, fact, actions),
        worker,
        clock,
        post.after(bench.post, fact, actions),
    )


def _heard(seat: Seat, fact: f.Fact) -> Seat:
    """The seat after a fact: a question less where it is the answer, a worker more or less."""
    question = next((each for each in seat.open if _is_answer(fact, each)), None)
    if question is not None:
        left = list(seat.open)
        left.remove(question)
        if isinstance(fact, f.InputAccepted):
            left.append(("outcome", *question[1:]))
        seat = seat._replace(open=tuple(left))
        if isinstance(fact, f.ProxyCommitted):
            return seat._replace(proxy=fact.proxy)
        if isinstance(fact, f.InitialReady | f.ReplacementReady):
            return seat._replace(living=(*seat.living, fact.worker))
    if isinstance(fact, f.WorkerStopped | f.StopReportRefused) and fact.stop.worker in seat.living:
        left_over = tuple(each for each in seat.living if each != fact.stop.worker)
        return seat._replace(living=left_over, last=fact.stop.worker)
    return seat


def _is_answer(fact: f.Fact, question: Question) -> bool:
    word = _ANSWERS.get(fact.kind)
    if word != question[0]:
        return False
    if isinstance(fact, f.ProxyCommitted | f.ProxyFoldRejected | f.ProxyHostRejected):
        return bool(fact.reservation == question[1])
    if isinstance(fact, f.InputAccepted | f.InputRejected):
        ticket = fact.ticket if isinstance(fact, f.InputAccepted) else fact.operation.ticket
        return bool((fact.proxy, ticket) == (question[1], question[2].ticket))
    return bool(getattr(fact, "proxy", None) == question[1])


_ANSWERS: Mapping[str, str] = {
    "proxy-committed": "birth",
    "proxy-fold-rejected": "birth",
    "proxy-host-rejected": "birth",
    "input-accepted": "input",
    "input-rejected": "input",
    "initial-ready": "outcome",
    "initial-failed": "outcome",
    "replacement-ready": "outcome",
    "replacement-failed": "outcome",
    "shutdown-accepted": "told",
    "shutdown-rejected": "told",
}


def _recoveries(open_: tuple[Question, ...], fact: f.Fact, actions: a.Actions) -> tuple[Question, ...]:
    left: list[Question] = []
    for each in open_:
        answered = isinstance(fact, f.SourceAnswer) and each[:2] == ("source", fact.preparation)
        if isinstance(fact, f.RestartFact):
            word = "timer" if isinstance(fact, f.TimerElapsed) else "schedule"
            answered = each[:3] == (word, fact.recovery, fact.timer)
        if not answered:
            left.append(each)
        elif isinstance(fact, f.ScheduleAccepted):
            left.append(("timer", *each[1:]))
    left += [("source", each.preparation, each.roles) for each in actions.worker_preparations]
    left += [("schedule", each.recovery, each.timer, each.due) for each in actions.restart_schedules]
    return tuple(left)


def _deadline(bench: Bench, fact: f.Fact, actions: a.Actions) -> Question:
    if actions.deadline_schedules:
        (asked,) = actions.deadline_schedules
        return ("schedule", asked.timer, asked.after)
    if isinstance(fact, f.DeadlineAccepted) and bench.deadline[:2] == ("schedule", fact.timer):
        return ("timer", *bench.deadline[1:])
    return () if isinstance(fact, f.DeadlineRejected | f.DeadlineElapsed) else bench.deadline
