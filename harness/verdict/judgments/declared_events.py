"""Whether an event is one that the adoption declares at all: what it names is declared, sent by events, and there.

A system rightly refuses any other event, so a refusal of one contradicts nothing, and what follows from one followed
from no declared event.
"""

from __future__ import annotations

from collections.abc import Callable

from harness.models.lifecycle.config import Config, NamedEvent
from harness.verdict.evidence import SentView


def is_declared_event(sent: SentView) -> bool:
    """Whether what the event names is declared: its row, which must not be a polled one, and an open displacer.

    An instruction that no interruptions row names is no declared event either. Of other kinds every event is.
    """
    asks = _DECLARED.get(sent.kind)
    return asks is None or asks(sent.world.evidence.config, sent)


def _is_sent(rows: tuple[NamedEvent, ...], sent: SentView) -> bool:
    return any(row.id == sent.event.get("row") and not row.polled for row in rows)


def _readmit(config: Config, sent: SentView) -> bool:
    return _is_sent(config.readmissions, sent)


def _redeliver(config: Config, sent: SentView) -> bool:
    return _is_sent(config.redeliveries, sent)


def _collect(config: Config, sent: SentView) -> bool:
    return _is_sent(config.collections, sent)


def _cancel(config: Config, sent: SentView) -> bool:
    return sent.event.get("row") in config.cancellations


def _instruct(config: Config, sent: SentView) -> bool:
    declared = any(sent.event.get("instruction") in row.instructions for row in config.interruptions)
    displacer = sent.event.get("displaced-by")
    if not declared or displacer is None:
        return declared
    return displacer != sent.event.get("run") and displacer in sent.before.open_runs


_DECLARED: dict[str, Callable[[Config, SentView], bool]] = {
    "readmit": _readmit,
    "redeliver": _redeliver,
    "collect": _collect,
    "cancel": _cancel,
    "instruct": _instruct,
}
