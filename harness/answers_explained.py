"""Why some answers cannot be told apart under some adoptions: nothing that they decide ever comes about.

Without such a reason an answer that no run tells from another is a gap, of the contract, the model, or the search.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from harness.models.lifecycle.config import Pool
from harness.run.facts import Facts


class Explanation(NamedTuple):
    """A reason why two answers to `flag` (None: to any) do not differ where it `applies` to both adoptions."""

    flag: str | None
    applies: Callable[[Facts, Facts], bool]
    reason: str


def _in_both(applies: Callable[[Facts], bool]) -> Callable[[Facts, Facts], bool]:
    return lambda here, there: applies(here) and applies(there)


def _pools(facts: Facts) -> list[Pool | None]:
    """The pool that each request leads to, None where none covers it."""
    return [facts.tables.pools.get(form.pool or "") for form in facts.forms]


def _never_starts(facts: Facts) -> bool:
    return all(pool is not None and pool.working == 0 for pool in _pools(facts))


def _never_waits(facts: Facts) -> bool:
    return all(pool is not None and pool.waiting == 0 for pool in _pools(facts))


def _claims_at_finish(facts: Facts) -> bool:
    return facts.config.timing == "taken-at-finish"


def _spends_at_once(facts: Facts) -> bool:
    """Nothing lies between the claim at the start and the finish that spends it."""
    starts = facts.config.timing in ("taken-at-start", "with-progress")
    return starts and not facts.has_work and not facts.can_stop_at_finish_gate


def _never_full(facts: Facts) -> bool:
    return not facts.has_finite_destination


def _one_tick(facts: Facts) -> bool:
    """Every phase ends with its first tick, so that no work is ever recorded at a stop."""
    return all(
        not isinstance(each.work, str)
        and not isinstance(each.per_tick, str)
        and Fraction(each.work) <= Fraction(each.per_tick)
        for each in facts.config.phases
    )


def _resets_progress(facts: Facts) -> bool:
    return facts.config.timing == "with-progress" and facts.config.partial_work == "reset-at-stop"


def _whole_shares(here: Facts, there: Facts) -> bool:
    """Without a phase the share that is claimed at the start is the whole requirement."""
    return not here.has_work and {here.config.timing, there.config.timing} == {"taken-at-start", "with-progress"}


def _route_of_one(here: Facts, there: Facts) -> bool:
    answers = {here.config.output_full, there.config.output_full}
    return answers == {"hold-undelivered", "try-destinations"} and not (here.config.fallbacks or there.config.fallbacks)


def _open_only_from_finished(here: Facts, there: Facts) -> bool:
    """Every failure that takes its result from the answer is from finished, or says it in the other adoption."""
    left_open = [row for each in (here, there) for row in each.adoption.rows("failures") if row.get("result") is None]
    return all(row.get("from-state") == "finished" for row in left_open)


EXPLANATIONS = (
    Explanation(
        None, _in_both(_never_starts), "no pool that a request leads to has a working slot, so no run ever starts"
    ),
    Explanation(
        "cancel-return",
        _in_both(_claims_at_finish),
        "inputs are taken at the finish gate and spent in the same settle: a run that can be canceled holds nothing",
    ),
    Explanation(
        "cancel-return",
        _in_both(_spends_at_once),
        "there is no work phase, so what a start claims is spent in the same batch: a run that can be canceled holds "
        "nothing",
    ),
    Explanation("cancel-dependents", _in_both(_never_waits), "no run can wait, so none that needs another ever does"),
    Explanation(
        "failure-result",
        _open_only_from_finished,
        "only failures from finished follow the answer, and they always ruin",
    ),
    Explanation(
        "input-claim-timing",
        _whole_shares,
        "there is no work phase, so the share that the start claims is the whole requirement",
    ),
    Explanation("output-full", _in_both(_never_full), "every normal destination is unlimited, so none is ever full"),
    Explanation("output-full", _route_of_one, "the route has no other destination than the normal one"),
    Explanation(
        "partial-work", _in_both(_one_tick), "the work is done with its first tick: a stop never finds any recorded"
    ),
    Explanation(
        "stopped-claims",
        _in_both(_resets_progress),
        "a stop takes the work away, and with it the claim that grew with it: nothing is left to hold or release",
    ),
)


def explanation(flag: str, here: Facts, there: Facts) -> str | None:
    """The reason why the two answers cannot be told apart; None where none is known."""
    for each in EXPLANATIONS:
        if each.flag in (None, flag) and each.applies(here, there):
            return each.reason
    return None
