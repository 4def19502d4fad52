"""An adoption of a pool contract as the definition of its pool, and what validation says where there is none.

Which answer asks for which number stands in `NUMBERS`; what a definition refuses stands in the model's own `check`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from harness.base.finding import Finding, Severity
from harness.contract.documents import pointer_to
from harness.contract.shapes import Adoption
from harness.contract.validation.subject import Subject
from harness.models.pools.definition import Definition, RecoveryPolicy, check
from harness.models.pools.timing import Budget

DEADLINE = "deadline"
"""No role can be called so: the events of a run name the drain timer by this word."""


class Number(NamedTuple):
    """A value under `pool` that is read only under some answers."""

    name: str
    flag: str
    answers: tuple[str, ...]
    what: str


_REPLACING = ("permanent", "transient")
NUMBERS = (
    Number("restarts", "restart", _REPLACING, "how many replacements there may be"),
    Number("window", "restart", _REPLACING, "over how many ticks replacements are counted"),
    Number("delay", "restart-timing", ("delayed",), "after how many ticks a replacement is made"),
    Number("deadline", "drain", ("retire-after-deadline",), "how many ticks a drain may take"),
    Number("diagnostics-route", "diagnostics", ("deliver",), "where diagnostics go"),
)

# Where the fault stands that a definition is refused for.
_POINTERS = {
    "empty-roster": "/collections/roles",
    "duplicate-role": "/collections/roles",
    "no-activation-limit": "/pool/activation-limit",
    "negative-backlog": "/pool/backlog",
    "no-binding-capacity": "/pool/binding-capacity",
    "invalid-deadline": "/pool/deadline",
    "missing-policy": "/answers",
    "worker-source-does-not-fit": "/answers/restart",
}


def definition_of(adoption: Adoption) -> Definition:
    """The pool that an adoption describes; ValueError where an answer or a number is missing that it needs."""
    try:
        return _definition(adoption)
    except KeyError as missing:
        raise ValueError(f"the adoption does not say {missing.args[0]}") from missing


def _definition(adoption: Adoption) -> Definition:
    answers, pool = adoption.answers, numbers_of(adoption)
    restart = answers["restart"]
    replaces = restart in _REPLACING
    delayed = replaces and answers["restart-timing"] == "delayed"
    recovery = RecoveryPolicy(
        eligibility=restart,
        budget=Budget(_whole(pool["restarts"]), _whole(pool["window"])) if replaces else Budget(0, 0),
        delay=_whole(pool["delay"]) if delayed else None,
        failure=answers["topology-failure"],
        source=replaces,
    )
    return Definition(
        roles=tuple(row.id for row in adoption.rows("roles")),
        activation_limit=_whole(pool["activation-limit"]),
        recovery=recovery,
        backlog=_whole(pool["backlog"]),
        interruption=answers["interruption"],
        deadline=_whole(pool["deadline"]) if answers["drain"] == "retire-after-deadline" else None,
        diagnostics=str(pool["diagnostics-route"]) if answers["diagnostics"] == "deliver" else None,
    )


def numbers_of(adoption: Adoption, under: str = "pool") -> Mapping[str, object]:
    """What stands under `pool`, or the key that a law has its numbers under."""
    pool = adoption.document.get(under)
    return pool if isinstance(pool, dict) else {}


def findings(
    subject: Subject, can_ask: bool, refused: Callable[[Adoption], str | None] | None = None
) -> Iterator[Finding]:
    """Why an adoption of a pool contract describes no pool, each reason placed in the document.

    `refused` says why no pool of another law can be built from it; without it a FIFO pool is meant.

    What the adoption schema says is not said again; where answers or roles could not be read (`can_ask` is false),
    nothing that rests on them is said.
    """
    yield from _role_names(subject)
    if not can_ask:
        return
    found = [*_timing(subject), *number_findings(subject)]
    yield from found
    if all(each.severity is not Severity.ERROR for each in found) and not _repeats(subject.adoption):
        yield from _construction(subject, refused or _refused)


def _timing(subject: Subject) -> Iterator[Finding]:
    answers = subject.adoption.answers
    replaces, given = answers.get("restart") in _REPLACING, "restart-timing" in answers
    if replaces and not given:
        message = "workers are replaced, and restart-timing is not answered"
        yield subject.finding(
            "question-unanswered", "/answers", message, "add restart-timing: immediate, or delayed", at_key=True
        )
    elif given and answers.get("restart") == "temporary":
        pointer, message = "/answers/restart-timing", "temporary workers are never replaced, so this is not read"
        yield subject.warning("answer-not-asked", pointer, message, "leave it out", at_key=True)


def number_findings(subject: Subject, numbers: tuple[Number, ...] = NUMBERS, under: str = "pool") -> Iterator[Finding]:
    """Numbers that an answer asks for and that are missing, and numbers that no answer reads."""
    answers, pool = subject.adoption.answers, numbers_of(subject.adoption, under)
    for number in numbers:
        answer = answers.get(number.flag)
        if answer in number.answers and number.name not in pool:
            message = f"{number.flag} is {answer}, and nothing says {number.what}"
            yield subject.finding(
                "number-missing", f"/{under}", message, f"add {number.name}: under {under}", at_key=True
            )
        elif answer not in number.answers and number.name in pool:
            wanted = " or ".join(number.answers)
            message = f"{number.name} is read only where {number.flag} is {wanted}"
            pointer = pointer_to(under, number.name)
            yield subject.warning("number-not-read", pointer, message, "leave it out", at_key=True)


def _role_names(subject: Subject) -> Iterator[Finding]:
    for row in subject.adoption.rows("roles"):
        if row.id == DEADLINE:
            pointer = pointer_to("collections", "roles", row.index, "id")
            message = "events call the drain timer deadline, so no role can have that name"
            yield subject.finding("reserved-role-name", pointer, message, "give the role another name")


def _repeats(adoption: Adoption) -> bool:
    """Whether two roles have one name, which every contract's validation tells already."""
    names = [row.id for row in adoption.rows("roles")]
    return len(set(names)) != len(names)


def _refused(adoption: Adoption) -> str | None:
    return check(definition_of(adoption))


def _construction(subject: Subject, refused: Callable[[Adoption], str | None]) -> Iterator[Finding]:
    try:
        reason = refused(subject.adoption)
    except ValueError:  # the schema has told what is missing
        return
    if reason is not None:
        pointer = _POINTERS.get(reason, "")
        yield subject.finding("pool-not-constructible", pointer, f"no pool can be built from this: {reason}")


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0
