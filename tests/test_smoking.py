"""A driver tried before a run: what it lacks is told plainly, and blamed on it alone."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from harness.cli import main
from tests.run_builders import BAKERY, ROOT

NASTY = ROOT / "tests" / "subjects" / "nasty_driver.py"


def smoke(capsys: pytest.CaptureFixture[str], driver: str, *options: str) -> tuple[int, str]:
    status = main(["smoke", "--driver", driver, *options, str(BAKERY)])
    return status, capsys.readouterr().out


def nasty(flaw: str, mark: Path) -> str:
    return f'"{sys.executable}" "{NASTY}" {flaw} "{mark}"'


def test_sound_driver_is_ready(capsys: pytest.CaptureFixture[str]) -> None:
    """The built-in driver is ready, writes every log, and leaves the same rows in the same world."""
    status, said = smoke(capsys, "builtin:lifecycle")
    assert status == 0
    assert "it writes 19 of 19" in said
    assert "3 of 3 refused" in said
    assert "events/s" in said
    assert "the same world twice: the same rows" in said
    assert said.endswith("the driver is ready\n")


def test_smoke_runs_a_scenario_of_each_kind(capsys: pytest.CaptureFixture[str]) -> None:
    """Each collection of the adoption that has a scenario with runs is tried once."""
    _, said = smoke(capsys, "builtin:lifecycle")
    (line,) = [each for each in said.splitlines() if each.startswith("scenarios:")]
    assert [f"[{row}]" in line for row in ("ovens", "baking", "power-cut", "house-rules", "baker-cancels")] == [
        True
    ] * 5


@pytest.mark.parametrize(
    ("flaw", "words"),
    [
        (
            "none",
            (
                "it accepts events that name what does not exist: cancel, open-pool, supply",
                "accepted requests and wrote no job-requested",
                "it writes 1 of 19",
                "blind: admission-trace, claim-ledger",
            ),
        ),
        ("skips", ("skipped open-pool: there is no such button (tracker 12)",)),
    ],
)
def test_lacks_are_told(flaw: str, words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a driver lacks stands in plain words, and the last line says whether it is ready."""
    status, said = smoke(capsys, nasty(flaw, tmp_path))
    assert [each for each in words if each not in said] == []
    assert status == (0 if said.endswith("the driver is ready\n") else 1)


@pytest.mark.parametrize(
    ("flaw", "words"),
    [
        ("crash", "the driver is not ready: the driver ended with status 3; it printed: it broke at the oven door"),
        ("unsupported", "the driver is not ready: it does not support standing orders, failures"),
        ("no-time", "the driver is not ready: the driver's answer to start does not fit its schema: time: 'some'"),
        ("hang", "the driver is not ready: the driver gave no answer within 1 s"),
    ],
)
def test_broken_driver_is_blamed(flaw: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A driver that breaks the protocol, or declines, is told so with status 4."""
    status, said = smoke(capsys, nasty(flaw, tmp_path), "--driver-timeout", "1")
    assert words in said
    assert status == 4


def test_world_that_is_not_begun_afresh_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A driver that keeps what the world before it left is found by the same world sent twice."""
    (tmp_path / "stale_driver.py").write_text(
        "from harness.kits.serving import served\n"
        "class Stale:\n"
        "    def __init__(self):\n        self.inner, self.begun = served(), 0\n"
        "    def answer(self, message):\n"
        "        if message['cmd'] == 'begin':\n"
        "            self.begun += 1\n"
        "            message['world']['stock'] = message['world'].get('stock', [])[self.begun % 2:]\n"
        "        return self.inner.answer(message)\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    status, said = smoke(capsys, "py:stale_driver:Stale")
    assert status == 1
    assert "a world is not begun afresh" in said


def test_smoke_without_a_file_takes_the_bakery(capsys: pytest.CaptureFixture[str]) -> None:
    """The same is said as with the bakery's file, and where it was tried stands beside it."""
    with_file = smoke(capsys, "builtin:lifecycle")[1]
    assert main(["smoke", "--driver", "builtin:lifecycle"]) == 0
    said = capsys.readouterr()
    assert untimed(said.out) == untimed(with_file)
    assert "the bakery that comes along" in said.err


def untimed(said: str) -> str:
    """What was said, without the events a second."""
    return re.sub(r"[\d,]+ events/s", "", said)


def test_smoke_needs_a_driver_and_a_readable_file(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a driver there is nothing to try, and a file that cannot be read is told as everywhere."""
    assert main(["smoke", str(BAKERY)]) == 2
    assert main(["smoke", "--driver", "builtin:lifecycle", "missing.yaml"]) == 2
    assert "missing.yaml" in capsys.readouterr().err
