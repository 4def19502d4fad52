"""The JSON Schemas by name, as `harness schema` prints them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from harness import workspace
from harness.base.errors import UsageError
from harness.contract.fitting import nearest
from harness.contract.schemas import adoption_schema, adoption_schema_path, schema_of
from harness.intake import read_contract_file
from harness.kits import kit_of

_ADOPTION = "adoption"


def schema_text(name: str, contract: str) -> str:
    """The text of a schema; `contract` is the id of a shipped contract, or a contract file.

    It says whose adoptions and whose logs are meant: contracts may have logs of one name. Raises UsageError that lists
    the names where there is no such schema.
    """
    is_file = contract not in workspace.contract_files() and os.path.exists(contract)
    path = contract if is_file else workspace.contract_path(contract)
    if name == _ADOPTION:
        return _adoption_text(path, is_file)
    known = schemas_of(None if is_file else contract)
    if name not in known:
        names = sorted({*known, _ADOPTION})
        close = nearest(name, names)
        found = f"did you mean {close}? " if close else ""
        raise UsageError(f"there is no schema {name!r}", hint=f"{found}the schemas are {', '.join(names)}")
    return workspace.read_text(known[name])


def schemas_of(contract_id: str | None) -> Mapping[str, Path]:
    """The schemas that every contract has, and those in the log folder of the contract's kit, by name, sorted."""
    kit = kit_of(contract_id) if contract_id is not None else None
    shared = {name: path for name, path in workspace.schema_paths().items() if not _is_of_a_log(path)}
    own = workspace.schema_paths(kit.log_folder) if kit is not None else {}
    return dict(sorted({**shared, **own}.items()))


def _adoption_text(path: str, is_file: bool) -> str:
    """The schema of a contract's adoptions: that of a shipped contract as it stands beside it."""
    beside = Path(adoption_schema_path(path))
    if not is_file and beside.is_file():
        return workspace.read_text(beside)
    return json.dumps(adoption_schema(read_contract_file(path)), ensure_ascii=False, indent=2) + "\n"


def _is_of_a_log(path: Path) -> bool:
    return "x-columns" in (schema_of(workspace.read_text(path)) or {})
