"""What the oracle remembers: worker cells with what they wait for, one line of slips, one hand on the ring."""

from __future__ import annotations

from typing import Any, NamedTuple

from harness.models.pools import facts as f
from harness.models.pools.correlations import Allocators, Correlation, JobId, RequestId
from harness.models.pools.values import Stop, Worker

Want = tuple[Any, ...]
"""One awaited fact: a word and all that makes the fact exact."""


class Slip(NamedTuple):
    """One job on the books; `had_by` is the cell that had it before."""

    job: JobId
    route: str
    load: RequestId
    had_by: int | None = None


class Cell(NamedTuple):
    """The place of one role.

    `stands` is `coming`, `queuing` (for a place to warm up), `warming`, `free`, `working`, `leaving`, `gap` (no
    worker, a spare is awaited), `ending` (the pool closes) or `over`. `news` keeps facts that came before their turn,
    `then` says what follows a leave, `asked` whether the worker was told to go.
    """

    stands: str
    who: Worker | None
    wants: tuple[Want, ...]
    slip: Slip | None = None
    given: Correlation | None = None
    news: tuple[Any, ...] = ()
    then: str = ""
    asked: bool = False
    spare: tuple[Any, ...] = ()


class Book(NamedTuple):
    """The whole account. `marks` are the counters, `spent` the times of restarts, `bell` the drain timer's want."""

    cells: tuple[Cell, ...]
    line: tuple[Slip, ...]
    hand: int
    marks: Allocators
    spent: tuple[int, ...]
    open: bool
    bell: Want
    verdict: str
    plans: tuple[str, ...]


def opening(marks: Allocators, plans: tuple[str, ...]) -> Book:
    """The book of a pool that has not begun.

    `marks` are its counters before anything was made ready, `plans` the first worker of each cell.
    """
    return Book((), (), 0, marks, (), False, (), "unopened", plans)


def wanted(fact: Any) -> Want:
    """The want that a fact fulfils."""
    key = _WANTS.get(type(fact))
    return key(fact) if key is not None else ()


def gone(stop: Stop) -> Want:
    """The want of exactly this exit."""
    return ("gone", stop.worker)


_WANTS: dict[type, Any] = {
    f.BirthCommitted: lambda x: ("born", x.reservation),
    f.BirthRejected: lambda x: ("born", x.reservation),
    f.InitReady: lambda x: ("begun", x.worker, x.attempt),
    f.InitRejected: lambda x: ("begun", x.worker, x.attempt),
    f.InitStopped: lambda x: ("begun", x.worker, x.attempt),
    f.BeginAccepted: lambda x: ("place", x.worker, x.ticket),
    f.BeginRejected: lambda x: ("place", x.worker, x.ticket),
    f.WorkerReady: lambda x: ("fit", x.worker, x.ticket),
    f.WorkerStopped: lambda x: ("gone", x.stop.worker),
    f.DeliveryAccepted: lambda x: ("handed", x.child, x.assignment),
    f.DeliveryRejected: lambda x: ("handed", x.child, x.assignment),
    f.WorkerCompleted: lambda x: ("done", x.child, x.completion.assignment, *x.completion.authority),
    f.SourcePrepared: lambda x: ("spare", x.replaces),
    f.SourcePartial: lambda x: ("spare", x.replaces),
    f.SourceRejected: lambda x: ("spare", x.replaces),
    f.ScheduleAccepted: lambda x: ("clock", x.recovery, x.timer),
    f.ScheduleRejected: lambda x: ("clock", x.recovery, x.timer),
    f.TimerElapsed: lambda x: ("chime", x.recovery, x.timer),
    f.ShutdownAccepted: lambda x: ("told", x.worker),
    f.ShutdownRejected: lambda x: ("told", x.worker),
    f.DeadlineAccepted: lambda x: ("bell-set", x.timer),
    f.DeadlineRejected: lambda x: ("bell-set", x.timer),
    f.DeadlineElapsed: lambda x: ("bell-rung", x.timer),
}
