"""The shipped adoptions and the studies of their answers, each made once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from harness.answers import Case, Question, cases, study_answers, study_document
from harness.contract.shapes import Adoption
from harness.contract.validation import Validation
from harness.intake import validate_files
from harness.workspace import data_folder
from tests.run_builders import JOB_ADOPTIONS

SHIPPED = tuple(each.parent.name for each in JOB_ADOPTIONS)
BAKERY, MURAL = "bakery-oven", "street-mural"

#: The questions that the default run studies, where it does not study all of an adoption's.
SOME = {BAKERY: ("job-inputs", "output-full", "partial-work")}


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
def cases_of(name: str) -> tuple[Case, ...]:
    """Every other answer to every question of a shipped adoption."""
    return tuple(cases(intake(name)))


_studies: dict[tuple[str, tuple[str, ...]], tuple[Question, ...]] = {}


def studied(
    validated: Validation, flags: Sequence[str] = (), tell: Callable[[str, str], None] | None = None
) -> tuple[Question, ...]:
    """`study_answers`, each study of the same text made once."""
    assert validated.adoption is not None
    key = (validated.adoption.digest, tuple(flags))
    if key not in _studies:
        _studies[key] = study_answers(validated, flags, tell)
    return _studies[key]


@cache
def document(name: str, whole: bool = False) -> dict[str, Any]:
    """The study of a shipped adoption, or of some of its questions, in its outside form."""
    return study_document(intake(name), studied(intake(name), () if whole else SOME.get(name, ())))


def others(name: str, whole: bool = False) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Every question of a study with each of its other answers."""
    for question in document(name, whole)["questions"]:
        for other in question["others"]:
            yield question, other


def other(name: str, flag: str, answer: str) -> dict[str, Any]:
    """What the study says about one other answer."""
    return next(each for question, each in others(name) if (question["flag"], each["answer"]) == (flag, answer))
