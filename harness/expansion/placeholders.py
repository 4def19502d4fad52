"""The placeholders of a template: finding them, and filling them from one adoption and one row.

There are four: `{{instance}}`, `{{row.<field>}}`, `{{bind:<name>}}` and `{{inputs:<name>}}`. The text of a binding may
hold placeholders itself. A value that comes from the adoption is never read for placeholders again, and where it
happens to hold two opening braces in a row they are set apart, so that no `{{` is left in any scenario.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from harness.base.errors import UsageError
from harness.contract.questions import asked
from harness.contract.shapes import Adoption, Row, Template

NOT_DECLARED = "not declared"

_PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")
_BRACE_PAIR = re.compile(r"\{(?=\{)")


@dataclass(frozen=True, slots=True)
class Filler:
    """Everything that the placeholders of one template may read: the adoption, its effective answers, one row."""

    template: Template
    adoption: Adoption
    answers: Mapping[str, str]
    row: Row | None

    def fill(self, text: str) -> str:
        """`text` with every placeholder replaced; UsageError where the contract uses one that cannot exist."""
        return self._fill(text, ())

    def fill_optional(self, text: str | None) -> str | None:
        """As `fill`; an absent text stays absent."""
        return None if text is None else self.fill(text)

    def fill_each(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        """Every text of a list, filled."""
        return tuple(self.fill(each) for each in texts)

    def fill_list(self, text: str | None) -> tuple[str, ...]:
        """A field whose value is a list: one `{{inputs:<name>}}` that stands alone gives one text for each item."""
        if text is None:
            return ()
        match = _PLACEHOLDER.fullmatch(text.strip())
        if match and match[1].startswith("inputs:"):
            value = self._input(match[1].removeprefix("inputs:"))
            return tuple(map(_plain, value)) if isinstance(value, list | tuple) else (_plain(value),)
        return (self.fill(text),)

    def _fill(self, text: str, binds: tuple[str, ...]) -> str:
        filled = _PLACEHOLDER.sub(lambda match: self._value(match[1], binds), text)
        return _BRACE_PAIR.sub("{ ", filled)

    def _value(self, name: str, binds: tuple[str, ...]) -> str:
        if name == "instance":
            return _plain(self.adoption.instance)
        if name.startswith("row.") and self.row is not None:
            return _plain(self.row.get(name.removeprefix("row."), NOT_DECLARED))
        if name.startswith("inputs:"):
            return _plain(self._input(name.removeprefix("inputs:")))
        if name.startswith("bind:"):
            return self._bind(name.removeprefix("bind:"), binds)
        raise self._unknown(name)

    def _input(self, name: str) -> object:
        """The adoption's value for this template, else the template's default (adoption file: `inputs`)."""
        own = self.adoption.inputs.get(self.template.id, {})
        return own[name] if name in own else self.template.inputs.get(name, NOT_DECLARED)

    def _bind(self, name: str, binds: tuple[str, ...]) -> str:
        binding = self.template.bindings.get(name)
        if binding is None or name in binds:
            raise self._unknown(f"bind:{name}")
        answer = self.answers.get(binding.flag)
        if answer is None:
            return f"({unanswered(self.adoption, binding.flag)})"
        if answer not in binding.map:
            return f"(the contract has no text for {binding.flag}: {_plain(answer)})"
        return self._fill(binding.map[answer], (*binds, name))

    def _unknown(self, name: str) -> UsageError:
        return UsageError(
            f"the contract's template {self.template.id} uses the placeholder {{{{{name}}}}}, which has no value there",
            hint="a template knows instance, row.<field> (per-row only), bind:<its bindings> and inputs:<its inputs>",
        )


def unanswered(adoption: Adoption, flag: str) -> str:
    """Why a flag has no effective answer, in words: it was not asked, or asked and left open."""
    if asked(adoption, flag):
        return f"{flag} was asked but not answered"
    ignored = "; the answer given is ignored" if flag in adoption.answers else ""
    return f"{flag} was not asked{ignored}"


def _plain(value: object) -> str:
    """A value as text without brace pairs: lists read as `a, b`, numbers as written, true and false as in JSON."""
    if isinstance(value, list | tuple):
        return ", ".join(_plain(each) for each in value)
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return _BRACE_PAIR.sub("{ ", text)
