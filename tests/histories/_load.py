"""Reads histories: recordings written by hand as data, each with the verdict that one clause must give (README.md)."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from harness.contract.documents import read_document
from harness.contract.questions import effective_answers
from harness.contract.reading import build_adoption, read_contract
from harness.contract.shapes import Adoption, Contract, Row
from harness.expansion.expand import expand_template
from harness.expansion.scenario import Scenario
from harness.run.binding import lifecycle_config
from harness.run.derive import DERIVED, DeriveFacts, Passage, covering_pools, derivable, derive_all
from harness.run.logs import Catalogue, catalogue
from harness.run.plan import Impossible, Plan
from harness.run.recording import Recording, SentDrafts, WorldDrafts, number_rows
from harness.verdict.evidence import Evidence
from tests.histories._edits import Rows, apply, edited_log
from tests.histories._events import event_key, read_event
from tests.histories._rows import HistoryError, RowWriter

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent
NEXT_BATCH = "next-batch"
_NO_DIGEST = "sha256:" + "0" * 64


@dataclass(frozen=True)
class History:
    """One history and what it must come to.

    `verdict` is a verdict word, `says` a part of the reason, `at` selects the rows that the evidence begins with.
    """

    template: str
    clauses: tuple[int, ...]
    kind: str
    name: str
    verdict: str
    says: str
    at: tuple[str, ...]
    spec: Mapping[str, Any]

    @property
    def id(self) -> str:
        """Names the history in test reports."""
        return f"{self.template}-{'+'.join(map(str, self.clauses))}-{self.kind}-{self.name}"


@cache
def contract() -> Contract:
    """The shipped contract."""
    found, findings = read_contract(str(ROOT / "contracts" / "job-resolution.json"))
    assert found is not None, findings
    return found


@cache
def logs() -> Catalogue:
    """The shipped catalogue of logs."""
    return catalogue(ROOT / "diagnostics")


def history_files() -> tuple[Path, ...]:
    """Every file of histories, in alphabetical order."""
    return tuple(sorted(FOLDER.glob("*.yaml")))


def load_histories(path: Path) -> tuple[History, ...]:
    """The histories of one file, in the order in which they are written."""
    return tuple(_histories(yaml.safe_load(path.read_text(encoding="utf-8")), path.stem))


def never_rejected(path: Path) -> Mapping[int, str]:
    """The clauses of a file that nothing can contradict, each with why."""
    value = yaml.safe_load(path.read_text(encoding="utf-8"))
    return dict(value.get("never-rejected", {}))


def _histories(value: Mapping[str, Any], template: str) -> Iterator[History]:
    shared = {name: value[name] for name in ("adoption", "row", "world", "passages", "observes") if name in value}
    written: dict[str, dict[str, Any]] = {}
    for kind in ("accepted", "rejected"):
        for place, entry in enumerate(value.get(kind, ()), start=1):
            name = str(entry.get("name", place))
            base = written[str(entry["from"])] if "from" in entry else {}
            spec = {**shared, **base, **entry, "edit": [*base.get("edit", ()), *entry.get("edit", ())]}
            if kind == "accepted":
                written[name] = spec
            clauses = spec["clause"] if isinstance(spec["clause"], list) else [spec["clause"]]
            expected = "holds" if kind == "accepted" else "violated"
            verdict = str(entry.get("verdict", expected))
            says = str(entry.get("says", ""))
            yield History(template, tuple(clauses), kind, name, verdict, says, _texts_of(entry.get("at")), spec)


def _texts_of(value: str | list[str] | None) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value or ())


# -- adoptions ----------------------------------------------------------------------------------------------------


def load_adoption(spec: Any) -> Adoption:
    """The adoption that a history names: a shipped one, or one with changes (see README.md)."""
    return _adoption(json.dumps(spec if isinstance(spec, dict) else {"base": spec}))


@cache
def _adoption(text: str) -> Adoption:
    spec = json.loads(text)
    base = spec.pop("base", "bakery-oven")
    document, findings = read_document(str(ROOT / "adoptions" / base / f"{base}.adoption.yaml"))
    if document is None:
        raise HistoryError(f"there is no adoption {base!r}: {findings}")
    value: Any = copy.deepcopy(document.value)
    return build_adoption(document, _merged(value, spec))


def _merged(value: Any, change: Any) -> Any:
    """Mappings are merged, null takes an entry out, everything else is replaced."""
    if not isinstance(value, dict) or not isinstance(change, dict):
        return change
    kept = {name: each for name, each in value.items() if change.get(name, each) is not None}
    return {**kept, **{n: _merged(kept.get(n), each) for n, each in change.items() if each is not None}}


def _scenario(template_id: str, adoption: Adoption, row_id: str | None) -> tuple[Scenario, Row | None]:
    template = contract().template(template_id)
    for entry in expand_template(contract(), template, adoption, effective_answers(adoption)):
        if isinstance(entry, Scenario) and row_id in (None, entry.row):
            row = adoption.row(template.collection, entry.row) if template.collection and entry.row else None
            return entry, row
    raise HistoryError(f"{template_id} does not apply to this adoption (row {row_id})")


# -- evidence -----------------------------------------------------------------------------------------------------


def evidence_of(history: History) -> tuple[Evidence, Plan]:
    """The evidence that the history describes, and the plan's notes that go with it."""
    spec = history.spec
    adoption = load_adoption(spec.get("adoption", "bakery-oven"))
    config = lifecycle_config(adoption)
    scenario, row = _scenario(history.template, adoption, spec.get("row"))
    facts = DeriveFacts(adoption, covering_pools(config), _passages(adoption, spec.get("passages", {})))
    worlds = [_world(each, RowWriter(config, logs()), config.job) for each in _worlds(spec)]
    edits = spec.get("edit", ())
    for edit in edits:
        if edited_log(logs(), edit) not in DERIVED:
            _edit(worlds, edit)
    observes = frozenset(logs()) - frozenset(spec.get("unobserved", ()))
    head, derived = derive_all(facts, [_frozen(each) for each in worlds], observes - DERIVED.keys())
    opened = [list(head), *(_thawed(each) for each in derived)]
    for edit in edits:
        if edited_log(logs(), edit) in DERIVED:
            _edit_derived(opened, edit)
    recording = _numbered(scenario.id, opened, derivable(observes - DERIVED.keys()) & observes)
    impossible = tuple(Impossible(each) for each in spec.get("impossible", ()))
    return Evidence(scenario, adoption, config, row, recording), Plan(impossible=impossible)


