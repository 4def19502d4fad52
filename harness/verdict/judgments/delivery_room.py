"""Room at destinations, told from the world, the events and the decisions on it; and what each decision owes.

An accepted output takes its size; a collection, or the end of a run that holds room or an uncollected output, gives
it back; reserved room counts as taken (lifecycle: steps 3 and 15).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from harness.models.lifecycle.config import PLACE, Config, JobRule, at_place
from harness.run.recording import LogRow, whole
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.failures_settles import is_ending
from harness.verdict.parts import Violated, violated

ATTEMPTS = "delivery-attempts"


class Room(NamedTuple):
    """Free room by destination and the runs that have reserved some, as (destination, size)."""

    free: Mapping[str, int]
    reserved: Mapping[str, tuple[str, int]]


class Target(NamedTuple):
    """What a run's deliveries aim at: its job and the route, the normal destination first."""

    job: JobRule
    route: tuple[str, ...]


def target_of(e: Evidence, w: WorldView, run: str) -> Target | None:
    """The run's job and route; None for a run that was not requested, or whose job has no destination."""
    requested = w.reports("job-requested", run=run)
    job = e.config.job_rule(str(requested[0]["job"])) if requested else None
    if job is None or job.destination is None:
        return None
    place = requested[0]["place"]
    names = (job.destination, *(e.config.fallbacks if e.config.output_full == "try-destinations" else ()))
    return Target(job, tuple(_named(each, place) for each in names))


def _named(name: str, place: str | None) -> str:
    return at_place(name, place) if PLACE in name else name


def capacity(config: Config, destination: str) -> int | None:
    """How much a destination can take; None where it can never be full, or is not known."""
    return next((each.capacity for each in config.destinations if each.name == destination), None)


class Rooms:
    """The room of one world before and after each of its decisions and ends, by the position of the row."""

    def __init__(self, e: Evidence, w: WorldView) -> None:
        self._free = {each.name: each.capacity for each in e.config.destinations if each.capacity is not None}
        self._free.update({each["destination"]: each["free"] for each in w.world.get("room", ())})
        self._reserved: dict[str, tuple[str, int]] = {}
        self._lying: dict[str, tuple[str, int]] = {}
        self.before: dict[int, Room] = {}
        self.after: dict[int, Room] = {}
        e.touch(ATTEMPTS, "report-log")
        for sent in w.sent:
            if sent.kind == "room" and sent.outcome == "accepted":
                self._free[sent.event["destination"]] = sent.event["free"]
            for row in sent.rows:
                if row.log in (ATTEMPTS, "report-log"):
                    self._take(row)

    def _take(self, row: LogRow) -> None:
        self.before[row.pos] = self._now()
        if row.log == ATTEMPTS:
            self._attempt(row)
        elif is_ending(row):
            self._end(row)
        self.after[row.pos] = self._now()

    def _now(self) -> Room:
        return Room(dict(self._free), dict(self._reserved))

    def _attempt(self, row: LogRow) -> None:
        run, where, size = str(row.run), row["destination"], row["size"]
        if row["outcome"] != "accepted" or row["attempt"] == "finish-gate":
            return
        held = self._reserved.get(run)
        if row["attempt"] == "reservation":
            self._reserved[run] = (where, size)
        else:
            self._lying[run] = (where, size)
        if where in self._free and (held is None or held[0] != where):
            self._free[where] -= whole(size)

    def _end(self, row: LogRow) -> None:
        """Room comes back, unless an automatic delivery leaves the output where it is."""
        run = str(row.run)
        where, size = self._lying.get(run) or self._reserved.get(run) or ("", 0)
        self._lying.pop(run, None)
        self._reserved.pop(run, None)
        stays = row["report"] == "job-delivered" and tuple(row["causes"]) == ("accepted",)
        if where in self._free and not stays:
            self._free[where] += size


def fits(row: LogRow, room: Room, job: JobRule) -> bool:
    """Whether the whole output has room where the decision looks for it."""
    where = row["destination"]
    own = room.reserved.get(str(row.run))
    return (own is not None and own[0] == where) or where not in room.free or job.size <= room.free[where]


def attempt_faults(e: Evidence, w: WorldView, rooms: Rooms, rows: tuple[LogRow, ...]) -> Iterator[Violated]:
    """Decisions that split the output, look elsewhere than the route says, or decide otherwise than the room."""
    for row in rows:
        target, room = target_of(e, w, str(row.run)), rooms.before[row.pos]
        if target is None:
            yield violated(row, f"run {row.run} has no destination, and room is asked for at {row['destination']}")
            continue
        yield from _attempt_faults(row, target, room)


def _attempt_faults(row: LogRow, target: Target, room: Room) -> Iterator[Violated]:
    run, where, position = row.run, row["destination"], row["position"]
    owed = "accepted" if fits(row, room, target.job) else "refused"
    if row["size"] != target.job.size:
        yield violated(row, f"{row['size']} of the output of run {run} is tried; its size is {target.job.size}")
    elif position not in range(len(target.route)) or target.route[position] != where:
        yield violated(row, f"run {run} tries {where} as place {position} of its route {list(target.route)}")
    elif row["attempt"] != "delivery" and position != 0:
        yield violated(row, f"the {row['attempt']} of run {run} looks past its normal destination")
    elif row["free"] != room.free.get(where):
        yield violated(row, f"{where} has {room.free.get(where)} free, and the row says {row['free']}")
    elif row["outcome"] != owed:
        because = f"{where} has {room.free.get(where, 'all')} free for an output of {target.job.size}"
        yield violated(row, f"{because}, and run {run} is {row['outcome']}")
