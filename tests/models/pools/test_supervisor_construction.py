"""Building a supervisor: every way to fail, never half a fleet; and the first operations, in declared order."""

from __future__ import annotations

import pytest

from harness.models.pools.correlations import Allocator, BirthId
from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor import members as m
from harness.models.pools.supervisor.definition import ConstructionError, Definition, Recovery, Restarts
from harness.models.pools.supervisor.model import Supervisor, construct
from harness.models.pools.supervisor.state import Constructed, Operating
from harness.models.pools.supervisor.timing import Timing
from harness.models.pools.supervisor.values import Allocators, OperationId, Proxy, Submission, WorkerId
from harness.models.pools.timing import Budget
from tests.models.pools import _supervisor as s

UNSOUND: dict[str, tuple[Definition, ...]] = {
    "empty-roster": (s.definition()._replace(roles=()),),
    "duplicate-role": (s.definition("a", "b", "a"),),
    "no-activation-limit": (s.definition(activation_limit=0),),
    "missing-policy": (
        s.definition(recovery=None),
        s.definition(eligibility="often"),
        s.definition(failure="ignore"),
        s.definition(strategy="some-for-some"),
    ),
    "worker-source-does-not-fit": (
        s.definition(recovery=Recovery("permanent", None)),
        s.definition(recovery=Recovery("temporary", Restarts("one-for-one", Budget(3, 100), Timing()))),
    ),
    "invalid-timing": (
        s.definition(deadline=0),
        s.definition(timing=Timing("constant", 0)),
        s.definition(timing=Timing("immediate", 3)),
        s.definition(timing=Timing("sometimes", 3)),
        s.definition(budget=Budget(-1, 0)),
        s.definition(budget=Budget(0, -1)),
    ),
}


@pytest.mark.parametrize("reason", list(UNSOUND))
def test_unsound_supervisor_is_not_built(reason: str) -> None:
    """Each fault of a definition has its reason, and nothing was prepared for it."""
    assert [construct(each) for each in UNSOUND[reason]] == [ConstructionError(reason, None, ())] * len(UNSOUND[reason])


def test_temporary_recovery_needs_no_restarts() -> None:
    """Where nothing is ever replaced there are no restarts to configure."""
    assert isinstance(construct(s.definition(eligibility="temporary")), Constructed)


@pytest.mark.parametrize("failing", ["a", "b", "c"])
def test_failed_factory_gives_back_the_workers_made_before(failing: str) -> None:
    """The factory is asked in declared order, before anything is numbered; its failure names the role."""
    asked: list[str] = []

    def factory(role: str) -> str | None:
        asked.append(role)
        return None if role == failing else f"worker of {role}"

    built = construct(s.definition("a", "b", "c"), factory)
    assert isinstance(built, ConstructionError)
    assert (built.reason, built.role) == ("factory-failed", failing)
    assert list(built.returned) == [f"worker of {role}" for role in asked[:-1]]


@pytest.mark.parametrize(
    ("births", "reason"), [(Allocator(BirthId(1), 1), "exhausted"), (Allocator(BirthId(1), None, (2,)), "collision")]
)
def test_birth_that_cannot_be_had_gives_the_whole_set_back(births: Allocator, reason: str) -> None:
    """Nothing of a fleet is left when the second birth is refused: all workers come back in order."""
    built = construct(s.definition("a", "b", "c"), allocators=Allocators(birth=births))
    whole = ("worker of a", "worker of b", "worker of c")
    assert built == ConstructionError(f"birth-{reason}", "b", whole)


