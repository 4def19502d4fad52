"""The JSON Schemas by name, as `harness schema` prints them."""

from __future__ import annotations

import json
import os

from harness import workspace
from harness.base.errors import UsageError
from harness.contract.fitting import nearest
from harness.contract.schemas import adoption_schema
from harness.intake import read_contract_file


def schema_text(name: str, contract: str = "job-resolution") -> str:
    """The text of a schema; `contract` is the id of a shipped contract, or a contract file, whose adoptions are meant.

    Raises UsageError that lists the names where there is no such schema.
    """
    if name == "adoption" and contract not in workspace.contract_files() and os.path.exists(contract):
        return json.dumps(adoption_schema(read_contract_file(contract)), ensure_ascii=False, indent=2) + "\n"
    workspace.contract_path(contract)
    known = workspace.schema_paths(contract)
    if name not in known:
        close = nearest(name, known)
        found = f"did you mean {close}? " if close else ""
        raise UsageError(f"there is no schema {name!r}", hint=f"{found}the schemas are {', '.join(known)}")
    return workspace.read_text(known[name])
