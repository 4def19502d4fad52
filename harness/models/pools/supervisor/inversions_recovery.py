"""Deliberate breaches of what the law says of recoveries, late facts, the drain, and whole products."""

from __future__ import annotations

from typing import Any

from harness.models.pools.correlations import BirthId
from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor import members as m
from harness.models.pools.supervisor.inversions_roles import FIRST, INVERSIONS, JOIN
from harness.models.pools.supervisor.recovery import Commit
from harness.models.pools.supervisor.state import Operating
from harness.models.pools.supervisor.timing import Charge, latest
from harness.models.pools.supervisor.turn import SupervisorTurn
from harness.models.pools.supervisor.values import Prepared, Proxy, Submission, WorkerId

__all__ = ["INVERSIONS"]


@INVERSIONS((6,), "Only the trigger of a recovery is admitted.", "half-admitted", FIRST)
class AdmitsTheTriggerAlone(SupervisorTurn):
    """Breaks the whole admission: the set shrinks after it was chosen."""

    def commit(self, pending: m.Pending, submissions: tuple[Submission, ...], commit: Commit) -> None:
        """The others are left out."""
        mine = tuple(each for each in submissions if each.role == self.name(pending.trigger))
        super().commit(pending._replace(roles=(pending.trigger,)), mine, commit)


@INVERSIONS((6,), "A recovery that is not to be takes its peers along.", "peer-changed", FIRST)
class RefusalFailsThePeers(SupervisorTurn):
    """Breaks the harmlessness of a failed admission."""

    def give_up(self, trigger: int, roles: tuple[int, ...], cause: str) -> None:
        """Everybody who was chosen fails."""
        super().give_up(trigger, roles, cause)
        for role in roles:
            member = self.at(role)
            if isinstance(member, m.Online | m.Starting):
                self.release(member)
                self.fail(role, member.proxy, cause)


@INVERSIONS((6, 8), "A role that is chosen already may be chosen again.", "recovery-overlap", FIRST)
class ChosenTwice(SupervisorTurn):
    """Breaks the disjointness of recoveries."""

    def can_join(self, role: int, pending: m.Pending | None) -> bool:
        """Nobody asks who else wants it."""
        return super().can_join(role, self.pending_of(role))


@INVERSIONS((6,), "The budget is charged and never asked.", "budget-exceeded", FIRST)
class BudgetHasNoEnd(SupervisorTurn):
    """Breaks the bound of the charge."""

    def calculate(self, pending: m.Pending) -> Any:
        """A reached limit is no reason."""
        found = super().calculate(pending)
        member: Any = self.at(pending.trigger)
        if getattr(found, "reason", "") != "restart-limit-reached":
            return found
        charges = (*self.charges, Charge(member.stop.at, len(pending.roles)))
        ticket: Any = self.reserve("recovery")
        return Commit(ticket, m.Ready(), self.admitted[pending.trigger] + 1, charges)


@INVERSIONS((7,), "Replacements leave before their recovery is released.", "issued-before-release", FIRST)
class TimerIsNotWaitedFor(SupervisorTurn):
    """Breaks the need for timing."""

    def may_replace(self, member: m.Waiting) -> bool:
        """Always."""
        return True


@INVERSIONS((7,), "A first worker on its way is replaced.", "replacement-without-predecessor", FIRST)
class FirstWorkerNeedNotBeThere(SupervisorTurn):
    """Breaks the need for readiness."""

    def participant(self, role: int, prepared: Prepared) -> m.Participant:
        """Whoever is starting joins as if it were online."""
        member = self.at(role)
        if isinstance(member, m.Starting):
            return m.Waiting(role, member.proxy, WorkerId(0), None, prepared)
        return super().participant(role, prepared)


@INVERSIONS((7,), "An outcome frees its activation for nobody.", "held-back", JOIN)
class FreePlaceIsNotUsed(SupervisorTurn):
    """Breaks the fold of an outcome and the next operation."""

    def replacement_outcome(self, fact: f.ReplacementOutcome) -> None:
        """Nothing leaves with it."""
        super().replacement_outcome(fact)
        if not isinstance(self.before, Operating) or not self.lanes.pop("proxy_replacement_inputs", None):
            return
        for batch in self.before.batches:
            for each in batch.members:
                if isinstance(each, m.Waiting):
                    self.put(each)


