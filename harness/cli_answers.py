"""The verb `answers`: what every other answer to every question would change."""

from __future__ import annotations

import sys

import click

from harness.console import emit, say, verb_options
from harness.exit_status import ExitStatus, first_that_applies

FORMATS = ("table", "json")


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--question", "flags", metavar="FLAG", multiple=True, help="Only this question, in full; repeatable.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)
@verb_options
def answers(file: str, flags: tuple[str, ...], form: str, quiet: bool, no_color: bool) -> ExitStatus:
    """Show what every other answer to every question would change.

    For each: the scenarios that appear and disappear, the clauses whose verdict changes, and the shortest run whose
    logs differ. An answer that no run tells from the one given is dead; without a known reason the status is 3.

    \b
    Example:
      harness answers adoptions/bakery-oven/bakery-oven.adoption.yaml
      harness answers --question partial-work my-adoption.yaml
      harness answers --format json my-adoption.yaml > answers.json
    """
    from harness.answers import study_answers, study_document
    from harness.contract.questions import FLAGS
    from harness.intake import validate_files
    from harness.kits import judging_kit
    from harness.kits.kit import ANSWERS
    from harness.printing import say_errors, validation_status
    from harness.writers import answers_json, answers_table

    (validated,) = validate_files([file])
    say_errors([validated], no_color)
    if validated.contract is not None:
        judging_kit(validated.contract, file).require(ANSWERS)
    _refuse_unknown(flags, FLAGS)
    if not validated.is_runnable:
        return validation_status(validated)

    def tell(flag: str, answer: str) -> None:
        say(f"{flag}: {answer}", quiet or not sys.stderr.isatty())

    document = study_document(validated, study_answers(validated, flags, tell))
    emit(answers_json.render(document) if form == "json" else answers_table.render(document, bool(flags)))
    unexplained = sum(
        other["dead"] and other["explained"] is None
        for question in document["questions"]
        for other in question["others"]
    )
    found = [ExitStatus.UNDECIDED] if unexplained else []
    found += [] if document["questions"] else [ExitStatus.NOTHING]
    return first_that_applies([validation_status(validated), *found])


def _refuse_unknown(flags: tuple[str, ...], known: tuple[str, ...]) -> None:
    from harness.base.errors import UsageError
    from harness.contract.fitting import suggestion

    for flag in flags:
        if flag not in known:
            hint = suggestion(flag, known) or f"the questions are {', '.join(known)}"
            raise UsageError(f"there is no question {flag}", hint)