def test_creations_leave_in_declared_order_with_their_observations() -> None:
    """Before it begins it admits nothing; then each role's bundle of four leaves, each lane in declared order."""
    built = construct(s.definition("a", "b"))
    assert isinstance(built, Constructed)
    supervisor = Supervisor(s.definition("a", "b"))
    assert supervisor.step(built, f.Shutdown()).refused == "not-admitted"
    begun = supervisor.step(built, f.Initialize())
    births = (("a", BirthId(1)), ("b", BirthId(2)))
    assert begun.actions == a.Actions(
        proxy_creations=tuple(a.CreateProxy(*each) for each in births),
        proxy_creation_observations=tuple(
            kind(*each) for each in births for kind in (a.ObserveProxyCreation, a.ObserveProxyEstablished)
        ),
        proxy_stop_observations=tuple(a.ObserveProxyStop(*each) for each in births),
    )
    assert s.phases(begun.state) == ("creating-proxy", "creating-proxy")
    again = supervisor.step(begun.state, f.Initialize())
    assert (again.state is begun.state, s.kinds(again)) == (True, ("unexpected-input",))


# -- births and exits ----------------------------------------------------------------------------------------------


def test_exit_before_a_rejected_birth_is_a_contradiction() -> None:
    """Ended, and yet never born: one diagnostic owns both facts, and the first worker goes back."""
    rejected = f.ProxyHostRejected(s.PROXY.birth, "refused")
    done = s.steps(s.operating(s.MEMBERS["creating-proxy"]), (s.EARLY_EXIT, rejected))
    told = a.Diagnostic("proxy-creation-rejected", ("a", rejected, s.EARLY_EXIT))
    assert done.actions.diagnostics() == (told,)
    assert done.actions.residual_transfers == (a.TransferResidual("a", (s.INITIAL,)),)
    assert s.phases(done.state) == ("retired",)


def test_proxy_that_is_born_dead_gets_nothing() -> None:
    """A birth after the exit retires the role; its first worker never leaves for the proxy."""
    done = s.steps(s.operating(s.MEMBERS["creating-proxy"]), (s.EARLY_EXIT, f.ProxyCommitted(s.PROXY.birth, s.PROXY)))
    assert (s.phases(done.state), s.kinds(done), s.events(done)) == (("retired",), ("proxy-died",), ("member-retired",))
    assert done.actions.inputs() == ()
    assert done.actions.proxy_shutdowns == ()


def test_exit_takes_what_left_with_it() -> None:
    """An operation on its way goes to the host with its activation, which is free for the next role at once."""
    waiting = m.Starting(1, s.OTHER, m.WaitingForAuthorization(s.INITIAL._replace(ticket=OperationId(5))))
    done = s.step(s.operating(s.MEMBERS["starting"], waiting), s.EXIT, "a", "b")
    assert done.actions.residual_transfers == (a.TransferResidual("a", (s.PROXY, m.Dispatched(s.TICKET))),)
    assert [each.proxy for each in done.actions.proxy_install_inputs] == [s.OTHER]
    late = s.step(done.state, f.InitialReady(s.PROXY, s.WORKER), "a", "b")
    assert (late.state is done.state, s.kinds(late)) == (True, ("unexpected-input",))


# -- first operations ----------------------------------------------------------------------------------------------


def fleet(limit: int) -> tuple[Operating, tuple[Proxy, ...]]:
    """Three proxies that were born last role first."""
    built = construct(s.definition("a", "b", "c"))
    assert isinstance(built, Constructed)
    proxies = tuple(Proxy(each.reservation) for each in built.roles)
    facts = tuple(f.ProxyCommitted(proxy.birth, proxy) for proxy in reversed(proxies))
    done = s.steps(built, (f.Initialize(), *facts), "a", "b", "c", activation_limit=limit)
    assert isinstance(done.state, Operating)
    return done.state, proxies


