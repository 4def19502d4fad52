"""The state diagram of a role of the supervisor, drawn by driving the cells of the law's table.

`python -m tests.models.pools.supervisor_diagram` prints it, to be pasted into `docs/laws/fixed-supervisor.md`.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor import members as m
from harness.models.pools.supervisor.timing import Timing
from harness.models.pools.supervisor.values import Submission, WorkerStop
from tests.models.pools import _supervisor as s

ASKED = m.Empty(0, s.PROXY, s.WORKER, "stopped", s.STOP)
STARTS: tuple[m.Member, ...] = (
    *(s.MEMBERS[phase] for phase in ("creating-proxy", "creating-proxy-after-exit")),
    *(m.Starting(0, s.PROXY, phase) for phase in s.INITIALS.values()),
    s.MEMBERS["online"],
    s.MEMBERS["empty"],
    ASKED,
    *(m.AwaitingInitial(0, s.PROXY, phase, s.PREPARED) for phase in s.INITIALS.values()),
    m.Waiting(0, s.PROXY, s.WORKER, None, s.PREPARED),
    m.Waiting(0, s.PROXY, s.WORKER, s.STOP, s.PREPARED),
    *(member for phase, member in s.MEMBERS.items() if phase.startswith("recovery-needs")),
    m.Replacing(0, s.PROXY, s.WORKER, None, m.OutcomeReturned(s.FAILED)),
    m.Stopping(0, s.PROXY, "test", "awaiting-exit"),
    m.Stopping(0, s.PROXY, "test", "shutdown-dispatched", None, s.EXIT),
    s.MEMBERS["retired"],
)
RELEASES: tuple[m.Release, ...] = (m.Scheduling(s.TIMER, 15), m.WaitingForTimer(s.TIMER, 15))
FACTS: tuple[f.Fact, ...] = (
    *(each for column in s.COLUMNS.values() for each in column),
    f.WorkerStopped(s.PROXY, WorkerStop(s.WORKER, False, 10)),
    f.ShutdownAccepted(s.PROXY),
    f.ShutdownRejected(s.PROXY, "busy"),
    f.WorkersPrepared(s.PREPARATION, (Submission("a", "replacement"),)),
    f.SourceRejected(s.PREPARATION, "refused"),
    f.ScheduleRejected(s.RECOVERY, s.TIMER, "refused"),
    f.TimerElapsed(s.RECOVERY, s.TIMER, 15),
)


def edges() -> Iterator[tuple[str, str, str]]:
    """From which phase to which, by which fact; a fact that leaves the phase alone draws nothing."""
    for member in STARTS:
        pending = (m.Pending(s.PREPARATION, 0, (0,)),) if member is ASKED else ()
        for release in RELEASES if isinstance(member, m.AwaitingInitial | m.Waiting) else (m.Ready(),):
            before = s.operating(member, release=release, pending=pending)
            was = m.phase_of(member)
            for fact in FACTS:
                now = s.phases(s.step(before, fact, eligibility="transient").state)[0]
                if now != was:
                    yield was, now, fact.kind


def joining() -> Iterator[tuple[str, str, str]]:
    """How a role joins the recovery that another one triggered."""
    trigger = m.Empty(1, s.OTHER, s.NEXT, "stopped", WorkerStop(s.NEXT, True, 10))
    fact = f.WorkersPrepared(s.PREPARATION, (Submission("a", "replacement"), Submission("b", "replacement")))
    for member in STARTS:
        if isinstance(member, m.Starting | m.Online) or member is ASKED:
            before = s.operating(member, trigger, pending=(m.Pending(s.PREPARATION, 1, (0, 1)),))
            done = s.step(before, fact, "a", "b", timing=Timing("constant", 5))
            yield m.phase_of(member), s.phases(done.state)[0], fact.kind


def diagram() -> str:
    """The diagram as Mermaid has it; several facts between the same two phases share an arrow."""
    arrows: dict[tuple[str, str], list[str]] = {}
    for was, now, kind in (*edges(), *joining()):
        kinds = arrows.setdefault((was, now), [])
        if kind not in kinds:
            kinds.append(kind)
    lines = ["stateDiagram-v2", "    [*] --> creating-proxy"]
    lines += [f"    {was} --> {now}: {', '.join(kinds)}" for (was, now), kinds in arrows.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    print(diagram())
