"""The port that a system under test offers, and the built-in lifecycle behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from harness.models.lifecycle.events import event_from_json
from harness.models.lifecycle.model import Lifecycle
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


class ModelSystem:
    """The lifecycle model as a system under test."""

    memory = None

    def __init__(self, model: Lifecycle) -> None:
        self._model = model
        self._state = model.initial(world_from_json({}))
        self._moment = self._batches = self._settles = 0

    @property
    def observes(self) -> frozenset[str]:
        """Every log that is not derived."""
        return SYSTEM_LOGS

    def begin(self, scenario: str, world: Mapping[str, Any]) -> None:
        """A fresh world."""
        self._state = self._model.initial(world_from_json(dict(world)))
        self._moment = self._batches = self._settles = 0

    def send(self, event: Mapping[str, Any]) -> Answer:
        """One event; settles and batches are numbered through the world."""
        transition = self._model.step(self._state, event_from_json(dict(event)))
        if transition.refused is not None:
            return Answer(REFUSED, transition.refused, ())
        self._state = transition.state
        if event["kind"] == "tick":
            self._moment += 1
        drafts = tuple(self._numbered(each) for each in transition.rows)
        self._settles += max((each.settle or 0 for each in transition.rows), default=0)
        self._batches += max((each.batch or 0 for each in transition.rows), default=0)
        return Answer(ACCEPTED, None, drafts)

    def _numbered(self, draft: ModelDraft) -> Draft:
        batch = None if draft.batch is None else self._batches + draft.batch
        settle = None if draft.settle is None else self._settles + draft.settle
        return Draft(draft.log, draft.run, draft.data, batch, settle, self._moment)

    def end(self) -> None:
        """Nothing is kept."""
