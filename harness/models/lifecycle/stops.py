"""Steps 10 and 11: the ordinary stop, and causes that join one."""

from __future__ import annotations

from harness.models.lifecycle.starts import Starts
from harness.models.lifecycle.state import FINISH_GATE_CAUSES, ORDINARY, STOPPED, WORK_POINT
from harness.models.lifecycle.turn import Cell


class Stops(Starts):
    """How a working run comes to rest."""

    def ordinary_stop(self, cell: Cell, cause: str) -> None:
        """The first cause moves working to stopped; the work answer applies once, here."""
        self.begin_settle()
        old, before = cell.state, cell.work
        self.apply_partial_work(cell)
        self.record_work(cell, before, "stop")
        self.reduce_to_work(cell)
        self.settle_stopped_claim(cell)
        self.free_working(cell)
        self.free_waiting(cell)
        cell.causes, cell.stop, cell.point, cell.stopped_for = (cause,), ORDINARY, WORK_POINT, 0
        self.enter(cell, STOPPED)
        self.join_line(cell)
        self.record_causes(cell, "add", (cause,))
        self.record_point(cell, "recorded")
        self.report(cell, "job-stopped", (cause,), old, before)

    def apply_partial_work(self, cell: Cell) -> None:
        """The partial-work answer at the stop itself; reversing work falls at later ticks."""
        if self.config.partial_work == "reset-at-stop":
            cell.work = 0

    def join_causes(self, cell: Cell, causes: tuple[str, ...]) -> None:
        """Later causes of a stopped run, in a settle of their own."""
        self.begin_settle()
        self.add_causes(cell, causes)
        self.report(cell, "job-stopped", causes, STOPPED, cell.work)

    def add_causes(self, cell: Cell, causes: tuple[str, ...]) -> None:
        """Join in the current settle; the first cause that is not a finish-gate cause frees a kept slot."""
        cell.causes = (*cell.causes, *causes)
        self.record_causes(cell, "join", causes)
        if not set(cell.causes) <= FINISH_GATE_CAUSES:
            self.free_working(cell)

    def add_cause(self, cell: Cell, cause: str) -> None:
        """A cause reaches a working or stopped run; one that is active already does not join again."""
        if cell.state != STOPPED:
            self.ordinary_stop(cell, cause)
        elif cause not in cell.causes:
            self.join_causes(cell, (cause,))

    def forget_stop(self, cell: Cell) -> None:
        """Nothing of a stop is left: the run resumed, or it ended."""
        cell.causes, cell.stop, cell.point, cell.stopped_for = (), "", "", 0
