"""Each clause of the contract with the rule that judges it."""

from __future__ import annotations

from harness.verdict.pools.brief import Rule
from harness.verdict.pools.judgments.supervisor import (
    clause,
    ends,
    facts,
    failures,
    matrix,
    operations,
    products,
    proxies,
    recoveries,
)
from harness.verdict.pools.rules import products as shared
from harness.verdict.pools.rules import roster

RULES: dict[str, tuple[Rule, ...]] = {
    "claim-01-unique-ordered-roster": (
        roster.begins_as_declared,
        proxies.keeps_its_roster,
        roster.retired_stay,
        proxies.created_in_order,
    ),
    "claim-02-one-proxy-per-role": (proxies.created_once, proxies.proxies_are_own, proxies.only_proxies_show),
    "claim-03-atomic-proxy-outcome": (
        proxies.readiness_is_an_outcome,
        proxies.first_outcomes_decide,
        proxies.replacements_join,
    ),
    "claim-04-ready-only-after-report": (
        proxies.online_by_report,
        proxies.starts_are_told_when_ready,
        proxies.restarts_follow_stops,
        proxies.replies_call_ready,
    ),
    "claim-05-activation-bound": (
        operations.within_the_limit,
        operations.one_for_each_proxy,
        operations.tickets_are_fresh,
        operations.counts_are_the_book,
    ),
    "claim-06-one-snapshot-admission": (
        recoveries.chosen_by_strategy,
        recoveries.charged_with_admission,
        recoveries.failure_touches_nobody_else,
        recoveries.within_the_budget,
        recoveries.recoveries_are_disjoint,
        recoveries.unused_workers_go_back,
    ),
    "claim-07-three-prerequisites": (
        operations.released_first,
        operations.predecessor_is_there,
        operations.nobody_held_back,
        operations.declared_order_first,
    ),
    "claim-08-late-facts-harmless": (
        facts.changes_nothing,
        facts.told_once_and_whole,
        operations.issued_once,
        recoveries.asked_for_once,
        recoveries.charged_with_admission,
        facts.pairs_close,
    ),
    "claim-09-query-is-read-only": (
        facts.answered_once,
        facts.queries_change_nothing,
        facts.statuses_are_the_states,
        facts.capabilities_are_the_states,
    ),
    "claim-10-exact-drain": (
        ends.nothing_begins,
        ends.asked_once_each,
        ends.everybody_is_asked,
        ends.stops_when_all_ended,
        ends.forced_ends_are_told,
    ),
    "claim-11-one-state-one-product": (
        shared.one_state,
        products.not_silent,
        products.lanes_in_order,
        facts.answered_once,
        products.logs_are_the_product,
        products.inputs_add_up,
        ends.forced_ends_are_told,
        products.stops_are_told,
        failures.failures_are_told,
        failures.deliveries_end_once,
    ),
    "invariant-roster-partition": (products.every_role_is_somewhere,),
    "invariant-one-proxy-per-role": (proxies.proxies_are_apart,),
    "invariant-activation-bound": (operations.counted_within_the_limit,),
    "invariant-nothing-held-back": (operations.nobody_held_back, operations.traces_hold_nobody_back),
    "invariant-disjoint-recoveries": (recoveries.recoveries_are_disjoint,),
    "invariant-joins-close": (facts.pairs_close,),
    "invariant-budget-bound": (recoveries.within_the_budget, recoveries.counted_within_the_budget),
    "invariant-readiness-by-report": (proxies.online_by_report,),
    "invariant-conservation": (products.inputs_add_up, products.inputs_leave_as_held),
    "invariant-no-reissue": (operations.issued_once,),
    "matrix-of-modes-and-members": (
        matrix.modes_decide,
        matrix.members_take,
        matrix.members_refuse,
        matrix.over_is_over,
    ),
}
"""By template, the rules of its clauses in order."""

for _template, _rules in RULES.items():
    for _index, _rule in enumerate(_rules):
        clause(_template, _index)(_rule)
