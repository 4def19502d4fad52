"""A driver as a system under test: handshake, adoption, worlds, events, and what its records become."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from harness.run.driver.channel import Channel
from harness.run.driver.faults import DriverFault, Unsupported
from harness.run.driver.messages import Messages
from harness.run.logs import Catalogue
from harness.run.memory import Answer, WorldMemory
from harness.run.recording import ACCEPTED, REFUSED, SKIPPED, Draft

PROTOCOL = 1
OWED = "report-log"
TIMES = ("virtual", "settle", "real")
#: A driver that failed its greeting so often, never having passed it, is not started any more.
GREETINGS_MAX = 3


class DriverSystem:
    """The system behind a driver; a driver that broke off is started anew, at most once in a scenario.

    `messages` is given where every answer is to be held against the schema of messages too; `owed` is the log that the
    system must supply, None for none.
    """

    def __init__(
        self,
        make: Callable[[], Channel],
        contract: Mapping[str, Any],
        adoption: Mapping[str, Any],
        logs: Catalogue,
        messages: Messages | None = None,
        owed: str | None = OWED,
    ) -> None:
        self._make = make
        self._contract = contract
        self._adoption = adoption
        self._logs = logs
        self._messages = messages
        self._owed = owed
        self._channel: Channel | None = None
        self._seq = 0
        self._moment = 0
        self._greetings = 0
        self._hopeless: DriverFault | None = None
        self._restarted_in: str | None = None
        self._observes: frozenset[str] = frozenset()
        self._memory = WorldMemory()
        self.implementation: Mapping[str, Any] | None = None
        self.named: tuple[str, ...] = ()
        self.time: str | None = None

    # -- the port -------------------------------------------------------------------------------------------------

    @property
    def observes(self) -> frozenset[str]:
        """The logs that the driver says it writes, those of them that there are."""
        self._connect()
        return self._observes

    @property
    def memory(self) -> WorldMemory | None:
        """What it answered in this call; nothing is taken for known of a system that runs by the clock on the wall."""
        self._connect()
        return None if self.time == "real" else self._memory

    def begin(self, scenario: str, world: Mapping[str, Any]) -> None:
        """A fresh system; a driver that breaks off here gets one more try with a fresh process, once a scenario."""
        message = {"cmd": "begin", "scenario": scenario, "world": dict(world)}
        may_restart = self._channel is not None and self._restarted_in != scenario
        try:
            answer = self._ask(message)
        except DriverFault:
            if not may_restart:
                raise
            self._restarted_in = scenario
            answer = self._ask(message)
        if answer.get("ok") is not True:
            why = answer.get("reason") or "it gave no reason"
            raise DriverFault(f"the driver could not begin the world: {why}", self._printed())
        self._moment = 0

    def send(self, event: Mapping[str, Any]) -> Answer:
        """One event, and the records that it caused."""
        answer = self._ask({"cmd": "event", "event": dict(event)})
        kinds = [each for each in ("refused", "skipped", "ok") if each in answer]
        if kinds == ["refused"] and isinstance(answer["refused"], str):
            return Answer(REFUSED, answer["refused"], ())
        if kinds == ["skipped"] and answer["skipped"] is True and isinstance(answer.get("reason"), str):
            return Answer(SKIPPED, _with_issue(answer), ())
        records = answer.get("records")
        if kinds != ["ok"] or answer["ok"] is not True or not isinstance(records, list):
            raise self._fault(f"the driver's answer to an event is none of the known ones: {str(answer)[:200]}")
        if event["kind"] == "tick":
            self._moment += 1
        drafts = (self._draft(each) for each in records)
        return Answer(ACCEPTED, None, tuple(each for each in drafts if each is not None))

    def end(self) -> None:
        """The world is over."""
        if self._ask({"cmd": "end"}).get("ok") is not True:
            raise self._fault("the driver did not end the world")

    def close(self) -> None:
        """Stop the driver for good."""
        channel, self._channel = self._channel, None
        if channel is not None:
            self._seq += 1
            channel.close({"seq": self._seq, "cmd": "stop"})

    # -- messages -------------------------------------------------------------------------------------------------

    def greet(self) -> None:
        """Start the driver and hand it the adoption, unless that is done; Unsupported where it declines."""
        self._connect()

    def told(self) -> dict[str, Any]:
        """What the driver said of itself when it was greeted."""
        return {"implementation": self.implementation, "observes": sorted(self._observes), "time": self.time}

    def _connect(self) -> None:
        if self._channel is not None:
            return
        if self._hopeless is not None:
            raise self._hopeless
        try:
            self._channel = self._make()
            self._greet()
        except DriverFault as fault:
            self._drop()
            self._greetings += 1
            if self._greetings >= GREETINGS_MAX and self.implementation is None:
                self._hopeless = fault
            raise
        except BaseException:
            self._drop()
            raise

    def _greet(self) -> None:
        answer = self._exchange({"cmd": "start", "protocol": PROTOCOL})
        implementation, observes = answer.get("implementation"), answer.get("observes")
        if answer.get("ok") is not True or not isinstance(implementation, dict) or not isinstance(observes, list):
            raise self._fault("the driver's answer to start lacks ok, implementation or observes")
        if answer.get("time") not in TIMES:
            raise self._fault(f"the driver's time is none of {', '.join(TIMES)}")
        if self._owed is not None and self._owed not in observes:
            raise self._fault(f"the driver does not observe the {self._owed}, which every driver owes")
        adopted = self._exchange({"cmd": "adopt", "contract": self._contract, "adoption": self._adoption})
        if adopted.get("unsupported"):
            lacks = adopted["unsupported"]
            raise Unsupported(tuple(str(each) for each in (lacks if isinstance(lacks, list) else [lacks])))
        if adopted.get("ok") is not True:
            raise self._fault(f"the driver did not take the adoption: {str(adopted)[:200]}")
        self.named = tuple(str(each) for each in observes)
        self._observes = frozenset(self.named) & frozenset(self._logs)
        self.implementation, self.time = implementation, str(answer["time"])

    def _ask(self, message: dict[str, Any]) -> dict[str, Any]:
        self._connect()
        try:
            return self._exchange(message)
        except DriverFault:
            self._drop()
            raise

    def _exchange(self, message: dict[str, Any]) -> dict[str, Any]:
        if self._channel is None:
            raise DriverFault("the driver is not running")
        self._seq += 1
        answer = self._channel.ask({"seq": self._seq, **message})
        if not isinstance(answer, dict):
            raise self._fault(f"the driver's answer is no object: {str(answer)[:200]}")
        seq = answer.get("seq")
        if seq != self._seq or isinstance(seq, bool):
            raise self._fault(f"the driver answered message {seq!r} instead of {self._seq}")
        if self._messages is not None:
            problem = self._messages.misfit_of_answer(message["cmd"], answer)
            if problem is not None:
                raise self._fault(f"the driver's answer to {message['cmd']} does not fit its schema: {problem}")
        return answer

    def _fault(self, message: str) -> DriverFault:
        """A fault that the driver's answer shows: it is not trusted with another message."""
        printed = self._printed()
        self._drop()
        return DriverFault(message, printed)

    def _printed(self) -> str:
        return self._channel.printed() if self._channel is not None else ""

    def _drop(self) -> None:
        channel, self._channel = self._channel, None
        if channel is not None:
            channel.close(None)

    # -- records --------------------------------------------------------------------------------------------------

    def _draft(self, record: Any) -> Draft | None:
        """A record as a row, None for one of a log that the driver said nothing about.

        A value that its column cannot hold breaks the envelope, a wrong one does not.
        """
        if not isinstance(record, dict) or not isinstance(record.get("log"), str):
            raise self._fault(f"a record is no object that names its log: {str(record)[:200]}")
        log = record["log"]
        if log not in self._observes:
            if log not in self._logs and log not in self.named:
                raise self._fault(f"a record names no known log: {log[:80]}")
            return None
        data, problems = self._logs[log].fill(record)
        problems += _misfits_of_common(record)
        if problems:
            raise self._fault(f"a record is malformed: {'; '.join(problems)[:400]}")
        run, batch, settle = record.get("run"), record.get("batch"), record.get("settle")
        return Draft(log, run, data, batch, settle, self._moment, record["seq"])


def _misfits_of_common(record: Mapping[str, Any]) -> tuple[str, ...]:
    """What is malformed about the columns that every row has."""
    log = record["log"]
    found = [] if _is_whole(record.get("seq")) else [f"{log}: column seq holds no whole number"]
    for name in ("batch", "settle"):
        if record.get(name) is not None and not _is_whole(record[name]):
            found.append(f"{log}: column {name} holds neither a whole number nor null")
    if not isinstance(record.get("run"), str | None):
        found.append(f"{log}: column run holds neither a text nor null")
    return tuple(found)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _with_issue(answer: Mapping[str, Any]) -> str:
    issue = answer.get("issue")
    return f"{answer['reason']} ({issue})" if isinstance(issue, str) else str(answer["reason"])
