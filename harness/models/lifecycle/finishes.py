"""Steps 13 and 14: the finish gate, the stop at it, and the finish."""

from __future__ import annotations

from harness.models.lifecycle.needs import Dependencies
from harness.models.lifecycle.state import (
    FINISH_GATE,
    FINISHED,
    INPUTS_AT_FINISH,
    OUTPUT_FULL,
    STOPPED,
)
from harness.models.lifecycle.turn import Cell


class Finishes(Dependencies):
    """From completed work to the finished output."""

    def failing_gate_causes(self, cell: Cell) -> tuple[str, ...]:
        """Both conditions of the finish gate, read together: every one that fails now."""
        failing = []
        if self.tables.at_finish and not self.available(cell, self.missing(cell, self.whole_requirement(cell))):
            failing.append(INPUTS_AT_FINISH)
        if self.gate_tests_room(cell) and not self.has_room(cell, self.normal_destination(cell)):
            failing.append(OUTPUT_FULL)
        return tuple(failing)

    def gate_tests_room(self, cell: Cell) -> bool:
        """Whether room is a condition of the gate; an in-place output needs none."""
        return self.config.output_full == "wait-until-space" and self.rule(cell).destination is not None

    def record_gate_test(self, cell: Cell) -> None:
        """The capacity decision of a gate test that changes something; one that does not leaves no row."""
        if self.full and self.gate_tests_room(cell):
            self.attempt(cell, "finish-gate", self.normal_destination(cell))

    def reach_finish_gate(self, cell: Cell) -> None:
        """Completed work, or an instant start, meets the gate."""
        self.begin_settle()
        self.record_gate_test(cell)
        failing = self.failing_gate_causes(cell)
        if failing:
            self.finish_gate_stop(cell, failing)
        else:
            self.finish(cell)

    def finish_gate_stop(self, cell: Cell, causes: tuple[str, ...]) -> None:
        """Stop at the gate in the current settle: the work and the working slot stay, step 11 applies."""
        old = cell.state
        self.record_work(cell, cell.work, "stop")
        self.settle_stopped_claim(cell)
        cell.causes, cell.stop, cell.point, cell.stopped_for = causes, FINISH_GATE, FINISH_GATE, 0
        self.enter(cell, STOPPED)
        self.join_line(cell)
        self.record_causes(cell, "add", causes)
        self.record_point(cell, "recorded")
        self.report(cell, "job-stopped", causes, old, cell.work)

    def finish(self, cell: Cell) -> None:
        """Commit in the current settle: claim, spend, one output, the report; then the slot where the row says so."""
        old = cell.state
        if self.tables.at_finish:
            self.claim_up_to(cell, self.whole_requirement(cell))
        self.move(cell, "spend", list(cell.held))
        self.record_output(cell, "established")
        self.finished.append(cell.id)
        self.enter(cell, FINISHED)
        self.report(cell, "job-finished", ("finish-gate-passed",), old, cell.work)
        pool = self.tables.pools.get(cell.pool or "")
        if pool is not None and pool.releases_at == "finished":
            self.free_working(cell)
        self.meet_needs(cell)
        self.deliver(cell)

    # -- what a stop records --------------------------------------------------------------------------------------

    def record_causes(self, cell: Cell, change: str, causes: tuple[str, ...]) -> None:
        """One row for each cause that was added or cleared."""
        for cause in causes:
            self.note("stop-causes", cell.id, change=change, cause=cause, active=list(cell.causes), first=cell.stop)

    def record_point(self, cell: Cell, change: str) -> None:
        """The resume point, when it is recorded and when the run returns to it."""
        self.note("resume-point", cell.id, change=change, point=cell.point, work=str(cell.work))

    def record_work(self, cell: Cell, before: object, why: str) -> None:
        """A row of recorded work."""
        self.note(
            "work-before-after",
            cell.id,
            before=str(before),
            after=str(cell.work),
            required=str(cell.required),
            why=why,
        )
