"""When two nodes of a walk over a keyed pool are one state: nothing that can be sent or checked ever tells them apart.

Compared are the pool, both oracles' records, the ledger and the bench, up to the names of correlations (`Shapes`). Left
out is only what nobody reads any more:

- of the ledger, the highest numbers issued, where the allocators are beyond them: whatever is issued next is higher;
- of a job in the ledger that runs nowhere, where it ran: only how that ended is asked for;
- everything of a pool that has ended and whose records say so too: it takes nothing in, and the oracles say nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.models.pools.correlations import (
    Allocator,
    BirthId,
    Correlation,
    DispatchId,
    GenerationId,
    JobId,
    RecoveryId,
    TicketId,
    TimerId,
)
from harness.models.pools.keyed.account import OPEN
from harness.models.pools.keyed.bench import KeyedBench
from harness.models.pools.keyed.ledger import KINDS, Entry, Ledger
from harness.models.pools.keyed.state import ENDED, State
from harness.models.pools.keyed_oracle.records import ENDS, Records
from harness.models.pools.renaming import Shapes

ALLOCATED: Mapping[type[Correlation], str] = {
    BirthId: "birth",
    DispatchId: "dispatch",
    JobId: "job",
    RecoveryId: "recovery",
    TicketId: "ticket",
    TimerId: "timer",
}


class Sameness:
    """Keys of the nodes of one walk: equal where two nodes are one state."""

    def __init__(self) -> None:
        self._shapes = Shapes()

    def key(
        self, state: State, records: Records, ledger: Ledger, bench: KeyedBench, broken: tuple[str, ...]
    ) -> tuple[Any, ...]:
        """The key of one node; `broken` is what was found broken on the way to it."""
        if isinstance(state, ENDED) and records.workshop.state in ENDS:
            return (state.mode, broken)
        living = (state, records.counter, records.workshop, _ledger(ledger, state))
        return (self._shapes.key(living, (bench,)), broken)


def _ledger(ledger: Ledger, state: State) -> Ledger:
    """The ledger without what the pool's allocators and the end of an assignment make unreadable."""
    entries = tuple([each if each.is_running else _waiting(each) for each in ledger.entries])
    above = [
        kind(0) if _is_beyond(state, kind, number) else number
        for kind, number in zip(KINDS, ledger.highest, strict=True)
    ]
    return ledger._replace(entries=entries, highest=tuple(above))


def _is_beyond(state: State, kind: type[Correlation], number: Correlation) -> bool:
    if isinstance(state, ENDED):
        return False
    if kind is GenerationId:
        return not isinstance(state, OPEN) or number < state.table.generations.next
    allocator: Allocator = getattr(state.allocators, ALLOCATED[kind])
    return number < allocator.next


def _waiting(entry: Entry) -> Entry:
    stopped = entry.stopped and entry.delivered is True
    return entry._replace(worker=None, dispatch=None, stopped=stopped)
