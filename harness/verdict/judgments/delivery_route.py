"""Judgments on the ordered route: the normal destination, then the fallbacks in written order."""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.lifecycle.config import Config, JobRule
from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence
from harness.verdict.judgments.delivery_answers import (
    Route,
    accepted_parts,
    is_redelivery,
    refusal_parts,
    round_parts,
    rounds,
    routes,
)
from harness.verdict.judgments.delivery_held import holdings, retries
from harness.verdict.judgments.delivery_room import ATTEMPTS, attempt_faults, capacity
from harness.verdict.judgments.failures_settles import observed
from harness.verdict.judgments.outputs_declared import pairing, recorded
from harness.verdict.judgments.outputs_logs import own_log_faults
from harness.verdict.parts import Exhibit, Holds, Part, absent, declared, holds, nothing, violated

PAIRS = "fallback-destination-pairs-with-ordered-route"
KEEPS = "fallback-destination-keeps-written-order"
ROUTE = "ordered-route-keeps-one-output"


@clause(PAIRS, 0)
def a_fallback_is_legal_only_on_an_ordered_route(e: Evidence) -> Iterator[Part]:
    part = pairing(e, "output-full", "try-destinations")
    faults = list(own_log_faults(e))
    yield from faults
    if isinstance(part, Holds) and not faults:
        yield holds(*part.evidence, *recorded(e, "output-destinations"))
    else:
        yield part


# -- fallback-destination-keeps-written-order --------------------------------------------------------------------------


def _reaching(e: Evidence) -> Iterator[tuple[Route, list[LogRow]]]:
    """The walks that end with the scenario's fallback taking the output, with the run's route."""
    row = e.row
    for route in routes(e) if row is not None and not e.config.in_place else ():
        for walk in rounds(route):
            if row is not None and _reaches(e, walk, row.index + 1):
                yield route, walk


def _reaches(e: Evidence, walk: list[LogRow], position: int) -> bool:
    """Whether every place before this one refuses by its room, and this one has the room to take it."""
    owed = [row for row in walk if row["position"] <= position]
    before = [row for row in owed if row["position"] < position]
    return all(row["outcome"] == "refused" for row in before) and any(
        row["position"] == position and row["outcome"] == "accepted" for row in owed
    )


@clause(KEEPS, 0)
def every_refusal_before_the_fallback_is_reported(e: Evidence) -> Iterator[Part]:
    if e.config.in_place:
        yield nothing("an in-place job has no route")
        return
    for route, walk in _reaching(e):
        for row in walk:
            if row["outcome"] == "refused":
                yield from refusal_parts(e, route, row)
    yield from _all_attempts(e)
    yield from own_log_faults(e)


@clause(KEEPS, 1)
def the_fallback_takes_the_whole_output(e: Evidence) -> Iterator[Part]:
    if e.config.in_place:
        yield nothing("an in-place job has no route")
        return
    for route, walk in _reaching(e):
        yield from round_parts(e, route, walk)
        yield from _arrives(route, next(row for row in walk if row["outcome"] == "accepted"))
    yield from _all_attempts(e)


def _all_attempts(e: Evidence) -> Iterator[Part]:
    """Every decision of the runs is whole, in its written place, and as the room says; every walk goes in order."""
    for route in routes(e):
        yield from attempt_faults(e, route.w, route.rooms, route.rows)
        for walk in rounds(route):
            yield from (part for part in round_parts(e, route, walk) if not isinstance(part, Holds))


def _arrives(route: Route, taken: LogRow) -> Iterator[Part]:
    rows = [row for row in route.w.rows("output-location", run=route.run) if row.batch == taken.batch]
    there = [row for row in rows if row["change"] in ("accepted", "delivered")]
    if not there:
        missing = absent("output-location", f"the output of run {route.run} at {taken['destination']}", near=taken)
        yield violated(missing, f"{taken['destination']} took the output of run {route.run}, which is nowhere", taken)
    elif len(there) > 1:
        yield violated(there[1], f"the output of run {route.run} is split or placed twice", there[0])
    elif there[0]["location"] != taken["destination"] or not there[0]["accessible"]:
        because = f"{taken['destination']} took the output of run {route.run}"
        yield violated(there[0], f"{because}, and it is at {there[0]['location']}", taken)
    else:
        yield holds(taken, there[0])


# -- ordered-route-keeps-one-output ------------------------------------------------------------------------------------


def _refused_first(e: Evidence) -> Iterator[tuple[Route, list[LogRow]]]:
    """Every walk on which the normal destination refuses."""
    for route in routes(e):
        for walk in rounds(route):
            if walk[0]["outcome"] == "refused":
                yield route, walk


@clause(ROUTE, 0)
def the_first_destination_with_room_takes_the_output(e: Evidence) -> Iterator[Part]:
    if e.config.in_place:
        yield nothing("an in-place job has no route")
        return
    for route, walk in _refused_first(e):
        for row in walk:
            if row["outcome"] == "refused":
                yield from refusal_parts(e, route, row)
            else:
                yield from accepted_parts(e, route, row)
    yield from _all_attempts(e)
    yield from own_log_faults(e)


