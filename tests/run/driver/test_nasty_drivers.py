"""Whatever a driver does, the scenario ends as an error that says so, the run goes on, and no process is left."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.cli import main
from harness.run.driver import process
from harness.run.driver.channel import ProcessChannel
from harness.run.driver.faults import DriverFault
from tests.run_builders import BAKERY, ROOT

NASTY = ROOT / "tests" / "subjects" / "nasty_driver.py"
TWO = ("--id", "bakery-oven/exact-inputs-required", "--id", "bakery-oven/claims-keep-their-source")

#: Seconds that a driver gets to leave, where the test is about one that never does.
BRIEFLY_S = 0.2

#: Flaw -> what the verdicts of both scenarios say.
FAULTS = {
    "crash": "ended with status 3; it printed: it broke at the oven door",
    "hang": "gave no answer within 1 s; it printed: waiting for the oven",
    "deaf": "gave no answer within 1 s",
    "close-output": "closed its output",
    "giant-line": "wrote a line of more than 8388608 bytes",
    "half-a-line": 'ended with status 0 inside a line: {"seq": 4, "ok":',
    "flood": "answered message 0 instead of",
    "killed": "was killed by signal 9",
    "garbage": "is not JSON: <html>service unavailable</html>",
    "empty-line": "is not JSON",
    "a-list": "is no object: [1, 2]",
    "a-number": "is no object: 7",
    "not-utf-8": "is not JSON",
    "deep": "is not JSON",
    "nothing-known": "is none of the known ones",
    "ok-and-refused": "is none of the known ones",
    "records-no-list": "is none of the known ones",
    "record-no-object": "is no object that names its log: job-requested",
    "unknown-log": "names no known log: reprot-log",
    "no-row-number": "report-log: column seq holds no whole number",
    "wrong-type": 'report-log: column causes holds "requester", not array',
    "wrong-seq": "answered message 9999 instead of",
    "late": "instead of",
    "no-seq": "answered message None instead of",
    "answers-twice": "the driver ",
    "no-greeting": "lacks ok, implementation or observes",
    "no-report-log": "does not observe the report-log",
    "no-time": "time is none of virtual, settle, real",
    "crash-at-start": "ended with status 3",
    "no-world": "could not begin the world: the shelf is being painted",
    "crash-at-begin": "ended with status 3",
    "unasked": "the driver ",
    "ends-at-end": "ended with status 0",  # one fresh start is granted, these scenarios have more worlds
    "crash-with-grandchild": "ended with status 3",
}


def command(flaw: str, mark: Path) -> str:
    return f'"{sys.executable}" "{NASTY}" {flaw} "{mark}"'


def run(flaw: str, out: Path, *options: str) -> tuple[int, Any]:
    given = ("--driver", command(flaw, out.parent), "--driver-timeout", "1", "--out", str(out), *TWO, *options)
    status = main(["run", "--quiet", str(BAKERY), *given])
    file = out / "run.json"
    return status, json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None


def processes(mark: Path) -> set[str]:
    """The command lines of all processes that have the mark of a test."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if str(mark) in line:
                found.add(f"{entry.name} {line}")
    return found


@pytest.fixture
def _leaves_nothing(tmp_path: Path) -> Any:
    """Nothing that a driver was or started is there after the run."""
    yield
    if Path("/proc").is_dir():
        assert processes(tmp_path) == set()


@pytest.mark.parametrize("flaw", FAULTS)
@pytest.mark.usefixtures("_leaves_nothing")
def test_broken_driver_makes_errors_and_the_run_goes_on(flaw: str, tmp_path: Path) -> None:
    """Every scenario is an error with what the driver did and printed, and the call ends with status 4."""
    status, document = run(flaw, tmp_path / "out")
    entries = document["adoptions"][0]["scenarios"]
    assert [each["status"] for each in entries] == ["error", "error"]
    reasons = {clause["reason"] for each in entries for clause in each["clauses"]}
    assert all(FAULTS[flaw] in each for each in reasons)
    assert document["driver"]["command"] == command(flaw, tmp_path)
    assert status == 4