@INVERSIONS((8,), "A stop that was used already ends the role.", "late-fact-took-effect", FIRST)
class LateStopEndsTheRole(SupervisorTurn):
    """Breaks the harmlessness of late facts."""

    def worker_stopped(self, fact: f.WorkerStopped) -> None:
        """An empty role fails by the same stop."""
        member = self.live(fact.proxy)
        if isinstance(member, m.Empty) and member.previous == fact.stop.worker:
            return self.fail(member.role, member.proxy, "stopped")
        return super().worker_stopped(fact)


@INVERSIONS((8, 6), "A restart timer charges the budget once more.", "charged-twice", FIRST)
class TimerChargesAgain(SupervisorTurn):
    """Breaks the single charge."""

    def restart_fact(self, fact: f.RestartFact) -> None:
        """The release counts as another recovery."""
        super().restart_fact(fact)
        if isinstance(fact, f.TimerElapsed) and fact.recovery in self.batches:
            self.charges = (*self.charges, Charge(latest(self.charges), 1))


@INVERSIONS((8, 3), "The stop after the outcome is kept and closes nothing.", "join-left-open", JOIN)
class StopClosesNothing(SupervisorTurn):
    """Breaks the end of the join."""

    def join(self, member: m.Replacing) -> None:
        """Both reports stay where they are."""
        self.put(member)
        self.issue()


@INVERSIONS((10,), "Workers that come too late are asked for once more.", "work-after-shutdown", FIRST)
class LateWorkersAreAskedAgain(SupervisorTurn):
    """Breaks the end of recovery."""

    def drain_source(self, fact: f.SourceAnswer) -> None:
        """The drain recovers."""
        super().drain_source(fact)
        if isinstance(fact, f.WorkersPrepared):
            roles = tuple(each.role for each in fact.submissions)
            self.emit(a.PrepareWorkers(self.fresh_preparation(), roles))


@INVERSIONS((10,), "A repeated shutdown asks every proxy again.", "asked-twice-to-end", FIRST)
class ShutdownAsksAgain(SupervisorTurn):
    """Breaks the single request."""

    def repeat_shutdown(self, _: f.Shutdown) -> None:
        """All requests leave once more."""
        for each in self.unresolved():
            if isinstance(each, m.DrainingProxy):
                self.emit(a.ShutdownProxy(each.proxy))


@INVERSIONS((10,), "Shutdown ends children that are not the supervisor's.", "stranger-asked-to-end", FIRST)
class ShutdownEndsStrangers(SupervisorTurn):
    """Breaks the bounds of the drain."""

    def begin_drain(self) -> None:
        """One more is asked."""
        super().begin_drain()
        self.emit(a.ShutdownProxy(Proxy(BirthId(len(self.definition.roles) + 1))))


@INVERSIONS((10,), "Shutdown forgets proxies without a worker.", "proxy-abandoned", FIRST)
class ShutdownForgetsStarts(SupervisorTurn):
    """Breaks the drain of every proxy."""

    def drained_form(self, member: m.Member) -> m.DrainMember:
        """A role that starts counts as ended."""
        return m.Drained(member.role, "absent") if isinstance(member, m.Starting) else super().drained_form(member)


@INVERSIONS((11, 8), "A fact that fits nothing vanishes.", "silent-step", FIRST)
class RejectsInSilence(SupervisorTurn):
    """Breaks the diagnostic that every unexpected fact leaves."""

    def reject(self, fact: f.Fact) -> None:
        """Nothing leaves."""


@INVERSIONS((11, 6), "Workers that can't be used vanish.", "input-lost", FIRST)
class UnusedWorkersVanish(SupervisorTurn):
    """Breaks the return of what is not used."""

    def hand_over(self, role: int | None, *residual: Any) -> None:
        """Nothing leaves."""


@INVERSIONS((11,), "A denied recovery does not tell the stop that it was for.", "stop-lost", FIRST)
class DeniedStopVanishes(SupervisorTurn):
    """Breaks the ownership of a stop."""

    def diagnose(self, kind: str, *facts: Any) -> None:
        """The diagnostic has a reason and no stop."""
        kept = facts if kind != "recovery-denied" else (facts[0], None, facts[2])
        super().diagnose(kind, *kept)


@INVERSIONS((11, 10), "A drain that is cut short does not tell whom it left.", "product-differs", FIRST)
class ForcedEndIsSilent(SupervisorTurn):
    """Breaks the whole product of a forced retirement."""

    def force(self, cause: str, fact: f.DeadlineFact | None) -> None:
        """The host gets them without a word."""
        self.forced = (cause, fact)
        for each in self.unresolved():
            self.hand_over(each.role, each)
