"""What an adoption must have for a breach to be seen, shared by the inversions."""

from __future__ import annotations

from fractions import Fraction

from harness.models.inversions.registry import Condition
from harness.models.lifecycle.claims import rounded, share
from harness.models.lifecycle.config import CancelReturn, Config, JobRule, Need, covers


def _claims_before_finish(config: Config) -> bool:
    return config.timing in ("taken-at-request", "taken-at-start", "with-progress")


def _initial_shares(config: Config, job: JobRule) -> list[int]:
    """What a start of the job claims under progress claiming, need by need; the whole where a request decides it."""
    rule = next((each for each in config.roundings if each.jobs is None or job.id in each.jobs), None)
    phase = next((each for each in config.phases if job.phase in (None, each.id)), None)
    if rule is None or phase is None:
        return [need.amount for need in job.needs]
    work, initial = phase.work, phase.per_tick if rule.initial_work is None else rule.initial_work
    if isinstance(work, str) or isinstance(initial, str):
        return [need.amount if initial != 0 else 0 for need in job.needs]
    return [share(need.amount, initial, work, rule.mode) for need in job.needs]


def _start_claims(config: Config) -> bool:
    if config.timing == "with-progress":
        return any(any(_initial_shares(config, job)) for job in config.jobs)
    return config.timing in ("taken-at-request", "taken-at-start") and _takes_units(config)


def _takes_units(config: Config) -> bool:
    return config.timing is not None and any(need.amount for job in config.jobs for need in job.needs)


def _holds_claims(config: Config) -> bool:
    """Whether units are held between two events: under progress claiming the first may be claimed by the last tick."""
    if config.timing != "with-progress" or _start_claims(config):
        return _claims_before_finish(config) and _takes_units(config)
    return any(share(need.amount, _last_claim(config), 1, _mode(config)) for job in config.jobs for need in job.needs)


def _mode(config: Config) -> str:
    return config.roundings[0].mode if config.roundings else "up"


def _last_claim(config: Config) -> Fraction:
    """The part of the work that the first phase has claimed for before its last tick; half where a request says."""
    phase = config.phases[0] if config.phases else None
    if phase is None or isinstance(phase.work, str) or isinstance(phase.per_tick, str):
        return Fraction(1, 2)
    ticks = -((-Fraction(phase.work) / Fraction(phase.per_tick)).__floor__())
    behind = 2 if config.roundings and config.roundings[0].point == "current" else 1
    return max(Fraction(0), (ticks - behind) * Fraction(phase.per_tick) / phase.work)


def _share_grows(config: Config) -> bool:
    """Whether a progress claim becomes larger with the work: not where the first share is the whole."""
    return config.timing == "with-progress" and any(
        first < need.amount
        for job in config.jobs
        for first, need in zip(_initial_shares(config, job), job.needs, strict=True)
    )


def _start_gate_claims(config: Config) -> bool:
    return config.timing in ("taken-at-start", "with-progress") and _start_claims(config)


def _tests_units(config: Config) -> bool:
    """Whether the availability check asks for any unit: under progress claiming the first share may be nothing."""
    stricter = any(amount for job in config.jobs for _, amount in job.offer_check)
    if config.timing == "with-progress":
        return _start_claims(config) or stricter
    return _takes_units(config)


def _can_wait(config: Config) -> bool:
    """Whether some run can wait: where a pool has waiting slots, or where no pool takes it and a gate can fail."""
    uncovered = any(config.covering_pool(job.id, ()) is None for job in config.jobs)
    return any(pool.waiting != 0 for pool in config.pools) or (
        uncovered and (_start_gate_claims(config) or any(config.needs_of(job.id) for job in config.jobs))
    )


def _held_without_a_slot(config: Config) -> bool:
    """Whether a run can hold units and no working slot: waiting, stopped, or of a system without pools."""
    waits = config.timing == "taken-at-request" and _can_wait(config)
    emptied = config.timing == "with-progress" and config.partial_work == "reset-at-stop"
    stops = config.phases and config.interruptions and not (config.release_stopped_claims or emptied)
    claims = _claims_before_finish(config) and _takes_units(config)
    return claims and (waits or bool(stops) or not config.pools)


def _reserve_at_once(config: Config, runs: int) -> bool:
    """Whether so many runs can hold room at the same time, where each reserves its own before its start."""
    if config.output_full != "wait-before-start":
        return True
    capacities = {each.name: each.capacity for each in config.destinations}
    for job in config.jobs:
        # Names with a place stand among the destinations with the place filled in.
        prefix = (job.destination or "").partition("{place}")[0]
        found = [capacity for name, capacity in capacities.items() if name.startswith(prefix)]
        if job.destination is None or any(each is None or each >= runs * job.size for each in found):
            return True
    return False


def _lines_up(config: Config) -> bool:
    """Whether a run can wait behind another of its pool: not where the newest always stands first."""
    return _reserve_at_once(config, 2) and any(
        (pool.waiting is None or pool.waiting > 1)
        and not (pool.order and (pool.order[0].field, pool.order[0].descending) == ("admission", True))
        for pool in config.pools
    )


