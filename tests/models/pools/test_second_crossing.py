"""The lifecycle against a FIFO pool with a backlog: two laws that must admit, refuse and start in the same order."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.models.lifecycle import events as e
from harness.models.pools import facts as f
from harness.models.pools.actions import Accepted
from harness.models.pools.correlations import RequestId
from harness.models.pools.definition import Definition, RecoveryPolicy
from harness.models.pools.fifo.model import FifoPool
from harness.models.pools.fifo.state import State
from harness.models.pools.fifo_slots import FifoSlots
from harness.models.pools.members import Busy
from harness.models.pools.values import Authority, Evidence
from tests.models.lifecycle._configs import config, pool
from tests.models.lifecycle._play import Play

STOCK = (("flour", 999, "larder"), ("water", 999, "tap"))


class Line:
    """A FIFO pool that is told of requests and of runs that finish; `said` is what becomes of the runs, in order."""

    def __init__(self, working: int, waiting: int) -> None:
        ready = FifoSlots().initial(working).pool
        assert ready is not None
        roles = tuple(f"slot-{number}" for number in range(1, working + 1))
        self.model = FifoPool(Definition(roles, working, RecoveryPolicy(), waiting, "fail"))
        self.state: State = ready
        self.runs: dict[int, str] = {}
        self.names: dict[int, str] = {}
        self.said: list[tuple[str, str]] = []

    def request(self, run: str) -> None:
        """A run asks for a slot."""
        number = RequestId(len(self.names) + 1)
        self.names[number] = run
        self._take(f.Submit(number, number, run))

    def finish(self, run: str) -> None:
        """The run that has a slot is done."""
        members = getattr(self.state, "members", ())
        (busy,) = [each for each in members if isinstance(each, Busy) and self.runs[each.job.obligation.job] == run]
        authority = Authority(busy.job.token, busy.worker.evidence)
        self._take(f.WorkerCompleted(busy.worker.child, Evidence(busy.job.assignment, authority, "done")))

    def _take(self, fact: f.Fact) -> None:
        done = self.model.step(self.state, fact)
        self.state = done.state
        for each in done.actions.admission_deliveries:
            if isinstance(each.outcome, Accepted):
                self.runs[each.outcome.job] = each.route
            else:
                self.said.append((each.route, "rejected"))
        for given_ in done.actions.worker_assignments:
            self.said.append((self.runs[given_.job], "started"))
            self.state = self.model.step(
                self.state, f.DeliveryAccepted(given_.role, given_.child, given_.assignment)
            ).state


@given(st.integers(1, 3), st.integers(0, 3), st.lists(st.booleans(), max_size=25))
@settings(max_examples=60, deadline=None)
def test_lifecycle_and_fifo_pool_agree_on_runs_that_wait_for_slots_alone(
    working: int, waiting: int, moves: list[bool]
) -> None:
    """Where runs wait for nothing but slots, the waiting limit is the backlog: both say the same of every run."""
    play = Play(config(pools=(pool(working=working, waiting=waiting),)), stock=STOCK)
    line, said = Line(working, waiting), list[tuple[str, str]]()
    for number, asks in enumerate(moves):
        reports = play.request(f"run-{number}") if asks else play.do(e.Tick())
        if asks:
            line.request(f"run-{number}")
        for run, _, report in (each.partition(" ") for each in reports):
            if report == "job-finished":
                line.finish(run)
            elif report in ("job-started", "job-rejected"):
                said.append((run, report.removeprefix("job-")))
        assert line.said == said


def test_crossing_meets_refusals_and_waiting_runs() -> None:
    """A refusal, a start at once and a start from the line are all among what is compared."""
    line = Line(1, 1)
    for run in ("A", "B", "C"):
        line.request(run)
    line.finish("A")
    assert line.said == [("A", "started"), ("C", "rejected"), ("B", "started")]
