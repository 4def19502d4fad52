"""The recruiter of the workshop: he goes for one bay at a time, and what he brings is used or told as unused."""

from __future__ import annotations

from typing import Any

from harness.models.pools import facts as f
from harness.models.pools.keyed_oracle.workshop import Bay, Candidate, Workshop, offered
from harness.models.pools.timing import CLOCK_MAX


class Recruiting(Workshop):
    """What is said about replacements while the workshop is busy."""

    def hear_spare(self, bay: int, each: Bay, fact: Any) -> None:
        """The recruiter is back: with somebody who fits the budget, or not; then he goes again."""
        if not isinstance(fact, f.SourcePrepared) or each.exit is None or not self.engage(bay, fact, each.exit.at):
            self.give_up(bay)
            if not isinstance(fact, f.SourceRejected):
                self.tell("spare-unused", offered(fact))
        self.send_recruiter()

    def engage(self, bay: int, fact: f.SourcePrepared, at: int) -> bool:
        """Count, number and time a replacement; nothing is counted for one who cannot be had."""
        policy = self.rules.recovery
        if policy is None:
            return False
        recent = tuple(hour for hour in self.spent if hour >= at - policy.budget.window)
        if any(hour > at for hour in self.spent) or len(recent) >= policy.budget.restarts:
            return False
        if policy.delay is not None and at > CLOCK_MAX - policy.delay:
            return False
        recovery, birth = self.draw("recovery"), self.draw("birth")
        if recovery is None or birth is None:
            return False
        timer = None if policy.delay is None else self.draw("timer")
        if policy.delay is not None and timer is None:
            return False
        self.spent = (*recent, at)
        if policy.delay is None:
            self.send_for(bay, birth, fact.definition)
            return True
        self.candidates[bay] = Candidate(bay, fact.definition, birth)
        self.put(bay, "clocked", fact.replaces, ("clock", recovery, timer))
        self.tell("clocked", bay, recovery, timer, at + policy.delay)
        return True

    def hear_clock(self, bay: int, each: Bay, fact: Any) -> None:
        """The clock runs, or was refused."""
        if isinstance(fact, f.ScheduleRejected):
            return self.give_up(bay)
        return self.put(bay, "clocked", each.who, ("chime", fact.recovery, fact.timer))

    def hear_chime(self, bay: int, _: Bay, __: Any) -> None:
        """His hour has come."""
        candidate = self.candidates.pop(bay)
        self.send_for(bay, candidate.birth, candidate.plan)
