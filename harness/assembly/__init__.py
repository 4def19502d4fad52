"""Adoptions put together from choices: every answer and row option, in any combination that the contract allows.

A choice that the rest rules out is dropped rather than refused (no partial-work answer where nothing can stop the
work), so that any combination of choices gives a valid adoption. All addresses lead to one made-up repository.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.assembly.choices import CHOICES, plainest
from harness.assembly.decided import decide
from harness.assembly.deliveries import add_delivery
from harness.assembly.endings import add_cancellations, add_failures
from harness.assembly.jobs import add_jobs, answers
from harness.assembly.pools import add_pools, add_standing_orders
from harness.assembly.sheet import Sheet
from harness.assembly.work import add_work
from harness.kits.jobs import KIT

__all__ = ["CHOICES", "assemble", "plainest"]

_PARTS = (add_jobs, add_pools, add_work, add_delivery, add_failures, add_cancellations, add_standing_orders)


def assemble(choices: Mapping[str, str], instance: str = "made-up") -> dict[str, Any]:
    """The adoption document for these choices; a choice that is not named takes its first option.

    ValueError where a choice or an option is not in `CHOICES`.
    """
    decided = decide({**plainest(), **_known(choices)})
    sheet = Sheet(together=decided.chosen["citing"] == "by-row")
    for add in _PARTS:
        add(sheet, decided)
    if decided.chosen["read-first"] == "external":
        sheet.plain_row("read-first", "house-rules", read_first=f"{sheet.ROOT}#house-rules")
    return {
        "contract": KIT.contract,
        "version": 2,
        "instance": instance,
        "job": {
            "id": decided.jobs[0],
            "job-declared-in": sheet.address(decided.jobs[0]),
            "output": "in-place" if decided.in_place else "new-thing",
        },
        "answers": dict(answers(decided)),
        "collections": sheet.collections,
        "rules": sheet.rules,
    }


def _known(choices: Mapping[str, str]) -> Mapping[str, str]:
    for name, option in choices.items():
        if option not in CHOICES.get(name, ()):
            raise ValueError(f"there is no choice {name}: {option}")
    return choices
