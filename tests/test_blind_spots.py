"""The table of blind spots: recomputed where it is quick, and held against runs that hide logs."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache

import pytest

from harness import blind_spots, workspace
from harness.base.verdict import Verdict
from harness.blind_spots import Sight, hitting_sets, keep, look, smallest
from harness.blind_spots_replays import OPTIONAL, Logs, Replay, Replays, Way, Witness
from harness.kits.jobs_bound import blind_spots_path
from harness.models.inversions.registry import Inversion, inversion_named, inversions
from harness.run.recording import FIXED_LOGS
from harness.verdict.blindness import GREEN, OWED
from tests.run_builders import ROOT

FIXED: Logs = frozenset(FIXED_LOGS) - {OWED}
#: What drivers may show: nothing but reports, the fixed logs, all but one of these, and all but some others.
SHOWN = (
    frozenset[str](),
    FIXED,
    *(OPTIONAL - {each} for each in sorted(FIXED)),
    OPTIONAL - {"work-before-after"},
    OPTIONAL - {"stop-causes", "pool-offer-log"},
)


@cache
def table() -> dict[tuple[str, int], Sight]:
    """The shipped table."""
    document = json.loads(workspace.read_text(blind_spots_path()))
    return {
        (each["template"], each["index"]): Sight(
            *(
                {frozenset(one["logs"]): Witness(one["scenario"], one["inversion"]) for one in each[family]}
                for family in ("seen-with", "unseen-without")
            )
        )
        for each in document["clauses"]
    }


@cache
def replays(name: str) -> Replays:
    """A shipped adoption with its sound runs."""
    return Replays(str(ROOT / "adoptions" / name / f"{name}.adoption.yaml"))


def hold_against_table(name: str, chosen: tuple[Inversion, ...]) -> int:
    """Judge what these inversions violate with logs hidden; how often the table was asked."""
    asked = 0
    for inversion in chosen:
        for replay in replays(name).under(inversion):
            for index in replay.kills():
                sight = table().get((replay.template, index), Sight())
                for visible in SHOWN:
                    verdict, where = replay.verdict(index, visible), (replay.witness, index, sorted(visible))
                    if verdict is Verdict.VIOLATED:
                        assert any(each <= visible for each in sight.seen_with), where
                    if verdict in GREEN:
                        assert any(each.isdisjoint(visible) for each in sight.unseen_without), where
                    asked += 1
    return asked


@pytest.mark.parametrize(("name", "every"), [("street-mural", 6), ("bakery-oven", 45)])
def test_table_knows_what_is_seen_and_what_is_not(name: str, every: int) -> None:
    """A breach that is seen with some logs is in the table, and so is one that turns green without some."""
    assert hold_against_table(name, inversions()[::every]) > 20


@pytest.mark.deep
@pytest.mark.parametrize("path", blind_spots.shipped_paths(), ids=lambda each: each.split("/")[-2])
def test_table_knows_it_of_every_inversion(path: str) -> None:
    """The same for all inversions under every shipped adoption."""
    assert hold_against_table(path.split("/")[-2], inversions()) > 0


def test_breaches_that_differ_without_a_log_are_two_ways() -> None:
    """Told in the same words, and only one is still seen where the states are taken from the reports."""
    (sound,) = (each for each in replays("bakery-oven").sound if each.scenario.template == "stopped-job-holds-claim")
    reported, silent = (
        replays("bakery-oven").replay(sound, name).way(2)
        for name in ("interruption-is-reported-as-failure", "interruption-is-silent")
    )
    assert reported._replace(without=()) == silent._replace(without=())
    assert silent.spared == {"state-trace"}
    assert reported.without[0] is Verdict.VIOLATED
    assert silent.without[0] in GREEN


def test_entries_are_as_small_as_they_can_be() -> None:
    """The run that shows an entry shows it with these logs, and not with one of them less: a sample of the table."""
    checked = 0
    for (template, index), sight in sorted(table().items())[::2]:
        for logs, witness in sight.seen_with.items():
            replay = witnessed(witness, template)
            if replay is not None:
                assert replay.verdict(index, logs) is Verdict.VIOLATED
                assert all(replay.verdict(index, logs - {each}) is not Verdict.VIOLATED for each in logs)
                checked += 1
        for logs, witness in sight.unseen_without.items():
            replay = witnessed(witness, template)
            if replay is not None:
                assert replay.verdict(index, OPTIONAL) is Verdict.VIOLATED
                assert replay.verdict(index, OPTIONAL - logs) in GREEN
                checked += 1
    assert checked > 10


def witnessed(witness: Witness, template: str) -> Replay | None:
    """The run of an entry, where it is one of the two adoptions that are quick to run."""
    name = witness.scenario.partition("/")[0]
    if name not in ("street-mural", "bakery-oven") or inversion_named(witness.inversion) is None:
        return None
    (sound,) = (each for each in replays(name).sound if each.scenario.id == witness.scenario)
    assert sound.scenario.template == template
    return replays(name).replay(sound, witness.inversion)


@pytest.mark.deep
def test_shipped_table_is_what_is_recomputed() -> None:
    """Every byte of it."""
    assert workspace.read_text(blind_spots_path()) == blind_spots.whole_table(workers=2)


# -- the smallest sets -------------------------------------------------------------------------------------------------


def of(letters: str) -> Logs:
    return frozenset(letters)


def test_hitting_sets_are_the_smallest_ones() -> None:
    """Each has a log of every set; nothing has a log of an empty one; without sets, nothing is needed."""
    assert hitting_sets([of("ab"), of("bc")]) == (of("b"), of("ac"))
    assert hitting_sets([of("ab"), of("")]) == ()
    assert hitting_sets([]) == (of(""),)


def test_family_keeps_the_smallest_sets() -> None:
    """What has a kept set as a part is left out, or goes when the part comes."""
    family: dict[Logs, Witness] = {}
    for letters in ("abc", "ab", "abd", "c", "b"):
        keep(family, of(letters), Witness(letters, "x"))
    assert family == {of("c"): Witness("c", "x"), of("b"): Witness("b", "x")}


def test_smallest_part_lacks_nothing() -> None:
    """Logs are left out as long as what was to hold does."""
    assert smallest(of("abcd"), lambda each: each >= of("bd")) == of("bd")


class Told(Replay):
    """A replay whose verdicts are given."""

    def __init__(self, told: Callable[[Logs], Verdict]) -> None:
        self._told = told
        self.with_rows = OPTIONAL
        self.witness = Witness("made-up/walk", "made-up")

    def verdict(self, index: int, visible: Logs) -> Verdict:
        """The verdict that is given for these logs."""
        return self._told(visible)


def test_what_only_fewer_logs_show_is_kept() -> None:
    """A judgment that takes the reports for the state trace may see with them alone what it does not see with more."""

    def told(visible: Logs) -> Verdict:
        return Verdict.VIOLATED if "stop-causes" in visible or not visible else Verdict.BLIND

    sight = Sight({of_logs("stop-causes"): Witness("made-up/walk", "known-before")})
    look(Told(told), 0, Way(of_logs("stop-causes", "state-trace"), of_logs("state-trace"), None, None, ()), sight)
    assert set(sight.seen_with) == {of_logs()}
    assert not sight.unseen_without


def of_logs(*logs: str) -> Logs:
    return frozenset(logs)
