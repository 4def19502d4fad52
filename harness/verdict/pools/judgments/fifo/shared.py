"""The clauses that all pool laws have in common, each with the rule that judges it."""

from __future__ import annotations

from harness.verdict.pools.brief import Rule
from harness.verdict.pools.judgments.fifo import clause
from harness.verdict.pools.rules import (
    backlog,
    completions,
    dispatching,
    jobs,
    joins,
    late,
    losses,
    matrix,
    numbers,
    products,
    public,
    restarts,
    roster,
    shutdowns,
    stops,
    workers,
)

RULES: dict[str, tuple[Rule, ...]] = {
    "claim-01-unique-ordered-roster": (roster.begins_as_declared, roster.keeps_places, roster.retired_stay),
    "claim-02-fresh-workers": (
        numbers.creations_are_fresh,
        numbers.workers_are_new,
        numbers.operations_are_fresh,
        numbers.only_numbers_to_be_had,
    ),
    "claim-03-one-public-face": (public.admissions_tell_no_more, public.outcomes_name_roles, public.lanes_are_apart),
    "claim-04-direct-ownership": (
        workers.births_answer_creations,
        workers.ready_before_jobs,
        workers.activations_in_order,
        workers.replacements_follow_stops,
        workers.stops_when_all_ended,
    ),
    "claim-05-one-obligation-per-job": (
        jobs.held_from_acceptance,
        jobs.held_once,
        jobs.one_outcome,
        jobs.payloads_stay,
    ),
    "claim-06-backlog-counts-waiters": (
        backlog.refused_when_full,
        backlog.joins_within,
        backlog.straight_to_idle,
        backlog.queue_is_bounded,
    ),
    "claim-07-one-job-per-worker": (dispatching.not_while_busy, dispatching.only_ready, jobs.one_job_per_role),
    "claim-08-no-idle-beside-queue": (
        dispatching.counts_show_none_waiting,
        dispatching.next_job_at_once,
        dispatching.back_to_an_idle_one,
    ),
    "claim-10-exact-completion": (
        completions.only_exact_reports,
        numbers.authorities_are_apart,
        completions.reports_complete,
        completions.others_are_kept,
        completions.foreign_authority_returns,
    ),
    "claim-11-stop-resolves-once": (
        stops.settles_once,
        stops.recovers_once,
        stops.comes_back_as_declared,
        stops.back_in_order,
        restarts.replaced_in_time,
    ),
    "claim-12-order-free-join": (
        joins.nothing_before_the_answer,
        joins.completion_first_completes,
        joins.stop_first_wins,
        joins.refused_deliveries_settle,
    ),
    "claim-13-no-stranded-work": (
        losses.last_loss_returns,
        losses.refused_afterwards,
        losses.survivors_keep_the_queue,
    ),
    "claim-14-full-shutdown": (
        shutdowns.returns_everything,
        shutdowns.refuses_when_closed,
        shutdowns.begins_nothing,
        shutdowns.asks_once,
        workers.ends_only_when_ended,
    ),
    "claim-15-late-facts-harmless": (late.changes_nothing, late.told_once_and_whole, late.contradictions_are_told),
    "claim-16-one-state-one-product": (
        products.one_state,
        products.not_silent,
        products.lanes_in_order,
        products.one_admission,
        products.logs_are_the_product,
    ),
    "invariant-conservation": (jobs.counts_add_up, jobs.same_jobs),
    "invariant-absolute-queue-bound": (backlog.counts_are_bounded, backlog.counts_match_queue),
    "invariant-new-admission-bound": (backlog.joins_within, backlog.new_jobs_run_or_wait),
    "invariant-one-assignment-per-worker": (jobs.one_job_per_role, jobs.busy_are_assigned),
    "invariant-one-terminal-per-job": (jobs.one_outcome, jobs.outcomes_of_accepted),
    "invariant-no-idle-with-queue": (dispatching.counts_show_none_waiting, dispatching.traces_show_none_waiting),
    "invariant-unique-active-completions": (numbers.open_authorities_differ, numbers.open_authorities_are_bound),
    "invariant-no-reissue": (numbers.no_reissue, numbers.jobs_rise),
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
