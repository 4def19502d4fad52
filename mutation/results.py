"""What came of the mutants: `results.json`, the hand-kept reasons, and the table in the README."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mutation.mutants import SAMPLES, Mutant, mutant_of

FOLDER = Path(__file__).resolve().parent
RESULTS = FOLDER / "results.json"
EXPLAINED = FOLDER / "explained.yaml"
README = FOLDER / "README.md"
TABLE_BEGINS, TABLE_ENDS = "<!-- table begins -->", "<!-- table ends -->"

#: What can come of a mutant: it cannot be imported, a test fails, nothing could fail, a test is missing.
#: Besides, `untried` by a run that was broken off, and `gone` where the line was changed after the draw.
OUTCOMES = ("not viable", "killed", "equivalent", "survived")


@dataclass(frozen=True)
class Result:
    """One mutant with its outcome; `by` is the first test that failed, or why no test can or does."""

    group: str
    mutant: Mutant
    before: str
    after: str
    outcome: str
    by: str

    def to_json(self) -> dict[str, Any]:
        """As it stands in `results.json`."""
        return {**self.mutant.to_json(), "group": self.group, **_texts(self)}

    def line(self) -> str:
        """One line for the terminal."""
        return f"{self.outcome:10} {self.mutant.id} | {self.after} | {self.by}"


def _texts(result: Result) -> dict[str, str]:
    return {"before": result.before, "after": result.after, "outcome": result.outcome, "by": result.by}


def read_results(path: Path = RESULTS) -> tuple[dict[str, Any], list[Result]]:
    """The head of the file and its results."""
    value = json.loads(path.read_text(encoding="utf-8"))
    results = [
        Result(each["group"], mutant_of(each), each["before"], each["after"], each["outcome"], each["by"])
        for each in value["mutants"]
    ]
    return {name: each for name, each in value.items() if name != "mutants"}, results


def write_results(head: Mapping[str, Any], results: Iterable[Result], path: Path = RESULTS) -> None:
    """Writes head and results, in the order of the modules."""
    listed = [each.to_json() for each in sorted(results, key=lambda each: each.mutant)]
    path.write_text(json.dumps({**head, "mutants": listed}, indent=1) + "\n", encoding="utf-8")


def explained(results: Iterable[Result]) -> list[Result]:
    """The results, where survivors that `explained.yaml` calls equivalent are that; its holes get their reason.

    An entry names a mutant by its module, its definition and the line before and after: it outlives moved lines.
    """
    import yaml

    value = yaml.safe_load(EXPLAINED.read_text(encoding="utf-8")) or {}
    reasons = {
        _key(each["module"], each["in"], each["before"], each["after"]): (outcome, each["why"])
        for listed, outcome in (("equivalent", "equivalent"), ("holes", "survived"))
        for each in value.get(listed) or ()
    }
    return [_explained(each, reasons) for each in results]


def _key(module: str, definition: str | None, before: str, after: str) -> tuple[str, str, str, str]:
    return module, definition or "", " ".join(before.split()), " ".join(after.split())


def _explained(result: Result, reasons: Mapping[tuple[str, str, str, str], tuple[str, str]]) -> Result:
    if result.outcome not in ("survived", "equivalent"):
        return result
    key = _key(result.mutant.module, result.mutant.definition, result.before, result.after)
    outcome, why = reasons.get(key, ("survived", ""))
    return replace(result, outcome=outcome, by=why)


def table(results: Sequence[Result]) -> str:
    """The counts, one line for each group and one for each sample, in Markdown."""
    lines = ["| | drawn | viable | killed | equivalent | survived |", "|---|--:|--:|--:|--:|--:|"]
    lined: list[tuple[str, tuple[str, ...]]] = []
    for sample, parts in SAMPLES.items():
        lined += [(each, (each,)) for each in parts]
        lined.append((f"all {sample}", parts))
    for name, groups in lined:
        count = Counter(each.outcome for each in results if each.group in groups)
        drawn = sum(count[each] for each in OUTCOMES)
        figures = (drawn, drawn - count["not viable"], count["killed"], count["equivalent"], count["survived"])
        lines.append(f"| {name} | {' | '.join(map(str, figures))} |")
    return "\n".join(lines)


def write_table(results: Sequence[Result], path: Path = README) -> None:
    """Puts the table between its two marks in the README."""
    text = path.read_text(encoding="utf-8")
    head, rest = text.split(TABLE_BEGINS)
    _, tail = rest.split(TABLE_ENDS)
    path.write_text(f"{head}{TABLE_BEGINS}\n{table(results)}\n{TABLE_ENDS}{tail}", encoding="utf-8")
