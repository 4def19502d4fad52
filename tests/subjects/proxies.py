"""Proxies in front of the built-in lifecycle, each of which spoils what it passes on in one way.

A fault gets the records of one event, and what it kept since the world began, and gives the records that go on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.kits.serving import served

Record = dict[str, Any]
Fault = Callable[[list[Record], dict[str, Any]], list[Record]]
FAULTS: dict[str, Fault] = {}


def fault(function: Fault) -> Fault:
    FAULTS[function.__name__.replace("_", "-")] = function
    return function


class Proxy:
    """The built-in lifecycle behind one fault; rows are numbered again as they go out."""

    def __init__(self, spoil: Fault) -> None:
        self._inner = served()
        self._spoil = spoil
        self._kept: dict[str, Any] = {}
        self._numbered = 0

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """The answer of the lifecycle, spoilt."""
        answer = self._inner.answer(message)
        if message["cmd"] == "begin":
            self._kept, self._numbered = {}, 0
        if "records" in answer:
            answer["records"] = [self._renumbered(each) for each in self._spoil(answer["records"], self._kept)]
        return answer

    def _renumbered(self, record: Record) -> Record:
        self._numbered += 1
        return {**record, "seq": self._numbered}


def is_report(record: Record, *names: str) -> bool:
    return record["log"] == "report-log" and record["report"] in names


def is_claim(record: Record, *changes: str) -> bool:
    return record["log"] == "claim-ledger" and record["change"] in changes


@fault
def releases_dropped(records: list[Record], kept: dict[str, Any]) -> list[Record]:
    return [each for each in records if not is_claim(each, "release")]


@fault
def delivery_reported_twice(records: list[Record], kept: dict[str, Any]) -> list[Record]:
    return [each for one in records for each in [one] * (2 if is_report(one, "job-delivered") else 1)]


@fault
def wrong_old_state(records: list[Record], kept: dict[str, Any]) -> list[Record]:
    return [{**each, "old": "waiting"} if is_report(each, "job-finished") else each for each in records]


@fault
def cause_forgotten(records: list[Record], kept: dict[str, Any]) -> list[Record]:
    return [{**each, "causes": []} if is_report(each, "job-stopped") else each for each in records]


@fault
def another_run_id_after_resume(records: list[Record], kept: dict[str, Any]) -> list[Record]:
    spoilt = []
    for each in records:
        if is_report(each, "job-resumed"):
            kept[each["run"]] = f"{each['run']}-again"
        spoilt.append({**each, "run": kept.get(each["run"], each["run"])})
    return spoilt


@fault
def claims_after_the_start(records: list[Record], kept: dict[str, Any]) -> list[Record]:
    spoilt, late = [], []
    for each in records:
        if is_claim(each, "claim"):
            late.append(each)
            continue
        spoilt.append(each)
        if is_report(each, "job-started"):
            spoilt += late
            late = []
    return spoilt + late


@fault
def counts_over_the_limit(records: list[Record], kept: dict[str, Any]) -> list[Record]:
    return [
        {**each, "used": each["limit"] + 1} if each["log"] == "count-trace" and each["change"] == "take" else each
        for each in records
    ]


@fault
def waiting_slot_kept(records: list[Record], kept: dict[str, Any]) -> list[Record]:
    return [each for each in records if not (each["log"] == "count-trace" and _frees(each, "waiting"))]


@fault
def working_slot_kept(records: list[Record], kept: dict[str, Any]) -> list[Record]:
    return [each for each in records if not (each["log"] == "count-trace" and _frees(each, "working"))]


def _frees(record: Record, slot: str) -> bool:
    return bool(record["change"] == "free" and record["slot"] == slot)


@fault
def spends_less_than_claimed(records: list[Record], kept: dict[str, Any]) -> list[Record]:
    return [{**each, "amount": each["amount"] - 1} if is_claim(each, "spend") else each for each in records]


@fault
def request_not_reported(records: list[Record], kept: dict[str, Any]) -> list[Record]:
    return [each for each in records if not is_report(each, "job-requested")]


@fault
def rejection_not_reported(records: list[Record], kept: dict[str, Any]) -> list[Record]:
    return [each for each in records if not is_report(each, "job-rejected")]


@fault
def move_not_traced(records: list[Record], kept: dict[str, Any]) -> list[Record]:
    return [each for each in records if not (each["log"] == "state-trace" and each["to"] == "finished")]


@fault
def release_to_another_source(records: list[Record], kept: dict[str, Any]) -> list[Record]:
    return [{**each, "source": "cellar"} if is_claim(each, "release") else each for each in records]


@fault
def second_reason_forgotten(records: list[Record], kept: dict[str, Any]) -> list[Record]:
    return [{**each, "causes": each["causes"][:1]} if is_report(each, "job-waiting") else each for each in records]


@fault
def cancellation_without_its_row(records: list[Record], kept: dict[str, Any]) -> list[Record]:
    return [{**each, "causes": ["someone"]} if is_report(each, "job-canceled") else each for each in records]


@fault
def work_reset_at_the_stop(records: list[Record], kept: dict[str, Any]) -> list[Record]:
    spoilt = []
    for each in records:
        is_row = each["log"] == "work-before-after" and each["why"] == "stop"
        changed = {"after": "0"} if is_row else {"work-after": "0"} if is_report(each, "job-stopped") else {}
        spoilt.append({**each, **changed})
    return spoilt


@fault
def delivery_in_a_batch_of_its_own(records: list[Record], kept: dict[str, Any]) -> list[Record]:
    settles = {each["settle"] for each in records if is_report(each, "job-delivered")}
    return [{**each, "batch": each["batch"] + 1} if each["settle"] in settles else each for each in records]


@fault
def report_in_the_wrong_settle(records: list[Record], kept: dict[str, Any]) -> list[Record]:
    return [{**each, "settle": each["settle"] + 1} if is_report(each, "job-started") else each for each in records]
