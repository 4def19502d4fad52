"""What a reversal rule makes of the work of a stopped run, tick by tick (lifecycle: step 10)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from harness.models.lifecycle.config import Config, Reversal
from harness.run.recording import LogRow
from harness.verdict.evidence import SentView
from harness.verdict.judgments.stops_claims import work_after
from harness.verdict.judgments.stops_records import ORDINARY, Stop, events_within, number


class Fall(NamedTuple):
    """One tick of a reversing stop: what the rule makes of the work, and whether its delay has passed."""

    sent: SentView
    run: str
    rule: Reversal
    stopped_for: int
    before: Fraction
    after: Fraction

    @property
    def due(self) -> bool:
        """Whether the work falls at this tick."""
        return self.stopped_for > self.rule.after

    @property
    def rows(self) -> tuple[LogRow, ...]:
        """The rows of reversal-log that the tick left for the run."""
        return self.sent.rows_of("reversal-log", self.run)


def reversal_for(config: Config, job: str | None) -> Reversal | None:
    """The first reversal rule, in written order, that is for the job."""
    return next((each for each in config.reversals if each.jobs is None or job in each.jobs), None)


def falls(stop: Stop) -> Iterator[Fall]:
    """The ticks at which the rule speaks about a stop that began as an ordinary one, as long as work is left."""
    rule = reversal_for(stop.world.evidence.config, stop.before.job(stop.run))
    if rule is None or stop.began != ORDINARY:
        return
    work, passed = work_after(stop), 0
    for sent in events_within(stop):
        if sent.kind == "tick" and work > 0:
            passed += 1
            left = max(Fraction(0), work - Fraction(rule.per_tick)) if passed > rule.after else work
            yield Fall(sent, stop.run, rule, passed, work, left)
            work = left
        for failure in sent.rows_of("report-log", stop.run, report="job-failed"):
            work = number(failure["work-after"])
