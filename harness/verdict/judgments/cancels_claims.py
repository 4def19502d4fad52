"""What a cancellation owes of a claim by the cancel-return answer (lifecycle: step 17)."""

from __future__ import annotations

from collections.abc import Mapping

from harness.models.lifecycle.config import CancelReturn, Config
from harness.verdict.judgments.failures_losses import rounded

Unit = tuple[str, str]


def return_rule(config: Config, cancellation: str) -> CancelReturn | None:
    """The first cancel-return rule that is for this cancellation."""
    rules = config.cancel_returns
    return next((each for each in rules if each.cancellations is None or cancellation in each.cancellations), None)


def returned(config: Config, cancellation: str, held: Mapping[Unit, int]) -> dict[Unit, int] | None:
    """The units of a claim that go back to their sources; None where no rule tells."""
    if config.cancel_return == "return-claimed":
        return dict(held)
    if config.cancel_return != "return-by-rule":
        return {}
    rule = return_rule(config, cancellation)
    if rule is None:
        return None
    found = {unit: _named(rule, unit[0], amount) for unit, amount in held.items()}
    return {unit: amount for unit, amount in found.items() if amount}


def _named(rule: CancelReturn, item: str, held: int) -> int:
    """What the rule names of a held amount, never more than it."""
    per_item = {name: (fraction, mode) for name, fraction, mode in rule.per_item}
    named = per_item.get(item, rule.default)
    wanted = rounded(held * named[0], named[1]) if named is not None else dict(rule.amounts).get(item, 0)
    return max(0, min(held, wanted))


def remaining(held: Mapping[Unit, int], taken: Mapping[Unit, int]) -> dict[Unit, int]:
    """The units of the first that are not in the second."""
    left = {unit: amount - taken.get(unit, 0) for unit, amount in held.items()}
    return {unit: amount for unit, amount in left.items() if amount}
