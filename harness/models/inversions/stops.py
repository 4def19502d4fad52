"""Breaches of ordinary stops: who can stop a run, what a stop records, and what it does to the claim."""

from __future__ import annotations

from harness.models.inversions.conditions import (
    CLAIMS_BEFORE_FINISH,
    HOLD,
    HOLDS_CLAIMS,
    INTERRUPTION,
    PROGRESS,
    RELEASE,
    REVERSE_WORK,
    SHARE_GROWS,
    STARTS,
    TAKES_TICKS,
    TAKES_UNITS,
    WORK,
)
from harness.models.inversions.registry import inversion
from harness.models.inversions.stop_conditions import (
    KEPT_CLAIM,
    NO_FAILURES,
    REVERSING_CLAIM,
    TWO_INTERRUPTIONS,
    WHOLE_CLAIM,
)
from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Number
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.state import FINISH_GATE_CAUSES, ORDINARY, START_GATE, STOPPED, WORKING
from harness.models.lifecycle.turn import Cell

# -- what a stop records ------------------------------------------------------------------------------------------


@inversion(
    step=10,
    breach="an ordinary stop records the start gate as its resume point",
    breaks=(("declared-interruption-stops-once", 0), ("resume-waits-for-every-cause", 3)),
    needs=(INTERRUPTION, WORK, STARTS),
)
class StopSendsBackToTheStart(Handlers):
    """Who was interrupted begins anew."""

    def record_point(self, cell: Cell, change: str) -> None:
        """Another point, for the stops that began with an interruption."""
        if change == "recorded" and cell.stop == ORDINARY:
            cell.point = START_GATE
        super().record_point(cell, change)


@inversion(
    step=10,
    breach="a declared interruption stops the run without a report",
    breaks=(("declared-interruption-stops-once", 0),),
    needs=(INTERRUPTION, WORK, STARTS),
)
class InterruptionIsSilent(Handlers):
    """Anyone can see that nothing moves."""

    def report(self, cell: Cell, name: str, causes: tuple[str, ...], old: str | None, before: Number) -> None:
        """Everything but the first report of an ordinary stop."""
        if name != "job-stopped" or old != WORKING or FINISH_GATE_CAUSES.issuperset(causes):
            super().report(cell, name, causes, old, before)


@inversion(
    step=10,
    breach="a cause that joins a stop applies the stop's answers again, and records the work once more",
    breaks=(("declared-interruption-stops-once", 1),),
    needs=(TWO_INTERRUPTIONS, WORK, STARTS),
)
class SecondCauseStopsAgain(Handlers):
    """Every cause is a stop."""

    def add_causes(self, cell: Cell, causes: tuple[str, ...]) -> None:
        """Join, and do again what the first cause has done."""
        super().add_causes(cell, causes)
        if cell.stop == ORDINARY:
            before = cell.work
            self.apply_partial_work(cell)
            self.record_work(cell, before, "stop")


@inversion(
    step=10,
    breach="a second cause takes the place of the first",
    breaks=(("resume-waits-for-every-cause", 0), ("declared-interruption-stops-once", 1)),
    needs=(TWO_INTERRUPTIONS, WORK, STARTS),
)
class SecondCauseReplacesTheFirst(Handlers):
    """There is room for one cause."""

    def add_causes(self, cell: Cell, causes: tuple[str, ...]) -> None:
        """Forget the declared ones that were active."""
        declared = {row.id for row in self.config.interruptions}
        cell.causes = tuple(each for each in cell.causes if each not in declared)
        super().add_causes(cell, causes)


@inversion(
    step=10,
    breach="an instruction that no row declares stops a working run, with its own name as the cause",
    breaks=(("unnamed-instructions-cannot-stop", 0),),
    needs=(WORK, STARTS),
)
class AnyInstructionStops(Handlers):
    """Who shouts is obeyed."""

    def cause_of(self, instruction: str) -> str | None:
        """The row, or whatever was shouted."""
        return super().cause_of(instruction) or instruction


