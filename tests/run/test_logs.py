"""The catalogue of logs as code: rows against their schemas, driver records, and the text of a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from harness.base.errors import HarnessError
from harness.run.logs import LogSpec, catalogue, check_row, write_log
from harness.run.recording import LogRow

LOGS = catalogue(Path(__file__).resolve().parents[2] / "diagnostics")
COUNT = {"pool": "ovens", "place": None, "slot": "working", "change": "take", "used": 1, "limit": 2}


def row(log: str, data: Mapping[str, object], seq: int = 1) -> LogRow:
    return LogRow(log, seq, 1, 0, "A", 1, 2, data)


def test_catalogue_skips_schemas_of_other_things(tmp_path: Path) -> None:
    """Only schemas that list columns are logs; the folder holds others beside them."""
    (tmp_path / "run.schema.json").write_text('{"type": "object"}', encoding="utf-8")
    assert catalogue(tmp_path) == {}


def test_catalogue_names_a_broken_schema(tmp_path: Path) -> None:
    """A schema that cannot be read is a fault of the installation and names its file."""
    (tmp_path / "x.schema.json").write_text("{", encoding="utf-8")
    with pytest.raises(HarnessError, match=r"x\.schema\.json"):
        catalogue(tmp_path)


def test_row_that_fits_has_no_problem() -> None:
    """A complete row fits its schema, with the optional column and without it."""
    assert check_row(LOGS, row("count-trace", COUNT)) == ()
    assert check_row(LOGS, row("count-trace", {**COUNT, "internal": {"slot": 1}})) == ()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({**COUNT, "slot": "sleeping"}, "slot: 'sleeping'"),
        ({**COUNT, "used": "1"}, "used: '1'"),
        ({**COUNT, "more": 1}, "'more' was unexpected"),
        ({name: value for name, value in COUNT.items() if name != "limit"}, "'limit' is a required"),
    ],
)
def test_row_that_does_not_fit_is_told(data: dict[str, object], says: str) -> None:
    """Each value outside the schema gives a text that names the log, the column and what is wrong."""
    (problem,) = check_row(LOGS, row("count-trace", data))
    assert problem.startswith("count-trace: ")
    assert says in problem


@pytest.mark.parametrize("used", [True, 1.5, "1", None, [1]])
def test_values_that_fitted_before_excuse_no_others(used: object) -> None:
    """However many rows have fitted, a value that looks like one of theirs and does not fit is told."""
    assert check_row(LOGS, row("count-trace", COUNT)) == ()
    (problem,) = check_row(LOGS, row("count-trace", {**COUNT, "used": used}))
    assert problem.startswith("count-trace: used: ")


def test_schema_about_two_columns_at_once_is_kept() -> None:
    """Where a schema says more than what each column holds, columns that fit by themselves are not enough."""
    spec = LOGS["count-trace"]
    both = replace(spec, schema={**spec.schema, "not": {"properties": {"used": {"const": 1}, "limit": {"const": 2}}}})
    fits, does_not = (row("count-trace", {**COUNT, "limit": limit}).to_json() for limit in (3, 2))
    assert spec.check(does_not) == ()
    assert both.check(fits) == ()
    assert both.check(does_not) != ()


def test_row_of_no_log_is_told() -> None:
    """A row of a log that the catalogue does not have is wrong as a whole."""
    assert check_row(LOGS, row("no-log", {})) == ("there is no log 'no-log'",)


def filled(log: str, record: dict[str, object]) -> tuple[dict[str, object], tuple[str, ...]]:
    spec: LogSpec = LOGS[log]
    return spec.fill(record)


def test_fill_takes_the_columns_of_a_record() -> None:
    """A driver's record gives the log's own columns in catalogue order; further keys are left aside."""
    data, problems = filled("state-trace", {"to": "waiting", "log": "state-trace", "seq": 1, "from": "requested"})
    assert list(data.items()) == [("from", "requested"), ("to", "waiting")]
    assert problems == ()


def test_fill_leaves_a_wrong_value_to_the_judgments() -> None:
    """A value that is wrong but of the right type is an observation, and so is a column that is missing."""
    data, problems = filled("report-log", {"report": "job-exploded", "work-before": "-3"})
    assert problems == ()
    assert data["report"] == "job-exploded"
    assert (data["causes"], data["job"], data["claimed"]) == ([], None, [])


@pytest.mark.parametrize(
    ("log", "record", "column"),
    [
        ("report-log", {"causes": "requester"}, "causes"),
        ("report-log", {"claimed": [{"item": "flour"}]}, "claimed"),
        ("report-log", {"causes": [1]}, "causes"),
        ("claim-ledger", {"amount": "3"}, "amount"),
        ("claim-ledger", {"amount": True}, "amount"),
        ("work-before-after", {"before": 4}, "before"),
    ],
)
def test_fill_tells_values_of_another_type(log: str, record: dict[str, object], column: str) -> None:
    """A value of another JSON type makes a record malformed, and the text names the column."""
    _, problems = filled(log, record)
    assert [f"column {column} " in each for each in problems] == [True]


def test_log_file_has_a_header_and_a_line_for_each_row() -> None:
    """The first line names the log with its instance, the scenario, the columns and the reason; rows follow."""
    rows = [row("state-trace", {"to": "waiting", "from": "requested"}, 4), row("count-trace", COUNT, 5)]
    text = write_log(LOGS, "state-trace", "oven/x", "oven", rows)
    header, line = (json.loads(each) for each in text.splitlines())
    columns = ["seq", "world", "moment", "batch", "settle", "run", "from", "to"]
    assert header == {"log": "oven-state-trace", "scenario": "oven/x", "columns": columns, "reason": None}
    assert list(line) == columns
    assert text.endswith("}\n")


def test_log_file_without_rows_says_why() -> None:
    """A log without rows is still written, and its header can say why."""
    text = write_log(LOGS, "state-trace", "oven/x", "oven", [], "nothing can move")
    assert json.loads(text)["reason"] == "nothing can move"
