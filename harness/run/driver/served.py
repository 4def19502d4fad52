"""A system on the other side of the protocol: what a driver answers, message by message."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from harness import __version__, workspace
from harness.contract.documents import parse_document
from harness.contract.fitting import misfits
from harness.contract.reading import build_adoption, read_contract
from harness.contract.schemas import adoption_schema
from harness.contract.shapes import Adoption
from harness.run.driver.messages import Messages
from harness.run.recording import ACCEPTED, REFUSED, Draft
from harness.run.system import System

Message = dict[str, Any]
#: A contract and an adoption, as documents, to the system that they describe; ValueError for what it cannot be.
Adopt = Callable[[Mapping[str, Any], Mapping[str, Any]], System]


class ServedSystem:
    """A system behind `answer`: the verbs of the protocol as calls of the port.

    `name` is what the system calls itself, `observes` the logs that it says it writes. With `messages` every message is
    first held against the schema.
    """

    def __init__(self, adopt: Adopt, name: str, observes: Iterable[str], messages: Messages | None = None) -> None:
        self._adopt = adopt
        self._name = name
        self._observes = sorted(observes)
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
            "observes": self._observes,
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


def fitted_adoption(contract: Mapping[str, Any], adoption: Mapping[str, Any]) -> Adoption:
    """An adoption document that came over the protocol, held to its schema and to nothing else.

    Raises ValueError for a contract that is not shipped, and for a document that does not fit.
    """
    contract_id = contract["contract"]
    path = workspace.contract_files().get(contract_id)
    if path is None:
        raise ValueError(f"the contract {contract_id}")
    text = json.dumps(adoption).encode()
    document, findings = parse_document("adoption.json", text)
    shipped, _ = read_contract(path)
    if document is None or shipped is None:
        raise ValueError("; ".join(each.message for each in findings) or "the contract is not installed")
    unfit = misfits(document.value, adoption_schema(shipped))
    if unfit:
        raise ValueError("; ".join(f"{each.pointer}: {each.message}" for each in unfit[:5]))
    return build_adoption(document)


def shipped_messages() -> Messages:
    """The messages of the protocol, as the shipped schema has them."""
    return Messages(json.loads(workspace.read_text(workspace.schema_paths()["driver"])))
