"""Judgments of the fixed-supervisor contract."""

from __future__ import annotations

from harness.verdict.clauses import Judgments
from harness.verdict.pools.brief import clauses_of
from harness.verdict.pools.evidence import PoolEvidence

SUPERVISOR: Judgments[PoolEvidence] = Judgments("harness.verdict.pools.judgments.supervisor")
clause = clauses_of(SUPERVISOR)
