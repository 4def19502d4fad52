"""A plan sent into a system, and what it left: the recording of a scenario."""

from __future__ import annotations

from collections.abc import Sequence

from harness.contract.addresses import Passages, parse_address, passage_digest
from harness.contract.shapes import Adoption
from harness.run.derive import DerivedWorlds, DeriveFacts, Passage, covering_pools, derivable, derive_all
from harness.run.facts import Facts
from harness.run.recording import Recording, WorldDrafts, number_rows


def derive_facts(facts: Facts) -> DeriveFacts:
    """What the derived logs need besides the recording; reads the passages that read-first rows cite."""
    return DeriveFacts(facts.adoption, covering_pools(facts.config), _passages(facts.adoption))


def _passages(adoption: Adoption) -> dict[str, Passage]:
    reader = Passages(adoption.root, adoption.sources)
    found = {}
    for row in adoption.rows("read-first"):
        address = row.fields["read-first"]
        if parse_address(address, adoption.sources).is_external:
            found[address] = Passage(None)
            continue
        text = reader.find(address).text
        found[address] = Passage(text is not None, passage_digest(text) if text is not None else None)
    return found


def record_worlds(
    scenario: str,
    worlds: Sequence[WorldDrafts],
    observes: frozenset[str],
    derived: DeriveFacts,
    kept: DerivedWorlds | None = None,
) -> Recording:
    """Number what came back from a system that writes these logs, with what can be derived from it."""
    head, complete = derive_all(derived, worlds, observes, kept)
    return number_rows(scenario, head, complete, derivable(observes))
