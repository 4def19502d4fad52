"""The binding table in one step: keeping, moving and dropping bindings, and the commands of managers.

The expectation of a command is compared before its target is looked at, so that a late command never changes what it
did not mean. The table alone keeps keys; a job has the generation and the role, and keeps no binding alive.
"""

from __future__ import annotations

from harness.models.pools.correlations import Allocator, GenerationId, reserve
from harness.models.pools.deadlines import Deadlines
from harness.models.pools.keyed.definition import KeyedDefinition
from harness.models.pools.keyed.eligibility import BINDABLE, UNAVAILABLE, management_of
from harness.models.pools.keyed.inputs import Binding, Command, Rebalance, Unbind
from harness.models.pools.keyed.outcomes import (
    AlreadyUnbound,
    BoundAbsent,
    DeliverManagement,
    ManagementOutcome,
    Rebalanced,
    RebalanceUnchanged,
    Refused,
    Unbound,
)
from harness.models.pools.keyed.state import Table, Unsent
from harness.models.pools.members import Member
from harness.models.pools.values import Admitted


class BindingTable(Deadlines):
    """Commands about bindings; `kept` and `generations` are this step's draft of the table."""

    keyed: KeyedDefinition
    kept: dict[str, Binding]
    generations: Allocator
    unsent: tuple[Unsent, ...]

    # -- the table -------------------------------------------------------------------------------------------------

    def table(self) -> Table:
        """The table after the step."""
        return Table(tuple(self.kept[key] for key in sorted(self.kept)), self.generations)

    def has_room(self) -> bool:
        """Whether one more key can be bound."""
        return len(self.kept) < self.keyed.binding_capacity

    def reserve_generation(self, key: str) -> GenerationId | None:
        """A generation that no binding ever had, of this key or another; None where there is none to have."""
        reservation, self.generations = reserve(self.generations)
        number = reservation.number
        return number if isinstance(number, GenerationId) else None

    def bind(self, binding: Binding) -> Admitted:
        """The key is bound from now on, in place of what it was bound to."""
        self.kept[binding.key] = binding
        return evidence(binding)

    def drop_bindings(self, role: str | None, cause: str) -> None:
        """Take the bindings of a role (None: of all) out of the table; each leaves whole in a diagnostic."""
        gone = [self.kept[key] for key in sorted(self.kept) if role in (None, self.kept[key].role)]
        for each in gone:
            del self.kept[each.key]
            self.diagnose("binding-removed", cause, each)

    # -- roles -----------------------------------------------------------------------------------------------------

    def role_member(self, role: int) -> Member | Unsent:
        """What stands for a role, also before the pool begins."""
        return self.unsent[role] if self.unsent else self.members[role]

    def target_fault(self, target: str) -> str | None:
        """Why a key can't be bound to a role, None where it can."""
        if target not in self.keyed.roles:
            return "unknown-target"
        bindable = management_of(self.role_member(self.keyed.roles.index(target))) == BINDABLE
        return None if bindable else f"target-{UNAVAILABLE}"

    # -- commands --------------------------------------------------------------------------------------------------

    def manage(self, command: Command) -> None:
        """One command: compare what it expects, then do what it says."""
        if not self.is_expected(command):
            binding = self.kept.get(command.key)
            actual = None if binding is None else binding.generation
            return self.reply(command, Refused(command, "stale-expectation", actual))
        if isinstance(command, Rebalance):
            return self.reply(command, self.rebalance(command))
        return self.reply(command, self.unbind(command))

    def is_expected(self, command: Command) -> bool:
        """Whether the table has exactly what the command expects: nothing, or that generation."""
        binding = self.kept.get(command.key)
        return command.expected == (None if binding is None else binding.generation)

    def rebalance(self, command: Rebalance) -> ManagementOutcome:
        """Bind an absent key, leave a key where it is, or move it under a generation reserved before."""
        binding, target = self.kept.get(command.key), command.target
        fault = self.target_fault(target)
        if fault is not None:
            return Refused(command, fault)
        if binding is not None and binding.role == target:
            return RebalanceUnchanged(command.request, evidence(binding))
        if binding is None and not self.has_room():
            return Refused(command, "binding-capacity-exhausted")
        generation = self.reserve_generation(command.key)
        if generation is None:
            return Refused(command, "generation-reservation-rejected")
        current = self.bind(Binding(command.key, generation, target))
        if binding is None:
            return BoundAbsent(command.request, current)
        return Rebalanced(command.request, evidence(binding), current)

    def unbind(self, command: Unbind) -> ManagementOutcome:
        """The binding leaves with the reply, and its room is free at once."""
        binding = self.kept.pop(command.key, None)
        return AlreadyUnbound(command) if binding is None else Unbound(command.request, binding)

    def reply(self, command: Command, outcome: ManagementOutcome) -> None:
        """One answer for each command."""
        self.emit(DeliverManagement(command.reply, outcome))

    def refuse_command(self, command: Command) -> None:
        """A command to a pool that ends."""
        self.reply(command, Refused(command, "shutting-down"))


def evidence(binding: Binding) -> Admitted:
    """What a job or an outcome says of a binding."""
    return Admitted(binding.generation, binding.role)