@inversion(
    step=10,
    breach="an instruction that no row declares starts the work over: the inputs are claimed a second time",
    breaks=(("unnamed-instructions-cannot-stop", 0),),
    needs=(WORK, STARTS, TAKES_TICKS),
    faults=("F10",),
)
class InstructionStartsTheWorkOver(Handlers):
    """A ware is fetched in between, and the programme begins again."""

    def on_instruct(self, event: e.Instruct) -> str | None:
        """No stop, no report: the work is none again, and whatever is there is claimed once more."""
        cell = self.cells.get(event.run)
        if cell is not None and cell.state == WORKING and self.cause_of(event.instruction) is None:
            cell.work = 0
            again = self.start_share(cell)
            if self.available(cell, again):
                self.begin_settle()
                self.move(cell, "claim", again)
        return super().on_instruct(event)


@inversion(
    step=10,
    breach="an interruption is reported as a failure, although no failure is declared",
    breaks=(("no-failure-without-a-failure-row", 0),),
    needs=(INTERRUPTION, WORK, STARTS, NO_FAILURES),
)
class InterruptionIsReportedAsFailure(Handlers):
    """Whoever stops has failed."""

    def report(self, cell: Cell, name: str, causes: tuple[str, ...], old: str | None, before: Number) -> None:
        """Another name for the report of an ordinary stop."""
        stopped = name == "job-stopped" and old == WORKING and not FINISH_GATE_CAUSES.issuperset(causes)
        super().report(cell, "job-failed" if stopped else name, causes, old, before)


# -- stopped claims that are held ---------------------------------------------------------------------------------


@inversion(
    step=11,
    breach="a stop gives the claim back to its sources, although stopped claims are held",
    breaks=(("stopped-job-holds-claim", 1),),
    needs=(HOLD, INTERRUPTION, WORK, STARTS, KEPT_CLAIM),
)
class HeldClaimGoesBack(Handlers):
    """Who rests needs nothing."""

    def settle_stopped_claim(self, cell: Cell) -> None:
        """Release all of it."""
        self.release_down_to(cell, [0] * len(cell.held))


