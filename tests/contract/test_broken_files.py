"""Every broken file in broken/ gives exactly the findings that expected.json lists, each at its place."""

from __future__ import annotations

import json

import pytest

from harness.base.finding import Severity
from harness.contract.validation import RULES, validate_adoption
from harness.kits import check_of
from tests.contract.adoption_files import BROKEN, CONTRACTS

EXPECTED: dict[str, list[str]] = json.loads((BROKEN / "expected.json").read_text(encoding="utf-8"))


def test_broken_files_are_all_expected() -> None:
    """Each file of the folder has its expectation, and each expectation its file."""
    files = {each.name for each in BROKEN.iterdir() if each.suffix in (".yaml", ".json")} - {"expected.json"}
    assert files == set(EXPECTED)
    assert len(files) > 40


@pytest.mark.parametrize("name", EXPECTED)
def test_broken_file_gives_its_findings(name: str) -> None:
    """All findings of a file come at once: line, column, severity, rule, and the template they rest on."""
    found = validate_adoption(str(BROKEN / name), contracts=CONTRACTS, checks=check_of)
    lines = [
        f"{each.position.line}:{each.position.column} {each.severity} {each.rule}"
        + (f" {each.template}" if each.template else "")
        for each in found.findings
    ]
    assert lines == EXPECTED[name]
    assert found.is_valid == (not any(" error " in each for each in lines))
    for each in found.findings:
        assert each.rule in RULES
        assert each.position.file == str(BROKEN / name)
        assert each.hint or each.severity is Severity.NOTE or each.rule == "out-of-range"


@pytest.mark.parametrize("name", EXPECTED)
def test_broken_file_is_runnable_only_where_the_contract_alone_objects(name: str) -> None:
    """There is no adoption where a file doesn't fit; only a contract's own objections leave it runnable."""
    found = validate_adoption(str(BROKEN / name), contracts=CONTRACTS, checks=check_of)
    assert (found.adoption is None) == found.is_unreadable
    if found.is_runnable:
        assert all(each.template for each in found.findings if each.severity is Severity.ERROR)
    else:
        assert not found.is_valid
