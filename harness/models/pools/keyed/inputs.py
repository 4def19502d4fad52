"""The inputs that only a keyed pool has: submissions with a key, and commands about bindings."""

from __future__ import annotations

from typing import NamedTuple

from harness.models.pools import facts as f
from harness.models.pools.correlations import GenerationId, RequestId


class Submit(NamedTuple):
    """A customer hands in a job; `key` says whom it belongs to and is no part of the payload."""

    request: RequestId
    key: str
    payload: RequestId
    customer: str
    kind: str = "submit"


class Rebalance(NamedTuple):
    """Bind `key` to the role `target` from now on.

    `expected` is the generation that the sender believes to be bound, None where it believes that the key isn't.
    """

    request: RequestId
    key: str
    expected: GenerationId | None
    target: str
    reply: str
    kind: str = "rebalance"


class Unbind(NamedTuple):
    """Forget the binding of `key`; `expected` as for a rebalance."""

    request: RequestId
    key: str
    expected: GenerationId | None
    reply: str
    kind: str = "unbind"


Command = Rebalance | Unbind
Input = f.Fact | Submit | Rebalance | Unbind


class Binding(NamedTuple):
    """A kept key: its role, and the generation that tells this binding from every earlier one of the key."""

    key: str
    generation: GenerationId
    role: str
