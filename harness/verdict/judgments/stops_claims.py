"""What a stop leaves of a claim and of recorded work, as the answers say (lifecycle: steps 10, 11, 13 and 16)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from harness.run.recording import LogRow
from harness.verdict.judgments.progress_shares import Amounts, Terms, amounts_text, lowest, share_at, terms_of
from harness.verdict.judgments.stops_records import ORDINARY, Stop, number, of_log
from harness.verdict.judgments.stops_rows import changed, ledger_faults, reported_units_faults
from harness.verdict.parts import Violated, absent, violated
from harness.verdict.snapshot import Snapshot


def releases(stop: Stop) -> bool:
    """Whether a stopped claim goes back to its sources; it is held where the question was not asked."""
    return stop.world.evidence.config.release_stopped_claims


def reduced(terms: Terms, held: Amounts, work: Fraction) -> Amounts:
    """A progress claim reduced to the recorded work; a whole claim stays as it is."""
    return lowest(held, share_at(terms, work)) if terms.progress else held


def kept_claim(stop: Stop, terms: Terms) -> Amounts:
    """What the run holds once its stop has settled: after losses, reduced to the recorded work, held or released."""
    if releases(stop):
        return {}
    held = stop.before.held(stop.run)
    lost = changed(of_log(stop.rows, "claim-ledger", stop.run), "lose")
    left = {unit: rest for unit, amount in held.items() if (rest := amount - lost.get(unit, 0))}
    return reduced(terms, left, work_after(stop))


def work_after(stop: Stop) -> Fraction:
    """The recorded work that the report of the stop names."""
    return number(stop.report["work-after"]) if stop.report is not None else Fraction(0)


def claim_faults(stop: Stop) -> Iterator[Violated]:
    """Claim changes of the stop that are not the claim policy, applied once."""
    terms = terms_of(stop.world, stop.run)
    if terms is None or stop.report is None or not terms.claims_early:
        return
    rows = of_log(stop.rows, "claim-ledger", stop.run)
    yield from ledger_faults(stop.world, stop.run, rows)
    yield from reported_units_faults(stop.world, stop.report)
    yield from holds_faults(stop.after, stop.run, kept_claim(stop, terms), rows[-1] if rows else stop.report)
    for row in rows:
        if row["change"] not in ("release", "lose"):
            yield violated(row, f"the stop of {stop.run} made it {row['change']} {row['amount']} {row['item']}")


def holds_faults(at: Snapshot, run: str, wanted: Amounts, near: LogRow) -> Iterator[Violated]:
    """A fault where the run does not hold exactly this."""
    held = at.held(run)
    if dict(held) == dict(wanted):
        return
    because = f"{run} holds {amounts_text(held)} where {amounts_text(wanted)} is its claim"
    if near.log == "claim-ledger":
        yield violated(near, because)
    else:
        yield violated(absent("claim-ledger", f"the claim changes of {run} at its stop", near=near), because, near)


def ordinary_work(stop: Stop) -> Fraction:
    """What the partial-work answer leaves of the recorded work at the stop itself; reversing falls at later ticks."""
    recorded = stop.before.work(stop.run)
    resets = stop.world.evidence.config.partial_work == "reset-at-stop"
    return Fraction(0) if resets and stop.began == ORDINARY else recorded


def work_row(stop: Stop) -> tuple[LogRow, ...]:
    """The rows of recorded work in the stop's settle."""
    stop.world.evidence.touch("work-before-after")
    return of_log(stop.rows, "work-before-after", stop.run)
