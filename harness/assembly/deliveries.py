"""Where outputs go: the rows that retry, collect and route them, and the delivery cases."""

from __future__ import annotations

from typing import Any

from harness.assembly.decided import MAIN, Decided
from harness.assembly.jobs import normal_capacity, size
from harness.assembly.sheet import Sheet


def add_delivery(sheet: Sheet, decided: Decided) -> None:
    """What the answers about delivery need, and the cases."""
    if decided.output_full == "wait-before-start":
        _event(sheet, decided, "readmission-events", "room-again", "readmission_declared_in", ("retries", "all"))
    if decided.output_full in ("hold-undelivered", "try-destinations"):
        _event(sheet, decided, "redelivery-events", "try-again", "redelivery_declared_in", ("retries", "all"))
    if decided.on_collection:
        _event(sheet, decided, "collection-events", "fetched", "collection_declared_in", ("all",))
    if decided.output_full == "try-destinations" and normal_capacity(decided) != "unlimited":
        _route(sheet, decided)
    if not decided.in_place:
        _cases(sheet, decided)


def _event(
    sheet: Sheet, decided: Decided, collection: str, row_id: str, field: str, polled_under: tuple[str, ...]
) -> None:
    polled = decided.chosen["polled"]
    if polled == "all" and not decided.on_collection:
        polled = "no"
    event = "tick" if polled in polled_under else row_id
    sheet.row(collection, row_id, field, "event", event)


def _route(sheet: Sheet, decided: Decided) -> None:
    """The fallback rows; behind an unlimited destination none could ever be chosen."""
    rows: dict[str, tuple[tuple[str, Any], ...]] = {
        "finite": (("floor", size(decided)),),
        "unlimited": (("floor", size(decided)), ("street", "unlimited")),
        "two-finite": (("floor", size(decided)), ("cellar", 2 * size(decided))),
        "none": (),
    }
    for name, capacity in rows[decided.chosen["fallbacks"]]:
        rule = {"name": name, "capacity": capacity}
        sheet.row("output-destinations", name, "destination_declared_in", "destination", rule)


def _cases(sheet: Sheet, decided: Decided) -> None:
    shelf = "shelf-{place}" if decided.each_place and MAIN in decided.covered else "shelf"
    conditions: dict[str, tuple[tuple[str, Any], ...]] = {
        "none": (),
        "always": (("any-output", "always"),),
        "short-and-enough": (
            ("no-room", {"destination": shelf, "room": "short"}),
            ("room", {"destination": shelf, "room": "enough"}),
        ),
    }
    for row_id, condition in conditions[decided.chosen["cases"]]:
        sheet.row("delivery-cases", row_id, "condition_declared_in", "condition", condition)
