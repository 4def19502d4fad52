"""What each output-full answer makes of a run's decisions on room, and nothing else (lifecycle: steps 3, 13, 15)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import NamedTuple

from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.judgments.declared_events import is_declared_event
from harness.verdict.judgments.delivery_room import ATTEMPTS, Rooms, Target, attempt_faults, target_of
from harness.verdict.judgments.failures_settles import observed, settled
from harness.verdict.judgments.stops_records import causes_now
from harness.verdict.parts import Part, absent, holds, violated

#: The kinds of decision that an answer knows.
KINDS = {
    "never-full": ("delivery",),
    "wait-before-start": ("reservation", "delivery"),
    "wait-until-space": ("finish-gate", "delivery"),
    "hold-undelivered": ("delivery",),
    "try-destinations": ("delivery",),
}
REFUSAL = "destination-refused"


class Route(NamedTuple):
    """One run's decisions: the world, the run, where it delivers, and its rows of delivery-attempts in order."""

    w: WorldView
    rooms: Rooms
    run: str
    target: Target
    rows: tuple[LogRow, ...]

    def kind(self, name: str) -> tuple[LogRow, ...]:
        """The decisions of one kind."""
        return tuple(row for row in self.rows if row["attempt"] == name)


def routes(e: Evidence) -> Iterator[Route]:
    """Every run with a destination, over all worlds."""
    for w in e.worlds:
        rooms = Rooms(e, w)
        for run in w.runs:
            target = target_of(e, w, run)
            if target is not None:
                yield Route(w, rooms, run, target, w.rows(ATTEMPTS, run=run))


def answer_parts(e: Evidence, route: Route) -> Iterator[Part]:
    """The run's decisions are those of the selected answer, each with its consequence."""
    answer = e.config.output_full
    faults: list[Part] = list(attempt_faults(e, route.w, route.rooms, route.rows))
    for row in route.rows:
        if row["attempt"] not in KINDS[answer]:
            because = f"{answer} knows no {row['attempt']}, and run {route.run} makes one"
            faults.append(violated(row, because))
    faults += [*_finish_is_tried(e, route), *_thrown_away(e, route)]
    yield from faults
    if not faults:
        yield from _PARTS[answer](e, route)


def _finish_is_tried(e: Evidence, route: Route) -> Iterator[Part]:
    """A finish is followed by an attempt in the same batch."""
    for report in route.w.reports("job-finished", run=route.run):
        tried = [row for row in route.kind("delivery") if row.batch == report.batch and row.pos > report.pos]
        if not tried:
            missing = absent(ATTEMPTS, f"a delivery of the output of run {route.run}", len(route.rows), report)
            yield violated(missing, f"run {route.run} finishes and its output goes nowhere", report)


def _thrown_away(e: Evidence, route: Route) -> Iterator[Part]:
    """An output that goes away although no failure ruined its run: no answer lets a lack of room destroy it."""
    if observed(e, "output-location"):
        for row in route.w.rows("output-location", run=route.run, change="destroyed"):
            if not reports_in(e, row, "job-failed"):
                yield violated(row, f"the output of run {route.run} is destroyed, and nothing ruined its run")


def reports_in(e: Evidence, row: LogRow, *names: str) -> tuple[LogRow, ...]:
    """The reports of the row's run, of these names, in its settle."""
    return tuple(each for each in settled(e, row, "report-log") if each["report"] in names)


def accepted_parts(e: Evidence, route: Route, row: LogRow) -> Iterator[Part]:
    """An accepted delivery: the whole output is there, at once or once it is collected, and is tried no further."""
    delivered = reports_in(e, row, "job-delivered")
    later = [each for each in route.kind("delivery") if each.pos > row.pos]
    if later:
        yield violated(later[0], f"run {route.run} is tried again after {row['destination']} took its output", row)
    elif delivered and e.config.on_collection:
        yield violated(delivered[0], f"run {route.run} is delivered before its output is collected", row)
    elif not delivered and not e.config.on_collection:
        missing = absent("report-log", f"job-delivered of run {route.run}", near=row)
        yield violated(
            missing, f"{row['destination']} takes the output of run {route.run}, which is not delivered", row
        )
    elif delivered and delivered[0]["destination"] != row["destination"]:
        because = f"{row['destination']} takes the output of run {route.run}"
        yield violated(delivered[0], f"{because}, and the report names {delivered[0]['destination']}", row)
    else:
        yield holds(row, *delivered)


def refusal_parts(e: Evidence, route: Route, row: LogRow) -> Iterator[Part]:
    """A refused delivery: reported once, with the run finished before and after it."""
    reports = reports_in(e, row, REFUSAL)
    if not reports:
        missing = absent("report-log", f"{REFUSAL} of run {route.run} at {row['destination']}", near=row)
        yield violated(missing, f"{row['destination']} refuses the output of run {route.run} without a report", row)
    elif len(reports) > 1:
        yield violated(reports[1], f"one refusal of run {route.run} is reported twice", reports[0])
    elif (reports[0]["old"], reports[0]["new"]) != ("finished", "finished"):
        said = f"{reports[0]['old']} to {reports[0]['new']}"
        yield violated(reports[0], f"the refusal of run {route.run} reports {said}", row)
    elif reports[0]["destination"] != row["destination"]:
        because = f"{row['destination']} refuses the output of run {route.run}"
        yield violated(reports[0], f"{because}, and the report names {reports[0]['destination']}", row)
    else:
        yield holds(row, reports[0])


# -- the five answers --------------------------------------------------------------------------------------------------


def _never_full(e: Evidence, route: Route) -> Iterator[Part]:
    for row in route.rows:
        if row["outcome"] != "accepted":
            yield violated(row, f"{row['destination']} refuses the output of run {route.run}, and is said never to")
        else:
            yield from accepted_parts(e, route, row)


