"""Work phases, what interrupts the work, and how claims and stopped work follow it."""

from __future__ import annotations

from typing import Any

from harness.assembly.decided import MAIN, Decided
from harness.assembly.sheet import Sheet

_DURATIONS: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "three-ticks": (("shaping", {"work": 3}),),
    "fractions": (("shaping", {"work": 2, "per-tick": "3/4"}),),
    "field": (("shaping", {"work": "effort"}),),
    "field-per-tick": (("shaping", {"work": 3, "per-tick": "pace"}),),
    "two-phases": (("shaping", {"work": 3}), ("slow-shaping", {"work": 5})),
    "phase-by-job": (("shaping", {"work": 2}), ("slow-shaping", {"work": 4})),
}
_INTERRUPTIONS: dict[str, tuple[tuple[str, Any], ...]] = {
    "one": (("power-cut", "power-cut"),),
    "two": (("power-cut", ["power-cut", "fuse"]), ("called-away", "called-away")),
    "worker": (("no-worker", "worker-stopped"),),
    "worker-in-list": (("no-worker", ["sent-home", "worker-stopped"]), ("power-cut", "power-cut")),
}


def add_work(sheet: Sheet, decided: Decided) -> None:
    """The phases, the interruptions, the reversal and the rounding."""
    chosen = decided.chosen
    if decided.works:
        for row_id, duration in _DURATIONS[chosen["work"]]:
            sheet.row("work-phases", row_id, "duration_declared_in", "duration", duration)
    if decided.interrupted:
        for row_id, instruction in _INTERRUPTIONS[chosen["interruptions"]]:
            sheet.row("interruptions", row_id, "interruptions_declared_in", "instruction", instruction)
    if decided.stops and chosen["partial-work"] == "reverse-while-stopped":
        for row_id, rule in _reversals(decided):
            sheet.row("reversal-rules", row_id, "reversal_declared_in", "reversal", rule)
    if decided.progress:
        for row_id, rule in _roundings(decided):
            sheet.row("progress-rounding-rules", row_id, "progress_rounding_declared_in", "progress-rounding", rule)


def _reversals(decided: Decided) -> list[tuple[str, dict[str, Any]]]:
    slow, at_once = {"per-tick": "1/2", "after": 1}, {"per-tick": 1}
    if decided.chosen["reversal"] == "by-job":
        return _by_job(decided, "cooling", {**slow, "after": 2}, at_once)
    return [("cooling", slow if decided.chosen["reversal"] == "slow" else at_once)]


def _roundings(decided: Decided) -> list[tuple[str, dict[str, Any]]]:
    chosen = decided.chosen["rounding"]
    if chosen == "by-job":
        return _by_job(decided, "shares", {"round": "down"}, {"round": "nearest", "point": "current"})
    rules: dict[str, dict[str, Any]] = {
        "current": {"round": "up", "point": "current", "initial-work": 0},
        "initial": {"round": "up", "initial-work": "1/2"},
    }
    return [("shares", rules.get(chosen, {"round": chosen}))]


def _by_job(
    decided: Decided, row_id: str, main: dict[str, Any], others: dict[str, Any]
) -> list[tuple[str, dict[str, Any]]]:
    """A row for the main job, and one for all that are left where there are any."""
    rows = [(row_id, {**main, "for": [MAIN]})]
    return [*rows, (f"other-{row_id}", others)] if len(decided.jobs) > 1 else rows
