"""The end of a supervisor: nothing begins any more, and every proxy is counted out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from harness.verdict.parts import Part, absent, holds, nothing, violated
from harness.verdict.pools.book import empty_first
from harness.verdict.pools.evidence import PoolEvidence
from harness.verdict.pools.supervisor.book import INPUT_LANES
from harness.verdict.pools.supervisor.evidence import declared, moments

BEGINS = ("proxy-creations", "worker-preparations", *INPUT_LANES, "restart-schedules")
UNRESOLVED = ("resolving-proxy-birth", "draining-proxy")


def nothing_begins(e: PoolEvidence) -> Iterator[Part]:
    """A supervisor that ends asks for nothing new and tells of no start."""
    for step in moments(e):
        if step.before.mode != "draining":
            continue
        begun = [*step.of("action-lanes", lane=BEGINS), *step.of("lifecycle-events", event=("started", "restarted"))]
        if begun:
            yield violated(begun[0], f"the supervisor ends, and this begins with {step.kind}", step.input)
        else:
            yield holds(step.input)


def asked_once_each(e: PoolEvidence) -> Iterator[Part]:
    """A proxy that is asked to end is the supervisor's, is there, and was not asked before."""
    for step in moments(e):
        for row, book in step.leaving():
            if row["lane"] != "proxy-shutdowns":
                continue
            if row["proxy"] in book.asked:
                yield violated(row, f"proxy {row['proxy']} is asked to end again", step.input)
            elif book.role_of(row["proxy"]) is None:
                yield violated(
                    row, f"proxy {row['proxy']} is asked to end, which is none of the supervisor's", step.input
                )
            else:
                yield holds(row)


def everybody_is_asked(e: PoolEvidence) -> Iterator[Part]:
    """While the supervisor ends, every proxy that is there has been asked to."""
    for step in moments(e):
        if step.after.mode != "draining" and not (step.after.mode == "stopped" and step.before.mode == "operating"):
            continue
        book = step.book_after
        forgotten = [role for proxy, role in book.alive.items() if proxy not in book.asked]
        if forgotten:
            gone = absent("action-lanes", f"a request to the proxy of {forgotten[0]}", near=step.input)
            yield violated(gone, f"the supervisor ends, and {forgotten[0]} was not asked to", step.input)
        elif book.alive:
            yield holds(step.input)


def stops_when_all_ended(e: PoolEvidence) -> Iterator[Part]:
    """A supervisor that has stopped has no proxy and no birth on its way."""
    for step in moments(e):
        for row in step.of("state-trace", role=None, to="stopped"):
            book = step.book_after
            left = [*book.alive.values(), *book.births.values()]
            if left:
                yield violated(row, f"the supervisor has stopped, and the proxy of {left[0]} has not ended", step.input)
            else:
                yield holds(step.input, row)


def forced_ends_are_told(e: PoolEvidence) -> Iterator[Part]:
    """A drain that is cut short hands over and names each role that had not ended."""
    if declared(e).deadline is None:
        yield nothing("drains of this supervisor have no deadline")
    for step in moments(e):
        for row in step.of("state-trace", role=None, to="forced-retirement"):
            if step.before.mode == "draining":
                left = sorted(role for role, each in step.before.cells.items() if each["to"] in UNRESOLVED)
            else:
                left = sorted({*step.told.alive.values(), *step.told.births.values()}, key=empty_first)
            told = Counter(each["role"] for each in step.of("diagnostics", diagnostic="forced-retirement"))
            handed = Counter(each["role"] for each in step.lane("residual-transfers"))
            missing = [role for role in left if told[role] != 1 or handed[role] < 1]
            if missing:
                gone = absent("diagnostics", f"the forced retirement of {missing[0]}", near=row)
                yield violated(gone, f"{missing[0]} had not ended and is not told of as it should", row)
            else:
                yield holds(row, *step.of("diagnostics", diagnostic="forced-retirement"))
