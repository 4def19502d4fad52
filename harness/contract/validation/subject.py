"""What the checks look at: an adoption with its document, and how they place what they find."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from harness.base.finding import Finding, Severity
from harness.contract.addresses import Passages
from harness.contract.documents import Document
from harness.contract.rules import JobDeclaration, job_declarations, rule_address
from harness.contract.shapes import Adoption, Contract, JsonValue


@dataclass(frozen=True, slots=True)
class Subject:
    """An adoption under validation.

    `unfit` holds the (address, kind) pairs whose rule doesn't fit its schema: it is there, but no check looks into it.
    `doubtful` holds the flags whose answer can't be told; checks that rest on one say nothing.
    """

    document: Document
    contract: Contract
    adoption: Adoption
    passages: Passages
    unfit: frozenset[tuple[str, str | None]] = frozenset()
    doubtful: frozenset[str] = frozenset()
    jobs: tuple[JobDeclaration, ...] = ()

    def finding(
        self,
        rule: str,
        pointer: str,
        message: str,
        hint: str | None = None,
        *,
        severity: Severity = Severity.ERROR,
        at_key: bool = False,
        template: str | None = None,
        unreadable: bool = False,
    ) -> Finding:
        """A finding about the value at a pointer, or about its key."""
        position = self.document.position(pointer, at_key)
        return Finding(rule, severity, message, position, hint, pointer, template, unreadable)

    def warning(
        self,
        rule: str,
        pointer: str,
        message: str,
        hint: str | None = None,
        at_key: bool = False,
        template: str | None = None,
    ) -> Finding:
        """A finding that leaves the adoption valid."""
        return self.finding(rule, pointer, message, hint, severity=Severity.WARNING, at_key=at_key, template=template)

    def note(self, rule: str, pointer: str, message: str, hint: str | None = None, at_key: bool = False) -> Finding:
        """A finding that is only worth knowing."""
        return self.finding(rule, pointer, message, hint, severity=Severity.NOTE, at_key=at_key)

    def is_unfit(self, address: str, kind: str) -> bool:
        """Whether a rule stands there that doesn't fit its schema."""
        key = rule_address(self.adoption, address) or address
        return (key, kind) in self.unfit or (key, None) in self.unfit

    def declared_jobs(self) -> tuple[str, ...]:
        """The ids of the jobs whose rule is written out, the main one first."""
        return tuple(dict.fromkeys(each.job for each in self.jobs if each.job is not None))

    def job_ids(self) -> tuple[str, ...]:
        """The ids of all jobs, the main one first, whether or not its rule could be read."""
        main = self.adoption.job.get("id")
        return tuple(dict.fromkeys([*([main] if main else []), *self.declared_jobs()]))

    @property
    def has_unfit_jobs(self) -> bool:
        """Whether some job rule couldn't be looked at, so that a job may be declared after all."""
        return any(kind in ("job", None) for _, kind in self.unfit)


def subject_of(
    document: Document,
    contract: Contract,
    adoption: Adoption,
    unfit: frozenset[tuple[str, str | None]],
    doubtful: frozenset[str],
) -> Subject:
    """The subject of the checks, its job declarations found once."""
    passages = Passages(adoption.root, adoption.sources)
    return Subject(document, contract, adoption, passages, unfit, doubtful, tuple(job_declarations(adoption)))


def item_names(jobs: Iterable[JobDeclaration]) -> frozenset[str]:
    """Every item that some job needs."""
    return frozenset(str(each["item"]) for job in jobs for each in mappings(job.value.get("inputs")))


def mappings(value: JsonValue) -> list[dict[str, JsonValue]]:
    """The mappings in a list; empty for anything else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
