"""Supervisors that nobody ships: whatever the answers and numbers, a sound one violates nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from harness.base.verdict import Verdict
from harness.intake import expand_validated, validate_files
from harness.kits.supervisor import SUPERVISOR_KIT
from harness.kits.supervisor_bound import BoundSupervisor


class Case(NamedTuple):
    """Answers, numbers, and how many roles there are."""

    answers: dict[str, str]
    numbers: dict[str, Any]
    roles: int


CASES = {
    "one for one, two at once, a budget of none": Case(
        {"restart": "permanent", "strategy": "one-for-one", "restart-timing": "constant"},
        {"activation-limit": 2, "restarts": 0, "window": 0, "delay": 1},
        2,
    ),
    "one for one, a window that is left": Case(
        {"restart": "permanent", "strategy": "one-for-one", "restart-timing": "exponential"},
        {"activation-limit": 1, "restarts": 5, "window": 4, "delay": 1},
        1,
    ),
    "one for all, delayed": Case(
        {"restart": "transient", "strategy": "one-for-all", "restart-timing": "exponential"},
        {"activation-limit": 1, "restarts": 2, "window": 100, "delay": 5},
        2,
    ),
    "rest for one, the last of two": Case(
        {"restart": "permanent", "strategy": "rest-for-one", "restart-timing": "immediate"},
        {"activation-limit": 1, "restarts": 1, "window": 4},
        2,
    ),
    "rest for one, three roles": Case(
        {"restart": "permanent", "strategy": "rest-for-one", "restart-timing": "immediate"},
        {"activation-limit": 1, "restarts": 3, "window": 4},
        3,
    ),
    "temporary, three roles": Case({"restart": "temporary"}, {"activation-limit": 2}, 3),
}
ENDS: dict[str, tuple[dict[str, str], dict[str, str], dict[str, Any]]] = {
    "quiet": (
        {"topology-failure": "stop-supervisor", "drain": "retire-after-deadline", "diagnostics": "deliver"},
        {"lifecycle": "omit"},
        {"deadline": 9, "diagnostics-route": "operator"},
    ),
    "strict": (
        {"topology-failure": "retire-member", "drain": "wait-for-proxies", "diagnostics": "terminate"},
        {"lifecycle": "publish"},
        {"lifecycle-route": "observer"},
    ),
}


QUICK = {
    ("one for one, two at once, a budget of none", "strict"),
    ("one for one, a window that is left", "quiet"),
    ("rest for one, the last of two", "strict"),
    ("temporary, three roles", "quiet"),
}
"""Of every run of the tests: the quick cases, each with one of the ends, and each end twice. The others are deep."""
ALL = [
    pytest.param(name, end, marks=() if (name, end) in QUICK else pytest.mark.deep)
    for name in sorted(CASES)
    for end in sorted(ENDS)
]


@pytest.mark.parametrize(("name", "end"), ALL)
def test_a_sound_supervisor_violates_nothing(tmp_path: Path, name: str, end: str) -> None:
    """No clause is violated, in error or unreached, and more than half of all clauses hold."""
    case, (policies, lifecycle, numbers) = CASES[name], ENDS[end]
    document = {
        "contract": "fixed-supervisor",
        "version": 1,
        "instance": "made-up",
        "answers": {**case.answers, **policies, **lifecycle},
        "collections": {"roles": [{"id": f"role-{number}"} for number in range(case.roles)]},
        "supervisor": {**case.numbers, **numbers},
    }
    path = tmp_path / "made-up.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    (validated,) = validate_files([str(path)])
    assert validated.findings == ()
    expansion = expand_validated(validated)
    assert expansion is not None
    bound = BoundSupervisor(expansion.adoption, SUPERVISOR_KIT.logs)
    system = bound.system()
    verdicts = []
    for scenario in expansion.scenarios:
        plan = bound.plan(scenario)
        judged = bound.judge(scenario, plan, bound.record(scenario.id, plan, system))
        wrong = [each for each in judged.clauses if each.verdict not in (Verdict.HOLDS, Verdict.NOTHING_TO_CHECK)]
        assert [(scenario.template, each.index, each.reason) for each in wrong] == []
        verdicts += [each.verdict for each in judged.clauses]
    assert verdicts.count(Verdict.HOLDS) > len(verdicts) / 2
