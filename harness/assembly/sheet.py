"""The document while it is put together: its collections and the rules that their rows cite."""

from __future__ import annotations

from typing import Any, ClassVar


class Sheet:
    """Rows and rules. `together`: rows of one collection cite one address, which holds their values by row."""

    ROOT: ClassVar[str] = "made@1:rules"

    def __init__(self, together: bool) -> None:
        self.together = together
        self.rules: dict[str, dict[str, Any]] = {}
        self.collections: dict[str, list[dict[str, str]]] = {}

    def address(self, name: str) -> str:
        """The address of the rule with that name."""
        return f"{self.ROOT}#{name}"

    def cite(self, name: str, kind: str, value: Any) -> str:
        """A rule of that kind stands there; returns its address."""
        address = self.address(name)
        self.rules.setdefault(address, {})[kind] = value
        return address

    def cite_for(self, collection: str, row_id: str, field: str, kind: str, value: Any) -> str:
        """The rule of one row's field, at an address of its own or at the one of the whole collection."""
        if not self.together:
            return self.cite(f"{row_id}-{field}", kind, value)
        address = self.address(f"{collection}-{field}")
        by_row: dict[str, Any] = self.rules.setdefault(address, {}).setdefault(kind, {"by-row": {}})
        by_row["by-row"][row_id] = value
        return address

    def plain_row(self, collection: str, row_id: str, **fields: str) -> None:
        """A row whose fields are given; `_` stands for `-` in their names."""
        named = {name.replace("_", "-"): value for name, value in fields.items()}
        self.collections.setdefault(collection, []).append({"id": row_id, **named})

    def row(self, collection: str, row_id: str, field: str, kind: str, value: Any, **fields: str) -> None:
        """A row whose field `field` cites a rule with that value; `_` stands for `-` in names."""
        address = self.cite_for(collection, row_id, field.replace("_", "-"), kind, value)
        self.plain_row(collection, row_id, **{field: address}, **fields)
