"""Clauses that no inversion of the lifecycle can violate, each with the reason.

They speak of what an adoption declares, or of what a reviewer read; the lifecycle moves nothing there. Adoptions made
invalid on purpose, in the tests, violate each of them instead.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

EXPLAINED: Final = MappingProxyType(
    {
        ("reservation-needs-a-readmission-event", 0): (
            "it counts the readmission-events rows; an adoption that reserves room and declares none violates it"
        ),
        ("progress-needs-a-rounding-rule", 0): (
            "it counts the progress-rounding-rules rows; an adoption that claims with progress and declares none "
            "violates it"
        ),
        ("reversing-work-needs-a-reversal-rule", 0): (
            "it counts the reversal-rules rows; an adoption whose stopped work reverses and that declares none "
            "violates it"
        ),
        ("rule-sized-return-needs-a-return-rule", 0): (
            "it counts the cancel-return-rules rows; an adoption that returns by rule and declares none violates it"
        ),
        ("held-output-needs-a-redelivery-event", 0): (
            "it counts the redelivery-events rows; an adoption that holds outputs and declares none violates it"
        ),
        ("collection-needs-a-collection-event", 0): (
            "it counts the collection-events rows; an adoption that delivers on collection and declares none "
            "violates it"
        ),
        ("fallback-destination-pairs-with-ordered-route", 0): (
            "it is judged by the record of declarations alone; a fallback beside another answer than try-destinations "
            "violates it"
        ),
        ("failure-row-fires-from-its-state", 1): "it only points at the tests of the declared results, which judge it",
        ("collection-delivery-waits-for-event", 2): (
            "it speaks only of an adoption on collection without a collection event, which is invalid and violates it"
        ),
        ("pre-start-reservation-blocks-admission", 2): (
            "it speaks only of an adoption without a readmission event, which is invalid; there, a blocked request "
            "that leaves requested violates it"
        ),
        ("read-first-note-precedes-verification", 0): (
            "it looks at the passage and its pin, which no run changes; a stale pin violates it"
        ),
    }
)
