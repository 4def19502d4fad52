"""What the adoption says a run must hold: whole requirements, progress shares, and what a resume takes.

Everything here is worked out from the cited rules and the request's own fields (lifecycle: The progress share, steps
5, 7, 9 and 12), so that logs can be compared with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from harness.models.lifecycle.config import Config, JobRule, Phase, Rounding, at_place
from harness.verdict.evidence import WorldView
from harness.verdict.fold import Unit

Amounts: TypeAlias = Mapping[Unit, int]


class Terms(NamedTuple):
    """What one run was requested for; `required` is 0 without a work phase, `whole` the full requirement."""

    config: Config
    run: str
    job: JobRule
    place: str | None
    phase: Phase | None
    required: Fraction
    per_tick: Fraction
    rounding: Rounding | None
    whole: Amounts

    @property
    def progress(self) -> bool:
        """Whether claims follow the recorded work."""
        return self.config.timing == "with-progress"

    @property
    def follows_work(self) -> bool:
        """Whether the share of this run changes with its work: progress claiming, a phase and a rule."""
        return self.progress and self.phase is not None and self.rounding is not None

    @property
    def claims_early(self) -> bool:
        """Whether a claim can exist before the finish gate."""
        return self.config.timing in ("taken-at-request", "taken-at-start", "with-progress")


def terms_of(w: WorldView, run: str) -> Terms | None:
    """The terms of a run of this world; None where the run, its job or its phase is unknown."""
    asked = w.reports("job-requested", run=run)
    config = w.evidence.config
    rule = config.job_rule(asked[0]["job"]) if asked else None
    if rule is None:
        return None
    event = next((s.event for s in w.events("request") if s.event.get("run") == run), None)
    place = asked[0]["place"]
    phase = _phase(config, rule, event.get("phase") if event else None)
    fields = event.get("fields", {}) if event else _standing_fields(config, rule.id, asked[0]["pool"])
    required = _number(phase.work, fields) if phase else Fraction(0)
    per_tick = _number(phase.per_tick, fields) if phase else Fraction(1)
    whole = {(need.item, at_place(need.source, place)): need.amount for need in rule.needs if need.amount}
    return Terms(config, run, rule, place, phase, required, per_tick, rounding_for(config, rule.id), whole)


def _standing_fields(config: Config, job: str, pool_id: str | None) -> Mapping[str, Any]:
    """The fields of a request that a standing order makes: those its own pool's coverage asks for."""
    pool = config.pool(pool_id or "")
    if pool is None or pool.covers.everything or job in pool.covers.jobs:
        return {}
    return dict(pool.covers.fields)


def _phase(config: Config, rule: JobRule, named: str | None) -> Phase | None:
    wanted = named or rule.phase
    if wanted is None:
        return config.phases[0] if config.phases else None
    return next((each for each in config.phases if each.id == wanted), None)


def _number(value: Any, fields: Mapping[str, Any]) -> Fraction:
    """A number of the duration rule, read from the request where the rule names a field."""
    given = fields.get(value, 0) if isinstance(value, str) else value
    return Fraction(0) if isinstance(given, str) else Fraction(given)


def rounding_for(config: Config, job: str) -> Rounding | None:
    """The first rounding rule, in written order, that is for the job."""
    return next((each for each in config.roundings if each.jobs is None or job in each.jobs), None)


def share_at(terms: Terms, work: Fraction) -> Amounts:
    """The progress share of a work point; without a phase it is the whole."""
    rule = terms.rounding
    if terms.phase is None or rule is None or work >= terms.required:
        return terms.whole
    if work <= 0:
        return {}
    part = work / terms.required
    shares = {unit: _rounded(amount * part, rule.mode) for unit, amount in terms.whole.items()}
    return {unit: amount for unit, amount in shares.items() if amount}


def _rounded(value: Fraction, mode: str) -> int:
    if mode == "up":
        return -(-value.numerator // value.denominator)
    if mode == "down":
        return value.numerator // value.denominator
    return (2 * value.numerator + value.denominator) // (2 * value.denominator)


def initial_share(terms: Terms) -> Amounts:
    """What a start claims under progress claiming: the share of the rule's initial work, or of one tick's."""
    named = terms.rounding.initial_work if terms.rounding else None
    return share_at(terms, terms.per_tick if named is None else Fraction(named))


def tick_share(terms: Terms, point: Fraction) -> Amounts:
    """What must be held before this work point is recorded (step 9)."""
    rule = terms.rounding
    if rule is not None and rule.point == "current" and point < terms.required:
        return share_at(terms, max(Fraction(0), point - terms.per_tick))
    return share_at(terms, point)


def next_point(terms: Terms, work: Fraction) -> Fraction:
    """The work point that the next tick would record."""
    return min(work + terms.per_tick, terms.required)


def start_share(terms: Terms) -> Amounts:
    """What a run holds once it has started (steps 5 and 7)."""
    if not terms.claims_early:
        return {}
    return initial_share(terms) if terms.progress else terms.whole


def resume_share(terms: Terms, work: Fraction, at_finish_gate: bool) -> Amounts:
    """What a resume must hold (step 12), with what the finish gate claims where it resumes there."""
    if terms.config.timing == "taken-at-finish":
        return terms.whole if at_finish_gate else {}
    if not terms.claims_early:
        return {}
    if not terms.progress:
        return terms.whole
    return highest(share_at(terms, work), initial_share(terms))


def tested_share(terms: Terms) -> Amounts:
    """What the start gate tests: the start's share, or more where the job's offer check says so."""
    if not terms.progress:
        return start_share(terms)
    stricter = dict(terms.job.offer_check)
    wanted = {unit: stricter.get(unit[0], 0) for unit in terms.whole}
    return highest(initial_share(terms), wanted)


def highest(first: Amounts, second: Amounts) -> Amounts:
    """The larger amount of each unit."""
    units = dict.fromkeys((*first, *second))
    return {unit: most for unit in units if (most := max(first.get(unit, 0), second.get(unit, 0)))}


def lowest(first: Amounts, second: Amounts) -> Amounts:
    """The smaller amount of each unit."""
    return {unit: least for unit in first if (least := min(first[unit], second.get(unit, 0)))}


def missing(target: Amounts, held: Amounts) -> Amounts:
    """What a target has beyond what is held."""
    return {unit: lack for unit, amount in target.items() if (lack := amount - held.get(unit, 0)) > 0}


def amounts_text(amounts: Amounts) -> str:
    """Amounts as words: `3 flour from larder, 1 water from tap`, or `nothing`."""
    return (
        ", ".join(f"{amount} {item} from {source}" for (item, source), amount in sorted(amounts.items())) or "nothing"
    )
