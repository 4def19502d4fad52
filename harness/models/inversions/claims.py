"""Breaches of the claims: steps 5, 7, 9, 10 and 11."""

from __future__ import annotations

from harness.models.inversions.conditions import CANCELLATION, CLAIMS_BEFORE_FINISH
from harness.models.inversions.registry import inversion
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.turn import Cell


@inversion(
    step=17,
    breach="a canceled run's units are spent, whatever the answer says",
    breaks=(("declared-cancellation-settles-one-job", 0),),
    needs=(CANCELLATION, CLAIMS_BEFORE_FINISH),
    faults=("F01",),
)
class CancelKeepsTheInputs(Handlers):
    """Nothing comes back from a cancellation."""

    def settle_canceled_claim(self, cell: Cell, row: str) -> None:
        """Spend all."""
        self.move(cell, "spend", list(cell.held))
