"""What goes in and what comes out of a supervisor, written down: proxies, operations, workers, recoveries, timers.

The ledger never looks at how the supervisor keeps its roles. What can't be by these sums is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from harness.models.pools.correlations import BirthId, Correlation, RecoveryId, TimerId
from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor.definition import Definition
from harness.models.pools.supervisor.values import (
    Operation,
    OperationId,
    PreparationId,
    Proxy,
    Replacement,
    WorkerId,
)

KINDS: tuple[type[Correlation], ...] = (BirthId, PreparationId, RecoveryId, TimerId)
NONE_YET = tuple(kind(0) for kind in KINDS)


class Given(NamedTuple):
    """An operation that left for a proxy and has no outcome; `taken` is whether its receipt is in."""

    proxy: Proxy
    operation: Operation
    taken: bool = False


class Service(NamedTuple):
    """The worker that a proxy reported ready, whether its end is known, and a successor that waits for that end."""

    worker: WorkerId
    ended: bool = False
    successor: WorkerId | None = None


class Timer(NamedTuple):
    """A timer that was asked for: `asked`, `runs` or `rang`; `due` is the earliest time for it to go off."""

    recovery: RecoveryId | None
    due: int
    word: str = "asked"


class Ledger(NamedTuple):
    """What is open: births, living proxies, requests to end (and whether answered), operations, workers, recoveries.

    `unissued` counts worker definitions that came in and did not leave, by role and text. `tickets` are those used.
    `sent` counts deliveries, `mail` has the numbers of those that nobody has told the end of.
    """

    making: tuple[tuple[BirthId, int], ...] = ()
    early: tuple[BirthId, ...] = ()
    alive: tuple[tuple[Proxy, int], ...] = ()
    asked: tuple[tuple[Proxy, bool], ...] = ()
    given: tuple[Given, ...] = ()
    serving: tuple[tuple[Proxy, Service], ...] = ()
    preparing: tuple[tuple[PreparationId, tuple[str, ...]], ...] = ()
    timers: tuple[tuple[TimerId, Timer], ...] = ()
    unissued: tuple[tuple[tuple[int, str], int], ...] = ()
    tickets: tuple[OperationId, ...] = ()
    highest: tuple[Correlation, ...] = NONE_YET
    latest: int = 0
    closed: bool = False
    sent: int = 0
    mail: tuple[int, ...] = ()

    def without_mail(self) -> Ledger:
        """The same ledger where nobody will ever tell what became of anything that was sent."""
        return self._replace(sent=0, mail=())


class Scribe:
    """Writes one step into a draft of the ledger and names what cannot be."""

    def __init__(self, definition: Definition, ledger: Ledger) -> None:
        self.definition = definition
        self.making = dict(ledger.making)
        self.early = set(ledger.early)
        self.alive = dict(ledger.alive)
        self.asked = dict(ledger.asked)
        self.given = {each.proxy: each for each in ledger.given}
        self.serving = dict(ledger.serving)
        self.preparing = dict(ledger.preparing)
        self.timers = dict(ledger.timers)
        self.unissued: Counter[tuple[int, str]] = Counter(dict(ledger.unissued))
        self.tickets = set(ledger.tickets)
        self.highest: dict[type, Correlation] = {type(each): each for each in ledger.highest}
        self.latest = ledger.latest
        self.closed = ledger.closed
        self.sent, self.mail = ledger.sent, set(ledger.mail)
        self.names: list[str] = []

    def ledger(self) -> Ledger:
        """The ledger after the step."""
        return Ledger(
            tuple(sorted(self.making.items())),
            tuple(sorted(self.early)),
            tuple(sorted(self.alive.items())),
            tuple(sorted(self.asked.items())),
            tuple(self.given[proxy] for proxy in sorted(self.given)),
            tuple((proxy, self.serving[proxy]) for proxy in sorted(self.serving)),
            tuple(sorted(self.preparing.items())),
            tuple((timer, self.timers[timer]) for timer in sorted(self.timers)),
            tuple(sorted((+self.unissued).items())),
            tuple(sorted(self.tickets)),
            tuple(self.highest[kind] for kind in KINDS),
            self.latest,
            self.closed,
            self.sent,
            tuple(sorted(self.mail)),
        )

    def expect(self, holds: bool, name: str) -> None:
        """Note a violation where something does not hold."""
        if not holds:
            self.names.append(name)

    def issue(self, number: Correlation) -> None:
        """A number goes out for the first time."""
        latest = self.highest[type(number)]
        self.expect(number > latest, "correlation-reissued")
        self.highest[type(number)] = max(latest, number)

    # -- what goes in ----------------------------------------------------------------------------------------------

    def note_fact(self, fact: f.Fact) -> bool:
        """Write down what a fact tells of the world; False where it tells of nothing that is open."""
        note = getattr(self, "_" + fact.kind.replace("-", "_"), None)
        return True if note is None else bool(note(fact))

    def _proxy_committed(self, fact: f.ProxyCommitted) -> bool:
        if fact.reservation not in self.making or fact.proxy.birth != fact.reservation:
            return False
        role = self.making.pop(fact.reservation)
        if fact.reservation not in self.early:
            self.alive[fact.proxy] = role
        self.early.discard(fact.reservation)
        return True

    def _proxy_fold_rejected(self, fact: f.ProxyFoldRejected | f.ProxyHostRejected) -> bool:
        self.early.discard(fact.reservation)
        return self.making.pop(fact.reservation, None) is not None

    _proxy_host_rejected = _proxy_fold_rejected

    def _exit_before_birth(self, fact: f.ExitBeforeBirth) -> bool:
        fresh = fact.reservation in self.making and fact.reservation not in self.early
        if fresh:
            self.early.add(fact.reservation)
        return fresh

    def _exit_after_birth(self, fact: f.ExitAfterBirth) -> bool:
        self.given.pop(fact.proxy, None)
        self.serving.pop(fact.proxy, None)
        return self.alive.pop(fact.proxy, None) is not None

    def _input_accepted(self, fact: f.InputAccepted) -> bool:
        given = self.given.get(fact.proxy)
        if given is None or given.taken or given.operation.ticket != fact.ticket:
            return False
        self.given[fact.proxy] = given._replace(taken=True)
        return True

    def _input_rejected(self, fact: f.InputRejected) -> bool:
        given = self.given.get(fact.proxy)
        if given is None or given.taken or given.operation[:2] != fact.operation[:2]:
            return False
        del self.given[fact.proxy]
        return True

    def _initial_ready(self, fact: f.InitialReady | f.InitialFailed) -> bool:
        given = self.given.get(fact.proxy)
        if given is None or not given.taken or isinstance(given.operation.kind, Replacement):
            return False
        del self.given[fact.proxy]
        if isinstance(fact, f.InitialReady):
            self.serving[fact.proxy] = Service(fact.worker)
        return True

    _initial_failed = _initial_ready

    def _replacement_ready(self, fact: f.ReplacementReady | f.ReplacementFailed) -> bool:
        given = self.given.get(fact.proxy)
        if given is None or not given.taken or not isinstance(given.operation.kind, Replacement):
            return False
        if given.operation.kind.replaces != fact.replaces:
            return False
        if isinstance(fact, f.ReplacementReady):
            if fact.worker == fact.replaces:
                return False
            service = self.serving[fact.proxy]._replace(successor=fact.worker)
            self.serving[fact.proxy] = Service(fact.worker) if service.ended else service
        del self.given[fact.proxy]
        return True

    _replacement_failed = _replacement_ready

    def _worker_stopped(self, fact: f.WorkerStopped) -> bool:
        service = self.serving.get(fact.proxy)
        if service is None or service.ended or service.worker != fact.stop.worker:
            return False
        successor = service.successor
        self.serving[fact.proxy] = service._replace(ended=True) if successor is None else Service(successor)
        return True

    def _stop_report_refused(self, fact: f.StopReportRefused) -> bool:
        given, service = self.given.get(fact.proxy), self.serving.get(fact.proxy)
        replacing = given is not None and isinstance(given.operation.kind, Replacement)
        if not replacing and (service is None or service.successor is None):
            # Nothing waits for this stop: the report is the host's alone. The role may still lose its worker later.
            return service is not None and service.worker == fact.stop.worker and not service.ended
        return self._worker_stopped(f.WorkerStopped(fact.proxy, fact.stop))

    def _shutdown_accepted(self, fact: f.ShutdownAnswer) -> bool:
        if self.asked.get(fact.proxy, True):
            return False
        self.asked[fact.proxy] = True
        return True

    _shutdown_rejected = _shutdown_accepted

    def _workers_prepared(self, fact: f.SourceAnswer) -> bool:
        names = self.preparing.get(fact.preparation)
        if names is None or not self._names(fact, names):
            return False
        del self.preparing[fact.preparation]
        if isinstance(fact, f.WorkersPrepared) and not self.closed:
            for each in fact.submissions:
                self.unissued[self.definition.roles.index(each.role), each.definition] += 1
        return True

    _workers_partial = _workers_prepared
    _source_rejected = _workers_prepared

    @staticmethod
    def _names(fact: f.SourceAnswer, names: tuple[str, ...]) -> bool:
        if isinstance(fact, f.WorkersPrepared):
            return tuple(each.role for each in fact.submissions) == names
        if isinstance(fact, f.WorkersPartial):
            return (*(each.role for each in fact.prefix), fact.refused, *fact.remaining) == names
        return True

    def _schedule_accepted(self, fact: Any) -> bool:
        timer = self.timers.get(fact.timer)
        if timer is None or timer.word != "asked" or timer.recovery != getattr(fact, "recovery", None):
            return False
        refused = fact.kind.endswith("rejected")
        self.timers[fact.timer] = timer._replace(word="refused" if refused else "runs")
        return True

    _schedule_rejected = _schedule_accepted
    _deadline_accepted = _schedule_accepted
    _deadline_rejected = _schedule_accepted

    def _timer_elapsed(self, fact: Any) -> bool:
        timer = self.timers.get(fact.timer)
        if timer is None or timer.word != "runs" or timer.recovery != getattr(fact, "recovery", None):
            return False
        if fact.at < max(timer.due, self.latest):
            return False
        self.timers[fact.timer] = timer._replace(word="rang")
        return True

    _deadline_elapsed = _timer_elapsed

    def _delivery_settled(self, fact: f.DeliverySettled) -> bool:
        is_open = int(fact.ticket) in self.mail
        self.mail.discard(int(fact.ticket))
        return is_open

    # -- what comes out --------------------------------------------------------------------------------------------

    def note_actions(self, fact: f.Fact, actions: a.Actions) -> None:
        """Write down everything that left."""
        for made in actions.proxy_creations:
            self.note_creation(made)
        if isinstance(fact, f.Initialize) and actions.proxy_creations:
            names = tuple(each.role for each in actions.proxy_creations)
            self.expect(names == self.definition.roles, "created-out-of-order")
        for asked in actions.worker_preparations:
            self.note_preparation(asked)
        for given in actions.inputs():
            self.note_input(given)
        for ending in actions.proxy_shutdowns:
            self.expect(ending.proxy not in self.asked, "asked-twice-to-end")
            self.expect(ending.proxy in self.alive, "stranger-asked-to-end")
            self.asked[ending.proxy] = False
        for schedule in actions.restart_schedules:
            self.issue(schedule.recovery)
            self.issue(schedule.timer)
            self.expect(not self.closed, "work-after-shutdown")
            self.timers[schedule.timer] = Timer(schedule.recovery, schedule.due)
        for deadline in actions.deadline_schedules:
            self.issue(deadline.timer)
            self.timers[deadline.timer] = Timer(None, self.latest + deadline.after)
        for left in actions.residual_transfers:
            self.note_transfer(left)
        for _ in actions.deliveries():
            self.sent += 1
            self.mail.add(self.sent)
        leaks = any(map(names_a_worker, (*actions.events(), *actions.management_replies)))
        self.expect(not leaks, "capability-leaked")

    def note_creation(self, made: a.CreateProxy) -> None:
        """A proxy is on its way; it holds its first worker's definition back until it is there."""
        role = self.definition.roles.index(made.role)
        self.issue(made.reservation)
        self.expect(role not in self.making.values() and role not in self.alive.values(), "proxy-made-twice")
        self.making[made.reservation] = role

    def note_preparation(self, asked: a.PrepareWorkers) -> None:
        """The source was asked for workers: of roles that nobody else has asked for."""
        self.issue(asked.preparation)
        self.expect(not self.closed, "work-after-shutdown")
        busy = {name for names in self.preparing.values() for name in names}
        self.expect(not busy & set(asked.roles), "recovery-overlap")
        self.preparing[asked.preparation] = asked.roles

    def note_input(self, given: a.InstallInput | a.ReplaceInput) -> None:
        """An operation left for a proxy."""
        proxy, operation = given.proxy, given.operation
        self.expect(not self.closed, "work-after-shutdown")
        self.expect(operation.ticket not in self.tickets, "correlation-reissued")
        self.tickets.add(operation.ticket)
        self.expect(proxy not in self.given, "operation-doubled")
        self.given[proxy] = Given(proxy, operation)
        self.expect(len(self.given) <= self.definition.activation_limit, "activation-bound")
        role = self.alive.get(proxy)
        self.expect(role is not None, "proxy-abandoned")
        if role is not None:
            self.unissued[role, operation.definition] -= 1
        if not isinstance(operation.kind, Replacement):
            return self.expect(proxy not in self.serving, "replacement-without-predecessor")
        service = self.serving.get(proxy)
        is_current = service is not None and service.worker == operation.kind.replaces and service.successor is None
        self.expect(is_current, "replacement-without-predecessor")
        timed = [each for each in self.timers.values() if each.recovery == operation.kind.recovery]
        return self.expect(all(each.word == "rang" for each in timed), "issued-before-release")

    def note_transfer(self, left: a.TransferResidual) -> None:
        """Definitions that leave for the host are not the supervisor's any more."""
        if left.role is not None:
            role = self.definition.roles.index(left.role)
            for text in _definitions(left.residual):
                if self.unissued[role, text] > 0:
                    self.unissued[role, text] -= 1


def names_a_worker(value: Any) -> bool:
    """Whether a worker's evidence stands somewhere inside."""
    if isinstance(value, WorkerId):
        return True
    return isinstance(value, tuple) and any(map(names_a_worker, value))


def _definitions(value: Any) -> Iterator[str]:
    """The worker definitions inside; an operation that had left is named by its ticket and has none."""
    if isinstance(value, tuple):
        if hasattr(value, "definition"):
            yield value.definition
        else:
            for each in value:
                yield from _definitions(each)
