"""Judgments on the rules that size a cancellation's return, and on adoptions that declare no cancellation."""

from __future__ import annotations

from collections.abc import Iterator

from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence
from harness.verdict.judgments.answers_in_force import in_force, not_by_rule
from harness.verdict.judgments.cancels import Canceling, canceling
from harness.verdict.judgments.cancels_claims import remaining, return_rule, returned
from harness.verdict.judgments.failures_settles import claims, told, totals
from harness.verdict.judgments.outputs_declared import answered, existence, pairing
from harness.verdict.judgments.outputs_logs import own_log_faults
from harness.verdict.parts import Part, absent, holds, nothing, violated

PAIRS = "cancel-return-rule-pairs-with-rule-sized-return"
FLAG, BY_RULE = "cancel-return", "return-by-rule"


@clause(PAIRS, 0)
def a_return_rule_is_legal_only_where_a_rule_sizes_the_return(e: Evidence) -> Iterator[Part]:
    yield from in_force([pairing(e, FLAG, BY_RULE)], not_by_rule(e))


@clause(PAIRS, 1)
def a_cancellation_follows_its_return_rule(e: Evidence) -> Iterator[Part]:
    if answered(e, FLAG) != BY_RULE or e.row is None:
        yield nothing("no cancellation consults the rule: the return is not chosen by a rule")
        return
    chosen = [each for each in e.config.cancellations if _rule_of(e, each) == e.row.id]
    if not chosen:
        yield nothing(f"an earlier rule is used for every cancellation, so {e.row.id} is never consulted")
        return
    for w in e.worlds:
        for sent in w.events("cancel"):
            reports = sent.rows_of("report-log", run=sent.event["run"], report="job-canceled")
            if sent.event["row"] in chosen and reports:
                yield from _consulted(e, canceling(sent, reports[0]))
    yield from own_log_faults(e)


def _rule_of(e: Evidence, cancellation: str) -> str | None:
    rule = return_rule(e.config, cancellation)
    return rule.id if rule is not None else None


def _consulted(e: Evidence, c: Canceling) -> Iterator[Part]:
    """The rule shows in its effect: what it names of the claim goes back, and the rest is spent."""
    owed = returned(e.config, str(c.sent.event["row"]), c.held)
    if owed is None or not c.held:
        return
    for change, wanted in (("release", owed), ("spend", remaining(c.held, owed))):
        rows = claims(e, c.report, change)
        if totals(rows) != wanted:
            first = rows[0] if rows else absent("claim-ledger", f"{change} of {told(wanted)}", near=c.report)
            because = f"the rule makes it a {change} of {told(wanted)} out of {told(c.held)}, not {told(totals(rows))}"
            yield violated(first, because, c.report)
        elif rows:
            yield holds(*rows)


@clause("rule-sized-return-needs-a-return-rule", 0)
def a_return_by_rule_declares_a_rule(e: Evidence) -> Iterator[Part]:
    yield from existence(e, FLAG, BY_RULE, "cancel-return-rules")


# -- no-cancellation-without-a-cancellation-row ------------------------------------------------------------------------


@clause("no-cancellation-without-a-cancellation-row", 0)
def nothing_is_canceled_without_a_declared_cancellation(e: Evidence) -> Iterator[Part]:
    if e.adoption.rows("cancellations"):
        yield nothing("the adoption has a cancellations row")
        return
    for report in e.reports():
        if report["report"] == "job-canceled" or report["new"] == "canceled":
            yield violated(report, f"run {report.run} reports {report['report']}, and no cancellation is declared")
    yield from own_log_faults(e)
    for w in e.worlds:
        for run in w.runs:
            life = w.life(run)
            yield holds(absent("report-log", f"a job-canceled of run {run}", rows=len(life), near=life[-1]), life[-1])
