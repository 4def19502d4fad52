"""A world that a test plays with: events in, reports as short texts out, every audit after every step."""

from __future__ import annotations

from typing import Any

from harness.models.lifecycle import events as e
from harness.models.lifecycle.config import Config
from harness.models.lifecycle.model import Lifecycle, Transition, World
from harness.models.lifecycle.state import Run, State
from harness.models.lifecycle.turn import Draft
from tests.models.lifecycle._audits import Audit

PLENTY = (("flour", 12, "larder"), ("water", 4, "tap"))


class Play:
    """One world of a configuration; `rows` are those of the last event, `history` those of all."""

    def __init__(
        self,
        config: Config,
        stock: tuple[tuple[str, int, str], ...] = PLENTY,
        room: tuple[tuple[str, int], ...] = (),
        eligible: tuple[tuple[str, str | None, bool], ...] = (),
        closed: bool = False,
    ) -> None:
        self.config = config
        self.model = Lifecycle(config)
        self.state: State = self.model.initial(World(stock, room, eligible))
        self.audit = Audit(self.model, self.state)
        self.rows: tuple[Draft, ...] = ()
        self.history: list[Draft] = []
        for each in () if closed else config.pools:
            self.do(e.OpenPool(each.id))

    # -- events ---------------------------------------------------------------------------------------------------

    def step(self, event: e.Event) -> Transition:
        """One event, refused or not, and the audits of what it left."""
        transition = self.model.step(self.state, event)
        found = self.audit.step(event, transition)
        assert found == [], (event, found)
        self.state, self.rows = transition.state, transition.rows
        self.history.extend(transition.rows)
        return transition

    def do(self, *events: e.Event) -> list[str]:
        """Events that must be taken; returns the reports of the last one, as in `A job-started`."""
        for event in events:
            transition = self.step(event)
            assert transition.refused is None, (event, transition.refused)
        return self.told()

    def refuse(self, event: e.Event) -> str:
        """An event that must be refused: it leaves the very same state and no row. Returns the reason."""
        before = self.state
        transition = self.step(event)
        assert transition.refused is not None, event
        assert transition.state is before
        assert transition.rows == ()
        return transition.refused

    def request(self, run: str, name: str | None = None, **fields: Any) -> list[str]:
        """A request for the main job, or the named one; `place`, `phase` and `pause` are options, the rest fields."""
        options = {key: fields.pop(key) for key in ("place", "phase", "pause") if key in fields}
        return self.do(e.Request(run, name or self.config.job, fields=tuple(sorted(fields.items())), **options))

    def tick(self, times: int = 1) -> list[str]:
        """Time passes; returns the reports of the last tick."""
        return self.do(*[e.Tick()] * times)

    # -- what is there --------------------------------------------------------------------------------------------

    def run(self, name: str) -> Run:
        """The run now."""
        found = self.state.run(name)
        assert found is not None, name
        return found

    def states(self) -> dict[str, str]:
        """The state of every run, `rejected` for a rejected one."""
        return {run.id: "rejected" if run.ended else run.state for run in self.state.runs}

    def stock(self, item: str) -> int:
        """Usable units of an item, over all sources."""
        return sum(amount for (name, _), amount in zip(self.state.keys, self.state.stock, strict=True) if name == item)

    def free(self, destination: str = "shelf") -> int:
        """Free room at a destination."""
        return dict(zip(self.state.room_names, self.state.free, strict=True))[destination]

    # -- rows -----------------------------------------------------------------------------------------------------

    def told(self) -> list[str]:
        """The reports of the last event."""
        return [f"{row.run} {row.data['report']}" for row in self.rows if row.log == "report-log"]

    def log(self, name: str, run: str | None = None, **columns: Any) -> list[Draft]:
        """Rows of one log that the last event left, with these values."""
        wanted = {key.replace("_", "-"): value for key, value in columns.items()}
        return [
            row
            for row in self.rows
            if row.log == name
            and run in (None, row.run)
            and all(row.data[key] == value for key, value in wanted.items())
        ]

    def report(self, name: str, run: str | None = None) -> dict[str, Any]:
        """The one report of that name that the last event made."""
        found = self.log("report-log", run, report=name)
        assert len(found) == 1, (name, self.told())
        return found[0].data

    def brief(self, log: str, *columns: str) -> list[tuple[Any, ...]]:
        """Run and some columns of a log's rows of the last event."""
        return [(row.run, *(row.data[column] for column in columns)) for row in self.rows if row.log == log]


def units(*amounts: tuple[str, int]) -> list[dict[str, Any]]:
    """Units of the bakery as they stand in rows."""
    sources = {"flour": "larder", "water": "tap"}
    return [{"item": item, "amount": amount, "source": sources[item]} for item, amount in amounts]
