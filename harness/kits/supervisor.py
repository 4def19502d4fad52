"""The kit of the fixed-supervisor contract."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from harness.kits.pools import Breaks, Explained, LawKit

if TYPE_CHECKING:
    from harness.base.finding import Finding
    from harness.contract.shapes import Adoption
    from harness.contract.validation.subject import Subject
    from harness.kits.supervisor_bound import BoundSupervisor
    from harness.models.pools.law import PoolLaw
    from harness.run.pilot import Limits
    from harness.run.recording import Recording


class SupervisorKit(LawKit):
    """Fixed supervisors; the one model is the law's own."""

    contract = "fixed-supervisor"
    models = ("fixed-supervisor",)
    log_folder: ClassVar[str] = "diagnostics/supervisors"

    def bind(self, adoption: Adoption, limits: Limits, model: str) -> BoundSupervisor:
        """An adoption with the supervisor that it describes."""
        from harness.kits.supervisor_bound import BoundSupervisor

        return BoundSupervisor(adoption, self.logs)

    def check(self, subject: Subject, can_ask: bool) -> Iterator[Finding]:
        """Numbers that answers ask for, and what no supervisor can be built from."""
        from harness.run.pools.supervisor.binding import findings

        yield from findings(subject, can_ask)

    def law(self) -> PoolLaw:
        """The law with its inversions."""
        from harness.models.pools.supervisor.law import SUPERVISOR

        return SUPERVISOR

    def caught(self) -> tuple[Breaks, Explained]:
        """Which clauses its inversions break, and which none breaks."""
        from harness.verdict.pools.supervisor.breaks import BREAKS, EXPLAINED

        return BREAKS, EXPLAINED

    def walked(self, walk: str, scenario_id: str, letters: Sequence[str], invert: str | None = None) -> Recording:
        """What the supervisor of a walk of the law leaves."""
        from harness.kits.pools_walked import record_letters
        from harness.kits.supervisor_bound import steps_of
        from harness.models.pools.supervisor.law import SUPERVISOR
        from harness.run.pools.supervisor.runs import SupervisorRuns

        return record_letters(SUPERVISOR, SupervisorRuns, walk, scenario_id, letters, invert, steps=steps_of)


SUPERVISOR_KIT = SupervisorKit()
