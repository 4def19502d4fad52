"""Two states are one up to the names of fresh correlations: the flat shape that all of them share.

Numbers of each kind are renamed to 1, 2, 3 and so on in their order. Order is kept, since an ordinal is compared, and
so is what an allocator gives next, since that is renamed along.
"""

from __future__ import annotations

from typing import Any, TypeVar

from harness.models.pools.correlations import Correlation


def shape(value: tuple[Any, ...]) -> tuple[Any, ...]:
    """The leaves of nested tuples in one row, each tuple led by its length, with every correlation renamed."""
    leaves: list[Any] = []
    _flatten(value, leaves.append)
    found: dict[type, set[Correlation]] = {}
    for each in leaves:
        if isinstance(each, Correlation):
            found.setdefault(type(each), set()).add(each)
    names = {
        kind: {number: (kind.word, rank) for rank, number in enumerate(sorted(numbers))}
        for kind, numbers in found.items()
        if issubclass(kind, Correlation)
    }
    return tuple([names[type(each)][each] if isinstance(each, Correlation) else each for each in leaves])


def _flatten(value: tuple[Any, ...], add: Any) -> None:
    add(len(value))
    for each in value:
        if isinstance(each, tuple):
            _flatten(each, add)
        else:
            add(each)


Value = TypeVar("Value", bound=tuple[Any, ...])


def canonical(value: Value) -> Value:
    """The same value with every correlation renamed as in its shape."""
    found: dict[type, set[Correlation]] = {}
    leaves: list[Any] = []
    _flatten(value, leaves.append)
    for each in leaves:
        if isinstance(each, Correlation):
            found.setdefault(type(each), set()).add(each)
    names = {
        kind: {number: kind(rank) for rank, number in enumerate(sorted(numbers), 1)} for kind, numbers in found.items()
    }
    renamed: Value = _rename(value, names)
    return renamed


def _rename(value: tuple[Any, ...], names: dict[type, dict[Correlation, Any]]) -> Any:
    items = [
        _rename(each, names)
        if isinstance(each, tuple)
        else names[type(each)][each]
        if isinstance(each, Correlation)
        else each
        for each in value
    ]
    return tuple.__new__(type(value), items)
