"""Choosing some of the scenarios: by id, by template, or by a keyword expression over the id (`-k`).

A keyword expression is made of substrings, `and`, `or`, `not` and parentheses; a substring matches without regard to
case. `not` binds tightest, then `and`, then `or`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from harness.base.errors import UsageError
from harness.contract.fitting import nearest
from harness.expansion.expand import Expansion
from harness.expansion.scenario import Exclusion, Scenario

Predicate = Callable[[str], bool]

_TOKEN = re.compile(r"[()]|[^\s()]+")
_NESTING_MAX = 50


@dataclass(frozen=True, slots=True)
class Selection:
    """What the caller chose. Without any choice everything is selected; several kinds of choice must all agree."""

    ids: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    keyword: str | None = None

    def select(self, entries: Iterable[Scenario | Exclusion]) -> tuple[Scenario | Exclusion, ...]:
        """The entries that were chosen, in their order; UsageError where the keyword expression has a fault."""
        matches = compile_keyword(self.keyword) if self.keyword is not None else None
        return tuple(
            entry
            for entry in entries
            if (not self.ids or entry.id in self.ids)
            and (not self.templates or entry.template in self.templates)
            and (matches is None or matches(entry.id))
        )

    def missed(self, expansions: Sequence[Expansion], entries: Iterable[Scenario | Exclusion]) -> tuple[str, ...]:
        """Each choice that has no part in `entries` (what was chosen), in words that say why as far as is known."""
        chosen = tuple(entries)
        known = tuple(entry for each in expansions for entry in each.entries)
        lines = [
            _missed(option, wanted, known, key)
            for option, wanteds, key in (("--id", self.ids, _id_of), ("--template", self.templates, _template_of))
            for wanted in wanteds
            if all(key(each) != wanted for each in chosen)
        ]
        if self.keyword is not None and not chosen:
            lines.append(f"-k {self.keyword!r} selects nothing")
        return tuple(lines)


def compile_keyword(expression: str) -> Predicate:
    """The predicate over scenario ids that a keyword expression stands for.

    Raises UsageError that says where the expression stops making sense.
    """
    return _Parser(expression).parse()


class _Parser:
    """A recursive descent over the few tokens of a keyword expression."""

    def __init__(self, expression: str) -> None:
        self.expression = expression
        self.tokens: Sequence[re.Match[str]] = tuple(_TOKEN.finditer(expression))
        self.at = 0
        self.nesting = 0

    def parse(self) -> Predicate:
        predicate = self.either()
        if self.at < len(self.tokens):
            raise self.fault("expected 'and', 'or' or the end")
        return predicate

    def either(self) -> Predicate:
        parts = [self.both()]
        while self.accept("or"):
            parts.append(self.both())
        return _either(tuple(parts))

    def both(self) -> Predicate:
        parts = [self.negated()]
        while self.accept("and"):
            parts.append(self.negated())
        return _all(tuple(parts))

    def negated(self) -> Predicate:
        self.nesting += 1
        if self.nesting > _NESTING_MAX:
            raise self.fault(f"nested more than {_NESTING_MAX} deep")
        predicate = _negated(self.negated()) if self.accept("not") else self.word()
        self.nesting -= 1
        return predicate

    def word(self) -> Predicate:
        if self.accept("("):
            inner = self.either()
            if not self.accept(")"):
                raise self.fault("expected ')'")
            return inner
        token = self.peek()
        if token is None or token in (")", "and", "or"):
            raise self.fault("expected a part of an id")
        self.at += 1
        return _contains(token)

    def peek(self) -> str | None:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else None

    def accept(self, token: str) -> bool:
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def fault(self, what: str) -> UsageError:
        column = self.tokens[self.at].start() + 1 if self.at < len(self.tokens) else len(self.expression) + 1
        return UsageError(
            f"-k {self.expression!r}: {what} at column {column}",
            hint="write parts of scenario ids joined by and, or, not and parentheses, as in 'pool and not waiting'",
        )


def _id_of(entry: Scenario | Exclusion) -> str:
    return entry.id


def _template_of(entry: Scenario | Exclusion) -> str:
    return entry.template


def _missed(
    option: str, wanted: str, known: Sequence[Scenario | Exclusion], key: Callable[[Scenario | Exclusion], str]
) -> str:
    """Why an id or a template id selected nothing: excluded by rule, unknown, or left out by another choice."""
    named = [each for each in known if key(each) == wanted]
    reasons = list(dict.fromkeys(each.reason for each in named if isinstance(each, Exclusion)))
    if named and all(isinstance(each, Exclusion) for each in named):
        return f"{option} {wanted} selects nothing, it is excluded: {'; '.join(reasons)}"
    if named:
        return f"{option} {wanted} selects nothing, the other choices leave it out"
    hint = nearest(wanted, {key(each) for each in known})
    return f"{option} {wanted} selects nothing, there is no such id" + (f"; did you mean {hint}?" if hint else "")


def _contains(part: str) -> Predicate:
    lowered = part.lower()
    return lambda text: lowered in text.lower()


def _negated(inner: Predicate) -> Predicate:
    return lambda text: not inner(text)


def _all(parts: tuple[Predicate, ...]) -> Predicate:
    return lambda text: all(part(text) for part in parts)


def _either(parts: tuple[Predicate, ...]) -> Predicate:
    return lambda text: any(part(text) for part in parts)