@inversion(
    step=11,
    breach="a whole claim shrinks with the work at a stop, as a progress claim does",
    breaks=(("stopped-job-holds-claim", 1),),
    needs=(HOLD, WHOLE_CLAIM, INTERRUPTION, WORK, STARTS),
)
class WholeClaimShrinksAtTheStop(Handlers):
    """What is not worked in yet can be spared."""

    def reduce_to_work(self, cell: Cell) -> None:
        """Half of each amount goes back, rounded up."""
        super().reduce_to_work(cell)
        if not self.tables.progress:
            self.release_down_to(cell, [amount // 2 for amount in cell.held])


@inversion(
    step=11,
    breach="the units that a stopped run holds are usable by others",
    breaks=(("stopped-job-holds-claim", 2),),
    needs=(HOLD, INTERRUPTION, WORK, STARTS, KEPT_CLAIM),
)
class OthersMayUseAStoppedClaim(Handlers):
    """What lies idle is taken."""

    def on_use(self, event: e.Use) -> str | None:
        """Let the use have what stopped runs hold, too."""
        at = self.index.get((event.item, event.source))
        if at is not None:
            idle = sum(
                amount
                for cell in self.cells.values()
                if cell.state == STOPPED
                for key, amount in zip(self.sources(cell), cell.held, strict=True)
                if key == (event.item, event.source)
            )
            self.stock[at] += max(0, min(idle, event.amount - self.stock[at]))
        return super().on_use(event)


@inversion(
    step=11,
    breach="a claim that is held through a stop lapses with the next tick",
    breaks=(("stopped-job-holds-claim", 2),),
    needs=(HOLD, INTERRUPTION, WORK, STARTS, KEPT_CLAIM),
)
class HeldClaimLapses(Handlers):
    """Holding has its time."""

    def tick(self) -> None:
        """What was stopped before this tick holds nothing after it."""
        stopped = [cell for cell in self.cells.values() if cell.state == STOPPED and any(cell.held)]
        super().tick()
        for cell in stopped:
            self.begin_settle()
            self.release_down_to(cell, [0] * len(cell.held))


@inversion(
    step=11,
    breach="work that falls while a run is stopped leaves its claim as it was",
    breaks=(("stopped-job-holds-claim", 0),),
    needs=(HOLD, REVERSE_WORK, PROGRESS, REVERSING_CLAIM, STARTS),
)
class FallingWorkKeepsItsClaim(Handlers):
    """What was claimed for work that is lost stays claimed."""

    def reverse(self, cell: Cell) -> None:
        """The fall, without its claim change."""
        self._falling = True
        super().reverse(cell)
        self._falling = False

    _falling = False

    def reduce_to_work(self, cell: Cell) -> None:
        """Not while the work falls."""
        if not self._falling:
            super().reduce_to_work(cell)


# -- stopped claims that are released -----------------------------------------------------------------------------


@inversion(
    step=11,
    breach="a stopped run takes units for the work that is left to it at each fall, although its claim is released",
    breaks=(("stopped-job-releases-and-reclaims", 0), ("stopped-job-releases-and-reclaims", 2)),
    needs=(RELEASE, REVERSE_WORK, PROGRESS, REVERSING_CLAIM, STARTS),
)
class FallingWorkTakesUnitsBack(Handlers):
    """What is left is secured."""

    def reverse(self, cell: Cell) -> None:
        """The fall, and a claim of what is there of the lower share."""
        before = cell.work
        super().reverse(cell)
        wanted = self.missing(cell, self.share_at(cell, cell.work))
        if cell.work < before and self.tables.progress and self.available(cell, wanted):
            self.move(cell, "claim", wanted)


@inversion(
    step=11,
    breach="a claim stays with the stopped run, although stopped claims are released",
    breaks=(
        ("stopped-job-releases-and-reclaims", 1),
        ("stopped-job-releases-and-reclaims", 2),
    ),
    needs=(RELEASE, INTERRUPTION, WORK, STARTS, KEPT_CLAIM),
)
class ReleasedClaimStays(Handlers):
    """What one has, one keeps."""

    def settle_stopped_claim(self, cell: Cell) -> None:
        """Release nothing."""


@inversion(
    step=11,
    breach="a stopped run whose claim was released takes it back with the next tick, while it is stopped",
    breaks=(("stopped-job-releases-and-reclaims", 2),),
    needs=(RELEASE, INTERRUPTION, WORK, STARTS, KEPT_CLAIM),
)
class ReleasedClaimComesBackTooSoon(Handlers):
    """Who knows whether it is there tomorrow."""

    def tick(self) -> None:
        """Claim what a resume would claim, for those that were stopped before."""
        stopped = [cell for cell in self.cells.values() if cell.state == STOPPED]
        super().tick()
        for cell in stopped:
            wanted = self.resume_claim(cell)
            if any(wanted) and self.available(cell, wanted):
                self.begin_settle()
                self.move(cell, "claim", wanted)


@inversion(
    step=12,
    breach="a run resumes without its share where the units are gone, and works on",
    breaks=(("stopped-job-releases-and-reclaims", 3), ("resume-waits-for-every-cause", 2)),
    needs=(RELEASE, CLAIMS_BEFORE_FINISH, TAKES_UNITS, HOLDS_CLAIMS, INTERRUPTION, WORK, STARTS),
)
class ResumeAsksForNoUnits(Handlers):
    """They were there once."""

    def resume_claim(self, cell: Cell) -> list[int]:
        """What is there, however little."""
        there = [self.usable(*key) for key in self.sources(cell)]
        return [min(pair) for pair in zip(super().resume_claim(cell), there, strict=True)]


@inversion(
    step=9,
    breach="the shares of a progress claim are those of the whole: a start claims everything",
    breaks=(("progress-rounding-rule-pairs-with-progress", 0), ("progress-rounding-rule-pairs-with-progress", 1)),
    needs=(PROGRESS, WORK, SHARE_GROWS, STARTS),
)
class ProgressClaimsTheWholeAtOnce(Handlers):
    """The rounding rule is not looked at."""

    def share_at(self, cell: Cell, work: Number) -> list[int]:
        """All of it, whatever the work."""
        return self.whole_requirement(cell)
