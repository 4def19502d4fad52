"""The kit of the job resolution contract: the lifecycle, its judgments, its inversions, and drivers of job systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from harness.kits.kit import ANSWERS, AUTO, CHECK_LOGS, DRIVER, SMOKE, Inversion, Kit

if TYPE_CHECKING:
    from harness.base.finding import Finding
    from harness.contract.shapes import Adoption
    from harness.contract.validation.subject import Subject
    from harness.kits.jobs_bound import BoundJobs
    from harness.run.pilot import Limits
    from harness.run.system import System


class JobsKit(Kit):
    """Jobs; `models` are what can carry the working slots of the lifecycle (`models/pools/carriers.py`)."""

    contract = "job-resolution"
    models = ("auto", "slots", "fifo", "keyed", "supervised-fifo", "supervised-keyed")
    log_folder: ClassVar[str] = "diagnostics"
    owes: ClassVar[str] = "report-log"
    supports: ClassVar[frozenset[str]] = frozenset({ANSWERS, CHECK_LOGS, DRIVER, SMOKE})

    def bind(self, adoption: Adoption, limits: Limits, model: str) -> BoundJobs:
        """An adoption with the lifecycle that it configures."""
        from harness.kits.jobs_bound import BoundJobs

        return BoundJobs(adoption, self.logs, limits, model)

    def check(self, subject: Subject, can_ask: bool) -> Iterator[Finding]:
        """Links between rows, values of rules, choices between rows, the questions, and the contract's own rules."""
        from harness.contract.validation import choices, citing, contract_rules, links, questions, values

        yield from citing.check_rules(subject)
        for check in (links, values, choices, *((questions, contract_rules) if can_ask else ())):
            yield from check.check(subject)

    def inversions(self) -> tuple[Inversion, ...]:
        """Every inversion of the lifecycle, by step and name."""
        from harness.models.inversions.registry import inversions

        return tuple(
            Inversion(each.name, f"step {each.step}", each.breach, each.breaks, each.faults) for each in inversions()
        )

    def serve(
        self, contract: Mapping[str, Any], adoption: Mapping[str, Any], invert: str | None = None, model: str = AUTO
    ) -> System:
        """The lifecycle with the numbers that stand in the document, which the near side has made small already."""
        from harness.kits.jobs_bound import turn_of
        from harness.models.lifecycle.model import Lifecycle
        from harness.models.pools.carriers import CARRIERS
        from harness.run.binding import lifecycle_config
        from harness.run.driver.served import fitted_adoption
        from harness.run.system import ModelSystem

        adopted, word = fitted_adoption(contract, adoption), self.model_of(model)
        reason = self.unfit(adopted, word)
        if reason is not None:
            raise ValueError(reason)
        return ModelSystem(Lifecycle(lifecycle_config(adopted), CARRIERS[word](), turn_of(invert)))

    def unfit(self, adoption: Adoption, model: str) -> str | None:
        """The row of limits that keyed pools can't carry."""
        from harness.models.pools.carriers import KEYED, unfit
        from harness.run.binding import lifecycle_config

        if model not in KEYED:
            return None
        return unfit((each.id, each.working, each.places) for each in lifecycle_config(adoption).pools)

    def explained(self) -> Mapping[tuple[str, int], str]:
        """The clauses that look at declarations alone."""
        from harness.models.inversions.explained import EXPLAINED

        return EXPLAINED


KIT = JobsKit()
