"""How separate places, and one shared set of slots, are constructed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from harness.contract.shapes import Row
from harness.models.lifecycle.config import Pool
from harness.run.facts import Facts
from harness.run.pilot import Pilot, Shape
from harness.run.plan import Impossible
from harness.run.shapes.pools_common import (
    NOT_COVERED,
    Spot,
    attempt,
    can_start,
    first_spot,
    quiet,
    row_pool,
    shape_in,
    spots,
    starts_nothing,
)
from harness.run.shapes.pools_slots import free_one, holders, occupy
from harness.run.shapes.registry import shapes

REQUESTS_MAX = 8


@shapes("each-place-pool-assigns-one-place")
def places_apart(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """Requests at two places: one is filled, and a slot becomes free at the other."""
    assert row is not None
    pool = row_pool(facts, row.id)
    if not facts.forms_of(pool.id):
        yield Impossible(NOT_COVERED)
        return
    if len(pool.places) < 2:
        yield Impossible(f"{pool.id} has one place")
        return
    spot = first_spot(facts, pool, can_start)
    if spot is None:
        yield Impossible(starts_nothing(pool), (1,))
        yield Shape("requests at places without working slots", partial(_ask_at_each, pool=pool), quiet(facts), (0,))
        return
    yield shape_in(facts, "one place full beside a free one", partial(_full_beside_free, spot=spot))
    yield Shape("requests at two places", partial(_ask_at_each, pool=pool), quiet(facts), (0,))


def _full_beside_free(p: Pilot, spot: Spot) -> None:
    """The first place is filled and asked again; then the second takes a run and gives its slot back."""
    occupy(p, spot)
    p.request(spot.job, spot.pool.id, spot.place)
    other = spot._replace(place=spot.pool.places[1])
    attempt(p, partial(_use_and_free, spot=other), partial(free_one, spot=spot))


def _use_and_free(p: Pilot, spot: Spot) -> None:
    for _ in range(REQUESTS_MAX):
        if holders(p, spot):
            break
        p.request(spot.job, spot.pool.id, spot.place)
    free_one(p, spot)


def _ask_at_each(p: Pilot, pool: Pool) -> None:
    for place in pool.places[:2]:
        p.request(None, pool.id, place)


@shapes("shared-pool-uses-one-count")
def one_count(facts: Facts, row: Row | None) -> Iterator[Shape | Impossible]:
    """Requests for every job that the pool covers, and one more than there are working slots."""
    assert row is not None
    pool = row_pool(facts, row.id)
    if not facts.forms_of(pool.id):
        yield Impossible(NOT_COVERED)
        return
    yield Shape("requests for every job of the pool", partial(_ask_for_all, pool=pool), quiet(facts))


def _ask_for_all(p: Pilot, pool: Pool) -> None:
    asked = [p.request(spot.job, pool.id, spot.place) for spot in spots(p.facts, pool)]
    while len(asked) <= min(pool.working, REQUESTS_MAX):
        asked.append(p.request(None, pool.id))
