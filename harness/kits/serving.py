"""The built-in systems of every contract on the far side of the driver protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from harness.base.errors import UsageError
from harness.kits import kit_of, kits
from harness.kits.kit import AUTO
from harness.run.driver.served import ServedSystem, shipped_messages
from harness.run.logs import SYSTEM
from harness.run.system import System

BUILTIN = "lifecycle"


def served(invert: str | None = None, name: str = BUILTIN, strict: bool = False, model: str = AUTO) -> ServedSystem:
    """The built-in system of whatever contract is adopted, as a driver that calls itself `name`.

    A contract that has the inversion is served broken, any other one sound; one that has the model runs on it, any
    other one on its first. `strict` holds each message against the schema. It greets before it knows the contract, so
    it names the logs of all of them.
    """

    def adopt(contract: Mapping[str, Any], adoption: Mapping[str, Any]) -> System:
        kit = kit_of(contract["contract"])
        if kit is None:
            raise ValueError(f"the contract {contract['contract']}")
        broken = invert if invert is not None and kit.has_inversion(invert) else None
        return kit.serve(contract, adoption, broken, model)

    return ServedSystem(adopt, name, written_logs(), shipped_messages() if strict else None)


def written_logs() -> frozenset[str]:
    """The logs that the system under test writes itself, of all contracts."""
    return frozenset(name for kit in kits() for name, log in kit.logs.items() if log.kind == SYSTEM)


def builtin_driver(name: str) -> Callable[[], ServedSystem]:
    """The maker of a shipped driver; UsageError for a name that none has."""
    if name != BUILTIN:
        raise UsageError(f"there is no built-in driver {name}", f"write builtin:{BUILTIN}")
    return served
