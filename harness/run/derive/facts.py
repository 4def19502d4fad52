"""What derivation needs to know besides the recording, and the shape that every deriver has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from harness.contract.shapes import Adoption
from harness.models.lifecycle.config import Config, Fields, StandingOrder, covers
from harness.run.recording import Draft, SentDrafts

#: Job id, request fields, and who requested in; the ids of the `work-limits` rows that cover such a request out, in
#: written order.
Covering: TypeAlias = Callable[[str, Mapping[str, Any], str | None], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Passage:
    """What reading a cited address found: `resolved` is None for an external address, `digest` is `sha256:<hex>`."""

    resolved: bool | None
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class DeriveFacts:
    """The adoption, which pools cover a request, and the passages behind the `read-first` addresses, by address."""

    adoption: Adoption
    covering: Covering
    passages: Mapping[str, Passage]


def covering_pools(config: Config) -> Covering:
    """How an adoption's pools cover requests, as its `covers` rules say.

    A request of a standing order brings no fields of its own: it counts as having those that its pool's coverage asks.
    """
    orders = {order.id: _order_fields(config, order) for order in config.standing_orders}

    def covering(job: str, fields: Mapping[str, Any], by: str | None) -> tuple[str, ...]:
        given = orders[by] if by in orders else tuple(fields.items())
        return tuple(pool.id for pool in config.pools if covers(pool.covers, job, given))

    return covering


def _order_fields(config: Config, order: StandingOrder) -> Fields:
    pool = config.pool(order.pool)
    return () if pool is None or covers(pool.covers, order.job, ()) else pool.covers.fields


class Deriver:
    """Derives one log in one world; it is told of everything in order and answers with rows to put there.

    A subclass overrides the moments it has something to say at; what it remembers between them is its own fold.
    """

    #: The log that is derived, and the logs it is derived from.
    log: str = ""
    needs: frozenset[str] = frozenset()

    def __init__(self, facts: DeriveFacts, state_log: str) -> None:
        self.facts = facts
        self.state_log = state_log

    def begin(self, world: Mapping[str, Any]) -> Iterable[Draft]:
        """Rows that stand before the first event."""
        return ()

    def enter(self, sent: SentDrafts) -> Iterable[Draft]:
        """Rows that stand before the rows of this event."""
        return ()

    def row(self, row: Draft, sent: SentDrafts | None) -> Iterable[Draft]:
        """Rows that stand directly after this row; `sent` is None before the first event."""
        return ()

    def leave(self, sent: SentDrafts) -> Iterable[Draft]:
        """Rows that stand at the end of this event."""
        return ()


def beside(row: Draft, log: str, data: Mapping[str, Any]) -> Draft:
    """A derived row in the settle of the row that it is told from."""
    return Draft(log, row.run, data, row.batch, row.settle, row.moment)


def moment_after(sent: SentDrafts) -> int:
    """The world's moment once the event has entered: an accepted tick begins the next one."""
    ticked = sent.event.get("kind") == "tick" and sent.outcome == "accepted"
    return sent.moment_before + 1 if ticked else sent.moment_before
