"""An adoption of the fixed-supervisor contract as the definition of its supervisor, and what validation says of it."""

from __future__ import annotations

from collections.abc import Iterator

from harness.base.finding import Finding, Severity
from harness.contract.documents import pointer_to
from harness.contract.shapes import Adoption
from harness.contract.validation.subject import Subject
from harness.models.pools.supervisor.definition import Definition, Recovery, Restarts, check
from harness.models.pools.supervisor.timing import Timing
from harness.models.pools.timing import Budget
from harness.run.pools.binding import Number, number_findings, numbers_of

UNDER = "supervisor"
"""The key of the adoption that the numbers stand under."""

RESERVED = {"deadline": "the drain timer", "recovery": "what belongs to a recovery"}
"""No role can be called so: the events of a run name something else by these words."""

_REPLACING = ("permanent", "transient")
_DELAYED = ("constant", "linear", "exponential")

NUMBERS = (
    Number("restarts", "restart", _REPLACING, "how many replacements there may be"),
    Number("window", "restart", _REPLACING, "over how many ticks replacements are counted"),
    Number("delay", "restart-timing", _DELAYED, "how many ticks the delays are made of"),
    Number("deadline", "drain", ("retire-after-deadline",), "how many ticks a drain may take"),
    Number("diagnostics-route", "diagnostics", ("deliver",), "where diagnostics go"),
    Number("lifecycle-route", "lifecycle", ("publish",), "where lifecycle events go"),
)

_RESTARTS = {
    "strategy": "one-for-one, one-for-all or rest-for-one",
    "restart-timing": "immediate, constant, linear or exponential",
}
# Where the fault stands that a definition is refused for.
_POINTERS = {
    "empty-roster": "/collections/roles",
    "duplicate-role": "/collections/roles",
    "no-activation-limit": "/supervisor/activation-limit",
    "invalid-timing": "/supervisor",
    "missing-policy": "/answers",
    "worker-source-does-not-fit": "/answers/restart",
}


def definition_of(adoption: Adoption) -> Definition:
    """The supervisor that an adoption describes; ValueError where an answer or a number is missing that it needs."""
    try:
        return _definition(adoption)
    except KeyError as missing:
        raise ValueError(f"the adoption does not say {missing.args[0]}") from missing


def _definition(adoption: Adoption) -> Definition:
    answers, numbers = adoption.answers, numbers_of(adoption, UNDER)
    restart = answers["restart"]
    return Definition(
        roles=tuple(row.id for row in adoption.rows("roles")),
        activation_limit=_whole(numbers["activation-limit"]),
        recovery=Recovery(restart, _restarts(adoption) if restart in _REPLACING else None),
        failure=answers["topology-failure"],
        deadline=_whole(numbers["deadline"]) if answers["drain"] == "retire-after-deadline" else None,
        diagnostics=str(numbers["diagnostics-route"]) if answers["diagnostics"] == "deliver" else None,
        lifecycle=str(numbers["lifecycle-route"]) if answers["lifecycle"] == "publish" else None,
    )


def _restarts(adoption: Adoption) -> Restarts:
    answers, numbers = adoption.answers, numbers_of(adoption, UNDER)
    timing = answers["restart-timing"]
    base = _whole(numbers["delay"]) if timing in _DELAYED else 0
    budget = Budget(_whole(numbers["restarts"]), _whole(numbers["window"]))
    return Restarts(answers["strategy"], budget, Timing(timing, base))


def findings(subject: Subject, can_ask: bool) -> Iterator[Finding]:
    """Why an adoption describes no supervisor, each reason placed in the document.

    What the adoption schema says is not said again; where answers or roles could not be read (`can_ask` is false),
    nothing that rests on them is said.
    """
    yield from _role_names(subject)
    if not can_ask:
        return
    found = [*_restart_answers(subject), *number_findings(subject, NUMBERS, UNDER)]
    yield from found
    names = [row.id for row in subject.adoption.rows("roles")]
    is_sound = all(each.severity is not Severity.ERROR for each in found)
    if is_sound and len(set(names)) == len(names):
        yield from _construction(subject)


def _role_names(subject: Subject) -> Iterator[Finding]:
    for row in subject.adoption.rows("roles"):
        if row.id in RESERVED:
            pointer = pointer_to("collections", "roles", row.index, "id")
            message = f"events call {RESERVED[row.id]} {row.id}, so no role can have that name"
            yield subject.finding("reserved-role-name", pointer, message, "give the role another name")


def _restart_answers(subject: Subject) -> Iterator[Finding]:
    """What is asked only where workers are replaced."""
    answers = subject.adoption.answers
    for name, words in _RESTARTS.items():
        if answers.get("restart") in _REPLACING and name not in answers:
            message = f"workers are replaced, and {name} is not answered"
            yield subject.finding("question-unanswered", "/answers", message, f"add {name}: {words}", at_key=True)
        elif answers.get("restart") == "temporary" and name in answers:
            message = "temporary workers are never replaced, so this is not read"
            yield subject.warning("answer-not-asked", f"/answers/{name}", message, "leave it out", at_key=True)


def _construction(subject: Subject) -> Iterator[Finding]:
    try:
        reason = check(definition_of(subject.adoption))
    except ValueError:  # the schema has told what is missing
        return
    if reason is not None:
        pointer = _POINTERS.get(reason, "")
        yield subject.finding("pool-not-constructible", pointer, f"no supervisor can be built from this: {reason}")


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0
