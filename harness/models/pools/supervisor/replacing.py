"""The join of a replacement: its receipt, its outcome and the predecessor's stop, in whatever order they come."""

from __future__ import annotations

from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor import members as m
from harness.models.pools.supervisor.recovery import Recoveries
from harness.models.pools.supervisor.values import ReportRefused, WorkerStop


class Replacements(Recoveries):
    """Facts about replacements while the supervisor operates."""

    def worker_stopped(self, fact: f.WorkerStopped) -> None:
        """A worker ended. Only the exact one counts, only once, and only an independent online role recovers by it."""
        member, stop = self.live(fact.proxy), fact.stop
        if isinstance(member, m.Online) and member.worker == stop.worker:
            self.put(m.Empty(member.role, member.proxy, member.worker, "stopped", stop))
            if self.pending_of(member.role) is None:
                self.recover(member.role, member.proxy, stop)
            return None
        if isinstance(member, m.Waiting) and member.stop is None and member.worker == stop.worker:
            return self.put(member._replace(stop=stop))
        if isinstance(member, m.Replacing) and self.needs_stop(member, stop):
            return self.join(member._replace(stop=stop))
        return self.reject(fact)

    def needs_stop(self, member: m.Replacing, stop: WorkerStop) -> bool:
        """Whether a replacement still waits for exactly this stop."""
        return member.stop is None and member.previous == stop.worker

    def stop_report_refused(self, fact: f.StopReportRefused) -> None:
        """The stop is known although its report is the host's: the join closes, and no stop is told."""
        member = self.live(fact.proxy)
        if not isinstance(member, m.Replacing) or not self.needs_stop(member, fact.stop):
            return self.reject(fact)
        self.emit(a.TransferRefusal(fact.stop, fact.reason))
        return self.join(member._replace(stop=ReportRefused()))

    def replacement_outcome(self, fact: f.ReplacementOutcome) -> None:
        """The proxy's one word on a replacement: its activation is free at once, the rest waits for the stop."""
        member = self.live(fact.proxy)
        if not isinstance(member, m.Replacing) or not self.is_awaited(member, fact):
            return self.reject(fact)
        return self.join(member._replace(response=m.OutcomeReturned(fact)))

    def is_awaited(self, member: m.Replacing, fact: f.ReplacementOutcome) -> bool:
        """Whether this outcome is about the replacement that the proxy has; nobody replaces itself."""
        if not isinstance(member.response, m.OutcomePending) or fact.replaces != member.previous:
            return False
        return isinstance(fact, f.ReplacementFailed) or fact.worker != member.previous

    def join(self, member: m.Replacing) -> None:
        """Stop and response as they are now; with both the replacement is decided."""
        if isinstance(member.response, m.OutcomeReturned) and member.stop is not None:
            self.close(member, member.response.outcome)
        else:
            self.put(member)
        self.issue()

    def close(self, member: m.Replacing, outcome: f.ReplacementOutcome) -> None:
        """The predecessor's stop is told, then the new worker is the role's, or the role fails."""
        batch = self.batch_of(member.role)
        if batch is None:
            raise ValueError("a participant has a recovery")
        role, proxy = member.role, member.proxy
        if isinstance(member.stop, WorkerStop):
            self.publish_stop(role, member.stop, batch.ticket)
        if isinstance(outcome, f.ReplacementReady):
            self.put(m.Online(role, proxy, outcome.worker))
            return self.publish(a.Restarted(self.name(role), proxy, batch.ticket))
        if isinstance(member.stop, WorkerStop) and self.definition.lifecycle is None:
            self.hand_over(role, member.stop)
        self.diagnose("proxy-outcome-failed", self.name(role), outcome)
        return self.fail(role, proxy, "proxy-outcome-failed")
