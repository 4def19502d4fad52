"""The world around a pool in a walk: it remembers what the pool asked for, and turns letters into exact facts.

A letter such as `advance a` is one input whatever the role is at: the good answer to the oldest question that is open
about it. With no question open the letter still is an input, one that nobody expects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from harness.models.pools import actions as a
from harness.models.pools import facts as f
from harness.models.pools.correlations import BirthId, DispatchId, RequestId, TicketId, TimerId
from harness.models.pools.timing import CLOCK_MAX
from harness.models.pools.values import Authority, Evidence, Stop, Worker

Question = tuple[Any, ...]


class Product(Protocol):
    """What a pool did in one step, whichever lanes it has."""

    @property
    def deadline_schedules(self) -> tuple[a.ScheduleDeadline, ...]:
        """The requests for a drain timer."""

    def operations(self) -> Iterator[NamedTuple]:
        """All operations, lane by lane."""


NOBODY = Worker(BirthId(0), BirthId(0))


class Desk(NamedTuple):
    """One role: its latest worker, the open questions (oldest first), its latest assignment and the one before."""

    worker: Worker = NOBODY
    open: tuple[Question, ...] = ()
    latest: a.DeliverAssignment | None = None
    older: a.DeliverAssignment | None = None


class Bench(NamedTuple):
    """All desks, the next request of the one customer, and the open question about the drain timer.

    `clock` is the latest time that a stop was told with, `window` the pool's window of restarts, both in ticks.
    """

    desks: tuple[Desk, ...]
    request: RequestId = RequestId(1)
    timer: Question = ()
    clock: int = 0
    window: int = 0


def fact_of(letter: str, bench: Bench, roles: tuple[str, ...]) -> f.Fact:
    """The input that a letter stands for now; ValueError for a letter that there is not."""
    word, _, name = letter.partition(" ")
    if letter in _PLAIN:
        return _PLAIN[letter](bench)
    if word in ("advance", "refuse") and name == "deadline":
        return _deadline(bench.timer, word == "advance")
    if word not in _OF_A_ROLE or name not in roles:
        raise ValueError(f"there is no letter {letter!r}")
    role = roles.index(name)
    return _OF_A_ROLE[word](role, bench.desks[role], bench)


# -- letters -------------------------------------------------------------------------------------------------------


def _advance(role: int, desk: Desk, _: Bench) -> f.Fact:
    question = desk.open[0] if desk.open else ("ready", NOBODY, TicketId(0))
    return _GOOD[question[0]](role, *question[1:])


def _refuse(role: int, desk: Desk, _: Bench) -> f.Fact:
    question = desk.open[0] if desk.open else ("nothing",)
    bad = _BAD.get(question[0])
    return f.BeginRejected(role, NOBODY, TicketId(0), "refused") if bad is None else bad(role, *question[1:])


def _now(bench: Bench) -> int:
    return bench.clock


def _later(bench: Bench) -> int:
    return min(bench.clock + bench.window + 1, CLOCK_MAX)


def _earlier(bench: Bench) -> int:
    return max(bench.clock - 1, 0)


def _exit(abnormal: bool, at: Callable[[Bench], int] = _now) -> Callable[[int, Desk, Bench], f.Fact]:
    def stop(role: int, desk: Desk, bench: Bench) -> f.Fact:
        births = [each[1] for each in desk.open if each[0] == "birth"]
        worker = Worker(births[0], births[0]) if births else desk.worker
        return f.WorkerStopped(role, Stop(worker, abnormal, at(bench)))

    return stop


def _quit(role: int, desk: Desk, _: Bench) -> f.Fact:
    asked = next((each for each in desk.open if each[0] == "init"), ("init", NOBODY, BirthId(0)))
    return f.InitStopped(role, *asked[1:])


def _partial(role: int, desk: Desk, _: Bench) -> f.Fact:
    asked = next((each for each in desk.open if each[0] == "source"), ("source", desk.worker))
    return f.SourcePartial(role, asked[1], ("half-made",), "refused")


def _complete(role: int, desk: Desk, _: Bench) -> f.Fact:
    return _completion(desk.latest, desk.worker.child)


def _repeat(role: int, desk: Desk, _: Bench) -> f.Fact:
    return _completion(desk.older or desk.latest, desk.worker.child)


def _cross(role: int, desk: Desk, bench: Bench) -> f.Fact:
    other = bench.desks[(role + 1) % len(bench.desks)]
    return _completion(desk.latest, other.worker.child)


def _forge(role: int, desk: Desk, _: Bench) -> f.Fact:
    given = desk.latest
    if given is None:
        return f.DeliveryRejected(role, BirthId(0), DispatchId(0), Authority(DispatchId(0), BirthId(0)), "refused")
    foreign = Authority(given.assignment, BirthId(0))
    return f.DeliveryRejected(role, given.child, given.assignment, foreign, "refused")


def _completion(given: a.DeliverAssignment | None, child: BirthId) -> f.Fact:
    if given is None:
        nothing = Authority(DispatchId(0), BirthId(0))
        return f.WorkerCompleted(BirthId(0), Evidence(DispatchId(0), nothing, "done"))
    return f.WorkerCompleted(child, Evidence(given.assignment, given.command.authority, "done"))


def _deadline(question: Question, good: bool) -> f.Fact:
    if not question:
        nothing = TimerId(0)
        return f.DeadlineElapsed(nothing, 0) if good else f.DeadlineRejected(nothing, "refused")
    word, timer = question
    if not good:
        return f.DeadlineRejected(timer, "refused")
    return f.DeadlineAccepted(timer) if word == "schedule" else f.DeadlineElapsed(timer, 0)


_PLAIN: Mapping[str, Callable[[Bench], f.Fact]] = {
    "initialize": lambda _: f.Initialize(),
    "submit": lambda bench: f.Submit(bench.request, bench.request, "customer"),
    "shutdown": lambda _: f.Shutdown(),
}
_OF_A_ROLE: Mapping[str, Callable[[int, Desk, Bench], f.Fact]] = {
    "advance": _advance,
    "refuse": _refuse,
    "stop": _exit(True),
    "leave": _exit(False),
    "complete": _complete,
    "repeat": _repeat,
    "cross": _cross,
    "forge": _forge,
    "quit": _quit,
    "partial": _partial,
    "stop-later": _exit(True, _later),
    "stop-earlier": _exit(True, _earlier),
    "stop-at-end": _exit(True, lambda _: CLOCK_MAX),
}
LETTERS: Mapping[str, str] = {
    "initialize": "the pool begins",
    "submit": "a customer hands in the next job",
    "shutdown": "the pool is told to end",
    "advance ROLE": "the good answer to the oldest open question about the role",
    "refuse ROLE": "the bad answer to it",
    "stop ROLE": "the role's latest worker ends abnormally, also before its birth is known",
    "leave ROLE": "it ends normally",
    "complete ROLE": "it reports its latest assignment as done",
    "repeat ROLE": "it reports the assignment before that as done, or the latest where there is only one",
    "cross ROLE": "the next role's worker reports this role's assignment as done",
    "forge ROLE": "the role's latest delivery is refused with an authority that is not its other half",
    "quit ROLE": "the role's worker chooses to stop as the answer to its start, also where no start is open",
    "partial ROLE": "the worker source gives up at the role and gives back what it had prepared until then",
    "stop-later ROLE": "it ends abnormally, when the window of every restart so far has passed",
    "stop-earlier ROLE": "it ends abnormally, told with a time before that of the last stop",
    "stop-at-end ROLE": "it ends abnormally, at the last time that there is",
    "advance deadline": "the drain timer is taken, then goes off",
    "refuse deadline": "the drain timer is refused",
}
"""What each letter means."""

_GOOD: Mapping[str, Callable[..., f.Fact]] = {
    "birth": lambda role, birth: f.BirthCommitted(role, birth, Worker(birth, birth), birth),
    "init": lambda role, worker, attempt: f.InitReady(role, worker, attempt),
    "begin": lambda role, worker, ticket: f.BeginAccepted(role, worker, ticket),
    "ready": lambda role, worker, ticket: f.WorkerReady(role, worker, ticket),
    "delivery": lambda role, child, dispatch, _: f.DeliveryAccepted(role, child, dispatch),
    "source": lambda role, worker: f.SourcePrepared(role, worker, "replacement"),
    "schedule": lambda role, recovery, timer: f.ScheduleAccepted(role, recovery, timer),
    "timer": lambda role, recovery, timer: f.TimerElapsed(role, recovery, timer),
    "shutdown": lambda role, worker: f.ShutdownAccepted(role, worker),
}
_BAD: Mapping[str, Callable[..., f.Fact]] = {
    "birth": lambda role, birth: f.BirthRejected(role, birth, "refused"),
    "init": lambda role, worker, attempt: f.InitRejected(role, worker, attempt, "refused"),
    "begin": lambda role, worker, ticket: f.BeginRejected(role, worker, ticket, "refused"),
    "delivery": lambda role, child, dispatch, half: f.DeliveryRejected(role, child, dispatch, half, "refused"),
    "source": lambda role, worker: f.SourceRejected(role, worker, "refused"),
    "schedule": lambda role, recovery, timer: f.ScheduleRejected(role, recovery, timer, "refused"),
    "shutdown": lambda role, worker: f.ShutdownRejected(role, worker, "refused"),
}


# -- what the pool did ---------------------------------------------------------------------------------------------


def after(bench: Bench, fact: Any, actions: Product) -> Bench:
    """The bench once a fact was told and the pool's actions were taken in."""
    desks = list(bench.desks)
    role: int | None = getattr(fact, "role", None)
    if role is not None:
        desks[role] = _answered(desks[role], fact)
    for each in actions.operations():
        if isinstance(each, a.DeliverAssignment):
            desk = desks[each.role]
            asked = ("delivery", each.child, each.assignment, each.command.authority)
            desks[each.role] = desk._replace(open=(*desk.open, asked), latest=each, older=desk.latest)
        elif type(each) in _ASKS:
            desk = desks[each.role]  # type: ignore[attr-defined]  # every operation that asks about a worker has a role
            desks[each.role] = desk._replace(open=(*desk.open, _ASKS[type(each)](each, desk)))  # type: ignore[attr-defined]
    request = RequestId(bench.request + 1) if isinstance(fact, f.Submit) else bench.request
    clock = max(bench.clock, fact.stop.at) if isinstance(fact, f.WorkerStopped) else bench.clock
    return Bench(tuple(desks), request, _timer(bench.timer, fact, actions), clock, bench.window)


