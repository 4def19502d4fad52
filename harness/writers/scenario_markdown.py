"""Scenarios as Markdown, to read or to put into a review."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from harness.expansion.scenario import Exclusion, Scenario
from harness.writers.plain import one_line

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~&])")
_BLOCK_START = re.compile(r"^(\d+)([.)])|^([-+=])")


def render(entries: Sequence[Scenario | Exclusion]) -> str:
    """A heading for each adoption, a section for each scenario, and a table of the exclusions where they are listed."""
    parts = [_adoption(instance, list(group)) for instance, group in groupby(entries, lambda each: each.instance)]
    return "\n".join(parts)


def escape(text: str) -> str:
    """`text` on one line, to be shown as it is: nothing in it is read as Markdown or HTML."""
    escaped = _SPECIAL.sub(r"\\\1", one_line(text))
    return _BLOCK_START.sub(lambda found: f"{found[1]}\\{found[2]}" if found[1] else f"\\{found[3]}", escaped)


def _adoption(instance: str, entries: list[Scenario | Exclusion]) -> str:
    scenarios = [each for each in entries if isinstance(each, Scenario)]
    exclusions = [each for each in entries if isinstance(each, Exclusion)]
    head = f"# {escape(instance)}\n"
    return "\n".join([head, *map(_section, scenarios), *_exclusion_table(exclusions)])


def _section(scenario: Scenario) -> str:
    lines = [f"## {escape(scenario.title)}", "", escape(scenario.id), "", escape(scenario.text), ""]
    listed = (
        ("Given", (scenario.given,) if scenario.given else ()),
        ("When", scenario.when),
        ("Then", scenario.then),
        ("Scope", (scenario.scope,) if scenario.scope else ()),
        ("Holds", (scenario.holds,) if scenario.holds else ()),
        ("Seeds", scenario.seeds),
        ("Logs", scenario.diagnostics),
    )
    for name, texts in listed:
        if texts:
            lines += [f"**{name}**", "", *(f"- {escape(each)}" for each in texts), ""]
    return "\n".join(lines)


def _exclusion_table(exclusions: list[Exclusion]) -> list[str]:
    if not exclusions:
        return []
    from tabulate import tabulate

    rows = [[escape(each.id), escape(each.reason)] for each in exclusions]
    table = tabulate(rows, headers=["excluded", "because"], tablefmt="pipe", disable_numparse=True)
    return ["## Excluded by rule\n", table + "\n"]
