"""From the short texts of a history to full rows: what a text leaves out follows from the rows before it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from harness.models.lifecycle.config import Config, at_place
from harness.run.derive.paths import REPORT_MOVES
from harness.run.logs import Catalogue
from harness.run.recording import COMMON_COLUMNS, Draft

CLAIM_CHANGES = ("claim", "release", "spend", "lose")
_FIELDS = dict(zip(CLAIM_CHANGES, ("claimed", "released", "spent", "lost"), strict=True))

#: Logs whose rows stand outside a settle unless they say otherwise.
OUTSIDE = frozenset({"admission-trace", "dependency-trace", "standing-order-scan-log"})

_NEW = {
    "job-requested": "requested",
    "job-rejected": "requested",
    "job-waiting": "waiting",
    "job-started": "started",
    "job-working": "working",
    "job-stopped": "stopped",
    "job-resumed": "working",
    "job-finished": "finished",
    "destination-refused": "finished",
    "job-delivered": "delivered",
    "job-failed": "stopped",
    "job-canceled": "canceled",
}
_CAUSES = {
    "job-requested": "requester",
    "job-resumed": "causes-cleared",
    "job-finished": "finish-gate-passed",
    "destination-refused": "no-room",
    "job-delivered": "accepted",
}


class HistoryError(Exception):
    """A history that is written wrongly, with the text that is wrong."""


@dataclass
class _Life:
    """What the rows so far say about one run."""

    job: str
    pool: str | None
    place: str | None
    state: str = "requested"
    work: Fraction = Fraction(0)
    destination: str | None = None
    held: dict[tuple[str, str], int] = field(default_factory=dict)


class RowWriter:
    """Writes the rows of one world, settle by settle."""

    def __init__(self, config: Config, logs: Catalogue) -> None:
        self._config = config
        self._logs = logs
        self._lives: dict[str, _Life] = {}
        self._used: dict[tuple[str, str | None, str], int] = {}
        self._settle = 0
        self._batch = 0
        self._batch_open = False
        self.moment = 0

    def enter(self, event: Mapping[str, Any], accepted: bool) -> None:
        """An event enters: an accepted tick begins the next moment, and the next settle opens a batch."""
        self._event = event
        self._batch_open = False
        if accepted and event["kind"] == "tick":
            self.moment += 1

    def next_batch(self) -> None:
        """What comes next in this event is a batch of its own."""
        self._batch_open = False

    def settle(self, texts: list[str | dict[str, Any]]) -> list[Draft]:
        """The rows of one settle, from a text each."""
        before = {run: life.work for run, life in self._lives.items()}
        rows: list[Draft] = []
        for text in texts:
            rows += self._row(text, rows, before)
        inside = [each for each in rows if not self._outside(each)]
        if not inside:
            return rows
        self._settle += 1
        requested = any(each.data.get("report") == "job-requested" for each in inside)
        if not requested and not self._batch_open:
            self._batch_open = True
            self._batch += 1
        batch = None if requested else self._batch
        return [each if self._outside(each) else self._placed(each, batch) for each in rows]

    def _outside(self, row: Draft) -> bool:
        idle = row.log == "pool-offer-log" and row.data["offer"] in ("passed-over", "nobody")
        return row.settle is None and (idle or row.log in OUTSIDE)

    def _placed(self, row: Draft, batch: int | None) -> Draft:
        return Draft(row.log, row.run, row.data, row.batch or batch, row.settle or self._settle, row.moment)

    # -- one row ------------------------------------------------------------------------------------------------

    def _row(self, text: str | dict[str, Any], rows: list[Draft], before: Mapping[str, Fraction]) -> list[Draft]:
        if isinstance(text, dict):
            return [self._general(str(text.pop("log")), text.pop("run", None), text)]
        words = shlex.split(text)
        plain = [each for each in words if "=" not in each]
        named = dict(each.split("=", 1) for each in words if "=" in each)
        first = plain[0]
        try:
            if first in _NEW:
                return self._report(first, plain, named, rows, before)
            if first in CLAIM_CHANGES:
                _, run, amount, item, source = plain
                return [self._claim(first, run, int(amount), item, source, named)]
            if first in ("take", "free"):
                _, run, where, slot = plain
                return [self._count(first, run, where, slot, named)]
            if first == "work":
                _, run, after, why = plain
                return [self._work(run, after, why, named)]
            if "->" in plain:
                run, old, _, new = plain
                return [self._move(run, old, new, named)]
        except ValueError as error:
            raise HistoryError(f"cannot read the row {text!r}: {error}") from error
        if first not in self._logs:
            raise HistoryError(f"the row {text!r} begins with no report, change or log")
        about = plain[1] if len(plain) > 1 and plain[1] not in ("-", "null") else None
        return [self._general(first, about, named)]

    def _report(
        self, name: str, plain: list[str], named: dict[str, str], rows: list[Draft], before: Mapping[str, Fraction]
    ) -> list[Draft]:
        run = plain[1]
        if name == "job-requested":
            self._request(run, named)
        life = self._life(run)
        moved = [each for each in rows if each.log == "state-trace" and each.run == run]
        old = moved[-1].data["from"] if moved else life.state
        new = named.get("new", _NEW[name])
        made = []
        if name != "job-requested" and old != new and not moved:
            made.append(self._move(run, old, new, {}))
        if name in ("job-delivered", "destination-refused") and life.destination is None:
            life.destination = self._normal_destination(life)
        causes = plain[2] if len(plain) > 2 else self._default_cause(name, life)
        data: dict[str, Any] = {
            "job": life.job,
            "report": name,
            "causes": [each for each in causes.split("+") if each],
            "old": None if name == "job-requested" else old,
            "new": new,
            "work-before": str(before.get(run, life.work)),
            "work-after": str(life.work),
            **{column: self._moved(change, run, rows) for change, column in _FIELDS.items()},
            "destination": life.destination,
            "pool": life.pool,
            "place": life.place,
        }
        return [*made, self._draft("report-log", run, data, named)]

    def _request(self, run: str, named: Mapping[str, str]) -> None:
        event = self._event if self._event.get("run") == run else {}
        job = named.get("job", event.get("job", self._config.job))
        fields = tuple(event.get("fields", {}).items())
        pool = self._config.covering_pool(job, fields)
        place = event.get("place") or (pool.places[0] if pool and pool.places else None)
        self._lives.setdefault(run, _Life(job, pool.id if pool else None, place if pool and pool.places else None))

    def _default_cause(self, name: str, life: _Life) -> str:
        if name == "job-started":
            return "no-pool" if life.pool is None else "slot-offered"
        if name == "job-working":
            return self._config.phases[0].id
        if name not in _CAUSES:
            raise HistoryError(f"{name} needs its causes, joined by +")
        return _CAUSES[name]

    def _normal_destination(self, life: _Life) -> str | None:
        rule = self._config.job_rule(life.job)
        return at_place(rule.destination, life.place) if rule and rule.destination else None

    def _moved(self, change: str, run: str, rows: list[Draft]) -> list[dict[str, Any]]:
        own = (each.data for each in rows if each.log == "claim-ledger" and each.run == run)
        return [{name: data[name] for name in ("item", "amount", "source")} for data in own if data["change"] == change]

    def _move(self, run: str, old: str, new: str, named: Mapping[str, str]) -> Draft:
        self._life(run).state = new
        return self._draft("state-trace", run, {"from": old, "to": new}, named)

    def _claim(self, change: str, run: str, amount: int, item: str, source: str, named: Mapping[str, str]) -> Draft:
        held = self._life(run).held
        held[item, source] = held.get((item, source), 0) + (amount if change == "claim" else -amount)
        data = {
            "change": change,
            "item": item,
            "amount": amount,
            "source": source,
            "held-after": held[item, source],
        }
        return self._draft("claim-ledger", run, data, named)

    def _count(self, change: str, run: str, where: str, slot: str, named: Mapping[str, str]) -> Draft:
        name, _, place = where.partition("/")
        key = (name, place or None, slot)
        self._used[key] = self._used.get(key, 0) + (1 if change == "take" else -1)
        pool = self._config.pool(name)
        limit = None if pool is None else pool.working if slot == "working" else pool.waiting
        data = {
            "pool": name,
            "place": place or None,
            "slot": slot,
            "change": change,
            "used": self._used[key],
            "limit": limit,
        }
        return self._draft("count-trace", run, data, named)

    def _work(self, run: str, after: str, why: str, named: Mapping[str, str]) -> Draft:
        life = self._life(run)
        before = life.work
        life.work = before + Fraction(after) if after.startswith(("+", "-")) else Fraction(after)
        data = {"before": str(before), "after": str(life.work), "required": self._required(life), "why": why}
        return self._draft("work-before-after", run, data, named)

    def _required(self, life: _Life) -> str:
        rule = self._config.job_rule(life.job)
        wanted = rule.phase if rule else None
        works = [each.work for each in self._config.phases if wanted in (None, each.id)]
        return str(works[0]) if works and isinstance(works[0], int) else "0"

    # -- any log ------------------------------------------------------------------------------------------------

    def _general(self, log: str, run: str | None, named: Mapping[str, Any]) -> Draft:
        if log not in self._logs:
            raise HistoryError(f"there is no log {log!r}")
        columns = {each: self._default(log, each, run, named) for each in self._logs[log].own_columns}
        data = {name: value for name, value in columns.items() if name != "internal" or value is not None}
        row = self._draft(log, run, data, named)
        if log == "reservation-ledger" and row.data["change"] == "reserve" and run is not None:
            self._life(run).destination = row.data["destination"]
        if log == "standing-order-scan-log" and row.data["requested"] and run is None:
            return Draft(log, row.data["requested"], row.data, row.batch, row.settle, row.moment)
        return row

    def _default(self, log: str, column: str, run: str | None, named: Mapping[str, Any]) -> Any:
        """What a column holds that the text does not name."""
        if column in named:
            return None  # replaced by the named value
        schema = self._logs[log].schema["properties"][column]
        life = self._lives.get(run or "")
        if life is not None and column in ("job", "pool", "place"):
            return getattr(life, column)
        if life is not None and column in ("before", "after", "work"):
            return str(life.work)
        types = schema["type"]
        if "null" in types or column == "internal":
            return None
        blank = {"array": [], "integer": 0, "boolean": False}
        if types not in blank:
            raise HistoryError(f"a row of {log} needs {column}=")
        return blank[types]

    def _draft(self, log: str, run: str | None, data: dict[str, Any], named: Mapping[str, Any]) -> Draft:
        own = {name: typed(self._logs, log, name, value) for name, value in named.items() if name in data}
        spare = set(named) - set(data) - set(COMMON_COLUMNS)
        if spare:
            raise HistoryError(f"{log} has no column {', '.join(sorted(spare))}")
        batch, settle, moment = (named.get(each) for each in ("batch", "settle", "moment"))
        return Draft(
            log,
            run,
            {**data, **own},
            int(batch) if batch is not None else None,
            int(settle) if settle is not None else None,
            int(moment) if moment is not None else self.moment,
        )

    def _life(self, run: str) -> _Life:
        """The run's life; a run that no job-requested brought is taken as it comes, so that histories can be wrong."""
        return self._lives.setdefault(run, _Life(self._config.job, None, None))


def typed(logs: Catalogue, log: str, column: str, value: Any) -> Any:
    """A column's value from its text, by the type that the catalogue gives the column."""
    if not isinstance(value, str):
        return value
    schema = logs[log].schema["properties"][column]
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if value in ("null", "-") and "null" in types:
        return None
    if "array" in types:
        parts = [each for each in value.split("+") if each and value != "none"]
        return [_unit(each) for each in parts] if schema["items"]["type"] == "object" else parts
    if "integer" in types and value.lstrip("-").isdigit():
        return int(value)
    if "boolean" in types:
        return value == "true"
    return value


def _unit(text: str) -> dict[str, Any]:
    """`3*flour@larder`, or `3*flour@larder:5` where 5 are usable there."""
    amount, _, rest = text.partition("*")
    item, _, rest = rest.partition("@")
    source, _, usable = rest.partition(":")
    unit: dict[str, Any] = {"item": item, "amount": int(amount), "source": source}
    return {**unit, "usable": int(usable)} if usable else unit


REPORTS = frozenset(REPORT_MOVES)