def _answered(desk: Desk, fact: Any) -> Desk:
    """The question that a fact answers is closed, as a rule only the oldest; some answers open the next question."""
    word = _ANSWERS.get(fact.kind)
    asked = [each[0] for each in desk.open]
    place = asked.index(word) if word in asked and fact.kind in _OUT_OF_TURN else 0
    if word is None or not desk.open or asked[place] != word:
        return desk
    rest = (*desk.open[:place], *desk.open[place + 1 :])
    if isinstance(fact, f.BirthCommitted):
        return desk._replace(worker=fact.worker, open=(*rest, ("init", fact.worker, fact.attempt)))
    if isinstance(fact, f.BeginAccepted):
        return desk._replace(open=(*rest, ("ready", fact.worker, fact.ticket)))
    if isinstance(fact, f.ScheduleAccepted):
        return desk._replace(open=(*rest, ("timer", fact.recovery, fact.timer)))
    return desk._replace(open=rest)


def _timer(question: Question, fact: Any, actions: Product) -> Question:
    if actions.deadline_schedules:
        return ("schedule", actions.deadline_schedules[0].timer)
    if isinstance(fact, f.DeadlineAccepted) and question == ("schedule", fact.timer):
        return ("timer", fact.timer)
    return () if isinstance(fact, f.DeadlineRejected | f.DeadlineElapsed) else question


