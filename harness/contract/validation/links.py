"""Kind 3, ids: jobs, pools, phases and cancellations that are named and must be declared; links without a circle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from harness.base.finding import Finding
from harness.contract.documents import pointer_to
from harness.contract.fitting import suggestion
from harness.contract.rules import BY_ROW, field_rule, named_job, rows_of
from harness.contract.shapes import JsonValue
from harness.contract.validation.subject import Subject, mappings


def check(subject: Subject) -> Iterator[Finding]:
    """Findings about ids that name nothing, and about circles of needs."""
    yield from _main_job(subject)
    yield from _job_ids(subject)
    yield from _row_references(subject)
    values = tuple(rule_values(subject))
    for pointer, kind, value in values:
        yield from _rule_references(subject, pointer, kind, value)
    yield from _circles(subject, ((pointer, value) for pointer, kind, value in values if kind == "link"))
    yield from _standing_orders(subject)


def rule_values(subject: Subject) -> Iterator[tuple[str, str, JsonValue]]:
    """Every rule value with its pointer and kind, values by row one by one."""
    for address, kinds in subject.adoption.rules.items():
        for kind, raw in kinds.items():
            value: JsonValue = raw  # type: ignore[assignment] # rules hold plain JSON
            pointer = pointer_to("rules", address, kind)
            by_row = rows_of(value)
            if by_row is None:
                yield pointer, kind, value
            for row_id, each in (by_row or {}).items():
                yield pointer + pointer_to(BY_ROW, row_id), kind, each


def _main_job(subject: Subject) -> Iterator[Finding]:
    """The rule at the job row's own address is of the job that the row names."""
    main = subject.adoption.job.get("id")
    named = named_job(subject.adoption, subject.adoption.job.get("job-declared-in", ""), main)
    if main is not None and named is not None and named != main:
        message = f'the rule at job-declared-in is of the job "{named}", and the job row is "{main}"'
        yield subject.finding("job-id-differs", "/job/id", message, f"write id: {named}, or cite the rule of {main}")


def _job_ids(subject: Subject) -> Iterator[Finding]:
    first: dict[str, str] = {}
    # Without a whole job row nobody can tell which rule is the main job's, and that is said elsewhere.
    has_main = {"id", "job-declared-in"} <= set(subject.adoption.job)
    for declared in subject.jobs:
        if declared.job is None and not has_main:
            continue
        if declared.job is None:
            message = "a job rule away from the job row's own address needs an id"
            yield subject.finding("job-id-missing", declared.pointer, message, "add id: to the job")
            continue
        own = declared.pointer + ("/id" if "id" in declared.value else "")
        if declared.job in first:
            line = subject.document.position(first[declared.job]).line
            message = f'the job id "{declared.job}" is taken by the job in line {line}'
            hint = "give each job its own id, or write only the id where the same job is meant"
            yield subject.finding("duplicate-job-id", own, message, hint)
        first.setdefault(declared.job, own)


def _row_references(subject: Subject) -> Iterator[Finding]:
    for collection, field, target in (
        ("standing-orders", "work-limit", "work-limits"),
        ("dependent-cancellations", "cancellation", "cancellations"),
    ):
        known = {row.id for row in subject.adoption.rows(target)}
        for row in subject.adoption.rows(collection):
            named = row.get(field)
            if named is not None and named not in known:
                message = f'{target} has no row "{named}"'
                hint = suggestion(named, known, f"declare it under collections: {target}")
                yield subject.finding(
                    f"unknown-{field}", pointer_to("collections", collection, row.index, field), message, hint
                )


def _rule_references(subject: Subject, pointer: str, kind: str, value: JsonValue) -> Iterator[Finding]:
    if kind == "job" and isinstance(value, str):
        yield from _known_jobs(subject, [(pointer, value)], subject.declared_jobs())
    elif kind == "job" and isinstance(value, dict):
        yield from _phase(subject, pointer, value.get("phase"))
    elif kind == "covers" and isinstance(value, list):
        yield from _known_jobs(subject, _listed(pointer, value))
    elif kind in ("progress-rounding", "reversal") and isinstance(value, dict):
        yield from _known_jobs(subject, _listed(pointer + "/for", value.get("for")))
    elif kind == "condition" and isinstance(value, dict):
        yield from _known_destination(subject, pointer + "/destination", str(value.get("destination")))
    elif kind == "cancel-return" and isinstance(value, dict):
        known = {row.id for row in subject.adoption.rows("cancellations")}
        for here, name in _listed(pointer + "/for", value.get("for")):
            if name not in known:
                message = f'cancellations has no row "{name}"'
                yield subject.finding("unknown-cancellation", here, message, suggestion(name, known))
    elif kind == "link":
        for index, each in enumerate(mappings(value)):
            here = f"{pointer}/{index}"
            named = [(here + "/job", str(each.get("job"))), *_listed(here + "/needs", each.get("needs"))]
            yield from _known_jobs(subject, named)


