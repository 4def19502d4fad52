"""A walk, or replayed violations, for reading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def render(document: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> str:
    """What was walked and met, then every violation step by step."""
    lines = _walk(document) if isinstance(document, Mapping) else _violations(document)
    return "\n".join(lines) + "\n"


def _walk(document: Mapping[str, Any]) -> Iterator[str]:
    yield f"{document['model']}: {_count(document)}, {document['transitions']:,} transitions, {document['seconds']} s"
    if document["inverted"]:
        yield f"inverted: {document['inverted']}"
    yield f"start: {', '.join(document['start']) or 'before the first input'}"
    yield f"letters: {', '.join(document['alphabet'])}"
    for group, names in document["reached"].items():
        yield f"{group}: {', '.join(names) or 'none'}"
    if document["idle-letters"] and not document["violations"]:
        yield f"letters without effect: {', '.join(document['idle-letters'])}"
    yield _verdict(document)
    yield from _violations(document["violations"])


def _count(document: Mapping[str, Any]) -> str:
    states = f"{document['states']:,} states"
    if document["count"] == "states":
        return f"{states} to depth {document['depth']}"
    return f"{document['prefixes']:,} prefixes to depth {document['depth']}, {states}"


def _verdict(document: Mapping[str, Any]) -> str:
    number = len(document["violations"])
    if number:
        return f"{number} violation{'s' if number > 1 else ''}"
    return "0 violations: the walk closed" if document["closed"] else "0 violations at this bound"


def _violations(violations: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for each in violations:
        yield ""
        claim = f" (claim {each['claim']} of {each['law']})" if "law" in each else ""
        yield f"{each['name']}{claim}: {', '.join(each['inputs'])}"
        for step in each["detail"]:
            yield f"  {step['letter']}"
            yield f"    state    {_state(step['state'])}"
            for action in step["actions"]:
                yield f"    {action['lane']}: {_fields(action)}"
            if step["broken"]:
                yield f"    broken   {', '.join(step['broken'])}"


def _state(state: Mapping[str, Any]) -> str:
    """The members by phase, the queue of the pool or of each role, and the bindings of keys."""
    cells = state.get("cells") or ()
    members = state.get("members") or state.get("unresolved") or [each["member"] for each in cells]
    parts = [str(state["mode"]), *(_member(each) for each in members)]
    if state.get("queue"):
        parts.append("queue " + _jobs(state["queue"]))
    parts += [f"queue of {each['member']['role']} {_jobs(each['queue'])}" for each in cells if each["queue"]]
    kept = state.get("table", {}).get("kept", ())
    parts += [f"{each['key']} bound to {each['role']} by {each['generation']}" for each in kept]
    return " | ".join(parts)


def _jobs(queue: Sequence[Mapping[str, Any]]) -> str:
    return " ".join(each["obligation"]["job"] for each in queue)


def _member(member: Mapping[str, Any]) -> str:
    job = member.get("job")
    if not job:
        return f"{member['role']} {member['phase']}"
    return f"{member['role']} {member['phase']} {member['join']['state']} {job['obligation']['job']}"


def _fields(action: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {_value(each)}" for name, each in action.items() if name != "lane")


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "(" + ", ".join(f"{name} {_value(each)}" for name, each in value.items()) + ")"
    return "[" + ", ".join(map(_value, value)) + "]" if isinstance(value, list) else str(value)
