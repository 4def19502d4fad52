"""Walks and replays as run folders: the logs of each way that was found, as a run of the law's contract writes them.

What is said of a way is what the law's own audits found on it. The events are sent anew into the pool's system, so that
its logs are those that `harness run` would write for the same events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from harness import workspace
from harness.base.errors import UsageError
from harness.base.verdict import Verdict
from harness.expansion.scenario import Scenario, scenario_id
from harness.exploring import law_and_walk
from harness.intake import read_contract_file
from harness.kits import kit_of
from harness.kits.kit import Kit
from harness.models.pools.law import PoolLaw
from harness.run.plan import Plan
from harness.run.recording import LogRow, Recording
from harness.verdict.clauses import ClauseVerdict
from harness.verdict.judging import Judged
from harness.workspace import RunFolder
from harness.writers.run_document import AdoptionRun, run_document, run_json
from harness.writers.run_files import render_scenario

START = "start"
_SOUND = "nothing is broken on the way"


class Way(NamedTuple):
    """Letters from the very beginning of a walk's pool, and which violations the audits name on it; `name` is its own.

    `inverted` is the inversion that the pool has, None for the sound one.
    """

    name: str
    letters: tuple[str, ...]
    broken: tuple[str, ...]
    inverted: str | None


def ways_of_walk(document: Mapping[str, Any]) -> tuple[Way, ...]:
    """The way to each violation of an explore document; the way to its start where it has none."""
    start, inverted = tuple(document["start"]), document["inverted"]
    found = tuple(
        Way(each["name"], (*start, *each["inputs"]), _broken(each["detail"]), inverted)
        for each in document["violations"]
    )
    return found or (Way(START, start, (), inverted),)


def ways_of_replay(replays: Sequence[Mapping[str, Any]]) -> tuple[Way, ...]:
    """The way of each replay."""
    return tuple(
        Way(
            each["name"] or f"replay-{number}",
            (*each["start"], *each["inputs"]),
            _broken(each["detail"]),
            each["inverted"],
        )
        for number, each in enumerate(replays, start=1)
    )


def _broken(detail: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for step in detail for name in step["broken"]))


def write_ways(model: str, ways: Sequence[Way], out: str) -> None:
    """Write a run folder with a scenario for each way.

    Raises UsageError for a law that is no contract, which nothing says the logs of, and where it cannot be written.
    """
    law, _ = law_and_walk(model)
    kit = kit_of(law.name)
    if kit is None:
        raise UsageError(f"the law {law.name} is no contract yet: nothing says which logs its pool writes")
    contract = read_contract_file(workspace.contract_path(law.name))
    judged = list(_judged(law, kit, contract.version, model, ways))
    results = tuple(render_scenario(each, kit.logs, workspace.file_stem) for each in judged)
    adoption = AdoptionRun(model, model, None, (), results, len(results), 0, 0)
    inverted = next((each.inverted for each in ways), None)
    with RunFolder.open(out) as folder:
        for each in results:
            folder.write_scenario(each.files)
        folder.finish(run_json(run_document(contract, model, None, [adoption], inverted)))


def _judged(law: PoolLaw, kit: Kit, version: int, model: str, ways: Sequence[Way]) -> Iterator[Judged]:
    for each in ways:
        claim = law.violations.get(each.name)
        text = _SOUND if claim is None else f"claim {claim}: {law.claims[claim - 1]}"
        scenario = _scenario(kit, version, model, each, text)
        recording = kit.walked(model, scenario.id, each.letters, each.inverted)
        verdict = Verdict.VIOLATED if each.broken else Verdict.HOLDS
        reason = f"the law's audits name {', '.join(each.broken)}" if each.broken else None
        clause = ClauseVerdict(0, text, verdict, reason, _last_rows(recording))
        yield Judged(scenario, Plan(), recording, (clause,))


def _scenario(kit: Kit, version: int, model: str, way: Way, text: str) -> Scenario:
    return Scenario(
        id=scenario_id(model, way.name, None),
        contract=kit.contract,
        version=version,
        instance=model,
        template=way.name,
        collection=None,
        row=None,
        type="scenario",
        title=f"{way.name} on the walk {model}",
        given=f"the pool of the walk {model}" + (f", broken by {way.inverted}" if way.inverted else ""),
        when=way.letters,
        then=(text,),
        holds=None,
        scope=None,
        seeds=(),
        diagnostics=tuple(f"{model}-{log}" for log in kit.logs),
        text=text,
        answers={},
    )


def _last_rows(recording: Recording) -> tuple[LogRow, ...]:
    """The rows of the last event that left some."""
    sent = (each.rows for world in recording.worlds for each in reversed(world.sent))
    return next((rows for rows in sent if rows), ())
