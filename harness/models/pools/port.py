"""The port between the lifecycle and whatever owns the working slots of one row of limits at one place.

Each place has a state of its own, also where one pool serves all places of a row: whoever changes the state of a place
asks for the others' (`beside`). A lifecycle never sees workers: it takes a slot for a run, gives it back, asks how many
are free, and hears that a slot's worker stopped or is ready again. Slots are numbered from 0 here.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

S = TypeVar("S")


class Slots(Protocol[S]):
    """Operations over an immutable slot state `S`; each returns the next state."""

    def opened(self, limit: int, places: tuple[str, ...]) -> tuple[S, ...]:
        """One state for each place in their order, one alone without places: `limit` idle slots, every worker ready.

        ValueError where such a row can't be had.
        """

    def beside(self, slots: S, changed: S) -> S:
        """What the state of one place of a row is, once another place of the row has become `changed`."""

    def free(self, slots: S) -> int:
        """How many slots could be taken now."""

    def used(self, slots: S) -> int:
        """How many slots a run holds."""

    def take(self, slots: S, run: str) -> tuple[S, int]:
        """Give `run` the first free slot at or after the cursor; ValueError where none is free."""

    def give_back(self, slots: S, run: str) -> S:
        """The slot that `run` holds becomes idle; its worker may be gone all the same."""

    def holder(self, slots: S, index: int) -> str | None:
        """The run on a slot, None where it is idle. IndexError where there is no such slot."""

    def worker_stopped(self, slots: S, index: int) -> S:
        """The slot's worker is gone: the slot is not free until it is ready again."""

    def worker_ready(self, slots: S, index: int) -> S:
        """The slot's worker is back."""

    def is_ready(self, slots: S, index: int) -> bool:
        """Whether the slot's worker is there."""

    def shown(self, slots: S) -> dict[str, Any] | None:
        """A view into the pool behind the slots, as the logs of a named model show it; None where there is none.

        `law` names the pool's law, `members` has each worker's phase by its role.
        """
