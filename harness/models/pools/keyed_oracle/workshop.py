"""The second account: the workshop. It keeps ordered bays, one recruiter, and a map of the candidates he has brought.

A bay is `unsent`, `sent` (for a worker), `starting`, `queuing` and `warming` (towards readiness), `manned`, `leaving`,
`distrusted` (it leaves after a refusal), `vacant` (until the recruiter is free), `recruiting`, `clocked` (a candidate
waits for his hour) or `over`. What a bay still has to hear is in `open`; anything else that is said to it is odd.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from harness.models.pools import facts as f
from harness.models.pools.correlations import Allocator, Allocators, BirthId, Correlation
from harness.models.pools.keyed.definition import KeyedDefinition
from harness.models.pools.keyed_oracle.counter import Told
from harness.models.pools.values import Stop, Worker

Open = tuple[Any, ...]
PREDECESSOR = ("vacant", "recruiting", "clocked")


class Bay(NamedTuple):
    """The place of one role in the workshop; `exit` is the exit that is known, `after` what follows a leave."""

    stage: str
    who: Worker | None = None
    open: tuple[Open, ...] = ()
    exit: Stop | None = None
    after: str = ""
    told: bool = False


class Candidate(NamedTuple):
    """Somebody who will be made when his hour comes."""

    bay: int
    plan: str
    birth: BirthId


class Floor(NamedTuple):
    """All that the workshop remembers; `spent` are the hours of replacements, `bell` is what the bell still has to say.

    `state` is `shut-door` (nobody was sent for yet), `busy`, `closing`, `empty` or `forced`.
    """

    bays: tuple[Bay, ...]
    candidates: tuple[Candidate, ...]
    births: Allocator
    recoveries: Allocator
    timers: Allocator
    places: Allocator
    spent: tuple[int, ...]
    bell: Open
    plans: tuple[str, ...]
    state: str = "shut-door"


class Front(Protocol):
    """What the workshop can say to, and ask, the counter in front of it."""

    def manned(self, cell: int, who: Worker) -> None:
        """A worker is ready."""

    def unmanned(self, cell: int) -> None:
        """A worker is gone."""

    def lost(self, cell: int) -> None:
        """Nobody will come again."""

    def close(self) -> None:
        """It is all over."""

    def in_hand(self, cell: int) -> Any:
        """The work in a cell, if any: its `pair`, whether it was `handed`, and whether its worker has `left`."""


def opened(rules: KeyedDefinition, marks: Allocators, plans: tuple[str, ...]) -> Floor:
    """The workshop of a pool that has not begun; `marks` are its counters before anything was made ready."""
    bays = tuple(Bay("unsent") for _ in rules.roles)
    return Floor(bays, (), marks.birth, marks.recovery, marks.timer, marks.ticket, (), (), plans)


class Workshop:
    """One step in the workshop; `told` is what the outside sees of it."""

    front: Front

    def __init__(self, rules: KeyedDefinition, before: Floor) -> None:
        self.rules = rules.workers
        self.bays = list(before.bays)
        self.candidates = {each.bay: each for each in before.candidates}
        self.marks = {
            "birth": before.births,
            "recovery": before.recoveries,
            "timer": before.timers,
            "place": before.places,
        }
        self.spent, self.bell, self.plans, self.state = before.spent, before.bell, before.plans, before.state
        self.told: list[Told] = []

    def floor(self) -> Floor:
        """What the workshop remembers after the step."""
        candidates = tuple(self.candidates[bay] for bay in sorted(self.candidates))
        birth, recovery, timer, place = self.marks.values()
        rest = (self.spent, self.bell, self.plans, self.state)
        return Floor(tuple(self.bays), candidates, birth, recovery, timer, place, *rest)

    def tell(self, *what: Any) -> None:
        """The outside sees something."""
        self.told.append(what)

    def odd(self, word: str = "rejected") -> None:
        """Something that was not to be expected now."""
        self.tell("odd", word)

    def draw(self, kind: str) -> Any:
        """The next number of a kind, or None."""
        mark = self.marks[kind]
        spent = mark.last is not None and mark.next > mark.last
        if not spent:
            self.marks[kind] = mark._replace(next=type(mark.next)(mark.next + 1))
        return None if spent or mark.next in mark.clashes else mark.next

    def put(self, bay: int, stage: str, who: Worker | None = None, *open_: Open, **more: Any) -> None:
        """A bay is another from now on."""
        self.bays[bay] = Bay(stage, who, open_, **more)

    def idler(self, child: Correlation) -> Worker | None:
        """The worker of that name who stands idle, isn't trusted, or was the last one in a bay without a worker."""
        stages = ("manned", "distrusted", *PREDECESSOR)
        names = (each.who for each in self.bays if each.stage in stages)
        return next((who for who in names if who is not None and who.child == child), None)

    # -- sending ---------------------------------------------------------------------------------------------------

    def open_door(self) -> None:
        """Somebody is sent for in every bay."""
        self.state = "busy"
        births = [self.draw("birth") for _ in self.bays]
        for bay, (birth, plan) in enumerate(zip(births, self.plans, strict=True)):
            self.send_for(bay, birth, plan)
        self.plans = ()

    def send_for(self, bay: int, birth: BirthId, plan: str) -> None:
        """Somebody is sent for."""
        self.put(bay, "sent", None, ("birth", birth))
        self.tell("made", bay, birth, plan)

    def send_off(self, bay: int, who: Worker, stage: str, after: str) -> None:
        """A worker is told to go."""
        self.put(bay, stage, who, ("told", who), after=after, told=True)
        self.tell("told", bay, who)

    def fill_places(self) -> None:
        """Warm places go to the bays that queue, first bay first; a bay without a number for its place is given up."""
        for bay, each in enumerate(self.bays):
            taken = sum(other.stage == "warming" for other in self.bays)
            if each.stage != "queuing" or each.who is None or taken == self.rules.activation_limit:
                continue
            place = self.draw("place")
            if place is None:
                self.tell("plan-unused", bay)
                self.send_off(bay, each.who, "leaving", "end")
                self.front.lost(bay)
            else:
                self.put(bay, "warming", each.who, ("place", each.who, place))
                self.tell("warmed", bay, place)

    # -- a worker is gone ------------------------------------------------------------------------------------------

    def vacated(self, bay: int, stop: Stop) -> None:
        """A worker is gone: somebody is looked for where the policy covers the exit."""
        kind = self.rules.recovery.eligibility if self.rules.recovery else "temporary"
        if kind == "permanent" or (kind == "transient" and stop.abnormal):
            self.put(bay, "vacant", stop.worker, exit=stop)
            self.front.unmanned(bay)
            return self.send_recruiter()
        return self.lose(bay)

    def send_recruiter(self) -> None:
        """There is one recruiter: he goes for the first vacant bay, once he is back."""
        if self.state != "busy" or any(each.stage == "recruiting" for each in self.bays):
            return
        vacant = ((bay, each.who, each.exit) for bay, each in enumerate(self.bays) if each.stage == "vacant")
        for bay, who, exit_ in vacant:
            self.put(bay, "recruiting", who, ("spare", who), exit=exit_)
            self.tell("sought", bay, who)
            break

    def lose(self, bay: int) -> None:
        """Nobody will stand in a bay again."""
        self.put(bay, "over")
        self.front.lost(bay)

    def give_up(self, bay: int) -> None:
        """A bay cannot be filled: it is over, or everything is."""
        if self.candidates.get(bay):
            self.tell("spare-unused", self.candidates.pop(bay).plan)
        if self.rules.recovery is not None and self.rules.recovery.failure == "stop-pool":
            self.put(bay, "over")
            return self.close()
        return self.lose(bay)

    def distrusted(self, bay: int) -> None:
        """A worker did not take its slip: it is told to go, and somebody else is looked for when it is gone."""
        who = self.bays[bay].who
        if who is not None:
            self.send_off(bay, who, "distrusted", "renew")

    def emptied(self, bay: int) -> None:
        """A worker is gone, and nothing follows."""
        self.put(bay, "over")

    def look_after(self, bay: int) -> None:
        """A worker that leaves, and of whom nothing more is to be heard, is gone."""
        each = self.bays[bay]
        if each.exit is None or each.open:
            return
        if each.after == "renew":
            self.vacated(bay, each.exit)
        elif each.after == "end":
            self.lose(bay)

    # -- what is said to a busy workshop ---------------------------------------------------------------------------

    def hear(self, fact: Any) -> None:
        """One fact about a bay."""
        bay, said = fact.role, said_by(fact)
        if not 0 <= bay < len(self.bays) or said not in self.bays[bay].open:
            late = isinstance(fact, f.WorkerReady) and self.is_late_readiness(fact)
            return self.odd("stale" if late else "rejected")
        each = self.bays[bay]
        rest = tuple(other for other in each.open if other != said)
        if each.stage in ("leaving", "distrusted"):
            self.bays[bay] = each._replace(open=rest)
            if isinstance(fact, f.InitReady):
                self.tell("plan-unused", bay)
            return self.look_after(bay)
        return self.listener(str(said[0]))(bay, each, fact)

    def listener(self, word: str) -> Callable[[int, Bay, Any], None]:
        """Who listens to what."""
        listener: Callable[[int, Bay, Any], None] = getattr(self, f"hear_{word}")
        return listener

    def is_late_readiness(self, fact: f.WorkerReady) -> bool:
        """Readiness of somebody who leaves, before the answer about his place."""
        bays = self.bays[fact.role : fact.role + 1] if fact.role >= 0 else []
        return any(each.stage == "leaving" and ("place", fact.worker, fact.ticket) in each.open for each in bays)

    def hear_exit(self, fact: f.WorkerStopped) -> None:
        """Somebody left who had no slip in hand."""
        bay, stop = fact.role, fact.stop
        each = self.bays[bay] if 0 <= bay < len(self.bays) else Bay("over")
        if each.stage == "sent":
            if each.exit is not None or each.open[0] != ("birth", stop.worker.child):
                return self.odd()
            self.bays[bay] = each._replace(exit=stop)
            return None
        if each.stage in PREDECESSOR or each.who != stop.worker or each.exit is not None:
            return self.odd()
        if each.stage in ("leaving", "distrusted"):
            self.bays[bay] = each._replace(exit=stop)
            return self.look_after(bay)
        if each.stage == "queuing":
            self.tell("plan-unused", bay)
        waits = tuple(other for other in each.open if other[0] in ("start", "place"))
        if waits:
            self.put(bay, "leaving", each.who, *waits, exit=stop, after="renew")
        else:
            self.vacated(bay, stop)
        return self.fill_places()

    def hear_birth(self, bay: int, each: Bay, fact: Any) -> None:
        """Somebody is there, or nobody came."""
        early = each.exit
        if isinstance(fact, f.BirthRejected):
            if early is not None:
                self.odd("contradiction")
            return self.give_up(bay)
        who, start = fact.worker, ("start", fact.worker, fact.attempt)
        if early is not None and early.worker == who:
            return self.put(bay, "leaving", who, start, exit=early, after="renew")
        if early is not None:
            self.odd("foreign")
        return self.put(bay, "starting", who, start)

    def hear_start(self, bay: int, each: Bay, fact: Any) -> None:
        """The start is over: to the queue for a place, or out."""
        if isinstance(fact, f.InitReady):
            self.put(bay, "queuing", each.who)
            return self.fill_places()
        if isinstance(fact, f.InitRejected):
            return self.send_off(bay, fact.worker, "leaving", "renew")
        return self.put(bay, "leaving", each.who, after="renew")

    def hear_place(self, bay: int, each: Bay, fact: Any) -> None:
        """The place is taken, or was refused."""
        if isinstance(fact, f.BeginAccepted):
            return self.put(bay, "warming", each.who, ("fit", fact.worker, fact.ticket))
        self.send_off(bay, fact.worker, "leaving", "renew")
        return self.fill_places()

    def hear_fit(self, bay: int, _: Bay, fact: Any) -> None:
        """Somebody can have slips."""
        self.put(bay, "manned", fact.worker)
        self.front.manned(bay, fact.worker)
        self.fill_places()

    def close(self) -> None:
        """The end; see `Closing`."""
        raise NotImplementedError


