"""Deliberate breaches of what the law says of diagnostics: each has the whole of what it is about."""

from __future__ import annotations

from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor.inversions_settlement import INVERSIONS, SETTLEMENT
from harness.models.pools.supervisor.turn import SupervisorTurn

__all__ = ["INVERSIONS"]


@INVERSIONS((11,), "What a source made before it gave up is not told.", "input-lost", SETTLEMENT)
class PreparedPrefixVanishes(SupervisorTurn):
    """Breaks the whole return of a batch."""

    def diagnose(self, kind: str, *facts: object) -> None:
        """The reason will do."""
        kept = facts if kind != "worker-preparation-failed" else (facts[0], (), *facts[2:])
        super().diagnose(kind, *kept)


@INVERSIONS((11,), "An undeliverable diagnostic does not name the one that came back.", "input-lost", SETTLEMENT)
class UndeliverableIsNotNamed(SupervisorTurn):
    """Breaks the ownership of a diagnostic."""

    def terminate(self, diagnostic: a.Diagnostic) -> None:
        """The reason will do."""
        kept = diagnostic.facts[1:] if diagnostic.kind == "undeliverable" else diagnostic.facts
        super().terminate(diagnostic._replace(facts=kept))


@INVERSIONS((8,), "A fact that fits nothing is told by its kind alone.", "late-fact-in-part", SETTLEMENT)
class UnexpectedIsNotWhole(SupervisorTurn):
    """Breaks the custody of an unexpected fact."""

    def reject(self, fact: f.Fact) -> None:
        """Whose it was is forgotten."""
        self.diagnose("unexpected-input", fact.kind)
