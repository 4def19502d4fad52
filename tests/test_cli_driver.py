"""The verb `driver`, and the options of `run` that name one."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from harness import workspace
from harness.base.errors import UsageError
from harness.cli import main
from harness.driver_server import serve
from harness.kits.serving import served
from harness.models.pools import carriers
from harness.run.driver.channel import split_command
from tests.run_builders import BAKERY

ONE_LOAF: tuple[dict[str, Any], ...] = (
    {
        "seq": 2,
        "cmd": "begin",
        "scenario": "x",
        "world": {
            "stock": [
                {"item": "flour", "amount": 3, "source": "larder"},
                {"item": "water", "amount": 1, "source": "tap"},
            ],
            "room": [{"destination": "shelf", "free": 2}],
        },
    },
    {"seq": 3, "cmd": "event", "event": {"kind": "open-pool", "row": "ovens"}},
    {"seq": 4, "cmd": "event", "event": {"kind": "request", "run": "A", "job": "bake-loaf"}},
    {"seq": 5, "cmd": "event", "event": {"kind": "tick"}},
)
ONE = ("--id", "bakery-oven/claims-keep-their-source")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test runs in a folder of its own."""
    monkeypatch.chdir(tmp_path)


def contract() -> Any:
    return json.loads(workspace.read_text(workspace.contract_path("job-resolution")))


def talk(*lines: object, strict: bool = False, model: str = "auto") -> list[dict[str, Any]]:
    """What the built-in driver answers to these messages; texts are sent as they are."""
    sent = "".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in lines)
    answers = io.BytesIO()
    serve(served(strict=strict, model=model).answer, io.BytesIO(sent.encode()), answers)
    return [json.loads(each) for each in answers.getvalue().splitlines()]


def test_server_answers_every_line_with_its_number() -> None:
    """Whatever comes gets one answer that repeats its number; `stop` is the last line that is read."""
    broken = ['{"seq": 1', "[]", "7", {"seq": 4, "cmd": "dance"}, {"seq": 5, "cmd": "event", "event": {"kind": "tick"}}]
    answers = talk(*broken, {"seq": 6, "cmd": "stop"}, {"seq": 7, "cmd": "start", "protocol": 1})
    assert [each["seq"] for each in answers] == [None, None, None, 4, 5, 6]
    assert [each.get("ok") for each in answers] == [False, False, False, False, None, True]
    assert answers[4]["refused"] == "no adoption was given"


@pytest.mark.parametrize(
    "message",
    [
        {"cmd": "begin", "scenario": "x"},
        {"cmd": "begin", "scenario": "x", "world": {"stock": [{"item": "flour"}]}},
        {"cmd": "begin", "scenario": "x", "world": 7},
        {"cmd": "event", "event": "tick"},
        {"cmd": "event", "event": {"kind": "dance"}},
        {"cmd": "event", "event": {"kind": "request"}},
        {"cmd": "event"},
    ],
)
def test_server_survives_malformed_messages(message: dict[str, Any]) -> None:
    """A message that lacks a part, or has one of the wrong kind, is refused, and the next one is answered."""
    adoption = {"cmd": "adopt", "contract": contract(), "adoption": document()}
    begin = {"cmd": "begin", "scenario": "x", "world": {}}
    tick = {"cmd": "event", "event": {"kind": "tick"}}
    answers = talk(*({"seq": at, **each} for at, each in enumerate([adoption, begin, message, tick])))
    assert answers[0] == {"seq": 0, "ok": True}
    assert answers[2].get("ok") is False or "refused" in answers[2]
    assert answers[3] == {"seq": 3, "ok": True, "records": []}


def document() -> Any:
    import yaml

    return yaml.safe_load(BAKERY.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"contract": "job-resolution"}, "misses"),
        ({}, "contract"),
        ({**document(), "rules": {}}, ""),
        ({**document(), "answers": "none"}, "/answers"),
    ],
)
def test_server_says_what_adoption_it_cannot_be(given: Any, words: str) -> None:
    """A document that is no adoption is declined with what is wrong, not taken and not crashed on."""
    (answer,) = talk({"seq": 1, "cmd": "adopt", "contract": contract(), "adoption": given})
    assert answer["unsupported"]


def test_strict_server_names_the_misfit() -> None:
    """Under `--validate-protocol` a message that the schema does not know is refused with the place of the misfit."""
    (answer,) = talk({"seq": 1, "cmd": "start", "protocol": 2}, strict=True)
    assert answer["ok"] is False
    assert "protocol: 1 was expected" in answer["reason"]


