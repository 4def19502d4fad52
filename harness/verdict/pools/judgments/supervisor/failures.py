"""What fails outside of a supervisor: told on in one diagnostic, or left with the host where a delivery came back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from harness.run.recording import LogRow
from harness.verdict.parts import Part, absent, holds, violated
from harness.verdict.pools.evidence import PoolEvidence
from harness.verdict.pools.judgments.supervisor.facts import STATE
from harness.verdict.pools.supervisor.evidence import Moment, moments

TELLS: Mapping[str, str] = {
    **dict.fromkeys(("proxy-fold-rejected", "proxy-host-rejected"), "proxy-creation-rejected"),
    "input-rejected": "proxy-input-rejected",
    "initial-failed": "proxy-outcome-failed",
    "shutdown-rejected": "proxy-shutdown-rejected",
    **dict.fromkeys(("workers-partial", "source-rejected"), "worker-preparation-failed"),
    "schedule-rejected": "restart-schedule-rejected",
}
"""By kind of a fact that tells of a failure, the diagnostic that tells it on."""

UNDELIVERABLE = "undeliverable"
ACCEPTED = "accepted"
_SOURCE = ("workers-partial", "source-rejected")
_OF_A_RECOVERY = (*_SOURCE, "schedule-rejected")


def failures_are_told(e: PoolEvidence) -> Iterator[Part]:
    """A failure has one diagnostic, of its kind, with all that its fact says of it."""
    for step in moments(e, *TELLS):
        if not step.is_expected or _is_settled_by_the_drain(step):
            continue
        rows = step.of("diagnostics", diagnostic=TELLS[step.kind])
        missing = _not_told(step, rows[0]) if rows else None
        if len(rows) != 1:
            gone = absent("diagnostics", f"a diagnostic {TELLS[step.kind]}", near=step.input)
            yield violated(rows[-1] if rows else gone, f"{step.kind} is told on {len(rows)} times", step.input)
        elif missing is not None:
            yield violated(rows[0], f"{step.kind} is told on without its {missing}", step.input)
        else:
            yield holds(step.input, rows[0])


def _is_settled_by_the_drain(step: Moment) -> bool:
    """Whether a supervisor that ends has no use for the failure: a recovery is off, or the proxy has ended already."""
    if step.before.mode == "operating":
        return False
    return step.kind in _OF_A_RECOVERY or (
        step.kind == "shutdown-rejected" and step.input["proxy"] not in step.book.alive
    )


def _not_told(step: Moment, row: LogRow) -> str | None:
    """What the diagnostic does not say of the fact, None where it says all."""
    if step.kind in _SOURCE:
        return _source_not_told(step, row)
    names = ("reservation", "ticket", "operation", "recovery", "replaces", "timer", "word", "reason")
    for name in names:
        value = step.input[name]
        if value is not None and not any(value in (fact.get(name), fact.get("reason")) for fact in row["facts"]):
            return name
    return None


def _source_not_told(step: Moment, row: LogRow) -> str | None:
    """What was made, where the source gave up and why, and who was not come to, in this order."""
    made = [fact.get("role") for fact in row["facts"] if fact.get("input") == "submission"]
    words = [fact.get("reason") for fact in row["facts"] if fact.get("input") == "word"]
    if made != list(step.input["roles"]):
        return "workers that were made"
    partial = step.kind == "workers-partial"
    asked = list(step.book.preparing.get(step.input["preparation"], ()))
    wanted = [step.input["role"], step.input["reason"], *step.input["remaining"]]
    return None if words == (wanted if partial else [step.input["reason"], *asked]) else "reason and untouched roles"


def deliveries_end_once(e: PoolEvidence) -> Iterator[Part]:
    """What arrived leads to nothing, what came back is the host's, and an undeliverable diagnostic ends all."""
    for step in moments(e, "delivery-settled"):
        if not step.is_expected:
            continue
        fact, left = step.input, step.of("action-lanes")
        if fact["word"] == ACCEPTED:
            followed = [*left, *(row for log in STATE for row in step.of(log))]
            if followed:
                yield violated(followed[0], f"delivery {fact['delivery']} has arrived, and this follows", fact)
            else:
                yield holds(fact)
        elif fact["lane"] == "diagnostic-deliveries":
            yield from _ends(step)
        else:
            yield from _comes_back(step)


def _ends(step: Moment) -> Iterator[Part]:
    fact, rows = step.input, step.of("diagnostics")
    if len(rows) != 1 or rows[0]["diagnostic"] != UNDELIVERABLE or rows[0]["route"] is not None:
        gone = absent("diagnostics", "the end of the undeliverable diagnostic in custody", near=fact)
        yield violated(rows[0] if rows else gone, f"diagnostic {fact['delivery']} came back, and is sent on", fact)
    elif not any(each["input"] == "diagnostic" for each in rows[0]["facts"]):
        yield violated(rows[0], f"diagnostic {fact['delivery']} came back, and is not named", fact)
    elif step.after.mode != "terminated":
        yield violated(rows[0], f"a diagnostic is undeliverable, and the supervisor is {step.after.mode}", fact)
    else:
        yield holds(fact, rows[0])


def _comes_back(step: Moment) -> Iterator[Part]:
    fact = step.input
    others = [row for row in step.of("action-lanes") if row["lane"] != "delivery-rejections"]
    others += [row for log in STATE for row in step.of(log)]
    rows = step.of("residual-transfers", lane="delivery-rejections")
    if len(rows) != 1:
        gone = absent("residual-transfers", f"delivery {fact['delivery']}, which came back", near=fact)
        yield violated(
            rows[-1] if rows else gone, f"delivery {fact['delivery']} goes to the host {len(rows)} times", fact
        )
    elif (rows[0]["delivery"], rows[0]["reason"]) != (fact["delivery"], fact["reason"]):
        yield violated(rows[0], f"delivery {fact['delivery']} came back, and another one goes to the host", fact)
    elif others:
        yield violated(others[0], f"delivery {fact['delivery']} came back, and this follows", fact)
    else:
        yield holds(fact, rows[0])
