"""Step 12: causes that clear, and the resume."""

from __future__ import annotations

from harness.models.lifecycle.state import (
    FINISH_GATE,
    FINISH_GATE_CAUSES,
    START_GATE,
    STARTED,
    STOPPED,
    UNABLE,
    WAITING,
    WORK_POINT,
    WORKING,
)
from harness.models.lifecycle.turn import Cell
from harness.models.lifecycle.work import Work


class Resumes(Work):
    """From stopped back to the resume point, once every cause has cleared."""

    def clear_cause(self, cell: Cell, cause: str) -> None:
        """A cause that someone set is taken away, in a settle of its own."""
        self.begin_settle()
        self._drop_causes(cell, (cause,))

    def _drop_causes(self, cell: Cell, causes: tuple[str, ...]) -> None:
        for cause in causes:
            cell.causes = tuple(each for each in cell.causes if each != cause)
            self.forget_outages(cell, cause)
            self.record_causes(cell, "clear", (cause,))
        if causes:
            self.wake(cell.where)

    def forget_outages(self, cell: Cell, cause: str) -> None:
        """A cause that a slot's stop gave is gone: should it come again, that slot's return has no part in it."""
        self.outages = [
            each._replace(run=None, cause=None) if (each.run, each.cause) == (cell.id, cause) else each
            for each in self.outages
        ]

    def test_world_causes(self, cell: Cell) -> bool:
        """Clear the world causes whose condition holds now; says whether anything changed."""
        cleared: tuple[str, ...] = ()
        joined: tuple[str, ...] = ()
        if UNABLE in cell.causes and self.can_advance(cell):
            cleared = (UNABLE,)
        gate = tuple(each for each in cell.causes if each in FINISH_GATE_CAUSES)
        if gate:
            # Both conditions are read, so that one that fails now keeps the last cause from clearing.
            failing = self.failing_gate_causes(cell)
            cleared += tuple(each for each in gate if each not in failing)
            joined = tuple(each for each in failing if each not in gate)
        if not cleared and not joined:
            return False
        self.begin_settle()
        if gate:
            self.record_gate_test(cell)
        self._drop_causes(cell, cleared)
        if joined:
            self.add_causes(cell, joined)
            self.report(cell, "job-stopped", joined, STOPPED, cell.work)
        return True

    def finish_gate_ahead(self, cell: Cell) -> bool:
        """Whether a resume meets the finish gate: not where a loss lowered the work below the required amount."""
        return cell.point == FINISH_GATE and cell.work >= cell.required

    def resume_eligible(self, cell: Cell) -> bool:
        """A stopped run without causes; at the start gate its needs must be met too (step 18)."""
        return not cell.causes and (cell.point != START_GATE or self.needs_met(cell))

    def resume_claim(self, cell: Cell) -> list[int]:
        """What the resume takes: the required share, and what the resume point's gate claims."""
        target = self.resume_share(cell)
        if self.tables.at_finish and self.finish_gate_ahead(cell):
            target = self.whole_requirement(cell)
        return self.missing(cell, target)

    def try_resume(self, cell: Cell) -> bool:
        """Recheck the gates and take what is needed; says whether anything changed."""
        if not self.resume_eligible(cell):
            return False
        if self.finish_gate_ahead(cell):
            failing = self.failing_gate_causes(cell)
            if failing:
                self._fail_recheck(cell, failing)
                return True
        if cell.pool is not None and cell.working_slot is None and self.free_slots(cell.where) < 1:
            return False
        if not self.resume_claim_there(cell):
            return self._give_kept_slot_up(cell)
        self.resume(cell)
        return True

    def _fail_recheck(self, cell: Cell, failing: tuple[str, ...]) -> None:
        """A condition of the finish gate that fails at the recheck is a cause again."""
        self.begin_settle()
        self.record_gate_test(cell)
        self.add_causes(cell, failing)
        self.report(cell, "job-stopped", failing, STOPPED, cell.work)

    def resume_claim_there(self, cell: Cell) -> bool:
        """Whether what the resume takes is usable; a start gate tests its stricter offer check too."""
        if cell.point == START_GATE and not self.start_gate_open(cell):
            return False
        return self.available(cell, self.resume_claim(cell))

    def _give_kept_slot_up(self, cell: Cell) -> bool:
        if cell.working_slot is None:
            self.pass_over(cell, "claim-unavailable")
            return False
        self.begin_settle()
        self.free_working(cell)
        return True

    def pass_over(self, cell: Cell, why: str) -> None:
        """An offer that the run could not use."""

    def resume(self, cell: Cell) -> None:
        """Take the slot and the claim in one settle, then report; the resume point decides what follows."""
        self.begin_settle()
        if cell.working_slot is None:
            # A run that kept its slot does not compete: nothing is offered to it.
            self.record_offer(cell, "resumed")
        self.claim_up_to(cell, [held + more for held, more in zip(cell.held, self.resume_claim(cell), strict=True)])
        if cell.pool is not None and cell.working_slot is None:
            self.take_working(cell)
        at_gate, point = self.finish_gate_ahead(cell), cell.point
        if at_gate:
            self.record_gate_test(cell)
        self.leave_line(cell)
        self.end_displacements(cell.id, as_displacer=False)
        self.record_point(cell, "returned")
        self.forget_stop(cell)
        self.record_work(cell, cell.work, "resume")
        self.enter(cell, self._state_of(cell, point))
        self.report(cell, "job-resumed", ("causes-cleared",), STOPPED, cell.work)
        if point == START_GATE:
            self.start(cell)
        elif at_gate:
            self.begin_settle()
            self.finish(cell)

    def _state_of(self, cell: Cell, point: str) -> str:
        if point == START_GATE:
            return WAITING
        if point == WORK_POINT or cell.phase is not None:
            return WORKING
        return STARTED

    def record_offer(self, cell: Cell, offer: str, why: str | None = None) -> None:
        """A row of the offer log (see `offers`)."""
