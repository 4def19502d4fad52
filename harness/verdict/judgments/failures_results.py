"""Judgments on the two results of a failure: recoverable, where the same job stops, and ruined, where it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from harness.run.recording import LogRow, fraction
from harness.verdict.clauses import clause
from harness.verdict.evidence import Evidence
from harness.verdict.judgments.failures_losses import (
    less,
    named_losses,
    named_releases,
    recovered_releases,
    recovered_work,
)
from harness.verdict.judgments.failures_offers import Firing, each_firing, offers, recoverable_from_finished
from harness.verdict.judgments.failures_settles import (
    by_item,
    claims,
    count_faults,
    observed,
    settled,
    told,
    totals,
)
from harness.verdict.judgments.outputs_logs import own_log_faults
from harness.verdict.parts import Part, absent, holds, nothing, violated

RECOVERABLE_ROW = "failure-row-result-recoverable"
RUINED_ROW = "failure-row-result-ruined"

RECOVERY = "failure-recovery"
_POINTS = {"waiting": "start-gate", "working": "work-point"}


# -- the recoverable result --------------------------------------------------------------------------------------------


def losses_are_partial(e: Evidence, f: Firing) -> Iterator[Part]:
    """The named losses, all of them and no other, leave some of the claim."""
    rows = claims(e, f.report, "lose")
    lost, owed = by_item(totals(rows)), named_losses(f.failure, f.held)
    if lost != owed:
        first = rows[0] if rows else absent("claim-ledger", f"the loss of {told(owed)}", near=f.report)
        yield violated(first, f"run {f.run} loses {told(lost)}, and {f.failure.id} names {told(owed)}", f.report)
    elif owed and sum(lost.values()) >= sum(f.held.values()):
        yield violated(rows[0], f"run {f.run} loses all of its claim of {told(f.held)}", f.report)
    elif owed:
        yield holds(*rows)


def work_falls_by_the_loss_alone(e: Evidence, f: Firing) -> Iterator[Part]:
    """The work falls by step 16 and nothing else: never below none, and never reset as an ordinary stop would."""
    before, after = fraction(f.report["work-before"]), fraction(f.report["work-after"])
    if before is None or after is None:
        yield violated(f.report, f"job-failed of run {f.run} tells no work")
        return
    owed = recovered_work(e.config, f.task, f.failure, before, f.held)
    if observed(e, "work-before-after") and f.sent.before.work(f.run) != before:
        known = f.sent.before.work(f.run)
        yield violated(f.report, f"job-failed of run {f.run} begins at work {before}, and its work was {known}")
    elif after < 0:
        yield violated(f.report, f"the work of run {f.run} falls below none, to {after}")
    elif after != owed:
        yield violated(f.report, f"the work of run {f.run} goes from {before} to {after}; {f.failure.id} leaves {owed}")
    else:
        yield holds(f.report)


def no_output(e: Evidence, f: Firing) -> Iterator[Part]:
    """The failure establishes and delivers nothing."""
    made = f.sent.rows_of("output-identity", run=f.run, change=("established", "delivered"))
    ended = list(f.sent.rows_of("report-log", run=f.run, report=("job-finished", "job-delivered")))
    for row in (*made, *ended):
        yield violated(row, f"the failure of run {f.run} makes an output", f.report)
    if not made and not ended:
        yield holds(absent("output-identity", f"a new output of run {f.run}", near=f.report), f.report)


def waiting_slot_is_freed(e: Evidence, f: Firing) -> Iterator[Part]:
    """From waiting in a pool: the waiting slot goes in the failure's own settle."""
    if f.failure.from_state != "waiting" or f.report["pool"] is None:
        return
    yield from count_faults(e, [f.report["pool"]])
    if not f.sent.before.has_slot(f.run, "waiting"):
        missing = absent("count-trace", f"the waiting slot that run {f.run} took", near=f.report)
        yield violated(missing, f"run {f.run} waits in {f.report['pool']} and holds no waiting slot")
        return
    freed = [row for row in settled(e, f.report, "count-trace") if (row["slot"], row["change"]) == ("waiting", "free")]
    if len(freed) == 1:
        yield holds(freed[0])
    elif freed:
        yield violated(freed[1], f"run {f.run} frees its waiting slot more than once", f.report)
    else:
        missing = absent("count-trace", f"the waiting slot of run {f.run} freed", near=f.report)
        yield violated(missing, f"run {f.run} keeps its waiting slot when it fails", f.report)


