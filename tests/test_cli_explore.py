"""The verbs `explore` and `laws`, from the command line to their output and status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli import main
from harness.exit_status import ExitStatus
from harness.exploring import verdict
from harness.models.pools.walking import Found, Walked


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(arguments)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads(told(capsys, "explore", *arguments, "--format", "json")[1])


@pytest.mark.parametrize("model", ["fifo-pool", "fifo-recovery"])
def test_explore_visits_every_prefix_and_finds_nothing(capsys: pytest.CaptureFixture[str], model: str) -> None:
    """A sound law is walked whole: 22,621 prefixes, no violation, status 0."""
    status, out, _ = told(capsys, "explore", model)
    assert status == ExitStatus.OK
    assert f"{model}: 22,621 prefixes to depth 4" in out
    assert "0 violations at this bound" in out
    assert "without effect" not in out


def test_explore_json_has_the_agreed_keys(capsys: pytest.CaptureFixture[str]) -> None:
    """The document says start, alphabet, bound, counts, what was reached, and the violations."""
    walked = document(capsys, "fifo-pool", "--depth", "2")
    assert {"model", "start", "alphabet", "depth", "count", "prefixes", "states", "closed", "reached"} <= set(walked)
    assert {"seconds", "inverted", "violations"} <= set(walked)
    assert (walked["prefixes"], walked["closed"], walked["idle-letters"]) == (157, False, [])
    assert set(walked["reached"]) == {"modes", "phases", "outcomes", "diagnostics"}


@pytest.mark.parametrize(
    ("arguments", "verdict"),
    [
        (("--depth", "1"), "at this bound"),
        (("--depth", "2", "--invert", "retry-at-the-front"), "violated"),
        (("--depth", "1", "--invert", "retry-at-the-front"), "at this bound"),
        (("--depth", "1", "--invert", "dispatch-number-stays"), "violated"),
    ],
)
def test_explore_json_says_what_its_bound_allows(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], verdict: str
) -> None:
    """A walk that did not close and found nothing says no more than that."""
    assert document(capsys, "fifo-pool", *arguments)["verdict"] == verdict


@pytest.mark.parametrize(
    ("limit", "violations", "said"),
    [
        (None, (), "closed"),
        ("depth", (), "at this bound"),
        ("states", (), "at this bound"),
        (None, (Found("queue-order", ()),), "violated"),
    ],
)
def test_verdict_follows_from_how_a_walk_ended(limit: str | None, violations: tuple[Found, ...], said: str) -> None:
    """Only a walk that exhausted its space and broke nothing is closed."""
    assert verdict(Walked((), 0, 1, 0, limit, 0, (), (), violations)) == said


def test_explore_by_states_counts_states_only(capsys: pytest.CaptureFixture[str]) -> None:
    """Under `--count states` no prefixes are counted."""
    walked = document(capsys, "fifo-pool", "--depth", "4", "--count", "states")
    assert (walked["prefixes"], walked["states"]) == (None, 479)


def test_explore_shows_the_shortest_way_to_a_violation(capsys: pytest.CaptureFixture[str]) -> None:
    """A breach ends with status 1, and its violation stands with the claim, and every step's state and actions."""
    status, out, _ = told(capsys, "explore", "fifo-pool", "--invert", "retry-at-the-front", "--depth", "2")
    assert status == ExitStatus.FOUND
    assert "queue-order (claim 9 of fifo-pool): stop b, refuse a" in out
    assert "queue job-3 job-2" in out
    assert "broken   queue-order" in out


def test_explore_of_a_breach_that_is_not_met_is_undecided(capsys: pytest.CaptureFixture[str]) -> None:
    """A breach that the bound does not reach is no success."""
    status, out, _ = told(capsys, "explore", "fifo-pool", "--invert", "cursor-stays", "--depth", "1")
    assert status == ExitStatus.UNDECIDED
    assert "0 violations at this bound" in out


def test_explore_replays_what_it_wrote(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The violations of a written walk are replayed to the same states, actions and names."""
    arguments = ("fifo-recovery", "--invert", "queue-outlives-the-roles", "--depth", "3")
    walked = document(capsys, *arguments)
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(walked), encoding="utf-8")
    again = document(capsys, "fifo-recovery", "--replay", str(path))
    assert [each["detail"] for each in again] == [each["detail"] for each in walked["violations"]]
    assert {each["name"] for each in again} == {"stranded-job", "outcome-differs"}


def test_explore_replays_one_violation_without_its_breach(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The same inputs on the sound law break nothing, and the status says so."""
    path = tmp_path / "one.json"
    path.write_text(json.dumps({"inputs": ["stop b", "refuse a"]}), encoding="utf-8")
    status, out, _ = told(capsys, "explore", "fifo-pool", "--replay", str(path))
    assert status == ExitStatus.OK
    assert "queue job-2 job-3" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nothing",), "there is no model 'nothing' to explore"),
        (("fifo-pool", "--invert", "nothing"), "has no inversion 'nothing'"),
        (("fifo-pool", "--replay", "nowhere.json"), "cannot read nowhere.json"),
    ],
)
def test_explore_says_what_it_cannot_use(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    """An unknown model, breach or file is wrong usage, with what there is instead."""
    status, _, err = told(capsys, "explore", *arguments)
    assert status == ExitStatus.USAGE
    assert message in err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", ":1:2: "),
        ("[]", "holds no violation"),
        ('{"inputs": [1]}', "inputs are a list of letters"),
        ('{"inputs": ["dance a"]}', "there is no letter 'dance a'"),
        ('{"inputs": ["stop z"]}', "there is no letter 'stop z'"),
        ('{"violations": [], "model": "fifo-recovery"}', "is a walk of 'fifo-recovery'"),
        ('{"violations": {}, "model": "fifo-pool"}', "is no list of violations"),
    ],
)
def test_explore_says_what_is_wrong_with_a_replay(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, message: str
) -> None:
    """A file that holds no violation of this model is refused with what is wrong in it."""
    path = tmp_path / "bad.json"
    path.write_text(text, encoding="utf-8")
    status, out, err = told(capsys, "explore", "fifo-pool", "--replay", str(path))
    assert (status, out) == (ExitStatus.USAGE, "")
    assert message in err


def test_laws_lists_every_claim_with_its_inversions(capsys: pytest.CaptureFixture[str]) -> None:
    """Each of the sixteen claims has a text, a violation and an inversion; each inversion names its walk."""
    status, out, _ = told(capsys, "laws", "fifo-pool", "--format", "json")
    (law,) = json.loads(out)
    assert status == ExitStatus.OK
    assert [each["number"] for each in law["claims"]] == list(range(1, 17))
    assert all(each["text"] and each["violations"] and each["inversions"] for each in law["claims"])
    assert len(law["invariants"]) == 10
    models = {each["name"] for each in law["models"]}
    assert {each["model"] for each in law["inversions"]} == models
    assert all(len(each["alphabet"]) == 12 for each in law["models"])


def test_laws_reads_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a name all laws are told, claims before walks."""
    status, out, _ = told(capsys, "laws")
    assert status == ExitStatus.OK
    assert out.startswith("fifo-pool\n\nclaims\n   1  There is at least one role")
    assert "retry-at-the-front (fifo-pool, claims 9, 11)" in out


def test_laws_says_which_laws_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown law is wrong usage."""
    status, _, err = told(capsys, "laws", "nothing")
    assert status == ExitStatus.USAGE
    assert "the laws are fifo-pool" in err
