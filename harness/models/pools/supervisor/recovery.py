"""Recovery: who is chosen, the one step in which all of it is admitted, its release, and its end without one."""

from __future__ import annotations

from harness.models.pools.correlations import RecoveryId, TimerId
from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor import members as m
from harness.models.pools.supervisor.startup import Startup
from harness.models.pools.supervisor.timing import Charge, charge, delay, latest, next_ordinal
from harness.models.pools.supervisor.values import Denial, Prepared, Proxy, Submission, WorkerStop
from harness.models.pools.timing import due


class Commit:
    """What steps 8 to 12 of a recovery came to: all numbers reserved, and nothing committed yet."""

    def __init__(self, ticket: RecoveryId, release: m.Release, ordinal: int, charges: tuple[Charge, ...]) -> None:
        self.ticket = ticket
        self.release = release
        self.ordinal = ordinal
        self.charges = charges


class Recoveries(Startup):
    """Facts about recoveries while the supervisor operates."""

    # -- steps 1 to 6: what is decided at the stop -----------------------------------------------------------------

    def recover(self, trigger: int, proxy: Proxy, stop: WorkerStop) -> None:
        """Where the policy covers the stop, choose who comes along and ask for their workers.

        The role is empty by now. A stop that is not covered leaves it so, behind its living proxy.
        """
        member = self.at(trigger)
        if not isinstance(member, m.Empty):
            raise ValueError("a recovery begins at an empty role")
        if not self.is_eligible(stop):
            self.put(member._replace(cause="ineligible", stop=None))
            return self.publish_stop(trigger, stop, None)
        chosen = self.select(trigger)
        blocked = next((role for role in chosen if not self.can_join(role, None)), None)
        if blocked is not None:
            return self.deny(trigger, (trigger,), Denial("role-not-restartable", (), self.name(blocked)))
        preparation = self.fresh_preparation()
        self.pending[preparation] = m.Pending(preparation, trigger, chosen)
        return self.emit(a.PrepareWorkers(preparation, tuple(map(self.name, chosen))))

    def is_eligible(self, stop: WorkerStop) -> bool:
        """Permanent: after any stop; transient: after an abnormal one; temporary: never."""
        recovery = self.definition.recovery
        eligibility = recovery.eligibility if recovery is not None else "temporary"
        return eligibility == "permanent" or (eligibility == "transient" and stop.abnormal)

    def select(self, trigger: int) -> tuple[int, ...]:
        """The roles that the strategy wants, in declared order. Roles that are over for good are not among them."""
        strategy = self.restarts.strategy
        if strategy == "one-for-one":
            return (trigger,)
        first = trigger if strategy == "rest-for-one" else 0
        return tuple(role for role in self.roles[first:] if role == trigger or not self.is_over(role))

    def is_over(self, role: int) -> bool:
        """Whether a role has nothing to restart and never will have."""
        member = self.at(role)
        if isinstance(member, m.Empty):
            return member.stop is None
        return isinstance(member, m.Stopping | m.Retired)

    def can_join(self, role: int, pending: m.Pending | None) -> bool:
        """Whether a chosen role can take part, being chosen for no other recovery and taking part in none."""
        if self.pending_of(role) is not pending:
            return False
        member = self.at(role)
        if isinstance(member, m.Empty):
            return member.stop is not None
        return isinstance(member, m.Online | m.Starting)

    # -- step 7: the source answers --------------------------------------------------------------------------------

    def source_settled(self, fact: f.SourceAnswer) -> None:
        """The exact answer of the source: all workers, or none of them is used."""
        pending = self.pending.get(fact.preparation)
        if pending is None or not self.is_about(fact, pending):
            return self.reject(fact)
        if isinstance(fact, f.WorkersPrepared):
            return self.decide(pending, fact.submissions)
        del self.pending[fact.preparation]
        prepared, reason, remaining = told_failure(fact, tuple(map(self.name, pending.roles)))
        self.diagnose("worker-preparation-failed", self.name(pending.trigger), prepared, reason, remaining)
        return self.give_up(pending.trigger, pending.roles, "worker-preparation-failed")

    def is_about(self, fact: f.SourceAnswer, pending: m.Pending) -> bool:
        """Whether an answer speaks of exactly the roles that were asked for, in order."""
        if isinstance(fact, f.SourceRejected):
            return True
        names = tuple(map(self.name, pending.roles))
        if isinstance(fact, f.WorkersPrepared):
            return tuple(each.role for each in fact.submissions) == names
        return (*(each.role for each in fact.prefix), fact.refused, *fact.remaining) == names

    # -- steps 8 to 13 ---------------------------------------------------------------------------------------------

    def decide(self, pending: m.Pending, submissions: tuple[Submission, ...]) -> None:
        """Everything that can fail, then everything that is committed."""
        commit = self.calculate(pending)
        del self.pending[pending.preparation]
        if isinstance(commit, Denial):
            for role, each in zip(pending.roles, submissions, strict=True):
                self.hand_over(role, each)
            return self.deny(pending.trigger, pending.roles, commit)
        return self.commit(pending, submissions, commit)

    def calculate(self, pending: m.Pending) -> Commit | Denial:
        """Reserve, prune, refuse a clock that runs backwards, charge, and compute the delay, without committing."""
        blocked = next((role for role in pending.roles if not self.can_join(role, pending)), None)
        if blocked is not None:
            return Denial("role-not-restartable", (), self.name(blocked))
        trigger = self.at(pending.trigger)
        if not isinstance(trigger, m.Empty) or trigger.stop is None:
            raise ValueError("a recovery is triggered by a stop")
        ticket = self.reserve("recovery")
        if not isinstance(ticket, RecoveryId):
            return Denial("recovery-tickets-exhausted")
        timing = self.restarts.timing
        timer = None if timing.kind == "immediate" else self.reserve("timer")
        if timing.kind != "immediate" and not isinstance(timer, TimerId):
            return Denial("restart-timers-exhausted")
        charges, denial = charge(self.charges, trigger.stop.at, len(pending.roles), self.restarts.budget)
        if denial is not None:
            return denial
        ordinal = next_ordinal(self.admitted[pending.trigger])
        if ordinal is None:
            return Denial("recovery-count-exhausted", (self.admitted[pending.trigger],))
        try:
            ticks = delay(timing, ordinal)
        except ValueError as error:
            return Denial("release-calculation-failed", (), str(error))
        when = None if ticks is None else due(trigger.stop.at, ticks)
        if ticks is not None and when is None:
            return Denial("release-calculation-failed", (), "deadline-overflow")
        release = m.Scheduling(timer, when) if isinstance(timer, TimerId) and when is not None else m.Ready()
        return Commit(ticket, release, ordinal, charges)

    def commit(self, pending: m.Pending, submissions: tuple[Submission, ...], commit: Commit) -> None:
        """The partition, the replacements, the numbers and the charge, all at once; then what may leave does."""
        self.charges = commit.charges
        self.admitted[pending.trigger] = commit.ordinal
        joining = [
            self.participant(role, Prepared(self.fresh_operation(), each.definition))
            for role, each in zip(pending.roles, submissions, strict=True)
        ]
        for role in pending.roles:
            del self.members[role]
        self.batches[commit.ticket] = m.Batch(commit.ticket, pending.trigger, commit.release, tuple(joining))
        if isinstance(commit.release, m.Scheduling):
            self.emit(a.ScheduleRestart(commit.ticket, commit.release.timer, commit.release.due))
        self.issue()

    def participant(self, role: int, prepared: Prepared) -> m.Participant:
        """What a chosen role becomes."""
        member = self.at(role)
        if isinstance(member, m.Starting):
            return m.AwaitingInitial(role, member.proxy, member.initial, prepared)
        if isinstance(member, m.Online):
            return m.Waiting(role, member.proxy, member.worker, None, prepared)
        if isinstance(member, m.Empty):
            return m.Waiting(role, member.proxy, member.previous, member.stop, prepared)
        raise ValueError("only roles that can join are chosen")

    # -- without a recovery ----------------------------------------------------------------------------------------

    def deny(self, trigger: int, roles: tuple[int, ...], reason: Denial) -> None:
        """The diagnostic owns the stop, no event is built for it, and the reaction falls on the trigger alone."""
        member = self.at(trigger)
        stop = member.stop if isinstance(member, m.Empty) else None
        if isinstance(member, m.Empty):
            self.put(member._replace(stop=None))
        self.diagnose("recovery-denied", self.name(trigger), stop, reason)
        self.give_up(trigger, roles, "recovery-denied")

    def give_up(self, trigger: int, roles: tuple[int, ...], cause: str) -> None:
        """The trigger fails if it is still there; a peer that stopped in the meantime has its own recovery."""
        member = self.at(trigger)
        if isinstance(member, m.Empty):
            if member.stop is not None:
                self.hand_over(trigger, member.stop)
            self.fail(trigger, member.proxy, cause)
        self.reopen(roles)

    def reopen(self, roles: tuple[int, ...]) -> None:
        """Stops that were kept for a recovery that is not to be are decided on their own."""
        for role in roles:
            if self.terminal is not None or self.draining is not None:
                return
            member = self.at(role)
            if isinstance(member, m.Empty) and member.stop is not None and self.pending_of(role) is None:
                self.recover(role, member.proxy, member.stop)

    # -- release ---------------------------------------------------------------------------------------------------

    def restart_fact(self, fact: f.RestartFact) -> None:
        """The restart timer runs, was refused, or went off."""
        batch = self.batches.get(fact.recovery)
        if batch is None or isinstance(batch.release, m.Ready) or batch.release.timer != fact.timer:
            return self.reject(fact)
        release = batch.release
        if isinstance(fact, f.TimerElapsed):
            if not isinstance(release, m.WaitingForTimer) or not self.is_time(fact.at, release.due):
                return self.reject(fact)
            self.batches[fact.recovery] = batch._replace(release=m.Ready())
            return self.issue()
        if not isinstance(release, m.Scheduling):
            return self.reject(fact)
        if isinstance(fact, f.ScheduleRejected):
            return self.dissolve(batch, fact)
        self.batches[fact.recovery] = batch._replace(release=m.WaitingForTimer(release.timer, release.due))
        return None

    def is_time(self, at: int, due_at: int) -> bool:
        """Whether a timer fact is neither early nor from before what is known."""
        return at >= due_at and at >= latest(self.charges)

    def dissolve(self, batch: m.Batch, fact: f.ScheduleRejected) -> None:
        """No timer, no recovery: replacements go back, peers are as before, and the trigger fails."""
        for each in batch.members:
            if isinstance(each, m.Replacing):
                raise ValueError("nothing was emitted before the release")
            self.hand_over(each.role, each.prepared)
            self.put(independent(each))
        self.diagnose("restart-schedule-rejected", self.name(batch.trigger), fact)
        trigger = self.at(batch.trigger)
        if isinstance(trigger, m.Empty) and trigger.stop is not None:
            self.fail_after(trigger, trigger.stop, batch)
        self.reopen(tuple(each.role for each in batch.members))

    def fail_after(self, trigger: m.Empty, stop: WorkerStop, batch: m.Batch) -> None:
        """The trigger of a dissolved recovery fails; its stop was admitted and is told as such."""
        if self.definition.lifecycle is None:
            self.hand_over(trigger.role, stop)
        self.publish_stop(trigger.role, stop, batch.ticket)
        self.put(trigger._replace(stop=None))
        self.fail(trigger.role, trigger.proxy, "restart-schedule-rejected")


def independent(member: m.AwaitingInitial | m.Waiting) -> m.Independent:
    """What a participant was before its recovery."""
    if isinstance(member, m.AwaitingInitial):
        return m.Starting(member.role, member.proxy, member.initial)
    if member.stop is None:
        return m.Online(member.role, member.proxy, member.worker)
    return m.Empty(member.role, member.proxy, member.worker, "stopped", member.stop)


def told_failure(
    fact: f.WorkersPartial | f.SourceRejected, names: tuple[str, ...]
) -> tuple[tuple[Submission, ...], tuple[str, ...], tuple[str, ...]]:
    """What was prepared, why there is not more, and who was not come to."""
    if isinstance(fact, f.WorkersPartial):
        return fact.prefix, (fact.refused, fact.reason), fact.remaining
    return (), (fact.reason,), names
