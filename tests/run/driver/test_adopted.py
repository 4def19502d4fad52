"""The adoption that a driver gets describes the very system that the events are made for."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.contract.documents import parse_document
from harness.contract.reading import build_adoption
from harness.intake import validate_files
from harness.kits.jobs_bound import jobs_of
from harness.run.binding import lifecycle_config
from harness.run.driver.adopted import adopted_document
from harness.run.facts import Facts
from harness.runner import AdoptionRunner
from tests.run_builders import BAKERY, JOB_ADOPTIONS

#: Numbers of the bakery that are too large to walk: what is cited, its kind, and the large value.
LARGE: dict[str, tuple[str, Any]] = {
    "oven-count": ("limit", 40),
    "queue-length": ("limit", 10_000),
    "baking-time": ("duration", {"work": 3600, "per-tick": "1/3"}),
    "cooling": ("reversal", {"per-tick": "2/3", "after": 90}),
    "burning": ("failure", {"loses": "all", "loses-work": 1800}),
    "scales": ("progress-rounding", {"round": "up", "initial-work": 900}),
}


def check(path: Path) -> Facts:
    """The facts of an adoption whose driver would get the walked numbers, all of them and no other."""
    facts = jobs_of(AdoptionRunner(validate_files([str(path)])[0]).bound).facts
    text = json.dumps(adopted_document(facts)).encode()
    document, findings = parse_document("adoption.json", text)
    assert findings == ()
    assert document is not None
    found = lifecycle_config(build_adoption(document))
    # A destination for each place of the written ones can be more than the walked places reach.
    assert found._replace(destinations=()) == facts.config._replace(destinations=())
    assert set(found.destinations) <= set(facts.config.destinations)
    return facts


@pytest.mark.parametrize("path", JOB_ADOPTIONS, ids=lambda path: path.parent.name)
def test_shipped_adoption_reaches_the_driver_as_it_is_walked(path: Path) -> None:
    """Of a shipped adoption a driver gets the document itself, with the walked numbers where some are too large."""
    facts = check(path)
    if not facts.reduced:
        assert adopted_document(facts) == yaml.safe_load(path.read_text(encoding="utf-8"))


def test_every_large_number_is_replaced(tmp_path: Path) -> None:
    """Limits, work, steps, delays, losses and initial work are all sent as they are walked, each in its own rule."""
    shutil.copytree(BAKERY.parent, tmp_path / "oven")
    path = tmp_path / "oven" / BAKERY.name
    value = yaml.safe_load(path.read_text(encoding="utf-8"))
    value["answers"] |= {"input-claim-timing": "with-progress", "partial-work": "reverse-while-stopped"}
    value["answers"]["failure-result"] = "partial-inputs-or-work"
    value["collections"] |= {
        "reversal-rules": [{"id": "cools", "reversal-declared-in": "rules/bakery.md#cooling"}],
        "failures": [{"id": "burns", "trigger-declared-in": "rules/bakery.md#burning", "from-state": "working"}],
        "progress-rounding-rules": [{"id": "weighs", "progress-rounding-declared-in": "rules/bakery.md#scales"}],
    }
    for place, (kind, large) in LARGE.items():
        value["rules"][f"rules/bakery.md#{place}"] = {kind: large}
    path.write_text(yaml.safe_dump(value), encoding="utf-8")
    facts = check(path)
    assert len(facts.reduced) == 4  # both limits, the work, the delay; the others follow the work
    changed = adopted_document(facts)["rules"]
    for place, (kind, large) in LARGE.items():
        assert changed[f"rules/bakery.md#{place}"][kind] != large
