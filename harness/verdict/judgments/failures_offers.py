"""The offers of a failure: where each was made, whether it had to fire, and what it left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from harness.contract.questions import answer
from harness.models.lifecycle.config import Failure
from harness.run.recording import SKIPPED, LogRow
from harness.verdict.evidence import Evidence, SentView
from harness.verdict.judgments.failures_losses import Task, is_strict_subset, resolved, task_of
from harness.verdict.parts import Part, absent, declared, nothing, violated

RESULTS = {False: "recoverable", True: "ruined"}


class Firing(NamedTuple):
    """A failure that fired where it had to: the event, its one job-failed report, and its row in failure-log."""

    failure: Failure
    task: Task
    sent: SentView
    run: str
    report: LogRow
    logged: LogRow

    @property
    def held(self) -> dict[str, int]:
        """The run's claim by item before the failure."""
        return dict(self.sent.before.held_items(self.run))


class Offer(NamedTuple):
    """One offered failure; `state` is where its run was, `logged` its rows in failure-log."""

    failure: Failure
    sent: SentView
    run: str
    state: str | None
    has_ended: bool
    reports: tuple[LogRow, ...]
    logged: tuple[LogRow, ...]

    @property
    def must_fire(self) -> bool:
        """Whether the row's state, and for a recoverable result its losses, let the failure fire (step 16)."""
        if self.has_ended or self.state != self.failure.from_state:
            return False
        if self.failure.ruined:
            return True
        held = self.sent.before.held_items(self.run)
        return self.state != "finished" and is_strict_subset(self.failure, held)


def pointer(e: Evidence, field: str = "") -> str:
    """The JSON pointer to the scenario's row, or to a field of it."""
    row = e.row
    if row is None:
        return ""
    return f"/collections/{row.collection}/{row.index}" + (f"/{field}" if field else "")


def offers(e: Evidence) -> Iterator[Offer]:
    """Every event that offers the scenario's failure, in order; skipped ones are not in it."""
    failure = resolved(e)
    if failure is None:
        return
    for w in e.worlds:
        for sent in w.events("fail", outcome=None, row=failure.id):
            run = str(sent.event["run"])
            state, has_ended = sent.before.state(run), sent.before.ended(run)
            # An offer to a run that was never requested (a request that was skipped) shows nothing.
            if sent.outcome != SKIPPED and state is not None:
                reports = sent.rows_of("report-log", run=run, report="job-failed")
                logged = sent.rows_of("failure-log", run=run, row=failure.id)
                yield Offer(failure, sent, run, state, has_ended, reports, logged)


def skipped(e: Evidence) -> Iterator[Part]:
    """The offers that the system could not be given, each with its reason."""
    for w in e.worlds:
        for sent in w.events("fail", outcome=SKIPPED):
            yield nothing(f"the system skips the failure event: {sent.reason}")


def log_faults(offer: Offer) -> Iterator[Part]:
    """What is wrong with the offer's row in failure-log: none, several, or other values than the event shows."""
    if not offer.logged:
        what = f"the offer of {offer.failure.id} to run {offer.run}"
        yield violated(absent("failure-log", what, near=_last(offer)), f"{what} is not logged")
        return
    for again in offer.logged[1:]:
        yield violated(again, f"the offer of {offer.failure.id} to run {offer.run} is logged twice")
    row = offer.logged[0]
    owed = {
        "offered-in": offer.state,
        "fired": bool(offer.reports),
        "result": RESULTS[offer.failure.ruined],
        "from-state": offer.failure.from_state,
    }
    for column, value in owed.items():
        if row[column] != value:
            yield violated(row, f"failure-log says {column} {row[column]}, and it is {value}", *offer.reports[:1])


def _last(offer: Offer) -> LogRow | None:
    return offer.sent.rows[-1] if offer.sent.rows else None


def did_not_fire(offer: Offer) -> Part:
    """The violation of an offer that had to fire and brought no job-failed."""
    why = f" ({offer.sent.reason})" if offer.sent.reason else ""
    because = f"{offer.failure.id} was offered to run {offer.run} in {offer.state} and did not fire{why}"
    if offer.logged:
        return violated(offer.logged[0], because)
    return violated(absent("report-log", f"job-failed of run {offer.run}", near=_last(offer)), because)


def firings(e: Evidence) -> Iterator[Firing | Part]:
    """The failures that fired where they had to; a part for each that did not, and for rows that contradict it."""
    yield from skipped(e)
    for offer in offers(e):
        if not offer.must_fire:
            continue
        task = task_of(e, offer.sent.world, offer.run)
        if not offer.reports or task is None:
            yield did_not_fire(offer)
            continue
        faults = list(log_faults(offer))
        yield from faults
        if not faults:
            yield Firing(offer.failure, task, offer.sent, offer.run, offer.reports[0], offer.logged[0])


def each_firing(e: Evidence, *judges: Callable[[Evidence, Firing], Iterable[Part]]) -> Iterator[Part]:
    """What the judges say about every firing, with what kept the others from being judged."""
    for found in firings(e):
        if isinstance(found, Firing):
            for judge in judges:
                yield from judge(e, found)
        else:
            yield found


def recoverable_from_finished(e: Evidence) -> Part | None:
    """The violation of an adoption whose failure from finished is recoverable; None for any other."""
    failure = resolved(e)
    if failure is None or failure.ruined or failure.from_state != "finished" or e.row is None:
        return None
    own = e.row.get("result") is not None
    first = declared(pointer(e, "result" if own else "from-state"))
    more = () if own else (declared("/answers/failure-result"),)
    return violated(first, f"{failure.id} fires from finished, and its result is recoverable", *more)


def unanswered(e: Evidence) -> bool:
    """Whether the row has no result of its own and the answer that would decide is missing."""
    return e.row is not None and e.row.get("result") is None and answer(e.adoption, "failure-result") is None
