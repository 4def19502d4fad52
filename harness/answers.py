"""What every other answer to every question would change: scenarios, verdicts, and a run that tells the two apart.

The questions are those that are asked of the adoption, then those that some other answer would make be asked. Each is
looked at where it is first asked: in the adoption as it stands, or in the variant that asks it, completed by the
plainest answers and rows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

from harness.answers_explained import explanation
from harness.answers_search import Found, Pair, Run, find_parting, in_any_log, in_reports, part_along
from harness.answers_variants import make_variant, variant_errors
from harness.contract.questions import FLAGS, asked, effective_answers
from harness.contract.schemas import adoption_schema
from harness.contract.shapes import Adoption, Contract
from harness.contract.validation import Validation
from harness.expansion.selection import Selection
from harness.kits.jobs_bound import jobs_of
from harness.models.lifecycle.events import event_from_json, event_to_json
from harness.run.facts import Facts
from harness.run.plan import Plan
from harness.run.planning import world_from_json, world_to_json
from harness.runner import AdoptionRunner
from harness.verdict.judging import Judged

Key = tuple[str, str | None]
"""A scenario without its instance: the template and the row."""

AUTOMATIC = "automatic"


class Change(NamedTuple):
    """A clause whose verdict is another one under the other answer."""

    scenario: str
    clause: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Other:
    """One other answer and what it changes; `impossible` says why it cannot be given here.

    `notes` are the changes besides the answer. Scenarios are named as in `harness expand`. `found` is the shortest run
    after which any log differs, `reported` the shortest known one after which the reports differ.
    """

    answer: str
    impossible: str | None = None
    notes: tuple[str, ...] = ()
    appear: tuple[str, ...] = ()
    disappear: tuple[str, ...] = ()
    reworded: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    found: Found | None = None
    reported: Found | None = None
    explained: str | None = None

    @property
    def is_dead(self) -> bool:
        """Whether no run was found that tells this answer from the one that is given."""
        return self.found is not None and self.found.parting is None


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answer; `under` are the other answers that make it be asked, none where it is asked now."""

    flag: str
    answer: str
    under: tuple[tuple[str, str], ...]
    others: tuple[Other, ...]


class Standing:
    """An adoption that other answers are held against, with its verdicts and its runs.

    `under` are the other answers that lead to it from the adoption as it stands.
    """

    def __init__(self, adoption: Adoption, contract: Contract, under: tuple[tuple[str, str], ...] = ()) -> None:
        self.adoption = adoption
        self.contract = contract
        self.under = under
        self.runner = AdoptionRunner(Validation(adoption.path, adoption, (), contract))

    @property
    def facts(self) -> Facts:
        """The adoption as a configured model."""
        return jobs_of(self.runner.bound).facts

    @cached_property
    def judged(self) -> Mapping[Key, Judged]:
        """Every scenario that applies, judged."""
        return {(each.template, each.row): self.runner.judge(each) for each in self.runner.scenarios(Selection())}

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """Every run of every plan, each once."""
        return runs_of(each.plan for each in self.judged.values())

    def asked(self) -> tuple[str, ...]:
        """The flags whose question is asked."""
        return tuple(flag for flag in FLAGS if asked(self.adoption, flag))

    def given(self, flag: str) -> str:
        """The answer to an asked question; a delivery trigger that is left open means automatic."""
        return effective_answers(self.adoption).get(flag, AUTOMATIC)


def runs_of(plans: Iterable[Plan]) -> tuple[Run, ...]:
    """The worlds and events of some plans, each once, in order."""
    found = {
        (world_from_json(dict(each.world)), tuple(event_from_json(dict(event)) for event in each.events)): None
        for plan in plans
        for each in plan.worlds
    }
    return tuple(found)


class Case(NamedTuple):
    """One other answer: the adoption it is held against, and the one that gives it, or why it cannot be given."""

    here: Standing
    flag: str
    answer: str
    there: Standing | None
    notes: tuple[str, ...]
    impossible: str | None


def cases(intake: Validation) -> Iterator[Case]:
    """Every other answer to every question, question by question.

    First the questions that are asked; then those that one of these answers makes be asked, and so on, each where it
    is met first. `intake` must be runnable.
    """
    if intake.adoption is None or intake.contract is None:
        raise ValueError(f"{intake.path} cannot be used")
    pending = deque([Standing(intake.adoption, intake.contract)])
    seen: set[str] = set()
    while pending:
        here = pending.popleft()
        new = [flag for flag in here.asked() if flag not in seen]
        seen.update(new)
        for flag in new:
            for answer in answers_to(here.contract, flag):
                if answer != here.given(flag):
                    case = _case(here, flag, answer)
                    if case.there is not None:
                        pending.append(case.there)
                    yield case


def _case(here: Standing, flag: str, answer: str) -> Case:
    if flag == "output-full" and here.adoption.job.get("output") == "in-place":
        return Case(here, flag, answer, None, (), "an in-place job has no destination that could be full")
    variant = make_variant(here.adoption, flag, answer)
    errors = variant_errors(here.adoption, variant, here.contract)
    if errors:
        return Case(here, flag, answer, None, variant.notes, f"it cannot be completed: {errors[0]}")
    there = Standing(variant.adoption, here.contract, (*here.under, (flag, answer)))
    return Case(here, flag, answer, there, variant.notes, None)


