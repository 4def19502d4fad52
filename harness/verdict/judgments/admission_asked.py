"""What each run was requested as, and what its job rule makes of that: needs, shares, required work.

Worked out from the job-requested report, the event that brought it and the adoption's rules, so that judgments can
say what is owed. Nothing here is a verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from harness.models.lifecycle.config import JobRule, Phase, Pool, Rounding, at_place, covers
from harness.run.recording import LogRow, fraction
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.fold import Unit

#: Units by (item, source); entries of nothing are left out.
Units: TypeAlias = Mapping[Unit, int]

REQUESTER = "requester"


class Asked(NamedTuple):
    """One run as it was requested: `report` is its job-requested, `sent` the event that brought it.

    `needs` is the full requirement; `required` and `per_tick` are 0 and 1 without a work phase. `is_own` is false for
    a run that a standing order requested.
    """

    run: str
    report: LogRow
    sent: SentView
    is_own: bool
    job: JobRule
    pool: Pool | None
    place: str | None
    needs: Units
    phase: Phase | None
    required: Fraction
    per_tick: Fraction

    @property
    def makes_thing(self) -> bool:
        """Whether the output goes to a destination; an in-place one needs no room."""
        return self.job.destination is not None

    @property
    def is_paused(self) -> bool:
        """Whether the request asked to end after its availability check."""
        return self.is_own and bool(self.sent.event.get("pause"))


def asked_runs(e: Evidence, w: WorldView) -> dict[str, Asked]:
    """Every run of the world whose job a rule declares, by its name, in order of request; touches report-log."""
    found: dict[str, Asked] = {}
    for report in w.reports("job-requested"):
        job = e.config.job_rule(str(report.get("job")))
        if report.run is not None and job is not None and report.run not in found:
            found[report.run] = _asked(e, w, report, job)
    return found


def is_own_request(sent: SentView, report: LogRow) -> bool:
    """Whether this event asked for just that run."""
    return sent.kind == "request" and sent.event.get("run") == report.run


def _asked(e: Evidence, w: WorldView, report: LogRow, job: JobRule) -> Asked:
    sent = w.sent_of(report)
    own = is_own_request(sent, report)
    pool, place = e.config.pool(str(report.get("pool"))), report.get("place")
    fields = request_fields(sent) if own else _standing_fields(pool, job)
    phase = phase_of(e, job, sent.event.get("phase") if own else None)
    required, per_tick = duration(phase, fields)
    needs = {(need.item, at_place(need.source, place)): need.amount for need in job.needs if need.amount}
    return Asked(str(report.run), report, sent, own, job, pool, place, needs, phase, required, per_tick)


def request_fields(sent: SentView) -> Mapping[str, Any]:
    """The fields of a request event."""
    fields: Mapping[str, Any] = sent.event.get("fields") or {}
    return fields


def _standing_fields(pool: Pool | None, job: JobRule) -> Mapping[str, Any]:
    """A standing order's request has the fields that its pool's coverage asks for."""
    if pool is None or covers(pool.covers, job.id, ()):
        return {}
    return dict(pool.covers.fields)


def phase_of(e: Evidence, job: JobRule, named: str | None) -> Phase | None:
    """The work phase of a request: the one it names, the job's own, or the first row; None where there is none."""
    wanted = named or job.phase
    if wanted is None:
        return e.config.phases[0] if e.config.phases else None
    return next((each for each in e.config.phases if each.id == wanted), None)


def duration(phase: Phase | None, fields: Mapping[str, Any]) -> tuple[Fraction, Fraction]:
    """Required work and work per tick, read from the request's fields where the rule names one; 0 and 1 without."""
    if phase is None:
        return Fraction(0), Fraction(1)
    return _number(phase.work, fields), _number(phase.per_tick, fields)


def _number(value: int | Fraction | str, fields: Mapping[str, Any]) -> Fraction:
    if isinstance(value, str):
        return fraction(fields.get(value, 0)) or Fraction(0)
    return Fraction(value)


# -- shares -------------------------------------------------------------------------------------------------------


def rounding_of(e: Evidence, asked: Asked) -> Rounding | None:
    """The first rounding rule that is for the run's job."""
    return next((each for each in e.config.roundings if each.jobs is None or asked.job.id in each.jobs), None)


