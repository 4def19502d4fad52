"""The kit of the fixed-supervisor contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from harness.kits.kit import DRIVER, Inversion, Kit
from harness.kits.pools import claims_text

if TYPE_CHECKING:
    from harness.base.finding import Finding
    from harness.contract.shapes import Adoption
    from harness.contract.validation.subject import Subject
    from harness.kits.supervisor_bound import BoundSupervisor
    from harness.run.pilot import Limits
    from harness.run.recording import Recording


class SupervisorKit(Kit):
    """Fixed supervisors; the one model is the law's own."""

    contract = "fixed-supervisor"
    models = ("fixed-supervisor",)
    log_folder: ClassVar[str] = "diagnostics/supervisors"
    supports: ClassVar[frozenset[str]] = frozenset({DRIVER})

    def bind(self, adoption: Adoption, limits: Limits, model: str) -> BoundSupervisor:
        """An adoption with the supervisor that it describes."""
        from harness.kits.supervisor_bound import BoundSupervisor

        return BoundSupervisor(adoption)

    def check(self, subject: Subject, can_ask: bool) -> Iterator[Finding]:
        """Numbers that answers ask for, and what no supervisor can be built from."""
        from harness.run.pools.supervisor.binding import findings

        yield from findings(subject, can_ask)

    def inversions(self) -> tuple[Inversion, ...]:
        """Every inversion of the law, by its claims."""
        from harness.models.pools.supervisor.inversions import INVERSIONS
        from harness.verdict.pools.supervisor.breaks import BREAKS

        return tuple(
            Inversion(each.name, claims_text(each.claims), each.breach, BREAKS[each.name]) for each in INVERSIONS.all()
        )

    def explained(self) -> Mapping[tuple[str, int], str]:
        """The clauses that only changed recordings violate."""
        from harness.verdict.pools.supervisor.breaks import EXPLAINED

        return EXPLAINED

    def walked(self, walk: str, scenario_id: str, letters: Sequence[str], invert: str | None = None) -> Recording:
        """What the supervisor of a walk of the law leaves."""
        from harness.kits.pools_walked import record_letters
        from harness.kits.supervisor_bound import system_of
        from harness.models.pools.supervisor.law import SUPERVISOR
        from harness.run.pools.supervisor.runs import SupervisorRuns

        return record_letters(SUPERVISOR, SupervisorRuns, walk, scenario_id, letters, invert, system=system_of)


SUPERVISOR_KIT = SupervisorKit()
