"""The judgments of the keyed-pool contract."""

from __future__ import annotations

from harness.verdict.clauses import Judgments
from harness.verdict.pools.brief import clauses_of
from harness.verdict.pools.evidence import PoolEvidence

KEYED: Judgments[PoolEvidence] = Judgments("harness.verdict.pools.judgments.keyed")
clause = clauses_of(KEYED)
