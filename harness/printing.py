"""Findings and rendered values on their way out: what several verbs print in the same way."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, TextIO

from harness.console import painter, say
from harness.exit_status import ExitStatus

if TYPE_CHECKING:
    from harness.contract.validation import Validation


def rendered(family: str, form: str, values: Sequence[object], **extra: Any) -> str:
    """The text of some values in a format; each format is a module of `harness.writers` with a `render`."""
    text: str = import_module(f"harness.writers.{family}_{form}").render(values, **extra)
    return text


def rendered_findings(validated: Sequence[Validation], form: str, no_color: bool, stream: TextIO | None = None) -> str:
    """The findings in a format; as text they are coloured where `stream` (standard output) shows colours."""
    extra = {"paint": painter(no_color, stream)} if form == "text" else {}
    return rendered("findings", form, validated, **extra)


def say_errors(validated: Sequence[Validation], no_color: bool) -> None:
    """The findings of files that are not valid, on standard error: for verbs whose result is something else."""
    text = rendered_findings([each for each in validated if not each.is_valid], "text", no_color, sys.stderr)
    if text:
        say(text.rstrip("\n"))


def validation_status(validated: Validation) -> ExitStatus:
    """The exit status that the findings of one file call for."""
    if validated.is_unreadable:
        return ExitStatus.USAGE
    return ExitStatus.OK if validated.is_valid else ExitStatus.FOUND


def run_statuses(intakes: Sequence[Validation], summary: dict[str, Any], strict: bool) -> list[ExitStatus]:
    """Every exit status that the files and the verdicts call for."""
    scenarios, clauses = summary["scenarios"], summary["clauses"]
    undecided = clauses.get("unreached") or (strict and clauses.get("blind"))
    called_for = (
        (ExitStatus.USAGE, any(each.is_unreadable for each in intakes)),
        (ExitStatus.FOUND, scenarios.get("fail") or any(not each.is_valid for each in intakes)),
        (ExitStatus.UNDECIDED, undecided or (scenarios and not clauses.get("holds"))),
    )
    return [status for status, applies in called_for if applies]