@pytest.mark.parametrize(("limit", "order"), [(1, "cab"), (2, "cba")])
def test_activations_are_given_in_declared_order_up_to_the_limit(limit: int, order: str) -> None:
    """A free activation goes to the first waiting role of the roster; a mere proxy takes none."""
    state, proxies = fleet(limit)
    given: list[str] = ["cba"[place] for place in range(limit)]
    current = state
    while len(given) < 3:
        proxy = proxies["abc".index(given[len(given) - limit])]
        starting: m.Starting = next(x for x in current.members if isinstance(x, m.Starting) and x.proxy == proxy)
        assert isinstance(starting.initial, m.Dispatched)
        facts = (f.InputAccepted(proxy, starting.initial.ticket), f.InitialReady(proxy, WorkerId(proxy.birth)))
        done = s.steps(current, facts, "a", "b", "c", activation_limit=limit)
        assert isinstance(done.state, Operating)
        given += ["abc"[proxies.index(each.proxy)] for each in done.actions.proxy_install_inputs]
        current = done.state
    assert "".join(given) == order


def test_every_operation_has_a_ticket_of_its_own() -> None:
    """First operations, replacements and those of a denied recovery never share a ticket."""
    state, _ = fleet(3)
    tickets = [each.initial.ticket for each in state.members if isinstance(each, m.Starting)]  # type: ignore[union-attr]  # all are dispatched
    before = s.operating(m.Empty(0, s.PROXY, s.WORKER, "stopped", s.STOP), pending=(m.Pending(s.PREPARATION, 0, (0,)),))
    done = s.step(before, f.WorkersPrepared(s.PREPARATION, (Submission("a", "replacement"),)))
    assert isinstance(done.state, Operating)
    tickets += [each.operation.ticket for each in done.actions.proxy_replacement_inputs]
    assert len(set(tickets)) == len(tickets) == 4


@pytest.mark.parametrize("how", ["rejected", "corrupt", "not-attempted"])
def test_refused_operation_comes_back_whole_and_is_not_tried_again(how: str) -> None:
    """One diagnostic owns the operation, the activation is free, and the living proxy is asked to end."""
    before = s.operating(s.MEMBERS["starting"], m.Starting(1, s.OTHER, m.WaitingForAuthorization(s.INITIAL)))
    done = s.step(before, f.InputRejected(s.PROXY, s.INITIAL, "full", how), "a", "b")
    assert done.actions.diagnostics() == (a.Diagnostic("proxy-input-rejected", ("a", s.INITIAL, how, "full")),)
    assert [each.proxy for each in done.actions.proxy_install_inputs] == [s.OTHER]
    assert done.actions.proxy_shutdowns == (a.ShutdownProxy(s.PROXY),)
    assert s.phases(done.state) == ("stopping", "starting")


def test_failed_start_is_never_told_as_started() -> None:
    """A first worker that is not to be leaves no empty role: the proxy ends."""
    before = s.operating(m.Starting(0, s.PROXY, m.AwaitingOutcome(s.TICKET)))
    done = s.step(before, f.InitialFailed(s.PROXY, "refused"))
    assert (s.phases(done.state), s.events(done), s.kinds(done)) == (("stopping",), (), ("proxy-outcome-failed",))


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("answer", [f.ShutdownAccepted(s.PROXY), f.ShutdownRejected(s.PROXY, "busy")])
def test_role_retires_by_answer_and_exit_in_either_order(answer: f.ShutdownAnswer, order: tuple[int, int]) -> None:
    """A refused request is no stop: it is told once and kept, and only the exit ends the proxy."""
    facts: tuple[f.Fact, ...] = (answer, s.EXIT)
    first = s.step(s.operating(s.MEMBERS["stopping"]), facts[order[0]])
    last = s.step(first.state, facts[order[1]])
    assert (s.phases(first.state), s.phases(last.state)) == (("stopping",), ("retired",))
    refused = isinstance(answer, f.ShutdownRejected)
    assert s.kinds(first) + s.kinds(last) == (("proxy-shutdown-rejected",) if refused else ())
    assert s.events(last) == ("member-retired",)
    assert isinstance(last.state, Operating)
    assert last.state.members == (m.Retired(0, "test", answer if isinstance(answer, f.ShutdownRejected) else None),)
    for fact in facts:
        assert s.step(last.state, fact).state is last.state