def stops_for_recovery(e: Evidence, f: Firing) -> Iterator[Part]:
    """The same run stops, reports once, and goes on only when failure-recovery is cleared."""
    if f.report["new"] != "stopped":
        yield violated(f.report, f"{f.failure.id} is recoverable and leaves run {f.run} {f.report['new']}")
        return
    for again in f.sent.rows_of("report-log", run=f.run, report="job-failed")[1:]:
        yield violated(again, f"run {f.run} reports job-failed more than once", f.report)
    faults = [*_cause_faults(e, f), *_early_resumes(f)]
    yield from faults
    if not faults:
        yield holds(f.report, *settled(e, f.report, "state-trace"))


def _cause_faults(e: Evidence, f: Firing) -> Iterator[Part]:
    if not observed(e, "stop-causes") or RECOVERY in f.sent.before.causes(f.run):
        return
    rows = settled(e, f.report, "stop-causes")
    if not any(row["cause"] == RECOVERY and row["change"] in ("add", "join") for row in rows):
        missing = absent("stop-causes", f"{RECOVERY} for run {f.run}", near=f.report)
        yield violated(missing, f"run {f.run} stops without the cause {RECOVERY}", f.report)


def _early_resumes(f: Firing) -> Iterator[Part]:
    """A resume before the recovery was cleared, or a clear that the system did not know the cause of."""
    w = f.sent.world
    for sent in w.sent[f.sent.place :]:
        if sent.kind == "clear" and sent.event.get("run") == f.run and sent.event.get("cause") == RECOVERY:
            if sent.outcome == "refused" and sent.before.state(f.run) == "stopped":
                missing = absent("report-log", f"the cause {RECOVERY} of run {f.run}", near=f.report)
                yield violated(missing, f"the system refuses to clear {RECOVERY}: {sent.reason}", f.report)
            return
        for row in sent.rows_of("report-log", run=f.run, report="job-resumed"):
            if row.pos < f.report.pos:
                continue
            yield violated(row, f"run {f.run} resumes before {RECOVERY} is cleared", f.report)
            return


def claim_settles_first(e: Evidence, f: Firing) -> Iterator[Part]:
    """The claim changes are those that losses and the stopped claim owe, and all stand before the report."""
    rows = claims(e, f.report)
    for row in rows:
        if row.pos > f.report.pos:
            yield violated(row, f"a claim change of run {f.run} after its job-failed", f.report)
        elif row["change"] in ("claim", "spend"):
            yield violated(row, f"the failure of run {f.run} makes a {row['change']}", f.report)
    released = [row for row in rows if row["change"] == "release"]
    before = fraction(f.report["work-before"])
    owed = recovered_releases(e.config, f.task, f.failure, before, f.held) if before is not None else {}
    if by_item(totals(released)) != owed:
        first = released[0] if released else absent("claim-ledger", f"the release of {told(owed)}", near=f.report)
        because = f"run {f.run} releases {told(by_item(totals(released)))} when it fails, and owes {told(owed)}"
        yield violated(first, because, f.report)
    elif rows:
        yield holds(*rows, f.report)


