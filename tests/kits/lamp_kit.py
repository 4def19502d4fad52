"""A contract that the harness has never heard of, with all that a kit brings, as small as it can be: a lamp."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from harness.base.finding import Finding
from harness.contract.shapes import Adoption
from harness.contract.validation.subject import Subject
from harness.expansion.scenario import Scenario
from harness.kits.kit import DRIVER, Bound, Inversion, Kit
from harness.run.logs import SYSTEM, Catalogue, LogSpec
from harness.run.pilot import Limits
from harness.run.plan import Impossible, Plan, PlannedWorld
from harness.run.recording import ACCEPTED, COMMON_COLUMNS, Draft, Recording, WorldDrafts, number_rows
from harness.run.system import Answer, System
from harness.verdict.clauses import Judgments
from harness.verdict.judging import Judged, judged_on
from harness.verdict.parts import Part, absent, holds, violated
from tests.contract.adoption_files import TINY

LAMP = str(TINY / "lamp.json")
PORCH = str(TINY / "porch.yaml")
LIGHT, BUTTON = "light-log", "button-log"


@dataclass(frozen=True)
class LampEvidence:
    """What the lamp's judgments see."""

    scenario: Scenario
    recording: Recording
    touched: set[str] = field(default_factory=set)
    skipped: tuple[str, ...] = ()

    @property
    def blind(self) -> tuple[str, ...]:
        """The touched logs that are not there."""
        return tuple(sorted(self.touched - self.recording.observes))

    def renewed(self) -> LampEvidence:
        """Nothing touched yet."""
        return LampEvidence(self.scenario, self.recording)

    def rows(self, log: str) -> tuple[Any, ...]:
        """The rows of a log."""
        self.touched.add(log)
        return tuple(each for each in self.recording.rows if each.log == log)


JUDGMENTS: Judgments[LampEvidence] = Judgments(f"{__name__}_without_modules")


@JUDGMENTS.clause("switch-lights", 0)
def _it_is_lit_while_it_is_on(e: LampEvidence) -> Iterator[Part]:
    for row in e.rows(LIGHT):
        if row["on"] != (row["lit"] > 0):
            yield violated(row, "the lamp is on and dark")
        else:
            yield holds(row)


@JUDGMENTS.clause("button-works", 0)
def _the_lamp_changes(e: LampEvidence) -> Iterator[Part]:
    pressed, changed = e.rows(BUTTON), e.rows(LIGHT)
    if len(pressed) != len(changed):
        yield violated(absent(LIGHT, "a change", len(changed)), "a press changed nothing")
    else:
        yield holds(*changed)


class Lamp(System):
    """The lamp; a broken one stays dark."""

    memory = None

    def __init__(self, is_broken: bool) -> None:
        self._is_broken = is_broken
        self._on = False

    @property
    def observes(self) -> frozenset[str]:
        """Both logs."""
        return frozenset((LIGHT, BUTTON))

    def begin(self, scenario: str, world: Mapping[str, Any]) -> None:
        """It is off."""
        self._on = False

    def send(self, event: Mapping[str, Any]) -> Answer:
        """A press switches it."""
        self._on = not self._on
        lit = 1 if self._on and not self._is_broken else 0
        pressed = Draft(BUTTON, None, {"button": event["button"]})
        return Answer(ACCEPTED, None, (pressed, Draft(LIGHT, None, {"on": self._on, "lit": lit})))

    def end(self) -> None:
        """Nothing is kept."""


class BoundLamp(Bound):
    """A lamp and its buttons."""

    def __init__(self, adoption: Adoption) -> None:
        self.adoption = adoption

    @property
    def basis(self) -> str:
        """The adoption alone."""
        return self.adoption.digest

    def plan(self, scenario: Scenario) -> Plan:
        """Two presses, of the row's button or of the first one."""
        if scenario.template not in ("switch-lights", "button-works"):
            return Plan(impossible=(Impossible("a lamp shows nothing of that"),))
        press = {"kind": "press", "button": scenario.row or self.adoption.rows("buttons")[0].id}
        return Plan((PlannedWorld({}, (press, press), ("two presses",)),))

    def system(self, invert: str | None = None) -> Lamp:
        """A lamp, or one that stays dark."""
        return Lamp(invert == "stays-dark")

    def recorded(
        self,
        scenario_id: str,
        worlds: Sequence[WorldDrafts],
        observes: frozenset[str],
        changed: frozenset[int] | None = None,
    ) -> Recording:
        """Every world, whatever changed."""
        return number_rows(scenario_id, (), worlds, observes)

    def judge(self, scenario: Scenario, plan: Plan, recording: Recording) -> Judged:
        """By the judgments above."""
        return judged_on(LampEvidence(scenario, recording), JUDGMENTS, plan)

    def hidden_by(self, inversion: str) -> str | None:
        """An oil lamp's switch is no switch."""
        return None if self.adoption.answers["lamp-kind"] == "electric" else "lamp-kind is not electric"


class LampKit(Kit):
    """All that the contract brings."""

    contract = "lamp"
    models = ("bulb", "candle")
    log_folder: ClassVar[str] = "diagnostics"
    supports: ClassVar[frozenset[str]] = frozenset({DRIVER})

    @cached_property
    def logs(self) -> Catalogue:  # no data folder has them
        """Two logs with columns of their own."""
        return {BUTTON: _spec(BUTTON, "button", "string"), LIGHT: _spec(LIGHT, "lit", "integer", "on")}

    def bind(self, adoption: Adoption, limits: Limits, model: str) -> BoundLamp:
        """A lamp."""
        return BoundLamp(adoption)

    def check(self, subject: Subject, can_ask: bool) -> Iterable[Finding]:
        """A lamp without a button is of no use."""
        if not subject.adoption.rows("buttons"):
            yield subject.finding("row-needed", "/collections", "nothing switches the lamp", "add a button")

    def inversions(self) -> tuple[Inversion, ...]:
        """The one breach, and one that no clause can see."""
        seen = Inversion("stays-dark", "claim 1", "the lamp stays dark", (("switch-lights", 0),))
        return (seen, Inversion("hums", "claim 2", "the lamp hums"))

    def explained(self) -> Mapping[tuple[str, int], str]:
        """Nobody can say this."""
        return {("always-some-light", 0): "the night is long"}


def _spec(name: str, column: str, kind: str, flag: str | None = None) -> LogSpec:
    own = {column: {"type": kind}} | ({flag: {"type": "boolean"}} if flag else {})
    common: dict[str, Any] = {each: {"type": ["integer", "string", "null"]} for each in COMMON_COLUMNS}
    schema = json.loads(json.dumps({"type": "object", "required": [*common, *own], "properties": {**common, **own}}))
    return LogSpec(name, SYSTEM, (*COMMON_COLUMNS, *own), (), schema)
