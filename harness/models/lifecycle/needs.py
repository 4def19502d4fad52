"""Dependencies: what a run needs of other jobs, and when a need is met, unmet, or can no longer be met."""

from __future__ import annotations

from harness.models.lifecycle.deliveries import Deliveries
from harness.models.lifecycle.state import DELIVERED, FINISHED
from harness.models.lifecycle.turn import Cell

Needs = tuple[tuple[str, str], ...]


class Dependencies(Deliveries):
    """Needs are (job, bound run) pairs, fixed at the request."""

    def bind_needs(self, job: str) -> Needs:
        """Each need binds to the latest open run of that job, if there is one."""
        bound = []
        for need in self.config.needs_of(job):
            latest = next((c for c in reversed(self.cells.values()) if c.job == need and c.is_open), None)
            if latest is not None:
                bound.append((need, latest.id))
        return tuple(bound)

    def needs_met(self, cell: Cell) -> bool:
        """Whether every dependency of the run is met."""
        return all(self.is_met(job, bound) for job, bound in cell.needs)

    def is_met(self, job: str, bound: str) -> bool:
        """A need is met when the bound run, or any later-requested run of that job, is finished."""
        return any(cell.state in (FINISHED, DELIVERED) for cell in self.bound_or_later(job, bound))

    def is_unmeetable(self, job: str, bound: str, gone: frozenset[str] = frozenset()) -> bool:
        """A need that is not met and that no open run can still meet, once the runs in `gone` have ended."""
        candidates = self.bound_or_later(job, bound)
        if any(cell.state in (FINISHED, DELIVERED) for cell in candidates):
            return False
        return not any(cell.is_open and cell.id not in gone for cell in candidates)

    def bound_or_later(self, job: str, bound: str) -> list[Cell]:
        """The bound run and every run of its job that was requested after it."""
        cells = list(self.cells.values())
        first = next(at for at, cell in enumerate(cells) if cell.id == bound)
        return [cell for cell in cells[first:] if cell.job == job]

    def meet_needs(self, finished: Cell) -> None:
        """The finish of a run meets the needs that it is the first to meet."""
        if not self.config.dependents:
            return
        for cell in self.cells.values():
            for job, bound in cell.needs if cell.is_open else ():
                if job == finished.job and self._met_by(job, bound) == [finished]:
                    self.record_needs(cell, "met", ((job, bound),))
                    self.wake(cell.where)

    def _met_by(self, job: str, bound: str) -> list[Cell]:
        return [cell for cell in self.bound_or_later(job, bound) if cell.state in (FINISHED, DELIVERED)]

    def record_needs(self, cell: Cell, change: str, needs: Needs) -> None:
        """One row of the current settle for each of these needs of the run."""
        for job, bound in needs:
            self.note("dependency-trace", cell.id, need=job, bound=bound, change=change)
