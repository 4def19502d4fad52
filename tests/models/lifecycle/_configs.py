"""Configurations built in Python: a bakery, and whatever a test wants to be different about it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from harness.models.lifecycle.config import (
    CancelReturn,
    Config,
    Covers,
    Dependents,
    Destination,
    Eligibility,
    Failure,
    Interruption,
    JobRule,
    Link,
    NamedEvent,
    Need,
    Number,
    OrderKey,
    Phase,
    Pool,
    Reversal,
    Rounding,
    StandingOrder,
)

FLOUR = Need("flour", 3, "larder")
WATER = Need("water", 1, "tap")


def job(name: str = "bake", needs: tuple[Need, ...] = (FLOUR, WATER), **changes: Any) -> JobRule:
    """A job that makes one loaf for the shelf."""
    rule = JobRule(name, f"rules#{name}", needs, "loaf", 1, (), "shelf", None, (), None)
    return rule._replace(**changes)


def pool(name: str = "ovens", working: int = 2, waiting: int | None = 3, **changes: Any) -> Pool:
    """A shared pool for everything, in request order."""
    return Pool(name, Covers(everything=True), working, waiting, (), None, (), "finished")._replace(**changes)


def failure(name: str, from_state: str, ruined: bool = False, **changes: Any) -> Failure:
    """A failures row that takes nothing."""
    return Failure(name, from_state, ruined, (), False, 0, Fraction(0), (), None)._replace(**changes)


def rounding(mode: str = "up", initial: Number | None = None, point: str = "next") -> Rounding:
    """A rounding rule for every job."""
    return Rounding("crumbs", mode, initial, point, None)


def reversal(per_tick: Number = 1, after: int = 0) -> Reversal:
    """A reversal rule for every job."""
    return Reversal("cooling", per_tick, after, None)


def standing(pool_id: str = "ovens", name: str = "daily", bakes: str = "bake", **eligible: Any) -> StandingOrder:
    """A standing order, eligible while the named condition `wanted` holds unless something else is said."""
    return StandingOrder(name, pool_id, Eligibility(**(eligible or {"conditions": ("wanted",)})), bakes)


def named(name: str, polled: bool = False) -> tuple[NamedEvent, ...]:
    """One readmission, redelivery or collection row."""
    return (NamedEvent(name, "tick" if polled else name, polled),)


def cancel_return(amounts: tuple[tuple[str, int], ...] = (), **changes: Any) -> CancelReturn:
    """A return rule for every cancellation."""
    return CancelReturn("refund", None, (), amounts, None)._replace(**changes)


def links(*needs: tuple[str, tuple[str, ...]], cancellation: str = "called-off") -> tuple[Dependents, ...]:
    """One dependent-cancellations row."""
    return (Dependents("chain", cancellation, tuple(Link(name, needed) for name, needed in needs)),)


def by_field(field: str = "rank", descending: bool = False) -> tuple[OrderKey, ...]:
    """A cited order by one field."""
    return (OrderKey(field, descending),)


BAKERY = Config(
    job="bake",
    in_place=False,
    jobs=(job(),),
    timing="taken-at-start",
    output_full="never-full",
    on_collection=False,
    partial_work="keep-with-job",
    release_stopped_claims=False,
    cancel_return="return-claimed",
    end_dependents=False,
    pools=(pool(),),
    phases=(Phase("baking", 4, 1),),
    roundings=(),
    interruptions=(Interruption("power-cut", ("power-cut",)), Interruption("fire-drill", ("alarm", "worker-stopped"))),
    reversals=(),
    readmissions=(),
    redeliveries=(),
    collections=(),
    fallbacks=(),
    standing_orders=(),
    failures=(),
    cancellations=("called-off",),
    cancel_returns=(),
    dependents=(),
    destinations=(Destination("shelf", 2),),
)


def config(**changes: Any) -> Config:
    """The bakery with some things different.

    Four ticks of work, two ovens, three waiting slots, flour 3 and water 1 taken at the start, a shelf with room for 2.
    """
    return BAKERY._replace(**changes)


def progress(**changes: Any) -> Config:
    """The bakery claiming with progress: four flour over four ticks, rounded up."""
    rules: dict[str, Any] = {
        "timing": "with-progress",
        "roundings": (rounding(),),
        "jobs": (job(needs=(Need("flour", 4, "larder"),)),),
    }
    return config(**(rules | changes))


def instant(**changes: Any) -> Config:
    """The bakery without a work phase: a started job is at its finish gate."""
    return config(**({"phases": (), "interruptions": (), "partial_work": None} | changes))
