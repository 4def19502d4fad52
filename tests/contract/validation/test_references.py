"""Kind 3: ids, rules and addresses that don't lead where they should."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.base.finding import Severity
from harness.contract.addresses import passage_digest
from tests.contract.adoption_files import Edit, answers, drop, ids, job, only, put, rows, rule, text_at, validation

ORDER = {
    "id": "always",
    "work-limit": "stones",
    "eligible-declared-in": "mill.md#bell",
    "requests-job-declared-in": "mill.md#extra",
}
BELL = rule("bell", eligible="bell")
BAKE = rule("extra", job=job(id="bake"))
DEPENDENTS = [
    rows("dependent-cancellations", {"id": "all", "cancellation": "farmer-leaves", "link-declared-in": "mill.md#bell"}),
    answers(cancel_dependents="end-dependents"),
    BAKE,
]
STANDING = [rows("standing-orders", ORDER), BELL, BAKE]
WRONG_CANCELLATION = put("collections", "dependent-cancellations", 0, "cancellation", value="x")
CASE = rows("delivery-cases", {"id": "full", "condition-declared-in": "mill.md#bell"})
CORN = {"item": "corn", "amount": 1, "source": "sack"}
POOL = {
    "id": "hammers",
    "covers-declared-in": "mill.md#more",
    "working-limit-key": "mill.md#stones",
    "scope": "shared",
    "waiting-order": "request-order",
}


def pools(first: Any, second: Any) -> list[Edit]:
    """Two pools with these coverage rules, the mill's own first."""

    def second_row(adoption: dict[str, Any]) -> None:
        adoption["collections"]["work-limits"].append(dict(POOL))

    return [second_row, rule("who", covers=first), rule("more", covers=second)]


def link(*needs: tuple[str, list[str]]) -> list[Edit]:
    return [*DEPENDENTS, rule("bell", link=[{"job": name, "needs": needed} for name, needed in needs])]


def failure(value: Any, result: str = "partial-inputs-or-work") -> list[Edit]:
    row = {"id": "mouse", "from-state": "working", "trigger-declared-in": "mill.md#bell", "result": result}
    return [rows("failures", row), rule("bell", failure=value)]


def cancel_rules(*named: list[str] | None) -> list[Edit]:
    """Return rules with these `for` lists, None for one without."""
    places = ("bell", "extra", "more")[: len(named)]
    values = [{"fraction": "1/2", "round": "down", **({} if each is None else {"for": each})} for each in named]
    return [
        answers(cancel_return="return-by-rule"),
        rows(
            "cancel-return-rules", *({"id": f"r-{at}", "cancel-return-declared-in": f"mill.md#{at}"} for at in places)
        ),
        *(rule(at, cancel_return=value) for at, value in zip(places, values, strict=True)),
    ]


@pytest.mark.parametrize(
    ("edits", "rule_id", "at"),
    [
        ([rows("standing-orders", {**ORDER, "work-limit": "stone"}), BELL, BAKE], "unknown-work-limit", '"stone"'),
        ([*link(("bake", ["grind"])), WRONG_CANCELLATION], "unknown-cancellation", '"x"'),
        ([rule("who", covers=["grnd"])], "unknown-job", '"grnd"'),
        ([rule("extra", job="grnd")], "unknown-job", '"grnd"'),
        ([rule("grinding", job="grind")], "unknown-job", '"grind"'),
        (link(("bake", ["grnd"])), "unknown-job", '"grnd"'),
        (link(("bake", ["grind"]), ("grind", ["bake"])), "link-cycle", '"bake"'),
        (link(("bake", ["bake"])), "link-cycle", '"bake"'),
        (cancel_rules(["farmer-leave"], None), "unknown-cancellation", '"farmer-leave"'),
        ([rule("grinding", job=job(phase="sieving"))], "unknown-phase", '"sieving"'),
        ([rule("extra", job=job())], "job-id-missing", "{"),
        ([rule("grinding", job=job(id="mill"))], "job-id-differs", '"grind"'),
        ([rule("grinding", job="bake"), BAKE], "job-id-differs", '"grind"'),
        ([rule("extra", job=job(id="grind"))], "duplicate-job-id", '"grind"'),
        ([*STANDING, rule("who", covers=["grind"])], "standing-order-not-covered", '"mill.md#extra"'),
        ([drop("rules", "mill.md#stones")], "missing-rule", '"mill.md#stones"'),
        ([rule("stones", limit={"by-row": {"stone": 1}})], "unknown-row", '"stone"'),
        ([rule("wind", event="wind")], "wrong-rule-kind", '"mill.md#wind"'),
        ([CASE, rule("bell", condition={"destination": "shute", "room": "short"})], "unknown-destination", '"shute"'),
        ([rule("grinding", job=job(inputs=[CORN, CORN]))], "item-twice", '"corn"'),
        ([rule("grinding", job=job(destination=None))], "job-place", "{"),
        ([rule("grinding", job=job(site="yard"))], "job-place", '"site"'),
        ([answers(job_inputs="no-inputs")], "inputs-not-asked-for", '"inputs"'),
        ([rule("grinding", job=job(inputs=None))], "inputs-missing", "{"),
        ([rule("extra", job=job(id="bake", destination={"name": "chute", "capacity": 9}))], "capacity-differs", "9"),
        (failure({"loses": "all"}), "ruined-only", '"all"'),
        (failure({"releases": [{"item": "corn", "amount": 1}]}), "ruined-only", "["),
        (failure({"loses": [{"item": "cron", "amount": 1}]}), "unknown-item", '"cron"'),
        (failure({"loses-work-share": "3/2"}), "value-out-of-range", '"3/2"'),
        ([rule("time", duration={"work": 1, "per-tick": "0/4"})], "value-out-of-range", '"0/4"'),
        (cancel_rules(["farmer-leaves"], None, None), "row-never-chosen", '"r-extra"'),
        (pools("all", ["grind"]), "row-never-chosen", '"hammers"'),
        (pools(["grind"], ["grind"]), "row-never-chosen", '"hammers"'),
        ([rule("bell", order=[])], "out-of-range", "["),
        ([answers(output_full="never-full")], "never-full-finite", "2"),
        ([rule("extra", limit=1)], "unused-rule", '"limit"'),
    ],
)  # fmt: skip
def test_reference_finding_stands_at_what_is_wrong(tmp_path: Path, edits: list[Edit], rule_id: str, at: str) -> None:
    """Each wrong reference is found, and placed at the value or key that is wrong."""
    found = validation(tmp_path, *edits)
    finding = next(each for each in found.findings if each.rule == rule_id)
    assert text_at(found.path, finding).startswith(at)


