"""Why some answers cannot be told apart under some adoptions: nothing that they decide ever comes about.

Without such a reason an answer that no run tells from another is a gap, of the contract, the model, or the search.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from harness.models.lifecycle.config import Config
from harness.run.facts import Facts


class Explanation(NamedTuple):
    """A reason why two answers to `flag` do not differ where `applies` to the configurations that give them."""

    flag: str
    applies: Callable[[Config, Config], bool]
    reason: str


def _in_both(applies: Callable[[Config], bool]) -> Callable[[Config, Config], bool]:
    return lambda here, there: applies(here) and applies(there)


def _claims_at_finish(config: Config) -> bool:
    return config.timing == "taken-at-finish"


def _never_full(config: Config) -> bool:
    return all(config.capacity(job.destination) is None for job in config.jobs if job.destination is not None)


def _one_tick(config: Config) -> bool:
    """Every phase ends with its first tick, so that no work is ever recorded at a stop."""
    return all(
        not isinstance(each.work, str)
        and not isinstance(each.per_tick, str)
        and Fraction(each.work) <= Fraction(each.per_tick)
        for each in config.phases
    )


def _whole_shares(here: Config, there: Config) -> bool:
    """Without a phase the share that is claimed at the start is the whole requirement."""
    return not here.phases and {here.timing, there.timing} == {"taken-at-start", "with-progress"}


EXPLANATIONS = (
    Explanation(
        "cancel-return",
        _in_both(_claims_at_finish),
        "inputs are taken at the finish gate and spent in the same settle: a run that can be canceled holds nothing",
    ),
    Explanation(
        "input-claim-timing",
        _whole_shares,
        "there is no work phase, so the share that the start claims is the whole requirement",
    ),
    Explanation("output-full", _in_both(_never_full), "every normal destination is unlimited, so none is ever full"),
    Explanation(
        "partial-work", _in_both(_one_tick), "the work is done with its first tick: a stop never finds any recorded"
    ),
)


def explanation(flag: str, here: Facts, there: Facts) -> str | None:
    """The reason why the two answers cannot be told apart; None where none is known."""
    for each in EXPLANATIONS:
        if each.flag == flag and each.applies(here.config, there.config):
            return each.reason
    return None
