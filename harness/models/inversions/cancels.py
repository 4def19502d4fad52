"""Breaches of cancellation: paid twice, undone outputs, queues that it stirs, dependents that it forgets."""

from __future__ import annotations

from harness.models.inversions.conditions import CANCELLATION
from harness.models.inversions.pool_conditions import (
    CANCELS_A_CLAIM,
    CHAIN_COMPLETES,
    DEPENDENTS_END,
    DEPENDENTS_STAY,
    LINKS,
    NO_CANCELLATION,
    NO_LINKS_AND_A_LINE,
    RESTS_WHERE_A_CANCEL_COUNTS,
    RULE_SPENDS,
)
from harness.models.inversions.registry import inversion
from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import CancelReturn, Dependents
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.needs import Needs
from harness.models.lifecycle.state import CANCELED, DELIVERED, WAITING
from harness.models.lifecycle.turn import Cell


@inversion(
    step=17,
    breach="two cancellations of one run both pass their guard, and each settles it",
    breaks=(("declared-cancellation-settles-one-job", 1), ("declared-cancellation-settles-one-job", 0)),
    needs=(CANCELLATION,),
    faults=("F06",),
)
class CancelSettlesTwice(Handlers):
    """The guard does not know the canceled state."""

    def cancel_one(self, cell: Cell, row: str, cause: str, lost: Needs = ()) -> None:
        """The second settles the claim that the first found."""
        held, old = cell.held, cell.state
        super().cancel_one(cell, row, cause, lost)
        cell.held = held
        self.begin_settle()
        self.settle_canceled_claim(cell, row)
        cell.held = (0,) * len(held)
        self.report(cell, "job-canceled", (cause,), old, cell.work)


@inversion(
    step=17,
    breach="the snapshot of a canceled run's claim is taken after the claim was settled",
    breaks=(("declared-cancellation-settles-one-job", 0),),
    needs=(CANCELS_A_CLAIM,),
)
class SnapshotFollowsTheSettlement(Handlers):
    """By then there is nothing left to see."""

    def cancel_one(self, cell: Cell, row: str, cause: str, lost: Needs = ()) -> None:
        """The snapshot shows no claim."""
        super().cancel_one(cell, row, cause, lost)
        for each in self.rows:
            if each.log == "claim-snapshot" and each.run == cell.id:
                each.data["claim"] = []


@inversion(
    step=17,
    breach="a canceled run makes its output all the same",
    breaks=(("declared-cancellation-settles-one-job", 2),),
    needs=(CANCELLATION,),
)
class CanceledRunMakesItsOutput(Handlers):
    """What was begun is handed out."""

    def settle_canceled_claim(self, cell: Cell, row: str) -> None:
        """An output beside the returned claim."""
        super().settle_canceled_claim(cell, row)
        self.record_output(cell, "established")


@inversion(
    step=17,
    breach="a cancellation takes along every run that waits behind the canceled one",
    breaks=(("declared-cancellation-settles-one-job", 3),),
    needs=(NO_LINKS_AND_A_LINE,),
)
class CancelTakesTheQueueAlong(Handlers):
    """The queue is emptied from there on."""

    def cancel(self, cell: Cell, row: str) -> None:
        """Those who wait at the same place follow."""
        super().cancel(cell, row)
        for run in [] if self.config.dependents else self.order(cell.where):
            if self.cells[run].state == WAITING:
                self.cancel_one(self.cells[run], row, row)


@inversion(
    step=17,
    breach="the return rule is not read: a canceled run's whole claim comes back",
    breaks=(
        ("cancel-return-rule-pairs-with-rule-sized-return", 0),
        ("cancel-return-rule-pairs-with-rule-sized-return", 1),
        ("declared-cancellation-settles-one-job", 0),
    ),
    needs=(RULE_SPENDS,),
)
class ReturnRuleIsNotRead(Handlers):
    """Everything is given back."""

    def returned_by_rule(self, cell: Cell, rule: CancelReturn) -> list[int]:
        """All that is held."""
        return list(cell.held)


