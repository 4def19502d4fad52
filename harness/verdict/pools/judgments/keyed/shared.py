"""The clauses that all pool laws have in common, each with the rule that judges it, and the table of a keyed pool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from harness.verdict.parts import Part
from harness.verdict.pools.brief import Rule
from harness.verdict.pools.evidence import PoolEvidence
from harness.verdict.pools.judgments.keyed import bounds, clause
from harness.verdict.pools.rules import (
    backlog,
    completions,
    dispatching,
    jobs,
    joins,
    late,
    matrix,
    numbers,
    products,
    restarts,
    roster,
    shutdowns,
    workers,
)

TAKES = {
    **matrix.TAKES,
    "draining-pre-ready": tuple(each for each in matrix.TAKES["draining-pre-ready"] if each not in matrix.READY),
}
"""By phase, what it takes: readiness of a worker that ends already is out of date, and settles nothing."""


def phases_take(e: PoolEvidence) -> Iterator[Part]:
    """A fact that fits and that the phase takes changes the member."""
    yield from matrix.taking(e, TAKES)


def phases_refuse(e: PoolEvidence) -> Iterator[Part]:
    """A fact that the phase does not take changes nothing, and is told."""
    yield from matrix.refusing(e, TAKES)


RULES: Mapping[str, Mapping[int, Rule]] = {
    "claim-01-unique-ordered-roster": {0: roster.begins_as_declared, 1: roster.keeps_places, 2: roster.retired_stay},
    "claim-02-fresh-workers": {
        0: numbers.creations_are_fresh,
        1: numbers.workers_are_new,
        2: numbers.operations_are_fresh,
        3: numbers.only_numbers_to_be_had,
    },
    "claim-09-no-idle-beside-own-queue": {1: dispatching.next_job_at_once},
    "claim-10-exact-completion": {
        0: dispatching.not_while_busy,
        1: completions.only_exact_reports,
        2: numbers.authorities_are_apart,
        3: completions.reports_complete,
        4: completions.others_are_kept,
        5: completions.foreign_authority_returns,
        6: joins.nothing_before_the_answer,
        7: joins.refused_deliveries_settle,
    },
    "claim-11-management-is-future-only": {2: jobs.one_outcome, 3: jobs.held_once},
    "claim-12-fresh-generation": {4: numbers.only_generations_to_be_had},
    "claim-13-retirement-is-one-step": {5: jobs.one_outcome, 6: restarts.replaced_in_time},
    "claim-14-full-shutdown": {
        0: shutdowns.returns_everything,
        2: shutdowns.begins_nothing,
        3: shutdowns.asks_once,
        4: workers.ends_only_when_ended,
        6: jobs.one_outcome,
    },
    "claim-15-late-facts-harmless": {
        0: late.changes_nothing,
        1: late.told_once_and_whole,
        2: late.contradictions_are_told,
    },
    "claim-16-one-state-one-product": {
        0: products.one_state,
        1: products.not_silent,
        2: products.lanes_in_order,
        3: products.one_admission,
        4: products.logs_are_the_product,
    },
    "invariant-conservation": {0: jobs.counts_add_up, 1: jobs.same_jobs},
    "invariant-binding-bound": {0: bounds.table_is_bounded},
    "invariant-one-assignment-per-role": {0: jobs.one_job_per_role, 1: jobs.busy_are_assigned},
    "invariant-one-terminal-per-job": {0: jobs.one_outcome, 1: jobs.outcomes_of_accepted},
    "invariant-queue-order-and-bound": {2: backlog.counts_match_queue},
    "matrix-of-modes-and-members": {
        0: matrix.modes_decide,
        1: phases_take,
        2: phases_refuse,
        3: matrix.over_is_over,
    },
}
"""By template and place, the rules of shared clauses."""

for _template, _rules in RULES.items():
    for _index, _rule in _rules.items():
        clause(_template, _index)(_rule)
