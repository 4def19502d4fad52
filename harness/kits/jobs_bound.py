"""An adoption of the job resolution contract with the lifecycle that it configures, and with what scenarios share."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property, wraps
from pathlib import Path
from typing import Any

from harness import workspace
from harness.contract.shapes import Adoption
from harness.expansion.scenario import Scenario
from harness.kits.jobs import KIT
from harness.kits.kit import Bound, Watch
from harness.models.inversions.registry import inversion_named, inversions
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.model import Lifecycle
from harness.models.pools.carriers import CARRIERS
from harness.run.derive import DerivedWorlds, DeriveFacts
from harness.run.divergence import first_divergence
from harness.run.driver.adopted import adopted_document
from harness.run.execution import derive_facts, record_worlds
from harness.run.facts import Facts
from harness.run.logs import Catalogue
from harness.run.pilot import Limits
from harness.run.plan import Plan
from harness.run.planning import plan_scenario
from harness.run.recording import Recording, WorldDrafts
from harness.run.stepping import RememberedSystem, TwinSystem
from harness.run.system import SYSTEM_LOGS, ModelSystem, System
from harness.verdict.blindness import BlindSpots
from harness.verdict.judging import Judged, judge_scenario
from harness.verdict.known import Known


class BoundJobs(Bound):
    """One adoption of jobs; `model` is a word of `CARRIERS`."""

    def __init__(self, adoption: Adoption, logs: Catalogue, limits: Limits, model: str, is_walked: bool = True) -> None:
        self.adoption = adoption
        self._is_walked = is_walked
        self._logs = logs
        self._limits = limits
        self._model = model
        self._kept: DerivedWorlds | None = None

    @cached_property
    def facts(self) -> Facts:
        """The adoption as a configured model, with small numbers where its runs are planned here."""
        return Facts(self.adoption, self._is_walked)

    def as_written(self) -> BoundJobs:
        """The adoption with all numbers as they stand in its file; what is derived from a world is kept."""
        found = BoundJobs(self.adoption, self._logs, self._limits, self._model, is_walked=False)
        found._kept = DerivedWorlds()
        return found

    @cached_property
    def derived(self) -> DeriveFacts:
        """What the derived logs need besides a recording."""
        return derive_facts(self.facts)

    @cached_property
    def basis(self) -> str:
        """A digest of the adoption and the passages that it reads first."""
        try:
            passages = self.derived.passages
        except Exception:  # then every scenario is an error, and none of those is ever taken over
            return self.adoption.digest
        read = sorted(f"{address} {each.digest}" for address, each in passages.items())
        text = "\n".join([self.adoption.digest, *read])
        return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"

    def plan(self, scenario: Scenario) -> Plan:
        """The runs of a scenario, steered on the sound lifecycle."""
        return plan_scenario(self.facts, scenario, self._limits)

    def system(self, invert: str | None = None) -> ModelSystem:
        """The lifecycle of this adoption as a system under test."""
        return self.settled_by(turn_of(invert))

    def settled_by(self, turn: type[Handlers]) -> ModelSystem:
        """The lifecycle with its events settled by this class."""
        return ModelSystem(Lifecycle(self.facts.config, CARRIERS[self._model](), turn))

    def recorded(
        self,
        scenario_id: str,
        worlds: Sequence[WorldDrafts],
        observes: frozenset[str],
        changed: frozenset[int] | None = None,
    ) -> Recording:
        """All worlds with their derived rows: some judgments of jobs compare worlds."""
        return record_worlds(scenario_id, worlds, observes, self.derived, self._kept)

    def judge(self, scenario: Scenario, plan: Plan, recording: Recording) -> Judged:
        """A verdict for each clause."""
        return judge_scenario(self.facts, scenario, plan, recording, known_for(self._logs, recording.observes))

    def watch(self) -> Watch:
        """The lifecycle with a note of every method that settled its events."""
        self._kept = self._kept or DerivedWorlds()
        called: set[str] = set()
        sound = RememberedSystem(self.settled_by(tracing(called)), called)
        others = {each.name: frozenset(each.replaced) for each in inversions()}

        def inverted(name: str) -> System:
            return TwinSystem(self.system(name), sound, others[name])

        return Watch(sound, lambda: sound.noting(others), inverted)

    def hidden_by(self, inversion: str) -> str | None:
        """Which answer hides the breach."""
        found = inversion_named(inversion)
        return None if found is None else found.hidden_by(self.facts.config)

    @cached_property
    def adopted(self) -> dict[str, Any]:
        """The document with the numbers that are walked."""
        return adopted_document(self.facts)

    def divergence(self, expected: Recording, found: Recording, logs: Iterable[str]) -> dict[str, Any] | None:
        """The first other row, with the step of the lifecycle that writes it."""
        diverged = first_divergence(expected, found, tuple(logs), self.adoption)
        return None if diverged is None else diverged.to_json()


def jobs_of(bound: Bound) -> BoundJobs:
    """An adoption of jobs as what it is; TypeError for one of another contract, whose kit should have been asked."""
    if not isinstance(bound, BoundJobs):
        raise TypeError(f"{bound.adoption.path} is no adoption of {KIT.contract}")
    return bound


def known_for(logs: Catalogue, observes: frozenset[str]) -> Known:
    """What is known of the logs where a system supplies these; the table is only read where it leaves some out."""
    return Known(logs, None if observes >= SYSTEM_LOGS else _blind_spots())


def blind_spots_path() -> Path:
    """The table of blind spots, which `python -m harness.blind_spots` writes."""
    return workspace.data_folder(KIT.log_folder) / "blind-spots.json"


@cache
def _blind_spots() -> BlindSpots:
    return BlindSpots(json.loads(workspace.read_text(blind_spots_path())))


def turn_of(invert: str | None) -> type[Handlers]:
    """The class that settles events: the sound one, or that of the named inversion; KeyError for an unknown name."""
    if invert is None:
        return Handlers
    found = inversion_named(invert)
    if found is None:
        raise KeyError(invert)
    return found.turn


def tracing(called: set[str]) -> type[Handlers]:
    """The sound handlers, adding the name of each method of theirs that is called to `called`."""

    def noted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def note(*given: Any, **named: Any) -> Any:
            called.add(name)
            return function(*given, **named)

        return note

    members: dict[str, Any] = {}
    for base in reversed(Handlers.__mro__[:-1]):
        for name, value in vars(base).items():
            if callable(value) and not name.startswith("__") and not isinstance(value, type):
                members[name] = noted(name, getattr(Handlers, name))
    return type("Traced", (Handlers,), members)