_ANSWERS: Mapping[str, str] = {
    "birth-committed": "birth",
    "birth-rejected": "birth",
    "init-ready": "init",
    "init-rejected": "init",
    "init-stopped": "init",
    "begin-accepted": "begin",
    "begin-rejected": "begin",
    "worker-ready": "ready",
    "delivery-accepted": "delivery",
    "delivery-rejected": "delivery",
    "source-prepared": "source",
    "source-partial": "source",
    "source-rejected": "source",
    "schedule-accepted": "schedule",
    "schedule-rejected": "schedule",
    "timer-elapsed": "timer",
    "shutdown-accepted": "shutdown",
    "shutdown-rejected": "shutdown",
}
#: Answers that come whatever else is open longer.
_OUT_OF_TURN = ("init-stopped", "source-partial")
_ASKS: Mapping[type, Callable[[Any, Desk], Question]] = {
    a.CreateWorker: lambda each, _: ("birth", each.reservation),
    a.BeginActivation: lambda each, desk: ("begin", desk.worker, each.ticket),
    a.PrepareWorker: lambda each, _: ("source", each.replaces),
    a.ScheduleRestart: lambda each, _: ("schedule", each.recovery, each.timer),
    a.ShutdownWorker: lambda each, _: ("shutdown", each.worker),
}
