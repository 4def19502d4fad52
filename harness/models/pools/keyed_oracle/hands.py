"""The other half of the counter: slips in hand, and what the workshop says of its workers."""

from __future__ import annotations

from harness.models.pools.facts import DeliveryAccepted, DeliveryAnswer, WorkerCompleted
from harness.models.pools.keyed_oracle.counter import Desk, ServiceCell, Work
from harness.models.pools.values import Stop, Worker


class Counter(Desk):
    """One step at the counter, whole."""

    def in_hand(self, cell: int) -> Work | None:
        """The work of a cell, None where there is no such cell or no work."""
        return self.cells[cell].work if 0 <= cell < len(self.cells) else None

    def hear_hand_over(self, fact: DeliveryAnswer) -> bool:
        """A slip arrived, or did not; False where this is about no slip on its way."""
        work = self.in_hand(fact.role)
        if work is None or work.handed or (work.who.child, work.pair) != (fact.child, fact.assignment):
            return False
        if isinstance(fact, DeliveryAccepted):
            self.set(fact.role, work=work._replace(handed=True))
            self.look_at(fact.role)
        elif work.done is not None:
            self.blow_up(fact.role, work, "contradiction")
        elif fact.returned != (work.pair, work.who.evidence):
            self.blow_up(fact.role, work, "mismatch")
        else:
            self.never_arrived(fact.role, work)
        return True

    def hear_done(self, fact: WorkerCompleted) -> None:
        """Somebody says that a slip is done."""
        found = [cell for cell, each in enumerate(self.cells) if each.work and each.work.who.child == fact.child]
        if not found:
            idler = self.back.idler(fact.child)
            known = idler is not None and idler.evidence == fact.completion.authority.birth
            return self.tell("odd", "stale" if known else "rejected")
        work = self.in_hand(found[0])
        exact = work and (work.pair, (work.pair, work.who.evidence)) == fact.completion[:2]
        if work is None or not exact:
            return self.tell("odd", "rejected")
        if work.done is not None:
            return self.tell("odd", "repeat")
        self.set(found[0], work=work._replace(done=fact.completion))
        return self.look_at(found[0])

    def hear_left(self, cell: int, stop: Stop) -> bool:
        """The worker of a slip left; False where it has none."""
        work = self.in_hand(cell)
        if work is None or work.who != stop.worker:
            return False
        if work.left is not None:
            self.tell("odd", "repeat")
            return True
        self.set(cell, work=work._replace(left=stop, left_first=work.done is None))
        self.look_at(cell)
        return True

    def look_at(self, cell: int) -> None:
        """Once the slip has arrived, what came first decides: done or left."""
        work = self.in_hand(cell)
        if work is None or not work.handed or (work.done is None and work.left is None):
            return None
        self.set(cell, work=None, stands="at-hand" if work.left is None else "away")
        if work.done is not None and not work.left_first:
            slip = work.slip
            self.tell("completed", slip.route, slip.number, slip.stamp, self.rules.roles[cell], work.done.result)
        else:
            self.break_off(cell, work)
        if work.left is not None:
            return self.back.vacated(cell, work.left)
        return self.empty_bin(cell)

    def break_off(self, cell: int, work: Work) -> None:
        """The worker left before the slip was done."""
        if self.rules.workers.interruption == "fail":
            self.hand_back("returned-assigned", cell, work.slip, "worker-stopped")
        elif self.is_last_exit(work.left):
            self.hand_back("returned-assigned", cell, work.slip, "role-permanently-unavailable")
        else:
            self.put_back(cell, work.slip._replace(again=True))
        if work.done is not None:
            self.tell("odd", "kept")

    def is_last_exit(self, stop: Stop | None) -> bool:
        """Whether nobody follows after this exit."""
        policy = self.rules.workers.recovery
        kind = policy.eligibility if policy else "temporary"
        return kind == "temporary" or (kind == "transient" and stop is not None and not stop.abnormal)

    def never_arrived(self, cell: int, work: Work) -> None:
        """The slip is safe and waits again; its worker isn't trusted any more."""
        self.put_back(cell, work.slip._replace(again=False))
        self.set(cell, work=None, stands="barred" if work.left is None else "away")
        if work.left is not None:
            return self.back.vacated(cell, work.left)
        return self.back.distrusted(cell)

    def blow_up(self, cell: int, work: Work, how: str) -> None:
        """What makes no sense closes everything; the slip has gone back before."""
        self.hand_back("returned-assigned", cell, work.slip, "contradictory-assignment-settlement")
        self.tell("odd", how)
        self.set(cell, work=None)
        if work.left is not None:
            self.back.emptied(cell)
        self.back.close()

    # -- what the workshop says ------------------------------------------------------------------------------------

    def manned(self, cell: int, who: Worker) -> None:
        """A worker stands ready."""
        self.set(cell, stands="at-hand", who=who)
        self.empty_bin(cell)

    def unmanned(self, cell: int) -> None:
        """The worker is gone and another one is looked for."""
        self.set(cell, stands="away")

    def lost(self, cell: int) -> None:
        """Nobody will stand there again."""
        self.clear_bin(cell, "role-permanently-unavailable")
        self.end_leases(lambda lease: lease.cell == cell)
        self.set(cell, stands="shut")

    def close(self) -> None:
        """Everything goes back."""
        self.end_leases(lambda _: True)
        for cell in range(len(self.cells)):
            self.clear_bin(cell, "pool-shutdown")
        for cell, each in enumerate(self.cells):
            if each.work is not None:
                self.hand_back("returned-assigned", cell, each.work.slip, "pool-shutdown")
                if each.work.done is not None:
                    self.tell("odd", "kept")
        self.cells = [ServiceCell("shut") for _ in self.cells]
        self.is_open = False
