"""The events of the lifecycle: one enters at a time.

An event that names nothing that exists, or is not legal now, is refused with a reason and changes nothing. `run`
names are the caller's own. Field names here are those of the JSON form with `_` for `-`.
"""

from __future__ import annotations

from typing import NamedTuple

from harness.models.lifecycle.config import Fields, FieldValue


class OpenPool(NamedTuple):
    """The pool exists from now on."""

    row: str
    kind: str = "open-pool"


class Request(NamedTuple):
    """A new run of `job` (steps 1 to 8); `pause` ends it after the availability check."""

    run: str
    job: str
    place: str | None = None
    phase: str | None = None
    fields: Fields = ()
    pause: bool = False
    kind: str = "request"


class Admit(NamedTuple):
    """A paused request goes on."""

    run: str
    kind: str = "admit"


class Tick(NamedTuple):
    """One unit of time passes."""

    kind: str = "tick"


class Instruct(NamedTuple):
    """An instruction reaches a run (step 10)."""

    run: str
    instruction: str
    displaced_by: str | None = None
    kind: str = "instruct"


class Clear(NamedTuple):
    """A cause that someone set is taken away (step 12)."""

    run: str
    cause: str
    kind: str = "clear"


class Cancel(NamedTuple):
    """A declared cancellation is triggered (step 17)."""

    run: str
    row: str
    kind: str = "cancel"


class Fail(NamedTuple):
    """A declared failure is triggered (step 16)."""

    run: str
    row: str
    kind: str = "fail"


class Supply(NamedTuple):
    """Units arrive at a source."""

    item: str
    amount: int
    source: str
    kind: str = "supply"


class Use(NamedTuple):
    """Another rule takes usable units."""

    item: str
    amount: int
    source: str
    kind: str = "use"


class Room(NamedTuple):
    """The free room of a destination is set."""

    destination: str
    free: int
    kind: str = "room"


class Readmit(NamedTuple):
    """A readmission event: all blocked requests try again (step 3)."""

    row: str
    kind: str = "readmit"


class Redeliver(NamedTuple):
    """A redelivery event: all held outputs try again (step 15)."""

    row: str
    kind: str = "redeliver"


class Collect(NamedTuple):
    """A collection event takes the named accepted output, or the one accepted first."""

    row: str
    run: str | None = None
    kind: str = "collect"


class Eligible(NamedTuple):
    """The named world condition of a standing order is set."""

    row: str
    value: bool
    place: str | None = None
    kind: str = "eligible"


class SetFields(NamedTuple):
    """What an order sorts by changes."""

    run: str
    fields: Fields
    kind: str = "set-fields"


class WorkerStop(NamedTuple):
    """The worker of a slot goes; `slot` counts from 1."""

    pool: str
    slot: int
    place: str | None = None
    kind: str = "worker-stop"


class WorkerReady(NamedTuple):
    """The worker of a slot is back; `slot` counts from 1."""

    pool: str
    slot: int
    place: str | None = None
    kind: str = "worker-ready"


Event = (
    OpenPool
    | Request
    | Admit
    | Tick
    | Instruct
    | Clear
    | Cancel
    | Fail
    | Supply
    | Use
    | Room
    | Readmit
    | Redeliver
    | Collect
    | Eligible
    | SetFields
    | WorkerStop
    | WorkerReady
)

KINDS: dict[str, type[Event]] = {
    each._field_defaults["kind"]: each
    for each in (
        OpenPool,
        Request,
        Admit,
        Tick,
        Instruct,
        Clear,
        Cancel,
        Fail,
        Supply,
        Use,
        Room,
        Readmit,
        Redeliver,
        Collect,
        Eligible,
        SetFields,
        WorkerStop,
        WorkerReady,
    )
}


def sorted_fields(fields: dict[str, FieldValue]) -> Fields:
    """Request fields as a value that compares and hashes: pairs by name."""
    return tuple(sorted(fields.items()))


def event_to_json(event: Event) -> dict[str, object]:
    """The event as data: `kind` first, names with `-`, absent options left out."""
    data: dict[str, object] = {"kind": event.kind}
    for name, value in zip(event._fields, event, strict=True):
        if name == "kind" or value is None or (name == "pause" and value is False):
            continue
        if isinstance(value, tuple):
            if value or event.kind == "set-fields":
                data[name] = dict(value)
        else:
            data[name.replace("_", "-")] = value
    return data


def event_from_json(data: dict[str, object]) -> Event:
    """The typed event of well-formed data (see the events schema); KeyError or TypeError where it is not."""
    values = {name.replace("-", "_"): value for name, value in data.items() if name != "kind"}
    fields = values.get("fields")
    if isinstance(fields, dict):
        values["fields"] = sorted_fields(fields)
    return KINDS[str(data["kind"])](**values)  # type: ignore[arg-type]  # the schema has fixed the types