def _two_reasons(config: Config) -> bool:
    """Whether a run of a pool can wait for more than its slot."""
    needy = any(config.needs_of(job.id) for job in config.jobs)
    return _lines_up(config) or (
        any(pool.waiting != 0 for pool in config.pools) and (_start_gate_claims(config) or needy)
    )


def _refuses_deliveries(config: Config) -> bool:
    reports = config.output_full in ("hold-undelivered", "try-destinations")
    return reports and any(each.capacity is not None for each in config.destinations)


def _two_compete(config: Config) -> bool:
    """Whether two runs of a pool can be owed a slot at the same time: both waiting, or stopped."""
    queue = any(pool.waiting is None or pool.waiting > 1 for pool in config.pools)
    return _reserve_at_once(config, 2) and (queue or bool(config.pools and config.interruptions))


def _pools_overlap(config: Config) -> bool:
    """Whether two pools cover the same request, so that the written order decides."""
    asked = [(job.id, fields) for job in config.jobs for fields in ((), *(pool.covers.fields for pool in config.pools))]
    return any(sum(covers(pool.covers, *each) for pool in config.pools) > 1 for each in asked)


def _takes_ticks(config: Config) -> bool:
    """Whether some work takes more than one tick; also where a request names the numbers."""
    return any(
        isinstance(each.work, str) or isinstance(each.per_tick, str) or each.per_tick < each.work
        for each in config.phases
    )


def _tenths_differ(config: Config) -> bool:
    """Whether the first work point of some phase lies between two tenths of the work; also where a request says."""
    return any(
        isinstance(each.work, str)
        or isinstance(each.per_tick, str)
        or (each.per_tick < each.work and (10 * each.per_tick) % each.work != 0)
        for each in config.phases
    )


def _can_start(config: Config) -> bool:
    """Whether some run can start: one without a pool, or one of a pool with a working slot."""
    uncovered = any(config.covering_pool(job.id, ()) is None for job in config.jobs)
    return _reserve_at_once(config, 1) and (uncovered or any(pool.working for pool in config.pools))


def _returns_units(config: Config) -> bool:
    """Whether a cancellation of a run that holds its full requirement gives any of it back."""
    if config.cancel_return != "return-by-rule":
        return config.cancel_return == "return-claimed"
    needs = [need for job in config.jobs for need in job.needs]
    return any(_returned(rule, need) for rule in config.cancel_returns for need in needs)


def _returned(rule: CancelReturn, need: Need) -> int:
    named = next((each[1:] for each in rule.per_item if each[0] == need.item), rule.default)
    return dict(rule.amounts).get(need.item, 0) if named is None else rounded(need.amount * named[0], named[1])


def _releases_units(config: Config) -> bool:
    """Whether anything gives claimed units back: a cancellation, a stop, or a failure that says so."""
    stops = config.phases and (config.interruptions or config.timing == "with-progress")
    gives = config.release_stopped_claims or config.timing == "with-progress"
    canceled = bool(config.cancellations) and _returns_units(config)
    return canceled or bool(stops and gives) or any(each.releases for each in config.failures)


def _can_be_blocked(config: Config) -> bool:
    """Whether a request can find no room to reserve."""
    finite = any(each.capacity is not None for each in config.destinations)
    return config.output_full == "wait-before-start" and finite


def _can_be_refused(config: Config) -> bool:
    return _takes_units(config) or any(pool.waiting is not None for pool in config.pools)


