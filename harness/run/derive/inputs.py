"""source-record and usable-inputs: where claimed units came from, and what is left for everyone else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from harness.run.derive.facts import DeriveFacts, Deriver, beside, moment_after
from harness.run.recording import ACCEPTED, REFUSED, Draft, SentDrafts, whole

_OUTSIDE = "outside"


class SourceRecord(Deriver):
    """One row for each claim change: the source recorded at the claim, beside the one that the change names."""

    log = "source-record"
    needs = frozenset({"claim-ledger"})

    def __init__(self, facts: DeriveFacts, state_log: str) -> None:
        super().__init__(facts, state_log)
        self._held: dict[tuple[str | None, str], dict[str, int]] = {}

    def row(self, row: Draft, sent: SentDrafts | None) -> Iterable[Draft]:
        if row.log != "claim-ledger":
            return
        item, source, amount = row.data["item"], row.data["source"], whole(row.data["amount"])
        held = self._held.setdefault((row.run, item), {})
        change = row.data["change"]
        recorded = source if change == "claim" else _recorded(held, source)
        if recorded is not None:
            held[recorded] = held.get(recorded, 0) + (amount if change == "claim" else -amount)
        yield beside(
            row,
            self.log,
            {"item": item, "amount": amount, "change": change, "recorded": recorded, "settled-at": source},
        )


def _recorded(held: Mapping[str, int], source: str) -> str | None:
    """The recorded source that a settling change draws on: the named one if units of it are held, else the oldest."""
    if held.get(source, 0) > 0:
        return source
    return next((each for each, amount in held.items() if amount > 0), next(iter(held), None))


class UsableInputs(Deriver):
    """One row for each thing that could change what others may use, also for a use that was refused."""

    log = "usable-inputs"
    needs = frozenset({"claim-ledger"})

    def __init__(self, facts: DeriveFacts, state_log: str) -> None:
        super().__init__(facts, state_log)
        self._usable: dict[tuple[str, str], int] = {}
        self._claimed: dict[tuple[str, str], int] = {}

    def begin(self, world: Mapping[str, Any]) -> Iterable[Draft]:
        for entry in world.get("stock", ()):
            unit = (entry["item"], entry["source"])
            self._usable[unit] = self._usable.get(unit, 0) + entry["amount"]
            yield Draft(self.log, None, self._data(unit, "world", _OUTSIDE))

    def enter(self, sent: SentDrafts) -> Iterable[Draft]:
        event, kind = sent.event, sent.event.get("kind")
        told = (kind == "supply" and sent.outcome == ACCEPTED) or (
            kind == "use" and sent.outcome in (ACCEPTED, REFUSED)
        )
        if not told:
            return
        unit, refused = (event["item"], event["source"]), sent.outcome == REFUSED
        if not refused:
            amount = event["amount"] if kind == "supply" else -event["amount"]
            self._usable[unit] = self._usable.get(unit, 0) + amount
        data = self._data(unit, str(kind), _OUTSIDE, refused)
        yield Draft(self.log, None, data, moment=moment_after(sent))

    def row(self, row: Draft, sent: SentDrafts | None) -> Iterable[Draft]:
        if row.log != "claim-ledger":
            return
        unit, amount = (row.data["item"], row.data["source"]), whole(row.data["amount"])
        change = row.data["change"]
        self._claimed[unit] = self._claimed.get(unit, 0) + (amount if change == "claim" else -amount)
        if change in ("claim", "release"):
            self._usable[unit] = self._usable.get(unit, 0) + (amount if change == "release" else -amount)
        yield beside(row, self.log, self._data(unit, change, row.run or _OUTSIDE))

    def _data(self, unit: tuple[str, str], why: str, by: str, refused: bool = False) -> dict[str, Any]:
        item, source = unit
        return {
            "item": item,
            "source": source,
            "usable": self._usable.get(unit, 0),
            "claimed": self._claimed.get(unit, 0),
            "why": why,
            "by": by,
            "refused": refused,
        }
