"""What a contract brings besides its templates: how its adoptions are checked, run and judged.

A `Kit` speaks for a contract, a `Bound` for one adoption of it. Everything else in the harness asks these two, and
knows no contract by name. Kits are asked for by every verb, so a module that declares one imports what it needs to
run and judge only when it is bound.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from harness.base.errors import UsageError

if TYPE_CHECKING:
    from harness.base.finding import Finding
    from harness.contract.shapes import Adoption
    from harness.contract.validation.subject import Subject
    from harness.expansion.scenario import Scenario
    from harness.run.driver.channel import DriverWish
    from harness.run.driver.session import DriverSystem
    from harness.run.logs import Catalogue
    from harness.run.pilot import Limits
    from harness.run.plan import Plan
    from harness.run.recording import Recording, WorldDrafts
    from harness.run.system import System
    from harness.verdict.judging import Judged

AUTO = "auto"
"""The word of `--model` for the first model of a kit."""

#: What some verbs need and not every contract has, by the word of the verb or of its option.
ANSWERS, CHECK_LOGS, DRIVER, SMOKE = "answers", "check-logs", "--driver", "smoke"


class Inversion(NamedTuple):
    """A breach of the built-in model on purpose, as it is listed.

    `part` says which step or claim of the law it breaks, `breaks` which clauses (template, index) its story is about,
    `faults` which faults of real systems it restates.
    """

    name: str
    part: str
    breach: str
    breaks: tuple[tuple[str, int], ...] = ()
    faults: tuple[str, ...] = ()


MayChange = Callable[[str], bool]
"""Whether an inversion, by name, can make another run of one."""


class Watch(NamedTuple):
    """The sound system, with a note of what acts in it, and its inversions.

    `noting` begins a new note: what it returns tells of an inversion whether it replaces anything that has acted since
    then; where that is not known it says yes. `inverted` is the system of an inversion, which may take from the sound
    one what the inversion does not touch.
    """

    system: System
    noting: Callable[[], MayChange]
    inverted: Callable[[str], System]


class Bound(ABC):
    """One adoption, with the model and the judgments of its contract. What scenarios share is worked out once."""

    adoption: Adoption

    @property
    @abstractmethod
    def basis(self) -> str:
        """A digest (`sha256:<hex>`) of all that the runs read besides the contract."""

    @abstractmethod
    def plan(self, scenario: Scenario) -> Plan:
        """The runs that show what the scenario speaks of; always found on the sound model."""

    @abstractmethod
    def system(self, invert: str | None = None) -> System:
        """A fresh built-in system for this adoption: the sound one, or one with that inversion (a known name)."""

    def record(self, scenario_id: str, plan: Plan, system: System) -> Recording:
        """Send a plan into a system, and number what comes back."""
        from harness.run.sending import send_world

        worlds = tuple(send_world(scenario_id, world, system) for world in plan.worlds)
        return self.recorded(scenario_id, worlds, system.observes)

    @abstractmethod
    def recorded(
        self,
        scenario_id: str,
        worlds: Sequence[WorldDrafts],
        observes: frozenset[str],
        changed: frozenset[int] | None = None,
    ) -> Recording:
        """What came back from the worlds of a plan, numbered, with what can be derived from the logs in `observes`.

        `changed` are the places in `worlds` of those that are to be judged again, the others having been judged and
        found sound. Where each judgment looks at one world at a time the recording may hold these alone; numbers are
        those of the whole.
        """

    @abstractmethod
    def judge(self, scenario: Scenario, plan: Plan, recording: Recording) -> Judged:
        """A verdict for each clause, from the logs, the events and the adoption."""

    def as_written(self) -> Bound:
        """The same adoption for runs that were not planned here, with all numbers as they stand in its file."""
        return self

    def watch(self) -> Watch:
        """The sound system for the kill matrix; unless a kit knows better, any inversion may change any run."""
        return Watch(self.system(), lambda: lambda inversion: True, self.system)

    def hidden_by(self, inversion: str) -> str | None:
        """What in this adoption keeps a breach from being seen in any run of it; None where it must be seen."""
        return None

    @property
    def adopted(self) -> dict[str, Any]:
        """The adoption document that a driver is given: as written, unless runs are made for other numbers."""
        from harness.run.driver.adopted import plain_document

        return plain_document(self.adoption)

    def divergence(self, expected: Recording, found: Recording, logs: Iterable[str]) -> dict[str, Any] | None:
        """Where an outside system first did something else than the model in these logs, as JSON; None for nowhere."""
        return None


class Kit(ABC):
    """All that one contract brings. `contract` is its id; the texts are those of the contract itself.

    `models` are the words of `--model`, the first one is used unless another is named; `log_folder` is the data folder
    that its log schemas stand in; `owes` names the log that every driver must supply, where there is one; `supports`
    holds what its adoptions can be used for besides validating, expanding, running and showing (`ANSWERS`,
    `CHECK_LOGS`, `DRIVER`, `SMOKE`).
    """

    contract: str
    models: tuple[str, ...]
    log_folder: ClassVar[str]
    owes: ClassVar[str | None] = None
    supports: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def bind(self, adoption: Adoption, limits: Limits, model: str) -> Bound:
        """An adoption with this contract's model and judgments; `model` is one of `models`."""

    @cached_property
    def logs(self) -> Catalogue:
        """Every log that systems of this contract leave, by bare name."""
        from harness import workspace
        from harness.run.logs import catalogue

        return catalogue(workspace.data_folder(self.log_folder))

    def check(self, subject: Subject, can_ask: bool) -> Iterable[Finding]:
        """What this contract says of an adoption besides what every contract asks.

        `can_ask` is false where the answers or a collection could not be read, so that no question can be put.
        """
        return ()

    def inversions(self) -> tuple[Inversion, ...]:
        """Every inversion of the built-in model, in the order in which they are listed."""
        return ()

    def explained(self) -> Mapping[tuple[str, int], str]:
        """The clauses (template, index) that no inversion can violate, each with the reason."""
        return {}

    def model_of(self, word: str) -> str:
        """The model that a word of `--model` means: its own one, else the first."""
        return word if word in self.models else self.models[0]

    def unfit(self, adoption: Adoption, model: str) -> str | None:
        """Why an adoption cannot be run on that one of `models`; None where it can."""
        return None

    def has_inversion(self, name: str) -> bool:
        """Whether the built-in model can be broken so."""
        return any(each.name == name for each in self.inversions())

    def serve(
        self, contract: Mapping[str, Any], adoption: Mapping[str, Any], invert: str | None = None, model: str = AUTO
    ) -> System:
        """The built-in system that an adoption document describes, for the far side of the driver protocol.

        ValueError that tells why there is none.
        """
        from harness.run.driver.served import fitted_adoption
        from harness.run.pilot import DEFAULT_LIMITS

        adopted = fitted_adoption(contract, adoption)
        return self.bind(adopted, DEFAULT_LIMITS, self.model_of(model)).system(invert)

    def drive(self, bound: Bound, wish: DriverWish, contract: Mapping[str, Any]) -> DriverSystem:
        """The outside system of an adoption, not started yet; `contract` is the contract's document.

        UsageError where the wish names no driver.
        """
        from harness.kits.serving import builtin_driver
        from harness.run.driver.naming import channel_maker
        from harness.run.driver.served import shipped_messages
        from harness.run.driver.session import DriverSystem

        make = channel_maker(wish, builtin_driver)
        messages = shipped_messages() if wish.strict else None
        return DriverSystem(make, contract, bound.adopted, self.logs, messages, self.owes)

    def walked(self, walk: str, scenario_id: str, letters: Sequence[str], invert: str | None = None) -> Recording:
        """What the pool of a walk leaves, sent these letters; UsageError for a contract that is no law with walks."""
        raise UsageError(f"the contract {self.contract} has no walks")

    def require(self, what: str) -> None:
        """UsageError where adoptions of this contract cannot be used for that."""
        if what not in self.supports:
            message = f"{what} does not work for the contract {self.contract}"
            raise UsageError(message, "validate, expand, run and show work for it")
