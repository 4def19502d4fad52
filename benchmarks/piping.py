"""An outside system: how many events a second go through a pipe, and how many when there is none."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from harness.expansion.selection import Selection
from harness.intake import validate_files
from harness.run.driver.channel import DriverWish
from harness.run.memory import Answer, WorldMemory
from harness.run.plan import PlannedWorld
from harness.run.sending import send_world
from harness.run.system import System
from harness.runner import AdoptionRunner

ROOT = Path(__file__).resolve().parent.parent
KITS = ROOT / "examples" / "drivers"


def drivers() -> Iterator[tuple[str, str]]:
    """What is measured, by name, as the command line writes it."""
    yield "harness driver", f'"{sys.executable}" -m harness driver'
    yield "toy_engine.py", f'"{sys.executable}" "{KITS / "toy_engine.py"}"'
    if shutil.which("node") is not None:
        yield "toy-engine.js", f'node "{KITS / "toy-engine.js"}"'


def piped(adoption: str, repeats: int) -> Iterator[tuple[str, ...]]:
    """Events and rows a second, for the model in this process, then for each driver."""
    (intake,) = validate_files([adoption])
    runner = AdoptionRunner(intake)
    planned = [world for each in runner.scenarios(Selection()) for world in runner.plan(each).worlds]
    yield "in this process", *_rates(runner.bound.system(), planned, repeats)
    for name, command in drivers():
        outside = AdoptionRunner(intake, driver=DriverWish(command, 60, (("PYTHONPATH", str(ROOT)),)))
        assert outside.driver is not None
        try:
            outside.driver.greet()
            yield name, *_rates(outside.driver, planned, repeats)
        finally:
            outside.close()


def spared(adoption: str) -> tuple[str, ...]:
    """Events that an adoption's scenarios plan, and those that are sent: finished worlds are remembered."""
    (intake,) = validate_files([adoption])
    runner = AdoptionRunner(intake)
    asked = Asked(runner.bound.system())
    planned = 0
    for scenario in runner.scenarios(Selection()):
        for world in runner.plan(scenario).worlds:
            planned += len(world.events)
            send_world(scenario.id, world, asked)
    return runner.adoption.instance, str(planned), str(asked.events), f"{asked.events / planned:.2f}"


class Asked:
    """A system with a memory that counts the events it is sent."""

    def __init__(self, system: System) -> None:
        self._system = system
        self.observes = system.observes
        self.memory = WorldMemory()
        self.events = 0

    def begin(self, scenario: str, world: Mapping[str, Any]) -> None:
        """The system's world."""
        self._system.begin(scenario, world)

    def send(self, event: Mapping[str, Any]) -> Answer:
        """The system's answer, counted."""
        self.events += 1
        return self._system.send(event)

    def end(self) -> None:
        """The end of the system's world."""
        self._system.end()


def _rates(system: System, worlds: list[PlannedWorld], repeats: int) -> tuple[str, ...]:
    start, events, rows = time.perf_counter(), 0, 0
    for _ in range(repeats):
        for world in worlds:
            system.begin("benchmarks/piped", world.world)
            for event in world.events:
                rows += len(system.send(event).drafts)
            events += len(world.events)
            system.end()
    seconds = time.perf_counter() - start
    return str(events), str(rows), f"{events / seconds:.0f}", f"{rows / seconds:.0f}"
