"""The page on the law says what the model does, and the verbs show the law."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.cli import main
from harness.exit_status import ExitStatus
from harness.models.pools.keyed.bench import LETTERS
from harness.models.pools.keyed.eligibility import ELIGIBILITY
from harness.models.pools.keyed.law import KEYED
from tests.models.pools.keyed._keyed import MEMBERS
from tests.models.pools.keyed.law_diagram import diagram, edges

PAGE = (Path(__file__).resolve().parents[4] / "docs" / "laws" / "keyed-pool.md").read_text(encoding="utf-8")


def test_page_shows_the_diagram_that_the_tables_give() -> None:
    """The diagram on the page is the one drawn from the cells; after a change it is drawn anew."""
    assert f"```mermaid\n{diagram()}\n```" in PAGE


def test_diagram_has_every_phase() -> None:
    """Every phase of the law is left or reached by an arrow."""
    drawn = {phase for was, now, _ in edges() for phase in (was, now)}
    assert {"prepared", "quarantined", *MEMBERS} <= drawn


def test_page_shows_the_claims_with_their_violations() -> None:
    """Each claim stands in the table of the page, word for word, with every violation of it."""
    for number, text in enumerate(KEYED.claims, 1):
        names = ", ".join(f"`{name}`" for name, claim in KEYED.violations.items() if claim == number)
        assert f"| {number} | {text} | {names} |" in PAGE


def test_page_shows_the_eligibility_of_every_phase() -> None:
    """The table of the page is the table of the model."""
    for row, (admission, management) in ELIGIBILITY.items():
        assert f"| {row} | {admission} | {management} |" in PAGE


def test_page_names_every_walk_and_letters_are_explained() -> None:
    """Whoever looks for a walk finds it on the page; each letter of a walk has a meaning."""
    for walk in KEYED.walks.values():
        assert f"`{walk.name}`" in PAGE
        words = {each.partition(" ")[0] for each in (*walk.start, *walk.letters)}
        assert words <= {each.partition(" ")[0] for each in LETTERS}


# -- verbs ---------------------------------------------------------------------------------------------------------


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    status = main((*arguments, "--format", "json"))
    return status, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("model", list(KEYED.walks))
def test_explore_walks_the_law(capsys: pytest.CaptureFixture[str], model: str) -> None:
    """Both ways to count, no violation, every letter at work in the end."""
    status, walked = told(capsys, "explore", model, "--depth", "2")
    assert (status, walked["prefixes"], walked["violations"]) == (ExitStatus.OK, 157, [])
    status, walked = told(capsys, "explore", model, "--depth", "2", "--count", "states")
    assert (status, walked["prefixes"], walked["violations"]) == (ExitStatus.OK, None, [])


def test_explore_shows_and_replays_a_breach(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A breach is shown with its claim, its steps are replayed, and as text bindings and queues stand in the state."""
    arguments = ("explore", "keyed-pool", "--invert", "stale-mutation", "--depth", "1")
    status, walked = told(capsys, *arguments)
    assert status == ExitStatus.FOUND
    named = {each["name"]: each for each in walked["violations"]}
    assert (named["StaleMutation"]["claim"], named["StaleMutation"]["inputs"]) == (12, ["late x b"])
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(walked), encoding="utf-8")
    status, again = told(capsys, "explore", "keyed-pool", "--replay", str(path))
    assert status == ExitStatus.FOUND
    assert [each["detail"] for each in again] == [each["detail"] for each in walked["violations"]]
    main(arguments)
    assert "queue of 0 job-3 | x bound to b by generation-5" in capsys.readouterr().out


def test_laws_tell_every_claim_with_its_inversions(capsys: pytest.CaptureFixture[str]) -> None:
    """Each of the sixteen claims has a text, a violation and an inversion; each inversion names its walk."""
    _, (law,) = told(capsys, "laws", "keyed-pool")
    assert [each["number"] for each in law["claims"]] == list(range(1, 17))
    assert all(each["text"] and each["violations"] and each["inversions"] for each in law["claims"])
    assert len(law["invariants"]) == 9
    assert {each["model"] for each in law["inversions"]} == {each["name"] for each in law["models"]}
    assert all(len(each["alphabet"]) == 12 for each in law["models"])