@pytest.mark.parametrize("flaw", ["ignores-stop", "grandchild", "grandchild-with-a-session", "chatters"])
@pytest.mark.usefixtures("_leaves_nothing")
def test_bad_manners_outside_of_answers_do_no_harm(flaw: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver that does not leave, leaves children behind, or prints a lot is judged like any other."""
    if flaw == "ignores-stop":
        monkeypatch.setattr(process, "STOP_S", BRIEFLY_S)
    status, document = run(flaw, tmp_path / "out")
    statuses = {each["status"] for each in document["adoptions"][0]["scenarios"]}
    assert "error" not in statuses
    assert status in (0, 1, 3)


@pytest.mark.usefixtures("_leaves_nothing")
def test_workers_leave_no_driver_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each worker ends its driver after the whole time it has, and the result is that of one process."""
    monkeypatch.setattr(process, "STOP_S", BRIEFLY_S)
    one = run("ignores-stop", tmp_path / "one")
    two = run("ignores-stop", tmp_path / "two", "--workers", "2")
    assert one == two


def test_declined_adoption_is_refused_before_the_first_event(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A driver that cannot be such a system is told with what it lacks; nothing is run or written."""
    status, document = run("unsupported", tmp_path / "out")
    assert status == 2
    assert document is None
    assert "it does not support standing orders, failures" in capsys.readouterr().err


def test_skipped_event_leaves_nothing_to_check(tmp_path: Path) -> None:
    """What rests on an event that the driver has no way to do has nothing to check, for the reason it gave."""
    status, document = run("skips", tmp_path / "out")
    clauses = [each for entry in document["adoptions"][0]["scenarios"] for each in entry["clauses"]]
    assert {each["verdict"] for each in clauses} <= {"nothing-to-check", "blind"}
    reasons = [each["reason"] for each in clauses if each["verdict"] == "nothing-to-check"]
    assert reasons
    assert all("the driver skipped open-pool: there is no such button (tracker 12)" in each for each in reasons)
    assert status == 3


def test_program_that_is_not_there_is_an_error_of_the_driver(tmp_path: Path) -> None:
    """A command that cannot be started is the driver's failure, told in every scenario."""
    out = tmp_path / "out"
    status = main(["run", "--quiet", str(BAKERY), "--driver", "no-such-program --now", "--out", str(out), *TWO])
    text = (out / "run.json").read_text(encoding="utf-8")
    assert status == 4
    assert text.count("the driver no-such-program cannot be started") > 1


def test_driver_gets_little_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the caller's environment a driver sees the path, the home and the language, what it is given, and a mark."""
    monkeypatch.setenv("SECRET", "shelf")
    program = "import json, os; input(); print(json.dumps(dict(os.environ)))"
    channel = ProcessChannel((sys.executable, "-c", program), {"OVEN": "two"}, 10)
    try:
        seen = channel.ask({"seq": 1})
    finally:
        channel.close(None)
    assert seen["OVEN"] == "two"
    assert set(seen) <= {"PATH", "HOME", "LANG", "SYSTEMROOT", "OVEN", "LC_CTYPE", "HARNESS_DRIVER"}


@pytest.mark.skipif(os.name != "posix", reason="needs a shell's way to close a pipe")
def test_closed_input_is_told() -> None:
    """A driver that closes its input and ends is told by how it ended, however much was to be sent."""
    channel = ProcessChannel((sys.executable, "-c", "import sys; sys.stdin.close(); sys.exit(5)"), {}, 10)
    try:
        with pytest.raises(DriverFault, match="ended with status 5"):
            channel.ask({"seq": 1, "text": "x" * 1_000_000})
    finally:
        channel.close(None)
