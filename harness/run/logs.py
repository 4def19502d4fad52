"""The catalogue of logs, read from their schemas, and the text of a log file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from harness.base.errors import HarnessError
from harness.run.recording import COMMON_COLUMNS, LogRow, json_line

_SUFFIX = ".schema.json"
_LISTS = "array"

SYSTEM = "system"
DERIVED = "derived"


#: The keywords of a schema that says what each column holds and which ones there are, and nothing about two at once.
_BY_COLUMN = frozenset(
    ("$schema", "$id", "title", "description", "type", "properties", "required", "additionalProperties")
) | {"x-kind", "x-columns", "x-templates"}


@dataclass(frozen=True)
class LogSpec:
    """One log of the catalogue.

    `kind` is `system` (the system under test writes it) or `derived` (the harness tells it from other logs);
    `columns` are all columns in written order, `templates` the templates that ask for the log.
    """

    name: str
    kind: str
    columns: tuple[str, ...]
    templates: tuple[str, ...]
    schema: Mapping[str, Any] = field(repr=False, compare=False)

    @property
    def own_columns(self) -> tuple[str, ...]:
        """The columns besides those that every log has."""
        return tuple(each for each in self.columns if each not in COMMON_COLUMNS)

    @property
    def optional(self) -> frozenset[str]:
        """The columns that a row may leave out."""
        return frozenset(self.columns) - self._required

    @cached_property
    def _required(self) -> frozenset[str]:
        return frozenset(self.schema["required"])

    @cached_property
    def _validator(self) -> Any:
        from jsonschema import Draft202012Validator

        return Draft202012Validator(self.schema)

    @cached_property
    def _fitting(self) -> dict[str, set[str]]:
        """By column: the values that were seen to fit it, as their `repr`, which tells 1, 1.0, True and "1" apart."""
        return {name: set() for name in self.schema["properties"]}

    def _fits(self, row: Mapping[str, Any]) -> bool:
        """Whether a row has the columns that it must have and each value fits its column; a value is checked once.

        False also where the schema says more than that: the whole schema then decides.
        """
        seen = self._fitting
        if not (self.schema.keys() <= _BY_COLUMN and row.keys() <= seen.keys() and row.keys() >= self._required):
            return False
        for name, value in row.items():
            text = repr(value)
            if text not in seen[name]:
                if not self._validator.evolve(schema=self.schema["properties"][name]).is_valid(value):
                    return False
                seen[name].add(text)
        return True

    def check(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        """What is wrong with a row's object against the schema, one text each; empty where it fits."""
        if self._fits(row):
            return ()
        errors = sorted(self._validator.iter_errors(row), key=lambda each: [str(part) for part in each.absolute_path])
        return tuple(
            f"{self.name}: {'/'.join(map(str, each.absolute_path)) or 'row'}: {each.message}" for each in errors
        )

    def fill(self, record: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The log's own columns out of a driver's record, in written order, and what is malformed about them.

        A column that is missing or null where it may not be becomes null (an empty list where it holds a list): what
        a system leaves out is for the judgments to see. Only a value of another JSON type is malformed.
        """
        data: dict[str, Any] = {}
        problems = []
        for name in self.own_columns:
            if name in self.optional and name not in record:
                continue
            schema = self.schema["properties"][name]
            value = record.get(name)
            data[name] = [] if value is None and schema["type"] == _LISTS else value
            if value is not None and not _is_of(value, schema):
                problems.append(f"{self.name}: column {name} holds {json.dumps(value)}, not {_types_text(schema)}")
        return data, tuple(problems)


Catalogue = Mapping[str, LogSpec]


def catalogue(folder: Path) -> Catalogue:
    """Every log whose schema stands in the folder, by bare name, in alphabetical order."""
    specs = (_spec(path) for path in sorted(folder.glob(f"*{_SUFFIX}")))
    return {each.name: each for each in specs if each is not None}


def _spec(path: Path) -> LogSpec | None:
    """The log of a schema file; None for a schema of something else."""
    try:
        schema = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise HarnessError(f"cannot read the log schema {path}: {error}", hint="reinstall the harness") from error
    if "x-columns" not in schema:
        return None
    name = path.name.removesuffix(_SUFFIX)
    return LogSpec(name, schema["x-kind"], tuple(schema["x-columns"]), tuple(schema["x-templates"]), schema)


def check_row(logs: Catalogue, row: LogRow) -> tuple[str, ...]:
    """What is wrong with a row against the schema of its log, one text each; empty where it fits."""
    spec = logs.get(row.log)
    return (f"there is no log {row.log!r}",) if spec is None else spec.check(row.to_json())


def write_log(
    logs: Catalogue, log: str, scenario: str, instance: str, rows: Iterable[LogRow], reason: str | None = None
) -> str:
    """The text of one log file: a header, then a line for each of the rows (of this log, in the given order).

    `log` is the bare name; the header has the instance in it. `reason` says why there are no rows, where that needs
    saying.
    """
    spec = logs[log]
    header = {"log": f"{instance}-{log}", "scenario": scenario, "columns": list(spec.columns), "reason": reason}
    return json_line(header) + "".join(json_line(_ordered(spec, each)) for each in rows if each.log == log)


def _ordered(spec: LogSpec, row: LogRow) -> dict[str, Any]:
    """The row's object with its columns in catalogue order; what the catalogue does not know comes last."""
    value = row.to_json()
    known = {name: value[name] for name in spec.columns if name in value}
    return {**known, **value}


_PYTHON_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (dict,),
}


def _is_of(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a value has the JSON type that the schema of a column asks for, its items included."""
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if value is None:
        return "null" in types
    if isinstance(value, bool):
        return "boolean" in types
    if not any(isinstance(value, _PYTHON_TYPES[each]) for each in types if each != "null"):
        return False
    if isinstance(value, dict):
        parts = schema.get("properties", {})
        return all(name in value for name in schema.get("required", ())) and all(
            _is_of(value[name], part) for name, part in parts.items() if name in value
        )
    return not isinstance(value, list | tuple) or all(_is_of(each, schema["items"]) for each in value)


def _types_text(schema: Mapping[str, Any]) -> str:
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return " or ".join(types)