@pytest.mark.parametrize(("word", "made"), [("auto", ["auto"]), ("slots", ["slots"]), ("fifo", ["fifo"])])
def test_server_runs_on_the_model_that_is_asked_for(
    word: str, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The working slots are carried by the named model, which changes no answer but for a view of itself."""
    called: list[str] = []

    def noted(name: str, make: Any) -> Any:
        def noting() -> Any:
            called.append(name)
            return make()

        return noting

    monkeypatch.setattr(carriers, "CARRIERS", {name: noted(name, make) for name, make in carriers.CARRIERS.items()})
    served_as_asked, plain = (
        talk({"seq": 1, "cmd": "adopt", "contract": contract(), "adoption": document()}, *ONE_LOAF, model=each)
        for each in (word, "slots")
    )
    assert called == [*made, "slots"]
    shown = [row.pop("internal", None) for answer in served_as_asked for row in answer.get("records", ())]
    assert served_as_asked == plain
    assert any(shown) == (word == "fifo")
    assert any("job-started" in str(each) for each in plain)


def test_driver_refuses_a_model_that_there_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    """A word that no contract's models have is wrong usage, told with the words that there are."""
    assert main(["driver", "--model", "stone-oven"]) == 2
    assert "slots, fifo, keyed" in capsys.readouterr().err


# -- naming a driver -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("driver", ["builtin:lifecycle", "py:own_driver:Own"])
def test_run_takes_drivers_written_in_python(driver: str) -> None:
    """A shipped driver, and a class of a module in the current folder, are run like a program."""
    Path("own_driver.py").write_text(
        "from harness.kits.serving import served\n"
        "class Own:\n    def __init__(self):\n        self.answer = served(name='own').answer\n",
        encoding="utf-8",
    )
    assert main(["run", str(BAKERY), "--driver", driver, "--validate-protocol", "--out", "out", *ONE]) == 0
    told = json.loads(Path("out/run.json").read_text(encoding="utf-8"))["driver"]
    assert told["command"] == driver
    assert told["implementation"]["language"] == "Python"
    assert "claim-ledger" in told["observes"]


def test_python_object_that_raises_is_the_drivers_fault() -> None:
    """What a Python driver raises, an exit too, is an error of the driver; what it prints goes to standard error."""
    Path("bad_driver.py").write_text(
        "class Bad:\n    def answer(self, message):\n        print('hello')\n        raise SystemExit('gone')\n",
        encoding="utf-8",
    )
    assert main(["run", str(BAKERY), "--driver", "py:bad_driver:Bad", "--out", "out", *ONE]) == 4
    assert "the driver raised SystemExit: gone" in Path("out/run.json").read_text(encoding="utf-8")


def test_python_object_that_does_not_return_is_ended() -> None:
    """A Python driver has the time limit of all drivers, and what it printed is told."""
    Path("slow_driver.py").write_text(
        "import time\n"
        "class Slow:\n"
        "    def answer(self, message):\n"
        "        print('kneading')\n"
        "        time.sleep(600)\n",
        encoding="utf-8",
    )
    given = ("--driver", "py:slow_driver:Slow", "--driver-timeout", "1", "--out", "out", *ONE)
    assert main(["run", str(BAKERY), *given]) == 4
    said = Path("out/run.json").read_text(encoding="utf-8")
    assert "the driver gave no answer within 1 s; it printed: kneading" in said


def test_python_object_cannot_write_into_the_answers() -> None:
    """What a Python driver writes past its streams, to the descriptor of the output, is no answer."""
    Path("loud_driver.py").write_text(
        "import os\n"
        "from harness.kits.serving import served\n"
        "class Loud:\n"
        "    def __init__(self):\n        self.served = served()\n"
        "    def answer(self, message):\n"
        "        os.write(1, b'crumbs\\n')\n"
        "        return self.served.answer(message)\n",
        encoding="utf-8",
    )
    assert main(["run", str(BAKERY), "--driver", "py:loud_driver:Loud", "--out", "out", *ONE]) == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--driver", ""), "the driver's command is empty"),
        (("--driver", 'python "my driver'), "cannot be split"),
        (("--driver", "py:nowhere"), "names no class"),
        (("--driver", "py:nowhere:Class"), "cannot be imported: ModuleNotFoundError"),
        (("--driver", "py:json:nothing"), "cannot be imported: AttributeError"),
        (("--driver", "py:json.decoder:NaN"), "cannot be imported: TypeError: it is no class"),
        (("--driver", "builtin:nothing"), "write builtin:lifecycle"),
        (("--driver", "builtin:lifecycle", "--invert", "anything"), "choose one of them"),
        (("--driver-timeout", "3"), "name one with --driver"),
        (("--driver-env", "A=B"), "name one with --driver"),
        (("--driver", "x", "--driver-env", "AB"), "NAME=VALUE"),
        (("--driver", "x", "--driver-timeout", "nan"), "number of seconds"),
        (("--driver", "x", "--driver-timeout", "0"), "--driver-timeout"),
    ],
)
def test_run_refuses_what_is_no_driver(
    options: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A text that names nothing that could be a driver is wrong usage, told before anything is run."""
    assert main(["run", str(BAKERY), *options, "--out", "out"]) == 2
    assert words in capsys.readouterr().err
    assert not Path("out").exists()


def test_resumed_run_of_another_driver_takes_nothing_over(capsys: pytest.CaptureFixture[str]) -> None:
    """What one system did says nothing about another one."""
    assert main(["run", str(BAKERY), "--out", "out", *ONE]) == 0
    assert main(["run", str(BAKERY), "--driver", "builtin:lifecycle", "--resume", "--out", "out", *ONE]) == 0
    assert "everything is run anew: the driver differs" in capsys.readouterr().err
    assert main(["run", str(BAKERY), "--driver", "builtin:lifecycle", "--resume", "--out", "out", *ONE]) == 0
    assert "1 of 1 scenarios are taken over" in capsys.readouterr().err


def test_commands_are_split_as_the_system_does() -> None:
    """Quotes hold a word together; a backslash is an escape on POSIX and a letter of a path elsewhere."""
    assert split_command(r"python my\ driver.py 'a b'", posix=True) == ("python", "my driver.py", "a b")
    assert split_command(r'"C:\Program Files\py.exe" C:\d.py', posix=False) == (
        r"C:\Program Files\py.exe",
        r"C:\d.py",
    )
    with pytest.raises(UsageError):
        split_command("''", posix=True)


def test_server_declines_rows_that_the_model_cannot_carry() -> None:
    """An adoption with a shared row is none that keyed pools can be the system of; the answer names the row."""
    given = {"seq": 1, "cmd": "adopt", "contract": contract(), "adoption": document()}
    (answer,) = talk(given, model="keyed")
    assert "row ovens is shared" in str(answer["unsupported"])
