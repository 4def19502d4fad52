"""Which events the contract allows where they stood: one that was refused all the same is a violation.

Each question is answered from the adoption and from what the logs had made true when the event entered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from harness.models.lifecycle.config import at_place
from harness.run.recording import REFUSED, SKIPPED, LogRow
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.judgments.admission_asked import duration, phase_of, request_fields
from harness.verdict.judgments.declared_events import is_declared_event
from harness.verdict.parts import Absence, Nothing, Violated, absent, nothing, violated

#: Something wrong: the row (or the missing thing) that shows it, and why.
Breach: TypeAlias = tuple[LogRow | Absence, str]


def breaches(found: Iterable[Breach]) -> Iterator[Violated]:
    """A violated part for each."""
    for exhibit, because in found:
        yield violated(exhibit, because)


def event_trouble(e: Evidence, *kinds: str) -> Iterator[Violated | Nothing]:
    """Parts for events of these kinds that the system refused although they are lawful, or skipped."""
    for w in e.worlds:
        for sent in w.sent:
            if sent.kind not in kinds:
                continue
            if sent.outcome == SKIPPED:
                yield nothing(f"the system skipped {sent.kind}: {sent.reason}")
            elif sent.outcome == REFUSED and is_lawful(e, w, sent):
                yield violated(refusal_row(w, sent), f"{event_text(sent)} was refused: {sent.reason}")


def refusal_row(w: WorldView, sent: SentView) -> LogRow | Absence:
    """The event-log row of an event; that log is told from the events and is always there."""
    rows = sent.rows_of("event-log")
    return rows[0] if rows else absent("event-log", f"the acceptance of {event_text(sent)}")


def event_text(sent: SentView) -> str:
    """An event as people read it: its kind, then its values in order."""
    values = (str(value) for name, value in sent.event.items() if name not in ("kind", "fields"))
    return " ".join((f"`{sent.kind}", *values)) + "`"


def is_lawful(e: Evidence, w: WorldView, sent: SentView) -> bool:
    """Whether the contract allows this event where it stood; False also where that is not known here."""
    asks = _LAWFUL.get(sent.kind)
    return asks is not None and asks(e, w, sent)


def _request(e: Evidence, w: WorldView, sent: SentView) -> bool:
    event = sent.event
    job = e.config.job_rule(str(event.get("job")))
    if job is None or event.get("run") in sent.before.runs:
        return False
    phase = phase_of(e, job, event.get("phase"))
    if phase is None and (event.get("phase") or job.phase):
        return False
    fields = request_fields(sent)
    required, per_tick = duration(phase, fields)
    if phase is not None and (required < 1 or per_tick <= 0):
        return False
    pool, place = e.config.covering_pool(job.id, tuple(fields.items())), event.get("place")
    if pool is None:
        return place is None
    if pool.id not in sent.before.open_pools:
        return False
    if not pool.places:
        return place is None
    return place in pool.places or (place is None and pool.assignment != "requested")


def _admit(e: Evidence, w: WorldView, sent: SentView) -> bool:
    run = sent.event.get("run")
    earlier = [each for each in w.sent[: sent.place] if each.outcome == "accepted"]
    paused = any(
        each.kind == "request" and each.event.get("run") == run and each.event.get("pause") for each in earlier
    )
    admitted = any(each.kind == "admit" and each.event.get("run") == run for each in earlier)
    known = run in sent.before.runs and sent.before.state(str(run)) == "requested" and not sent.before.ended(str(run))
    return paused and not admitted and known


def _known_units(e: Evidence, sent: SentView) -> bool:
    """Whether some job takes this item from this source."""
    places = (None, *(place for pool in e.config.pools for place in pool.places))
    wanted = (sent.event.get("item"), sent.event.get("source"))
    needs = (need for job in e.config.jobs for need in job.needs)
    counted = (each for row in e.config.standing_orders for each in (*row.eligible.below, *row.eligible.usable))
    if any(wanted[0] == item for item, _ in counted):
        return True
    return any(wanted == (need.item, at_place(need.source, place)) for need in needs for place in places)


def _supply(e: Evidence, w: WorldView, sent: SentView) -> bool:
    return _known_units(e, sent)


def _use(e: Evidence, w: WorldView, sent: SentView) -> bool:
    item, source, amount = sent.event["item"], sent.event["source"], sent.event["amount"]
    return _known_units(e, sent) and bool(sent.before.usable(item, source) >= amount)


def _readmit(e: Evidence, w: WorldView, sent: SentView) -> bool:
    return is_declared_event(sent) and e.config.output_full == "wait-before-start"


def _cancel(e: Evidence, w: WorldView, sent: SentView) -> bool:
    run = str(sent.event.get("run"))
    if not is_declared_event(sent) or sent.before.ended(run):
        return False
    return sent.before.state(run) in ("requested", "waiting", "working", "stopped")


def _instruct(e: Evidence, w: WorldView, sent: SentView) -> bool:
    run, before = str(sent.event.get("run")), sent.before
    declared = any(sent.event.get("instruction") in row.instructions for row in e.config.interruptions)
    if sent.event.get("displaced-by") is not None or run not in before.runs:
        return False
    return not declared or before.state(run) in ("working", "stopped")


def _open_pool(e: Evidence, w: WorldView, sent: SentView) -> bool:
    return e.config.pool(str(sent.event.get("row"))) is not None and sent.event["row"] not in sent.before.open_pools


def _tick(e: Evidence, w: WorldView, sent: SentView) -> bool:
    return True


def _fail(e: Evidence, w: WorldView, sent: SentView) -> bool:
    row = next((each for each in e.config.failures if each.id == sent.event.get("row")), None)
    run, before = str(sent.event.get("run")), sent.before
    if row is None or before.ended(run) or before.state(run) != row.from_state:
        return False
    if row.ruined:
        return True
    held, lost = before.held_items(run), dict(row.loses)
    if row.loses_all:
        return False
    if row.from_state == "finished" or any(amount > held.get(item, 0) for item, amount in lost.items()):
        return False
    return not sum(lost.values()) or sum(lost.values()) < sum(held.values())


_LAWFUL: dict[str, Callable[[Evidence, WorldView, SentView], bool]] = {
    "open-pool": _open_pool,
    "request": _request,
    "admit": _admit,
    "supply": _supply,
    "use": _use,
    "readmit": _readmit,
    "tick": _tick,
    "cancel": _cancel,
    "instruct": _instruct,
    "fail": _fail,
}
