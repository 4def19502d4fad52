"""What an adoption declares about its supervisor."""

from __future__ import annotations

from harness.contract.shapes import Adoption
from harness.run.pools.supervisor.binding import definition_of
from harness.verdict.pools.facts import PoolFacts


def supervisor_facts(adoption: Adoption) -> PoolFacts:
    """The facts of an adoption of the fixed-supervisor contract; ValueError where it describes none.

    There are no jobs, so that nothing waits in a backlog and nothing is interrupted.
    """
    definition = definition_of(adoption)
    return PoolFacts(
        roles=definition.roles,
        activation_limit=definition.activation_limit,
        backlog=0,
        eligibility=adoption.answers["restart"],
        interruption="",
        deadline=definition.deadline,
        diagnostics=definition.diagnostics,
    )
