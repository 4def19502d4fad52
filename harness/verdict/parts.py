"""What a judgment yields: one part for each thing it looked at, with the evidence for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from harness.run.recording import LogRow


@dataclass(frozen=True, slots=True)
class Absence:
    """Something that a log does not have: `what` is missing, `rows` were looked through.

    `near` places the absence in the order of the recording: it was due at that row, or soon after it.
    """

    log: str
    what: str
    rows: int = 0
    near: LogRow | None = None


@dataclass(frozen=True, slots=True)
class Declared:
    """A place of the adoption, as a JSON pointer."""

    pointer: str


Exhibit: TypeAlias = LogRow | Absence | Declared


@dataclass(frozen=True, slots=True)
class Holds:
    """A part that was looked at and is as the clause says."""

    evidence: tuple[Exhibit, ...]


@dataclass(frozen=True, slots=True)
class Violated:
    """A part that contradicts the clause; the first exhibit is the one that does."""

    evidence: tuple[Exhibit, ...]
    because: str

    @property
    def pos(self) -> int:
        """Where the contradiction stands in the recording; -1 for a declaration, which stands before all rows."""
        return _pos(self.evidence[0])


@dataclass(frozen=True, slots=True)
class Nothing:
    """A part of the clause that this adoption, or these runs, give nothing to check for."""

    reason: str


Part: TypeAlias = Holds | Violated | Nothing

# An absence is known only once everything was seen, so it stands after every row unless it says where it was due.
_LAST = 2**62


def _pos(exhibit: Exhibit) -> int:
    if isinstance(exhibit, LogRow):
        return exhibit.pos
    if isinstance(exhibit, Absence):
        return _LAST if exhibit.near is None else exhibit.near.pos
    return -1


def holds(*evidence: Exhibit) -> Holds:
    """A judged part that is as the clause says, shown by these rows (at least one)."""
    if not evidence:
        raise ValueError("a part that holds needs a row, an absence or a declaration that shows it")
    return Holds(evidence)


def violated(exhibit: Exhibit, because: str, *more: Exhibit) -> Violated:
    """A judged part that contradicts the clause: the contradicting row first, then the rows it contradicts."""
    return Violated((exhibit, *more), because)


def nothing(reason: str) -> Nothing:
    """A part with nothing to check, for this reason."""
    return Nothing(reason)


def absent(log: str, what: str, rows: int = 0, near: LogRow | None = None) -> Absence:
    """The missing thing in that log; also evidence for a part that holds because nothing is there."""
    return Absence(log, what, rows, near)


def declared(pointer: str) -> Declared:
    """A place of the adoption (a JSON pointer such as `/collections/interruptions/0`)."""
    return Declared(pointer)


def exhibit_json(exhibit: Exhibit, instance: str) -> dict[str, Any]:
    """The exhibit as it stands under `evidence` in run.json; log names there carry the instance."""
    if isinstance(exhibit, LogRow):
        return {"log": f"{instance}-{exhibit.log}", "seq": exhibit.seq}
    if isinstance(exhibit, Absence):
        return {"log": f"{instance}-{exhibit.log}", "absent": exhibit.what, "rows": exhibit.rows}
    return {"adoption": exhibit.pointer}
