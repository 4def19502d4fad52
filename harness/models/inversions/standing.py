"""Breaches of standing orders: scans that are missing, too early, blind or used up."""

from __future__ import annotations

from typing import ClassVar

from harness.models.inversions.conditions import STANDING_ORDER, STARTS
from harness.models.inversions.pool_conditions import (
    EXTERNAL_ELIGIBILITY,
    SCANS_AFTER_A_REFUSAL,
    SCANS_MAKE_SEVERAL,
    SEVERAL_ORDERS,
)
from harness.models.inversions.registry import inversion
from harness.models.lifecycle.config import StandingOrder
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.scans import Eligible
from harness.models.lifecycle.turn import Place


@inversion(
    step=19,
    breach="a scan considers its rows from the last written to the first",
    breaks=(("standing-order-scans-are-level-triggered", 0),),
    needs=(SEVERAL_ORDERS,),
)
class ScanReadsRowsBackwards(Handlers):
    """The newest row comes first."""

    def scan(self, where: Place, why: str) -> None:
        """The same scan in the other direction."""
        left = self.free_slots(where)
        for row in reversed(self.config.standing_orders):
            if row.pool == where[0]:
                left = self._scan_row(row, where, why, left)


@inversion(
    step=19,
    breach="a scan does not ask whether a row is still eligible: it goes on requesting what nobody needs",
    breaks=(("standing-order-scans-are-level-triggered", 0),),
    needs=(EXTERNAL_ELIGIBILITY,),
    faults=("F33",),
)
class MetOrderGoesOnRequesting(Handlers):
    """The demand is met, and the order does not notice."""

    _scanning = False

    def scan(self, where: Place, why: str) -> None:
        """Inside a scan every row is eligible."""
        self._scanning = True
        super().scan(where, why)
        self._scanning = False

    def is_eligible(self, row: StandingOrder, place: str | None) -> bool:
        """What the rule says only outside of scans."""
        return self._scanning or super().is_eligible(row, place)


@inversion(
    step=19,
    breach="standing orders are scanned before those who wait are offered the slot",
    breaks=(("standing-order-scans-are-level-triggered", 0), ("work-limit-offers-room-and-releases-counts", 3)),
    needs=(STANDING_ORDER, STARTS),
)
class ScanComesBeforeTheOffers(Handlers):
    """The pool serves itself first."""

    def close_batch(self, eligible_before: Eligible) -> None:
        """Scans, then what the sound batch does."""
        if self.config.standing_orders:
            self.scan_where_due(eligible_before)
        super().close_batch(eligible_before)


@inversion(
    step=19,
    breach="a scan makes one request at the most, however many slots are free",
    breaks=(("standing-order-scans-are-level-triggered", 1),),
    needs=(SCANS_MAKE_SEVERAL,),
)
class ScanMakesOneRequest(Handlers):
    """One look, one request."""

    def _scan_row(self, row: StandingOrder, where: Place, why: str, left: int) -> int:
        """After one request the scan has nothing left."""
        made = self.made
        after = super()._scan_row(row, where, why, min(left, 1))
        return 0 if self.made != made else max(after, left if after else 0)


@inversion(
    step=19,
    breach="a standing order is used up by the first request that it makes",
    breaks=(("standing-order-scans-are-level-triggered", 2),),
    needs=(STANDING_ORDER,),
)
class StandingOrderIsUsedUp(Handlers):
    """It is read as an order for one."""

    def is_eligible(self, row: StandingOrder, place: str | None) -> bool:
        """Never again after a run of its own."""
        return super().is_eligible(row, place) and all(cell.by != row.id for cell in self.cells.values())


class _Deaf(Handlers):
    """No scan for one of the reasons that there are."""

    deaf_to: ClassVar[str] = ""

    def why_scan(self, where: Place, turned: set[tuple[str, str | None]]) -> str | None:
        """Every reason but one."""
        why = super().why_scan(where, turned)
        return None if why == self.deaf_to else why


@inversion(
    step=19,
    breach="no scan is made when the pool opens",
    breaks=(("standing-order-scans-are-level-triggered", 2),),
    needs=(STANDING_ORDER,),
)
class OpeningStartsNoScan(_Deaf):
    """A new pool stays idle until something happens in it."""

    deaf_to = "pool-opened"


@inversion(
    step=19,
    breach="no scan is made when a row becomes eligible",
    breaks=(("standing-order-scans-are-level-triggered", 2),),
    needs=(EXTERNAL_ELIGIBILITY,),
)
class EligibilityStartsNoScan(_Deaf):
    """The condition is read in scans, and no scan comes of it."""

    deaf_to = "eligible"


@inversion(
    step=19,
    breach="no scan is made after a refusal that the scan did not make",
    breaks=(("standing-order-scans-are-level-triggered", 2),),
    needs=(SCANS_AFTER_A_REFUSAL,),
)
class RefusalStartsNoScan(_Deaf):
    """A refused request changes nothing, so nobody looks."""

    deaf_to = "refusal"
