"""A driver as a system under test: handshake, adoption, worlds, events, and what its records become."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from harness.run.driver.channel import Channel
from harness.run.driver.faults import DriverFault, Unsupported
from harness.run.logs import Catalogue
from harness.run.recording import ACCEPTED, REFUSED, SKIPPED, Draft
from harness.run.system import Answer

PROTOCOL = 1
OWED = "report-log"
TIMES = ("virtual", "settle", "real")


class DriverSystem:
    """The system behind a driver; a driver that broke off is started anew, at most once in a scenario."""

    def __init__(
        self,
        make: Callable[[], Channel],
        contract: Mapping[str, Any],
        adoption: Mapping[str, Any],
        logs: Catalogue,
    ) -> None:
        self._make = make
        self._contract = contract
        self._adoption = adoption
        self._logs = logs
        self._channel: Channel | None = None
        self._seq = 0
        self._moment = 0
        self.implementation: Mapping[str, Any] = {}
        self._observes: frozenset[str] = frozenset()
        self.events = 0

    # -- the port -------------------------------------------------------------------------------------------------

    @property
    def observes(self) -> frozenset[str]:
        """The logs that the driver says it writes."""
        self._connect()
        return self._observes

    def begin(self, scenario: str, world: Mapping[str, Any]) -> None:
        """A fresh system; a driver that breaks off here gets one more try with a fresh process."""
        message = {"cmd": "begin", "scenario": scenario, "world": dict(world)}
        fresh = self._channel is None
        try:
            answer = self._ask(message)
        except DriverFault:
            if fresh:
                raise
            answer = self._ask(message)
        if answer.get("ok") is not True:
            raise self._fault(f"the driver could not begin the world: {answer.get('reason') or 'it gave no reason'}")
        self._moment = 0

    def send(self, event: Mapping[str, Any]) -> Answer:
        """One event, and the records that it caused."""
        self.events += 1
        answer = self._ask({"cmd": "event", "event": dict(event)})
        if "refused" in answer:
            return Answer(REFUSED, _text(answer["refused"]), ())
        if answer.get("skipped") is True:
            return Answer(SKIPPED, _text(answer.get("reason")), ())
        if answer.get("ok") is not True or not isinstance(answer.get("records", []), list):
            raise self._fault(f"the driver's answer to an event is none of the known ones: {str(answer)[:200]}")
        if event["kind"] == "tick":
            self._moment += 1
        return Answer(ACCEPTED, None, tuple(self._draft(each) for each in answer.get("records", [])))

    def end(self) -> None:
        """The world is over."""
        if self._ask({"cmd": "end"}).get("ok") is not True:
            raise self._fault("the driver did not end the world")

    def close(self) -> None:
        """Stop the driver for good."""
        if self._channel is not None:
            self._seq += 1
            self._channel.close({"cmd": "stop", "seq": self._seq})
            self._channel = None

    # -- messages -------------------------------------------------------------------------------------------------

    def _connect(self) -> Channel:
        if self._channel is None:
            self._channel = self._make()
            try:
                self._greet()
            except BaseException:
                self._drop()
                raise
        return self._channel

    def _greet(self) -> None:
        answer = self._exchange({"cmd": "start", "protocol": PROTOCOL})
        implementation, observes = answer.get("implementation"), answer.get("observes")
        if answer.get("ok") is not True or not isinstance(implementation, dict) or not isinstance(observes, list):
            raise self._fault("the driver's answer to start lacks ok, implementation or observes")
        if answer.get("time") not in TIMES:
            raise self._fault(f"the driver's time is none of {', '.join(TIMES)}")
        if OWED not in observes:
            raise self._fault(f"the driver does not observe the {OWED}, which every driver owes")
        self.implementation = implementation
        self._observes = frozenset(str(each) for each in observes) & frozenset(self._logs)
        answer = self._exchange({"cmd": "adopt", "contract": self._contract, "adoption": self._adoption})
        if answer.get("unsupported"):
            lacks = answer["unsupported"]
            raise Unsupported(tuple(str(each) for each in (lacks if isinstance(lacks, list) else [lacks])))
        if answer.get("ok") is not True:
            raise self._fault("the driver did not take the adoption")

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
        if answer.get("seq") != self._seq:
            raise self._fault(f"the driver answered message {answer.get('seq')!r} instead of {self._seq}")
        return answer

    def _fault(self, message: str) -> DriverFault:
        return DriverFault(message, self._channel.printed() if self._channel is not None else "")

    def _drop(self) -> None:
        channel, self._channel = self._channel, None
        if channel is not None:
            channel.close(None)

    # -- records --------------------------------------------------------------------------------------------------

    def _draft(self, record: Any) -> Draft:
        """A record as a row; a value of a kind that its column cannot hold breaks the envelope, a wrong one doesn't."""
        if not isinstance(record, dict) or record.get("log") not in self._logs:
            raise self._fault(f"a record names no known log: {str(record)[:200]}")
        spec = self._logs[record["log"]]
        data, problems = spec.fill(record)
        if problems:
            raise self._fault(f"a record is malformed: {'; '.join(problems)[:400]}")
        return Draft(
            spec.name,
            _text(record.get("run")),
            data,
            _whole(record.get("batch")),
            _whole(record.get("settle")),
            self._moment,
            _whole(record.get("seq")),
        )


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
