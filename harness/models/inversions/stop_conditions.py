"""What an adoption must have for a breach of stops, resumes, the finish gate or failures to be seen."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from harness.models.inversions.conditions import CAN_WAIT, STARTS
from harness.models.inversions.registry import Condition
from harness.models.lifecycle.claims import share
from harness.models.lifecycle.config import Config, Failure, JobRule, Need, Number, Phase, Rounding

# -- claims at a stop ---------------------------------------------------------------------------------------------


def _whole_claim(config: Config) -> bool:
    """Whether a run holds its full requirement from its request or its start on."""
    return config.timing in ("taken-at-request", "taken-at-start") and _takes_units(config)


def _takes_units(config: Config) -> bool:
    return config.timing is not None and any(need.amount for job in config.jobs for need in job.needs)


def _progress_jobs(config: Config) -> Iterator[tuple[JobRule, Phase, Rounding]]:
    """Each job with its phase and its rounding rule, under progress claiming."""
    for job in config.jobs:
        phase = next((each for each in config.phases if job.phase in (None, each.id)), None)
        rule = next((each for each in config.roundings if each.jobs is None or job.id in each.jobs), None)
        if config.timing == "with-progress" and phase is not None and rule is not None:
            yield job, phase, rule


def _points(phase: Phase) -> Iterator[tuple[Number, Number]]:
    """Each work point short of the required one, with the point before it; of four even ones where a request says."""
    work = 4 if isinstance(phase.work, str) else phase.work
    step = Fraction(work, 4) if isinstance(phase.per_tick, str) else phase.per_tick
    before, point = Fraction(0), Fraction(step)
    while point < work:
        yield point / work, before / work
        before, point = point, point + step


def _held_at(need: Need, rule: Rounding, phase: Phase, point: Number, before: Number) -> int:
    """What a run that stops at a work point keeps: what it has claimed so far, reduced to the share of the point."""
    claimed = share(need.amount, before if rule.point == "current" else point, 1, rule.mode)
    initial = share(need.amount, _initial(rule, phase), 1, rule.mode)
    return min(max(claimed, initial), share(need.amount, point, 1, rule.mode))


def _initial(rule: Rounding, phase: Phase) -> Number:
    """The initial work as a part of the required work."""
    if isinstance(phase.work, str) or isinstance(phase.per_tick, str):
        return Fraction(1, 4) if rule.initial_work is None else min(Fraction(1), Fraction(rule.initial_work) / 4)
    return Fraction(phase.per_tick if rule.initial_work is None else rule.initial_work) / phase.work


def _kept_claim(config: Config) -> bool:
    """Whether a run that is interrupted at work has a claim left once it was reduced to the work that is left."""
    return _whole_claim(config) or (
        config.partial_work != "reset-at-stop"
        and any(
            _held_at(need, rule, phase, point, before)
            for job, phase, rule in _progress_jobs(config)
            for need in job.needs
            for point, before in _points(phase)
        )
    )


def _claim_at_the_gate(config: Config) -> bool:
    """Whether a run that completed its work holds units at its finish gate."""
    return config.timing != "taken-at-finish" and _takes_units(config)


def _rounding_decides(config: Config) -> bool:
    """Whether a share that a tick claims is another one when it is rounded the other way."""
    return any(
        share(need.amount, at, 1, rule.mode) != share(need.amount, at, 1, "up" if rule.mode == "down" else "down")
        for job, phase, rule in _progress_jobs(config)
        for need in job.needs
        for at, _ in _points(phase)
    )


# -- reversing work -----------------------------------------------------------------------------------------------


def _reverses(config: Config) -> bool:
    """Whether some interrupted run has work left that a reversal rule takes away."""
    return bool(config.interruptions) and any(
        (rule.jobs is None or job.id in rule.jobs) and any(_points(phase))
        for job in config.jobs
        for phase in config.phases
        for rule in config.reversals
    )


def _reversing_claim(config: Config) -> bool:
    """Whether a progress claim is smaller after a fall to none."""
    return _reverses(config) and _kept_claim(config)


# -- the finish gate ----------------------------------------------------------------------------------------------


def _full_stops(config: Config) -> bool:
    """Whether a full destination can stop a run at its finish gate."""
    finite = any(each.capacity is not None for each in config.destinations)
    return config.output_full == "wait-until-space" and finite


def _gate_stops(config: Config) -> bool:
    return _full_stops(config) or (config.timing == "taken-at-finish" and _takes_units(config))


def _other_gate_cause(config: Config) -> bool:
    return _gate_stops(config) and bool(config.interruptions)


def _in_a_pool(config: Config) -> bool:
    """Whether a pool with a working slot takes the runs of some job, whatever their fields."""
    pools = (config.covering_pool(job.id, ()) for job in config.jobs)
    return any(pool is not None and pool.working for pool in pools)


# -- failures -----------------------------------------------------------------------------------------------------


def _observed_finished(config: Config) -> bool:
    """Whether a run can be found in finished."""
    finite = any(each.capacity is not None for each in config.destinations)
    held = config.output_full in ("hold-undelivered", "try-destinations") and finite
    return not config.in_place and (config.on_collection or held)


def _fires(config: Config, failure: Failure) -> bool:
    """Whether a run can be found in the state that the failure fires from."""
    work = bool(config.phases)
    return {
        "waiting": CAN_WAIT.holds(config),
        "working": work and STARTS.holds(config),
        "stopped": (work and bool(config.interruptions)) or _gate_stops(config),
        "finished": _observed_finished(config),
    }.get(failure.from_state, False)


def _failures(config: Config, ruined: bool | None = None, *states: str) -> tuple[Failure, ...]:
    """The failures that can fire, of one result or of both, from these states or from all."""
    return tuple(
        each
        for each in config.failures
        if ruined in (None, each.ruined) and each.from_state in (states or (each.from_state,)) and _fires(config, each)
    )


def _held_after_a_tick(config: Config) -> dict[str, int]:
    """What a working run holds by item, of whatever job, once its first tick has passed."""
    if config.timing in ("taken-at-request", "taken-at-start"):
        return {need.item: need.amount for job in config.jobs for need in job.needs}
    found: dict[str, int] = {}
    for job, phase, rule in _progress_jobs(config):
        for point, before in list(_points(phase))[:1]:
            for need in job.needs:
                work = max(before if rule.point == "current" else point, _initial(rule, phase))
                found[need.item] = share(need.amount, work, 1, rule.mode)
    return found


def _loses_units(config: Config, ruined: bool) -> bool:
    """Whether a failure takes units from a working run."""
    held = {item: amount for item, amount in _held_after_a_tick(config).items() if amount}
    return any(
        (each.loses_all and bool(held)) or any(amount and item in held for item, amount in each.loses)
        for each in _failures(config, ruined, "working")
    )


def _ruin_keeps_claim(config: Config) -> bool:
    """Whether a run that is ruined at work keeps a part of its claim."""
    return any(
        not each.loses_all and amount > dict(each.loses).get(item, 0) + dict(each.releases).get(item, 0)
        for each in _failures(config, True, "working")
        for item, amount in _held_after_a_tick(config).items()
    )


def _fires_elsewhere(config: Config) -> bool:
    """Whether a failure finds a run in another state, and no claim that is too small keeps it from firing there."""
    return any(each.ruined or not (each.loses_all or each.loses) for each in _failures(config))


def _breaks_support(config: Config) -> bool:
    """Whether a loss leaves a working run less than the share of the work that the named loss alone leaves it."""
    return any(
        _left(need, failure, rule, phase, point, before) < _wanted(need, failure, rule, phase, point)
        for failure in _failures(config, False, "working")
        for job, phase, rule in _progress_jobs(config)
        for need in job.needs
        for point, before in _points(phase)
    )


def _left(need: Need, failure: Failure, rule: Rounding, phase: Phase, point: Number, before: Number) -> int:
    work = max(before if rule.point == "current" else point, _initial(rule, phase))
    return share(need.amount, work, 1, rule.mode) - dict(failure.loses).get(need.item, 0)


def _wanted(need: Need, failure: Failure, rule: Rounding, phase: Phase, point: Number) -> int:
    """The share that supports the work which the named loss leaves."""
    work = 4 if isinstance(phase.work, str) else phase.work
    step = Fraction(work, 4) if isinstance(phase.per_tick, str) else Fraction(phase.per_tick)
    left = point - Fraction(failure.loses_work) / work - failure.loses_work_share * point
    return share(need.amount, left - step / work if rule.point == "current" else left, 1, rule.mode)


def _loss_leaves_work(config: Config) -> bool:
    """Whether a recoverable failure leaves some of the work of one tick."""
    return any(
        point - Fraction(failure.loses_work) / (4 if isinstance(phase.work, str) else phase.work) > 0
        and failure.loses_work_share < 1
        for failure in _failures(config, False, "working")
        for phase in config.phases
        for point, _ in list(_points(phase))[:1]
    )


TWO_INTERRUPTIONS = Condition(lambda c: len(c.interruptions) > 1, "fewer than two interruptions are declared")
NO_FAILURES = Condition(lambda c: not c.failures, "a failure is declared")
WHOLE_CLAIM = Condition(_whole_claim, "no full requirement is claimed before the finish gate")
KEPT_CLAIM = Condition(_kept_claim, "no interrupted run has a claim left that its work still needs")
CLAIM_AT_THE_GATE = Condition(_claim_at_the_gate, "no run holds units at its finish gate")
ROUNDING_DECIDES = Condition(_rounding_decides, "no share is rounded")
REVERSES = Condition(_reverses, "no interrupted run has work that a reversal rule takes away")
REVERSING_CLAIM = Condition(_reversing_claim, "no claim becomes smaller when work falls")
FULL_STOPS = Condition(_full_stops, "no full destination stops a run at its finish gate")
GATE_STOPS = Condition(_gate_stops, "no run stops at its finish gate")
GATE_STOPS_IN_POOLS = Condition(lambda c: _gate_stops(c) and _in_a_pool(c), "no run of a pool stops at its finish gate")
OTHER_GATE_CAUSE = Condition(_other_gate_cause, "no other cause joins a stop at the finish gate")
OTHER_GATE_CAUSE_IN_POOLS = Condition(
    lambda c: _other_gate_cause(c) and _in_a_pool(c), "no other cause joins a run of a pool at its finish gate"
)
IN_A_POOL = Condition(_in_a_pool, "no job runs on a pool's slots whatever its fields")
FAILURE = Condition(lambda c: bool(_failures(c)), "no failure is declared that can fire")
FIRES_ELSEWHERE = Condition(_fires_elsewhere, "a claim that is too small keeps every failure from firing elsewhere")
BREAKS_SUPPORT = Condition(_breaks_support, "no loss leaves less than the work that is left needs")
RUIN = Condition(
    lambda c: bool(_failures(c, True, "waiting", "working", "stopped")), "no failure before the finish is ruinous"
)
RUIN_FROM_SLOT = Condition(
    lambda c: bool(_failures(c, True, "working")) and _in_a_pool(c), "no run on a working slot is ruined"
)
RUIN_LOSES = Condition(lambda c: _loses_units(c, True), "no ruin takes units")
RUIN_KEEPS_CLAIM = Condition(_ruin_keeps_claim, "no ruined run keeps a part of its claim")
RECOVERABLE = Condition(lambda c: bool(_failures(c, False)), "no failure is recoverable")
RECOVERY_LOSES = Condition(lambda c: _loses_units(c, False), "no recoverable failure takes units")
RECOVERY_FROM_WAITING = Condition(
    lambda c: bool(_failures(c, False, "waiting")), "no failure from waiting is recoverable"
)
RECOVERY_FROM_WORKING = Condition(
    lambda c: bool(_failures(c, False, "working")), "no failure from working is recoverable"
)
LOSS_LEAVES_WORK = Condition(_loss_leaves_work, "no recoverable failure leaves the work of a tick")
RUIN_FROM_FINISHED = Condition(lambda c: bool(_failures(c, True, "finished")), "no finished run can be ruined")
