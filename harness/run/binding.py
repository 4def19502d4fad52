"""An adoption's answers, rows and cited rules as the configuration of a lifecycle model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from harness.contract.questions import effective_answers, failure_result
from harness.contract.rules import field_rule, fraction, job_rules, named_job
from harness.contract.shapes import Adoption, Row
from harness.models.lifecycle.config import (
    PLACE,
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
    at_place,
    exact,
)

TICK = "tick"


def lifecycle_config(adoption: Adoption) -> Config:
    """The configuration that an adoption describes.

    The adoption must be free of error findings, but for those that rest on a template (what the contract itself calls
    invalid): such an adoption can be run, and its scenarios say so.
    """
    answers = effective_answers(adoption)
    jobs = tuple(_job(adoption, job, address, value) for job, (address, value) in job_rules(adoption).items())
    pools = tuple(_pool(adoption, row) for row in adoption.rows("work-limits"))
    fallbacks = tuple(
        (rule["name"], _capacity(rule["capacity"])) for _, rule in _rules(adoption, "output-destinations")
    )
    return Config(
        job=adoption.job["id"],
        in_place=adoption.job["output"] == "in-place",
        jobs=jobs,
        timing=answers.get("input-claim-timing"),
        output_full=answers.get("output-full", "never-full"),
        on_collection=answers.get("delivery-trigger") == "on-collection",
        partial_work=answers.get("partial-work"),
        release_stopped_claims=answers.get("stopped-claims") == "release-and-reclaim",
        cancel_return=answers.get("cancel-return"),
        end_dependents=answers.get("cancel-dependents") == "end-dependents",
        pools=pools,
        phases=tuple(_phase(row, rule) for row, rule in _rules(adoption, "work-phases")),
        roundings=tuple(_rounding(row, rule) for row, rule in _rules(adoption, "progress-rounding-rules")),
        interruptions=tuple(Interruption(row.id, _texts(rule)) for row, rule in _rules(adoption, "interruptions")),
        reversals=tuple(_reversal(row, rule) for row, rule in _rules(adoption, "reversal-rules")),
        readmissions=_events(adoption, "readmission-events"),
        redeliveries=_events(adoption, "redelivery-events"),
        collections=_events(adoption, "collection-events"),
        fallbacks=tuple(name for name, _ in fallbacks),
        standing_orders=tuple(_standing_order(adoption, row) for row in adoption.rows("standing-orders")),
        failures=tuple(_failure(adoption, row, rule) for row, rule in _rules(adoption, "failures")),
        cancellations=tuple(row.id for row in adoption.rows("cancellations")),
        cancel_returns=tuple(_cancel_return(row, rule) for row, rule in _rules(adoption, "cancel-return-rules")),
        dependents=tuple(_dependents(adoption, row) for row in adoption.rows("dependent-cancellations")),
        destinations=_destinations(adoption, fallbacks, pools),
    )


# The field of each collection whose cited rule is what the row does.
_FIELDS = {
    "work-phases": "duration-declared-in",
    "progress-rounding-rules": "progress-rounding-declared-in",
    "interruptions": "interruptions-declared-in",
    "reversal-rules": "reversal-declared-in",
    "readmission-events": "readmission-declared-in",
    "redelivery-events": "redelivery-declared-in",
    "collection-events": "collection-declared-in",
    "output-destinations": "destination-declared-in",
    "failures": "trigger-declared-in",
    "cancel-return-rules": "cancel-return-declared-in",
}


def _rules(adoption: Adoption, collection: str) -> Iterator[tuple[Row, Any]]:
    """Each row of a collection with the rule that it cites."""
    for row in adoption.rows(collection):
        yield row, field_rule(adoption, collection, row.id, _FIELDS[collection])


def _job(adoption: Adoption, job: str, address: str, value: Any) -> JobRule:
    output, destination = value["output"], value.get("destination")
    needs = tuple(Need(each["item"], each["amount"], each["source"]) for each in value.get("inputs", ()))
    check = value.get("offer-check", ())
    if check == "full":
        check = [{"item": need.item, "amount": need.amount} for need in needs]
    return JobRule(
        id=job,
        address=address,
        needs=needs,
        output=output["item"],
        size=output.get("size", 1),
        parts=tuple(output.get("parts", ())),
        destination=destination["name"] if destination is not None else None,
        site=value.get("site"),
        offer_check=_amounts(check),
        phase=value.get("phase"),
    )


def _amounts(value: Any) -> tuple[tuple[str, int], ...]:
    return tuple((each["item"], each["amount"]) for each in value or ())


def _texts(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _pool(adoption: Adoption, row: Row) -> Pool:
    def rule(field: str) -> Any:
        return field_rule(adoption, "work-limits", row.id, field) if row.get(field) is not None else None

    each_place = row.get("scope") == "each-place"
    in_cited_order = row.get("waiting-order") == "game-rule-order"
    order = rule("order-declared-in") if in_cited_order else None
    return Pool(
        id=row.id,
        covers=_covers(rule("covers-declared-in")),
        working=rule("working-limit-key"),
        waiting=rule("waiting-limit-key"),
        places=tuple(rule("places-declared-in") or ()) if each_place else (),
        assignment=rule("place-assignment-declared-in") if each_place else None,
        order=tuple(OrderKey(key["field"], key["direction"] == "descending") for key in order or ()),
        releases_at=row.get("releases-working-at") or "finished",
    )


def _covers(value: Any) -> Covers:
    if value == "all":
        return Covers(everything=True)
    if isinstance(value, Mapping):
        return Covers(fields=tuple(sorted(value.items())))
    return Covers(jobs=_texts(value))


def _number_or_field(value: Any) -> Number | str:
    """A whole number, a fraction as text, or the name of a request field."""
    try:
        return exact(fraction(value))
    except ValueError:
        return str(value)


def _phase(row: Row, rule: Any) -> Phase:
    work = rule["work"]
    return Phase(row.id, work, _number_or_field(rule.get("per-tick", 1)))


def _for(rule: Any) -> tuple[str, ...] | None:
    return tuple(rule["for"]) if "for" in rule else None


def _rounding(row: Row, rule: Any) -> Rounding:
    initial = rule.get("initial-work")
    return Rounding(
        id=row.id,
        mode=rule["round"],
        initial_work=exact(fraction(initial)) if initial is not None else None,
        point=rule.get("point", "next"),
        jobs=_for(rule),
    )


def _reversal(row: Row, rule: Any) -> Reversal:
    return Reversal(row.id, exact(fraction(rule["per-tick"])), rule.get("after", 0), _for(rule))


def _events(adoption: Adoption, collection: str) -> tuple[NamedEvent, ...]:
    return tuple(NamedEvent(row.id, rule, rule == TICK) for row, rule in _rules(adoption, collection))


def _standing_order(adoption: Adoption, row: Row) -> StandingOrder:
    eligible = field_rule(adoption, "standing-orders", row.id, "eligible-declared-in")
    address = row.fields["requests-job-declared-in"]
    job = named_job(adoption, address, row.id)
    return StandingOrder(row.id, row.fields["work-limit"], _eligibility(eligible), job or adoption.job["id"])


def _eligibility(value: Any) -> Eligibility:
    conditions: list[str] = []
    below: list[tuple[str, int]] = []
    usable: list[tuple[str, int]] = []
    no_open_run = False
    for each in value if isinstance(value, list | tuple) else (value,):
        if each == "no-open-run":
            no_open_run = True
        elif isinstance(each, str):
            conditions.append(each)
        elif "below" in each:
            below.append((each["below"]["item"], each["below"]["amount"]))
        else:
            usable.extend(_amounts(each["usable"]))
    return Eligibility(tuple(conditions), tuple(below), tuple(usable), no_open_run)


def _failure(adoption: Adoption, row: Row, rule: Any) -> Failure:
    loses = rule.get("loses", ())
    return Failure(
        id=row.id,
        from_state=row.fields["from-state"],
        ruined=failure_result(adoption, row) == "job-ruined",
        loses=() if loses == "all" else _amounts(loses),
        loses_all=loses == "all",
        loses_work=exact(fraction(rule.get("loses-work", 0))),
        loses_work_share=Fraction(fraction(rule.get("loses-work-share", 0))),
        releases=_amounts(rule.get("releases", ())),
        damaged_state=rule.get("damaged-state"),
    )


def _cancel_return(row: Row, rule: Any) -> CancelReturn:
    default = (fraction(rule["fraction"]), rule["round"]) if "fraction" in rule else None
    per_item = tuple((each["item"], fraction(each["fraction"]), each["round"]) for each in rule.get("per-item", ()))
    return CancelReturn(row.id, default, per_item, _amounts(rule.get("amounts", ())), _for(rule))


def _dependents(adoption: Adoption, row: Row) -> Dependents:
    links: Any = field_rule(adoption, "dependent-cancellations", row.id, "link-declared-in")
    return Dependents(
        row.id, row.fields["cancellation"], tuple(Link(each["job"], tuple(each["needs"])) for each in links or ())
    )


def _capacity(value: Any) -> int | None:
    return None if value == "unlimited" else int(value)


def _destinations(
    adoption: Adoption, fallbacks: tuple[tuple[str, int | None], ...], pools: tuple[Pool, ...]
) -> tuple[Destination, ...]:
    """Every destination by its full name: one for each place where the name holds `{place}`."""
    named: list[tuple[str, int | None]] = list(fallbacks)
    for _, value in job_rules(adoption).values():
        destination: Any = value.get("destination") if isinstance(value, Mapping) else None
        if destination is not None:
            named.append((destination["name"], _capacity(destination["capacity"])))
    places = tuple(dict.fromkeys(place for pool in pools for place in pool.places))
    found: dict[str, Destination] = {}
    for name, capacity in named:
        for full in [at_place(name, place) for place in places] if PLACE in name and places else [name]:
            found.setdefault(full, Destination(full, capacity))
    return tuple(found.values())
