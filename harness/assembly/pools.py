"""Pools and the standing orders in them."""

from __future__ import annotations

from typing import Any

from harness.assembly.decided import MAIN, Decided
from harness.assembly.sheet import Sheet

POOL = "benches"
COVERED_FIELD = {"kind": "indoor"}

_ORDERS = {
    "by-field": [("rank", "descending")],
    "newest-first": [("admission", "descending")],
    "by-two": [("rank", "ascending"), ("admission", "descending")],
}


def add_pools(sheet: Sheet, decided: Decided) -> None:
    """The last pool takes what the choice covers; one before it takes what is marked for it."""
    if not decided.pooled:
        return
    chosen = decided.chosen
    if chosen["pool"] == "two-pools":
        _pool(sheet, decided, "express", {"lane": "express"}, 1)
    covers: dict[str, Any] = {"all": "all", "list": sorted(decided.covered), "field": COVERED_FIELD}
    working = {"shared-two": 2, "closed": 0}.get(chosen["pool"], 1)
    _pool(sheet, decided, POOL, covers[chosen["covers"]], working)


def _pool(sheet: Sheet, decided: Decided, row_id: str, covers: Any, working: int) -> None:
    chosen = decided.chosen

    def cite(field: str, kind: str, value: Any) -> str:
        return sheet.cite_for("work-limits", row_id, field, kind, value)

    fields = {
        "covers_declared_in": cite("covers", "covers", covers),
        "working_limit_key": cite("working", "limit", working),
        "scope": "each-place" if decided.each_place else "shared",
        "waiting_order": "request-order" if chosen["order"] == "request-order" else "game-rule-order",
    }
    waiting = {"none": 0, "one": 1, "two": 2}.get(chosen["waiting"])
    if waiting is not None:
        fields["waiting_limit_key"] = cite("waiting", "limit", waiting)
    if decided.each_place:
        fields["places_declared_in"] = cite("places", "places", ["north", "south"])
        fields["place_assignment_declared_in"] = cite("place", "place-assignment", chosen["assignment"])
    if chosen["order"] in _ORDERS:
        keys = [{"field": field, "direction": direction} for field, direction in _ORDERS[chosen["order"]]]
        fields["order_declared_in"] = cite("order", "order", keys)
    if chosen["releases"] != "unsaid":
        fields["releases_working_at"] = chosen["releases"]
    sheet.plain_row("work-limits", row_id, **fields)


def add_standing_orders(sheet: Sheet, decided: Decided) -> None:
    """Rows that request again and again; never a job whose work a request must say."""
    standing = decided.chosen["standing"]
    looks_at_stock = standing in ("below", "usable")
    if standing == "none" or not decided.pooled or decided.needs_field or (looks_at_stock and not decided.has_inputs):
        return
    _order(sheet, "again", _eligible(decided, standing), sheet.address(MAIN))
    if standing == "two-orders":
        covered = decided.jobs if decided.chosen["covers"] != "list" else decided.jobs[:1]
        # The second row's rule only names a job that is declared elsewhere.
        _order(sheet, "spare", "no-open-run", sheet.cite("spare-job", "job", covered[-1]))


def _eligible(decided: Decided, standing: str) -> Any:
    if not decided.has_inputs:
        return ["wanted", "no-open-run"] if standing == "listed" else "wanted"
    wood_below = {"below": {"item": "wood", "amount": 100}}
    wood_usable = {"usable": [{"item": "wood", "amount": 3}]}
    found: dict[str, Any] = {
        "below": ["no-open-run", wood_below],
        "usable": [wood_usable, "no-open-run"],
        "listed": ["wanted", wood_below, wood_usable],
    }
    return found.get(standing, "wanted")


def _order(sheet: Sheet, row_id: str, eligible: Any, job_address: str) -> None:
    sheet.row(
        "standing-orders",
        row_id,
        "eligible_declared_in",
        "eligible",
        eligible,
        work_limit=POOL,
        requests_job_declared_in=job_address,
    )
