"""A driver tried before a run: does it speak the protocol, what can it show, how fast is it, and what does it lack?

What is wrong here is the driver's: nothing is said yet about the system behind it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from harness.expansion.scenario import Scenario
from harness.expansion.selection import Selection
from harness.kits.serving import written_logs
from harness.run.driver.faults import DriverFault, Unsupported
from harness.run.driver.session import DriverSystem
from harness.run.logs import Catalogue, check_row
from harness.run.plan import Plan, PlannedWorld
from harness.run.recording import ACCEPTED, REFUSED, SKIPPED, Recording, SentDrafts
from harness.run.system import SYSTEM_LOGS
from harness.runner import AdoptionRunner

#: Events of which some part does not exist: any system says no to them.
NONSENSE = (
    {"kind": "cancel", "run": "nobody", "row": "no-such-cancellation"},
    {"kind": "open-pool", "row": "no-such-pool"},
    {"kind": "supply", "item": "no-such-item", "amount": 1, "source": "no-such-source"},
)
MISFITS_SHOWN = 5


@dataclass
class Smoke:
    """What trying a driver gave. `fault` is what ended it early; `lacks` keeps it from being run as it should be."""

    lines: list[str] = field(default_factory=list)
    lacks: list[str] = field(default_factory=list)
    fault: str | None = None

    @property
    def is_ready(self) -> bool:
        """Whether a run would say something about the system, and nothing about the driver."""
        return self.fault is None and not self.lacks

    @property
    def verdict(self) -> str:
        """The last line: ready or not, and why not."""
        if self.fault is not None:
            return f"the driver is not ready: {self.fault}"
        if self.lacks:
            return f"the driver is not ready: {self.lacks[0]}" + (
                f" (and {len(self.lacks) - 1} more)" if len(self.lacks) > 1 else ""
            )
        return "the driver is ready"


def smoke(runner: AdoptionRunner) -> Smoke:
    """Handshake, nonsense, the same world twice, and a scenario of each kind; UsageError where it is no driver."""
    assert runner.driver is not None
    found, logs = Smoke(), runner.logs
    try:
        runner.driver.greet()
        _tell_greeting(found, runner.driver, logs)
        _try_nonsense(found, runner.driver)
        _try_scenarios(found, runner)
    except DriverFault as fault:
        found.fault = fault.said
    except Unsupported as answer:
        found.fault = f"it does not support {', '.join(answer.lacks)}"
    finally:
        runner.close()
    return found


def _tell_greeting(found: Smoke, driver: DriverSystem, logs: Catalogue) -> None:
    said = driver.implementation or {}
    named = " ".join(str(said[each]) for each in ("name", "version") if said.get(each) is not None)
    language = f", written in {said['language']}" if said.get("language") else ""
    found.lines.append(f"greeting: {named}{language}; time is {driver.time}; it takes the adoption")
    missing = sorted(SYSTEM_LOGS - driver.observes)
    found.lines.append(f"logs: it writes {len(driver.observes & SYSTEM_LOGS)} of {len(SYSTEM_LOGS)}")
    if missing:
        found.lines.append(f"  clauses that rest on these are blind: {', '.join(missing)}")
    unknown = sorted(set(driver.named) - set(logs) - written_logs())
    if unknown:
        found.lacks.append(f"it says that it writes logs that there are not: {', '.join(unknown)}")


def _try_nonsense(found: Smoke, driver: DriverSystem) -> None:
    driver.begin("smoke/nonsense", {})
    taken = [str(each["kind"]) for each in NONSENSE if driver.send(each).outcome == ACCEPTED]
    driver.end()
    found.lines.append(f"nonsense: {len(NONSENSE) - len(taken)} of {len(NONSENSE)} refused")
    if taken:
        found.lacks.append(f"it accepts events that name what does not exist: {', '.join(taken)}")


def _try_scenarios(found: Smoke, runner: AdoptionRunner) -> None:
    assert runner.driver is not None
    outcomes: Counter[str] = Counter()
    rows, spent, unreported = 0, 0.0, 0
    skipped: dict[str, str] = {}
    misfits: list[str] = []
    planned = list(_one_of_each_kind(runner))
    for scenario, plan in planned:
        began = time.perf_counter()
        recording = runner.bound.record(scenario.id, plan, runner.driver)
        spent += time.perf_counter() - began
        for sent in (each for run in recording.worlds for each in run.sent):
            outcomes[sent.outcome] += 1
            if sent.outcome == ACCEPTED and sent.event["kind"] == "request":
                unreported += not any(row.get("report") == "job-requested" for row in sent.rows)
            if sent.outcome == SKIPPED:
                skipped.setdefault(str(sent.event["kind"]), str(sent.reason))
        rows += len(recording.rows)
        misfits += _misfits(recording, runner.logs, runner.driver.observes)
    found.lines.append(f"scenarios: {len(planned)} run, one of each kind: {', '.join(each.id for each, _ in planned)}")
    told = ", ".join(f"{outcomes[each]} {each}" for each in (ACCEPTED, REFUSED, SKIPPED))
    found.lines.append(f"events: {told}; {rows} rows; {sum(outcomes.values()) / max(spent, 1e-9):,.0f} events/s")
    found.lines += [f"  skipped {kind}: {reason}" for kind, reason in skipped.items()]
    if unreported:
        found.lacks.append(f"it accepted requests and wrote no job-requested ({unreported} times)")
    found.lacks += list(dict.fromkeys(misfits))
    _try_twice(found, runner.driver, [world for _, plan in planned for world in plan.worlds])


def _one_of_each_kind(runner: AdoptionRunner) -> Iterator[tuple[Scenario, Plan]]:
    """The first scenario that can be run of each type and collection."""
    seen = set()
    for scenario in runner.scenarios(Selection()):
        kind = (scenario.type, scenario.collection)
        if kind not in seen:
            plan = runner.plan(scenario)
            if plan.worlds:
                seen.add(kind)
                yield scenario, plan


def _misfits(recording: Recording, logs: Catalogue, observes: frozenset[str]) -> Iterator[str]:
    """What the driver's rows lack against their schemas; values are judged in a run, but a hole is the driver's."""
    for row in recording.rows:
        if row.log in observes:
            yield from check_row(logs, row)


def _try_twice(found: Smoke, driver: DriverSystem, worlds: Sequence[PlannedWorld]) -> None:
    """The same events in a fresh world twice: the rows must be the same."""
    longest = max(worlds, key=lambda each: len(each.events), default=None)
    if longest is None:
        return
    first, second = (_sent(driver, longest) for _ in range(2))
    same = first == second
    found.lines.append(f"the same world twice: {'the same rows' if same else 'other rows'}")
    if not same:
        found.lacks.append("the same events in a fresh world leave other rows: a world is not begun afresh")


def _sent(driver: DriverSystem, world: PlannedWorld) -> list[SentDrafts]:
    driver.begin("smoke/twice", world.world)
    sent = []
    for event in world.events:
        answer = driver.send(event)
        # Numbers may go on from one world to the next.
        drafts = tuple((each.log, each.run, each.data, each.settle) for each in answer.drafts)
        sent.append(SentDrafts(event, answer.outcome, None, 0, drafts))  # type: ignore[arg-type]  # compared, not used
        if answer.outcome == SKIPPED:
            break
    driver.end()
    return sent
