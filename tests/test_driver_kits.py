"""The drivers to copy: their faults are found and named, and the page that explains them tells the truth."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from harness.cli import main
from harness.expansion.scenario import Scenario
from harness.expansion.selection import Selection
from harness.intake import validate_files
from harness.run.driver.channel import DriverWish
from harness.run.plan import Plan
from harness.run.system import SYSTEM_LOGS
from harness.runner import AdoptionRunner
from tests.run_builders import BAKERY, ROOT

KITS = ROOT / "examples" / "drivers"
PAGE = ROOT / "docs" / "drivers.md"
COMMANDS = {
    "python": f'"{sys.executable}" "{KITS / "toy_engine.py"}"',
    "node": f'node "{KITS / "toy-engine.js"}"',
}
FOUND = {
    "spills-water": {"claims-keep-their-source", "declared-cancellation-settles-one-job[baker-cancels]"},
    "forgets-dough": {"declared-interruption-stops-once[power-cut]", "kept-work-stays-with-the-job"},
    "newest-first": {"work-limit-offers-room-and-releases-counts[ovens]"},
}


@pytest.fixture(params=COMMANDS)
def kit(request: pytest.FixtureRequest) -> str:
    """The command of a kit; Node.js is not everywhere."""
    if request.param == "node" and shutil.which("node") is None:
        pytest.skip("Node.js is not installed")
    return COMMANDS[request.param]


class Planned(AdoptionRunner):
    """A runner of the bakery; its plans do not rest on the driver, and are made once."""

    plans: ClassVar[dict[str, Plan]] = {}

    def plan(self, scenario: Scenario) -> Plan:
        """The runs of a scenario."""
        if scenario.id not in self.plans:
            self.plans[scenario.id] = super().plan(scenario)
        return self.plans[scenario.id]


def verdicts(command: str) -> dict[str, set[str]]:
    """The scenarios (without the instance) by the verdicts of their clauses."""
    runner = Planned(validate_files([str(BAKERY)])[0], driver=DriverWish(command, 30, strict=True))
    found: dict[str, set[str]] = {}
    try:
        for scenario in runner.scenarios(Selection()):
            for clause in runner.judge(scenario).clauses:
                found.setdefault(str(clause.verdict), set()).add(scenario.id.partition("/")[2])
    finally:
        runner.close()
    return found


def test_repaired_bakery_violates_nothing(kit: str) -> None:
    """Without its faults the bakery keeps all that its logs can show."""
    found = verdicts(f"{kit} --repaired")
    assert set(found) == {"holds", "nothing-to-check", "blind"}


#: Each fault of each kit; of the second kit's, one by default.
ALONE = [
    pytest.param(kit, fault, marks=pytest.mark.deep if kit == "node" and fault != "newest-first" else ())
    for kit in COMMANDS
    for fault in FOUND
]


@pytest.mark.parametrize(("kit", "fault"), ALONE, indirect=["kit"])
def test_each_fault_is_found_and_named(kit: str, fault: str) -> None:
    """Alone, each fault violates the scenarios that speak of it, and none that speaks of another one."""
    others = [each for each in FOUND if each != fault]
    violated = verdicts(f"{kit} --repaired {' '.join(others)}")["violated"]
    assert violated >= FOUND[fault]
    assert violated.isdisjoint(set().union(*(FOUND[each] for each in others)))


def test_faults_are_found_together(kit: str) -> None:
    """None of the three faults hides another one."""
    assert verdicts(kit)["violated"] >= set().union(*FOUND.values())


def test_page_names_the_faults_and_where_they_come_out() -> None:
    """The table of the page says of each fault what the tests find."""
    page = PAGE.read_text(encoding="utf-8")
    for fault, scenarios in FOUND.items():
        (row,) = [line for line in page.splitlines() if line.startswith(f"| `{fault}` |")]
        assert set(re.findall(r"`([^`]+)`", row)) == {fault} | scenarios


# -- the transcript ----------------------------------------------------------------------------------------------------


def transcript() -> Iterator[tuple[str, dict[str, Any]]]:
    """The messages of the page, each with its direction."""
    (block,) = re.findall(r"```transcript\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    for part in re.split(r"^(?=[<>])", block, flags=re.MULTILINE):
        if part:
            yield part[0], json.loads(part[1:])


def toy_engine() -> Any:
    spec = importlib.util.spec_from_file_location("toy_engine", KITS / "toy_engine.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_transcript_is_what_the_bakery_answers() -> None:
    """Each message of the page, sent to the bakery, gets the answer that stands below it."""
    driver = toy_engine().Driver()
    messages = list(transcript())
    assert [mark for mark, _ in messages] == [">", "<"] * (len(messages) // 2)
    for (_, sent), (_, answer) in zip(messages[::2], messages[1::2], strict=True):
        assert driver.answer(sent) == answer


def test_transcript_is_a_whole_scenario() -> None:
    """The worlds and events of the page are those of the scenario that it names, from begin to end."""
    sent = [message for mark, message in transcript() if mark == ">"]
    assert [each["cmd"] for each in sent[:2] + sent[-1:]] == ["start", "adopt", "stop"]
    (named,) = {each["scenario"] for each in sent if each["cmd"] == "begin"}
    runner = AdoptionRunner(validate_files([str(BAKERY)])[0])
    (scenario,) = [each for each in runner.expansion.scenarios if each.id == named]
    expected: list[Any] = []
    for world in runner.plan(scenario).worlds:
        expected += [("begin", world.world), *(("event", each) for each in world.events), ("end", None)]
    assert [(each["cmd"], each.get("world", each.get("event"))) for each in sent[2:-1]] == expected


def test_kits_are_written_without_the_harness() -> None:
    """A kit can be copied away: it imports nothing but its language's own."""
    text = (KITS / "toy_engine.py").read_text(encoding="utf-8")
    assert set(re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)) == {"__future__", "json", "sys"}
    front = (KITS / "show_only.py").read_text(encoding="utf-8")
    standard = {"__future__", "json", "subprocess", "sys"}
    assert set(re.findall(r"^(?:import|from) (\w+)", front, re.MULTILINE)) == standard
    assert re.findall(r"require\(\"([^\"]+)\"\)", (KITS / "toy-engine.js").read_text(encoding="utf-8")) == [
        "node:readline"
    ]


