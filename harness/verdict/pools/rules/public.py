"""What customers are told, and that it leads to no worker."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.parts import Part, holds, violated
from harness.verdict.pools.evidence import PoolEvidence

CUSTOMER_LANES = ("admission-deliveries", "terminal-customer-deliveries")
_ROUTED = (*CUSTOMER_LANES, "diagnostic-deliveries")


def admissions_tell_no_more(e: PoolEvidence) -> Iterator[Part]:
    """Accepted: request and job. Rejected: request, payload and a reason."""
    for row in e.rows("admission-outcomes"):
        job, goes_back = isinstance(row["job"], int), row["payload"] is not None and isinstance(row["reason"], str)
        taken = job and row["payload"] is None and row["reason"] is None
        if taken if row["outcome"] == "accepted" else goes_back and row["job"] is None:
            yield holds(row)
        else:
            yield violated(row, f"the outcome {row['outcome']} tells something else than it may")


def outcomes_name_roles(e: PoolEvidence) -> Iterator[Part]:
    """A terminal outcome has a declared role or none, and nothing that stands for a worker."""
    for row in e.rows("terminal-outcomes"):
        fault = _fault(row, e.pool.roles)
        yield holds(row) if fault is None else violated(row, fault)


def _fault(row: LogRow, roles: tuple[str, ...]) -> str | None:
    if row["outcome"] == "returned-queued":
        if row["role"] is not None:
            return f"a job that waited names {row['role']}"
    elif row["role"] not in roles:
        return f"the outcome names {row['role']}, which is no declared role"
    if row["outcome"] == "completed":
        whole = row["payload"] is None and row["reason"] is None and isinstance(row["result"], str)
    else:
        whole = isinstance(row["payload"], int) and isinstance(row["reason"], str) and row["result"] is None
    return None if whole else f"the outcome {row['outcome']} tells something else than it may"


def lanes_are_apart(e: PoolEvidence) -> Iterator[Part]:
    """No operation reaches a worker and a customer."""
    for row in e.rows("action-lanes"):
        reaches = [row[name] for name in ("role", "worker", "birth", "assignment") if row[name] is not None]
        if row["lane"] in CUSTOMER_LANES:
            if reaches:
                yield violated(row, "an operation for a customer names what is behind the pool")
            elif row["route"] is None:
                yield violated(row, "an operation for a customer has no route")
            else:
                yield holds(row)
        elif row["request"] is not None or (row["route"] is not None and row["lane"] not in _ROUTED):
            yield violated(row, "an operation of the pool names a customer")
        else:
            yield holds(row)
