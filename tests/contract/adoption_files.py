"""Adoption files to test with: a small valid one, and edits of it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.base.finding import Finding
from harness.contract.reading import read_adoption, read_contract
from harness.contract.shapes import Adoption, Contract
from harness.contract.validation import Validation, validate_adoption
from harness.kits import check_of

ROOT = Path(__file__).resolve().parent.parent.parent
CONTRACT = str(ROOT / "contracts" / "job-resolution.json")
CONTRACTS = {"job-resolution": CONTRACT}
HERE = Path(__file__).resolve().parent
BROKEN = HERE / "broken"
TINY = HERE / "tiny"

Edit = Callable[[dict[str, Any]], object]

PASSAGES = ("grinding", "who", "stones", "time", "wind", "leaving", "bell", "extra", "more", "other")


def mill() -> dict[str, Any]:
    """A valid adoption: a mill with one pair of stones, a work phase, an interruption and a cancellation."""
    return {
        "contract": "job-resolution",
        "version": 2,
        "instance": "corn-mill",
        "job": {"id": "grind", "job-declared-in": "mill.md#grinding", "output": "new-thing"},
        "answers": {
            "job-inputs": "required-inputs",
            "input-claim-timing": "taken-at-start",
            "output-full": "wait-until-space",
            "partial-work": "keep-with-job",
            "stopped-claims": "hold",
            "cancel-return": "return-claimed",
        },
        "collections": {
            "work-limits": [
                {
                    "id": "stones",
                    "covers-declared-in": "mill.md#who",
                    "working-limit-key": "mill.md#stones",
                    "scope": "shared",
                    "waiting-order": "request-order",
                }
            ],
            "work-phases": [{"id": "grinding", "duration-declared-in": "mill.md#time"}],
            "interruptions": [{"id": "no-wind", "interruptions-declared-in": "mill.md#wind"}],
            "cancellations": [{"id": "farmer-leaves", "trigger-declared-in": "mill.md#leaving"}],
        },
        "rules": {
            "mill.md#grinding": {"job": job()},
            "mill.md#who": {"covers": "all"},
            "mill.md#stones": {"limit": 1},
            "mill.md#time": {"duration": {"work": 4}},
            "mill.md#wind": {"instruction": "no-wind"},
            "mill.md#leaving": {"cancellation": {}},
        },
    }


def job(**changes: Any) -> dict[str, Any]:
    """A job rule; a change to None leaves the key out."""
    rule = {
        "inputs": [{"item": "corn", "amount": 3, "source": "sack"}],
        "output": {"item": "flour", "size": 1},
        "destination": {"name": "chute", "capacity": 2},
        **changes,
    }
    return {key: value for key, value in rule.items() if value is not None}


def write(folder: Path, *edits: Edit, value: dict[str, Any] | None = None) -> str:
    """The mill's adoption with these edits, written as JSON beside the passages it cites; returns its path."""
    adoption = mill() if value is None else value
    for edit in edits:
        edit(adoption)
    passages = "".join(f"## {name}\n\nAbout {name}.\n\n" for name in PASSAGES)
    (folder / "mill.md").write_text(f"# Mill\n\n{passages}", encoding="utf-8")
    path = folder / "mill.json"
    path.write_text(json.dumps(adoption, indent=2), encoding="utf-8")
    return str(path)


def validation(folder: Path, *edits: Edit) -> Validation:
    """What validation says about the edited mill."""
    return validate_adoption(write(folder, *edits), contracts=CONTRACTS, checks=check_of)


def adopted(folder: Path, *edits: Edit) -> Adoption:
    """The edited mill as an Adoption; it must fit its schema."""
    adoption, findings = read_adoption(write(folder, *edits), CONTRACTS)
    assert adoption is not None, findings
    return adoption


def put(*path: str | int, value: Any) -> Edit:
    """An edit that sets the value under a path of keys; missing mappings on the way are made."""

    def edit(adoption: dict[str, Any]) -> None:
        inner: Any = adoption
        for key in path[:-1]:
            inner = inner.setdefault(key, {}) if isinstance(inner, dict) else inner[key]
        inner[path[-1]] = copy.deepcopy(value)

    return edit


def drop(*path: str | int) -> Edit:
    """An edit that removes the value under a path of keys."""

    def edit(adoption: dict[str, Any]) -> None:
        inner: Any = adoption
        for key in path[:-1]:
            inner = inner[key]
        del inner[path[-1]]

    return edit


def rows(collection: str, *listed: dict[str, str]) -> Edit:
    """An edit that declares exactly these rows of a collection."""
    return put("collections", collection, value=list(listed))


def rule(place: str, **kinds: Any) -> Edit:
    """An edit that sets the rule at a place of mill.md; underscores in kinds stand for hyphens."""
    return put("rules", f"mill.md#{place}", value={kind.replace("_", "-"): value for kind, value in kinds.items()})


def answers(**given: str) -> Edit:
    """An edit that gives these answers besides the mill's own; underscores stand for hyphens."""

    def edit(adoption: dict[str, Any]) -> None:
        adoption["answers"].update({flag.replace("_", "-"): answer for flag, answer in given.items()})

    return edit


def ids(found: Validation | tuple[Finding, ...]) -> list[str]:
    """The rule ids of findings, in order."""
    return [each.rule for each in (found.findings if isinstance(found, Validation) else found)]


def only(found: Validation) -> Finding:
    """The single finding of a validation."""
    (finding,) = found.findings
    return finding


def text_at(path: str, finding: Finding) -> str:
    """What the file holds from the finding's place to the end of the line."""
    line = Path(path).read_text(encoding="utf-8").splitlines()[finding.position.line - 1]
    return line[finding.position.column - 1 :]


def contract_file(folder: Path, edit: Edit) -> str:
    """The tiny contract with an edit, as a file; returns its path."""
    value = json.loads((TINY / "lamp.json").read_text(encoding="utf-8"))
    edit(value)
    path = folder / "lamp.json"
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
    return str(path)


def tiny_contract() -> Contract:
    """The tiny second contract, read."""
    contract, findings = read_contract(str(TINY / "lamp.json"))
    assert contract is not None, findings
    return contract
