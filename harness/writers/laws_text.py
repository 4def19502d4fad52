"""The laws for reading: each claim with the violations and inversions that belong to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def render(laws: Sequence[Mapping[str, Any]]) -> str:
    """Law after law."""
    return "\n".join(line for law in laws for line in _law(law)) + "\n"


def _law(law: Mapping[str, Any]) -> Iterator[str]:
    yield law["law"]
    yield ""
    yield "claims"
    for claim in law["claims"]:
        yield f"  {claim['number']:>2}  {claim['text']}"
        yield f"      violations: {', '.join(claim['violations'])}"
        yield f"      inversions: {', '.join(claim['inversions'])}"
    yield ""
    yield "invariants"
    for invariant in law["invariants"]:
        yield f"  {invariant['name']}: {invariant['text']}"
    yield ""
    yield "inversions"
    for each in law["inversions"]:
        claims = ", ".join(map(str, each["claims"]))
        yield f"  {each['name']} ({each['model']}, claims {claims}): {each['breach']} Named {each['violation']}."
    yield ""
    yield "models"
    for each in law["models"]:
        yield f"  {each['name']}: {each['says']}"
        yield f"      start: {', '.join(each['start'])}"
        yield f"      alphabet: {', '.join(each['alphabet'])}"