def _listed(pointer: str, value: JsonValue) -> list[tuple[str, str]]:
    items = value if isinstance(value, list) else []
    return [(f"{pointer}/{index}", str(each)) for index, each in enumerate(items)]


def _known_jobs(
    subject: Subject, named: Iterable[tuple[str, str]], declared: tuple[str, ...] | None = None
) -> Iterator[Finding]:
    known = subject.job_ids() if declared is None else declared
    for pointer, job in named:
        if job not in known and not subject.has_unfit_jobs:
            message = f'no job rule has the id "{job}"'
            yield subject.finding("unknown-job", pointer, message, suggestion(job, known))


def _phase(subject: Subject, pointer: str, phase: JsonValue) -> Iterator[Finding]:
    known = [row.id for row in subject.adoption.rows("work-phases")]
    if isinstance(phase, str) and phase not in known:
        message = f'work-phases has no row "{phase}"'
        yield subject.finding("unknown-phase", pointer + "/phase", message, suggestion(phase, known))


def _known_destination(subject: Subject, pointer: str, named: str) -> Iterator[Finding]:
    known = destination_names(subject)
    # `{place}` in a name stands for any place.
    if named in known or any("{place}" in each and _fits(each, named) for each in known) or subject.has_unfit_jobs:
        return
    message = f'no job and no fallback row has the destination "{named}"'
    yield subject.finding("unknown-destination", pointer, message, suggestion(named, known))


def _fits(name: str, named: str) -> bool:
    before, _, after = name.partition("{place}")
    return named.startswith(before) and named.endswith(after) and len(named) > len(before) + len(after)


def destination_names(subject: Subject) -> frozenset[str]:
    """The names of all normal and fallback destinations, as written."""
    found = [value for _, kind, value in rule_values(subject) if kind == "destination"]
    found += [job.value.get("destination") for job in subject.jobs]
    return frozenset(str(each["name"]) for each in found if isinstance(each, dict) and "name" in each)


def _circles(subject: Subject, links: Iterable[tuple[str, JsonValue]]) -> Iterator[Finding]:
    """Each circle of needs once, over all link rules together, at the job it was found from."""
    needs: dict[str, list[str]] = {}
    places: dict[str, str] = {}
    for pointer, value in links:
        for index, each in enumerate(mappings(value)):
            job = str(each.get("job"))
            needs.setdefault(job, []).extend(name for _, name in _listed("", each.get("needs")))
            places.setdefault(job, f"{pointer}/{index}/job")
    reported: set[frozenset[str]] = set()
    for job in needs:
        circle = _path_back(job, needs)
        if circle and frozenset(circle) not in reported:
            reported.add(frozenset(circle))
            words = " needs ".join((*circle, job))
            message = f"jobs need each other in a circle: {words}"
            yield subject.finding("link-cycle", places[job], message, "break the circle")


def _path_back(start: str, needs: Mapping[str, list[str]]) -> tuple[str, ...]:
    """The shortest way from a job over its needs back to itself, without the last step; empty where there is none."""
    came_from: dict[str, str] = {}
    pending = [start]
    for job in pending:
        for needed in needs.get(job, ()):
            if needed == start:
                path = [job]
                while path[-1] != start:
                    path.append(came_from[path[-1]])
                return tuple(reversed(path))
            if needed not in came_from:
                came_from[needed] = job
                pending.append(needed)
    return ()


def _standing_orders(subject: Subject) -> Iterator[Finding]:
    adoption = subject.adoption
    pools = {row.id for row in adoption.rows("work-limits")}
    for row in adoption.rows("standing-orders"):
        pool, address = row.get("work-limit"), row.get("requests-job-declared-in")
        if pool not in pools or pool is None or address is None:
            continue
        job = named_job(adoption, address, row.id)
        covers = field_rule(adoption, "work-limits", pool, "covers-declared-in")
        if job is not None and isinstance(covers, list) and job not in covers:
            message = f'the pool "{pool}" does not cover the job "{job}" that this order requests'
            pointer = pointer_to("collections", "standing-orders", row.index, "requests-job-declared-in")
            hint = f"add {job} to the rule that {pool} cites for coverage, or name another pool"
            yield subject.finding("standing-order-not-covered", pointer, message, hint)
        elif job is not None and (earlier := _earlier_pool(subject, pool, job)) is not None:
            message = f'requests of this order belong to the earlier pool "{earlier}", which covers them too'
            pointer = pointer_to("collections", "standing-orders", row.index, "work-limit")
            yield subject.warning(
                "standing-order-elsewhere", pointer, message, f'name "{earlier}", or put "{pool}" first'
            )


def _earlier_pool(subject: Subject, pool: str, job: str) -> str | None:
    """The first pool before this one that covers the job whatever its fields are."""
    for row in subject.adoption.rows("work-limits"):
        if row.id == pool:
            return None
        covers = field_rule(subject.adoption, "work-limits", row.id, "covers-declared-in")
        if covers == "all" or (isinstance(covers, list) and job in covers):
            return row.id
    return None
