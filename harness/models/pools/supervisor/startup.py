"""The life of a proxy until its first worker is ready, and of one that ends: births, exits, first operations."""

from __future__ import annotations

from harness.models.pools.correlations import BirthId
from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor import members as m
from harness.models.pools.supervisor.draft import Draft
from harness.models.pools.supervisor.state import Constructed
from harness.models.pools.supervisor.values import Initial, Operation, Prepared, Proxy, Replacement, WorkerStop


class Startup(Draft):
    """Facts about proxies and their operations while the supervisor operates."""

    def initialize(self, before: Constructed) -> None:
        """Every creation leaves with its observations, in declared order."""
        self.admitted = [0] * len(before.roles)
        for role, prepared in enumerate(before.roles):
            name, reservation = self.name(role), prepared.reservation
            self.put(m.CreatingProxy(role, reservation, prepared.initial))
            self.emit(a.CreateProxy(name, reservation))
            self.emit(a.ObserveProxyCreation(name, reservation))
            self.emit(a.ObserveProxyEstablished(name, reservation))
            self.emit(a.ObserveProxyStop(name, reservation))

    # -- birth -----------------------------------------------------------------------------------------------------

    def creating(self, reservation: BirthId) -> m.CreatingProxy | m.CreatingProxyAfterExit | None:
        """The member that waits for exactly this birth."""
        for member in self.members.values():
            if isinstance(member, m.CreatingProxy | m.CreatingProxyAfterExit) and member.reservation == reservation:
                return member
        return None

    def proxy_committed(self, fact: f.ProxyCommitted) -> None:
        """The proxy exists; one that is known to have ended is never given anything."""
        member = self.creating(fact.reservation)
        if member is None or fact.proxy.birth != fact.reservation:
            return self.reject(fact)
        if isinstance(member, m.CreatingProxyAfterExit):
            self.hand_over(member.role, member.initial)
            self.diagnose("proxy-died", self.name(member.role), member.exit, fact)
            return self.fail(member.role, None, "proxy-died")
        self.put(m.Starting(member.role, fact.proxy, m.WaitingForAuthorization(member.initial)))
        return self.issue()

    def proxy_rejected(self, fact: f.ProxyFoldRejected | f.ProxyHostRejected) -> None:
        """No proxy. One that was seen to end contradicts that, and both facts are told."""
        member = self.creating(fact.reservation)
        if member is None:
            return self.reject(fact)
        exits = (member.exit,) if isinstance(member, m.CreatingProxyAfterExit) else ()
        self.hand_over(member.role, member.initial)
        self.diagnose("proxy-creation-rejected", self.name(member.role), fact, *exits)
        return self.fail(member.role, None, "proxy-creation-rejected")

    # -- exit ------------------------------------------------------------------------------------------------------

    def exited_before_birth(self, fact: f.ExitBeforeBirth) -> None:
        """The exit is kept until the birth is answered."""
        member = self.creating(fact.reservation)
        if not isinstance(member, m.CreatingProxy):
            return self.reject(fact)
        return self.put(m.CreatingProxyAfterExit(member.role, member.reservation, member.initial, fact))

    def exited_after_birth(self, fact: f.ExitAfterBirth) -> None:
        """The exact proxy ended: one that was asked to is counted out, any other takes its role with it."""
        member = self.live(fact.proxy)
        if member is None or (isinstance(member, m.Stopping) and member.exit is not None):
            return self.reject(fact)
        if not isinstance(member, m.Stopping):
            return self.die(member, fact)
        if member.asked == "shutdown-dispatched":
            return self.put(member._replace(exit=fact))
        return self.retire(m.Retired(member.role, member.cause, member.refusal))

    def die(self, member: m.Live, fact: f.ExitAfterBirth) -> None:
        """A proxy ends unasked. What it was given, and its activation, are the host's together with the exit."""
        self.hand_over(member.role, *emitted_of(member))
        self.release(member)
        self.diagnose("proxy-died", self.name(member.role), fact)
        self.fail(member.role, None, "proxy-died")

    def release(self, member: m.Live) -> None:
        """What never left goes back; a stop that belongs to a recovery is told, and goes back where nobody is."""
        self.hand_over(member.role, *unissued_of(member))
        stop = member.stop if isinstance(member, m.Empty | m.Waiting | m.Replacing) else None
        if not isinstance(stop, WorkerStop):
            return
        batch = self.batch_of(member.role)
        if batch is not None and self.definition.lifecycle is not None:
            self.publish_stop(member.role, stop, batch.ticket)
        else:
            self.hand_over(member.role, stop)

    def shutdown_settled(self, fact: f.ShutdownAnswer) -> None:
        """The proxy knows that it shall end, or could not be told; a refusal is kept and ends nothing."""
        member = self.live(fact.proxy)
        if not isinstance(member, m.Stopping) or member.asked != "shutdown-dispatched":
            return self.reject(fact)
        refusal = fact if isinstance(fact, f.ShutdownRejected) else None
        if member.exit is not None:
            self.retire(m.Retired(member.role, member.cause, refusal))
        else:
            asked = "awaiting-exit" if refusal is None else "rejected"
            self.put(member._replace(asked=asked, refusal=refusal))
        if refusal is not None:
            self.diagnose("proxy-shutdown-rejected", self.name(member.role), member.proxy, refusal)
        return None

    # -- operations ------------------------------------------------------------------------------------------------

    def issue(self) -> None:
        """Free activations go to who waits for one, in declared order; reservation and emission are one."""
        if self.terminal is not None or self.draining is not None:
            return
        for role in self.roles:
            if self.occupied() >= self.definition.activation_limit:
                return
            self.issue_to(role)

    def issue_to(self, role: int) -> None:
        """What a role waits with leaves, if nothing else is missing."""
        member = self.at(role)
        if isinstance(member, m.Starting | m.AwaitingInitial):
            if isinstance(member.initial, m.WaitingForAuthorization):
                self.emit(a.InstallInput(member.proxy, member.initial.input))
                self.put(member._replace(initial=m.Dispatched(member.initial.input.ticket)))
        elif isinstance(member, m.Waiting) and self.may_replace(member):
            batch = self.batch_of(role)
            if batch is None:
                raise ValueError("a participant has a recovery")
            kind = Replacement(batch.ticket, member.worker)
            operation = Operation(member.prepared.ticket, kind, member.prepared.definition)
            self.emit(a.ReplaceInput(member.proxy, operation))
            response = m.InputPending(member.prepared.ticket)
            self.put(m.Replacing(role, member.proxy, member.worker, member.stop, response))

    def may_replace(self, member: m.Waiting) -> bool:
        """Whether the recovery of a waiting participant is released."""
        batch = self.batch_of(member.role)
        return batch is not None and isinstance(batch.release, m.Ready)

    def input_accepted(self, fact: f.InputAccepted) -> None:
        """The proxy has the operation."""
        member = self.live(fact.proxy)
        if isinstance(member, m.Starting | m.AwaitingInitial) and member.initial == m.Dispatched(fact.ticket):
            return self.put(member._replace(initial=m.AwaitingOutcome(fact.ticket)))
        if isinstance(member, m.Replacing) and member.response == m.InputPending(fact.ticket):
            return self.put(member._replace(response=m.OutcomePending(fact.ticket)))
        return self.reject(fact)

    def input_rejected(self, fact: f.InputRejected) -> None:
        """The operation comes back whole and is not tried again."""
        member = self.live(fact.proxy)
        if member is None or not self.is_emitted(member, fact.operation):
            return self.reject(fact)
        self.release(member)
        self.diagnose("proxy-input-rejected", self.name(member.role), fact.operation, fact.word, fact.reason)
        return self.fail(member.role, member.proxy, "proxy-input-rejected")

    def is_emitted(self, member: m.Live, operation: Operation) -> bool:
        """Whether this very operation left for the member and has no receipt."""
        if isinstance(member, m.Starting | m.AwaitingInitial):
            return member.initial == m.Dispatched(operation.ticket) and operation.kind == Initial()
        if not isinstance(member, m.Replacing) or member.response != m.InputPending(operation.ticket):
            return False
        batch = self.batch_of(member.role)
        return batch is not None and operation.kind == Replacement(batch.ticket, member.previous)

    def initial_outcome(self, fact: f.InitialOutcome) -> None:
        """The proxy's one word on its first worker."""
        member = self.live(fact.proxy)
        if not isinstance(member, m.Starting | m.AwaitingInitial) or not self.has_receipt(member):
            return self.reject(fact)
        if isinstance(fact, f.InitialFailed):
            self.release(member)
            self.diagnose("proxy-outcome-failed", self.name(member.role), fact)
            return self.fail(member.role, member.proxy, "proxy-outcome-failed")
        if isinstance(member, m.Starting):
            self.put(m.Online(member.role, member.proxy, fact.worker))
        else:
            self.put(m.Waiting(member.role, member.proxy, fact.worker, None, member.prepared))
        self.publish(a.Started(self.name(member.role), member.proxy))
        return self.issue()

    def has_receipt(self, member: m.Starting | m.AwaitingInitial) -> bool:
        """Whether the outcome of a first operation may come."""
        return isinstance(member.initial, m.AwaitingOutcome)

    def unavailable(self, fact: f.Unavailable) -> None:
        """A command that a live proxy could not serve is passed on whole."""
        member = self.live(fact.proxy)
        if member is None or (isinstance(member, m.Stopping) and member.exit is not None):
            return self.reject(fact)
        return self.relay(member.role, fact)

    def relay(self, role: int, fact: f.Unavailable) -> None:
        """One event, or one diagnostic where nobody hears events."""
        if self.definition.lifecycle is None:
            return self.diagnose("proxy-unavailable", self.name(role), fact)
        return self.publish(a.Relayed(self.name(role), fact.sender, fact.phase, fact.command))


def emitted_of(member: m.Live) -> tuple[Proxy | m.Dispatched | m.AwaitingOutcome | m.Response, ...]:
    """What left for a member's proxy and is not settled, with the proxy that it left for."""
    if isinstance(member, m.Starting | m.AwaitingInitial):
        initial = member.initial
        return () if isinstance(initial, m.WaitingForAuthorization) else (member.proxy, initial)
    return (member.proxy, member.response) if isinstance(member, m.Replacing) else ()


def unissued_of(member: m.Member) -> tuple[Operation | Prepared, ...]:
    """What a member has that never left."""
    if isinstance(member, m.CreatingProxy | m.CreatingProxyAfterExit):
        return (member.initial,)
    if not isinstance(member, m.Starting | m.AwaitingInitial | m.Waiting):
        return ()
    initial = None if isinstance(member, m.Waiting) else member.initial
    inputs = (initial.input,) if isinstance(initial, m.WaitingForAuthorization) else ()
    return inputs if isinstance(member, m.Starting) else (*inputs, member.prepared)
