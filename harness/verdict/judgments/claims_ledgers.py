"""What source-record and usable-inputs have to say, row by row, told from the events and the claim ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from harness.run.recording import SKIPPED, LogRow
from harness.verdict.evidence import WorldView
from harness.verdict.fold import Unit
from harness.verdict.judgments.admission_events import Breach
from harness.verdict.parts import absent

#: The changes of usable-inputs that come from outside of every run.
OUTSIDE = ("world", "supply", "use")


class Owed(NamedTuple):
    """A row that has to be there: its kind of change, its columns, and the row it belongs beside."""

    why: str
    columns: Mapping[str, Any]
    near: LogRow | None


class _Stock:
    """Units at their sources: what is usable and what is claimed, added up from what was sent and settled."""

    def __init__(self) -> None:
        self.usable: dict[Unit, int] = {}
        self.claimed: dict[Unit, int] = {}

    def owed(self, unit: Unit, why: str, by: str, refused: bool, near: LogRow | None) -> Owed:
        """The row that tells of the units after this change."""
        columns = {
            "item": unit[0],
            "source": unit[1],
            "usable": self.usable.get(unit, 0),
            "claimed": self.claimed.get(unit, 0),
            "why": why,
            "by": by,
            "refused": refused,
        }
        return Owed(why, columns, near)

    def add(self, unit: Unit, usable: int, claimed: int = 0) -> None:
        """Units come to a source, or go, or pass into or out of a claim."""
        self.usable[unit] = self.usable.get(unit, 0) + usable
        self.claimed[unit] = self.claimed.get(unit, 0) + claimed

    def settle(self, row: LogRow) -> Owed:
        """One change of the claim ledger."""
        unit, amount, change = (row["item"], row["source"]), row["amount"], row["change"]
        back = {"claim": -amount, "release": amount}.get(change, 0)
        self.add(unit, back, amount if change == "claim" else -amount)
        return self.owed(unit, change, row.run or "outside", False, row)


def usable_owed(w: WorldView) -> Iterator[Owed]:
    """Every row that usable-inputs has to have in this world, in order."""
    w.evidence.touch("claim-ledger")
    stock = _Stock()
    for entry in w.world.get("stock", ()):
        unit = (entry["item"], entry["source"])
        stock.add(unit, entry["amount"])
        yield stock.owed(unit, "world", "outside", False, None)
    for sent in w.sent:
        if sent.kind in ("supply", "use") and sent.outcome != SKIPPED:
            unit, refused = (sent.event["item"], sent.event["source"]), sent.outcome == "refused"
            if not refused:
                stock.add(unit, sent.event["amount"] if sent.kind == "supply" else -sent.event["amount"])
            if sent.kind == "use" or not refused:
                yield stock.owed(unit, sent.kind, "outside", refused, sent.rows[0] if sent.rows else None)
        for row in sent.rows:
            if row.log == "claim-ledger":
                yield stock.settle(row)


def sources_owed(w: WorldView) -> Iterator[Owed]:
    """Every row that source-record has to have in this world, in order: the recorded source is the settled one."""
    for row in w.rows("claim-ledger"):
        source = row["source"]
        columns = {
            "item": row["item"],
            "amount": row["amount"],
            "change": row["change"],
            "recorded": source,
            "settled-at": source,
        }
        yield Owed(row["change"], columns, row)


def differing(
    log: str, rows: tuple[LogRow, ...], owed: list[Owed], concerns: Callable[[str], bool], why: str
) -> Iterator[Breach]:
    """The first row of a log that is not the one owed in its place, where the clause is concerned with its change.

    `why` is the log's column that names the kind of change. A row too few or too many shifts all that follow, so only
    the first difference is told.
    """
    for row, due in zip(rows, owed, strict=False):
        wrong = {name: (row.get(name), value) for name, value in due.columns.items() if row.get(name) != value}
        if wrong:
            if concerns(due.why) or concerns(str(row.get(why))):
                told = ", ".join(f"{name} is {got}, due is {value}" for name, (got, value) in wrong.items())
                yield row, f"{log} at the {due.why} of {due.columns['item']}: {told}"
            return
    if len(rows) > len(owed) and concerns(str(rows[len(owed)].get(why))):
        yield rows[len(owed)], f"{log} tells of a {rows[len(owed)].get(why)} that nothing brought"
    elif len(rows) < len(owed) and concerns(owed[len(rows)].why):
        due = owed[len(rows)]
        missing = absent(log, f"the {due.why} of {due.columns['item']}", len(rows), due.near)
        yield missing, f"{log} does not tell of the {due.why} of {due.columns['item']}"
