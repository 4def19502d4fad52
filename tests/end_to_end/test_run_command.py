"""`harness run` as a process of its own: its bytes, its logs, the interrupt key, the terminal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from harness import workspace
from tests.run_builders import BAKERY, JOB_ADOPTIONS, MURAL, ROOT

SOME = ("-k", "reports or lifecycle or stopped or pool")


def start(*arguments: str, env: dict[str, str] | None = None, **given: Any) -> subprocess.Popen[bytes]:
    """`python -m harness run` in a process group of its own, as a shell starts it."""
    return subprocess.Popen(
        [sys.executable, "-m", "harness", "run", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT), "HARNESS_DEBUG": "", **(env or {})},
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **given},
    )


def run(*arguments: str, env: dict[str, str] | None = None) -> tuple[int, bytes, bytes]:
    """The status and both outputs of a whole call."""
    process = start(*arguments, env=env)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def tree(folder: Path) -> dict[str, bytes]:
    return {str(each.relative_to(folder)): each.read_bytes() for each in sorted(folder.rglob("*")) if each.is_file()}


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scenarios of two adoptions, run in one process with one hash seed."""
    out = tmp_path_factory.mktemp("run") / "two"
    status, _, told = run(*SOME, "--out", str(out), str(BAKERY), str(MURAL), env={"PYTHONHASHSEED": "1"})
    assert status in (0, 1, 3), told
    return out


# -- bytes -----------------------------------------------------------------------------------------------------------


def test_run_is_the_same_bytes_with_workers_another_hash_seed_and_locale(two: Path, tmp_path: Path) -> None:
    """Neither the number of processes nor the order of hashes nor the locale changes a byte of a run."""
    odd = {"PYTHONHASHSEED": "2", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "TZ": "Pacific/Kiritimati"}
    out = tmp_path / "again"
    run(*SOME, "--workers", "2", "--out", str(out), str(BAKERY), str(MURAL), env=odd)
    assert tree(out) == tree(two)


def test_order_of_files_is_the_order_of_adoptions_and_changes_nothing_else(two: Path, tmp_path: Path) -> None:
    """The other way round the adoptions stand the other way round in run.json, and every scenario is as it was."""
    out = tmp_path / "turned"
    run(*SOME, "--out", str(out), str(MURAL), str(BAKERY), env={"PYTHONHASHSEED": "3"})
    before, after = tree(two), tree(out)
    documents = [json.loads(each.pop("run.json")) for each in (before, after)]
    assert documents[0]["adoptions"] == documents[1]["adoptions"][::-1]
    assert documents[0]["summary"] == documents[1]["summary"]
    assert [json.loads(each.pop("resume.json")) for each in (before, after)].count(None) == 0
    assert before == after


# -- what is written -------------------------------------------------------------------------------------------------


def entries(folder: Path) -> list[Any]:
    document = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    return [each for adoption in document["adoptions"] for each in adoption["scenarios"]]


def test_document_fits_its_schema(two: Path) -> None:
    """run.json is what its schema says, and holds as many scenarios as its summary counts."""
    document = json.loads((two / "run.json").read_text(encoding="utf-8"))
    schema = json.loads(workspace.read_text(workspace.schema_paths()["run"]))
    Draft202012Validator(schema).validate(document)
    assert sum(document["summary"]["scenarios"].values()) == len(entries(two)) > 10
    assert sum(document["summary"]["clauses"].values()) == sum(len(each["clauses"]) for each in entries(two))
    assert document["summary"]["unaccounted"] == 0


def test_every_named_log_is_there_and_every_row_fits_its_schema(two: Path) -> None:
    """Each scenario has all logs that its diagnostics name, each with its header and rows of its schema."""
    validators = {
        name: Draft202012Validator(json.loads(workspace.read_text(path)))
        for name, path in workspace.schema_paths().items()
    }
    rows = 0
    for entry in entries(two):
        expanded = json.loads((two / workspace.file_stem(entry["id"]) / "scenario.json").read_text(encoding="utf-8"))
        assert list(entry["logs"]) == expanded["diagnostics"]
        for name, path in {**entry["logs"], **entry["supporting"]}.items():
            header, *lines = [json.loads(each) for each in (two / path).read_text(encoding="utf-8").splitlines()]
            bare = name.removeprefix(f"{expanded['instance']}-")
            assert (header["log"], header["scenario"]) == (name, entry["id"])
            assert header["columns"] == json.loads(workspace.read_text(workspace.schema_paths()[bare]))["x-columns"]
            assert header["reason"] is None or not lines
            for line in lines:
                validators[bare].validate(line)
            rows += len(lines)
    assert rows > 100


def test_every_piece_of_evidence_stands_in_a_log_of_its_scenario(two: Path) -> None:
    """Evidence names a log under `logs` or `supporting` and a row that is in it, or a place of the adoption."""
    supported = 0
    for entry in entries(two):
        named = {**entry["logs"], **entry["supporting"]}
        numbers: dict[str, set[int]] = {}
        for evidence in (each for clause in entry["clauses"] for each in clause["evidence"] if "seq" in each):
            log = evidence["log"]
            if log not in numbers:
                lines = (two / named[log]).read_text(encoding="utf-8").splitlines()[1:]
                numbers[log] = {json.loads(line)["seq"] for line in lines}
            assert evidence["seq"] in numbers[log]
            supported += log in entry["supporting"]
    assert supported > 0


