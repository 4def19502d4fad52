"""The end of a supervisor: every member becomes one that only ends, and is counted out by exact facts."""

from __future__ import annotations

from harness.models.pools.correlations import TimerId
from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor import members as m
from harness.models.pools.supervisor.replacing import Replacements
from harness.models.pools.supervisor.startup import unissued_of
from harness.models.pools.supervisor.state import NO_DEADLINE, Cancelled, Deadline
from harness.models.pools.supervisor.timing import latest
from harness.models.pools.supervisor.values import Proxy, Replacement, ReportRefused, WorkerStop
from harness.models.pools.timing import CLOCK_MAX


class Drains(Replacements):
    """Shutdown, and facts while the supervisor drains."""

    deadline: Deadline = NO_DEADLINE
    cancelled: tuple[Cancelled, ...] = ()
    sources: tuple[m.Pending, ...] = ()
    forced: tuple[str, f.DeadlineFact | None] | None = None

    # -- reshaping -------------------------------------------------------------------------------------------------

    def begin_drain(self) -> None:
        """Close; cancel what never left, keep what did, ask each proxy once, and arm the limit."""
        self.draining = {}
        for role in self.roles:
            self.draining[role] = self.drained_form(self.at(role))
        self.cancelled = tuple(
            Cancelled(each.ticket, each.release.timer, each.release.due, each.release.word)
            for each in self.batches.values()
            if not isinstance(each.release, m.Ready)
        )
        self.sources = tuple(self.pending.values())
        self.arm_deadline()

    def drained_form(self, member: m.Member) -> m.DrainMember:
        """What a member becomes when the supervisor ends."""
        role = member.role
        if isinstance(member, m.CreatingProxy):
            return m.ResolvingProxyBirth(role, member.reservation, member.initial, None)
        if isinstance(member, m.CreatingProxyAfterExit):
            return m.ResolvingProxyBirth(role, member.reservation, member.initial, member.exit)
        if isinstance(member, m.Retired):
            return m.Drained(role, "absent")
        if isinstance(member, m.Stopping) and member.exit is not None:
            return m.Drained(role, "graceful")
        if isinstance(member, m.Stopping) and member.asked != "not-asked":
            return m.DrainingProxy(role, member.proxy, m.IDLE, member.asked, member.refusal)
        return self.ask(role, member.proxy, self.outstanding_of(member))

    def ask(self, role: int, proxy: Proxy, outstanding: m.Outstanding) -> m.DrainingProxy:
        """One request to end."""
        self.emit(a.ShutdownProxy(proxy))
        return m.DrainingProxy(role, proxy, outstanding, "shutdown-dispatched")

    def outstanding_of(self, member: m.Live) -> m.Outstanding:
        """Everything that a member owned when the drain began, in one value."""
        batch = self.batch_of(member.role)
        recovery = None if batch is None else batch.ticket
        stop: WorkerStop | ReportRefused | None = None
        if isinstance(member, m.Empty | m.Waiting | m.Replacing):
            stop = member.stop
        return m.Outstanding(unissued_of(member), _emitted(member, batch), stop, recovery)

    def arm_deadline(self) -> None:
        """Under a limit one timer is asked for; where none can be had, the drain ends right here."""
        self.deadline = NO_DEADLINE
        if self.definition.deadline is None or self.has_ended():
            return
        timer = self.reserve("timer")
        if isinstance(timer, TimerId):
            due = min(latest(self.charges) + self.definition.deadline, CLOCK_MAX)
            self.deadline = Deadline("scheduling", timer, due)
            self.emit(a.ScheduleDeadline(timer, self.definition.deadline))
        else:
            self.force("deadline-correlation-unavailable", None)

    # -- reading ---------------------------------------------------------------------------------------------------

    def drain_member(self, role: int) -> m.DrainMember:
        """The member of a role while draining."""
        return (self.draining or {})[role]

    def put_drained(self, member: m.DrainMember) -> None:
        """A member takes the place of its role."""
        if self.draining is not None:
            self.draining[member.role] = member

    def resolving(self, reservation: object) -> m.ResolvingProxyBirth | None:
        """The member that waits for exactly this birth."""
        for each in (self.draining or {}).values():
            if isinstance(each, m.ResolvingProxyBirth) and each.reservation == reservation:
                return each
        return None

    def drained_live(self, proxy: Proxy) -> m.DrainingProxy | None:
        """The member that owns exactly this proxy, while it is there."""
        for each in (self.draining or {}).values():
            if isinstance(each, m.DrainingProxy) and each.proxy == proxy:
                return each
        return None

    def unresolved(self) -> tuple[m.DrainMember, ...]:
        """The members that have not ended, by role."""
        return tuple(each for _, each in sorted((self.draining or {}).items()) if not isinstance(each, m.Drained))

    def has_ended(self) -> bool:
        """Whether the drain is over."""
        return self.draining is not None and not self.unresolved()

    # -- births and exits ------------------------------------------------------------------------------------------

    def drain_committed(self, fact: f.ProxyCommitted) -> None:
        """A proxy that comes into being now gets nothing and is asked to end; a dead one is counted out."""
        member = self.resolving(fact.reservation)
        if member is None or fact.proxy.birth != fact.reservation:
            return self.reject(fact)
        if member.exit is None:
            return self.put_drained(self.ask(member.role, fact.proxy, m.Outstanding((member.initial,))))
        self.hand_over(member.role, member.initial)
        self.put_drained(m.Drained(member.role, "graceful"))
        return self.diagnose("proxy-died", self.name(member.role), member.exit, fact)

    def drain_rejected(self, fact: f.ProxyFoldRejected | f.ProxyHostRejected) -> None:
        """There is no proxy to end. One that was seen to end contradicts that."""
        member = self.resolving(fact.reservation)
        if member is None:
            return self.reject(fact)
        exits = () if member.exit is None else (member.exit,)
        self.hand_over(member.role, member.initial)
        self.put_drained(m.Drained(member.role, "absent"))
        return self.diagnose("proxy-creation-rejected", self.name(member.role), fact, *exits)

    def drain_early_exit(self, fact: f.ExitBeforeBirth) -> None:
        """The exit is kept until the birth is answered."""
        member = self.resolving(fact.reservation)
        if member is None or member.exit is not None:
            return self.reject(fact)
        return self.put_drained(member._replace(exit=fact))

    def drain_exit(self, fact: f.ExitAfterBirth) -> None:
        """The exact exit ends the member, and takes everything outstanding to the host."""
        member = self.drained_live(fact.proxy)
        if member is None:
            return self.reject(fact)
        if member.outstanding != m.IDLE:
            self.hand_over(member.role, member.outstanding)
        return self.put_drained(m.Drained(member.role, "graceful"))

    def drain_shutdown(self, fact: f.ShutdownAnswer) -> None:
        """The proxy knows that it shall end, or could not be told: then it does not count as drained."""
        member = self.drained_live(fact.proxy)
        if member is None or member.asked != "shutdown-dispatched":
            return self.reject(fact)
        if isinstance(fact, f.ShutdownAccepted):
            return self.put_drained(member._replace(asked="awaiting-exit"))
        self.put_drained(member._replace(asked="rejected", refusal=fact))
        return self.diagnose("proxy-shutdown-rejected", self.name(member.role), member.proxy, fact)

    # -- what left before ------------------------------------------------------------------------------------------

    def drain_operation(
        self, fact: f.InputAccepted | f.InputRejected | f.InitialOutcome | f.ReplacementOutcome
    ) -> None:
        """An answer to an operation that left before the drain: it is settled, and no role is ready by it."""
        member = self.drained_live(fact.proxy)
        emitted = None if member is None else member.outstanding.emitted
        if member is None or emitted is None or not _answers(emitted, fact):
            return self.reject(fact)
        after = _settled(emitted, fact, member.outstanding.stop is not None)
        left = member.outstanding._replace(emitted=after)
        self.put_drained(member._replace(outstanding=_freed(left)))
        if isinstance(fact, f.InputRejected):
            self.diagnose("proxy-input-rejected", self.name(member.role), fact.operation, fact.word, fact.reason)
        elif isinstance(fact, f.InitialFailed | f.ReplacementFailed):
            self.diagnose("proxy-outcome-failed", self.name(member.role), fact)
        return None

    def drain_stop(self, fact: f.WorkerStopped | f.StopReportRefused) -> None:
        """The one stop that a replacement still needs."""
        member = self.drained_live(fact.proxy)
        emitted = None if member is None else member.outstanding.emitted
        if member is None or emitted is None or member.outstanding.stop is not None:
            return self.reject(fact)
        if emitted.previous is None or emitted.previous != fact.stop.worker:
            return self.reject(fact)
        stop = fact.stop if isinstance(fact, f.WorkerStopped) else ReportRefused()
        if isinstance(fact, f.StopReportRefused):
            self.emit(a.TransferRefusal(fact.stop, fact.reason))
        closed = emitted.stage == "stop"
        left = member.outstanding._replace(emitted=None if closed else emitted, stop=stop)
        return self.put_drained(member._replace(outstanding=_freed(left)))

    def drain_unavailable(self, fact: f.Unavailable) -> None:
        """A command that a proxy on its way out could not serve is passed on all the same."""
        member = self.drained_live(fact.proxy)
        return self.reject(fact) if member is None else self.relay(member.role, fact)

    # -- timers and sources ----------------------------------------------------------------------------------------

    def drain_source(self, fact: f.SourceAnswer) -> None:
        """Workers that nobody wants any more go to the host, with the whole answer."""
        source = next((each for each in self.sources if each.preparation == fact.preparation), None)
        if source is None or not self.is_about(fact, source):
            return self.reject(fact)
        self.sources = tuple(each for each in self.sources if each != source)
        return self.hand_over(None, fact)

    def drain_restart(self, fact: f.RestartFact) -> None:
        """A cancelled timer is settled and revives nothing."""
        found = next((each for each in self.cancelled if each[:2] == (fact.recovery, fact.timer)), None)
        if found is None:
            return self.reject(fact)
        rest = tuple(each for each in self.cancelled if each != found)
        if isinstance(fact, f.TimerElapsed):
            if found.word != "waiting" or not self.is_time(fact.at, found.due):
                return self.reject(fact)
        elif found.word != "scheduling":
            return self.reject(fact)
        elif isinstance(fact, f.ScheduleAccepted):
            rest = tuple(sorted((*rest, found._replace(word="waiting"))))
        self.cancelled = rest
        return None

    def deadline_fact(self, fact: f.DeadlineFact) -> None:
        """The drain timer runs, was refused, or went off."""
        phase, timer, due = self.deadline
        elapsed = isinstance(fact, f.DeadlineElapsed)
        if timer is None or timer != fact.timer or phase != ("waiting" if elapsed else "scheduling"):
            return self.reject(fact)
        if isinstance(fact, f.DeadlineElapsed) and fact.at < due:
            return self.reject(fact)
        if isinstance(fact, f.DeadlineAccepted):
            self.deadline = Deadline("waiting", timer, due)
            return None
        return self.force("deadline-elapsed" if elapsed else "deadline-not-scheduled", fact)

    def force(self, cause: str, fact: f.DeadlineFact | None) -> None:
        """Whoever has not ended goes to the host as it is; nothing is invented for it."""
        self.forced = (cause, fact)
        for each in self.unresolved():
            self.hand_over(each.role, each)
            self.diagnose("forced-retirement", self.name(each.role), each.phase, cause)


