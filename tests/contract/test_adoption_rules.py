"""Cited addresses lead to executable rules."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from harness.contract.rules import citations, field_rule, fraction, job_rules, named_job, rule_kind, rule_value
from tests.contract.adoption_files import adopted, job, put, rows, rule

SOURCES = put("sources", value={"src": "somebody/mill@1a2b:docs/"})
STANDING = {
    "id": "always",
    "work-limit": "stones",
    "eligible-declared-in": "mill.md#bell",
    "requests-job-declared-in": "mill.md#extra",
}


@pytest.mark.parametrize(
    ("collection", "field", "kind"),
    [
        (None, "job-declared-in", "job"),
        ("standing-orders", "requests-job-declared-in", "job"),
        ("interruptions", "interruptions-declared-in", "instruction"),
        ("failures", "trigger-declared-in", "failure"),
        ("cancellations", "trigger-declared-in", "cancellation"),
        ("readmission-events", "readmission-declared-in", "event"),
        ("redelivery-events", "redelivery-declared-in", "event"),
        ("collection-events", "collection-declared-in", "event"),
        ("work-limits", "working-limit-key", "limit"),
        ("work-limits", "waiting-limit-key", "limit"),
        ("work-limits", "place-assignment-declared-in", "place-assignment"),
        ("cancel-return-rules", "cancel-return-declared-in", "cancel-return"),
        ("read-first", "read-first", None),
        ("work-limits", "scope", None),
    ],
)
def test_field_reads_its_kind(collection: str | None, field: str, kind: str | None) -> None:
    """A field reads the kind it is named for, or the one the adoption format gives it."""
    assert rule_kind(collection, field) == kind


def test_rule_value_is_by_kind_and_by_row(tmp_path: Path) -> None:
    """An address may carry several kinds, and a kind a value for each row."""
    adoption = adopted(tmp_path, rule("stones", limit={"by-row": {"stones": 1, "hammers": 2}}, covers="all"))
    assert rule_value(adoption, "mill.md#stones", "limit", "hammers") == 2
    assert rule_value(adoption, "mill.md#stones", "limit", "tongs") is None
    assert rule_value(adoption, "mill.md#stones", "limit") is None
    assert rule_value(adoption, "mill.md#stones", "covers", "anything") == "all"
    assert rule_value(adoption, "mill.md#stones", "order") is None
    assert rule_value(adoption, "mill.md#nowhere", "limit") is None
    assert field_rule(adoption, "work-limits", "stones", "working-limit-key") == 1
    assert field_rule(adoption, "work-limits", "stones", "waiting-limit-key") is None


def test_rule_value_sees_through_short_source_names(tmp_path: Path) -> None:
    """The same place is found under its short and its full spelling, whichever the rule stands under."""
    full = "somebody/mill@1a2b:docs/a.md#stones"
    under_full = adopted(tmp_path, SOURCES, put("rules", full, value={"limit": 5}))
    assert rule_value(under_full, "src:a.md#stones", "limit") == 5
    under_short = adopted(tmp_path, SOURCES, put("rules", "src:a.md#stones", value={"limit": 6}))
    assert rule_value(under_short, full, "limit") == 6
    assert rule_value(under_short, "other:a.md#stones", "limit") is None


def test_job_rules_begin_with_the_main_job(tmp_path: Path) -> None:
    """The main job takes the job row's id and comes first; a rule that only names a job declares none."""
    adoption = adopted(
        tmp_path,
        put("rules", value={"mill.md#extra": {"job": job(id="bake")}, "mill.md#more": {"job": "bake"}}),
        rule("grinding", job=job()),
    )
    declared = job_rules(adoption)
    assert list(declared) == ["grind", "bake"]
    assert declared["bake"][0] == "mill.md#extra"
    assert declared["grind"][1] == job()


def test_job_rules_include_those_by_row(tmp_path: Path) -> None:
    """Jobs that stand under by-row are declared with their own ids; the job row's entry is the main job."""
    by_row = {"by-row": {"always": job(id="bake"), "grind": job()}}
    adoption = adopted(
        tmp_path,
        rule("grinding", job=by_row),
        rows("standing-orders", {**STANDING, "requests-job-declared-in": "mill.md#grinding"}),
    )
    assert list(job_rules(adoption)) == ["grind", "bake"]
    assert named_job(adoption, "mill.md#grinding", "always") == "bake"
    assert named_job(adoption, "mill.md#grinding", "grind") == "grind"


def test_named_job_follows_a_rule_that_names_one(tmp_path: Path) -> None:
    """A citing field asks for the job whose rule stands there, or whose id does."""
    adoption = adopted(tmp_path, rule("extra", job="grind"), rule("more", job=job(id="bake")))
    assert named_job(adoption, "mill.md#extra") == "grind"
    assert named_job(adoption, "mill.md#more") == "bake"
    assert named_job(adoption, "mill.md#grinding") == "grind"
    assert named_job(adoption, "mill.md#other") is None


def test_citations_say_what_is_consulted(tmp_path: Path) -> None:
    """A field that the row's other fields make idle is cited and not consulted."""
    adoption = adopted(tmp_path, put("collections", "work-limits", 0, "order-declared-in", value="mill.md#extra"))
    consulted = {each.field: each.is_consulted for each in citations(adoption) if each.collection == "work-limits"}
    assert consulted == {"covers-declared-in": True, "working-limit-key": True, "order-declared-in": False}
    ordered = adopted(
        tmp_path,
        put("collections", "work-limits", 0, "order-declared-in", value="mill.md#extra"),
        put("collections", "work-limits", 0, "waiting-order", value="game-rule-order"),
    )
    assert all(each.is_consulted for each in citations(ordered))


def test_fraction_is_exact() -> None:
    """Whole numbers and texts become fractions; anything else is refused."""
    assert fraction("3/4") == Fraction(3, 4)
    assert fraction(2) == fraction("2") == 2
    for wrong in (0.5, True, None, "half", "1/0"):
        with pytest.raises(ValueError, match=r"(?i)fraction"):
            fraction(wrong)
