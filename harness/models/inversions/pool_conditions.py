"""What an adoption must have for a breach of pools, standing orders, cancellations or deliveries to be seen."""

from __future__ import annotations

from harness.models.inversions.conditions import (
    _can_wait,
    _claims_before_finish,
    _holds_claims,
    _lines_up,
    _reserve_at_once,
    _start_gate_claims,
    _takes_units,
    _tests_units,
    _two_compete,
)
from harness.models.inversions.registry import Condition
from harness.models.lifecycle.config import Config, Pool, StandingOrder, covers

# -- pools ---------------------------------------------------------------------------------------------------------


def _queues(pool: Pool) -> bool:
    return pool.working > 0 and pool.waiting != 0


def _takes_time(config: Config) -> bool:
    """Whether a run keeps its slot from one event to the next."""
    return bool(config.phases) or config.output_full == "wait-until-space"


def _admission_waits(config: Config) -> bool:
    queue = any(_queues(pool) for pool in config.pools)
    return queue and (_start_gate_claims(config) or any(config.needs_of(job.id) for job in config.jobs))


def _cancels_on_a_slot(config: Config) -> bool:
    return bool(config.cancellations and any(pool.working for pool in config.pools)) and _takes_time(config)


def _stopped_and_waiting(config: Config) -> bool:
    return bool(config.interruptions and config.phases) and _two_compete(config)


def _ends_without_a_slot(config: Config) -> bool:
    """Whether a run without a slot can be canceled while another one holds it."""
    return bool(config.cancellations) and _stopped_and_waiting(config)


def _filler(config: Config) -> bool:
    """Whether one run can be stopped while another one of its pool waits."""
    stops = config.interruptions and config.phases
    return bool(stops) and _reserve_at_once(config, 2) and any(_queues(pool) for pool in config.pools)


def _stands_before(config: Config) -> bool:
    """Whether an admitted run can stand in the order while a slot is free beside it."""
    lacks = config.phases and (config.release_stopped_claims or any(not each.ruined for each in config.failures))
    queue = any(_queues(pool) and not _newest_first(pool) for pool in config.pools)
    return _lines_up(config) or bool(lacks and queue and _reserve_at_once(config, 2))


def _newest_first(pool: Pool) -> bool:
    return bool(pool.order) and (pool.order[0].field, pool.order[0].descending) == ("admission", True)


def _several_places(config: Config) -> bool:
    return any(len(pool.places) > 1 and pool.working for pool in config.pools) and _takes_time(config)


def _wanders(config: Config) -> bool:
    line = any(len(pool.places) > 1 and _queues(pool) for pool in config.pools) and _takes_time(config)
    return line and _reserve_at_once(config, 1) and config.timing != "taken-at-request"


def _shared_line(config: Config) -> bool:
    line = any(not pool.places and _queues(pool) for pool in config.pools)
    return line and _takes_time(config) and _reserve_at_once(config, 2)


def _cited_order(config: Config, slots: int = 1) -> bool:
    """Whether an order is cited for a pool in which two runs can wait."""
    lines = (pool for pool in config.pools if pool.order and pool.working >= slots)
    return _reserve_at_once(config, slots + 2) and any(pool.waiting is None or pool.waiting > 1 for pool in lines)


ADMISSION_WAITS = Condition(_admission_waits, "no run of a pool waits for anything but a slot")
CANCELS_ON_A_SLOT = Condition(_cancels_on_a_slot, "no run is canceled while it holds a working slot")
STOPPED_AND_WAITING = Condition(_stopped_and_waiting, "no run is stopped while another one of its pool waits")
ENDS_WITHOUT_A_SLOT = Condition(_ends_without_a_slot, "no run is canceled while another one has its slot")
FILLER_WAITS = Condition(_filler, "no run waits while another one of its pool is stopped")
STANDS_BEFORE = Condition(_stands_before, "no admitted run stands in the order beside a free slot")
DISPLACES = Condition(_stopped_and_waiting, "no run is displaced by another")
RELEASES_AT_FINISHED = Condition(
    lambda c: any(pool.releases_at == "finished" and pool.working for pool in c.pools), "no pool frees at finished"
)
RELEASES_AT_DELIVERED = Condition(
    lambda c: any(pool.releases_at == "delivered" and pool.working for pool in c.pools), "no pool frees at delivered"
)
NO_POOL = Condition(lambda c: not c.pools, "there is a pool")
SEVERAL_PLACES = Condition(_several_places, "no pool has a second place, or no run keeps its slot")
WANDERS = Condition(_wanders, "no run waits at one of several places")
SHARED_POOL_LINE = Condition(_shared_line, "no run waits for a shared slot")
CITED_ORDER = Condition(_cited_order, "no two runs wait in a cited order")
ORDER_WITH_SLOTS = Condition(lambda c: _cited_order(c, 2), "no cited order stands before two slots")

# -- standing orders -----------------------------------------------------------------------------------------------


def _scan_pool(config: Config, row: StandingOrder) -> Pool | None:
    return config.pool(row.pool)


def _makes_several(config: Config) -> bool:
    """Whether one scan of a row can start two runs."""
    pools = [_scan_pool(config, row) for row in config.standing_orders if not row.eligible.no_open_run]
    return _reserve_at_once(config, 2) and any(pool is not None and pool.working > 1 for pool in pools)


def _external(config: Config) -> bool:
    return any(row.eligible != (((), (), (), False)) for row in config.standing_orders)


def _refused_by_itself(config: Config) -> bool:
    """Whether a request can be refused in the pool of a standing order."""
    pools = [_scan_pool(config, row) for row in config.standing_orders]
    return any(pool is not None and (pool.waiting is not None or _tests_units(config)) for pool in pools)


