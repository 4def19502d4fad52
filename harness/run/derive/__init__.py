"""The derived logs: what the harness can tell by itself from events, worlds, the adoption and the four fixed logs.

Each module holds one group of derived logs; `merge` puts their rows into the order of settlement. Nothing here
calls a model, so the derived logs say the same about every system.
"""

from __future__ import annotations

from harness.run.derive.facts import DeriveFacts, Passage, covering_pools
from harness.run.derive.merge import DERIVED, DerivedWorlds, derivable, derive_all

__all__ = ["DERIVED", "DeriveFacts", "DerivedWorlds", "Passage", "covering_pools", "derivable", "derive_all"]
