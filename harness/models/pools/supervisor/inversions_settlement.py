"""Deliberate breaches of what the law says of answers: forged, damaged, half of them, and of deliveries that end.

One more is about what a forced end leaves to the host.
"""

from __future__ import annotations

from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor import members as m
from harness.models.pools.supervisor.inversions_recovery import INVERSIONS
from harness.models.pools.supervisor.inversions_roles import FIRST
from harness.models.pools.supervisor.turn import SupervisorTurn
from harness.models.pools.supervisor.values import Operation

__all__ = ["INVERSIONS"]

SETTLEMENT = "supervisor-settlement"


@INVERSIONS((8,), "A receipt counts whatever its ticket.", "late-fact-took-effect", SETTLEMENT)
class ForgedTicketCounts(SupervisorTurn):
    """Breaks the exact correlation of a receipt."""

    def input_accepted(self, fact: f.InputAccepted) -> None:
        """The proxy is right, and that is all that is looked at."""
        member = self.live(fact.proxy)
        if isinstance(member, m.Starting) and isinstance(member.initial, m.Dispatched):
            fact = fact._replace(ticket=member.initial.ticket)
        super().input_accepted(fact)


@INVERSIONS((8,), "An operation comes back whatever its ticket.", "late-fact-took-effect", SETTLEMENT)
class DisownedOperationCounts(SupervisorTurn):
    """Breaks the exact correlation of a refusal."""

    def is_emitted(self, member: m.Live, operation: Operation) -> bool:
        """The proxy had one, after all."""
        return isinstance(member, m.Starting) and isinstance(member.initial, m.Dispatched)


@INVERSIONS((5,), "An operation that was never tried is tried again.", "correlation-reissued", SETTLEMENT)
class UntriedIsTriedAgain(SupervisorTurn):
    """Breaks the end of an operation that came back."""

    def input_rejected(self, fact: f.InputRejected) -> None:
        """It leaves once more, under the ticket that it had."""
        member = self.live(fact.proxy)
        if fact.word != "not-attempted" or member is None or not self.is_emitted(member, fact.operation):
            return super().input_rejected(fact)
        if isinstance(member, m.Replacing):
            return self.emit(a.ReplaceInput(fact.proxy, fact.operation))
        return self.emit(a.InstallInput(fact.proxy, fact.operation))


@INVERSIONS((6,), "What a source made before it gave up is used.", "half-admitted", SETTLEMENT)
class HalfASourceWillDo(SupervisorTurn):
    """Breaks the whole admission: the set shrinks to what there is."""

    def source_settled(self, fact: f.SourceAnswer) -> None:
        """The recovery goes on with those who have a worker, and forgets the others."""
        pending = self.pending.get(fact.preparation)
        if not isinstance(fact, f.WorkersPartial) or not fact.prefix or pending is None:
            return super().source_settled(fact)
        some = pending._replace(roles=pending.roles[: len(fact.prefix)])
        if pending.trigger not in some.roles:
            return super().source_settled(fact)
        self.pending[fact.preparation] = some
        return self.decide(some, fact.prefix)


@INVERSIONS((9,), "A role that there is not is shown as the first one.", "projection-differs", SETTLEMENT)
class UnknownRoleIsTheFirst(SupervisorTurn):
    """Breaks the total projection."""

    def query_capability(self, fact: f.QueryCapability) -> None:
        """Somebody has to answer."""
        known = fact.role in self.definition.roles
        super().query_capability(fact if known else fact._replace(role=self.definition.roles[0]))


@INVERSIONS((11,), "A proxy that is never made is not told of.", "product-differs", SETTLEMENT)
class NeverMadeIsNeverTold(SupervisorTurn):
    """Breaks the diagnostic of a failure."""

    def diagnose(self, kind: str, *facts: object) -> None:
        """The role ends without a word."""
        if kind != "proxy-creation-rejected":
            super().diagnose(kind, *facts)


@INVERSIONS((10, 11), "A drain that is cut short keeps whom it did not see end.", "product-differs", FIRST)
class ForcedEndHandsNothingOver(SupervisorTurn):
    """Breaks the transfer of what is left at the limit of a drain."""

    def force(self, cause: str, fact: f.DeadlineFact | None) -> None:
        """Everybody is named, and nobody is handed over."""
        self.forced = (cause, fact)
        for each in self.unresolved():
            self.diagnose("forced-retirement", self.name(each.role), each.phase, cause)


@INVERSIONS((11,), "An event or a reply that comes back vanishes.", "silent-step", SETTLEMENT)
class RefusedDeliveryVanishes(SupervisorTurn):
    """Breaks the ownership of a delivery."""

    def delivery_settled(self, fact: f.DeliverySettled) -> None:
        """Only diagnostics are cared for."""
        if fact.operation is None or isinstance(fact.operation, a.DeliverDiagnostic):
            super().delivery_settled(fact)


@INVERSIONS((11,), "A delivery that was never tried counts as arrived.", "silent-step", SETTLEMENT)
class UntriedDeliveryCounts(SupervisorTurn):
    """Breaks the ownership of what was left untouched."""

    def delivery_settled(self, fact: f.DeliverySettled) -> None:
        """No refusal is as good as an arrival."""
        untried = fact.operation is not None and fact.word == "not-attempted"
        super().delivery_settled(fact._replace(word="accepted") if untried else fact)


@INVERSIONS((11,), "A diagnostic that comes back is sent once more.", "product-differs", SETTLEMENT)
class RefusedDiagnosticIsSentAgain(SupervisorTurn):
    """Breaks the one final outcome of a diagnostic."""

    def delivery_settled(self, fact: f.DeliverySettled) -> None:
        """It may arrive this time."""
        if isinstance(fact.operation, a.DeliverDiagnostic) and fact.word != "accepted":
            return self.emit(fact.operation)
        return super().delivery_settled(fact)


@INVERSIONS((8, 11), "A delivery may be settled as often as one likes.", "silent-step", SETTLEMENT)
class SettledTwice(SupervisorTurn):
    """Breaks the one end of a ticket."""

    def delivery_settled(self, fact: f.DeliverySettled) -> None:
        """A ticket that is not open is no reason to speak."""
        if fact.operation is not None:
            super().delivery_settled(fact)