def _emitted(member: m.Member, batch: m.Batch | None) -> m.Emitted | None:
    """The operation that left, and what is open of it."""
    if isinstance(member, m.Starting | m.AwaitingInitial):
        if isinstance(member.initial, m.WaitingForAuthorization):
            return None
        stage = "receipt" if isinstance(member.initial, m.Dispatched) else "outcome"
        return m.Emitted(member.initial.ticket, None, None, stage)
    if not isinstance(member, m.Replacing) or batch is None:
        return None
    response = member.response
    if isinstance(response, m.OutcomeReturned):
        return m.Emitted(None, batch.ticket, member.previous, "stop")
    stage = "receipt" if isinstance(response, m.InputPending) else "outcome"
    return m.Emitted(response.ticket, batch.ticket, member.previous, stage)


def _answers(
    emitted: m.Emitted, fact: f.InputAccepted | f.InputRejected | f.InitialOutcome | f.ReplacementOutcome
) -> bool:
    """Whether a fact is the next answer to an operation that left."""
    if isinstance(fact, f.InputAccepted):
        return (emitted.stage, emitted.ticket) == ("receipt", fact.ticket)
    if isinstance(fact, f.InputRejected):
        kind = fact.operation.kind
        expected = (kind.recovery, kind.replaces) if isinstance(kind, Replacement) else (None, None)
        return (emitted.stage, emitted.ticket, emitted.recovery, emitted.previous) == (
            "receipt",
            fact.operation.ticket,
            *expected,
        )
    if isinstance(fact, f.InitialReady | f.InitialFailed):
        return emitted.stage == "outcome" and emitted.previous is None
    repeats = isinstance(fact, f.ReplacementReady) and fact.worker == fact.replaces
    return emitted.stage == "outcome" and emitted.previous == fact.replaces and not repeats


def _settled(
    emitted: m.Emitted,
    fact: f.InputAccepted | f.InputRejected | f.InitialOutcome | f.ReplacementOutcome,
    has_stopped: bool,
) -> m.Emitted | None:
    """What is open after an answer."""
    if isinstance(fact, f.InputAccepted):
        return emitted._replace(stage="outcome")
    if isinstance(fact, f.ReplacementReady | f.ReplacementFailed) and not has_stopped:
        return emitted._replace(ticket=None, stage="stop")
    return None


def _freed(outstanding: m.Outstanding) -> m.Outstanding:
    """A stop whose replacement is settled is not outstanding any more."""
    is_open = outstanding.emitted is not None or outstanding.unissued
    return outstanding if is_open else m.IDLE
