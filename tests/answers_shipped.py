"""The shipped adoptions and the studies of their answers, each made once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from harness.answers import study_answers, study_document
from harness.contract.shapes import Adoption
from harness.contract.validation import Validation
from harness.intake import validate_files
from harness.workspace import data_folder
from tests.run_builders import JOB_ADOPTIONS

SHIPPED = tuple(each.parent.name for each in JOB_ADOPTIONS)
BAKERY, MURAL = "bakery-oven", "street-mural"


def path_of(name: str) -> Path:
    """The file of a shipped adoption."""
    return data_folder("adoptions") / name / f"{name}.adoption.yaml"


@cache
def intake(name: str) -> Validation:
    """A shipped adoption, validated."""
    return validate_files([str(path_of(name))])[0]


def adoption(name: str) -> Adoption:
    """A shipped adoption, which has to be readable."""
    found = intake(name).adoption
    assert found is not None
    return found


@cache
def document(name: str) -> dict[str, Any]:
    """The whole study of a shipped adoption, in its outside form."""
    return study_document(intake(name), study_answers(intake(name)))


def others(name: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Every question of a study with each of its other answers."""
    for question in document(name)["questions"]:
        for other in question["others"]:
            yield question, other


def other(name: str, flag: str, answer: str) -> dict[str, Any]:
    """What the study says about one other answer."""
    return next(each for question, each in others(name) if (question["flag"], each["answer"]) == (flag, answer))
