"""Which nodes of a walk are one state: short keys against a plain account of the same rule, and what is left out."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from harness.models.explorer import Bounds, Walk
from harness.models.pools import renaming
from harness.models.pools.correlations import BirthId, Correlation, DispatchId, JobId, TicketId
from harness.models.pools.fifo.exploring import Node, Stepper, Taken
from harness.models.pools.fifo.sameness import Sameness
from harness.models.pools.fifo.state import ENDED
from harness.models.pools.fifo.walks import WALKS
from harness.models.pools.renaming import Shapes


class Living(NamedTuple):
    """A value with parts in a row, one value that stands alone, and two numbers of kinds that count alike."""

    row: tuple[tuple[Any, ...], ...] = ()
    alone: Any = None
    pair: tuple[Any, ...] = ()


class Witness(NamedTuple):
    """What remembers numbers."""

    said: tuple[Any, ...] = ()


def same(one: Living, other: Living, said: tuple[Any, ...] = (), also: tuple[Any, ...] = ()) -> bool:
    shapes = Shapes()
    return shapes.key((one,), (Witness(said),)) == shapes.key((other,), (Witness(also),))


# -- keys ----------------------------------------------------------------------------------------------------------


def test_key_forgets_names_and_keeps_which_are_equal() -> None:
    """Births are renamed one to one; two places with one number are not two places with two."""
    assert same(Living(((BirthId(3), BirthId(3)),)), Living(((BirthId(8), BirthId(8)),)))
    assert not same(Living(((BirthId(3), BirthId(3)),)), Living(((BirthId(3), BirthId(4)),)))


def test_key_forgets_the_order_of_all_but_jobs() -> None:
    """Which of two births is greater nobody asks; which of two jobs came first decides who is served."""
    assert same(Living(((BirthId(3),), (BirthId(5),))), Living(((BirthId(5),), (BirthId(3),))))
    assert same(Living(((JobId(3),), (JobId(5),))), Living(((JobId(4),), (JobId(9),))))
    assert not same(Living(((JobId(3),), (JobId(5),))), Living(((JobId(5),), (JobId(3),))))


def test_key_keeps_kinds_apart_that_count_alike() -> None:
    """A birth and a dispatch of one number are two numbers, whatever else of their kind has that number."""
    alike = Living(((BirthId(1), TicketId(2)),), None, (BirthId(2), DispatchId(1)))
    assert same(alike, Living(((BirthId(1), TicketId(3)),), None, (BirthId(3), DispatchId(1))))
    assert not same(alike, Living(((BirthId(1), TicketId(2)),), None, (BirthId(1), DispatchId(1))))


def test_key_keeps_plain_values() -> None:
    """Texts, plain numbers and lengths are what they are; a row of two is no row of one beside something."""
    assert not same(Living(alone="idle"), Living(alone="busy"))
    assert not same(Living(alone=1), Living(alone=2))
    assert not same(Living(((1,), (2,))), Living(((1, 2),)))
    assert not same(Living(((1,),), None), Living((), (1,)))


def test_number_that_only_the_witness_has_names_nothing() -> None:
    """All such numbers are alike; one that something living has still matters."""
    living = Living(((BirthId(7),),))
    assert same(living, living, (BirthId(1), BirthId(2)), (BirthId(5), BirthId(5)))
    assert not same(living, living, (BirthId(7),), (BirthId(1),))
    assert not same(living, living, ("birth", BirthId(1)), ("begin", BirthId(1)))


def test_key_has_room_for_many_numbers() -> None:
    """Beyond 255 names a key is longer, and no less exact."""
    many = tuple((BirthId(each),) for each in range(1, 400))
    assert same(Living(many), Living(tuple(reversed(many))))
    assert not same(Living(many), Living((*many[:-1], many[0])))


def test_forgetting_wholes_changes_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is taken apart again gives the key it had."""
    values = [Living(((BirthId(each), JobId(each % 3)),), each) for each in range(20)]
    shapes = Shapes()
    before = [shapes.key((each,)) for each in values]
    monkeypatch.setattr(renaming, "WHOLES_MAX", 2)
    assert [shapes.key((each,)) for each in (*values, *values)] == before * 2