def test_kit_runs_as_a_python_object(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python kit is a driver as a class as well."""
    monkeypatch.chdir(Path(KITS))
    monkeypatch.syspath_prepend(str(KITS))
    assert verdicts("py:toy_engine:Driver")["violated"] >= set().union(*FOUND.values())


@pytest.mark.parametrize(
    ("hidden", "verdict"),
    [((), "violated"), (("count-trace",), "blind"), (tuple(SYSTEM_LOGS - {"report-log"}), "blind")],
)
def test_less_to_see_is_tried_with_a_driver_in_front(
    hidden: tuple[str, ...], verdict: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A breach that is seen with all logs is blind without the one that shows it, and the summary names a log."""
    shown = ",".join(sorted(SYSTEM_LOGS - set(hidden)))
    broken = f'"{sys.executable}" -m harness driver --invert freed-slot-waits-for-the-next-event'
    command = f'"{sys.executable}" "{KITS / "show_only.py"}" {shown} {broken}'
    given = ("--driver", command, "--driver-env", f"PYTHONPATH={ROOT}", "--no-shrink", "--out", str(tmp_path / "out"))
    main(["run", str(BAKERY), "--template", "resume-waits-for-every-cause", "--quiet", *given])
    document = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    assert document["adoptions"][0]["scenarios"][0]["clauses"][1]["verdict"] == verdict
    assert ("blind:" in capsys.readouterr().out) is bool(hidden)


def test_summary_names_the_log_that_restores_most(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a system that only reports, the claims would tell the most; with them, as many clauses less are blind."""
    said = []
    for at, shown in enumerate(("report-log", "report-log,claim-ledger")):
        command = f'"{sys.executable}" "{KITS / "show_only.py"}" {shown} {COMMANDS["python"]} --repaired'
        main(["run", str(BAKERY), "--quiet", "--driver", command, "--out", str(tmp_path / str(at))])
        (line,) = re.findall(r"^  blind: \d+ clauses.*$", capsys.readouterr().out, re.MULTILINE)
        said.append([int(each) for each in re.findall(r"\d+", line)])
        assert at or "claim-ledger alone would restore" in line
    (blind, restored), (left, _) = said
    assert left == blind - restored
