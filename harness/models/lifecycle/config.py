"""What the lifecycle is told about one system: its answers, its rows and its executable rules.

All values are immutable. Amounts and sizes are whole units; work and its steps are exact numbers (`int` or
`Fraction`). An address stands beside a rule only so that logs can name it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

Number = int | Fraction
FieldValue = int | str
Fields = tuple[tuple[str, FieldValue], ...]

PLACE = "{place}"


class Need(NamedTuple):
    """One required input: `amount` units of `item`, from `source` (may hold `{place}`)."""

    item: str
    amount: int
    source: str


class JobRule(NamedTuple):
    """What one job takes and makes.

    `offer_check` lists the units that the availability check and both gates test beyond the initial share (progress
    claiming only). `destination` is the normal destination, None for an in-place job, which has a `site`.
    """

    id: str
    address: str
    needs: tuple[Need, ...]
    output: str
    size: int
    parts: tuple[str, ...]
    destination: str | None
    site: str | None
    offer_check: tuple[tuple[str, int], ...]
    phase: str | None


class Phase(NamedTuple):
    """A work phase. `work` and `per_tick` are numbers, or the name of the request field that holds them."""

    id: str
    work: int | str
    per_tick: Number | str


class Covers(NamedTuple):
    """Which requests a pool takes: all, those for the listed jobs, or those whose fields have these values."""

    everything: bool = False
    jobs: tuple[str, ...] = ()
    fields: Fields = ()


class OrderKey(NamedTuple):
    """One field of a waiting order; `admission` is the place of the admission (of the stop, once stopped)."""

    field: str
    descending: bool


class Pool(NamedTuple):
    """One `work-limits` row; `waiting` None is no limit, `places` empty a shared pool, `order` empty request order."""

    id: str
    covers: Covers
    working: int
    waiting: int | None
    places: tuple[str, ...]
    assignment: str | None
    order: tuple[OrderKey, ...]
    releases_at: str


class Rounding(NamedTuple):
    """How a progress share is rounded; `initial_work` None means one tick's work. `jobs` None is every job."""

    id: str
    mode: str
    initial_work: Number | None
    point: str
    jobs: tuple[str, ...] | None


class Reversal(NamedTuple):
    """How stopped work falls: `per_tick` at each tick once more than `after` ticks have passed."""

    id: str
    per_tick: Number
    after: int
    jobs: tuple[str, ...] | None


class Interruption(NamedTuple):
    """A declared interruption; the row's id is the cause, each instruction one way to give it."""

    id: str
    instructions: tuple[str, ...]


class Failure(NamedTuple):
    """A failures row. `loses` None is nothing, `loses_all` the whole claim; `ruined` is the resolved result."""

    id: str
    from_state: str
    ruined: bool
    loses: tuple[tuple[str, int], ...]
    loses_all: bool
    loses_work: Number
    loses_work_share: Fraction
    releases: tuple[tuple[str, int], ...]
    damaged_state: str | None


class CancelReturn(NamedTuple):
    """A cancel-return rule: a share of every item, a share per item, or amounts; out of the current claim.

    `default` is (fraction, rounding) for every item that `per_item` and `amounts` do not name, None where they
    alone decide. `cancellations` None is every cancellation.
    """

    id: str
    default: tuple[Fraction, str] | None
    per_item: tuple[tuple[str, Fraction, str], ...]
    amounts: tuple[tuple[str, int], ...]
    cancellations: tuple[str, ...] | None


class Link(NamedTuple):
    """A job and the jobs it needs."""

    job: str
    needs: tuple[str, ...]


class Dependents(NamedTuple):
    """A dependent-cancellations row: what `cancellation` means for jobs connected by `links`."""

    id: str
    cancellation: str
    links: tuple[Link, ...]


class Eligibility(NamedTuple):
    """When a standing order may request: all of these hold.

    `conditions` are names of world conditions, `below` and `usable` (item, amount) pairs, `no_open_run` whether an
    open run of the job at the place forbids it.
    """

    conditions: tuple[str, ...] = ()
    below: tuple[tuple[str, int], ...] = ()
    usable: tuple[tuple[str, int], ...] = ()
    no_open_run: bool = False


class StandingOrder(NamedTuple):
    """A standing-orders row: `pool` is a work-limits id, `job` what it requests again and again."""

    id: str
    pool: str
    eligible: Eligibility
    job: str


class NamedEvent(NamedTuple):
    """A readmission, redelivery or collection row; `polled` where the real system polls once in every tick."""

    id: str
    event: str
    polled: bool


class Destination(NamedTuple):
    """A destination by name; `capacity` None is unlimited."""

    name: str
    capacity: int | None


class Config(NamedTuple):
    """Everything the lifecycle is told.

    `timing` is the input-claim-timing answer, None under no inputs; `cancel_return` None where it was not asked.
    `jobs` and the row tuples keep the written order. `fallbacks` are destination names in route order.
    """

    job: str
    in_place: bool
    jobs: tuple[JobRule, ...]
    timing: str | None
    output_full: str
    on_collection: bool
    partial_work: str | None
    release_stopped_claims: bool
    cancel_return: str | None
    end_dependents: bool
    pools: tuple[Pool, ...]
    phases: tuple[Phase, ...]
    roundings: tuple[Rounding, ...]
    interruptions: tuple[Interruption, ...]
    reversals: tuple[Reversal, ...]
    readmissions: tuple[NamedEvent, ...]
    redeliveries: tuple[NamedEvent, ...]
    collections: tuple[NamedEvent, ...]
    fallbacks: tuple[str, ...]
    standing_orders: tuple[StandingOrder, ...]
    failures: tuple[Failure, ...]
    cancellations: tuple[str, ...]
    cancel_returns: tuple[CancelReturn, ...]
    dependents: tuple[Dependents, ...]
    destinations: tuple[Destination, ...]

    def job_rule(self, job: str) -> JobRule | None:
        """The rule of a job, None where no rule has that id."""
        return next((each for each in self.jobs if each.id == job), None)

    def pool(self, pool_id: str) -> Pool | None:
        """The pool of that work-limits id, None where there is none."""
        return next((each for each in self.pools if each.id == pool_id), None)

    def capacity(self, destination: str) -> int | None:
        """The capacity of a destination; None is unlimited. KeyError where no rule names it."""
        for each in self.destinations:
            if each.name == destination:
                return each.capacity
        raise KeyError(destination)

    def needs_of(self, job: str) -> tuple[str, ...]:
        """The jobs that this job needs, over all links, in written order and each once (step 1)."""
        found: dict[str, None] = {}
        for row in self.dependents:
            for link in row.links:
                if link.job == job:
                    found.update(dict.fromkeys(link.needs))
        return tuple(found)

    def covering_pool(self, job: str, fields: Fields) -> Pool | None:
        """The first pool in written order that covers such a request (step 1)."""
        return next((pool for pool in self.pools if covers(pool.covers, job, fields)), None)


def covers(rule: Covers, job: str, fields: Fields) -> bool:
    """Whether a coverage rule takes a request for `job` with these fields; a missing field counts as 0."""
    if rule.everything or job in rule.jobs:
        return True
    given = dict(fields)
    return bool(rule.fields) and all(given.get(name, 0) == value for name, value in rule.fields)


def exact(value: Number) -> Number:
    """The number as an `int` where it is whole: cheaper to add and to hash."""
    return int(value) if value.denominator == 1 else value


def at_place(name: str, place: str | None) -> str:
    """A source, site or destination name with `{place}` filled in."""
    return name.replace(PLACE, place) if place is not None else name