def resume_point_is_recorded(e: Evidence, f: Firing) -> Iterator[Part]:
    """The start gate from waiting, the work point from working, what is recorded already from stopped."""
    w, state = f.sent.world, f.failure.from_state
    mine = w.rows("resume-point", run=f.run)
    now = [row for row in settled(e, f.report, "resume-point") if row["change"] == "recorded"]
    earlier = [row for row in mine if row.pos < f.report.pos and row["change"] == "recorded" and row not in now]
    owed = _POINTS.get(state) or (earlier[-1]["point"] if earlier else None)
    recorded = now or (earlier[-1:] if state == "stopped" else [])
    if owed is None or not recorded:
        missing = absent("resume-point", f"the resume point of run {f.run}", rows=len(mine), near=f.report)
        yield violated(missing, f"run {f.run} fails from {state} and no resume point is recorded", f.report)
    elif recorded[0]["point"] != owed:
        because = f"run {f.run} fails from {state}; its resume point is {recorded[0]['point']}, not the {owed}"
        yield violated(recorded[0], because, *earlier[-1:])
    else:
        yield holds(recorded[0])
        yield from _returns_there(e, f, owed)


def _returns_there(e: Evidence, f: Firing, point: str) -> Iterator[Part]:
    w = f.sent.world
    resumes = [row for row in w.reports("job-resumed", run=f.run) if row.pos > f.report.pos]
    if not resumes:
        return
    resumed = resumes[0]
    back = [row for row in settled(e, resumed, "resume-point") if row["change"] == "returned"]
    if not back:
        missing = absent("resume-point", f"the point that run {f.run} returns to", near=resumed)
        yield violated(missing, f"run {f.run} resumes and no resume point is returned to", resumed)
    elif back[0]["point"] != point:
        yield violated(back[0], f"run {f.run} resumes at the {back[0]['point']}, and recorded the {point}", resumed)
    elif (resumed["new"] == "waiting") != (point == "start-gate"):
        yield violated(resumed, f"run {f.run} resumes into {resumed['new']}, and its resume point is the {point}")
    else:
        yield holds(back[0], resumed)


RECOVERABLE: tuple[Callable[[Evidence, Firing], Iterator[Part]], ...] = (
    losses_are_partial,
    work_falls_by_the_loss_alone,
    claim_settles_first,
    stops_for_recovery,
    waiting_slot_is_freed,
    resume_point_is_recorded,
    no_output,
)


@clause(RECOVERABLE_ROW, 0)
def a_recoverable_failure_takes_only_its_named_losses(e: Evidence) -> Iterator[Part]:
    if recoverable_from_finished(e) is not None:
        yield nothing("a recoverable failure from finished is invalid and never fires")
        return
    yield from each_firing(e, losses_are_partial, work_falls_by_the_loss_alone)
    yield from _fired_on_too_little(e)
    yield from each_firing(e, no_output)
    yield from own_log_faults(e)


def _fired_on_too_little(e: Evidence) -> Iterator[Part]:
    """A loss that leaves nothing of the claim is refused, not capped."""
    for offer in offers(e):
        if offer.state == offer.failure.from_state and not offer.has_ended and not offer.must_fire:
            held = dict(offer.sent.before.held_items(offer.run))
            for report in offer.reports:
                because = f"{offer.failure.id} fires on run {offer.run}, whose claim is {told(held)}"
                yield violated(report, because, *offer.logged)


@clause(RECOVERABLE_ROW, 1)
def a_recoverable_failure_stops_the_same_job(e: Evidence) -> Iterator[Part]:
    if recoverable_from_finished(e) is not None:
        yield nothing("a recoverable failure from finished is invalid and never fires")
        return
    yield from each_firing(e, waiting_slot_is_freed, stops_for_recovery, claim_settles_first)


@clause(RECOVERABLE_ROW, 2)
def a_recoverable_failure_records_where_to_resume(e: Evidence) -> Iterator[Part]:
    invalid = recoverable_from_finished(e)
    if invalid is not None:
        yield invalid
        return
    yield from each_firing(e, resume_point_is_recorded)


# -- the ruined result -------------------------------------------------------------------------------------------------


