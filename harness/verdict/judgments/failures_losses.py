"""What a failure owes by its cited rule: the losses, the releases, and the work that is left (lifecycle: step 16).

Everything here is arithmetic over the adoption's rules; nothing asks the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from harness.models.lifecycle.config import Config, Failure, JobRule, Phase, Rounding
from harness.verdict.evidence import Evidence, WorldView

Items = Mapping[str, int]


class Task(NamedTuple):
    """What one run asks for: its job's rule, and the required work and the work of a tick (None without a phase)."""

    job: JobRule
    required: Fraction | None
    per_tick: Fraction


# -- the failure's own rule --------------------------------------------------------------------------------------------


def resolved(e: Evidence) -> Failure | None:
    """The scenario's failures row with its result; None where the row's rule is not known."""
    wanted = e.row.id if e.row is not None else None
    return next((each for each in e.config.failures if each.id == wanted), None)


def named_losses(failure: Failure, held: Items) -> dict[str, int]:
    """The units that the failure takes out of this claim: what its rule names, never more than is held."""
    if failure.loses_all:
        return {item: amount for item, amount in held.items() if amount}
    capped = {item: min(amount, held.get(item, 0)) for item, amount in failure.loses}
    return {item: amount for item, amount in capped.items() if amount}


def named_releases(failure: Failure, held: Items) -> dict[str, int]:
    """The units that a ruined result gives back, out of what the losses left."""
    left = less(held, named_losses(failure, held))
    capped = {item: min(amount, left.get(item, 0)) for item, amount in failure.releases}
    return {item: amount for item, amount in capped.items() if amount}


def is_strict_subset(failure: Failure, held: Items) -> bool:
    """Whether the named losses lie in the claim and leave some of it; a rule that names no loss always passes."""
    lost = dict(failure.loses)
    if any(amount > held.get(item, 0) for item, amount in lost.items()):
        return False
    total = sum(lost.values())
    return total == 0 or total < sum(held.values())


def less(held: Items, taken: Items) -> dict[str, int]:
    """The first amounts less the second; what reaches nothing is left out."""
    left = {item: amount - taken.get(item, 0) for item, amount in held.items()}
    return {item: amount for item, amount in left.items() if amount}


# -- work and the progress share ---------------------------------------------------------------------------------------


def task_of(e: Evidence, w: WorldView, run: str) -> Task | None:
    """What the run asks for, from its request; None where its job is not known."""
    requested = w.reports("job-requested", run=run)
    job = e.config.job_rule(str(requested[0]["job"])) if requested else None
    if job is None:
        return None
    asked = w.events("request", run=run)
    fields = asked[0].event.get("fields", {}) if asked else {}
    phase = _phase(e.config, (asked[0].event.get("phase") if asked else None) or job.phase)
    if phase is None:
        return Task(job, None, Fraction(1))
    return Task(job, _number(phase.work, fields), _number(phase.per_tick, fields))


def _phase(config: Config, name: str | None) -> Phase | None:
    if name is not None:
        return next((each for each in config.phases if each.id == name), None)
    return config.phases[0] if config.phases else None


def _number(value: int | Fraction | str, fields: Mapping[str, object]) -> Fraction:
    named = fields.get(value, 0) if isinstance(value, str) else value
    return Fraction(named) if isinstance(named, int | Fraction) else Fraction(0)


def work_after_loss(failure: Failure, before: Fraction) -> Fraction:
    """The recorded work less the named loss, never below none."""
    return max(Fraction(0), before - Fraction(failure.loses_work) - failure.loses_work_share * before)


def rounding_of(config: Config, job: str) -> Rounding | None:
    """The first rounding rule that is for the job."""
    return next((each for each in config.roundings if each.jobs is None or job in each.jobs), None)


def share(config: Config, task: Task, work: Fraction) -> dict[str, int]:
    """The progress share of the job's requirement at a work point; the whole where there is no phase."""
    rule = rounding_of(config, task.job.id)
    if task.required is None or rule is None or work >= task.required:
        return {need.item: need.amount for need in task.job.needs}
    part = max(Fraction(0), work) / task.required
    return {need.item: rounded(need.amount * part, rule.mode) for need in task.job.needs}


def rounded(value: Fraction, mode: str) -> int:
    """A fraction as a whole number: `up`, `down`, or `nearest` with a half going up."""
    if mode == "up":
        return -((-value.numerator) // value.denominator)
    if mode == "down":
        return value.numerator // value.denominator
    return (2 * value.numerator + value.denominator) // (2 * value.denominator)


def supported_point(config: Config, task: Task, work: Fraction, held: Items) -> Fraction:
    """The highest work point that a remaining claim supports: the recorded one, else the next whole step below."""
    point = work
    while point > 0 and not _supports(config, task, point, held):
        steps = point / task.per_tick
        below = steps.numerator // steps.denominator
        point = task.per_tick * (below - 1 if steps.denominator == 1 else below)
    return max(Fraction(0), point)


def _supports(config: Config, task: Task, point: Fraction, held: Items) -> bool:
    rule = rounding_of(config, task.job.id)
    if rule is not None and rule.point == "current" and task.required is not None and point < task.required:
        point = max(Fraction(0), point - task.per_tick)
    wanted = share(config, task, point)
    return all(amount <= held.get(item, 0) for item, amount in wanted.items())


# -- what a recoverable failure leaves ---------------------------------------------------------------------------------


def holds_progress(config: Config) -> bool:
    """Whether a failure adjusts the work to the remaining claim: progress claims that stay assigned while stopped."""
    return config.timing == "with-progress" and not config.release_stopped_claims


def recovered_work(config: Config, task: Task, failure: Failure, before: Fraction, held: Items) -> Fraction:
    """The work after a recoverable failure; `held` is the claim before it."""
    left = work_after_loss(failure, before)
    if holds_progress(config):
        left = supported_point(config, task, left, less(held, named_losses(failure, held)))
    return left


def recovered_releases(config: Config, task: Task, failure: Failure, before: Fraction, held: Items) -> dict[str, int]:
    """What a recoverable failure gives back: all that is left where released, the excess of a held progress claim."""
    left = less(held, named_losses(failure, held))
    if config.release_stopped_claims:
        return left
    if not holds_progress(config):
        return {}
    kept = share(config, task, recovered_work(config, task, failure, before, held))
    excess = {item: amount - min(amount, kept.get(item, 0)) for item, amount in left.items()}
    return {item: amount for item, amount in excess.items() if amount}
