"""Events of a pool's run and the letters of its bench: the same thing, written as JSON and in short.

An event is `{"kind": "submit"}`, `{"kind": "advance", "role": "left"}`, or `{"kind": "advance", "timer": "deadline"}`;
where jobs have keys, `{"kind": "submit", "key": "x"}` or `{"kind": "rebalance", "key": "x", "role": "left"}`.
What exact fact it stands for depends on what the pool has asked for until then, so the same events mean the same run on
the sound model only; the log `input-log` tells the fact that entered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.models.pools.bench import LETTERS
from harness.models.pools.supervisor.post import ANSWERS, LANES

TIMER = "deadline"

RECOVERY = "recovery"

_PLAIN = (*(each for each in LETTERS if " " not in each), "status", "unknown")
OF_A_ROLE = tuple(each.removesuffix(" ROLE") for each in LETTERS if each.endswith(" ROLE"))
OF_A_KEY = ("submit", "unbind")
OF_A_KEY_AND_A_ROLE = ("rebalance", "late")
OF_A_SUPERVISED_ROLE = (
    *("advance", "refuse", "cross", "stop", "leave", "lose", "exit", "call", "capability"),
    *("forge", "disown", "damage", "withhold", "abort"),
)
OF_A_RECOVERY = ("advance", "refuse", "cut", "deny")
OF_A_DELIVERY = tuple(ANSWERS)
SENT = tuple(LANES)
OF_THE_TIMER = tuple(each.removesuffix(f" {TIMER}") for each in LETTERS if each.endswith(f" {TIMER}"))


def event_of(letter: str) -> dict[str, Any]:
    """The event that a letter of the bench is; ValueError for what is no letter."""
    word, _, name = letter.partition(" ")
    if name == TIMER and word in OF_THE_TIMER:
        return {"kind": word, "timer": TIMER}
    if name == RECOVERY and word in OF_A_RECOVERY:
        return {"kind": word, "timer": RECOVERY}
    if name in SENT and word in OF_A_DELIVERY:
        return {"kind": word, "sent": name}
    if name and word in (*OF_A_ROLE, *OF_A_SUPERVISED_ROLE):
        return {"kind": word, "role": name}
    key, _, role = name.partition(" ")
    if key and not role and word in OF_A_KEY:
        return {"kind": word, "key": key}
    if key and role and word in OF_A_KEY_AND_A_ROLE:
        return {"kind": word, "key": key, "role": role}
    if letter in _PLAIN:
        return {"kind": letter}
    raise ValueError(f"there is no letter {letter!r}")


def letter_of(event: Mapping[str, Any]) -> str:
    """The letter of the bench that an event is."""
    return " ".join(str(event[name]) for name in ("kind", "key", "role", "timer", "sent") if name in event)


def letters_of(roles: tuple[str, ...], deadline: bool) -> tuple[str, ...]:
    """Every letter of a pool with these roles, in a fixed order; those of the drain timer where it has one."""
    timed = tuple(f"{word} {TIMER}" for word in OF_THE_TIMER) if deadline else ()
    ofroles = tuple(f"{word} {role}" for word in OF_A_ROLE for role in roles)
    return ("submit", *ofroles, "shutdown", *timed)


def keyed_letters_of(roles: tuple[str, ...], keys: tuple[str, ...], deadline: bool) -> tuple[str, ...]:
    """Every letter of a pool whose jobs have one of these keys, in a fixed order."""
    asked = tuple(f"{word} {key}" for word in OF_A_KEY for key in keys)
    moved = tuple(f"{word} {key} {role}" for word in OF_A_KEY_AND_A_ROLE for key in keys for role in roles)
    return (*asked, *moved, *letters_of(roles, deadline)[1:])


def supervisor_letters(
    roles: tuple[str, ...], recovers: bool, deadline: bool, sent: tuple[str, ...] = SENT
) -> tuple[str, ...]:
    """Every letter of a supervisor with these roles; those of recoveries and the drain timer where it has any.

    `sent` are the kinds of deliveries that it makes.
    """
    ofroles = tuple(f"{word} {role}" for word in OF_A_SUPERVISED_ROLE for role in roles)
    recovering = tuple(f"{word} {RECOVERY}" for word in OF_A_RECOVERY) if recovers else ()
    timed = tuple(f"{word} {TIMER}" for word in OF_THE_TIMER) if deadline else ()
    told = tuple(f"{word} {each}" for word in OF_A_DELIVERY for each in sent)
    return ("status", "unknown", *ofroles, *recovering, "shutdown", *timed, *told)