def _passages(adoption: Adoption, given: Mapping[str, Any]) -> Mapping[str, Passage]:
    addresses = {each.fields["read-first"] for each in adoption.rows("read-first")}
    passages = {each: Passage(True, adoption.pins.get(each, _NO_DIGEST)) for each in sorted(addresses)}
    return {**passages, **{name: Passage(each["resolved"], each.get("digest")) for name, each in given.items()}}


def _worlds(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    if "worlds" in spec:
        return [{"world": spec.get("world", {}), **each} for each in spec["worlds"]]
    return [{"world": spec.get("world", {}), "events": spec["events"]}] if "events" in spec else []


@dataclass
class _Event:
    event: Mapping[str, Any]
    key: str
    outcome: str
    reason: str | None
    moment: int
    rows: Rows


@dataclass
class _World:
    world: Mapping[str, Any]
    shapes: tuple[str, ...]
    events: list[_Event]
    opening: Rows


def _world(spec: Mapping[str, Any], writer: RowWriter, job: str) -> _World:
    events = [made for entry in spec.get("events", ()) for made in _events(entry, writer, job)]
    return _World(spec["world"] or {}, tuple(spec.get("shapes", ())), events, [])


def _events(entry: Any, writer: RowWriter, job: str) -> Iterator[_Event]:
    """The events of one entry: `tick x3` stands for three, each with the same texts of rows."""
    text, settles = (entry, None) if isinstance(entry, str) else next(iter(entry.items()))
    event, outcome, times = read_event(text, job)
    for _ in range(times):
        moment = writer.moment
        writer.enter(event, outcome == "accepted")
        if outcome != "accepted":
            yield _Event(event, event_key(text), outcome, str(settles or outcome), moment, [])
            continue
        yield _Event(event, event_key(text), outcome, None, moment, _rows(settles, writer))


def _rows(settles: Any, writer: RowWriter) -> Rows:
    rows: Rows = []
    for settle in settles if isinstance(settles, list) else [settles] if settles else []:
        if settle == NEXT_BATCH:
            writer.next_batch()
        else:
            rows += writer.settle(_texts(settle))
    return rows


def _texts(settle: Any) -> list[str | dict[str, Any]]:
    if isinstance(settle, list):
        return [part for each in settle for part in _texts(each)]
    if isinstance(settle, dict):
        return [dict(settle)]
    return [each.strip() for each in str(settle).split(";") if each.strip()]


# -- edits --------------------------------------------------------------------------------------------------------


def _edit(worlds: list[_World], edit: Mapping[str, Any]) -> None:
    for verb, outcome in (("refuse", "refused"), ("skip", "skipped")):
        if verb in edit:
            _turn(worlds, str(edit[verb]), outcome, str(edit.get("reason", "no")))
            return
    apply(logs(), [each for world in worlds for each in (world.opening, *(e.rows for e in world.events))], edit)


def _turn(worlds: list[_World], text: str, outcome: str, reason: str) -> None:
    """An event becomes refused or skipped, and its rows go."""
    for world in worlds:
        for event in world.events:
            if event.key == event_key(text):
                event.outcome, event.reason, event.rows = outcome, reason, []
                return
    raise HistoryError(f"no event is {text!r}")


def _frozen(world: _World) -> WorldDrafts:
    sent = tuple(SentDrafts(e.event, e.outcome, e.reason, e.moment, tuple(e.rows)) for e in world.events)
    return WorldDrafts(world.world, world.shapes, sent, tuple(world.opening))


def _thawed(world: WorldDrafts) -> WorldDrafts:
    sent = [each._replace(drafts=list(each.drafts)) for each in world.sent]
    return world._replace(sent=sent, opening=list(world.opening))


def _edit_derived(opened: list[Any], edit: Mapping[str, Any]) -> None:
    groups = [opened[0]]
    for world in opened[1:]:
        groups += [world.opening, *(each.drafts for each in world.sent)]
    apply(logs(), groups, edit)


def _numbered(scenario: str, opened: list[Any], observes: frozenset[str]) -> Recording:
    return number_rows(scenario, opened[0], opened[1:], observes)