@inversion(
    step=17,
    breach="a run is canceled by whoever asks for it, although no cancellation is declared",
    breaks=(("no-cancellation-without-a-cancellation-row", 0),),
    needs=(NO_CANCELLATION, RESTS_WHERE_A_CANCEL_COUNTS),
)
class UndeclaredCancelIsTaken(Handlers):
    """Every system can be told to stop, it is thought."""

    def on_cancel(self, event: e.Cancel) -> str | None:
        """Settled as a declared one would be, where none is declared."""
        if self.config.cancellations:
            return super().on_cancel(event)
        cell = self._named("cancel", event.run)
        if isinstance(cell, str):
            return cell
        self.cancel_one(cell, event.row, event.row)
        return None


# -- dependents ----------------------------------------------------------------------------------------------------


@inversion(
    step=17,
    breach="the dependents of a canceled run are not ended, and start as if it had finished",
    breaks=(("dependent-cancellation-follows-answer", 0),),
    needs=(DEPENDENTS_END,),
    faults=("F36",),
)
class DependentsStartAfterTheCancel(Handlers):
    """Whoever ends, in whatever way, lets its dependents go."""

    def settle_dependents(self, job: str, row: Dependents) -> None:
        """Where they should end, nothing happens to them."""
        if not self.config.end_dependents:
            super().settle_dependents(job, row)

    def is_met(self, job: str, bound: str) -> bool:
        """A canceled run counts as a finished one, where dependents end."""
        gone = self.config.end_dependents and self.cells[bound].state == CANCELED
        return gone or super().is_met(job, bound)


@inversion(
    step=17,
    breach="dependents that should be left waiting are canceled with the run that they need",
    breaks=(("dependent-cancellation-follows-answer", 0),),
    needs=(DEPENDENTS_STAY,),
)
class DependentsAreTakenAlong(Handlers):
    """Every chain ends with its first link."""

    def settle_dependents(self, job: str, row: Dependents) -> None:
        """Ended, whatever the answer says."""
        if self.config.end_dependents:
            super().settle_dependents(job, row)
            return
        for cell, lost in self._dependents_of(job, row):
            self.cancel_one(cell, row.cancellation, "dependency-ended", lost)


@inversion(
    step=17,
    breach="only a finished need counts as settled: the dependents of a canceled run are queued again at every tick",
    breaks=(("dependent-cancellation-follows-answer", 0),),
    needs=(DEPENDENTS_STAY,),
    faults=("F35",),
)
class LostDependentsAreQueuedAgain(Handlers):
    """Pushed back without any change, again and again."""

    def settle_dependents(self, job: str, row: Dependents) -> None:
        """They go to the tail at once, and have no reason to wait that would not clear."""
        super().settle_dependents(job, row)
        for run in list(self.line):
            self._queue_again(self.cells[run])

    def tick(self) -> None:
        """And again."""
        super().tick()
        for run in list(self.line):
            self._queue_again(self.cells[run])

    def _queue_again(self, cell: Cell) -> None:
        lost = [need for need in cell.needs if self.is_unmeetable(*need)]
        if lost and cell.state == WAITING:
            self.begin_settle()
            self.join_line(cell)
            self.report(cell, "job-waiting", cell.reasons, WAITING, cell.work)


@inversion(
    step=17,
    breach="ended dependents keep their waiting slots",
    breaks=(("dependent-cancellation-follows-answer", 0),),
    needs=(DEPENDENTS_END,),
)
class EndedDependentsKeepTheirPlaces(Handlers):
    """The report is made, the queue still counts them."""

    def settle_dependents(self, job: str, row: Dependents) -> None:
        """No waiting slot is given back meanwhile."""
        self._ending = True
        super().settle_dependents(job, row)
        self._ending = False

    _ending = False

    def free_waiting(self, cell: Cell) -> None:
        """Not while dependents end."""
        if not self._ending:
            super().free_waiting(cell)


@inversion(
    step=17,
    breach="a cancellation takes back what completed jobs of the same chain have delivered",
    breaks=(("dependent-cancellation-follows-answer", 1),),
    needs=(LINKS, CHAIN_COMPLETES),
)
class CancelUndoesTheChain(Handlers):
    """The chain is one order, and the order is off."""

    def settle_dependents(self, job: str, row: Dependents) -> None:
        """Outputs of delivered runs of the chain's jobs are destroyed."""
        chain = {name for link in row.links for name in (link.job, *link.needs)}
        for cell in self.cells.values():
            if cell.state == DELIVERED and cell.job in chain:
                self.begin_settle()
                self.record_output(cell, "destroyed")
        super().settle_dependents(job, row)