def offered(fact: Any) -> str:
    """What the recruiter brought."""
    return " ".join(fact.prefix) if isinstance(fact, f.SourcePartial) else str(fact.definition)


def said_by(fact: Any) -> Open:
    """What a fact says, as a bay waits for it; a birth under a foreign name says nothing."""
    if isinstance(fact, f.BirthCommitted) and fact.worker.child != fact.reservation:
        return ()
    key = _SAID.get(type(fact))
    return () if key is None else key(fact)


_SAID: dict[type, Callable[[Any], Open]] = {
    f.BirthCommitted: lambda x: ("birth", x.reservation),
    f.BirthRejected: lambda x: ("birth", x.reservation),
    f.InitReady: lambda x: ("start", x.worker, x.attempt),
    f.InitRejected: lambda x: ("start", x.worker, x.attempt),
    f.InitStopped: lambda x: ("start", x.worker, x.attempt),
    f.BeginAccepted: lambda x: ("place", x.worker, x.ticket),
    f.BeginRejected: lambda x: ("place", x.worker, x.ticket),
    f.WorkerReady: lambda x: ("fit", x.worker, x.ticket),
    f.DeliveryAccepted: lambda x: ("hand", x.child, x.assignment),
    f.DeliveryRejected: lambda x: ("hand", x.child, x.assignment),
    f.SourcePrepared: lambda x: ("spare", x.replaces),
    f.SourcePartial: lambda x: ("spare", x.replaces),
    f.SourceRejected: lambda x: ("spare", x.replaces),
    f.ScheduleAccepted: lambda x: ("clock", x.recovery, x.timer),
    f.ScheduleRejected: lambda x: ("clock", x.recovery, x.timer),
    f.TimerElapsed: lambda x: ("chime", x.recovery, x.timer),
    f.ShutdownAccepted: lambda x: ("told", x.worker),
    f.ShutdownRejected: lambda x: ("told", x.worker),
    f.DeadlineAccepted: lambda x: ("bell-set", x.timer),
    f.DeadlineRejected: lambda x: ("bell-set", x.timer),
    f.DeadlineElapsed: lambda x: ("bell-rung", x.timer),
}
