"""Tests of a mutated judgment: the histories of its templates first, then shipped adoptions and falsified logs."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from mutation.children import Said
from mutation.suites import pytest_says

if TYPE_CHECKING:
    from harness.run.plan import Plan
    from harness.verdict.evidence import Evidence
    from tests.histories._load import History

    Case = tuple[History, Evidence, Plan]

PACKAGE = "harness.verdict.judgments"


class JudgmentTrials:
    """The trials of judgment mutants below a root; the parent imports everything but the judgments."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.imports = imports_below(root / PACKAGE.replace(".", "/"))
        self.cases: list[Case] = []
        importlib.import_module("_pytest.python")

    def prepare(self) -> None:
        """Read every history and run every shipped adoption, once for all children."""
        from mutation.soundness import shipped_runs
        from tests.histories._load import evidence_of, history_files, load_histories

        histories = [each for path in history_files() for each in load_histories(path)]
        self.cases = [(each, *evidence_of(each)) for each in histories]
        self.shipped = tuple(shipped_runs())

    @cached_property
    def users(self) -> Mapping[str, frozenset[str]]:
        """For each module: itself and every module that imports it, directly or not."""
        users = {name: {name} for name in self.imports}
        grown = True
        while grown:
            grown = False
            for name, imported in self.imports.items():
                for each in imported & users.keys():
                    new = users[name] - users[each]
                    users[each] |= new
                    grown = grown or bool(new)
        return {name: frozenset(each) for name, each in users.items()}

    @property
    def sample(self) -> str:
        """A module to run the trials with while nothing is mutated."""
        return "harness/verdict/judgments/life.py"

    def trial(self, module: str) -> Said:
        """In a child: whether a history of a template that rests on the module gets another verdict."""
        from harness.verdict import clauses

        before = {path.stem for path in (self.root / PACKAGE.replace(".", "/")).glob("*.py")} - {"__init__"}
        try:
            for each in sorted(before):
                importlib.import_module(f"{PACKAGE}.{each}")
        except Exception as fault:
            return "broken", f"{type(fault).__name__}: {fault}"
        resting = self._templates(clauses.JOBS.registry, Path(module).stem)
        for history, evidence, plan in self.cases:
            if history.template in resting and (wrong := _differs(history, evidence, plan)):
                return "killed", wrong
        return "survived", ""

    def _templates(self, registry: Mapping[tuple[str, int], object], stem: str) -> frozenset[str]:
        """The templates whose judgments rest on the module, also where the mutation unregistered one."""
        users = self.users[stem]
        named = {part for name in users for part in _texts(self.root / PACKAGE.replace(".", "/") / f"{name}.py")}
        registered = {t for (t, _), judgment in registry.items() if judgment.__module__.split(".")[-1] in users}
        return frozenset(registered | (named & {each.template for each, _, _ in self.cases}))

    def second(self, module: str) -> Said:
        """In a child: whether the shipped adoptions or the falsified logs show it."""
        from mutation.soundness import unsound

        said = unsound(self.shipped)
        if said[0] == "killed":
            return said
        return pytest_says(["tests/verdict", "tests/diagnostics/test_falsified_logs.py"])


def _differs(history: History, evidence: Evidence, plan: Plan) -> str:
    """As `test_history_gets_its_verdict` sees it: the clause with another verdict, reason or first row, or nothing."""
    from harness.verdict.clauses import JOBS
    from tests.histories._verdicts import disagreement

    for clause in history.clauses:
        if wrong := disagreement(history, JOBS.judge(evidence, history.template, clause, plan)):
            return f"{history.id} clause {clause}: {wrong}"[:200]
    return ""


def imports_below(folder: Path) -> Mapping[str, frozenset[str]]:
    """Which modules of the package each of its modules imports."""
    found = {}
    for path in sorted(folder.glob("*.py")):
        nodes = [
            node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.ImportFrom)
        ]
        names = {
            (node.module or "").removeprefix(f"{PACKAGE}.") for node in nodes if (node.module or "").startswith(PACKAGE)
        }
        names |= {each.name for node in nodes if node.module == PACKAGE for each in node.names}
        found[path.stem] = frozenset(names)
    return found


def _texts(path: Path) -> frozenset[str]:
    """Every text constant of a module; names of templates are among them."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return frozenset(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
