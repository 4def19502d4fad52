"""`python -m mutation --sample 300 --seed N`: draws mutants, tries each in a copy, and writes what came of them."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from mutation import results as kept
from mutation.children import Said, in_child
from mutation.mutants import GROUPS, SAMPLES, changed_lines, draw, found_again, left_out, mutants_below, mutated
from mutation.results import Result

ROOT = Path(__file__).resolve().parent.parent
_COPIED = ("harness", "tests", "contracts", "diagnostics", "adoptions", "examples", "docs", "pyproject.toml")


class Trials(Protocol):
    """How the mutants of one group are tried; both are called in a child and given the mutated module's path."""

    @property
    def sample(self) -> str:
        """A module to run the trials with while nothing is mutated."""

    def trial(self, module: str) -> Said: ...

    def second(self, module: str) -> Said: ...


def main() -> int:
    """Reads the command line and runs; 1 where a mutant survived without a reason."""
    options = _options()
    os.nice(max(0, 5 - os.nice(0)))
    if not options.table:
        with _copy() as root:
            head, known = kept.read_results()
            if not (options.resume or options.survivors):
                head[options.of], drawn = _draw(root, options.of, options.sample, options.seed)
                known = [*(each for each in known if each.group not in SAMPLES[options.of]), *drawn]
            again = ("untried", "survived", "equivalent") if options.survivors else ("untried",)
            groups = SAMPLES[options.of] if options.group is None else (options.group,)
            _try_all(root, head, known, again, groups)
    head, known = kept.read_results()
    done = kept.explained(known)
    kept.write_results(head, done)
    kept.write_table(done)
    print(kept.table(done))
    return int(any(each.outcome == "survived" and not each.by for each in done))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m mutation", description=__doc__)
    parser.add_argument("--sample", type=int, default=300, help="mutants to draw, in equal parts from the groups")
    parser.add_argument("--of", choices=SAMPLES, default="jobs", help="which sample")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw")
    parser.add_argument("--survivors", action="store_true", help="only try those again that no test killed last time")
    parser.add_argument("--resume", action="store_true", help="go on with a run that was broken off")
    parser.add_argument("--group", choices=GROUPS, help="only try mutants of this group")
    parser.add_argument("--table", action="store_true", help="try nothing; read the reasons again and write the table")
    return parser.parse_args()


@contextmanager
def _copy() -> Iterator[Path]:
    """A copy of the tree that is mutated in place of it; everything is imported from there."""
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        root = Path(folder).resolve()
        for name in _COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(
                    source, root / name, ignore=shutil.ignore_patterns("__pycache__", "runs", "node_modules")
                )
            else:
                shutil.copy2(source, root / name)
        sys.path.insert(0, str(root))
        os.chdir(root)
        yield root
        os.chdir(ROOT)


def _draw(root: Path, of: str, sample: int, seed: int) -> tuple[dict[str, Any], list[Result]]:
    """The drawn mutants, untried, and what the head of the results says: how many there were to draw from."""
    head: dict[str, Any] = {"sample": sample, "seed": seed, "mutants-found": {}, "left-out": {}}
    drawn = []
    groups = SAMPLES[of]
    for number, group in enumerate(groups):
        found = list(mutants_below(root, GROUPS[group], root / f"{group}.sqlite"))
        usable, gone = left_out(root, found)
        head["mutants-found"][group], head["left-out"][group] = len(found), gone
        for mutant in draw(usable, sample // len(groups) + (number < sample % len(groups)), seed, group):
            lines = changed_lines(*mutated(root, mutant))
            drawn.append(Result(group, mutant, *lines, "untried", ""))
    return head, drawn


def _try_all(
    root: Path, head: dict[str, Any], known: list[Result], again: tuple[str, ...], groups: tuple[str, ...]
) -> None:
    """Tries every result of the groups with one of these outcomes anew, and writes all results down after each.

    Those of a model come first: their children need a parent that has imported nothing of the harness.
    """
    for group in groups:
        due = [at for at, each in enumerate(known) if each.group == group and each.outcome in again]
        if not due:
            continue
        trials = _trials(root, group)
        assert _sound(trials), f"the tests of the {group} fail without a mutation"
        for at in due:
            began = time.monotonic()
            known[at] = _try(root, known[at], trials)
            kept.write_results(head, known)
            print(f"{time.monotonic() - began:5.1f}s", known[at].line(), flush=True)


def _trials(root: Path, group: str) -> Trials:
    if group == "model":
        from mutation.model_trials import ModelTrials

        return ModelTrials(root)
    if group == "judgments":
        from mutation.judgment_trials import JudgmentTrials

        trials = JudgmentTrials(root)
        trials.prepare()
        return trials
    from mutation.pool_trials import PoolTrials

    return PoolTrials(root, group)


def _sound(trials: Trials) -> bool:
    """Without a mutation nothing may fail; this also leaves the copy's bytecode for all children."""
    module = trials.sample
    said = [in_child(lambda: trials.trial(module), warm=True), in_child(lambda: trials.second(module), warm=True)]
    print(said)
    return all(word == "survived" for word, _ in said)


def _try(root: Path, drawn: Result, trials: Trials) -> Result:
    mutant = found_again(root, drawn.mutant, (drawn.before, drawn.after))
    if mutant is None:
        return replace(drawn, outcome="gone", by="the line is not there any more")
    with _written(root / mutant.module, mutated(root, mutant)[1]):
        word, by = in_child(lambda: trials.trial(mutant.module))
        if word == "survived":
            word, by = in_child(lambda: trials.second(mutant.module))
    return replace(drawn, mutant=mutant, outcome="not viable" if word == "broken" else word, by=by)


@contextmanager
def _written(path: Path, text: str) -> Iterator[None]:
    """The text in place of the file's, which comes back with its old time: its bytecode stays good."""
    before, stat = path.read_bytes(), path.stat()
    path.write_text(text, encoding="utf-8")
    yield
    path.write_bytes(before)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


if __name__ == "__main__":
    sys.exit(main())
