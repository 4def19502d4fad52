"""Which clauses cannot be told without which logs: the inversions replayed with some logs hidden.

Every inversion runs on the plans of the shipped adoptions, once, in process. A clause that it violates with all logs
visible is judged again on the same rows with some of the logs hidden, as if the system did not write them: what is
derived from them is then not there either. Two things are kept of each clause, both as smallest sets of logs:

- `seen-with`: with these and the report-log, an inversion that violates the clause is still seen to violate it;
- `unseen-without`: without these, an inversion that violates the clause leaves it green.

Inversions that violate a clause in the same way (`Way`) need the same logs to be seen, so one of them is tried.

The table is data (`diagnostics/blind-spots.json`), because a run with a driver must not wait for the replay.
`python -m harness.blind_spots WORKERS` writes it, in some minutes. `verdict/blindness.py` says what a verdict makes of
it.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeAlias

from harness import workspace
from harness.base.verdict import Verdict
from harness.blind_spots_replays import MOST, OPTIONAL, Logs, Replay, Replays, Way, Witness, singles
from harness.intake import validate_files
from harness.kits.jobs import KIT
from harness.kits.jobs_bound import blind_spots_path
from harness.models.inversions.registry import Inversion, inversions
from harness.verdict.blindness import GREEN

Clause: TypeAlias = tuple[str, int]
Family: TypeAlias = dict[Logs, Witness]


@dataclass(frozen=True)
class Sight:
    """What the replays tell of one clause: smallest sets of logs, each with the run that shows it."""

    seen_with: Family = field(default_factory=dict)
    unseen_without: Family = field(default_factory=dict)


# -- the smallest sets ------------------------------------------------------------------------------------------------


def keep(family: Family, logs: Logs, witness: Witness) -> None:
    """Add a set of logs, unless it has a part that is there already; what has it as a part goes."""
    if any(each <= logs for each in family):
        return
    for each in [each for each in family if logs < each]:
        del family[each]
    family[logs] = witness


def hitting_sets(family: Iterable[Logs]) -> tuple[Logs, ...]:
    """The smallest sets that have a log in common with each of these; none where one of them is empty."""
    found: list[Logs] = []
    for chosen in sorted(
        {frozenset(each) for each in product(*map(sorted, family))}, key=lambda s: (len(s), sorted(s))
    ):
        if not any(each <= chosen for each in found):
            found.append(chosen)
    return tuple(found)


def smallest(logs: Logs, holds: Callable[[Logs], bool]) -> Logs:
    """A part of these logs for which something still holds, and for no part of it that lacks one log more."""
    for each in sorted(logs):
        if holds(logs - {each}):
            logs = logs - {each}
    return logs


def look(replay: Replay, index: int, way: Way, sight: Sight) -> None:
    """Add to a clause's sight what this replay, which violates the clause in that way, says of it."""

    def is_seen(visible: Logs) -> bool:
        return replay.verdict(index, visible) is Verdict.VIOLATED

    def is_green(missing: Logs) -> bool:
        return replay.verdict(index, OPTIONAL - missing) in GREEN

    def note(missing: Logs) -> None:
        visible = OPTIONAL - missing
        if not any(each <= visible for each in sight.seen_with) and is_seen(visible):
            keep(sight.seen_with, smallest(visible, is_seen), replay.witness)
        if not any(each <= missing for each in sight.unseen_without) and is_green(missing):
            keep(sight.unseen_without, smallest(missing, is_green), replay.witness)

    # Sets that hold no known one as a part lack a log of each: the largest of them are tried.
    while (more := _first(hitting_sets(sight.seen_with), lambda each: is_seen(OPTIONAL - each))) is not None:
        wide = OPTIONAL - more
        narrow = wide & way.looked
        keep(sight.seen_with, smallest(narrow if is_seen(narrow) else wide, is_seen), replay.witness)
    # A judgment that is without a log it looks at knows that, unless it asks first, or takes another log for it: it may
    # then even see with fewer logs what it does not see with more.
    for each in singles(way.spared):
        note(each)
    # The rest: logs whose rows it came by without a look, what it asks for together, and drivers with few logs.
    for missing in (replay.with_rows - way.looked, way.spared, *MOST):
        note(missing)


def _first(sets: Iterable[Logs], holds: Callable[[Logs], bool]) -> Logs | None:
    return next((each for each in sets if holds(each)), None)


# -- the table --------------------------------------------------------------------------------------------------------


def adoption_sights(path: str, chosen: Sequence[Inversion]) -> dict[Clause, Sight]:
    """What the inversions under one adoption tell, by template and index of the clause."""
    replays = Replays(path)
    sights: dict[Clause, Sight] = {}
    known: set[tuple[Clause, Way]] = set()
    for inversion in chosen:
        for replay in replays.under(inversion):
            for index in replay.kills():
                clause, way = (replay.template, index), replay.way(index)
                if (clause, way) not in known:
                    known.add((clause, way))
                    look(replay, index, way, sights.setdefault(clause, Sight()))
    return sights


def together(parts: Iterable[Mapping[Clause, Sight]]) -> dict[Clause, Sight]:
    """The sights of several adoptions as one."""
    found: dict[Clause, Sight] = {}
    for part in parts:
        for clause, sight in part.items():
            whole = found.setdefault(clause, Sight())
            for logs, witness in sight.seen_with.items():
                keep(whole.seen_with, logs, witness)
            for logs, witness in sight.unseen_without.items():
                keep(whole.unseen_without, logs, witness)
    return found


def table_text(sights: Mapping[Clause, Sight]) -> str:
    """The table as it is shipped: JSON, a line for each clause, sorted."""
    lines = [
        json.dumps(
            {
                "template": template,
                "index": index,
                "seen-with": _family_json(sight.seen_with),
                "unseen-without": _family_json(sight.unseen_without),
            }
        )
        for (template, index), sight in sorted(sights.items())
    ]
    body = ",\n    ".join(lines)
    return f'{{\n  "contract": "{KIT.contract}",\n  "clauses": [\n    {body}\n  ]\n}}\n'


def _family_json(family: Family) -> list[dict[str, Any]]:
    ordered = sorted(family.items(), key=lambda each: (len(each[0]), sorted(each[0])))
    return [
        {"logs": sorted(logs), "scenario": witness.scenario, "inversion": witness.inversion}
        for logs, witness in ordered
    ]


def shipped_paths() -> tuple[str, ...]:
    """The files of the shipped adoptions of jobs, in alphabetical order."""
    paths = sorted(str(each) for each in workspace.data_folder("adoptions").glob("*/*.adoption.yaml"))
    validated = validate_files(paths)
    return tuple(each.path for each in validated if each.contract is not None and each.contract.id == KIT.contract)


def _all_sights(path: str) -> dict[Clause, Sight]:
    """All inversions under one adoption, in a worker."""
    return adoption_sights(path, inversions())


def whole_table(workers: int = 1) -> str:
    """The table recomputed: every inversion under every shipped adoption; minutes."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context) as pool:
        return table_text(together(pool.map(_all_sights, shipped_paths())))


if __name__ == "__main__":
    from harness import blind_spots  # what workers give back is then of the module that they know

    workspace.write_text(blind_spots_path(), blind_spots.whole_table(int(sys.argv[1]) if len(sys.argv) > 1 else 1))
