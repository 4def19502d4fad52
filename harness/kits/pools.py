"""The kits of pool contracts: a law's model, its plans, its judgments and its inversions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from harness.kits.kit import CHECK_LOGS, DRIVER, Inversion, Kit

if TYPE_CHECKING:
    from harness.base.finding import Finding
    from harness.contract.shapes import Adoption
    from harness.contract.validation.subject import Subject
    from harness.kits.pools_bound import BoundPool
    from harness.models.pools.law import PoolLaw
    from harness.run.pilot import Limits
    from harness.run.recording import Recording

Breaks: TypeAlias = Mapping[str, tuple[tuple[str, int], ...]]
Explained: TypeAlias = Mapping[tuple[str, int], str]


class LawKit(Kit):
    """What the kits of all laws have in common: drivers, recorded logs, and the law's inversions as a contract's."""

    supports: ClassVar[frozenset[str]] = frozenset({CHECK_LOGS, DRIVER})

    @abstractmethod
    def law(self) -> PoolLaw:
        """The law with its inversions."""

    @abstractmethod
    def caught(self) -> tuple[Breaks, Explained]:
        """Which clauses each inversion breaks, and which none breaks, with the reason."""

    def inversions(self) -> tuple[Inversion, ...]:
        """Every inversion of the law, by its first claim."""
        breaks, _ = self.caught()
        return tuple(
            Inversion(each.name, claims_text(each.claims), each.breach, breaks[each.name])
            for each in self.law().inversions.all()
        )

    def explained(self) -> Mapping[tuple[str, int], str]:
        """The clauses that only changed recordings violate."""
        return self.caught()[1]


class FifoKit(LawKit):
    """FIFO worker pools; the one model is the law's own."""

    contract = "fifo-pool"
    models = ("fifo-pool",)
    log_folder: ClassVar[str] = "diagnostics/pools"

    def bind(self, adoption: Adoption, limits: Limits, model: str) -> BoundPool:
        """An adoption with the pool that it describes."""
        from harness.kits.pools_bound import BoundFifo

        return BoundFifo(adoption, self.logs)

    def check(self, subject: Subject, can_ask: bool) -> Iterator[Finding]:
        """Numbers that answers ask for, and what no pool can be built from."""
        from harness.run.pools.binding import findings

        yield from findings(subject, can_ask)

    def law(self) -> PoolLaw:
        """The law with its inversions."""
        from harness.models.pools.fifo.law import FIFO

        return FIFO

    def caught(self) -> tuple[Breaks, Explained]:
        """Which clauses its inversions break, and which none breaks."""
        from harness.verdict.pools.fifo_breaks import BREAKS, EXPLAINED

        return BREAKS, EXPLAINED

    def walked(self, walk: str, scenario_id: str, letters: Sequence[str], invert: str | None = None) -> Recording:
        """What the pool of a walk of the law leaves."""
        from harness.kits.pools_walked import record_letters
        from harness.models.pools.fifo.law import FIFO
        from harness.run.pools.fifo import FifoRuns

        return record_letters(FIFO, FifoRuns, walk, scenario_id, letters, invert)


class KeyedKit(LawKit):
    """Pools whose jobs have keys; the one model is the law's own."""

    contract = "keyed-pool"
    models = ("keyed-pool",)
    log_folder: ClassVar[str] = "diagnostics/pools"

    def bind(self, adoption: Adoption, limits: Limits, model: str) -> BoundPool:
        """An adoption with the pool that it describes."""
        from harness.kits.pools_keyed import BoundKeyed

        return BoundKeyed(adoption, self.logs)

    def check(self, subject: Subject, can_ask: bool) -> Iterator[Finding]:
        """Numbers that answers ask for, roles that the selector names, and what no pool can be built from."""
        from harness.run.pools.keyed_binding import findings

        yield from findings(subject, can_ask)

    def law(self) -> PoolLaw:
        """The law with its inversions."""
        from harness.models.pools.keyed.law import KEYED

        return KEYED

    def caught(self) -> tuple[Breaks, Explained]:
        """Which clauses its inversions break, and which none breaks."""
        from harness.verdict.pools.keyed_breaks import BREAKS, EXPLAINED

        return BREAKS, EXPLAINED

    def walked(self, walk: str, scenario_id: str, letters: Sequence[str], invert: str | None = None) -> Recording:
        """What the pool of a walk of the law leaves."""
        from harness.kits.pools_keyed import walked

        return walked(walk, scenario_id, letters, invert)


def claims_text(claims: tuple[int, ...]) -> str:
    """Which claims of a law a breach is of."""
    return f"claim{'s' if len(claims) > 1 else ''} {', '.join(map(str, claims))}"


FIFO_KIT = FifoKit()
KEYED_KIT = KeyedKit()
