"""When a choice makes a difference: an option that its needs do not allow is dropped by the assembly.

What is listed here is what the parts of the assembly do, as data: so that a set of choices can be made in which
nothing is dropped, and every pair of options is seen together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from types import MappingProxyType

from harness.assembly.choices import CHOICES

Need = Mapping[str, tuple[str, ...]]
"""Every named choice has one of the listed options."""


def _but(choice: str, *options: str) -> tuple[str, ...]:
    """The options of a choice without these."""
    return tuple(each for each in CHOICES[choice] if each not in options)


_INPUTS: Need = {"inputs": _but("inputs", "none")}
_EARLY: Need = {"inputs": _but("inputs", "none", "taken-at-finish")}
_AT_REQUEST: Need = {"inputs": ("taken-at-request",)}
_PROGRESS: Need = {"inputs": ("with-progress",)}
_NEW: Need = {"output": _but("output", "in-place")}
_WORK: Need = {"work": _but("work", "none")}
_INTERRUPTED: Need = {"interruptions": _but("interruptions", "none")}
_POOL: Need = {"pool": _but("pool", "none")}
_CANCELED: Need = {"cancellations": _but("cancellations", "none")}
_LINKED: Need = {**_CANCELED, "dependents": _but("dependents", "none")}
_RETRIES: Need = {**_NEW, "output-full": ("wait-before-start", "hold-undelivered", "try-destinations")}
_SAYABLE: Need = {"work": _but("work", "field", "field-per-tick")}
_AT_WORK: Need = {"failures": ("working", "several"), **_WORK}
_STOPPED: Need = {"failures": ("stopped",), **_WORK}
_FROM_WAITING: Need = {"failures": ("waiting",)}
_FROM_FINISHED: Need = {"failures": ("finished",)}
_RECOVERS: Need = {"failure-result": ("recoverable", "answered-recoverable")}
_RUINS: Need = {"failure-result": ("ruined", "answered-ruined")}

_STOPS = ({**_WORK, **_INTERRUPTED}, {**_WORK, **_PROGRESS})
_COLLECTED: Need = {**_NEW, "delivery": ("on-collection",)}
_CASES: Need = {**_NEW, "cases": _but("cases", "none")}
_ENDINGS = (_CANCELED, _FROM_WAITING, _FROM_FINISHED, {"failures": ("several",)})
_SOME_ROW = (_POOL, _WORK, _PROGRESS, _RETRIES, _COLLECTED, _CASES, *_ENDINGS)


def _each(*lists: tuple[Need, ...]) -> tuple[Need, ...]:
    """One alternative of each list, all at once, for every combination that can be."""
    found = []
    for parts in product(*lists):
        joined: dict[str, tuple[str, ...]] = {}
        for part in parts:
            for choice, options in part.items():
                joined[choice] = tuple(each for each in joined.get(choice, options) if each in options)
        if all(joined.values()):
            found.append(joined)
    return tuple(found)


_ANY_FAILURE = (_AT_WORK, _STOPPED, _FROM_WAITING, _FROM_FINISHED)
_HAS_CLAIM = _each((_EARLY,), (_AT_WORK, _STOPPED)) + _each((_AT_REQUEST,), (_FROM_WAITING,))

#: For a choice, or for one option of it where the options differ: any of these alternatives must hold.
NEEDS: Mapping[tuple[str, str | None], tuple[Need, ...]] = MappingProxyType(
    {
        ("amounts", None): (_INPUTS,),
        ("sources", None): ({**_INPUTS, "pool": ("each-place",), "covers": _but("covers", "field")},),
        ("offer-check", None): (_PROGRESS,),
        ("rounding", None): (_PROGRESS,),
        ("jobs", None): ({"cancellations": ("none",)}, {"dependents": ("none",)}),
        ("output-full", None): (_NEW,),
        ("delivery", None): (_NEW,),
        ("destination", None): ({**_NEW, "output-full": _but("output-full", "never-full")},),
        ("fallbacks", None): (
            {**_NEW, "output-full": ("try-destinations",), "destination": _but("destination", "unlimited")},
        ),
        ("polled", "retries"): (_RETRIES,),
        ("polled", "all"): (_COLLECTED,),
        ("cases", None): (_NEW,),
        ("partial-work", None): _STOPS,
        ("reversal", None): _each(_STOPS, ({"partial-work": ("reverse-while-stopped",)},)),
        ("stopped-claims", None): _each((_EARLY,), (*_STOPS, *_each((_AT_WORK,), (_RECOVERS,)))),
        ("interruptions", None): (_WORK,),
        ("failures", "working"): (_WORK,),
        ("failures", "stopped"): (_WORK,),
        ("failure-result", "ruined"): (_AT_WORK, _STOPPED, _FROM_WAITING),
        ("failure-result", "answered-recoverable"): (_AT_WORK, _STOPPED, _FROM_WAITING),
        ("failure-result", "answered-ruined"): _ANY_FAILURE,
        ("failure-rule", "inputs"): _HAS_CLAIM,
        ("failure-rule", "work"): (_AT_WORK, _STOPPED),
        ("failure-rule", "work-share"): (_AT_WORK, _STOPPED),
        ("failure-rule", "all"): _each(_HAS_CLAIM, (_RUINS,)),
        ("failure-rule", "releases"): _each(_HAS_CLAIM, (_RUINS,)),
        ("failure-rule", "damaged"): (*_each((_AT_WORK, _STOPPED, _FROM_WAITING), (_RUINS,)), _FROM_FINISHED),
        ("cancel-return", None): ({**_INPUTS, **_CANCELED},),
        ("dependents", None): (_CANCELED,),
        ("links", None): (_LINKED,),
        ("covers", None): (_POOL,),
        ("waiting", None): (_POOL,),
        ("order", None): (_POOL,),
        ("assignment", None): ({"pool": ("each-place",)},),
        ("releases", None): (_POOL,),
        ("standing", "condition"): ({**_POOL, **_SAYABLE},),
        ("standing", "listed"): ({**_POOL, **_SAYABLE},),
        ("standing", "two-orders"): ({**_POOL, **_SAYABLE},),
        ("standing", "below"): ({**_INPUTS, **_POOL, **_SAYABLE},),
        ("standing", "usable"): ({**_INPUTS, **_POOL, **_SAYABLE},),
        ("citing", None): _SOME_ROW,
    }
)


def needs_of(choice: str, option: str) -> tuple[Need, ...]:
    """The alternatives of which one must hold for the option to be there; empty where it always is."""
    if option == CHOICES[choice][0]:
        return ()
    return NEEDS.get((choice, option), NEEDS.get((choice, None), ()))


def dropped(choices: Mapping[str, str]) -> Iterator[str]:
    """The choices, of a full set, whose option the others rule out."""
    for choice, option in choices.items():
        needs = needs_of(choice, option)
        if needs and not any(_holds(need, choices) for need in needs):
            yield choice


def _holds(need: Need, choices: Mapping[str, str]) -> bool:
    return all(choices[choice] in options for choice, options in need.items())
