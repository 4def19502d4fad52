"""A diagnostic has the whole of what it is about; one that lacks a part is named."""

from __future__ import annotations

from typing import Any

import pytest

from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor import members as m
from harness.models.pools.supervisor.returns import TELLS, told_in_part
from harness.models.pools.supervisor.state import Operating, Transition, all_members
from harness.models.pools.supervisor.values import DeliveryId, OperationId, Submission
from tests.models.pools import _supervisor as s

ASKED = m.Pending(s.PREPARATION, 0, (0, 1, 2))
STOPPED = m.Empty(0, s.PROXY, s.WORKER, "stopped", s.STOP)
PEERS = (m.Online(1, s.OTHER, s.NEXT), m.Starting(2, s.OTHER, s.WAITING_INPUT))
SENT = a.DeliverDiagnostic("operator", a.Diagnostic("proxy-died", ("a", s.EXIT)))


def awaited(phase: str) -> Operating:
    """A supervisor with a member in this phase."""
    return s.operating(s.MEMBERS[phase])


FAILURES: dict[str, tuple[Operating, f.Fact]] = {
    "proxy-fold-rejected": (awaited("creating-proxy"), f.ProxyFoldRejected(s.PROXY.birth, "failed")),
    "proxy-host-rejected": (awaited("creating-proxy"), f.ProxyHostRejected(s.PROXY.birth, "refused")),
    "exit-after-birth": (awaited("online"), s.EXIT),
    "input-rejected": (awaited("starting"), f.InputRejected(s.PROXY, s.INITIAL, "closed", "corrupt")),
    "initial-failed": (
        s.operating(m.Starting(0, s.PROXY, m.AwaitingOutcome(s.TICKET))),
        f.InitialFailed(s.PROXY, "refused"),
    ),
    "replacement-failed": (awaited("recovery-needs-outcome"), s.FAILED),
    "shutdown-rejected": (awaited("stopping"), f.ShutdownRejected(s.PROXY, "deaf")),
    "workers-partial": (
        s.operating(STOPPED, *PEERS, pending=(ASKED,)),
        f.WorkersPartial(s.PREPARATION, (Submission("a", "second"),), "b", "none left", ("c",)),
    ),
    "source-rejected": (s.operating(STOPPED, *PEERS, pending=(ASKED,)), f.SourceRejected(s.PREPARATION, "closed")),
    "schedule-rejected": (
        s.operating(s.MEMBERS["recovery-waiting"], release=m.Scheduling(s.TIMER, 15)),
        f.ScheduleRejected(s.RECOVERY, s.TIMER, "full"),
    ),
    "delivery-settled": (awaited("online"), f.DeliverySettled(SENT, "rejected", "closed", DeliveryId(1))),
}
"""By kind, a fact that fails something, and a supervisor that waits for it."""


def failed(kind: str) -> tuple[f.Fact, Transition, a.Diagnostic]:
    """The fact, the step that it causes, and the diagnostic that it leaves."""
    before, fact = FAILURES[kind]
    done = s.step(before, fact, *"abc"[: len(all_members(before))])
    (told,) = [each for each in done.actions.diagnostics() if each.kind == TELLS[kind]]
    return fact, done, told


def told(diagnostic: a.Diagnostic) -> a.Actions:
    """A step in which only this leaves."""
    return a.Actions(diagnostic_deliveries=(a.DeliverDiagnostic("operator", diagnostic),))


def without(value: Any) -> Any:
    """Every way to leave one thing out of a diagnostic's facts, however deep it stands in a plain tuple."""
    for place, each in enumerate(value):
        yield (*value[:place], *value[place + 1 :])
        if type(each) is tuple:
            for less in without(each):
                yield (*value[:place], less, *value[place + 1 :])


def test_every_failure_is_listed() -> None:
    """Each kind of fact that a diagnostic tells on is held to it."""
    assert set(FAILURES) == set(TELLS)


@pytest.mark.parametrize("kind", list(FAILURES))
def test_a_failure_is_told_with_all_that_it_brings(kind: str) -> None:
    """The model's own diagnostic lacks nothing."""
    fact, done, _ = failed(kind)
    assert list(told_in_part(fact, done.actions)) == []


@pytest.mark.parametrize("kind", list(FAILURES))
def test_a_part_that_is_left_out_is_named(kind: str) -> None:
    """Whatever of the fact a diagnostic leaves out: the input is lost. What it says besides may be missing here."""
    fact, _, diagnostic = failed(kind)
    found = [list(told_in_part(fact, told(diagnostic._replace(facts=less)))) for less in without(diagnostic.facts)]
    assert ["input-lost"] in found
    assert list(told_in_part(fact, told(diagnostic._replace(facts=())))) == ["input-lost"]


@pytest.mark.parametrize("lost", ["prefix", "refused", "reason", "remaining"])
def test_each_part_of_a_partial_source_counts(lost: str) -> None:
    """The worker that was made, who was refused and why, and who was not come to."""
    fact, _, diagnostic = failed("workers-partial")
    other: dict[str, Any] = {
        "prefix": (Submission("a", "another"),),
        "refused": "somebody",
        "reason": "because",
        "remaining": ("d",),
    }
    changed: Any = fact._replace(**{lost: other[lost]})
    assert list(told_in_part(changed, told(diagnostic))) == ["input-lost"]


def test_numbers_of_two_kinds_are_never_the_same_part() -> None:
    """A ticket is not told where another number of the same value is."""
    fact = f.ProxyHostRejected(s.PROXY.birth, "refused")
    facts = ("a", OperationId(s.PROXY.birth), "refused")
    assert list(told_in_part(fact, told(a.Diagnostic("proxy-creation-rejected", facts)))) == ["input-lost"]


def test_an_unexpected_fact_is_told_whole() -> None:
    """By its kind alone, or as another one, it is told in part; the model tells all of it."""
    done = s.step(s.operating(s.MEMBERS["retired"]), s.EXIT)
    assert list(told_in_part(s.EXIT, done.actions)) == []
    for facts in ((s.EXIT.kind,), (f.ExitAfterBirth(s.OTHER),), ()):
        assert list(told_in_part(s.EXIT, told(a.Diagnostic("unexpected-input", facts)))) == ["late-fact-in-part"]
