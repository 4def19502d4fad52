"""Judgments on declared delivery cases, and on the promise of a normal destination that never blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from harness.contract.rules import field_rule
from harness.run.recording import LogRow
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.delivery_answers import Route, answer_parts, routes
from harness.verdict.judgments.delivery_room import ATTEMPTS, Room
from harness.verdict.judgments.failures_settles import observed
from harness.verdict.judgments.outputs_declared import answered
from harness.verdict.judgments.outputs_logs import own_log_faults
from harness.verdict.parts import Part, absent, holds, nothing, violated

CASE = "delivery-case-invokes-selected-answer"
NEVER = "normal-destination-never-blocks"


# -- delivery cases ----------------------------------------------------------------------------------------------------


@clause(CASE, 0)
def the_case_gets_the_selected_answer(e: Evidence) -> Iterator[Part]:
    if e.row is None:
        return
    condition = field_rule(e.adoption, "delivery-cases", e.row.id, "condition-declared-in")
    if condition is None:
        yield nothing(f"no rule says when {e.row.id} holds")
        return
    if e.config.in_place:
        yield from _changed_sites(e)
        return
    for route in routes(e):
        if any(_in_case(condition, route, row) for row in route.rows) or _owes_a_decision(condition, route):
            yield from answer_parts(e, route)
    yield from own_log_faults(e)


def _owes_a_decision(condition: object, route: Route) -> bool:
    """A case that always holds also covers a run that finished or was refused without any decision on record."""
    if condition != "always" or route.rows:
        return False
    return bool(route.w.reports(("job-finished", "destination-refused"), run=route.run))


def _in_case(condition: object, route: Route, row: LogRow) -> bool:
    """Whether the condition holds for the run's whole output when the decision is made."""
    if not isinstance(condition, Mapping):
        return condition == "always"
    room: Room = route.rooms.before[row.pos]
    if str(row.run) in room.reserved:
        return False
    requested = route.w.reports("job-requested", run=route.run)[0]
    where = str(condition["destination"]).replace("{place}", requested["place"] or "{place}")
    is_short = where in room.free and route.target.job.size > room.free[where]
    return bool(is_short == (condition["room"] == "short"))


def _changed_sites(e: Evidence) -> Iterator[Part]:
    """An in-place change is its own delivery: it is delivered with its finish and asks for no room."""
    for w in e.worlds:
        for report in w.reports("job-finished"):
            yield _changed_site(e, w, report)


def _changed_site(e: Evidence, w: WorldView, report: LogRow) -> Part:
    run = str(report.run)
    tried = w.rows(ATTEMPTS, run=run)
    delivered = [row for row in w.reports("job-delivered", run=run) if row.batch == report.batch]
    if tried:
        return violated(tried[0], f"run {run} changes its site, and room is asked for", report)
    if not delivered:
        missing = absent("report-log", f"job-delivered of run {run}", near=report)
        return violated(missing, f"run {run} changed its site and is not delivered with it", report)
    return holds(absent(ATTEMPTS, f"a decision on room for run {run}", near=report), delivered[0])


# -- normal-destination-never-blocks -----------------------------------------------------------------------------------


@clause(NEVER, 0)
def the_normal_destination_takes_every_output(e: Evidence) -> Iterator[Part]:
    if answered(e, "output-full") != "never-full":
        yield nothing("output-full is not never-full")
        return
    if e.config.in_place:
        yield from _changed_sites(e)
        yield from _blocked(e)
        return
    yield from _blocked(e)
    for route in routes(e):
        yield from answer_parts(e, route)
    yield from own_log_faults(e)


def _blocked(e: Evidence) -> Iterator[Part]:
    """A stop or a refusal for want of room, or an output that is held."""
    for report in e.reports("job-stopped"):
        if "output-full" in report["causes"]:
            yield violated(report, f"run {report.run} stops for output-full under never-full")
    for report in e.reports("destination-refused"):
        yield violated(report, f"run {report.run} is refused under never-full")
    if observed(e, "output-location"):
        for row in e.rows("output-location", change="held"):
            yield violated(row, f"the output of run {row.run} is held under never-full")
