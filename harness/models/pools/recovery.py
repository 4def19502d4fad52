"""Recovery of one role after one stop: eligibility, the worker source, the budget, the delay, the replacement."""

from __future__ import annotations

from harness.models.pools import actions as a
from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.assignments import Assignments
from harness.models.pools.correlations import BirthId, RecoveryId, TimerId
from harness.models.pools.timing import charge, due
from harness.models.pools.values import Birth, Stop, Worker


class Recoveries(Assignments):
    """Facts about replacements of an operating pool."""

    def recover(self, role: int, worker: Worker, stop: Stop) -> None:
        """Where the policy covers this stop a replacement is asked for; otherwise the role retires."""
        if not self.is_eligible(stop):
            return self.retire(role, "not-eligible")
        self.put(m.Recovering(role, worker, stop, m.Preparing()))
        return self.emit(a.PrepareWorker(role, worker))

    def is_eligible(self, stop: Stop) -> bool:
        """Permanent: after any stop; transient: after an abnormal one; temporary: never."""
        eligibility = self.recovery.eligibility
        return eligibility == "permanent" or (eligibility == "transient" and stop.abnormal)

    def source_settled(self, fact: f.SourceAnswer) -> None:
        """The worker source's answer: the pool decides what it means."""
        member = self.member(fact.role)
        if not isinstance(member, m.Recovering) or member.predecessor != fact.replaces:
            return self.reject(fact)
        if not isinstance(member.recovery, m.Preparing):
            return self.reject(fact)
        if not isinstance(fact, f.SourcePrepared):
            return self.topology_failure(fact.role, "worker-source-failed")
        return self.prepare(member, fact.definition)

    def prepare(self, member: m.Recovering, definition: str) -> None:
        """Budget, correlations and timing, all of them before anything is committed; a failure charges nothing."""
        role, stop = member.role, member.stop
        charges, failure = charge(self.charges, stop.at, self.recovery.budget)
        if failure is not None:
            return self.topology_failure(role, failure)
        delay = self.recovery.delay
        when = None if delay is None else due(stop.at, delay)
        if delay is not None and when is None:
            return self.topology_failure(role, "delay-overflow")
        recovery, birth = self.reserve("recovery"), self.reserve("birth")
        if not isinstance(recovery, RecoveryId) or not isinstance(birth, BirthId):
            return self.topology_failure(role, "recovery-correlation-unavailable")
        if when is None:
            self.charges = charges
            return self.create(role, birth, definition, Birth(recovery, member.predecessor.evidence))
        timer = self.reserve("timer")
        if not isinstance(timer, TimerId):
            return self.topology_failure(role, "timer-correlation-unavailable")
        self.charges = charges
        phase = m.Scheduling(recovery, timer, m.Prepared(definition, birth, when))
        self.put(member._replace(recovery=phase))
        return self.emit(a.ScheduleRestart(role, recovery, timer, when))

    def restart_fact(self, fact: f.RestartFact) -> None:
        """The restart timer was taken, refused, or went off."""
        member = self.member(fact.role)
        if isinstance(member, m.DrainingPreReady | m.Stopping):
            if member.outstanding.restart == fact.timer:
                return self.settle(member, member.outstanding._replace(restart=None))
            return self.reject(fact)
        if not isinstance(member, m.Recovering) or isinstance(member.recovery, m.WaitingForSource | m.Preparing):
            return self.reject(fact)
        phase = member.recovery
        elapsed = isinstance(fact, f.TimerElapsed)
        if (phase.recovery, phase.timer) != (fact.recovery, fact.timer):
            return self.reject(fact)
        if elapsed != isinstance(phase, m.WaitingForTimer):
            return self.reject(fact)
        if isinstance(fact, f.ScheduleRejected):
            return self.topology_failure(fact.role, "restart-schedule-rejected")
        if isinstance(fact, f.ScheduleAccepted):
            waiting = m.WaitingForTimer(phase.recovery, phase.timer, phase.prepared)
            return self.put(member._replace(recovery=waiting))
        kind = Birth(phase.recovery, member.predecessor.evidence)
        return self.create(member.role, phase.prepared.reservation, phase.prepared.definition, kind)