# -- nodes of a walk -----------------------------------------------------------------------------------------------


def plainly(node: Node, sameness: Sameness) -> Any:
    """The rule without memories: every leaf in its place, numbers by their first place, jobs by their order."""
    living, witness = sameness.compared(*node[:4])
    leaves, before = _leaves(living), _leaves(witness)
    jobs = sorted({each for each in leaves if isinstance(each, JobId)})
    names: dict[Any, int] = {(JobId, each): rank for rank, each in enumerate(jobs)}
    for each in leaves:
        if isinstance(each, Correlation):
            names.setdefault((type(each), each), len(names))
    return tuple(
        (type(each), names.get((type(each), each), "gone")) if isinstance(each, Correlation) else (type(each), each)
        for each in (*leaves, "and", *before)
    )


def _leaves(value: Any) -> list[Any]:
    if not isinstance(value, tuple):
        return [value]
    return [type(value), len(value), *(leaf for each in value for leaf in _leaves(each))]


def nodes(name: str, depth: int) -> list[Node]:
    """Every exact node of a walk."""
    walk = WALKS[name]
    stepper = Stepper(walk)

    def successors(node: Node) -> list[tuple[str, Node, Taken]]:
        return [(letter, taken.node, taken) for letter in walk.letters for taken in [stepper.take(node, letter)]]

    search: Walk[Node, str, Taken] = Walk.through(stepper.warm_up()[-1].node, successors, Bounds(depth, 100_000))
    return [taken.node for _, _, taken, _, _ in search.steps(fresh_only=True)]


@pytest.mark.parametrize("name", list(WALKS))
def test_keys_tell_apart_what_the_plain_rule_tells_apart(name: str) -> None:
    """Memories make keys cheap and change nothing: both accounts put the same nodes together."""
    sameness = Sameness(WALKS[name].letters, WALKS[name].definition.roles)
    going = [node for node in nodes(name, 4) if not isinstance(node.state, ENDED)]
    pairs = {(sameness.key(*node), plainly(node, sameness)) for node in going}
    assert len(pairs) == len({key for key, _ in pairs}) == len({plain for _, plain in pairs})
    assert len(pairs) > 200


@pytest.mark.parametrize("name", list(WALKS))
def test_nodes_of_one_key_have_the_same_future(name: str) -> None:
    """Whatever letter comes, they break the same, do the same kinds of things, and are of one key again."""
    walk = WALKS[name]
    stepper, sameness = Stepper(walk), Sameness(walk.letters, walk.definition.roles)
    alike: dict[Any, list[Node]] = {}
    for node in nodes(name, 4):
        alike.setdefault(sameness.key(*node), []).append(node)
    twins = [each for each in alike.values() if len(each) > 1]
    assert len(twins) > 20
    for first, *others in twins:
        for letter in walk.letters:
            expected = _future(stepper.take(first, letter), sameness)
            assert [_future(stepper.take(each, letter), sameness) for each in others] == [expected] * len(others)


def _future(taken: Taken, sameness: Sameness) -> tuple[Any, ...]:
    kinds = tuple(type(each) for each in taken.actions.operations())
    return (taken.acted, taken.node.broken, kinds, sameness.key(*taken.node))


def test_letters_decide_what_is_read_of_the_bench() -> None:
    """An assignment that no letter reports is left out, and so is the one before it that none repeats."""
    walk = WALKS["fifo-pool"]
    node = Stepper(walk).warm_up()[-1].node
    desk = node.bench.desks[0]
    other = node._replace(bench=node.bench._replace(desks=(desk._replace(older=None), node.bench.desks[1])))
    bare = other._replace(bench=node.bench._replace(desks=(desk._replace(latest=None), node.bench.desks[1])))
    for letters, told in ((walk.letters, (False, True)), ((*walk.letters, "repeat a"), (True, True))):
        sameness = Sameness(letters, walk.definition.roles)
        keys = [sameness.key(*each) for each in (node, other, bare)]
        assert (keys[0] != keys[1], keys[0] != keys[2]) == told
    silent = Sameness(("submit", "advance a"), walk.definition.roles)
    assert silent.key(*node) == silent.key(*bare)
