"""Clauses that no inversion of the lifecycle can violate, each with the reason.

They speak of what an adoption declares, or of what a reviewer read; the lifecycle moves nothing there. Adoptions made
invalid on purpose, in the tests, violate each of them instead.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

DECLARED = "it looks at the adoption's rows alone; an adoption without the row, or with a wrong one, violates it"

EXPLAINED: Final = MappingProxyType(
    {
        ("reservation-needs-a-readmission-event", 0): DECLARED,
        ("readmission-event-pairs-with-reservation", 0): DECLARED,
        ("progress-needs-a-rounding-rule", 0): DECLARED,
        ("progress-rounding-rule-pairs-with-progress", 0): DECLARED,
        ("reversal-rule-pairs-with-reversing-work", 0): DECLARED,
        ("failure-row-fires-from-its-state", 1): "it only points at the tests of the declared results, which judge it",
        ("reversing-work-needs-a-reversal-rule", 0): DECLARED,
        ("rule-sized-return-needs-a-return-rule", 0): DECLARED,
        ("held-output-needs-a-redelivery-event", 0): DECLARED,
        ("fallback-destination-pairs-with-ordered-route", 0): DECLARED,
        ("collection-needs-a-collection-event", 0): DECLARED,
        ("collection-event-pairs-with-collection-delivery", 0): DECLARED,
        ("cancel-return-rule-pairs-with-rule-sized-return", 0): DECLARED,
        ("redelivery-event-pairs-with-retry-answer", 0): DECLARED,
        ("collection-delivery-waits-for-event", 2): DECLARED,
        ("pre-start-reservation-blocks-admission", 2): DECLARED,
        ("ordered-route-keeps-one-output", 3): DECLARED,
        ("read-first-note-precedes-verification", 0): "it looks at the passage and its pin; a stale pin violates it",
    }
)