@pytest.mark.parametrize(
    "edits",
    [
        STANDING,
        [rows("standing-orders", ORDER), BELL, rule("extra", job="grind"), rule("who", covers=["grind"])],
        link(("bake", ["grind"])),
        cancel_rules(["farmer-leaves"]),
        [*pools(["grind"], "all"), BAKE],
        [*pools(["grind"], ["bake"]), BAKE],
        pools({"kind": "corn"}, "all"),
        failure({"loses": [{"item": "corn", "amount": 1}], "loses-work": 2}),
        failure({"loses": "all", "releases": [{"item": "corn", "amount": 1}]}, "job-ruined"),
        [rule("stones", limit={"by-row": {"stones": 2}})],
        [rule("time", duration={"work": "size", "per-tick": "speed"})],
        [rule("extra", job=job(id="bake"))],
        [rule("grinding", job="grind"), rule("extra", job=job(id="grind"))],
        [rows("read-first", {"id": "note", "read-first": "mill.md#other"})],
        [
            CASE,
            rule("bell", condition={"destination": "chute-a", "room": "enough"}),
            rule("grinding", job=job(destination={"name": "chute-{place}", "capacity": 1})),
        ],
    ],
)
def test_good_references_give_no_finding(tmp_path: Path, edits: list[Edit]) -> None:
    """What is declared and cited properly is not remarked upon."""
    assert ids(validation(tmp_path, *edits)) == []


def test_places_of_a_pool_are_cited_and_read(tmp_path: Path) -> None:
    """Under each-place both place rules are consulted; under shared they are idle, and said to be so."""
    place = {"places-declared-in": "mill.md#bell", "place-assignment-declared-in": "mill.md#bell"}

    def with_places(adoption: dict[str, Any]) -> None:
        adoption["collections"]["work-limits"][0].update(place)

    values = rule("bell", places=["left", "right"], place_assignment="requested")
    each_place = put("collections", "work-limits", 0, "scope", value="each-place")
    assert ids(validation(tmp_path, with_places, each_place, values)) == []
    assert ids(validation(tmp_path, with_places, values)) == ["field-not-read"] * 2 + ["unused-rule"] * 2


def test_job_needs_a_rounding_rule_of_its_own(tmp_path: Path) -> None:
    """Under with-progress a job that no rounding rule is for is an error at that job."""
    found = validation(
        tmp_path,
        answers(input_claim_timing="with-progress"),
        rows("progress-rounding-rules", {"id": "up", "progress-rounding-declared-in": "mill.md#bell"}),
        rule("bell", progress_rounding={"round": "up", "for": ["grind"]}),
        BAKE,
    )
    finding = only(found)
    assert (finding.rule, finding.pointer) == ("no-row-matches", "/rules/mill.md#extra/job")
    assert '"bake"' in finding.message


