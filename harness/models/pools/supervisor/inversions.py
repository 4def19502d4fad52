"""Deliberate breaches of the fixed supervisor's law, at least one for each claim.

Each replaces one rule of the model. Audits and oracle stay as they are, and one of them has to name the violation.
Each module adds its breaches to those of the one before.
"""

from __future__ import annotations

from harness.models.pools.supervisor.inversions_telling import INVERSIONS

__all__ = ["INVERSIONS"]