@clause(ROUTE, 1)
def nothing_is_tried_after_acceptance(e: Evidence) -> Iterator[Part]:
    if e.config.in_place:
        yield nothing("an in-place job has no route")
        return
    for route, walk in _refused_first(e):
        taken = [row for row in walk if row["outcome"] == "accepted"]
        if taken:
            yield from round_parts(e, route, walk)
            yield from _one_output(route)
    yield from _all_attempts(e)


def _one_output(route: Route) -> Iterator[Part]:
    rows = route.w.rows("output-identity", run=route.run)
    made = [row for row in rows if row["change"] == "established"]
    if len(made) != 1:
        missing = absent("output-identity", f"the output of run {route.run}", len(rows))
        yield violated(made[1] if made else missing, f"run {route.run} has {len(made)} outputs on its route")
        return
    for row in rows:
        if (row["output"], row["size"], row["item"]) != (made[0]["output"], made[0]["size"], made[0]["item"]):
            yield violated(row, f"run {route.run} made {made[0]['output']}, and {row['output']} is split off", made[0])
            return
    given = [row for row in rows if row["change"] == "delivered"]
    delivered = route.w.reports("job-delivered", run=route.run)
    if len(given) != len(delivered):
        missing = absent("output-identity", f"the delivery of the output of run {route.run}", len(rows))
        first = given[-1] if given else missing
        yield violated(first, f"run {route.run} is delivered {len(delivered)} times, its output {len(given)} times")
    else:
        yield holds(made[0], *given)


@clause(ROUTE, 2)
def an_output_that_all_refuse_waits_for_its_event(e: Evidence) -> Iterator[Part]:
    if e.config.in_place:
        yield nothing("an in-place job has no route")
        return
    for hold in holdings(e):
        yield from _one_output(hold.route)
        yield from retries(e, hold, None)
        yield from _waits(e, hold.route, hold.refused, hold.finished.batch)


def _waits(e: Evidence, route: Route, refused: LogRow, batch: int | None) -> Iterator[Part]:
    """Nothing but a redelivery tries again, and nothing does where none is declared."""
    polled = any(row.polled for row in e.config.redeliveries)
    for walk in rounds(route):
        sent = e.sent_of(walk[0])
        if walk[0].batch == batch or is_redelivery(sent):
            continue
        because = f"the output of run {route.run} is tried by {sent.kind}, which is no redelivery event"
        yield violated(walk[0], because, refused)
    if polled:
        yield nothing("the system polls: a redelivery row fires in every tick")
    yield holds(refused)


@clause(ROUTE, 3)
def a_route_that_can_refuse_declares_an_event(e: Evidence) -> Iterator[Part]:
    if e.config.in_place:
        yield nothing("an in-place job has no route")
        return
    blocking = [job for job in e.config.jobs if _all_can_refuse(e.config, job)]
    rows = e.adoption.rows("redelivery-events")
    refused = [] if rows else list(_refused_everywhere(e))
    for last in refused:
        because = f"every destination of run {last.run} refuses its output, and no redelivery event is declared"
        yield violated(last, because, *_unlimited(e))
    if refused:
        return
    if not blocking:
        always = _unlimited(e)
        yield holds(*always) if always else nothing("no job has a destination")
    elif rows:
        yield holds(declared(f"/collections/redelivery-events/{rows[0].index}"), declared("/answers/output-full"))
    else:
        because = f"every destination of {blocking[0].id} can refuse, and no redelivery event is declared"
        yield violated(declared("/answers/output-full"), because)


def _refused_everywhere(e: Evidence) -> Iterator[LogRow]:
    """The last refusal of each walk on which no destination takes the output, whatever is declared of its room."""
    if not observed(e, ATTEMPTS):
        return
    for route in routes(e):
        for walk in rounds(route):
            if len(walk) >= len(route.target.route) and all(row["outcome"] == "refused" for row in walk):
                yield walk[-1]


def _names(config: Config, name: str) -> list[str]:
    places = [place for pool in config.pools for place in pool.places]
    return [name.replace("{place}", place) for place in places] if "{place}" in name and places else [name]


def _can_refuse(config: Config, name: str) -> bool:
    return all(capacity(config, each) is not None for each in _names(config, name))


def _all_can_refuse(config: Config, job: JobRule) -> bool:
    route = (*([job.destination] if job.destination is not None else []), *config.fallbacks)
    return job.destination is not None and all(_can_refuse(config, each) for each in route)


def _unlimited(e: Evidence) -> list[Exhibit]:
    """Where the adoption declares the destinations that never refuse."""
    found: list[Exhibit] = []
    for row, name in zip(e.adoption.rows("output-destinations"), e.config.fallbacks, strict=False):
        if not _can_refuse(e.config, name):
            found.append(declared(f"/collections/output-destinations/{row.index}"))
    if not found and any(job.destination is not None for job in e.config.jobs):
        found.append(declared("/job/job-declared-in"))
    return found
