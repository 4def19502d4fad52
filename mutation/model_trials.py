"""Tests of a mutated lifecycle model: its own tests first, then the judges on the shipped adoptions."""

from __future__ import annotations

import importlib
from pathlib import Path

from mutation.children import Said
from mutation.suites import pytest_says

#: Modules whose tests stand under another name.
_NAMED_ELSEWHERE = {
    "alphabet": ("test_closed_walks", "test_random_walks"),
    "cells": ("test_decisions", "test_displacements"),
    "config": ("test_closed_walks", "test_workers"),
    "finishes": ("test_finish_gate",),
    "handlers": ("test_events",),
    "needs": ("test_requests", "test_claims"),
    "orders": ("test_offers",),
    "state": ("test_rows", "test_closed_walks"),
    "turn": ("test_rows", "test_starts"),
    "work": ("test_starts", "test_finish_gate"),
}
#: Quick tests that see much of the model; they come before the rest.
_BROAD = ("test_closed_walks", "test_rows", "test_deliveries", "test_stops", "test_starts")


class ModelTrials:
    """The trials of model mutants below a root; the parent imports no module of the harness."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for heavy in ("hypothesis.strategies", "yaml", "jsonschema", "sqlite3", "fractions", "_pytest.python"):
            importlib.import_module(heavy)

    @property
    def sample(self) -> str:
        """A module to run the trials with while nothing is mutated."""
        return "harness/models/lifecycle/turn.py"

    def trial(self, module: str) -> Said:
        """In a child: whether the tests notice what was done to the module."""
        try:
            importlib.import_module("harness.models.lifecycle.model")
            importlib.import_module("harness.models.lifecycle.alphabet")
            importlib.import_module("harness.models.inversions.registry")
        except Exception as fault:
            return "broken", f"{type(fault).__name__}: {fault}"
        return pytest_says(self.files(Path(module).stem))

    def second(self, module: str) -> Said:
        """In a child: whether the judges notice it on the shipped adoptions."""
        from mutation.soundness import shipped_runs, unsound

        return unsound(shipped_runs())

    def files(self, name: str) -> list[str]:
        """The model's test files, those nearest to the module first."""
        found = sorted(
            each.relative_to(self.root).as_posix() for each in (self.root / "tests/models").rglob("test_*.py")
        )
        near = [f"test_{name}", *_NAMED_ELSEWHERE.get(name, ()), *_BROAD]
        return sorted(
            found, key=lambda each: (near.index(Path(each).stem) if Path(each).stem in near else len(near), each)
        )