def share(e: Evidence, asked: Asked, work: Fraction) -> Units:
    """The progress share of every need at a work point; the whole without a work phase."""
    rule = rounding_of(e, asked)
    if asked.phase is None or rule is None or work >= asked.required:
        return asked.needs
    if work <= 0:
        return {}
    parts = {unit: _rounded(amount * work / asked.required, rule.mode) for unit, amount in asked.needs.items()}
    return {unit: amount for unit, amount in parts.items() if amount}


def _rounded(value: Fraction, mode: str) -> int:
    if mode == "up":
        return -((-value.numerator) // value.denominator)
    if mode == "down":
        return value.numerator // value.denominator
    half_up = value + Fraction(1, 2)
    return half_up.numerator // half_up.denominator


def initial_share(e: Evidence, asked: Asked) -> Units:
    """What a start claims under progress claiming: the share of the rule's initial work, else of one tick's."""
    rule = rounding_of(e, asked)
    named = rule.initial_work if rule is not None else None
    return share(e, asked, asked.per_tick if named is None else Fraction(named))


def supporting_share(e: Evidence, asked: Asked, work: Fraction) -> Units:
    """What must be held where this work point is recorded; that of the point before it under `point: current`."""
    rule = rounding_of(e, asked)
    if rule is not None and rule.point == "current" and work < asked.required:
        return share(e, asked, max(Fraction(0), work - asked.per_tick))
    return share(e, asked, work)


def tested_share(e: Evidence, asked: Asked) -> Units:
    """What the availability check tests, and the start gate where it claims: the whole, or the initial share.

    A stricter offer check of the job rule raises the initial share, item by item.
    """
    if e.config.timing != "with-progress":
        return asked.needs
    initial, stricter = initial_share(e, asked), dict(asked.job.offer_check)
    units = [(need.item, at_place(need.source, asked.place)) for need in asked.job.needs]
    tested = {unit: max(initial.get(unit, 0), stricter.get(unit[0], 0)) for unit in units}
    return {unit: amount for unit, amount in tested.items() if amount}


def start_share(e: Evidence, asked: Asked) -> Units:
    """What a run holds once it has started."""
    if e.config.timing in (None, "taken-at-finish"):
        return {}
    return initial_share(e, asked) if e.config.timing == "with-progress" else asked.needs


# -- units --------------------------------------------------------------------------------------------------------


def moved(rows: tuple[LogRow, ...], change: str) -> dict[Unit, int]:
    """What rows of the claim ledger moved by this change, by item and source."""
    total: dict[Unit, int] = {}
    for row in rows:
        if row["change"] == change:
            unit = (row["item"], row["source"])
            total[unit] = total.get(unit, 0) + row["amount"]
    return {unit: amount for unit, amount in total.items() if amount}


def units_text(units: Units) -> str:
    """Units as people read them: `3 flour from larder, 1 water from tap`."""
    named = (f"{amount} {item} from {source}" for (item, source), amount in sorted(units.items()))
    return ", ".join(named) or "nothing"


def lacking(e: Evidence, needed: Units, row: LogRow) -> Units:
    """What of these units is not usable at their sources just before the row; touches claim-ledger."""
    before = e.at(row)
    short = {unit: amount - max(0, before.usable(*unit)) for unit, amount in needed.items()}
    return {unit: amount for unit, amount in short.items() if amount > 0}


def reserves(e: Evidence, asked: Asked) -> bool:
    """Whether the run reserves room for its output before it is admitted."""
    return e.config.output_full == "wait-before-start" and asked.makes_thing


def destination_of(asked: Asked) -> str | None:
    """The run's normal destination, with its place filled in; None for an in-place job."""
    name = asked.job.destination
    return at_place(name, asked.place) if name is not None else None


def route_of(e: Evidence, asked: Asked) -> tuple[str, ...]:
    """The destinations that a delivery of the run tries, in order; empty for an in-place job."""
    normal = destination_of(asked)
    if normal is None:
        return ()
    fallbacks = e.config.fallbacks if e.config.output_full == "try-destinations" else ()
    return (normal, *(at_place(each, asked.place) for each in fallbacks))


def first_of_settle(e: Evidence, row: LogRow) -> LogRow:
    """The first row of the row's settle: what was true before it is what the settle decided on."""
    settle = e.settle_of(row)
    return settle[0] if settle else row
