"""Tests of a mutated pool model: the suite of its law, then the law's contract and the laws that share the module."""

from __future__ import annotations

import importlib
from pathlib import Path

from mutation.children import Said
from mutation.suites import pytest_says

#: The suite of each law below `tests/models/pools`, what is quick and sees much first.
_SUITES = {
    "fifo": (
        "test_fifo_matrix",
        "test_fifo_near_misses",
        "test_fifo_obligations",
        "test_construction",
        "test_fifo_ownership",
        "test_fifo_oracle",
        "test_shared",
        "test_cross_law",
        "test_fifo_slots",
        "test_faults",
        "test_second_crossing",
        "test_carriers",
        "test_fifo_walks",
        "test_fifo_stateful",
    ),
    "keyed": (
        "keyed/test_keyed_matrix",
        "keyed/test_keyed_bindings",
        "keyed/test_keyed_construction",
        "keyed/test_keyed_admission",
        "keyed/test_keyed_ownership",
        "keyed/test_keyed_recovery",
        "keyed/test_keyed_shutdown",
        "keyed/test_keyed_outcomes",
        "keyed/test_keyed_audits",
        "keyed/test_keyed_oracle",
        "test_keyed_slots",
        "test_cross_law",
        "keyed/test_keyed_walks",
        "keyed/test_keyed_stateful",
    ),
    "supervisor": (
        "test_supervisor_matrix",
        "test_supervisor_near_misses",
        "test_supervisor_construction",
        "test_supervisor_ownership",
        "test_supervisor_recovery",
        "test_supervisor_draining",
        "test_supervisor_late_facts",
        "test_supervisor_verbs",
        "test_supervisor_oracle",
        "test_supervised_slots",
        "test_supervisor_walks",
        "test_supervisor_stateful",
    ),
}
#: What looks at a law's model from further off; the keyed pool shares modules with the FIFO pool.
_FURTHER = {
    "fifo": (
        "tests/models/pools/keyed/test_keyed_matrix.py",
        "tests/models/pools/keyed/test_keyed_shutdown.py",
        "tests/models/pools/keyed/test_keyed_walks.py",
        "tests/verdict/pools/test_fifo_clauses.py",
    ),
    "keyed": ("tests/verdict/pools/test_keyed_clauses.py",),
    "supervisor": ("tests/verdict/pools/test_supervisor_clauses.py",),
}


class PoolTrials:
    """The trials of one law's mutants below a root; the parent imports no module of the harness."""

    def __init__(self, root: Path, law: str) -> None:
        self.root = root
        self.law = law
        for heavy in ("hypothesis.stateful", "yaml", "jsonschema", "sqlite3", "fractions", "_pytest.python"):
            importlib.import_module(heavy)

    @property
    def sample(self) -> str:
        """A module to run the trials with while nothing is mutated."""
        return f"harness/models/pools/{self.law}/model.py"

    def trial(self, module: str) -> Said:
        """In a child: whether the suite of the law notices what was done to the module."""
        try:
            importlib.import_module(f"harness.models.pools.{self.law}.law")
        except Exception as fault:
            return "broken", f"{type(fault).__name__}: {fault}"
        return pytest_says([f"tests/models/pools/{each}.py" for each in _SUITES[self.law]])

    def second(self, module: str) -> Said:
        """In a child: whether it is noticed from further off."""
        return pytest_says(_FURTHER[self.law])
