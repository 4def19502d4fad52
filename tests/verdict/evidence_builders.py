"""Evidence from a few lines of text, in the notation of the histories."""

from __future__ import annotations

from typing import Any

from harness.verdict.evidence import Evidence
from tests.histories._load import History, evidence_of

WORLD = {
    "stock": [
        {"item": "flour", "amount": 7, "source": "larder"},
        {"item": "water", "amount": 2, "source": "tap"},
    ]
}

#: One loaf of the bakery that is baked without a stop.
LIFE: list[Any] = [
    "open-pool ovens",
    {
        "request A": [
            "job-requested A",
            "claim A 3 flour larder; claim A 1 water tap; take A ovens working; job-started A",
            "job-working A; work A 0 enter",
        ]
    },
    {"tick x3": "work A +1 advance"},
    {
        "tick": [
            "work A +1 advance",
            "spend A 3 flour larder; spend A 1 water tap; job-finished A; free A ovens working",
            "job-delivered A",
        ]
    },
]


def evidence(events: list[Any], template: str = "kept-work-stays-with-the-job", **spec: Any) -> Evidence:
    """The evidence of one world of the bakery in which these events were sent."""
    entry = {"world": WORLD, "events": events, **spec}
    found, _ = evidence_of(History(template, (0,), "accepted", "test", "holds", "", (), entry))
    return found
