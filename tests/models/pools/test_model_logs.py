"""The logs of a scenario are the same under every model, row by row, but for the column of a pool's own machinery."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from harness.expansion.selection import Selection
from harness.intake import validate_files
from harness.kits.jobs import KIT
from harness.kits.jobs_bound import BoundJobs, jobs_of
from harness.models.inversions.registry import Inversion, inversions
from harness.models.pools.carriers import CARRIERS
from harness.run.pilot import DEFAULT_LIMITS
from harness.run.plan import Plan
from harness.run.recording import LogRow, Recording, WorldDrafts
from harness.run.sending import send_world
from harness.run.system import System
from harness.runner import AdoptionRunner
from tests.run_builders import JOB_ADOPTIONS

SAMPLE = {"bakery-oven": 6, "boat-yard": 6, "openra-production": 12, "print-shop": 6}
"""Adoptions with a shared row, with places, with both, and with workers that stop; every so-manyth scenario."""
WORKERS_STOP = ("waiting-records-every-current-reason", "declared-interruption-stops-once")
OF_SLOTS = "harness.models.inversions.pools"


def named(name: str) -> Path:
    """The shipped adoption of that folder."""
    return next(each for each in JOB_ADOPTIONS if each.parent.name == name)


def planned(path: Path, every: int = 1, *templates: str) -> tuple[BoundJobs, list[tuple[str, Plan]]]:
    """An adoption and the plans of every so-manyth scenario, of these templates where some are named."""
    (intake,) = validate_files([str(path)])
    runner = AdoptionRunner(intake)
    chosen = Selection(templates=templates)
    return jobs_of(runner.bound), [(each.id, runner.plan(each)) for each in runner.scenarios(chosen)[::every]]


def on_model(bound: BoundJobs, word: str) -> BoundJobs:
    """The same adoption on another model, with what was worked out of it already."""
    other = BoundJobs(bound.adoption, KIT.logs, DEFAULT_LIMITS, word)
    other.__dict__.update(facts=bound.facts, derived=bound.derived)
    return other


def without_machinery(recording: Recording) -> Recording:
    """The recording without the column `internal`, which only a named law's rows have."""

    def plain(row: LogRow) -> LogRow:
        return replace(row, data={name: value for name, value in row.data.items() if name != "internal"})

    worlds = tuple(
        replace(each, sent=tuple(replace(one, rows=tuple(map(plain, one.rows))) for one in each.sent))
        for each in recording.worlds
    )
    return replace(recording, worlds=worlds, rows=tuple(map(plain, recording.rows)))


def compare(path: Path, every: int) -> Counter[str]:
    """Run scenarios on all models that can carry the adoption; gives by model how many recordings with rows agreed."""
    bound, plans = planned(path, every)
    agreed: Counter[str] = Counter()
    words = [word for word in CARRIERS if KIT.unfit(bound.adoption, word) is None]
    for scenario_id, plan in plans:
        plain = bound.record(scenario_id, plan, on_model(bound, "slots").system())
        for word in words:
            found = bound.record(scenario_id, plan, on_model(bound, word).system())
            assert (found if word == "auto" else without_machinery(found)) == plain, (scenario_id, word)
            agreed[word] += bool(plain.rows)
    return agreed


@pytest.mark.parametrize("name", SAMPLE)
def test_scenarios_leave_the_same_logs_under_every_model(name: str) -> None:
    """Every row of every log of these scenarios is the same, whichever pool carries the working slots."""
    agreed = compare(named(name), SAMPLE[name])
    assert set(agreed) >= {"slots", "fifo", "supervised-fifo", "auto"}
    assert ("keyed" in agreed) == ("supervised-keyed" in agreed) == (name == "boat-yard")
    assert all(count >= 3 for count in agreed.values()), agreed


