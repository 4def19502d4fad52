"""Small contracts, adoptions and scenarios to test with; every argument that is not given has a plain default."""

from __future__ import annotations

from collections.abc import Mapping

from harness.contract.shapes import EMPTY, Adoption, Binding, Condition, Contract, Row, Template
from harness.expansion.scenario import Scenario


def template(
    template_id: str,
    *,
    collection: str | None = None,
    flag: Mapping[str, tuple[str, ...]] = {},
    row: Mapping[str, tuple[str, ...]] = {},
    bindings: Mapping[str, Binding] = {},
    inputs: Mapping[str, object] = {},
    title: str = "a title",
    given: str | None = "a given",
    then: tuple[str, ...] = ("a clause",),
    holds: str | None = None,
    scope: str | None = None,
    seeds: str | None = None,
    text: str = "A text.",
) -> Template:
    """A template; per-row where a collection is given, general where `holds` is."""
    general = holds is not None
    return Template(
        id=template_id,
        title=title,
        type="general" if general else "scenario",
        expand="per-row" if collection else "once",
        collection=collection,
        when=Condition(flag, row),
        bindings=bindings,
        given=None if general else given,
        steps=() if general else ("{{instance}} moves",),
        then=() if general else then,
        holds=holds,
        scope=scope,
        seeds=seeds,
        diagnostics=("{{instance}}-report-log",),
        text=text,
        inputs=inputs,
    )


def contract(*templates: Template) -> Contract:
    """A contract of these templates."""
    return Contract("tiny-contract", 1, "sha256:" + "0" * 64, "tiny.json", templates)


def adoption(
    *,
    instance: str = "oven",
    answers: Mapping[str, str] = {},
    collections: Mapping[str, tuple[Mapping[str, str], ...]] = {},
    inputs: Mapping[str, Mapping[str, object]] = {},
) -> Adoption:
    """An adoption with these answers and rows."""
    rows = {
        name: tuple(Row(name, index, fields) for index, fields in enumerate(listed))
        for name, listed in collections.items()
    }
    return Adoption(
        contract="tiny-contract",
        version=1,
        instance=instance,
        path="oven.yaml",
        root=".",
        digest="sha256:" + "1" * 64,
        job=EMPTY,  # type: ignore[arg-type]  # no test here reads the job row
        answers=answers,
        collections=rows,
        inputs=inputs,
        rules={},
        pins={},
        sources={},
        document={},
    )


def scenario(
    scenario_id: str = "oven/one-thing[a]",
    *,
    title: str = "one thing",
    given: str | None = "an oven",
    when: tuple[str, ...] = ("it is lit",),
    then: tuple[str, ...] = ("it is warm", "nothing burns"),
    holds: str | None = None,
    scope: str | None = None,
    seeds: tuple[str, ...] = (),
    text: str = "An oven that is lit is warm.",
) -> Scenario:
    """A scenario; general where `holds` is given."""
    instance, _, rest = scenario_id.partition("/")
    name, _, row = rest.partition("[")
    return Scenario(
        id=scenario_id,
        contract="tiny-contract",
        version=1,
        instance=instance,
        template=name,
        collection="ovens" if row else None,
        row=row.removesuffix("]") or None,
        type="scenario" if holds is None else "general",
        title=title,
        given=given if holds is None else None,
        when=when if holds is None else (),
        then=then if holds is None else (),
        holds=holds,
        scope=scope,
        seeds=seeds,
        diagnostics=(f"{instance}-report-log",),
        text=text,
        answers={"heat": "wood"},
    )