def claims_then_slots_then_report(e: Evidence, f: Firing) -> Iterator[Part]:
    """The cited claim changes first, then the end and every slot, then the report."""
    moves = settled(e, f.report, "state-trace")
    freed = [row for row in settled(e, f.report, "count-trace") if row["change"] == "free"]
    end = min((row.pos for row in (*moves, *freed)), default=f.report.pos)
    rows = claims(e, f.report)
    for row in rows:
        if row.pos > end:
            yield violated(row, f"a claim change of run {f.run} after it ended", *moves, f.report)
    for row in (*moves, *freed):
        if row.pos > f.report.pos:
            yield violated(row, f"run {f.run} reports job-failed before it has ended and freed its slots", f.report)
    yield from _cited_changes(f, rows)
    yield from _slots_freed(e, f, freed)


def _cited_changes(f: Firing, rows: tuple[LogRow, ...]) -> Iterator[Part]:
    owed = {"lose": named_losses(f.failure, f.held), "release": named_releases(f.failure, f.held)}
    for change, amounts in owed.items():
        mine = [row for row in rows if row["change"] == change]
        found = by_item(totals(mine))
        if found != amounts:
            first = mine[0] if mine else absent("claim-ledger", f"{change} of {told(amounts)}", near=f.report)
            because = f"run {f.run} settles a {change} of {told(found)}; {f.failure.id} cites {told(amounts)}"
            yield violated(first, because, f.report)
        elif mine:
            yield holds(*mine, f.report)


def _slots_freed(e: Evidence, f: Firing, freed: list[LogRow]) -> Iterator[Part]:
    yield from count_faults(e, [f.report["pool"]])
    held, kept = f.sent.before.slots(f.run), e.after(f.report).slots(f.run)
    slot = {"waiting": "waiting", "working": "working"}.get(f.failure.from_state)
    if slot and f.report["pool"] is not None and not any(kind == slot for _, _, kind in held):
        missing = absent("count-trace", f"the {slot} slot that run {f.run} took", near=f.report)
        yield violated(missing, f"run {f.run} was {f.failure.from_state} and held no {slot} slot", f.report)
    elif kept:
        missing = absent("count-trace", f"the {kept[0][2]} slot of run {f.run} freed", near=f.report)
        yield violated(missing, f"run {f.run} failed and keeps a {kept[0][2]} slot of {kept[0][0]}", f.report)
    else:
        yield holds(*freed, f.report)


def ends_in_failed(e: Evidence, f: Firing) -> Iterator[Part]:
    """Terminal, without a new output; nothing is given back but what the rule cites, and the rest stays assigned."""
    if f.report["new"] != "failed":
        yield violated(f.report, f"{f.failure.id} ruins the job and leaves run {f.run} {f.report['new']}")
        return
    for row in claims(e, f.report, "claim", "spend"):
        yield violated(row, f"the failure of run {f.run} makes a {row['change']}", f.report)
    given, owed = claims(e, f.report, "release"), named_releases(f.failure, f.held)
    if given and by_item(totals(given)) != owed:
        because = f"run {f.run} gives back {told(by_item(totals(given)))} when it fails, and {told(owed)} is cited"
        yield violated(given[0], because, f.report)
    yield from _remaining_claim(e, f)


def _remaining_claim(e: Evidence, f: Firing) -> Iterator[Part]:
    held = f.held
    left = less(less(held, named_losses(f.failure, held)), named_releases(f.failure, held))
    later = [row for row in f.sent.world.rows("claim-ledger", run=f.run) if row.pos > f.report.pos]
    now = dict(e.after(f.report).held_items(f.run))
    if later:
        yield violated(later[0], f"the claim of run {f.run} changes after its end", f.report)
    elif now != left:
        because = f"run {f.run} ends holding {told(now)}; {f.failure.id} leaves it {told(left)}"
        yield violated(f.report, because, *claims(e, f.report))
    else:
        yield holds(*(settled(e, f.report, "state-trace") or (f.report,)))


