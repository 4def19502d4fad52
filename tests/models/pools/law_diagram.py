"""The state diagram of a role of the FIFO pool, drawn by driving the cells of the law's table.

`python -m tests.models.pools.law_diagram` prints it, to be pasted into `docs/laws/fifo-pool.md`.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.pools import facts as f
from harness.models.pools import members as m
from tests.models.pools import _fifo as p

DONE = m.Outstanding()
STARTS: dict[str, m.Member] = {
    **p.MEMBERS,
    "recovering (preparing)": m.Recovering(0, p.WORKER, p.STOP, m.Preparing()),
    "recovering (waiting-for-timer)": p.WAITING_FOR_TIMER,
    "draining-pre-ready": m.DrainingPreReady(0, p.WORKER, DONE, None, True, "test", "recover"),
    "quarantined": m.Quarantined(0, p.WORKER, DONE, None),
    "stopping": m.Stopping(0, p.WORKER, DONE, None, "test", "retire-role"),
}
FACTS: tuple[f.Fact, ...] = (
    *(each for column in p.COLUMNS.values() for each in column),
    f.SourcePrepared(0, p.WORKER, "replacement"),
    f.SourceRejected(0, p.WORKER, "refused"),
    p.submission(),
)


def edges() -> Iterator[tuple[str, str, str]]:
    """From which phase to which, by which fact; a fact that leaves the phase alone draws nothing."""
    for member in STARTS.values():
        before = p.operating(member)
        was = m.phase_of(member)
        for fact in FACTS:
            now = p.phases(p.step(before, fact).state)[0]
            if now != was:
                yield was, now, fact.kind


def diagram() -> str:
    """The diagram as Mermaid has it; several facts between the same two phases share an arrow."""
    arrows: dict[tuple[str, str], list[str]] = {}
    for was, now, kind in edges():
        kinds = arrows.setdefault((was, now), [])
        if kind not in kinds:
            kinds.append(kind)
    lines = ["stateDiagram-v2", "    [*] --> creating"]
    lines += [f"    {was} --> {now}: {', '.join(kinds)}" for (was, now), kinds in arrows.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    print(diagram())