def answers_to(contract: Contract, flag: str) -> tuple[str, ...]:
    """The answers that the contract's adoption schema lists for a flag, in its order."""
    listed: Any = adoption_schema(contract)["properties"]["answers"]["properties"][flag]["enum"]
    return tuple(listed)


def study_answers(
    intake: Validation, flags: Sequence[str] = (), tell: Callable[[str, str], None] | None = None
) -> tuple[Question, ...]:
    """Every question with what its other answers change; only those of `flags` where some are named.

    `intake` must be runnable. `tell` is told the flag and the answer before each is worked out.
    """
    questions: list[Question] = []
    for flag, same in groupby(cases(intake), key=lambda case: case.flag):
        if flags and flag not in flags:
            deque(same, maxlen=0)
            continue
        others = []
        for case in same:
            if tell is not None:
                tell(flag, case.answer)
            others.append(_compare(case))
        questions.append(Question(flag, case.here.given(flag), case.here.under, tuple(others)))
    return tuple(questions)


# -- one other answer -----------------------------------------------------------------------------------------------


def _compare(case: Case) -> Other:
    here, there = case.here, case.there
    if there is None:
        return Other(case.answer, impossible=case.impossible, notes=case.notes)
    before, after = here.judged, there.judged
    pair = Pair(here.facts, there.facts)
    runs = tuple(dict.fromkeys((*here.runs, *there.runs)))
    found = find_parting(pair, runs, in_any_log)
    reported = part_along(pair, runs, in_reports)
    if found.parting is not None and in_reports(found.parting.difference):
        reported = found.parting
    dead = found.parting is None
    return Other(
        answer=case.answer,
        notes=case.notes,
        appear=tuple(after[key].scenario.id for key in after if key not in before),
        disappear=tuple(before[key].scenario.id for key in before if key not in after),
        reworded=tuple(_reworded(before, after)),
        changes=tuple(_changes(before, after)),
        found=found,
        reported=Found(reported, found.searched),
        explained=explanation(case.flag, here.facts, there.facts) if dead else None,
    )


def _reworded(before: Mapping[Key, Judged], after: Mapping[Key, Judged]) -> Iterator[str]:
    """The scenarios of both whose sentences are not the same."""
    for key, judged in before.items():
        old, new = judged.scenario, after[key].scenario if key in after else None
        if new is not None and (old.given, old.when, old.clauses) != (new.given, new.when, new.clauses):
            yield old.id


def _changes(before: Mapping[Key, Judged], after: Mapping[Key, Judged]) -> Iterator[Change]:
    """The clauses of the scenarios of both whose verdict is not the same."""
    for key, judged in before.items():
        for old, new in zip(judged.clauses, after[key].clauses if key in after else (), strict=False):
            if old.verdict != new.verdict:
                yield Change(judged.scenario.id, old.index, str(old.verdict), str(new.verdict))


# -- as data --------------------------------------------------------------------------------------------------------


def study_document(intake: Validation, questions: Sequence[Question]) -> dict[str, Any]:
    """The study in its outside form (see docs/answers.md); ValueError for an intake that cannot be used."""
    if intake.adoption is None:
        raise ValueError(f"{intake.path} cannot be used")
    return {
        "instance": intake.adoption.instance,
        "path": intake.path,
        "reduced": list(Facts(intake.adoption).reduced),
        "dead": sum(other.is_dead for question in questions for other in question.others),
        "questions": [_question_json(each) for each in questions],
    }


def _question_json(question: Question) -> dict[str, Any]:
    return {
        "flag": question.flag,
        "answer": question.answer,
        "under": [{"flag": flag, "answer": answer} for flag, answer in question.under],
        "others": [_other_json(question, each) for each in question.others],
    }


def _other_json(question: Question, other: Other) -> dict[str, Any]:
    def run(found: Found | None) -> dict[str, Any] | None:
        parting = found.parting if found is not None else None
        if parting is None:
            return None
        world, events, (log, here, there) = parting
        return {
            "world": world_to_json(world),
            "events": [event_to_json(each) for each in events],
            "log": log,
            "answers": {"here": question.answer, "there": other.answer},
            "row": {
                "here": here.data if here is not None else None,
                "there": there.data if there is not None else None,
            },
        }

    return {
        "answer": other.answer,
        "impossible": other.impossible,
        "notes": list(other.notes),
        "appear": list(other.appear),
        "disappear": list(other.disappear),
        "reworded": list(other.reworded),
        "clauses": [
            {"scenario": each.scenario, "index": each.clause, "from": each.before, "to": each.after}
            for each in other.changes
        ],
        "run": run(other.found),
        "reported": run(other.reported),
        "dead": other.is_dead,
        "explained": other.explained,
        "searched": other.found.searched if other.found is not None else None,
    }
