"""One moment of one world, as the logs tell it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from harness.verdict.fold import About, Facts, SlotKey, Unit

_NOBODY = About(None, None, None)


@dataclass(frozen=True)
class Snapshot:
    """What was true at one point between two rows.

    Each question notes the log that answers it. A run that was not requested yet has no state, holds nothing and has
    no work.
    """

    _facts: Facts = field(repr=False)
    _state_log: str = field(repr=False)
    _touched: set[str] = field(repr=False, compare=False)

    # -- runs ---------------------------------------------------------------------------------------------------

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs requested so far, in order."""
        self._touched.add("report-log")
        return tuple(self._facts.about)

    @property
    def open_runs(self) -> tuple[str, ...]:
        """The runs that have not ended, in order of request."""
        self._touched.update(("report-log", self._state_log))
        return tuple(run for run in self._facts.about if run not in self._facts.ended)

    def in_state(self, *states: str) -> tuple[str, ...]:
        """The open runs that are in one of these states, in order of request."""
        return tuple(run for run in self.open_runs if self._facts.states.get(run) in states)

    def state(self, run: str) -> str | None:
        """The run's state, None before its request; touches state-trace (report-log where that is not supplied)."""
        self._touched.add(self._state_log)
        return self._facts.states.get(run)

    def ended(self, run: str) -> bool:
        """Whether the run was rejected, or is delivered, canceled or failed."""
        self._touched.update(("report-log", self._state_log))
        return run in self._facts.ended

    def job(self, run: str) -> str | None:
        """The job that the run was requested for."""
        return self._about(run).job

    def pool(self, run: str) -> str | None:
        """The pool that the run was assigned at its request."""
        return self._about(run).pool

    def place(self, run: str) -> str | None:
        """The place that the run was assigned at its request; None in a shared pool."""
        return self._about(run).place

    def destination(self, run: str) -> str | None:
        """The last destination that a report of the run named."""
        return self._about(run).destination

    def _about(self, run: str) -> About:
        self._touched.add("report-log")
        return self._facts.about.get(run, _NOBODY)

    # -- units --------------------------------------------------------------------------------------------------

    def held(self, run: str) -> Mapping[Unit, int]:
        """The run's claim: units by (item, source); touches claim-ledger, as all of this group."""
        self._touched.add("claim-ledger")
        return self._facts.held.get(run, {})

    def held_items(self, run: str) -> Mapping[str, int]:
        """The run's claim: units by item, over all sources."""
        total: dict[str, int] = {}
        for (item, _), amount in self.held(run).items():
            total[item] = total.get(item, 0) + amount
        return total

    def claimed(self, item: str, source: str) -> int:
        """The units of the item from that source that all runs hold together."""
        self._touched.add("claim-ledger")
        return sum(mine.get((item, source), 0) for mine in self._facts.held.values())

    def usable(self, item: str, source: str) -> int:
        """The units at that source that no claim holds: stock and supplies, less uses and claims, plus releases."""
        self._touched.add("claim-ledger")
        return self._facts.usable.get((item, source), 0)

    # -- work and causes ----------------------------------------------------------------------------------------

    def work(self, run: str) -> Fraction:
        """The run's recorded work; touches work-before-after."""
        self._touched.add("work-before-after")
        return self._facts.work.get(run, Fraction(0))

    def causes(self, run: str) -> frozenset[str]:
        """The active stop causes; touches stop-causes."""
        self._touched.add("stop-causes")
        return self._facts.causes.get(run, frozenset())

    def reported_causes(self, run: str) -> frozenset[str]:
        """The stop causes that reports named, less those an accepted `clear` took; touches report-log.

        A world cause that cleared while another remained is still in here, because no report tells of it.
        """
        self._touched.add("report-log")
        return self._facts.reported.get(run, frozenset())

    def reasons(self, run: str) -> frozenset[str]:
        """The reasons of a waiting run as last recorded; touches admission-trace."""
        self._touched.add("admission-trace")
        return self._facts.reasons.get(run, frozenset())

    # -- slots and room -----------------------------------------------------------------------------------------

    def used(self, pool: str, place: str | None, slot: str) -> int:
        """The taken slots of that kind (`working`, `waiting`): takes minus frees; touches count-trace."""
        return len(self.in_slot(pool, place, slot))

    def in_slot(self, pool: str, place: str | None, slot: str) -> tuple[str, ...]:
        """The runs in the slots of that kind, in the order in which they took them; touches count-trace."""
        self._touched.add("count-trace")
        return self._facts.slots.get((pool, place, slot), ())

    def slots(self, run: str) -> tuple[SlotKey, ...]:
        """The slots that the run holds, as (pool, place, kind); touches count-trace."""
        self._touched.add("count-trace")
        return tuple(key for key, runs in self._facts.slots.items() if run in runs)

    def has_slot(self, run: str, slot: str = "working") -> bool:
        """Whether the run holds a slot of that kind in any pool; touches count-trace."""
        return any(kind == slot for _, _, kind in self.slots(run))

    def reserved(self, run: str) -> int:
        """The room that the run has reserved; touches reservation-ledger."""
        self._touched.add("reservation-ledger")
        return self._facts.reserved.get(run, 0)

    @property
    def open_pools(self) -> tuple[str, ...]:
        """The pools that events have opened, in order."""
        return self._facts.open_pools
