"""The kits of pool contracts: a law's model, its plans, its judgments and its inversions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from harness.kits.kit import DRIVER, Inversion, Kit

if TYPE_CHECKING:
    from harness.base.finding import Finding
    from harness.contract.shapes import Adoption
    from harness.contract.validation.subject import Subject
    from harness.kits.pools_bound import BoundPool
    from harness.run.pilot import Limits
    from harness.run.recording import Recording


class FifoKit(Kit):
    """FIFO worker pools; the one model is the law's own."""

    contract = "fifo-pool"
    models = ("fifo-pool",)
    log_folder: ClassVar[str] = "diagnostics/pools"
    supports: ClassVar[frozenset[str]] = frozenset({DRIVER})

    def bind(self, adoption: Adoption, limits: Limits, model: str) -> BoundPool:
        """An adoption with the pool that it describes."""
        from harness.kits.pools_bound import BoundFifo

        return BoundFifo(adoption)

    def check(self, subject: Subject, can_ask: bool) -> Iterator[Finding]:
        """Numbers that answers ask for, and what no pool can be built from."""
        from harness.run.pools.binding import findings

        yield from findings(subject, can_ask)

    def inversions(self) -> tuple[Inversion, ...]:
        """Every inversion of the law, by its first claim."""
        from harness.models.pools.fifo.inversions import INVERSIONS
        from harness.verdict.pools.fifo_breaks import BREAKS

        return tuple(
            Inversion(each.name, claims_text(each.claims), each.breach, BREAKS[each.name]) for each in INVERSIONS.all()
        )

    def explained(self) -> Mapping[tuple[str, int], str]:
        """The clauses that only changed recordings violate."""
        from harness.verdict.pools.fifo_breaks import EXPLAINED

        return EXPLAINED

    def walked(self, walk: str, scenario_id: str, letters: Sequence[str], invert: str | None = None) -> Recording:
        """What the pool of a walk of the law leaves."""
        from harness.kits.pools_walked import record_letters
        from harness.models.pools.fifo.law import FIFO
        from harness.run.pools.fifo import FifoRuns

        return record_letters(FIFO, FifoRuns, walk, scenario_id, letters, invert)


class KeyedKit(Kit):
    """Pools whose jobs have keys; the one model is the law's own."""

    contract = "keyed-pool"
    models = ("keyed-pool",)
    log_folder: ClassVar[str] = "diagnostics/pools"
    supports: ClassVar[frozenset[str]] = frozenset({DRIVER})

    def bind(self, adoption: Adoption, limits: Limits, model: str) -> BoundPool:
        """An adoption with the pool that it describes."""
        from harness.kits.pools_keyed import BoundKeyed

        return BoundKeyed(adoption)

    def check(self, subject: Subject, can_ask: bool) -> Iterator[Finding]:
        """Numbers that answers ask for, roles that the selector names, and what no pool can be built from."""
        from harness.run.pools.keyed_binding import findings

        yield from findings(subject, can_ask)

    def inversions(self) -> tuple[Inversion, ...]:
        """Every inversion of the law, by its first claim."""
        from harness.models.pools.keyed.inversions_recovery import INVERSIONS
        from harness.verdict.pools.keyed_breaks import BREAKS

        return tuple(
            Inversion(each.name, claims_text(each.claims), each.breach, BREAKS[each.name]) for each in INVERSIONS.all()
        )

    def explained(self) -> Mapping[tuple[str, int], str]:
        """The clauses that only changed recordings violate."""
        from harness.verdict.pools.keyed_breaks import EXPLAINED

        return EXPLAINED

    def walked(self, walk: str, scenario_id: str, letters: Sequence[str], invert: str | None = None) -> Recording:
        """What the pool of a walk of the law leaves."""
        from harness.kits.pools_keyed import walked

        return walked(walk, scenario_id, letters, invert)


def claims_text(claims: tuple[int, ...]) -> str:
    """Which claims of a law a breach is of."""
    return f"claim{'s' if len(claims) > 1 else ''} {', '.join(map(str, claims))}"


FIFO_KIT = FifoKit()
KEYED_KIT = KeyedKit()
