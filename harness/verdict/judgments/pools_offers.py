"""Offers of free working slots: what each row of the offer log must be, and which rows are owed."""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.lifecycle.config import Pool
from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence, SentView, WorldView
from harness.verdict.judgments.pools_common import (
    Wrong,
    first_of_settle,
    free_after,
    free_at,
    named,
    observes,
    places,
)
from harness.verdict.judgments.pools_line import Standing, Timeline
from harness.verdict.judgments.pools_ready import Readiness
from harness.verdict.parts import absent
from harness.verdict.snapshot import Snapshot

OFFER_LOG = "pool-offer-log"
GIVEN = ("started", "resumed")
_REPORTS = {"started": "job-started", "resumed": "job-resumed"}
_WHY = {"passed-over": "claim-unavailable"}


class Offers:
    """The offers of one pool in one world, with what they are held against."""

    def __init__(self, w: WorldView, pool: Pool) -> None:
        self.w = w
        self.e: Evidence = w.evidence
        self.pool = pool
        self.line = Timeline(w)
        self.ready = Readiness(w)

    @property
    def rows(self) -> tuple[LogRow, ...]:
        """The pool's offers, in order."""
        return self.w.rows(OFFER_LOG, pool=self.pool.id)

    def given(self) -> tuple[LogRow, ...]:
        """The offers that a run took."""
        return self.w.rows(OFFER_LOG, pool=self.pool.id, offer=GIVEN)

    def _strange_rows(self) -> Iterator[Wrong]:
        """Offers of pools that are not declared."""
        known = {None, *(each.id for each in self.e.config.pools)}
        for row in self.w.rows(OFFER_LOG):
            if row["pool"] not in known:
                yield row, f"an offer of {row['pool']}, which is no pool"

    # -- what each row must be --------------------------------------------------------------------------------------

    def row_wrongs(self) -> Iterator[Wrong]:
        """Everything that contradicts an offer row, and offers that are owed."""
        yield from self._strange_rows()
        previous: LogRow | None = None
        for row in self.rows:
            yield from self.order_wrongs(row)
            yield from self._eligible_wrongs(row)
            if observes(self.e, "count-trace"):
                yield from self._free_wrongs(row)
            yield from self._turn_wrongs(row)
            yield from self._outcome_wrongs(row)
            if previous is not None and self._says_again(previous, row):
                yield row, f"the same offer to {row.run or 'nobody'} is written twice"
            previous = row
        yield from self._owed_offers()

    def order_wrongs(self, row: LogRow) -> Iterator[Wrong]:
        """An order that admissions, stops, cited fields and displacements don't make."""
        if row["place"] not in places(self.pool):
            yield row, f"an offer at {row['place']}, which is no place of {self.pool.id}"
            return
        true = self.line.before(row).order(self.pool, row["place"])
        if list(row["order"]) != true:
            yield row, f"the offer names the order {_runs(row['order'])}; admissions and stops make {_runs(true)}"

    def _eligible_wrongs(self, row: LogRow) -> Iterator[Wrong]:
        order, eligible = list(row["order"]), list(row["eligible"])
        if eligible != [run for run in order if run in eligible]:
            yield row, f"the eligible runs {_runs(eligible)} are no part of the order {_runs(order)}"
        standing, at = self.line.before(row), self.e.at(row)
        for run in order:
            true = self.ready.eligible(run, standing, at)
            if true is not None and (run in eligible) is not true:
                yield row, f"{run} is {'eligible' if true else 'not eligible'} at this offer, which says otherwise"

    def _free_wrongs(self, row: LogRow) -> Iterator[Wrong]:
        free = free_at(self.e, self.pool, row["place"], row)
        if row["free"] not in free:
            yield row, f"the offer sees {row['free']} free slots, the counts make {free[0]}"
        elif row["offer"] in ("started", "nobody") and row["free"] < 1:
            yield row, "an offer without a free slot"
        elif row["offer"] == "resumed" and row["free"] < 1 and not self._kept_slot(row):
            yield row, f"{row.run} is offered a slot where none is free"

    def _kept_slot(self, row: LogRow) -> bool:
        return observes(self.e, "count-trace") and self.e.at(row).has_slot(str(row.run))

    def _turn_wrongs(self, row: LogRow) -> Iterator[Wrong]:
        """A run that was offered before its turn, or a slot that nobody was offered though someone could use it."""
        ahead = list(row["eligible"])
        if row["offer"] == "nobody":
            if row.run is not None:
                yield row, f"an offer to nobody names {row.run}"
        elif row.run not in ahead:
            yield row, f"{row.run} is offered a slot, but is not among the eligible runs {_runs(ahead)}"
            return
        else:
            # A run that kept its slot does not compete: nobody has to be asked before it.
            ahead = [] if self._kept_slot(row) else ahead[: ahead.index(row.run)]
        for run in ahead:
            if not self._had_its_turn(run, row):
                yield row, f"{run} stands first and is eligible, the offer goes to {row.run or 'nobody'}"

    def _had_its_turn(self, run: str, row: LogRow) -> bool:
        """Whether the run was passed over earlier in this event, or gave up the slot that it had kept."""
        sent = self.w.sent_of(row)
        passed = sent.rows_of(OFFER_LOG, run, offer="passed-over")
        if any(each.pos < row.pos for each in passed) or not observes(self.e, "count-trace"):
            return bool(passed)
        return any(each.pos < row.pos for each in sent.rows_of("count-trace", run, slot="working", change="free"))

    def _outcome_wrongs(self, row: LogRow) -> Iterator[Wrong]:
        """What an offer came to, against the report of its settle."""
        offer, report = row["offer"], _REPORTS.get(row["offer"])
        if offer not in (*GIVEN, "passed-over", "nobody"):
            yield row, f"there is no offer that was {offer}"
        if row.get("why") != _WHY.get(offer):
            yield row, f"an offer that was {offer} gives the reason {row.get('why')}"
        if report is not None:
            told = [each for each in self.e.settle_of(row) if each.log == "report-log" and each.pos > row.pos]
            if not any(each.run == row.run and each["report"] == report for each in told):
                yield row, f"the log says that {row.run} {offer}, and its settle has no {report}"
        elif offer == "passed-over" and self._claim_there(row):
            yield row, f"{row.run} is passed over although its claim is there"

    def _claim_there(self, row: LogRow) -> bool:
        run, standing, at = str(row.run), self.line.before(row), self.e.at(row)
        shut = run in standing.recovering and self.ready.gate_open(run, at) is not True
        return not shut and self.ready.resume_claim_there(run, standing, at) is True

    def _says_again(self, first: LogRow, second: LogRow) -> bool:
        """Whether neighbouring rows say the same with nothing between; a tick or readmission may walk twice."""
        alone = first["offer"] in ("nobody", "passed-over") and second.pos == first.pos + 1
        once = first["offer"] == "nobody" or self.w.sent_of(second).kind not in ("tick", "readmit")
        return alone and once and first.run == second.run and dict(first.data) == dict(second.data)

    # -- which rows are owed ----------------------------------------------------------------------------------------

    def _owed_offers(self) -> Iterator[Wrong]:
        """Starts and resumes without the offer that brought them."""
        for report in self.w.reports(("job-started", "job-resumed"), pool=self.pool.id):
            if report["old"] == "requested" or self._goes_on_from_resume(report) or self._came_with_a_slot(report):
                continue
            found = [each for each in self._beside(report) if each.pos < report.pos]
            if not found:
                what = f"the offer that brought the {report['report']} of {report.run}"
                yield absent(OFFER_LOG, what, len(self.rows), report), f"{report.run} came to its slot without an offer"
            elif len(found) > 1:
                yield found[1], f"a second offer to {report.run} in the settle of one {report['report']}"

    def _came_with_a_slot(self, report: LogRow) -> bool:
        """A run that kept its slot at the finish gate resumes without an offer."""
        if not observes(self.e, "count-trace"):
            return bool(report["report"] == "job-resumed")
        return self.e.at(first_of_settle(self.e, report)).has_slot(str(report.run))

    def _beside(self, report: LogRow) -> list[LogRow]:
        here = (OFFER_LOG, report.run, report["pool"], report["place"])
        return [
            each
            for each in self.e.settle_of(report)
            if (each.log, each.run, each.get("pool"), each.get("place")) == here
        ]

    def _goes_on_from_resume(self, report: LogRow) -> bool:
        """A resume to the start gate starts the run in the same batch: one offer brings both."""
        if report["report"] != "job-started" or report.batch is None:
            return False
        earlier = self.w.batch_rows(report.batch, "report-log")
        return any(
            each["report"] == "job-resumed" and each["new"] == "waiting" and each.run == report.run
            for each in earlier
            if each.pos < report.pos
        )

    def idle_wrongs(self) -> Iterator[Wrong]:
        """A slot that is free at the end of an event although an admitted run was eligible for it."""
        for sent in self.w.events():
            for place in places(self.pool):
                if self.pool.id in sent.after.open_pools and free_after(self.e, self.pool, place, sent) > 0:
                    yield from self._left_over(sent, place)

    def _left_over(self, sent: SentView, place: str | None) -> Iterator[Wrong]:
        standing = self.line.ended[sent.place]
        near = next((each.rows[-1] for each in reversed(self.w.sent[: sent.place + 1]) if each.rows), None)
        for run in standing.order(self.pool, place):
            if self.owed_a_slot(run, standing, sent.after, sent):
                what = f"the offer of a free slot of {named((self.pool.id, place))} to {run}"
                yield absent(OFFER_LOG, what, len(self.rows), near), f"a slot is free and {run} eligible: no offer"

    def owed_a_slot(self, run: str, standing: Standing, at: Snapshot, sent: SentView) -> bool:
        """Whether a run that has not been offered a free slot should have been."""
        if self.ready.eligible(run, standing, at) is not True:
            return False
        if standing.states.get(run) == "waiting":
            return True
        return not sent.rows_of(OFFER_LOG, run, offer="passed-over") and self._could_resume(run, standing, at)

    def _could_resume(self, run: str, standing: Standing, at: Snapshot) -> bool:
        """Whether nothing is known to keep a stopped run from resuming: offers don't go on while its claim is short."""
        if run in standing.recovering and self.ready.gate_open(run, at) is False:
            return False
        return self.ready.resume_claim_there(run, standing, at) is not False


def _runs(runs: list[str]) -> str:
    return ", ".join(runs) or "nobody"
