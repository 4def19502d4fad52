"""The state diagram of a role of the keyed pool, drawn by driving the cells of the law's tables.

`python -m tests.models.pools.keyed.law_diagram` prints it, to be pasted into `docs/laws/keyed-pool.md`.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.pools import facts as f
from harness.models.pools import members as m
from harness.models.pools.keyed.inputs import Input
from harness.models.pools.keyed.state import Constructed, State, UnsentCell
from tests.models.pools.keyed import _keyed as p

DONE = m.Outstanding()
MEMBERS: dict[str, m.Member] = {
    **p.MEMBERS,
    "recovering (preparing)": m.Recovering(0, p.WORKER, p.STOP, m.Preparing()),
    "recovering (waiting-for-timer)": p.WAITING_FOR_TIMER,
    "draining-pre-ready": m.DrainingPreReady(0, p.WORKER, DONE, None, True, "test", "recover"),
    "draining-pre-ready (retire)": m.DrainingPreReady(0, p.WORKER, DONE, None, True, "test", "retire"),
    "quarantined": m.Quarantined(0, p.WORKER, DONE, None),
    "stopping": m.Stopping(0, p.WORKER, DONE, None, "test", "retire-role"),
}
FACTS: tuple[Input, ...] = (
    f.Initialize(),
    *(each for column in p.COLUMNS.values() for each in column),
    f.SourcePrepared(0, p.WORKER, "replacement"),
    f.SourceRejected(0, p.WORKER, "refused"),
    p.submission(),
)


def starts() -> Iterator[State]:
    """A pool of one role in each phase, with nothing waiting."""
    yield Constructed((UnsentCell(p.UNSENT),), p.table(), p.LATER)
    for member in MEMBERS.values():
        yield p.operating(member)


def edges() -> Iterator[tuple[str, str, str]]:
    """From which phase to which, by which input; an input that leaves the phase alone draws nothing."""
    for before in starts():
        (was,) = p.phases(before)
        for fact in FACTS:
            (now,) = p.phases(p.step(before, fact).state)
            if now != was:
                yield was, now, fact.kind


def diagram() -> str:
    """The diagram as Mermaid has it; several inputs between the same two phases share an arrow."""
    arrows: dict[tuple[str, str], list[str]] = {}
    for was, now, kind in edges():
        kinds = arrows.setdefault((was, now), [])
        if kind not in kinds:
            kinds.append(kind)
    lines = ["stateDiagram-v2", "    [*] --> prepared"]
    lines += [f"    {was} --> {now}: {', '.join(kinds)}" for (was, now), kinds in arrows.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    print(diagram())