def _wait_before_start(e: Evidence, route: Route) -> Iterator[Part]:
    for row in route.kind("reservation"):
        sent = e.sent_of(row)
        moved = sent.rows_of("report-log", run=route.run, report=("job-waiting", "job-started"))
        if row["outcome"] == "accepted":
            yield holds(row)
        elif moved:
            yield violated(moved[0], f"run {route.run} is admitted without room for its output", row)
        elif sent.after.state(route.run) != "requested":
            missing = absent("state-trace", f"run {route.run} requested", near=row)
            yield violated(missing, f"run {route.run} has no room and is {sent.after.state(route.run)}", row)
        else:
            yield holds(row)
    for row in route.kind("delivery"):
        if row["outcome"] == "refused":
            yield violated(row, f"run {route.run} reserved its room, and it is refused")
        else:
            yield from accepted_parts(e, route, row)


def _wait_until_space(e: Evidence, route: Route) -> Iterator[Part]:
    for row in route.kind("finish-gate"):
        stops = [each for each in reports_in(e, row, "job-stopped") if "output-full" in each["causes"]]
        if row["outcome"] == "accepted" and stops:
            yield violated(stops[0], f"run {route.run} stops for room that there is", row)
        elif row["outcome"] == "refused" and not stops and not _lacks_room_already(e, route, row):
            missing = absent("report-log", f"job-stopped of run {route.run} for output-full", near=row)
            yield violated(missing, f"run {route.run} has no room at its finish gate and does not stop", row)
        elif stops and stops[0]["work-before"] != stops[0]["work-after"]:
            yield violated(stops[0], f"run {route.run} loses work when it stops at its finish gate", row)
        else:
            yield holds(row, *stops)
    yield from _untested_stops(e, route)
    for row in route.kind("delivery"):
        gates = [each for each in route.kind("finish-gate") if each.pos < row.pos]
        if not gates or gates[-1]["outcome"] == "refused":
            yield violated(row, f"run {route.run} delivers without having found room at its finish gate", *gates[-1:])
        elif row["outcome"] == "refused":
            yield violated(row, f"run {route.run} passed its finish gate, and its output is refused", gates[-1])
        else:
            yield from accepted_parts(e, route, row)


def _lacks_room_already(e: Evidence, route: Route, row: LogRow) -> bool:
    """Whether the run is stopped for want of room when its gate is tested again: the cause does not join twice."""
    return "output-full" in causes_now(e, route.w.snapshot(row, before=True), route.run)


def _untested_stops(e: Evidence, route: Route) -> Iterator[Part]:
    for report in route.w.reports("job-stopped", run=route.run, old=("working", "started")):
        if "output-full" in report["causes"] and not settled(e, report, ATTEMPTS):
            missing = absent(ATTEMPTS, f"the finish-gate test of run {route.run}", len(route.rows), report)
            yield violated(missing, f"run {route.run} stops for output-full, and room was not tested", report)


def _hold_undelivered(e: Evidence, route: Route) -> Iterator[Part]:
    for row in route.rows:
        if row["outcome"] == "refused":
            yield from refusal_parts(e, route, row)
        else:
            yield from accepted_parts(e, route, row)
    yield from retry_parts(e, route)


def _try_destinations(e: Evidence, route: Route) -> Iterator[Part]:
    for tries in rounds(route):
        yield from round_parts(e, route, tries)
    yield from retry_parts(e, route)


def rounds(route: Route) -> list[list[LogRow]]:
    """The delivery attempts by the batch that made them: each is one walk along the route."""
    found: dict[int | None, list[LogRow]] = {}
    for row in route.kind("delivery"):
        found.setdefault(row.batch, []).append(row)
    return list(found.values())


def round_parts(e: Evidence, route: Route, tries: list[LogRow]) -> Iterator[Part]:
    """One walk: from the normal destination, each refusal followed by the next in order, up to the first that takes."""
    for position, row in enumerate(tries):
        if row["position"] != position:
            because = f"run {route.run} tries place {row['position']} of its route where place {position} is next"
            yield violated(row, because, *tries[:position][-1:])
            return
        if row["outcome"] == "accepted":
            yield from accepted_parts(e, route, row)
            return
        yield from refusal_parts(e, route, row)
    if len(tries) < len(route.target.route):
        where = route.target.route[len(tries)]
        missing = absent(ATTEMPTS, f"an attempt of run {route.run} at {where}", len(tries), tries[-1])
        yield violated(missing, f"run {route.run} is refused and {where}, next on its route, is not tried", tries[-1])


def retry_parts(e: Evidence, route: Route) -> Iterator[Part]:
    """After a refused walk only a redelivery event tries again."""
    walks = rounds(route)
    for earlier, walk in itertools.pairwise(walks):
        sent = e.sent_of(walk[0])
        if not is_redelivery(sent):
            because = f"run {route.run} is tried again by {sent.kind}, which is no redelivery event"
            yield violated(walk[0], because, earlier[-1])
        else:
            yield holds(walk[0], earlier[-1])


def is_redelivery(sent: SentView) -> bool:
    """Whether the event may retry a held output: a declared redelivery, or a tick where a row polls."""
    if sent.kind == "redeliver":
        return is_declared_event(sent)
    return sent.kind == "tick" and any(row.polled for row in sent.world.evidence.config.redeliveries)


_PARTS: dict[str, Callable[[Evidence, Route], Iterator[Part]]] = {
    "never-full": _never_full,
    "wait-before-start": _wait_before_start,
    "wait-until-space": _wait_until_space,
    "hold-undelivered": _hold_undelivered,
    "try-destinations": _try_destinations,
}
