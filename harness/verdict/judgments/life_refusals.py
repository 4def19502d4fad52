"""Events that the contract allows and the system refused.

Only what is surely legal by the adoption, the events before and the reports counts: where that cannot be told, the
refusal is left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from harness.models.lifecycle.config import Config, at_place, covers
from harness.verdict.evidence import SentView, WorldView
from harness.verdict.judgments.declared_events import is_declared_event
from harness.verdict.judgments.pools_common import Wrong, observes, places
from harness.verdict.judgments.pools_line import is_declared
from harness.verdict.parts import absent

_CANCELABLE = frozenset({"requested", "waiting", "working", "stopped"})


def refusal_wrongs(w: WorldView) -> Iterator[Wrong]:
    """Each refused event that was legal when it entered."""
    for sent in w.events(outcome="refused"):
        legal = _LEGAL.get(sent.kind)
        if legal is not None and legal(sent):
            near = next((each.rows[-1] for each in reversed(w.sent[: sent.place]) if each.rows), None)
            named = " ".join(str(value) for value in sent.event.values())
            what = absent("report-log", f"what follows from the event: {named}", near=near)
            yield what, f"the event was refused though it is legal: {named} ({sent.reason})"


def _config(sent: SentView) -> Config:
    return sent.world.evidence.config


def _always(sent: SentView) -> bool:
    return True


def _open_pool(sent: SentView) -> bool:
    row = str(sent.event.get("row"))
    return _config(sent).pool(row) is not None and row not in sent.before.open_pools


def _request(sent: SentView) -> bool:
    config, event = _config(sent), sent.event
    job, fields = event.get("job"), tuple(dict(event.get("fields") or {}).items())
    plain = all(isinstance(phase.work, int) and not isinstance(phase.per_tick, str) for phase in config.phases)
    if config.job_rule(str(job)) is None or not plain or event.get("run") in sent.before.runs:
        return False
    if event.get("phase") not in (None, *(phase.id for phase in config.phases)):
        return False
    pool = next((each for each in config.pools if covers(each.covers, str(job), fields)), None)
    if pool is None:
        return event.get("place") is None
    if pool.id not in sent.before.open_pools:
        return False
    asked = event.get("place")
    return asked in places(pool) if pool.assignment in (None, "requested") else asked in (None, *pool.places)


def _admit(sent: SentView) -> bool:
    run, earlier = sent.event.get("run"), sent.world.sent[: sent.place]
    taken = [each for each in earlier if each.outcome == "accepted" and each.event.get("run") == run]
    paused = any(each.kind == "request" and each.event.get("pause") for each in taken)
    admitted = any(each.kind == "admit" for each in taken)
    return paused and not admitted and _state(sent) == "requested" and not sent.before.ended(str(run))


def _state(sent: SentView) -> str | None:
    return sent.before.state(str(sent.event.get("run")))


def _instruct(sent: SentView) -> bool:
    if sent.event.get("run") not in sent.before.runs:
        return False
    if not is_declared(_config(sent), str(sent.event.get("instruction"))):
        return True
    return _state(sent) in ("working", "stopped") and is_declared_event(sent)


def _clear(sent: SentView) -> bool:
    run, cause = str(sent.event.get("run")), sent.event.get("cause")
    own = {"failure-recovery", *(row.id for row in _config(sent).interruptions)}
    if cause not in own or _state(sent) != "stopped" or not observes(sent.world.evidence, "stop-causes"):
        return False
    return cause in sent.before.causes(run)


def _cancel(sent: SentView) -> bool:
    run = str(sent.event.get("run"))
    return is_declared_event(sent) and _state(sent) in _CANCELABLE and not sent.before.ended(run)


def _supply(sent: SentView) -> bool:
    config = _config(sent)
    where = [None, *(place for pool in config.pools for place in pool.places)]
    needs = [need for job in config.jobs for need in job.needs]
    known = {(need.item, at_place(need.source, place)) for need in needs for place in where}
    return (sent.event.get("item"), sent.event.get("source")) in known


def _eligible(sent: SentView) -> bool:
    row = next((each for each in _config(sent).standing_orders if each.id == sent.event.get("row")), None)
    pool = _config(sent).pool(row.pool) if row is not None else None
    if row is None or pool is None or not row.eligible.conditions:
        return False
    return sent.event.get("place") in places(pool)


def _set_fields(sent: SentView) -> bool:
    return sent.event.get("run") in sent.before.open_runs


def _worker_ready(sent: SentView) -> bool:
    slot = tuple(sent.event.get(name) for name in ("pool", "place", "slot"))
    away = False
    for each in sent.world.sent[: sent.place]:
        if each.outcome == "accepted" and tuple(each.event.get(name) for name in ("pool", "place", "slot")) == slot:
            away = each.kind == "worker-stop"
    return away


_LEGAL: Mapping[str, Callable[[SentView], bool]] = {
    "tick": _always,
    "open-pool": _open_pool,
    "request": _request,
    "admit": _admit,
    "instruct": _instruct,
    "clear": _clear,
    "cancel": _cancel,
    "supply": _supply,
    "eligible": _eligible,
    "set-fields": _set_fields,
    "worker-ready": _worker_ready,
}
