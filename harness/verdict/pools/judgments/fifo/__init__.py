"""The judgments of the fifo-pool contract."""

from __future__ import annotations

from harness.verdict.clauses import Judgments
from harness.verdict.pools.brief import clauses_of
from harness.verdict.pools.evidence import PoolEvidence

FIFO: Judgments[PoolEvidence] = Judgments("harness.verdict.pools.judgments.fifo")
clause = clauses_of(FIFO)
