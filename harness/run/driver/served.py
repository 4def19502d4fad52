"""The built-in lifecycle on the other side of the protocol: what a driver answers, message by message."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from harness import __version__, workspace
from harness.base.errors import UsageError
from harness.contract.documents import parse_document
from harness.contract.fitting import misfits
from harness.contract.reading import build_adoption, read_contract
from harness.contract.schemas import adoption_schema
from harness.models.lifecycle.handlers import Handlers
from harness.models.lifecycle.model import Lifecycle
from harness.run.binding import lifecycle_config
from harness.run.driver.messages import Messages
from harness.run.recording import ACCEPTED, REFUSED, Draft
from harness.run.system import SYSTEM_LOGS, ModelSystem, System

Message = dict[str, Any]
#: A contract and an adoption, as documents, to the system that they describe; ValueError for what it cannot be.
Adopt = Callable[[Mapping[str, Any], Mapping[str, Any]], System]

BUILTIN = "lifecycle"
SERVED_CONTRACT = "job-resolution"


class ServedSystem:
    """A system behind `answer`: the verbs of the protocol as calls of the port.

    `name` is what the system calls itself. With `messages` every message is first held against the schema.
    """

    def __init__(self, adopt: Adopt, name: str, messages: Messages | None = None) -> None:
        self._adopt = adopt
        self._name = name
        self._messages = messages
        self._system: System | None = None
        self._numbered = 0

    def answer(self, message: Any) -> Message:
        """The answer to one message; it repeats the message's number."""
        seq = message.get("seq") if isinstance(message, dict) else None
        problem = self._messages.misfit_of_command(message) if self._messages is not None else None
        if problem is not None:
            return {"seq": seq, "ok": False, "reason": f"the message does not fit its schema: {problem}"}
        verb = message.get("cmd") if isinstance(message, dict) else None
        handler: Callable[[Message], Message] | None = getattr(self, f"_on_{verb}", None)
        if handler is None:
            return {"seq": seq, "ok": False, "reason": f"there is no verb {verb}"}
        try:
            return {"seq": seq, **handler(message)}
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            return {"seq": seq, "ok": False, "reason": f"the message is malformed: {type(error).__name__}: {error}"}

    def _on_start(self, message: Message) -> Message:
        return {
            "ok": True,
            "implementation": {
                "name": self._name,
                "version": __version__,
                "language": "Python",
                "homepage": None,
            },
            "observes": sorted(SYSTEM_LOGS),
            "time": "virtual",
        }

    def _on_adopt(self, message: Message) -> Message:
        try:
            self._system = self._adopt(message["contract"], message["adoption"])
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            return {"unsupported": [str(error)]}
        return {"ok": True}

    def _on_begin(self, message: Message) -> Message:
        if self._system is None:
            return {"ok": False, "reason": "no adoption was given"}
        self._system.begin(message["scenario"], message["world"])
        self._numbered = 0
        return {"ok": True}

    def _on_event(self, message: Message) -> Message:
        if self._system is None:
            return {"refused": "no adoption was given"}
        try:
            answer = self._system.send(message["event"])
        except (LookupError, TypeError) as error:
            return {"refused": f"the event is malformed: {error}"}
        if answer.outcome == REFUSED:
            return {"refused": answer.reason}
        if answer.outcome != ACCEPTED:
            return {"skipped": True, "reason": answer.reason, "issue": None}
        return {"ok": True, "records": [self._record(each) for each in answer.drafts]}

    def _record(self, draft: Draft) -> Message:
        self._numbered += 1
        common = {"log": draft.log, "seq": self._numbered, "moment": draft.moment}
        return {**common, "batch": draft.batch, "settle": draft.settle, "run": draft.run, **draft.data}

    def _on_end(self, message: Message) -> Message:
        if self._system is not None:
            self._system.end()
        return {"ok": True}

    def _on_stop(self, message: Message) -> Message:
        return {"ok": True}


def served_lifecycle(turn: type[Handlers] = Handlers, name: str = BUILTIN, strict: bool = False) -> ServedSystem:
    """The built-in lifecycle as a driver: `turn` settles its events, `strict` checks each message by its schema."""

    def adopt(contract: Mapping[str, Any], adoption: Mapping[str, Any]) -> System:
        return adopted_lifecycle(contract, adoption, turn)

    return ServedSystem(adopt, name, shipped_messages() if strict else None)


def adopted_lifecycle(
    contract: Mapping[str, Any], adoption: Mapping[str, Any], turn: type[Handlers] = Handlers
) -> ModelSystem:
    """The lifecycle that an adoption document describes, with the numbers that stand in it.

    Raises ValueError for another contract and for a document that does not fit; what only validation would find comes
    out as it comes.
    """
    if contract["contract"] != SERVED_CONTRACT:
        raise ValueError(f"the contract {contract['contract']}")
    text = json.dumps(adoption).encode()
    document, findings = parse_document("adoption.json", text)
    shipped, _ = read_contract(workspace.contract_path(SERVED_CONTRACT))
    if document is None or shipped is None:
        raise ValueError("; ".join(each.message for each in findings) or "the contract is not installed")
    unfit = misfits(document.value, adoption_schema(shipped))
    if unfit:
        raise ValueError("; ".join(f"{each.pointer}: {each.message}" for each in unfit[:5]))
    return ModelSystem(Lifecycle(lifecycle_config(build_adoption(document)), turn=turn))


def shipped_messages() -> Messages:
    """The messages of the protocol, as the shipped schema has them."""
    return Messages(json.loads(workspace.read_text(workspace.schema_paths()["driver"])))


def builtin_driver(name: str) -> Callable[[], ServedSystem]:
    """The maker of a shipped driver; UsageError for a name that none has."""
    if name != BUILTIN:
        raise UsageError(f"there is no built-in driver {name}", f"write builtin:{BUILTIN}")
    return served_lifecycle
