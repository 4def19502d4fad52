"""Runs pytest inside a forked child, with nothing that a trial does not need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mutation.children import Said

_OPTIONS = (
    "-x",
    "-q",
    "--assert=plain",
    "--no-header",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:harness",
    "-p",
    "no:xdist",
    "-p",
    "no:doctest",
    "-p",
    "no:junitxml",
    "-p",
    "no:faulthandler",
    "--hypothesis-seed=0",
)


class _FirstFailure:
    """A pytest plugin that remembers the first test that failed."""

    def __init__(self) -> None:
        self.test = ""

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.test:
            self.test = report.nodeid

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed and not self.test:
            self.test = f"{report.nodeid} (collection)"


def pytest_says(files: Sequence[str]) -> Said:
    """Runs the files in this order up to the first failure."""
    import pytest

    seen = _FirstFailure()
    status = pytest.main([*_OPTIONS, *files], plugins=[seen])
    if status == pytest.ExitCode.OK:
        return "survived", ""
    return "killed", seen.test or f"pytest left with {int(status)}"
