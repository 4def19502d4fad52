"""The fixed supervisor as runs see it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, NamedTuple

from harness.models.pools.correlations import Allocator
from harness.models.pools.renaming import shape
from harness.models.pools.supervisor import bench as host
from harness.models.pools.supervisor.actions import NO_ACTIONS
from harness.models.pools.supervisor.bench import Bench, Seat
from harness.models.pools.supervisor.definition import Definition
from harness.models.pools.supervisor.facts import DeliverySettled
from harness.models.pools.supervisor.model import Supervisor, construct
from harness.models.pools.supervisor.post import EMPTY, outline
from harness.models.pools.supervisor.state import Constructed, State
from harness.models.pools.supervisor.turn import SupervisorTurn
from harness.models.pools.supervisor.values import Allocators
from harness.run.pools.events import supervisor_letters
from harness.run.pools.port import Took, View
from harness.run.pools.supervisor.view import view_of

BROKEN = "the broken rules could not go on"

_HEARS: Mapping[str, Callable[[Definition], bool]] = {
    "event": lambda definition: definition.lifecycle is not None,
    "reply": lambda _: True,
    "diagnostic": lambda definition: definition.diagnostics is not None,
}
"""By kind of delivery, whether a supervisor ever sends one."""


class Node(NamedTuple):
    """A supervisor and the bench around it."""

    state: State
    bench: Bench


class SupervisorRuns:
    """One supervisor; `turn` is the class whose rules it follows."""

    def __init__(self, definition: Definition, turn: type[SupervisorTurn] = SupervisorTurn) -> None:
        self.definition = definition
        self._supervisor = Supervisor(definition, turn)
        self._is_sound = turn is SupervisorTurn
        self._letters = supervisor_letters(
            definition.roles,
            recovers=definition.recovery is not None and definition.recovery.restarts is not None,
            deadline=definition.deadline is not None,
            sent=tuple(name for name, hears in _HEARS.items() if hears(definition)),
        )

    @property
    def roles(self) -> tuple[str, ...]:
        """The declared roles."""
        return self.definition.roles

    @property
    def letters(self) -> tuple[str, ...]:
        """Every letter of its bench."""
        return self._letters

    def construct(self, world: Mapping[str, Any]) -> Node:
        """A supervisor with the numbers that the world leaves it."""
        state = construct(self.definition, allocators=allocators_of(world))
        if not isinstance(state, Constructed):
            raise ValueError(f"no supervisor can be built: {state.reason}")
        return Node(state, Bench((Seat(),) * len(self.definition.roles)))

    def take(self, node: Node, letter: str) -> tuple[Node, Took]:
        """One letter. A breach may lead where the other rules can't go on; it takes nothing in from there."""
        fact = host.fact_of(letter, node.bench, self.definition.roles)
        try:
            state, actions, refused = self._supervisor.step(node.state, fact)
        except (AttributeError, KeyError, ValueError):
            if self._is_sound:
                raise
            return node, Took(fact, NO_ACTIONS, BROKEN)
        bench = host.after(node.bench, fact, actions, self.definition.roles)
        return Node(state, bench), Took(fact, actions, refused)

    def view(self, node: Node) -> View:
        """What the logs tell of it."""
        return view_of(node.state, self.definition.roles, node.bench.post.number)

    def shape(self, node: Node) -> Hashable:
        """Supervisor and bench but for the names of correlations, and for what was sent under them."""
        return shape((node.state, node.bench._replace(post=EMPTY), outline(node.bench.post)))


def feature_of(pool: Any, before: View, took: Took, after: View) -> tuple[str, ...]:
    """What one letter shows: the fact, where its role was and is, and what was told."""
    fact: Any = took.fact
    if took.refused is not None:
        return ("not-admitted", fact.kind, before.mode)
    if isinstance(fact, DeliverySettled):
        lane = "nothing" if fact.operation is None else fact.operation.lane
        return (fact.kind, before.mode, after.mode, lane, fact.word)
    about = getattr(fact, "proxy", None)
    number = getattr(fact, "reservation", None) if about is None else about.birth
    place = next(
        (place for place, cell in enumerate(before.cells) if number is not None and number in _numbers(cell)), None
    )
    actions: Any = took.actions
    said = {each.kind for each in (*actions.events(), *actions.diagnostics())}
    said |= {str(getattr(each.answer, "word", "status")) for each in actions.management_replies}
    said |= {each.lane for each in (*actions.worker_preparations, *actions.inputs(), *actions.residual_transfers)}
    said |= {getattr(fact, "word", "")} - {"", "rejected"} if "unexpected-input" not in said else set()
    return (fact.kind, _where(before, place), _where(after, place), *sorted(said))


def _numbers(cell: Any) -> tuple[int | None, int | None]:
    return cell.member.proxy, cell.member.reservation


def _where(view: View, place: int | None) -> str:
    if place is None or not view.cells:
        return view.mode
    cell = view.cells[place]
    return "-".join(filter(None, (cell.phase, cell.within, *cell.kept)))


def allocators_of(world: Mapping[str, Any]) -> Allocators:
    """Allocators that end after the numbers that a world allows, by kind; unlimited where it says nothing."""
    fresh = Allocators()
    last: Mapping[str, int] = world.get("numbers", {})
    return fresh._replace(**{kind: Allocator(getattr(fresh, kind).next, most) for kind, most in last.items()})
