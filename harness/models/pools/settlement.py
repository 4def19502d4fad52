"""Settlement of a batch of actions: each item ends in exactly one way, in declared order.

A refusal does not skip later items. An item that depends on a creation is blocked, untouched, where that creation did
not happen. Only a fault of the interpreter stops the walk; what stands behind it was never attempted.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

CREATIONS = ("worker-creations", "proxy-creations")
"""The lanes whose operations make what others of the same batch may depend on."""


class Answer(NamedTuple):
    """What the runtime says of one item: `accepted`, `rejected` or `corrupt`, with the receipt or the reason."""

    word: str
    detail: str = ""


class Settled(NamedTuple):
    """How one item ended: `accepted`, `rejected`, `blocked`, `corrupt` or `not-attempted`.

    An accepted item is used up and only its receipt is kept; any other item comes back whole.
    """

    word: str
    item: NamedTuple | None
    detail: str


class BatchSettlement(NamedTuple):
    """Every item's end, in the order of the items."""

    items: tuple[Settled, ...]

    @property
    def status(self) -> str:
        """Of the whole: `corrupt` outweighs `rejected`, which outweighs `accepted`."""
        words = {each.word for each in self.items}
        if words & {"corrupt", "not-attempted"}:
            return "corrupt"
        return "rejected" if words & {"rejected", "blocked"} else "accepted"

    @property
    def returned(self) -> tuple[NamedTuple, ...]:
        """What the host owns again, whole and in order."""
        return tuple(each.item for each in self.items if each.item is not None)


def settle_batch(operations: Iterable[NamedTuple], interpret: Callable[[NamedTuple], Answer]) -> BatchSettlement:
    """Walk over the operations of one step; `interpret` says what the runtime made of each that is attempted."""
    settled: list[Settled] = []
    failed: set[Hashable] = set()
    corrupt = False
    for each in operations:
        if corrupt:
            settled.append(Settled("not-attempted", each, "behind a fault"))
            continue
        missing = _needs(each)
        if missing is not None and missing in failed:
            settled.append(Settled("blocked", each, f"creation {missing!r} did not happen"))
            continue
        answer = interpret(each)
        settled.append(Settled(answer.word, None if answer.word == "accepted" else each, answer.detail))
        corrupt = answer.word == "corrupt"
        if answer.word != "accepted" and (made := _makes(each)) is not None:
            failed.add(made)
    return BatchSettlement(tuple(settled))


def _makes(operation: NamedTuple) -> Hashable | None:
    """The creation that an operation is."""
    return getattr(operation, "reservation", None) if _lane(operation) in CREATIONS else None


def _needs(operation: NamedTuple) -> Hashable | None:
    """The creation of the same batch that an operation depends on; a child is named by its creation."""
    if _lane(operation) in CREATIONS:
        return None
    child = getattr(operation, "child", None)
    return getattr(operation, "reservation", None) if child is None else child


def _lane(operation: NamedTuple) -> str:
    return str(getattr(operation, "lane", ""))