def the_output_goes_or_the_target_stays(e: Evidence, f: Firing) -> Iterator[Part]:
    """An undelivered new thing is destroyed; an in-place target still exists."""
    rows = settled(e, f.report, "output-identity")
    destroyed = [row for row in rows if row["change"] == "destroyed"]
    if e.config.in_place:
        yield from _target(f, rows, destroyed)
    elif f.failure.from_state != "finished":
        for row in destroyed:
            yield violated(row, f"run {f.run} had made no output, and one is destroyed", f.report)
        yield nothing(f"the failure fires from {f.failure.from_state}, where there is no output yet")
    elif not destroyed:
        missing = absent("output-identity", f"the output of run {f.run} destroyed", near=f.report)
        yield violated(missing, f"the undelivered output of run {f.run} is not destroyed", f.report)
    else:
        yield from _same_output(f, destroyed[0])


def _target(f: Firing, rows: tuple[LogRow, ...], destroyed: list[LogRow]) -> Iterator[Part]:
    remains = [row for row in rows if row["change"] == "target-remains"]
    for row in destroyed:
        yield violated(row, f"the failure of run {f.run} destroys the target of its change", f.report)
    if not remains:
        missing = absent("output-identity", f"the target of run {f.run}, which remains", near=f.report)
        yield violated(missing, f"no row says that the target of run {f.run} still exists", f.report)
    elif not destroyed:
        yield holds(remains[0])


def _same_output(f: Firing, row: LogRow) -> Iterator[Part]:
    made = f.sent.world.rows("output-identity", run=f.run, change="established")
    if not made or made[-1]["output"] != row["output"]:
        was = made[-1]["output"] if made else "none"
        yield violated(row, f"run {f.run} made {was}, and {row['output']} is destroyed", *made[-1:])
    else:
        yield holds(row, made[-1])


def never_moves_again(e: Evidence, f: Firing) -> Iterator[Part]:
    """The rule's damaged state is read for one thing: the run is terminal."""
    w = f.sent.world
    moves = settled(e, f.report, "state-trace")
    later = [row for row in w.rows("state-trace", run=f.run) if row.pos > f.report.pos]
    later += [row for row in w.reports(run=f.run) if row.pos > f.report.pos]
    if later:
        first = min(later, key=lambda row: row.pos)
        yield violated(first, f"run {f.run} moves after it was ruined", f.report)
    elif not moves or moves[0]["to"] != "failed":
        missing = absent("state-trace", f"run {f.run} entering failed", near=f.report)
        yield violated(moves[0] if moves else missing, f"run {f.run} was ruined and did not enter failed", f.report)
    else:
        yield holds(moves[0])


RUINED: tuple[Callable[[Evidence, Firing], Iterator[Part]], ...] = (
    ends_in_failed,
    never_moves_again,
    claims_then_slots_then_report,
    no_output,
    the_output_goes_or_the_target_stays,
)


@clause(RUINED_ROW, 0)
def a_ruin_settles_claims_then_slots_then_reports(e: Evidence) -> Iterator[Part]:
    yield from each_firing(e, claims_then_slots_then_report)
    yield from own_log_faults(e)


@clause(RUINED_ROW, 1)
def a_ruin_ends_the_job_and_returns_nothing(e: Evidence) -> Iterator[Part]:
    yield from each_firing(e, ends_in_failed)
    yield from each_firing(e, no_output)


@clause(RUINED_ROW, 2)
def a_ruin_destroys_the_output_and_not_the_target(e: Evidence) -> Iterator[Part]:
    yield from each_firing(e, the_output_goes_or_the_target_stays)


@clause(RUINED_ROW, 3)
def a_ruined_job_is_terminal(e: Evidence) -> Iterator[Part]:
    yield from each_firing(e, never_moves_again)
