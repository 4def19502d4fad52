"""What the oracle remembers: roster cells with what they have, teams behind a gate, errands to the source."""

from __future__ import annotations

from typing import Any, NamedTuple

from harness.models.pools.correlations import BirthId, RecoveryId
from harness.models.pools.supervisor.values import Allocators, PreparationId, Proxy, WorkerId

Slip = tuple[Any, str]
"""A ticket and the text of a worker."""


class Permit(NamedTuple):
    """What a cell's proxy was given and has not reported on: `over` is the worker to be replaced, None for a first."""

    ticket: Any
    over: WorkerId | None
    taken: bool = False


class Cell(NamedTuple):
    """One role, by what it has.

    `egg` is an awaited birth and `shell` an exit seen before it; `slip` the first worker, not given yet; `kit` a
    prepared replacement; `gone` the end of `worker` (`lost` where only the report of it is gone); `news` an outcome
    that waits for that end. `debt` is what the proxy owes: it was `asked` to go, `knows` it, is `deaf` to it; `left`
    tells that it went before it answered. A closed cell has nothing.
    """

    egg: BirthId | None = None
    shell: bool = False
    proxy: Proxy | None = None
    slip: Slip | None = None
    permit: Permit | None = None
    worker: WorkerId | None = None
    gone: Any = None
    kit: Slip | None = None
    news: Any = None
    team: RecoveryId | None = None
    debt: str = ""
    left: bool = False
    closed: bool = False


class Team(NamedTuple):
    """One recovery: who set it off, and its gate: (`open`,) or (`asked` or `running`, timer, due)."""

    number: RecoveryId
    lead: int
    gate: tuple[Any, ...]


class Errand(NamedTuple):
    """The source was asked for these cells."""

    number: PreparationId
    lead: int
    cells: tuple[int, ...]


class Book(NamedTuple):
    """The whole account. `tally` counts recoveries by who set them off, `spent` are (time, how many).

    Of a closed book: `bell` is the want of the drain timer, `stale` are timers and `owed` errands nobody waits for.
    `letters` counts what was sent, `mail` has the number and the kind of what nobody has told the end of.
    """

    cells: tuple[Cell, ...]
    teams: tuple[Team, ...]
    errands: tuple[Errand, ...]
    tally: tuple[int, ...]
    spent: tuple[tuple[int, int], ...]
    marks: Allocators
    open: bool
    bell: tuple[Any, ...]
    stale: tuple[tuple[Any, ...], ...]
    owed: tuple[Errand, ...]
    verdict: str
    plans: tuple[str, ...]
    letters: int = 0
    mail: tuple[tuple[int, str], ...] = ()

    def without_mail(self) -> Book:
        """The same book where nobody will ever tell what became of anything that was sent."""
        return self._replace(letters=0, mail=())


def opening(marks: Allocators, plans: tuple[str, ...]) -> Book:
    """The book of a supervisor that has not begun.

    `marks` are its counters before anything was made ready, `plans` the first worker of each cell.
    """
    return Book((), (), (), (), (), marks, False, (), (), (), "unopened", plans)