def test_cancellation_needs_a_return_rule_of_its_own(tmp_path: Path) -> None:
    """Under return-by-rule a cancellation that no rule is for is an error at its row."""

    def second(adoption: dict[str, Any]) -> None:
        adoption["collections"]["cancellations"].append({"id": "fire", "trigger-declared-in": "mill.md#leaving"})

    found = validation(tmp_path, *cancel_rules(["farmer-leaves"]), second)
    assert only(found).rule == "no-row-matches"
    assert text_at(found.path, only(found)).startswith('"fire"')


def test_fallbacks_behind_an_unlimited_destination_are_never_tried(tmp_path: Path) -> None:
    """The route ends where nothing is ever refused."""
    found = validation(
        tmp_path,
        answers(output_full="try-destinations"),
        rows(
            "output-destinations",
            {"id": "yard", "destination-declared-in": "mill.md#bell"},
            {"id": "barn", "destination-declared-in": "mill.md#extra"},
        ),
        rule("bell", destination={"name": "yard", "capacity": "unlimited"}),
        rule("extra", destination={"name": "barn", "capacity": 3}),
    )
    assert only(found).rule == "row-never-chosen"
    assert '"barn"' in only(found).message


def test_standing_order_may_name_a_pool_too_late(tmp_path: Path) -> None:
    """A request belongs to the first pool that covers it, whichever pool the order names."""
    order = rows("standing-orders", {**ORDER, "work-limit": "hammers", "requests-job-declared-in": "mill.md#grinding"})
    found = validation(tmp_path, *pools(["grind"], ["grind", "bake"]), order, BELL, BAKE)
    assert ids(found) == ["standing-order-elsewhere"]


def test_pins_are_compared_with_their_passages(tmp_path: Path) -> None:
    """A pin that fits says nothing; one that doesn't is an error that tells the digest to pin."""
    digest = passage_digest("## stones\n\nAbout stones.\n")
    assert ids(validation(tmp_path, put("pins", value={"mill.md#stones": digest}))) == []
    finding = only(validation(tmp_path, put("pins", value={"mill.md#stones": "sha256:" + "0" * 64})))
    assert (finding.rule, finding.severity) == ("stale-pin", Severity.ERROR)
    assert digest in str(finding.hint)


def test_external_addresses_are_notes(tmp_path: Path) -> None:
    """Each external address is noted once, under a short source name too, and its pin can't be compared."""
    found = validation(
        tmp_path,
        put("sources", value={"src": "some/body@1a2b:docs/"}),
        put("collections", "interruptions", 0, "interruptions-declared-in", value="src:mill.md#wind"),
        put("rules", "some/body@1a2b:docs/mill.md#wind", value={"instruction": "no-wind"}),
        drop("rules", "mill.md#wind"),
        put("pins", value={"src:mill.md#wind": "sha256:" + "0" * 64}),
    )
    assert [(each.rule, each.severity) for each in found.findings] == [
        ("external-address", Severity.NOTE),
        ("unused-pin", Severity.NOTE),
    ]


def test_address_errors_stand_where_the_address_is_cited(tmp_path: Path) -> None:
    """An address that leads nowhere, or out of the folder, is an error at the citing field."""
    found = validation(
        tmp_path,
        put("collections", "work-phases", 0, "duration-declared-in", value="mill.md#tiem"),
        put("rules", "mill.md#tiem", value={"duration": {"work": 1}}),
        put("job", "job-declared-in", value="../mill.md"),
        put("rules", "../mill.md", value={"job": job()}),
        drop("rules", "mill.md#time"),
        drop("rules", "mill.md#grinding"),
    )
    assert [(each.rule, each.pointer, each.hint) for each in found.findings] == [
        ("address-leaves-root", "/job/job-declared-in", "cite files below the adoption's folder"),
        ("unresolved-address", "/collections/work-phases/0/duration-declared-in", 'did you mean "time"?'),
    ]


def test_circles_are_found_over_all_link_rules(tmp_path: Path) -> None:
    """Two rules that are straight on their own can make a circle together; it is reported once."""
    both = rows(
        "dependent-cancellations",
        {"id": "a", "cancellation": "farmer-leaves", "link-declared-in": "mill.md#bell"},
        {"id": "b", "cancellation": "farmer-leaves", "link-declared-in": "mill.md#more"},
    )
    found = validation(
        tmp_path,
        *link(("bake", ["grind"])),
        both,
        rule("more", link=[{"job": "grind", "needs": ["bake"]}]),
    )
    assert only(found).rule == "link-cycle"
    assert only(found).message.endswith("bake needs grind needs bake")


@pytest.mark.parametrize("edit", [drop("job", "id"), put("job", "id", value="grind it"), drop("job")])
def test_job_row_that_is_broken_is_said_once(tmp_path: Path, edit: Edit) -> None:
    """Without the main job's id no job rule is blamed for having none."""
    only(validation(tmp_path, edit))
