"""What choices come to once the ones that the rest rules out are dropped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MAIN, FIRST, SECOND = "make", "prepare", "polish"


@dataclass(frozen=True, slots=True)
class Decided:
    """The choices with what follows from them for several parts of the document.

    `jobs` holds the job ids, the main one first; `covered` those whose every request belongs to the last pool.
    """

    chosen: Mapping[str, str]
    jobs: tuple[str, ...]
    covered: frozenset[str]
    in_place: bool
    has_inputs: bool
    works: bool
    output_full: str
    stops: bool
    cancels: bool
    pooled: bool
    linked: bool

    @property
    def progress(self) -> bool:
        """Whether units are claimed with the work's progress."""
        return self.chosen["inputs"] == "with-progress"

    @property
    def claims_early(self) -> bool:
        """Whether a claim can exist before the finish gate."""
        return self.has_inputs and self.chosen["inputs"] != "taken-at-finish"

    @property
    def interrupted(self) -> bool:
        """Whether some interruption is declared."""
        return self.works and self.chosen["interruptions"] != "none"

    @property
    def each_place(self) -> bool:
        """Whether the last pool counts each place apart."""
        return self.chosen["pool"] == "each-place"

    @property
    def on_collection(self) -> bool:
        """Whether an accepted output waits for its collection."""
        return self.chosen["delivery"] == "on-collection" and not self.in_place

    @property
    def needs_field(self) -> bool:
        """Whether a request without fields has no work to do, so that it is refused."""
        return self.chosen["work"] in ("field", "field-per-tick")


def decide(chosen: Mapping[str, str]) -> Decided:
    """Work out what the choices come to."""
    in_place = chosen["output"] == "in-place"
    works = chosen["work"] != "none"
    cancels = chosen["cancellations"] != "none"
    linked = cancels and chosen["dependents"] != "none"
    jobs = (MAIN, FIRST, SECOND) if linked else (MAIN, SECOND) if chosen["jobs"] == "two" else (MAIN,)
    pooled = chosen["pool"] != "none"
    covered = {"all": jobs, "list": jobs[:1], "field": ()}[chosen["covers"]] if pooled else ()
    return Decided(
        chosen=chosen,
        jobs=jobs,
        covered=frozenset(covered),
        in_place=in_place,
        has_inputs=chosen["inputs"] != "none",
        works=works,
        output_full="never-full" if in_place else chosen["output-full"],
        stops=works and (chosen["interruptions"] != "none" or chosen["inputs"] == "with-progress"),
        cancels=cancels,
        pooled=pooled,
        linked=linked,
    )
