"""The port that a system under test offers, and the built-in lifecycle behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from harness.models.lifecycle.events import event_from_json
from harness.models.lifecycle.model import Lifecycle
from harness.models.lifecycle.state import State
from harness.models.lifecycle.turn import Draft as ModelDraft
from harness.run.memory import Answer, WorldMemory
from harness.run.planning import world_from_json
from harness.run.recording import ACCEPTED, REFUSED, Draft

__all__ = ["SYSTEM_LOGS", "Answer", "ModelSystem", "System"]

# What the built-in lifecycle writes itself; everything else is derived.
SYSTEM_LOGS = frozenset(
    {
        "report-log",
        "claim-ledger",
        "state-trace",
        "count-trace",
        "job-rule-read-log",
        "work-before-after",
        "output-identity",
        "admission-trace",
        "reservation-ledger",
        "stop-causes",
        "reversal-log",
        "claim-snapshot",
        "resume-point",
        "pool-offer-log",
        "standing-order-scan-log",
        "waiting-order-record",
        "dependency-trace",
        "delivery-attempts",
        "output-location",
    }
)


class System(Protocol):
    """A system under test: one world after another, one event at a time."""

    @property
    def observes(self) -> frozenset[str]:
        """The logs that the system writes."""

    @property
    def memory(self) -> WorldMemory | None:
        """What it answered so far, where sending is dear and a repeated beginning need not be sent; else None."""

    def begin(self, scenario: str, world: Mapping[str, Any]) -> None:
        """A fresh system with that stock, room and conditions; no pool is open."""

    def send(self, event: Mapping[str, Any]) -> Answer:
        """One event enters and settles."""

    def end(self) -> None:
        """The world is over."""


class Standing(NamedTuple):
    """Where a world stands: the model's state, the ticks so far, and the batches and settles that were numbered."""

    state: State
    moment: int = 0
    batches: int = 0
    settles: int = 0


class ModelSystem:
    """The lifecycle model as a system under test."""

    memory = None

    def __init__(self, model: Lifecycle) -> None:
        self._model = model
        self._at = self.start({})

    @property
    def observes(self) -> frozenset[str]:
        """Every log that is not derived."""
        return SYSTEM_LOGS

    def start(self, world: Mapping[str, Any]) -> Standing:
        """Where a fresh world stands."""
        return Standing(self._model.initial(world_from_json(dict(world))))

    def take(self, at: Standing, event: Mapping[str, Any]) -> tuple[Answer, Standing]:
        """One event; settles and batches are numbered through the world."""
        transition = self._model.step(at.state, event_from_json(dict(event)))
        if transition.refused is not None:
            return Answer(REFUSED, transition.refused, ()), at
        moment = at.moment + (event["kind"] == "tick")
        drafts = tuple(_numbered(each, at, moment) for each in transition.rows)
        batches = at.batches + max((each.batch or 0 for each in transition.rows), default=0)
        settles = at.settles + max((each.settle or 0 for each in transition.rows), default=0)
        return Answer(ACCEPTED, None, drafts), Standing(transition.state, moment, batches, settles)

    def begin(self, scenario: str, world: Mapping[str, Any]) -> None:
        """A fresh world."""
        self._at = self.start(world)

    def send(self, event: Mapping[str, Any]) -> Answer:
        """One event."""
        answer, self._at = self.take(self._at, event)
        return answer

    def end(self) -> None:
        """Nothing is kept."""


def _numbered(draft: ModelDraft, at: Standing, moment: int) -> Draft:
    batch = None if draft.batch is None else at.batches + draft.batch
    settle = None if draft.settle is None else at.settles + draft.settle
    return Draft(draft.log, draft.run, draft.data, batch, settle, moment)
