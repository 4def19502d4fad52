"""Steps 7 to 9: the start boundary, and the entry into work."""

from __future__ import annotations

from harness.models.lifecycle.finishes import Finishes
from harness.models.lifecycle.state import STARTED, WORKING
from harness.models.lifecycle.turn import Cell


class Starts(Finishes):
    """From admitted to working, or straight to the finish gate."""

    def start(self, cell: Cell) -> None:
        """Cross the start boundary: steps 7 and 8 are one settle. Every gate has been tested by the caller."""
        self.begin_settle()
        old = cell.state
        self.claim_up_to(cell, self.start_share(cell))
        self.free_waiting(cell)
        if cell.pool is not None and cell.working_slot is None:
            self.take_working(cell)
        self.leave_line(cell)
        cell.reasons = ()
        if cell.id not in self.admitted:
            self.admitted.append(cell.id)
        self.enter(cell, STARTED)
        self.report(cell, "job-started", ("no-pool",) if cell.pool is None else ("slot-offered",), old, cell.work)
        self.go_on(cell)

    def go_on(self, cell: Cell) -> None:
        """Step 9, or step 13 without a work phase, in the same batch."""
        if cell.phase is None:
            self.reach_finish_gate(cell)
            return
        self.begin_settle()
        self.enter(cell, WORKING)
        self.record_work(cell, cell.work, "enter")
        self.report(cell, "job-working", (cell.phase,), STARTED, cell.work)
        if cell.work >= cell.required:
            self.reach_finish_gate(cell)
