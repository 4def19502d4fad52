"""Small recordings by hand, for the tests of the derived logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.contract.shapes import Adoption, Row
from harness.run.derive import DeriveFacts, Passage, derive_all
from harness.run.recording import Draft, SentDrafts, WorldDrafts

SYSTEM = frozenset({"report-log", "claim-ledger", "state-trace", "count-trace"})


def adoption(**changes: Any) -> Adoption:
    """An adoption without rows, or with `rows={collection: [fields, ...]}`, `answers` and `pins`."""
    rows: Mapping[str, Sequence[Mapping[str, str]]] = changes.get("rows", {})
    collections = {
        name: tuple(Row(name, place, fields) for place, fields in enumerate(entries)) for name, entries in rows.items()
    }
    return Adoption(
        contract="job-resolution",
        version=2,
        instance="oven",
        path="oven.yaml",
        root=".",
        digest="sha256:0",
        job={"id": "bake", "job-declared-in": "rules.md", "output": "new-thing"},
        answers=changes.get("answers", {}),
        collections=collections,
        inputs={},
        rules={},
        pins=changes.get("pins", {}),
        sources={},
        document={},
    )


def facts(passages: Mapping[str, Passage] | None = None, **changes: Any) -> DeriveFacts:
    """Facts in which the pool `ovens` covers every job, and `big` those with the field size 2 besides."""

    def covering(job: str, fields: Mapping[str, Any], by: str | None) -> tuple[str, ...]:
        return ("big", "ovens") if fields.get("size") == 2 else ("ovens",)

    return DeriveFacts(adoption(**changes), covering, passages or {})


def report(run: str, name: str, old: str | None, new: str, *causes: str, **more: Any) -> Draft:
    """A row of report-log; `batch`, `settle`, `moment` and `seq` place it, the rest are its columns."""
    place = {each: more.pop(each) for each in ("batch", "settle", "moment", "seq") if each in more}
    data = {
        "job": "bake",
        "report": name,
        "causes": list(causes),
        "old": old,
        "new": new,
        "pool": "ovens",
        "place": None,
    }
    return Draft("report-log", run, {**data, **more}, **place)


def requested(run: str, settle: int, *causes: str) -> Draft:
    """The job-requested of a run."""
    return report(run, "job-requested", None, "requested", *(causes or ("requester",)), settle=settle)


def move(run: str, old: str, new: str, batch: int | None, settle: int | None, **more: Any) -> Draft:
    """A row of state-trace."""
    return Draft("state-trace", run, {"from": old, "to": new}, batch, settle, **more)


def claim(run: str, change: str, amount: int, source: str, batch: int, settle: int, **more: Any) -> Draft:
    """A row of claim-ledger about flour."""
    data = {"change": change, "item": "flour", "amount": amount, "source": source, "held-after": 0}
    return Draft("claim-ledger", run, data, batch, settle, **more)


def sent(kind: str, *drafts: Draft, moment: int = 0, **fields: Any) -> SentDrafts:
    """An accepted event with its rows; `outcome` and `reason` make it another."""
    outcome, reason = fields.pop("outcome", "accepted"), fields.pop("reason", None)
    return SentDrafts({"kind": kind, **fields}, outcome, reason, moment, drafts)


def derived(
    log: str, *events: SentDrafts, world: Mapping[str, Any] | None = None, given: DeriveFacts | None = None
) -> list[Draft]:
    """The rows of one derived log over a world with these events."""
    _, (done,) = derive_all(given or facts(), [WorldDrafts(world or {}, (), events)], SYSTEM)
    rows = [*done.opening, *(row for each in done.sent for row in each.drafts)]
    return [row for row in rows if row.log == log]


def logs_in_order(*events: SentDrafts) -> list[str]:
    """The names of all rows after derivation, in order."""
    _, (done,) = derive_all(facts(), [WorldDrafts({}, (), events)], SYSTEM)
    return [row.log for each in done.sent for row in each.drafts]
