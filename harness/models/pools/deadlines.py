"""The limit of a drain: its timer, and what a drain that is cut short hands over."""

from __future__ import annotations

from typing import NamedTuple

from harness.models.pools import actions as a
from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.correlations import TimerId
from harness.models.pools.draining import Drains


class Deadline(NamedTuple):
    """The limit of a drain: `waiting-without-deadline`, `scheduling` or `waiting`, with its timer."""

    phase: str
    timer: TimerId | None = None


NO_DEADLINE = Deadline("waiting-without-deadline")


class Deadlines(Drains):
    """The rules of the drain timer; `forced` is the cause of a drain that was cut short in this step."""

    deadline: Deadline
    forced: str | None = None

    def arm_deadline(self) -> None:
        """Under a limit one timer is asked for; where none can be had, the drain ends right here."""
        self.deadline = NO_DEADLINE
        if self.definition.deadline is None or self.has_ended():
            return
        timer = self.reserve("timer")
        if isinstance(timer, TimerId):
            self.deadline = Deadline("scheduling", timer)
            self.emit(a.ScheduleDeadline(timer, self.definition.deadline))
        else:
            self.force("deadline-correlation-unavailable")

    def deadline_fact(self, fact: f.DeadlineAccepted | f.DeadlineRejected | f.DeadlineElapsed) -> None:
        """The drain timer runs, was refused, or went off."""
        phase, timer = self.deadline
        elapsed = isinstance(fact, f.DeadlineElapsed)
        if timer is None or timer != fact.timer or phase != ("waiting" if elapsed else "scheduling"):
            return self.reject(fact)
        if isinstance(fact, f.DeadlineAccepted):
            self.deadline = Deadline("waiting", timer)
            return None
        return self.force("deadline-elapsed" if elapsed else "deadline-not-scheduled")

    def force(self, cause: str) -> None:
        """Whoever has not ended goes into custody as it is; nothing is invented for it."""
        self.forced = cause
        for each in self.unresolved():
            self.emit(a.TransferResidual(each, cause))

    def unresolved(self) -> tuple[m.DrainMember, ...]:
        """The members that have not ended."""
        return tuple(each for each in self.draining or () if not isinstance(each, m.Drained))

    def has_ended(self) -> bool:
        """Whether the drain is over."""
        return self.draining is not None and not self.unresolved()
