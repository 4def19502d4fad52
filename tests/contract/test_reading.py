"""Files become a Contract and an Adoption, or findings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.contract.reading import read_adoption, read_contract
from tests.contract.adoption_files import (
    CONTRACT,
    CONTRACTS,
    TINY,
    adopted,
    contract_file,
    drop,
    ids,
    put,
    rows,
    tiny_contract,
    write,
)


def test_contract_holds_every_template_in_order() -> None:
    """The shipped contract is read whole: 66 templates, their texts unchanged."""
    contract, findings = read_contract(CONTRACT)
    assert findings == ()
    assert contract is not None
    written = json.loads(Path(CONTRACT).read_text(encoding="utf-8"))["templates"]
    assert [each.id for each in contract.templates] == [each["id"] for each in written]
    assert [list(each.then) for each in contract.templates] == [each["test"].get("then", []) for each in written]
    assert [each.text for each in contract.templates] == [each["text"] for each in written]
    assert (contract.id, contract.version, contract.path) == ("job-resolution", 2, CONTRACT)


def test_contract_values_refuse_change() -> None:
    """Mappings of a contract are views, sequences are tuples."""
    contract = tiny_contract()
    template = contract.template("switch-lights")
    assert template.when.flag["lamp-kind"] == ("electric",)
    assert contract.template("always-some-light").inputs["nights"] == ("monday", "tuesday")
    with pytest.raises(TypeError):
        template.bindings["dimming"].map["dims"] = "x"  # type: ignore[index]


def test_contract_of_general_templates_judges_what_holds() -> None:
    """A general template has one clause, the sentence that holds."""
    assert tiny_contract().template("always-some-light").clauses == ("some light is seen",)


def test_contract_that_does_not_fit_is_not_there(tmp_path: Path) -> None:
    """Misfits to the meta-schema are findings of the contract's own file, all at once."""

    def edit(value: dict[str, object]) -> None:
        value["version"] = "1"
        value["templates"][0].pop("title")  # type: ignore[index]
        value["templates"][1]["expand"] = "per-rows"  # type: ignore[index]

    path = contract_file(tmp_path, edit)
    contract, findings = read_contract(path)
    assert contract is None
    assert ids(findings) == ["wrong-type", "missing-key", "unknown-value"]
    assert {each.position.file for each in findings} == {path}


def test_contract_is_worked_out_once_for_the_same_bytes(tmp_path: Path) -> None:
    """A second reading gives the same contract; a change of the file, or of a schema beside it, is seen at once."""
    path = contract_file(tmp_path, lambda value: None)
    contract = read_contract(path)[0]
    assert contract is not None
    assert read_contract(path)[0] is contract
    changed = read_contract(contract_file(tmp_path, lambda value: value.update(version=9)))[0]
    assert changed is not None
    assert changed.version == 9
    (tmp_path / "contract.schema.json").write_text('{"required": ["colour"]}')
    assert ids(read_contract(path)[1]) == ["missing-key"]


def test_adoption_is_frozen_and_keeps_what_was_written(tmp_path: Path) -> None:
    """Job row, answers, rows, rules and inputs are there as written, in order, and can't be changed."""
    adoption = adopted(tmp_path, put("inputs", "lifecycle-holds", value={"seeds": ["a", "b"], "scope": "all of it"}))
    assert adoption.root == str(tmp_path)
    assert adoption.job["id"] == "grind"
    assert list(adoption.collections) == ["work-limits", "work-phases", "interruptions", "cancellations"]
    assert adoption.row("work-limits", "stones").get("scope") == "shared"
    assert adoption.row("work-limits", "stones").get("order-declared-in") is None
    assert adoption.rules["mill.md#stones"] == {"limit": 1}
    assert adoption.inputs["lifecycle-holds"] == {"seeds": ("a", "b"), "scope": "all of it"}
    with pytest.raises(TypeError):
        adoption.answers["job-inputs"] = "no-inputs"  # type: ignore[index]


def test_adoption_root_of_a_bare_name_is_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file named without a folder is at home in the current one."""
    write(tmp_path)
    monkeypatch.chdir(tmp_path)
    adoption, _ = read_adoption("mill.json", CONTRACTS)
    assert adoption is not None
    assert (adoption.root, adoption.path) == (".", "mill.json")


def test_adoption_finds_its_contract_through_a_function(tmp_path: Path) -> None:
    """The resolver may be a mapping or a function; what it doesn't know is a finding that suggests what it does."""
    path = write(tmp_path)
    assert read_adoption(path, CONTRACTS.get)[0] is not None
    adoption, findings = read_adoption(path, {"job-resolutions": CONTRACT})
    assert adoption is None
    assert ids(findings) == ["contract-unknown"]
    assert findings[0].hint == 'did you mean "job-resolutions"?'
    assert ids(read_adoption(path, lambda name: None)[1]) == ["contract-unknown"]


@pytest.mark.parametrize("edit", [drop("contract"), put("contract", value=7)])
def test_adoption_without_a_contract_name_is_refused(tmp_path: Path, edit: object) -> None:
    """Without the name of a contract nothing else can be said."""
    assert ids(read_adoption(write(tmp_path, edit), CONTRACTS)[1]) == ["contract-unknown"]  # type: ignore[arg-type]


def test_adoption_with_a_broken_contract_shows_the_contract_s_findings(tmp_path: Path) -> None:
    """Where the contract itself is broken, its findings are what there is to see."""
    path = contract_file(tmp_path, lambda value: value.pop("version"))
    adoption, findings = read_adoption(str(TINY / "porch.yaml"), {"lamp": path})
    assert adoption is None
    assert ids(findings) == ["missing-key"]
    assert findings[0].position.file == path


def test_adoption_that_does_not_fit_is_not_there(tmp_path: Path) -> None:
    """One misfit is enough for there to be no adoption."""
    path = write(tmp_path, rows("interruptions", {"id": "no-wind"}))
    adoption, findings = read_adoption(path, CONTRACTS)
    assert adoption is None
    assert ids(findings) == ["missing-key"]


def test_tiny_adoption_is_read_with_a_derived_schema() -> None:
    """A contract without an adoption schema of its own has one from its templates."""
    adoption, findings = read_adoption(str(TINY / "porch.yaml"), {"lamp": str(TINY / "lamp.json")})
    assert findings == ()
    assert adoption is not None
    assert adoption.job == {}
    assert [row.id for row in adoption.rows("buttons")] == ["hall", "door"]
