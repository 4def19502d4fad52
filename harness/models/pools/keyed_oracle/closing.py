"""The end in the workshop: all are told to go once, what is on its way is waited for, and a bell may cut it short."""

from __future__ import annotations

from typing import Any

from harness.models.pools import facts as f
from harness.models.pools.keyed_oracle.recruiting import Recruiting
from harness.models.pools.keyed_oracle.workshop import Bay, offered, said_by


class Closing(Recruiting):
    """The workshop from its first moment to its last."""

    def close(self) -> None:
        """The counter first, then every bay, then the bell."""
        hands = [self.front.in_hand(bay) for bay in range(len(self.bays))]
        self.front.close()
        self.state = "closing"
        for bay in sorted(self.candidates):
            self.tell("spare-unused", self.candidates[bay].plan)
        self.candidates = {}
        for bay, each in enumerate(self.bays):
            self.bays[bay] = self.winding_down(bay, each, hands[bay])
        self.set_bell()

    def winding_down(self, bay: int, each: Bay, hand: Any) -> Bay:
        """What is left to hear of a bay."""
        if each.stage in ("sent", "recruiting") or (each.stage == "clocked" and each.open[0][0] == "clock"):
            return each
        if each.who is None or each.stage in ("vacant", "clocked") or each.exit is not None:
            return Bay("over")
        if hand is not None and hand.left is not None:
            return Bay("over")
        if each.stage == "queuing":
            self.tell("plan-unused", bay)
        if each.stage == "warming":
            self.tell("cooled", bay, each.open[0][2])
        open_ = each.open if hand is None or hand.handed else (*each.open, ("hand", each.who.child, hand.pair))
        if not each.told:
            self.tell("told", bay, each.who)
            open_ = (*open_, ("told", each.who))
        return Bay("leaving", each.who, open_, told=True)

    # -- what is said to a closing workshop ------------------------------------------------------------------------

    def hear_closing(self, fact: Any) -> None:
        """One fact about a bay that winds down; it leads to nothing but the bay's end."""
        bay, said = fact.role, said_by(fact)
        if not 0 <= bay < len(self.bays) or said not in self.bays[bay].open:
            return self.odd()
        each = self.bays[bay]
        rest = tuple(other for other in each.open if other != said)
        if said[0] == "birth":
            self.bays[bay] = self.late_birth(bay, each, fact)
        elif said[0] in ("spare", "clock"):
            self.bays[bay] = Bay("over")
            if isinstance(fact, f.SourcePrepared | f.SourcePartial):
                self.tell("spare-unused", offered(fact))
        else:
            if isinstance(fact, f.BeginAccepted):
                rest = (*rest, ("fit", fact.worker, fact.ticket))
            self.bays[bay] = each._replace(open=rest)
            if isinstance(fact, f.InitReady):
                self.tell("plan-unused", bay)
            if isinstance(fact, f.WorkerReady):
                self.odd("stale")
        return None

    def late_birth(self, bay: int, each: Bay, fact: Any) -> Bay:
        """Somebody comes when it is all over, and is told to go at once."""
        early = each.exit
        if isinstance(fact, f.BirthRejected):
            if early is not None:
                self.odd("contradiction")
            return Bay("over")
        who = fact.worker
        if early is not None and early.worker == who:
            self.tell("plan-unused", bay)
            return Bay("over")
        if early is not None:
            self.odd("foreign")
        self.tell("told", bay, who)
        return Bay("leaving", who, (("start", who, fact.attempt), ("told", who)), told=True)

    def hear_closing_exit(self, fact: f.WorkerStopped) -> None:
        """Whoever was waited for is gone."""
        bay, worker = fact.role, fact.stop.worker
        each = self.bays[bay] if 0 <= bay < len(self.bays) else Bay("over")
        if each.stage == "sent" and each.exit is None and each.open[0] == ("birth", worker.child):
            self.bays[bay] = each._replace(exit=fact.stop)
        elif each.stage == "leaving" and each.who == worker:
            self.bays[bay] = Bay("over")
        else:
            self.odd()

    # -- the bell --------------------------------------------------------------------------------------------------

    def set_bell(self) -> None:
        """A limit needs a bell; without a number for it the end is cut short at once."""
        if self.rules.deadline is None or self.is_empty():
            return
        timer = self.draw("timer")
        if timer is None:
            self.cut_short()
        else:
            self.bell = ("bell-set", timer)
            self.tell("bell", timer, self.rules.deadline)

    def hear_bell(self, fact: Any) -> None:
        """The bell is set, was refused, or rings."""
        if not self.bell or self.bell != said_by(fact):
            self.odd()
        elif isinstance(fact, f.DeadlineAccepted):
            self.bell = ("bell-rung", fact.timer)
        else:
            self.cut_short()

    def cut_short(self) -> None:
        """Whoever is left is left to others."""
        self.state = "forced"
        self.tell("forced", *(bay for bay, each in enumerate(self.bays) if each.stage != "over"))

    def is_empty(self) -> bool:
        """Whether nothing is waited for any more."""
        return all(each.stage == "over" for each in self.bays)

    def settle(self) -> None:
        """A closing workshop without anything to wait for is empty."""
        if self.state == "closing" and self.is_empty():
            self.state = "empty"
