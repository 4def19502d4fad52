"""How readiness without a pool is constructed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from harness.contract.shapes import Row
from harness.run.facts import Facts
from harness.run.pilot import Pilot, Shape, reported
from harness.run.plan import Impossible
from harness.run.shapes.pools_common import finds_room, reach, require
from harness.run.shapes.registry import shapes


@shapes("no-pool-means-every-ready-job-starts")
def ready_jobs(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """Requests that are ready at once, and runs that wait for something of their own."""
    if facts.adoption.rows("work-limits"):
        yield Impossible("the adoption has a work-limits row")
        return
    jobs = [job for job in facts.config.jobs if finds_room(facts, job, None)]
    if facts.config.output_full == "wait-before-start" and not jobs:
        yield Impossible("no output of any job ever finds the room that it needs to start")
        return
    yield Shape("several requests at once", _ask_for_all)
    if facts.start_claim_can_fail and _tests_units(facts):
        yield Shape("a run whose units come back", _wait_for_units)
    for job, need in _needs(facts):
        if not _both_fit(facts, job, need):
            continue
        yield Shape(f"{job} waits for {need}", partial(_wait_for_job, job=job, need=need))


def _ask_for_all(p: Pilot) -> None:
    for job in p.config.jobs:
        p.request(job.id)
    p.request()
    p.request()


def _tests_units(facts: Facts) -> bool:
    """Whether the main job's start gate tests anything at all."""
    p = Pilot(facts, facts.world(runs=0))
    return p.run(p.request()).ended


def _wait_for_units(p: Pilot) -> None:
    run = p.request(pause=True)
    p.drain(run)
    p.until(reported("job-waiting", run), using=("admit",))
    p.supply_for(run)
    require(p.run(run).state != "waiting", f"{run} does not start although its units are there")


def _needs(facts: Facts) -> Iterator[tuple[str, str]]:
    for row in facts.config.dependents:
        for link in row.links:
            if link.needs:
                yield link.job, link.needs[0]
                return


def _both_fit(facts: Facts, *jobs: str) -> bool:
    """Whether the outputs of both jobs can be reserved at once, where they must be."""
    rules = [facts.tables.jobs[job] for job in jobs]
    if facts.config.output_full != "wait-before-start":
        return True
    for name in {rule.destination for rule in rules}:
        capacity = facts.tables.capacities.get(name or "")
        if capacity is not None and sum(rule.size for rule in rules if rule.destination == name) > capacity:
            return False
    return True


def _wait_for_job(p: Pilot, job: str, need: str) -> None:
    p.request(need, pause=True)
    run = p.request(job)
    reach(p, reported("job-started", run))
