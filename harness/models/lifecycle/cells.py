"""A run that may change while an event settles."""

from __future__ import annotations

from harness.models.lifecycle.config import Number
from harness.models.lifecycle.state import Run, is_open

Place = tuple[str | None, str | None]


class Cell:
    """A run that may change while an event settles (fields of `Run`)."""

    __slots__ = Run._fields

    def __init__(self, run: Run) -> None:
        # Written out: a cell is made for every run at every event, and a loop over the names costs four times as much.
        (
            self.id,
            self.job,
            self.by,
            self.state,
            self.ended,
            self.pending,
            self.pool,
            self.place,
            self.phase,
            self.fields,
            self.required,
            self.per_tick,
            self.work,
            self.held,
            self.working_slot,
            self.waiting_slot,
            self.reserved,
            self.reasons,
            self.causes,
            self.stop,
            self.point,
            self.stopped_for,
            self.needs,
            self.destination,
            self.output,
        ) = run

    id: str
    job: str
    by: str
    state: str
    ended: bool
    pending: str
    pool: str | None
    place: str | None
    phase: str | None
    fields: tuple[tuple[str, int | str], ...]
    required: Number
    per_tick: Number
    work: Number
    held: tuple[int, ...]
    working_slot: int | None
    waiting_slot: bool
    reserved: bool
    reasons: tuple[str, ...]
    causes: tuple[str, ...]
    stop: str
    point: str
    stopped_for: int
    needs: tuple[tuple[str, str], ...]
    destination: str | None
    output: str

    def freeze(self) -> Run:
        """The run as a value."""
        return Run(
            self.id,
            self.job,
            self.by,
            self.state,
            self.ended,
            self.pending,
            self.pool,
            self.place,
            self.phase,
            self.fields,
            self.required,
            self.per_tick,
            self.work,
            self.held,
            self.working_slot,
            self.waiting_slot,
            self.reserved,
            self.reasons,
            self.causes,
            self.stop,
            self.point,
            self.stopped_for,
            self.needs,
            self.destination,
            self.output,
        )

    @property
    def where(self) -> Place:
        """The pool and place it belongs to."""
        return self.pool, self.place

    @property
    def is_open(self) -> bool:
        """Whether it can still move."""
        return is_open(self)  # type: ignore[arg-type]  # a cell has the fields of a run