def test_nothing_else_is_written(two: Path) -> None:
    """A run's folder holds run.json, resume.json, and for each scenario its text and its logs."""
    expected = {"run.json", "resume.json"}
    for entry in entries(two):
        expected |= {*entry["logs"].values(), *entry["supporting"].values()}
        expected.add(f"{workspace.file_stem(entry['id'])}/scenario.json")
    assert set(tree(two)) == expected
    assert [each.name for each in two.parent.iterdir()] == ["two"]


# -- the interrupt key -----------------------------------------------------------------------------------------------


def finished_in(folder: Path) -> int:
    return len(list(folder.rglob("scenario.json")))


def living_in_group(group: int) -> list[int]:
    """The processes of a group that still run; one that has ended and was not yet cleared away doesn't count."""
    found: list[int] = []
    for each in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, _, rest = each.read_text().partition(" (")
        except OSError:
            continue
        state, _, its_group = rest.rpartition(") ")[2].split()[:3]
        if int(its_group) == group and state != "Z":
            found.append(int(number))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system does not list its processes there")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_interrupt_is_130_keeps_what_is_finished_and_leaves_no_process(workers: str, tmp_path: Path) -> None:
    """The interrupt key reaches every process of the group: the call ends with 130, with the scenarios it has."""
    process = start("--workers", workers, "--out", str(tmp_path / "out"), *map(str, JOB_ADOPTIONS))
    try:
        for _ in range(600):
            if finished_in(tmp_path) >= 2 or process.poll() is not None:
                break
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert b"Traceback" not in err
    assert b"interrupted: what was finished is kept" in err
    deadline = time.monotonic() + 10
    while living_in_group(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert living_in_group(process.pid) == []
    kept = entries(tmp_path / "out")
    assert 2 <= len(kept) == finished_in(tmp_path)
    assert all((tmp_path / "out" / path).is_file() for each in kept for path in each["logs"].values())
    assert [each.name for each in tmp_path.iterdir()] == ["out"]
    total = out.decode().splitlines()[-1]
    assert total.startswith(f"together: {len(kept)} of ")
    assert int(total.split()[3]) > len(kept)


# -- readers that go away ----------------------------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_summary_that_cannot_be_printed_is_6_and_keeps_the_run(tmp_path: Path) -> None:
    """A full device on standard output loses the summary only, and a worse status is still told."""
    for options, status in ((("-k", "lifecycle"), 6), (("-k", "lifecycle", "--timeout", "0"), 3)):
        with open("/dev/full", "wb") as full:
            process = start(*options, "--out", str(tmp_path / "out"), str(BAKERY), stdout=full)
            _, told = process.communicate(timeout=60)
        assert process.returncode == status
        assert b"cannot write to standard output" in told
        assert entries(tmp_path / "out")


def test_nobody_reading_messages_is_no_error(tmp_path: Path) -> None:
    """A reader of standard error that goes away changes neither the run nor its status."""
    reading, writing = os.pipe()
    process = start("-k", "lifecycle", "--timeout", "0", "--out", str(tmp_path / "out"), str(BAKERY), stderr=writing)
    os.close(writing)
    os.close(reading)
    process.communicate(timeout=60)
    assert process.returncode == 3
    assert entries(tmp_path / "out")


# -- the terminal ----------------------------------------------------------------------------------------------------


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """Both ends of a terminal: ours, and the one to give to a process."""
    pty = pytest.importorskip("pty", reason="this system has no such terminals")
    ours, theirs = pty.openpty()
    yield ours, theirs
    os.close(ours)


def everything_from(descriptor: int) -> bytes:
    """All that was written to a terminal until its other end closed."""
    parts = []
    while True:
        try:
            part = os.read(descriptor, 4096)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize(("options", "is_shown"), [((), True), (("--quiet",), False)])
def test_progress_is_a_bar_on_a_terminal(
    options: tuple[str, ...], is_shown: bool, terminal: tuple[int, int], tmp_path: Path
) -> None:
    """A terminal on standard error shows a bar that reaches its end, unless the call is quiet."""
    ours, theirs = terminal
    process = start("-k", "lifecycle", *options, "--out", str(tmp_path / "out"), str(BAKERY), stderr=theirs)
    os.close(theirs)
    shown = everything_from(ours)
    out, _ = process.communicate(timeout=60)
    assert (b"running" in shown and b"100%" in shown) is is_shown
    assert b"running" not in out


def test_pipe_gets_no_progress(tmp_path: Path) -> None:
    """Without a terminal standard error says where the run stands, and nothing else."""
    _, out, err = run("-k", "lifecycle", "--out", str(tmp_path / "out"), str(BAKERY))
    assert err.decode() == f"written to {tmp_path / 'out'}\n"
    assert out.startswith(b"bakery-oven: 1 of 1 run, ")
