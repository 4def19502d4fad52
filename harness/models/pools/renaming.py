"""Two states are one up to the names of fresh correlations: the flat shape that all of them share.

Numbers of each kind are renamed to 1, 2, 3 and so on in their order. Order is kept, since an ordinal is compared, and
so is what an allocator gives next, since that is renamed along.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any, NamedTuple, TypeVar

from harness.models.pools.correlations import Correlation, JobId, Ordinal


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


# -- many values of one kind ---------------------------------------------------------------------------------------

ORDERED: tuple[type[Correlation], ...] = (JobId, Ordinal)
"""Numbers whose order is compared: who was admitted first is served first. All others are only equal or not."""

WHOLES_MAX = 20_000
"""How many values of a type are remembered whole; beyond that they are forgotten and taken apart again."""

_GONE = 0
_BYTE = 256


class _Part(NamedTuple):
    """A value taken apart: the number of its skeleton, its correlations as (kind, number), and those with an order."""

    skeleton: int
    numbers: tuple[tuple[str, int], ...]
    ordered: tuple[tuple[str, int], ...]


class Shapes:
    """Short keys of values: two values have the same key where they are the same up to the names of correlations.

    `key(living, witness)` takes NamedTuples. The numbers in `living` are renamed one to one: those of `ordered` kinds
    by their order, all others by where they are first met, since nobody asks which of two is greater. What an
    allocator gives next is such a number too, as all that was issued is smaller; allocators that run out or clash
    need `shape`, which keeps order everywhere.

    `witness` only remembers numbers to say them again. One of its numbers that `living` does not have names nothing
    any more, and never will again: any fact with it is answered as one about nothing. So all of them are one name.

    Every value is taken apart once and then known by what it equals. A place in a value always has numbers of the
    same kind; each place has a memory of its own, so that two numbers that only count alike are never taken for one.
    """

    def __init__(self, ordered: tuple[type[Correlation], ...] = ORDERED) -> None:
        self._ordered = frozenset(each.word for each in ordered)
        self._wholes: dict[type, dict[Any, _Part]] = {}
        self._places: dict[tuple[Any, ...], dict[Any, _Part]] = {}
        self._skeletons: dict[tuple[Any, ...], int] = {}

    def key(self, living: Iterable[tuple[Any, ...]], witness: Iterable[tuple[Any, ...]] = ()) -> bytes:
        """The key of one value, made of those two."""
        skeletons: list[int] = []
        numbers: list[tuple[str, int]] = []
        ordered: list[tuple[str, int]] = []
        for value in living:
            part = self._apart(value)
            skeletons.append(part.skeleton)
            numbers += part.numbers
            ordered += part.ordered
        names: dict[tuple[str, int], int] = {}
        for each in sorted(ordered):
            names.setdefault(each, len(names) + 1)
        renamed = [names.setdefault(each, len(names) + 1) for each in numbers]
        for value in witness:
            part = self._apart(value)
            skeletons.append(part.skeleton)
            renamed += [names.get(each, _GONE) for each in part.numbers]
        short = "B" if len(names) < _BYTE else "I"
        return array("I", skeletons).tobytes() + array(short, renamed).tobytes()

    def _apart(self, value: tuple[Any, ...]) -> _Part:
        wholes = self._wholes.setdefault(type(value), {})
        known = wholes.get(value)
        if known is None:
            if len(wholes) >= WHOLES_MAX:
                wholes.clear()
            known = wholes[value] = self._join(value)
        return known

    def _join(self, value: tuple[Any, ...]) -> _Part:
        """A whole of its parts; `bones` begin with its type and say of each field whether it is one part or many."""
        kind = type(value)
        bones: list[Any] = [kind]
        numbers: list[tuple[str, int]] = []
        for field, each in enumerate(value):
            many = isinstance(each, tuple)
            bones.append(len(each) if many else None)
            for item, part in enumerate(each if many else (each,)):
                found = self._part((kind, field, many, item), part)
                bones.append(found.skeleton)
                numbers += found.numbers
        return self._made(bones, numbers)

    def _part(self, place: tuple[Any, ...], value: Any) -> _Part:
        parts = self._places.setdefault(place, {})
        known = parts.get(value)
        if known is None:
            leaves: list[Any] = []
            _flatten((value,), leaves.append)
            numbers = [(each.word, int(each)) for each in leaves if isinstance(each, Correlation)]
            bones = [each.word if isinstance(each, Correlation) else (type(each), each) for each in leaves]
            known = parts[value] = self._made(bones, numbers)
        return known

    def _made(self, bones: list[Any], numbers: list[tuple[str, int]]) -> _Part:
        skeleton = self._skeletons.setdefault(tuple(bones), len(self._skeletons))
        return _Part(skeleton, tuple(numbers), tuple([each for each in numbers if each[0] in self._ordered]))
