"""The reports that `run --report KIND=PATH` asks for: what they are called, and writing them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple

from harness import workspace
from harness.base.errors import HarnessError, ReportError, UsageError
from harness.contract.fitting import suggestion
from harness.writers.report import KINDS, RunReport


class ReportWish(NamedTuple):
    """One report that was asked for: its kind, and the file to write it to."""

    kind: str
    path: str


def parse_reports(wishes: Sequence[str]) -> tuple[ReportWish, ...]:
    """The reports that KIND=PATH texts ask for; UsageError for an unknown kind, no path, or one path twice."""
    parsed = tuple(_parse(each) for each in wishes)
    paths = [each.path for each in parsed]
    twice = next((path for at, path in enumerate(paths) if path in paths[:at]), None)
    if twice is not None:
        raise UsageError(f"two reports are to be written to {twice}", "give each a file of its own")
    return parsed


def _parse(wish: str) -> ReportWish:
    kind, equals, path = wish.partition("=")
    if kind not in KINDS:
        raise UsageError(f"there is no report {kind!r}", suggestion(kind, KINDS))
    if not equals or not path:
        raise UsageError(f"--report {wish} names no file", f"say where to write it, as in --report {kind}=PATH")
    return ReportWish(kind, path)


def write_reports(wishes: Sequence[ReportWish], report: RunReport) -> tuple[ReportError, ...]:
    """Write every report, whole or not at all; what could not be written is told, and does not stop the others."""
    failed = []
    for wish in wishes:
        try:
            workspace.write_text(wish.path, _rendered(wish.kind, report))
        except HarnessError as error:
            failed.append(ReportError(f"the {wish.kind} report was not written: {error.message}", error.hint))
    return tuple(failed)


def _rendered(kind: str, report: RunReport) -> str:
    try:
        text: str = import_module(f"harness.writers.report_{kind}").render(report)
    except Exception as fault:
        raise HarnessError(f"its writer failed: {type(fault).__name__}: {fault}", "the run itself is kept") from fault
    return text
