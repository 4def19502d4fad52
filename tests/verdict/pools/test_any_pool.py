"""Pools that nobody ships: whatever the answers and numbers, a sound pool violates nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.base.verdict import Verdict
from harness.intake import expand_validated, validate_files
from harness.kits.pools import FIFO_KIT
from harness.kits.pools_bound import BoundFifo

KEPT = {"restarts": 1, "window": 5}

CASES: dict[str, tuple[dict[str, str], dict[str, Any], int]] = {
    "no restarts left": (
        {
            "interruption": "retry",
            "restart": "permanent",
            "restart-timing": "immediate",
            "topology-failure": "stop-pool",
        },
        {"activation-limit": 2, "backlog": 1, "restarts": 0, "window": 0},
        2,
    ),
    "fail and retire, one role, long queue": (
        {
            "interruption": "fail",
            "restart": "permanent",
            "restart-timing": "delayed",
            "topology-failure": "retire-role",
        },
        {"activation-limit": 1, "backlog": 3, "delay": 3, **KEPT},
        1,
    ),
    "fail and stop, one role, one waiting": (
        {
            "interruption": "fail",
            "restart": "transient",
            "restart-timing": "immediate",
            "topology-failure": "stop-pool",
        },
        {"activation-limit": 1, "backlog": 1, "restarts": 0, "window": 0},
        1,
    ),
    "retry and transient, no queue": (
        {
            "interruption": "retry",
            "restart": "transient",
            "restart-timing": "delayed",
            "topology-failure": "retire-role",
        },
        {"activation-limit": 1, "backlog": 0, "delay": 3, **KEPT},
        2,
    ),
    "temporary workers that end the pool": (
        {"interruption": "retry", "restart": "temporary", "topology-failure": "stop-pool"},
        {"activation-limit": 2, "backlog": 2},
        2,
    ),
}

QUICK = (
    "fail and retire, one role, long queue",
    "fail and stop, one role, one waiting",
    "temporary workers that end the pool",
)
"""Cases of every run of the tests; the others are deep, and so are all with a deadline."""


@pytest.mark.parametrize(
    "name", [each if each in QUICK else pytest.param(each, marks=pytest.mark.deep) for each in sorted(CASES)]
)
@pytest.mark.parametrize("timed", [False, pytest.param(True, marks=pytest.mark.deep)], ids=["untimed", "timed"])
def test_a_sound_pool_violates_nothing(tmp_path: Path, name: str, timed: bool) -> None:
    """No clause is violated, in error or unreached, and more than half of all clauses hold."""
    answers, pool, roles = CASES[name]
    drain = {"drain": "retire-after-deadline" if timed else "wait-for-workers"}
    told = {"diagnostics": "terminate" if timed else "deliver"}
    document = {
        "contract": "fifo-pool",
        "version": 1,
        "instance": "made-up",
        "answers": {**answers, **drain, **told},
        "collections": {"roles": [{"id": f"role-{number}"} for number in range(roles)]},
        "pool": {**pool, **({"deadline": 9} if timed else {"diagnostics-route": "operator"})},
    }
    path = tmp_path / "made-up.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    (validated,) = validate_files([str(path)])
    assert validated.findings == ()
    expansion = expand_validated(validated)
    assert expansion is not None
    bound = BoundFifo(expansion.adoption, FIFO_KIT.logs)
    system = bound.system()
    verdicts = []
    for scenario in expansion.scenarios:
        plan = bound.plan(scenario)
        judged = bound.judge(scenario, plan, bound.record(scenario.id, plan, system))
        wrong = [each for each in judged.clauses if each.verdict not in (Verdict.HOLDS, Verdict.NOTHING_TO_CHECK)]
        assert [(scenario.template, each.index, each.reason) for each in wrong] == []
        verdicts += [each.verdict for each in judged.clauses]
    assert verdicts.count(Verdict.HOLDS) > len(verdicts) / 2
