"""Kind 2, the shape, and what it leaves for the other kinds: misspelt words read as meant, unfit rules set aside.

So a typing error in one answer doesn't hide what is wrong elsewhere, and doesn't call forth findings that it alone
caused.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, NamedTuple

from harness.contract.documents import pointer_tokens
from harness.contract.fitting import Misfit, UnusableSchemaError, misfits
from harness.contract.shapes import JsonValue

_PASSES_MAX = 3


class Salvage(NamedTuple):
    """A value that the other checks can look at; `unfit` and `doubtful` as in Subject.

    `can_ask` is false where the answers or a collection as a whole can't be read: then no question can be put.
    """

    value: JsonValue
    unfit: frozenset[tuple[str, str | None]]
    doubtful: frozenset[str]
    can_ask: bool


def salvage(value: JsonValue, schema: Mapping[str, Any]) -> Salvage:
    """The value without its misfits: each read as the nearest valid spelling, else left out.

    Repairs can bring to light a part that was not looked at before (under a misspelt key), so this goes on a few times.
    """
    repair = _Repair(copy.deepcopy(value))
    for _ in range(_PASSES_MAX):
        try:
            found = misfits(repair.value, schema)
        except UnusableSchemaError:
            break  # a repair led into a broken part of the schema; the misfits found before are told all the same
        if not found:
            break
        for each in found:
            repair.apply(each)
    top = repair.value if isinstance(repair.value, dict) else {}
    can_ask = isinstance(top.get("answers"), dict) and not repair.lost_rows
    return Salvage(top, frozenset(repair.unfit), frozenset(repair.doubtful), can_ask)


class _Repair:
    """Applies misfits to a copy of the document's value. Items of lists keep their index."""

    def __init__(self, value: JsonValue) -> None:
        self.value = value
        self.unfit: set[tuple[str, str | None]] = set()
        self.doubtful: set[str] = set()
        self.lost_rows = False

    def apply(self, misfit: Misfit) -> None:
        """Correct or remove what the misfit is about."""
        tokens = pointer_tokens(misfit.pointer)
        if misfit.rule == "missing-key" and tokens[:1] != ["rules"]:
            return
        if tokens[:1] == ["rules"] and len(tokens) > 1:
            self._set_rule_aside(misfit, tokens)
            return
        parent = self._parent(tokens)
        if not isinstance(parent, dict) or tokens[-1] not in parent:
            return
        if misfit.meant is None and tokens[0] == "answers" and len(tokens) == 2:
            self.doubtful.add(tokens[1])
        if misfit.meant is None and tokens[0] == "collections" and len(tokens) <= 2:
            self.lost_rows = True
        _correct(parent, tokens[-1], misfit)

    def _set_rule_aside(self, misfit: Misfit, tokens: list[str]) -> None:
        """Correct a word inside a rule, or take the rule out of sight."""
        rules = self.value.get("rules") if isinstance(self.value, dict) else None
        rule = rules.get(tokens[1]) if isinstance(rules, dict) else None
        if not isinstance(rules, dict):
            return
        if len(tokens) == 2 or not isinstance(rule, dict):
            self.unfit.add((tokens[1], None))
            rules.pop(tokens[1], None)
            return
        is_word = misfit.rule == "unknown-key" or (misfit.rule == "unknown-value" and misfit.meant is not None)
        if is_word and len(tokens) > 3:
            parent = self._parent(tokens)
            if isinstance(parent, dict) and tokens[-1] in parent:
                _correct(parent, tokens[-1], misfit)
            return
        rule.pop(tokens[2], None)
        kind = misfit.meant if misfit.rule == "unknown-key" and len(tokens) == 3 else tokens[2]
        self.unfit.add((tokens[1], kind))

    def _parent(self, tokens: list[str]) -> JsonValue:
        value = self.value
        for token in tokens[:-1]:
            if isinstance(value, dict):
                value = value.get(token)
            elif isinstance(value, list) and token.isdigit() and int(token) < len(value):
                value = value[int(token)]
            else:
                return None
        return value if tokens else None


def _correct(parent: dict[str, JsonValue], key: str, misfit: Misfit) -> None:
    """Read a key or a value as the nearest valid spelling; take out what has none."""
    old = parent.pop(key)
    if misfit.meant is None:
        return
    if misfit.rule == "unknown-key":
        parent.setdefault(misfit.meant, old)
    else:
        parent[key] = misfit.meant
