"""Puts the derived rows into the sequence of rows, right where the thing they tell of happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from harness.run.derive.declarations import declaration_record, review_record
from harness.run.derive.events import EventLog, FailureLog
from harness.run.derive.facts import DeriveFacts, Deriver
from harness.run.derive.inputs import SourceRecord, UsableInputs
from harness.run.derive.ordering import FirstOrderingViolation
from harness.run.derive.requests import PoolAssignment, ReportOrder, RequestLog, RunIdTrace
from harness.run.recording import Draft, SentDrafts, WorldDrafts

#: In the order in which their rows follow the same row or event.
_DERIVERS: tuple[type[Deriver], ...] = (
    SourceRecord,
    UsableInputs,
    ReportOrder,
    PoolAssignment,
    RunIdTrace,
    RequestLog,
    FailureLog,
    FirstOrderingViolation,
    EventLog,
)

#: Every derived log, with the logs that it is told from.
DERIVED: Mapping[str, frozenset[str]] = {
    "declaration-record": frozenset(),
    "review-record": frozenset(),
    **{each.log: each.needs for each in _DERIVERS},
}


def derivable(supplied: Iterable[str]) -> frozenset[str]:
    """The logs that are known when a system supplies these: those themselves, and all that can be told from them."""
    known = frozenset(supplied)
    return known | {log for log, needs in DERIVED.items() if needs <= known}


class DerivedWorlds:
    """Worlds with their derived rows, kept while the same plans are sent into one broken model after another.

    A derived row follows from its world alone, so a world that comes out as it did before is not worked out again.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[int, frozenset[str]], tuple[WorldDrafts, WorldDrafts]] = {}

    def get(
        self, world: WorldDrafts, supplied: frozenset[str], derive: Callable[[WorldDrafts], WorldDrafts]
    ) -> WorldDrafts:
        """The world with its derived rows; the first outcome of each planned world is kept."""
        # only a hint where to look: what is found is compared as a whole
        place = (id(world.world), supplied)
        kept = self._kept.get(place)
        if kept is not None and kept[0] == world:
            return kept[1]
        derived = derive(world)
        self._kept.setdefault(place, (world, derived))
        return derived


def derive_all(
    facts: DeriveFacts, worlds: Sequence[WorldDrafts], supplied: frozenset[str], kept: DerivedWorlds | None = None
) -> tuple[tuple[Draft, ...], tuple[WorldDrafts, ...]]:
    """The rows that belong to no world, and the worlds with every derivable row put in its place.

    `supplied` names the logs that the system writes itself; a derived log among them is left to the system. Rows that
    a driver numbered are first put in the order of its numbers, within the event that they came with.
    """
    head = (*review_record(facts), *declaration_record(facts.adoption))
    kinds = [each for each in _DERIVERS if each.log not in supplied and each.needs <= supplied]
    state_log = "state-trace" if "state-trace" in supplied else "report-log"

    def derive(world: WorldDrafts) -> WorldDrafts:
        return _derive_world(world, [kind(facts, state_log) for kind in kinds])

    return head, tuple(derive(world) if kept is None else kept.get(world, supplied, derive) for world in worlds)


def _derive_world(world: WorldDrafts, derivers: Sequence[Deriver]) -> WorldDrafts:
    opening = [row for each in derivers for row in each.begin(world.world)]
    opening += _with_rows(_in_own_order(world.opening), None, derivers)
    sent = tuple(_derive_event(each, derivers) for each in world.sent)
    return WorldDrafts(world.world, world.shapes, sent, tuple(opening))


def _derive_event(sent: SentDrafts, derivers: Sequence[Deriver]) -> SentDrafts:
    sent = sent._replace(drafts=_in_own_order(sent.drafts))
    drafts = [row for each in derivers for row in each.enter(sent)]
    drafts += _with_rows(sent.drafts, sent, derivers)
    drafts += [row for each in derivers for row in each.leave(sent)]
    return sent._replace(drafts=tuple(drafts))


def _with_rows(rows: Iterable[Draft], sent: SentDrafts | None, derivers: Sequence[Deriver]) -> list[Draft]:
    made = []
    for row in rows:
        made.append(row)
        made += [derived for each in derivers for derived in each.row(row, sent)]
    return made


def _in_own_order(rows: Sequence[Draft]) -> tuple[Draft, ...]:
    """The rows by their own numbers; rows without one stay where they are."""
    if any(each.seq is None for each in rows):
        return tuple(rows)
    return tuple(sorted(rows, key=lambda each: each.seq or 0))