INPUTS = Condition(lambda config: config.timing is not None, "job-inputs is no-inputs: nothing is ever claimed")
CLAIMS_BEFORE_FINISH = Condition(_claims_before_finish, "no input is claimed before the finish gate")
AT_REQUEST = Condition(lambda c: c.timing == "taken-at-request", "input-claim-timing is not taken-at-request")
AT_START = Condition(lambda c: c.timing == "taken-at-start", "input-claim-timing is not taken-at-start")
AT_FINISH = Condition(lambda c: c.timing == "taken-at-finish", "input-claim-timing is not taken-at-finish")
PROGRESS = Condition(lambda c: c.timing == "with-progress", "input-claim-timing is not with-progress")
WORK = Condition(lambda c: bool(c.phases), "there is no work phase")
POOL = Condition(lambda c: bool(c.pools), "there is no pool")
INTERRUPTION = Condition(lambda c: bool(c.interruptions), "no interruption is declared")
CANCELLATION = Condition(lambda c: bool(c.cancellations), "no cancellation is declared")
STANDING_ORDER = Condition(lambda c: bool(c.standing_orders), "there is no standing order")
HOLD = Condition(lambda c: not c.release_stopped_claims, "stopped-claims is release-and-reclaim")
RELEASE = Condition(lambda c: c.release_stopped_claims, "stopped-claims is not release-and-reclaim")
KEEP_WORK = Condition(lambda c: c.partial_work == "keep-with-job", "partial-work is not keep-with-job")
RESET_WORK = Condition(lambda c: c.partial_work == "reset-at-stop", "partial-work is not reset-at-stop")
REVERSE_WORK = Condition(
    lambda c: c.partial_work == "reverse-while-stopped", "partial-work is not reverse-while-stopped"
)
WAIT_FOR_SPACE = Condition(lambda c: c.output_full == "wait-until-space", "output-full is not wait-until-space")
RESERVE = Condition(lambda c: c.output_full == "wait-before-start", "output-full is not wait-before-start")
HOLD_OUTPUT = Condition(lambda c: c.output_full == "hold-undelivered", "output-full is not hold-undelivered")
ROUTE = Condition(lambda c: c.output_full == "try-destinations", "output-full is not try-destinations")
COLLECTION = Condition(lambda c: c.on_collection, "delivery-trigger is not on-collection")
AUTOMATIC = Condition(lambda c: not c.on_collection, "delivery-trigger is on-collection")
NEW_THING = Condition(lambda c: not c.in_place, "the job changes its site in place")
RETURNS_CLAIMED = Condition(lambda c: c.cancel_return == "return-claimed", "cancel-return is not return-claimed")
RETURNS_SOMETHING = Condition(
    lambda c: c.cancel_return in ("return-claimed", "return-by-rule"),
    "cancel-return is return-nothing, or was not asked",
)
TAKES_UNITS = Condition(_takes_units, "no job takes a unit")
NO_INPUTS = Condition(lambda c: c.timing is None, "job-inputs is required-inputs: the input check is made")
START_CLAIMS = Condition(_start_claims, "no start claims a unit")
START_GATE_CLAIMS = Condition(_start_gate_claims, "the start gate claims no unit")
SHARE_GROWS = Condition(_share_grows, "input-claim-timing is not with-progress, or the first share is the whole")
CAN_WAIT = Condition(_can_wait, "no request ever waits")
CAN_BE_REFUSED = Condition(_can_be_refused, "no request is ever refused: no input can be short, no queue has a limit")
WAITING_SLOTS = Condition(
    lambda c: any(pool.waiting != 0 for pool in c.pools), "there is no pool, or none has a waiting slot"
)
WAITING_LIMIT = Condition(
    lambda c: any(pool.waiting is not None for pool in c.pools), "no pool declares a waiting limit"
)
NO_WAITING_LIMIT = Condition(
    lambda c: any(pool.waiting is None for pool in c.pools), "every pool declares a waiting limit, or there is none"
)
NAMED_PLACES = Condition(
    lambda c: any(len(pool.places) > 1 and pool.assignment == "requested" for pool in c.pools),
    "no request chooses among places",
)
SECOND_JOB = Condition(lambda c: len(c.jobs) > 1, "there is one job only")
INSTANT = Condition(lambda c: not c.phases, "there is a work phase")
DESTINATION = Condition(lambda c: any(job.destination is not None for job in c.jobs), "no output has a destination")
SEVERAL_INPUTS = Condition(
    lambda c: any(sum(1 for need in job.needs if need.amount) > 1 for job in c.jobs), "no job takes more than one input"
)
HELD_WITHOUT_A_SLOT = Condition(_held_without_a_slot, "no run holds units without a working slot")
TESTS_UNITS = Condition(_tests_units, "the availability check asks for no unit")
RESERVE_TWO = Condition(lambda c: _reserve_at_once(c, 2), "room for one output alone can be reserved")
TWO_COMPETE = Condition(_two_compete, "no two runs can be owed a slot at the same time")
SHORT_LEAVES_SOME = Condition(
    lambda c: any(sum(need.amount for need in job.needs) > 1 for job in c.jobs), "a job takes one unit at the most"
)
POOLS_OVERLAP = Condition(_pools_overlap, "no request is covered by two pools")
TAKES_TICKS = Condition(_takes_ticks, "no work takes more than one tick")
TENTHS_DIFFER = Condition(_tenths_differ, "every first work point is a whole number of tenths")
REFUSED_DELIVERIES = Condition(_refuses_deliveries, "no refused delivery is reported")
SLOTS = Condition(lambda c: any(pool.working for pool in c.pools), "there is no pool, or none has a working slot")
LINES_UP = Condition(_lines_up, "no run ever waits behind another")
TWO_REASONS = Condition(_two_reasons, "no run waits for more than one reason")
NOT_AT_REQUEST = Condition(
    lambda c: c.timing != "taken-at-request", "input-claim-timing is taken-at-request: the claim refuses it next"
)
NO_ROOM_TEST = Condition(lambda c: c.output_full != "wait-until-space", "output-full is wait-until-space")
FULL_QUEUE_REACHED = Condition(
    lambda c: any(pool.waiting is not None and _reserve_at_once(c, pool.waiting + 1) for pool in c.pools),
    "no pool declares a waiting limit, or room can be reserved for no more than may wait",
)
STARTS = Condition(_can_start, "no run ever starts")
HOLDS_CLAIMS = Condition(_holds_claims, "no run holds units between two events")
RETURNS_UNITS = Condition(_returns_units, "no cancellation gives a unit back")
BLOCKED_REQUESTS = Condition(_can_be_blocked, "no request is ever blocked for room")
RELEASES_UNITS = Condition(_releases_units, "nothing gives a claimed unit back")
