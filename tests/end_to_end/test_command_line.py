"""The command line as a user meets it: a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
BAKERY = "adoptions/bakery-oven/bakery-oven.adoption.yaml"


def harness(
    *arguments: str, cwd: Path = ROOT, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run `python -m harness` in a folder, with this environment and what it adds."""
    search = {"PYTHONPATH": str(ROOT), "HARNESS_DEBUG": "", "PYTHONUTF8": ""}
    return subprocess.run(
        [sys.executable, "-m", "harness", *arguments],
        cwd=cwd,
        env={**os.environ, **search, **(env or {})},
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def test_version_loads_nothing_costly() -> None:
    """`--version` answers without YAML, JSON Schema, tables or any layer of the harness."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "harness", "--version"], cwd=ROOT, capture_output=True, check=True
    )
    loaded = {line.split("|")[-1].strip() for line in done.stderr.decode().splitlines()}
    assert "click" in loaded
    assert not {"yaml", "jsonschema", "tabulate", "harness.contract", "harness.writers", "harness.models"} & loaded


@pytest.mark.parametrize("form", ["json", "gherkin"])
def test_output_is_the_same_bytes_in_any_locale_hash_order_and_folder(form: str, tmp_path: Path) -> None:
    """The same file gives the same bytes with a plain C locale, another hash seed, and from another folder."""
    plain = harness("expand", "--format", form, BAKERY)
    odd = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONCOERCECLOCALE": "0", "PYTHONHASHSEED": "7"}
    elsewhere = harness("expand", "--format", form, str(ROOT / BAKERY), cwd=tmp_path, env=odd)
    assert plain.returncode == elsewhere.returncode == 0
    assert plain.stdout == elsewhere.stdout
    assert "\u2014".encode() in plain.stdout
    assert b"\r" not in plain.stdout


def test_broken_pipe_is_quiet() -> None:
    """A reader that goes away early is no error and leaves no message."""
    call = [sys.executable, "-m", "harness", "expand", "--quiet", "--format", "json", BAKERY]
    with subprocess.Popen(call, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        told = process.stderr.read()
        assert (process.wait(), told) == (0, b"")


def test_full_output_device_is_status_6() -> None:
    """Output that can't be written is said, with its status."""
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no device that is always full")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "harness", "schema", "adoption"], cwd=ROOT, stdout=full, stderr=subprocess.PIPE
        )
    assert done.returncode == 6
    assert b"cannot write to standard output" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("validate", BAKERY), 0),
        (("validate", "missing.yaml"), 2),
        (("validate", "adoptions"), 2),
        (("validate", "README.md"), 2),
        (("nothing",), 2),
        (("expand", "-k", "no-such-thing", BAKERY), 5),
    ],
)
def test_exit_status_reaches_the_shell(arguments: tuple[str, ...], status: int) -> None:
    """The status is the process's own, and no call ends in a traceback."""
    done = harness(*arguments)
    assert done.returncode == status
    assert b"Traceback" not in done.stderr
