"""Whether a waiting or stopped run could use a slot, as far as the logs that the system supplies can tell.

An answer of None means that a log which would tell is not supplied: then nothing is held against the system.
"""

from __future__ import annotations

from functools import cached_property

from harness.run.recording import LogRow
from harness.verdict.evidence import WorldView
from harness.verdict.judgments.admission_asked import Asked, Units, asked_runs, initial_share, share, tested_share
from harness.verdict.judgments.pools_common import observes
from harness.verdict.judgments.pools_line import Standing
from harness.verdict.snapshot import Snapshot

_GATED = ("taken-at-start", "with-progress")


class Readiness:
    """What each run of one world needs, and whether it is there at a given moment."""

    def __init__(self, w: WorldView) -> None:
        self._w = w
        self._e = w.evidence

    @cached_property
    def _asked(self) -> dict[str, Asked]:
        return asked_runs(self._e, self._w)

    # -- eligibility (lifecycle: Slots and offers) ------------------------------------------------------------------

    def eligible(self, run: str, standing: Standing, at: Snapshot) -> bool | None:
        """Whether a waiting run has no reason but those that a slot takes away, or a stopped run no cause."""
        if standing.states.get(run) == "waiting":
            return self.can_start(run, at)
        stopped = self.without_causes(run, at)
        # At the start gate the needs must be met too; a claim that is not there is passed over, not ineligible.
        if stopped and run in standing.recovering:
            return self.needs_met(run, at)
        return stopped

    def can_start(self, run: str, at: Snapshot) -> bool | None:
        """Whether the start gate would let the run through: its needs are met, its claim is there."""
        if not self.needs_met(run, at):
            return False
        return self.gate_open(run, at)

    def without_causes(self, run: str, at: Snapshot) -> bool | None:
        """Whether a stopped run has no cause left."""
        if not at.reported_causes(run):
            return True
        return not at.causes(run) if observes(self._e, "stop-causes") else None

    def gate_open(self, run: str, at: Snapshot) -> bool | None:
        """Whether the tested share, beyond what the run holds, is usable."""
        asked = self._asked.get(run)
        if asked is None:
            return None
        return self._usable(asked, self._lacking(asked, self.tested(asked), at), at)

    def tested(self, asked: Asked) -> Units:
        """The units that the start gate tests: none where it claims nothing."""
        return tested_share(self._e, asked) if self._e.config.timing in _GATED else {}

    def resume_claim_there(self, run: str, standing: Standing, at: Snapshot) -> bool | None:
        """Whether what a resume would claim is usable."""
        asked = self._asked.get(run)
        timing = self._e.config.timing
        if asked is None or timing == "taken-at-finish":
            return None
        if timing is None:
            return True
        if timing != "with-progress":
            return self._usable(asked, self._lacking(asked, asked.needs, at), at)
        if not observes(self._e, "work-before-after"):
            return None
        recorded, initial = share(self._e, asked, at.work(run)), initial_share(self._e, asked)
        wanted = {unit: max(recorded.get(unit, 0), initial.get(unit, 0)) for unit in asked.needs}
        return self._usable(asked, self._lacking(asked, wanted, at), at)

    def _lacking(self, asked: Asked, wanted: Units, at: Snapshot) -> Units:
        if not wanted or not observes(self._e, "claim-ledger"):
            return wanted
        held = at.held(asked.run)
        return {unit: amount - held.get(unit, 0) for unit, amount in wanted.items() if amount > held.get(unit, 0)}

    def _usable(self, asked: Asked, wanted: Units, at: Snapshot) -> bool | None:
        if not wanted:
            return True
        if not observes(self._e, "claim-ledger"):
            return None
        return all(amount <= at.usable(*unit) for unit, amount in wanted.items())

    # -- dependencies -----------------------------------------------------------------------------------------------

    def needs_met(self, run: str, at: Snapshot) -> bool:
        """Whether each run that this one was bound to, or a later one of its job, is finished."""
        asked = self._asked.get(run)
        if asked is None:
            return False
        for job in self._e.config.needs_of(asked.job.id):
            bound = self._bound(job, asked.report)
            if bound is not None and not self._met(bound, at):
                return False
        return True

    def _bound(self, job: str, asked: LogRow) -> Asked | None:
        """The latest run of the job that was open when the request was made."""
        then = self._w.snapshot(asked, before=True)
        earlier = [each for each in self._asked.values() if each.report.pos < asked.pos and each.job.id == job]
        return next((each for each in reversed(earlier) if not then.ended(each.run)), None)

    def _met(self, bound: Asked, at: Snapshot) -> bool:
        later = (each for each in self._asked.values() if each.job.id == bound.job.id)
        finished = ("finished", "delivered")
        return any(at.state(each.run) in finished for each in later if each.report.pos >= bound.report.pos)
