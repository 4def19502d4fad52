"""Keyed pools that nobody ships: whatever the answers, the numbers and the keys, a sound pool violates nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from harness.base.verdict import Verdict
from harness.intake import expand_validated, validate_files
from harness.kits.pools import KEYED_KIT
from harness.kits.pools_keyed import BoundKeyed

KEPT = {"restarts": 1, "window": 5}
RETRY = {"interruption": "retry", "restart": "permanent", "restart-timing": "immediate"}


class Case(NamedTuple):
    """Answers, numbers, how many roles there are, and for each key the role that the selector names (None: none)."""

    answers: dict[str, str]
    pool: dict[str, Any]
    roles: int
    keys: tuple[int | None, ...]


CASES = {
    "no restarts left": Case(
        {**RETRY, "topology-failure": "stop-pool"},
        {"activation-limit": 2, "backlog": 1, "binding-capacity": 2, "restarts": 0, "window": 0},
        2,
        (0, 1, None),
    ),
    "one role, long queue, fail": Case(
        {**RETRY, "interruption": "fail", "restart-timing": "delayed", "topology-failure": "retire-role"},
        {"activation-limit": 1, "backlog": 3, "binding-capacity": 1, "delay": 3, **KEPT},
        1,
        (0,),
    ),
    "two roles, no queue, room for one key": Case(
        {**RETRY, "restart": "transient", "topology-failure": "retire-role"},
        {"activation-limit": 1, "backlog": 0, "binding-capacity": 1, **KEPT},
        2,
        (0, 1),
    ),
    "temporary workers that end the pool": Case(
        {"interruption": "retry", "restart": "temporary", "topology-failure": "stop-pool"},
        {"activation-limit": 2, "backlog": 2, "binding-capacity": 5},
        2,
        (0, 1, 1, 0),
    ),
    "a role that no key leads to": Case(
        {**RETRY, "topology-failure": "retire-role"},
        {"activation-limit": 1, "backlog": 1, "binding-capacity": 2, **KEPT},
        2,
        (1, 1),
    ),
    "a selector that knows nothing": Case(
        {**RETRY, "topology-failure": "retire-role"},
        {"activation-limit": 1, "backlog": 1, "binding-capacity": 2, **KEPT},
        1,
        (None,),
    ),
}
FEW = ("a role that no key leads to", "a selector that knows nothing")
"""Cases in which many shapes can't be made, so that less than half of the clauses may have something to check."""


QUICK = ("two roles, no queue, room for one key", "a selector that knows nothing")
"""Cases of every run of the tests; the others are deep, and so are all with a deadline."""


@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(each, marks=pytest.mark.deep) for each in CASES if each not in QUICK)]
)
@pytest.mark.parametrize("timed", [False, pytest.param(True, marks=pytest.mark.deep)], ids=["untimed", "timed"])
def test_a_sound_pool_violates_nothing(tmp_path: Path, name: str, timed: bool) -> None:
    """No clause is violated, in error or unreached, and most hold where keys lead to every role."""
    case = CASES[name]
    document = {
        "contract": "keyed-pool",
        "version": 1,
        "instance": "made-up",
        "answers": {
            **case.answers,
            "drain": "retire-after-deadline" if timed else "wait-for-workers",
            "diagnostics": "terminate" if timed else "deliver",
        },
        "collections": {
            "roles": [{"id": f"role-{number}"} for number in range(case.roles)],
            "keys": [
                {"id": f"key-{at}", **({} if role is None else {"role": f"role-{role}"})}
                for at, role in enumerate(case.keys)
            ],
        },
        "pool": {**case.pool, **({"deadline": 9} if timed else {"diagnostics-route": "operator"})},
    }
    path = tmp_path / "made-up.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    (validated,) = validate_files([str(path)])
    assert validated.findings == ()
    expansion = expand_validated(validated)
    assert expansion is not None
    bound = BoundKeyed(expansion.adoption, KEYED_KIT.logs)
    system = bound.system()
    verdicts = []
    for scenario in expansion.scenarios:
        plan = bound.plan(scenario)
        judged = bound.judge(scenario, plan, bound.record(scenario.id, plan, system))
        wrong = [each for each in judged.clauses if each.verdict not in (Verdict.HOLDS, Verdict.NOTHING_TO_CHECK)]
        assert [(scenario.template, each.index, each.reason) for each in wrong] == []
        verdicts += [each.verdict for each in judged.clauses]
    assert name in FEW or verdicts.count(Verdict.HOLDS) > len(verdicts) / 2