@pytest.mark.parametrize(
    ("name", "word", "law"), [("bakery-oven", "fifo", "fifo-pool"), ("boat-yard", "keyed", "keyed-pool")]
)
def test_named_model_shows_its_pool(name: str, word: str, law: str) -> None:
    """Who takes and frees working slots can be read off the pool's own members: as many are busy as slots are used."""
    bound, plans = planned(named(name), 6)
    told = 0
    for scenario_id, plan in plans:
        for row in bound.record(scenario_id, plan, on_model(bound, word).system()).rows:
            if row.log == "count-trace" and row["slot"] == "working":
                shown = row["internal"]
                busy = [role for role, phase in shown["members"].items() if phase == "busy"]
                here = (
                    busy if row["place"] is None or word == "fifo" else [each for each in busy if each == row["place"]]
                )
                assert shown["law"] == law
                assert len(here) == row["used"], (scenario_id, row)
                told += len(busy)
            if row.log == "pool-offer-log" and row["pool"] is not None:
                assert row["internal"]["law"] == law
    assert told > 0


def left(scenario_id: str, plan: Plan, system: System) -> list[WorldDrafts]:
    """What a system writes itself; every other log is derived from that alone, whatever carries the slots."""
    return [send_world(scenario_id, each, system) for each in plan.worlds]


def breaches(bound: BoundJobs, plans: list[tuple[str, Plan]], chosen: Iterable[Inversion]) -> int:
    """Run these breaches on plain counts and on pools; gives how many runs were other than the sound ones."""
    sound = {scenario_id: left(scenario_id, plan, bound.system()) for scenario_id, plan in plans}
    broken = 0
    for each in chosen:
        slots, auto = (on_model(bound, word).system(each.name) for word in ("slots", "auto"))
        for scenario_id, plan in plans:
            plain = left(scenario_id, plan, slots)
            assert left(scenario_id, plan, auto) == plain, (each.name, scenario_id)
            broken += plain != sound[scenario_id]
    return broken


def test_breaches_leave_the_same_logs_under_every_model() -> None:
    """A broken lifecycle, too, asks the same of every carrier, also where it asks for what nobody may."""
    chosen = [each for each in inversions() if each.turn.__module__ == OF_SLOTS]
    assert breaches(*planned(named("boat-yard"), 12), chosen) > 0


def test_supervised_workers_leave_the_same_logs() -> None:
    """Workers that a supervisor brings back stop runs and free slots as workers that are simply away and back.

    Its role is away from the stop until the worker is ready, and the rows about working slots show it.
    """
    bound, plans = planned(named("print-shop"), 1, *WORKERS_STOP)
    stops, phases = 0, set[str]()
    for scenario_id, plan in plans:
        watched = bound.record(scenario_id, plan, on_model(bound, "supervised-fifo").system())
        plain = bound.record(scenario_id, plan, on_model(bound, "slots").system())
        assert without_machinery(watched) == plain, scenario_id
        stops += sum(event["kind"] == "worker-stop" for world in plan.worlds for event in world.events)
        for row in watched.rows:
            phases |= set(row.data.get("internal", {}).get("supervisor", {}).values())
    assert stops > 0
    assert phases == {"online", "recovery-needs-receipt"}


@pytest.mark.deep
@pytest.mark.parametrize("path", JOB_ADOPTIONS, ids=lambda each: each.parent.name)
def test_every_adoption_leaves_the_same_logs_under_every_model(path: Path) -> None:
    """All scenarios of all shipped adoptions."""
    agreed = compare(path, every=1)
    assert set(agreed) >= {"slots", "fifo", "supervised-fifo", "auto"}
    assert all(agreed.values())


@pytest.mark.deep
@pytest.mark.parametrize("path", JOB_ADOPTIONS, ids=lambda each: each.parent.name)
def test_every_breach_leaves_the_same_logs_on_slots_and_pools(path: Path) -> None:
    """All inversions, on a few scenarios of all shipped adoptions."""
    assert breaches(*planned(path, every=14), inversions()) > 0
