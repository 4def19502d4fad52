"""The project's rules about itself, as tests: what stands in its files, how long they are, what they import."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Collection, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CODE = sorted(each for folder in ("harness", "tests", "benchmarks") for each in (ROOT / folder).rglob("*.py"))
LINES_MAX = 400
FUNCTION_LINES_MAX = 60

LONG_FILES: dict[str, str] = {}
"""Files over the limit, each with the reason why it is still one job."""

MACHINE_PATHS = re.compile(r"(?<![A-Za-z0-9_./-])/(?:work|farm|root)/")
REGISTRY_HOSTS = re.compile(
    "|".join(("py" + r"pi\.org", "python" + r"hosted\.org", "npm" + r"js\.", r"crates\.i" + "o"))
)


def tracked_texts() -> Iterator[tuple[str, str]]:
    """Every text file of the project with its content, by its path relative to the root."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in sorted(filter(None, listed.stdout.decode().split("\0"))):
        path = ROOT / name
        if path.is_file():
            try:
                yield name, path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_files_name_no_machine_and_no_registry() -> None:
    """No file names a path of one machine or the host of a package registry; they mean nothing elsewhere."""
    if not (ROOT / ".git").exists():
        pytest.skip("outside a checkout it is not known which files are the project's")
    found = [
        f"{name}:{number}"
        for name, text in tracked_texts()
        for number, line in enumerate(text.splitlines(), 1)
        if MACHINE_PATHS.search(line) or REGISTRY_HOSTS.search(line)
    ]
    assert found == []


def test_code_files_are_short_or_give_a_reason() -> None:
    """A code file has at most 400 lines, or stands in the list of long ones; nothing short stands there."""
    long = {name_of(path) for path in CODE if len(path.read_text(encoding="utf-8").splitlines()) > LINES_MAX}
    assert long == set(LONG_FILES)


def test_functions_are_short() -> None:
    """No function has more than sixty lines."""
    long = [
        f"{name_of(path)}:{node.lineno} {node.name}"
        for path in CODE
        for node in functions(path)
        if (node.end_lineno or node.lineno) - node.lineno + 1 > FUNCTION_LINES_MAX
    ]
    assert long == []


def test_tests_state_their_rule() -> None:
    """Every test has a docstring, which says in a sentence what must hold."""
    silent = [
        f"{name_of(path)}:{node.lineno} {node.name}"
        for path in CODE
        if path.name.startswith("test_")
        for node in functions(path)
        if node.name.startswith("test_") and not ast.get_docstring(node)
    ]
    assert silent == []


def test_modules_say_what_they_are() -> None:
    """Every module of the package begins with a docstring."""
    silent = [
        name_of(path)
        for path in CODE
        if path.is_relative_to(ROOT / "harness") and not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert silent == []


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name, packages among them."""
    paths = [path for path in CODE if path.is_relative_to(ROOT / "harness")]
    return {name_of(each).removesuffix(".py").removesuffix("/__init__").replace("/", "."): each for each in paths}


def imported_at_once(path: Path, known: Collection[str]) -> Iterator[str]:
    """The modules of the package that importing this one runs: not what stands in a function or is for types only."""
    pending: list[ast.stmt] = list(ast.parse(path.read_text(encoding="utf-8")).body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for name in (f"{node.module}.{alias.name}" for alias in node.names):
                yield name if name in known else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.dump(node.test):
            pending += [*node.body, *node.orelse]
        elif isinstance(node, ast.Try | ast.With):
            pending += node.body


def test_modules_import_each_other_in_no_circle() -> None:
    """No import leads back to where it began, so each module can be the first one imported."""
    known = modules()
    graph = {
        name: {each for each in imported_at_once(path, known) if each in known and each != name}
        for name, path in known.items()
    }
    assert len(tuple(TopologicalSorter(graph).static_order())) == len(known)


IMPORT_ALL = """
import importlib, json, sys
failed = {}
for name in json.load(sys.stdin):
    try:
        importlib.import_module(name)
    except Exception as error:
        failed[name] = repr(error)
json.dump(failed, sys.stdout)
"""


def test_modules_import_in_any_order() -> None:
    """Every module of the package can be imported, the last ones first."""
    names = [each for each in sorted(modules(), reverse=True) if each != "harness.__main__"]
    assert json.loads(python("-c", IMPORT_ALL, stdin=json.dumps(names))) == {}


@pytest.mark.parametrize("module", ["harness.cli", "harness.expansion.expand", "harness.writers.scenario_table"])
def test_modules_import_costly_libraries_late(module: str) -> None:
    """Neither the command line nor the layers load YAML, JSON Schema or the table writer before they are used."""
    loaded = python("-c", f"import sys, {module}; print(' '.join(sys.modules))").split()
    assert {"yaml", "jsonschema", "tabulate"} & set(loaded) == set()


def python(*arguments: str, stdin: str = "") -> str:
    """What a fresh interpreter in the project's folder prints."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, input=stdin, capture_output=True, check=True, text=True
    )
    return done.stdout


def test_links_of_the_documents_lead_somewhere() -> None:
    """A relative link in a document of the project names a file that is there."""
    documents = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
    broken = [
        f"{name_of(document)}: {target}"
        for document in documents
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8"))
        if not (document.parent / target).exists()
    ]
    assert broken == []


def test_architecture_page_names_every_part() -> None:
    """Every folder and module of the package stands in the page that says what they are for.

    A module whose name begins with that of another one and an underscore is a part of that one.
    """
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    top = [each for each in sorted((ROOT / "harness").iterdir()) if not each.name.startswith("_")]
    modules = {each.name for each in top if each.suffix == ".py"}
    shown = [f"`{each.name}/`" for each in top if (each / "__init__.py").exists()]
    shown += [f"`{each}`" for each in sorted(modules) if f"{each.partition('_')[0]}.py" not in modules - {each}]
    assert [each for each in shown if each not in page] == []


def test_ci_runs_the_test_command_of_the_readme() -> None:
    """The README's test command and the continuous integration run the tests in the same way."""
    (command,) = re.findall(r"\.venv/bin/python (-m pytest.*)", (ROOT / "README.md").read_text(encoding="utf-8"))
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8").rstrip()
    assert ci.endswith(f'"$bin/python" {command}')
