"""A plan sent into a pool, and what it left."""

from __future__ import annotations

from harness.run.plan import Plan
from harness.run.recording import Recording, number_rows
from harness.run.sending import send_world
from harness.run.system import System


def record_plan(scenario: str, plan: Plan, system: System) -> Recording:
    """Send every world's events into the system and number what comes back; a pool has no derived logs."""
    worlds = [send_world(scenario, world, system) for world in plan.worlds]
    return number_rows(scenario, (), worlds, system.observes)
