"""Scenarios as one Gherkin document, for tools that read feature files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from harness.expansion.scenario import Exclusion, Scenario
from harness.writers.plain import one_line


def render(entries: Sequence[Scenario | Exclusion]) -> str:
    """A feature for the adoption, a rule for each template, a scenario for each row.

    A feature file holds one feature, so several adoptions share one and the rules say whose they are. A scenario's
    name begins with its id, which makes it unique. An exclusion becomes a comment.
    """
    instances = list(dict.fromkeys(each.instance for each in entries))
    lines = [f"Feature: {one_line(_feature_name(instances))}"]
    for (instance, template), group in groupby(entries, lambda each: (each.instance, each.template)):
        lines += _rule(template if len(instances) == 1 else f"{instance}: {template}", list(group))
    return "\n".join(lines) + "\n"


def _feature_name(instances: list[str]) -> str:
    return ", ".join(instances) if instances else "no scenarios"


def _rule(name: str, entries: list[Scenario | Exclusion]) -> Iterator[str]:
    scenarios = [each for each in entries if isinstance(each, Scenario)]
    yield ""
    for entry in entries:
        if isinstance(entry, Exclusion):
            yield f"  # {one_line(entry.id)} is excluded: {one_line(entry.reason)}"
    if scenarios:
        yield f"  Rule: {one_line(name)}"
    for scenario in scenarios:
        yield ""
        yield f"    Scenario: {one_line(f'{scenario.id}: {scenario.title}')}"
        yield from (f"      {keyword} {one_line(text)}" for keyword, text in _steps(scenario))


def _steps(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """The steps with their keywords: Given, When, Then, and And where one keyword repeats."""
    listed = (
        ("Given", _givens(scenario)),
        ("When", scenario.when),
        ("Then", scenario.clauses),
    )
    for keyword, texts in listed:
        for position, text in enumerate(texts):
            yield (keyword if position == 0 else "And", text)


def _givens(scenario: Scenario) -> tuple[str, ...]:
    """What a scenario starts from; a general one starts from its scope and its seeds."""
    seeds = f"the seeds {', '.join(scenario.seeds)}" if scenario.seeds else None
    return tuple(each for each in (scenario.given, scenario.scope, seeds) if each)
