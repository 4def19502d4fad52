"""Every adoption that comes along, from its file to its scenarios."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.base.finding import Severity
from harness.expansion.expand import Expansion
from harness.intake import expand_validated, validate_files
from harness.workspace import data_folder, file_stem
from harness.writers import scenario_gherkin, scenario_json
from tests.writers.reading import gherkin_scenarios, read_gherkin

ADOPTIONS = sorted(data_folder("adoptions").glob("*/*.yaml"))


@pytest.fixture(params=ADOPTIONS, ids=lambda path: path.name.partition(".")[0])
def expansion(request: pytest.FixtureRequest) -> Expansion:
    """The expansion of each shipped adoption in turn."""
    path: Path = request.param
    expanded = expand_validated(validate_files([str(path)])[0])
    assert expanded is not None
    return expanded


@pytest.mark.parametrize("path", ADOPTIONS, ids=lambda path: path.name.partition(".")[0])
def test_shipped_adoption_has_no_error(path: Path) -> None:
    """What comes along as an example validates without an error."""
    (validated,) = validate_files([str(path)])
    assert [each for each in validated.findings if each.severity is Severity.ERROR] == []


def test_shipped_adoption_expands_to_an_account_that_adds_up(expansion: Expansion) -> None:
    """Each template x row is expanded or excluded once, and every exclusion has its reason."""
    assert len(expansion.scenarios) + len(expansion.exclusions) == expansion.total
    assert expansion.unaccounted == 0
    assert all(each.reason for each in expansion.exclusions)


def test_shipped_adoption_expands_without_a_placeholder(expansion: Expansion) -> None:
    """Nothing is left to fill in, and nothing is a gap of the contract."""
    rendered = scenario_json.render(expansion.scenarios)
    assert "{{" not in rendered
    assert "the contract has no text" not in rendered


def test_shipped_adoption_has_ids_that_make_different_files(expansion: Expansion) -> None:
    """Scenario ids are unique, and so are the file names made of them, also where case does not count."""
    ids = [each.id for each in expansion.scenarios]
    assert len(set(ids)) == len(ids)
    assert len({file_stem(each).lower() for each in ids}) == len(ids)


def test_shipped_adoption_is_a_gherkin_feature(expansion: Expansion) -> None:
    """The official parser reads the feature and finds each scenario under its own name."""
    document = read_gherkin(scenario_gherkin.render(expansion.entries))
    names = [each["name"] for each in gherkin_scenarios(document)]
    assert len(names) == len(set(names)) == len(expansion.scenarios)