def _several_orders(config: Config) -> bool:
    pools = [row.pool for row in config.standing_orders]
    return len(set(pools)) < len(pools)


SCANS_MAKE_SEVERAL = Condition(_makes_several, "no scan makes more than one request")
EXTERNAL_ELIGIBILITY = Condition(_external, "no standing order has a condition")
SCANS_AFTER_A_REFUSAL = Condition(_refused_by_itself, "no request is refused where a standing order stands")
SEVERAL_ORDERS = Condition(_several_orders, "no pool has two standing orders")

# -- the life of a run ---------------------------------------------------------------------------------------------


def _refusal_clears(config: Config) -> bool:
    return _tests_units(config) or any(pool.waiting is not None for pool in config.pools)


REFUSAL_CLEARS = Condition(_refusal_clears, "no request is ever refused")
MOVES_UNITS = Condition(_takes_units, "no job takes a unit")
COLLECTION_ROW = Condition(lambda c: c.on_collection and bool(c.collections), "delivery-trigger is not on-collection")

# -- cancellations -------------------------------------------------------------------------------------------------


def _cancels_a_claim(config: Config) -> bool:
    return bool(config.cancellations) and _holds_claims(config)


def _covered_line(config: Config) -> bool:
    queue = any(pool.waiting != 0 for pool in config.pools) and _reserve_at_once(config, 2)
    return queue and bool(config.cancellations) and not config.dependents


def _rule_spends(config: Config) -> bool:
    return config.cancel_return == "return-by-rule" and bool(config.cancel_returns) and _holds_claims(config)


def _linked_jobs_wait(config: Config) -> bool:
    """Whether a run of a job with needs can wait for them."""
    return any(config.needs_of(job.id) and _can_queue(config, job.id) for job in config.jobs)


def _can_queue(config: Config, job: str) -> bool:
    asked = ((), *(pool.covers.fields for pool in config.pools))
    pools = [next((p for p in config.pools if covers(p.covers, job, fields)), None) for fields in asked]
    return any(pool is None or pool.waiting != 0 for pool in pools)


CANCELS_A_CLAIM = Condition(_cancels_a_claim, "no canceled run holds a claim")
NO_LINKS_AND_A_LINE = Condition(
    _covered_line, "no run waits behind a canceled one, or a dependent-cancellations row is declared"
)
RULE_SPENDS = Condition(_rule_spends, "cancel-return is not return-by-rule")
NO_CANCELLATION = Condition(lambda c: not c.cancellations, "a cancellation is declared")
RESTS_WHERE_A_CANCEL_COUNTS = Condition(
    lambda c: (bool(c.phases) or _can_wait(c)) and _reserve_at_once(c, 1),
    "no run rests before its end",
)
LINKS = Condition(_linked_jobs_wait, "no run waits for another job")
DEPENDENTS_END = Condition(
    lambda c: c.end_dependents and _linked_jobs_wait(c), "cancel-dependents is not end-dependents"
)
DEPENDENTS_STAY = Condition(
    lambda c: bool(c.dependents) and not c.end_dependents and _linked_jobs_wait(c),
    "cancel-dependents is not leave-dependents",
)
CHAIN_COMPLETES = Condition(lambda c: bool(c.dependents), "there is no dependent-cancellations row")

# -- outputs and deliveries ----------------------------------------------------------------------------------------


def _refuses(config: Config, name: str) -> bool:
    # Names with a place stand among the destinations with the place filled in.
    finite = (each.name for each in config.destinations if each.capacity is not None)
    return any(each.startswith(name.partition("{place}")[0]) for each in finite)


def _normal_refuses(config: Config) -> bool:
    """Whether a normal destination can refuse an output that is then held, or goes on along its route."""
    retried = config.output_full in ("hold-undelivered", "try-destinations")
    return retried and any(job.destination is not None and _refuses(config, job.destination) for job in config.jobs)


def _held_output(config: Config) -> bool:
    return _normal_refuses(config) and all(_refuses(config, each) for each in config.fallbacks)


def _may_not_fit(config: Config) -> bool:
    """Whether a finished output, or one at the finish gate, can lack room everywhere it may go."""
    finite = any(each.capacity is not None for each in config.destinations)
    return _held_output(config) or (finite and config.output_full == "wait-until-space")


IN_PLACE = Condition(lambda c: c.in_place, "the job makes a new thing")
NEVER_FULL = Condition(lambda c: c.output_full == "never-full", "output-full is not never-full")
OUTPUT_MAY_NOT_FIT = Condition(_may_not_fit, "no finished output lacks room")
HOLDS_AT_THE_FINISH = Condition(
    lambda c: (_claims_before_finish(c) or c.timing == "taken-at-finish") and _takes_units(c), "no finish spends a unit"
)
NORMAL_REFUSES = Condition(_normal_refuses, "no normal destination refuses an output")
HELD_OUTPUT = Condition(_held_output, "no finished output is ever held")
REDELIVERY = Condition(lambda c: bool(c.redeliveries), "there is no redelivery event")
TICKS_PASS = Condition(lambda c: bool(c.phases), "no time passes")
FALLBACKS = Condition(
    lambda c: c.output_full == "try-destinations" and bool(c.fallbacks), "there is no fallback destination"
)
ENDLESS_ROUTE = Condition(
    lambda c: c.output_full == "try-destinations" and any(each.capacity is None for each in c.destinations),
    "no route has a destination without a limit",
)
SEVERAL_FALLBACKS = Condition(
    lambda c: c.output_full == "try-destinations" and len(c.fallbacks) > 1, "there is one fallback destination at most"
)
RETRIED_ROUTE = Condition(
    lambda c: _held_output(c) and bool(c.redeliveries) and bool(c.fallbacks), "no route is ever tried again"
)
