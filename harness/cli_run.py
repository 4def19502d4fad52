"""The verbs `run` and `show`: execute every scenario of adoptions, and read what a run left."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.console import emit, say, verb_options
from harness.exit_status import ExitStatus, first_that_applies

if TYPE_CHECKING:
    from harness.contract.validation import Validation
    from harness.pipeline import RunOptions, RunOutcome
    from harness.writers.run_files import ScenarioResult

MODELS = ("auto", "slots")
TOGETHER = "together"
RUNS_FOLDER = "diagnostics/runs"


def bound_options(function: Any) -> Any:
    """The bounds of searches and of the whole call."""
    for option in (
        click.option("--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="Bound on the whole call."),
        click.option("--runs-max", type=click.IntRange(1), metavar="N", help="Runs that a search may request."),
        click.option(
            "--states-max", type=click.IntRange(1), metavar="N", help="Distinct states that a search may meet."
        ),
        click.option("--depth-max", type=click.IntRange(1), metavar="N", help="Inputs in a sequence of a search."),
    ):
        function = option(function)
    return function


def stop_options(function: Any) -> Any:
    """When to stop, how wide to run, where to write."""
    for option in (
        click.option("--strict", is_flag=True, help="A blind clause is red too (status 3)."),
        click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes to run in."),
        click.option("--max-fail", type=click.IntRange(1), metavar="N", help="Stop after N failing scenarios."),
        click.option("-x", "first_fail", is_flag=True, help="Stop at the first failing scenario."),
        click.option("--model", type=click.Choice(MODELS), default="auto", show_default=True, help="The pool model."),
        click.option("--out", metavar="DIR", help=f"Where to write the run (default {RUNS_FOLDER}/<instance>)."),
    ):
        function = option(function)
    return function


def execute(
    files: Sequence[str],
    options: RunOptions,
    out: str | None,
    strict: bool,
    allow_empty: bool,
    quiet: bool,
    no_color: bool,
) -> ExitStatus:
    """Take the files in, run them into a run folder, print the summary; the exit status says what came of it."""
    from harness.base.errors import UsageError
    from harness.intake import validate_files
    from harness.pipeline import JUDGED_CONTRACT, run_adoptions
    from harness.printing import say_errors
    from harness.workspace import RunFolder
    from harness.writers.run_document import run_document, run_json
    from harness.writers.run_summary import render_summary

    intakes = validate_files(files, options.contract_file)
    say_errors(intakes, no_color)
    _refuse_twins(intakes)
    for each in intakes:
        if each.contract is not None and each.contract.id != JUDGED_CONTRACT:
            raise UsageError(
                f"the contract {each.contract.id} of {each.path} cannot be judged: no judgments are known for it",
                "validate and expand work for it",
            )
    contract = next((each.contract for each in intakes if each.contract is not None), None)
    if contract is None or not any(each.adoption is not None for each in intakes):
        return ExitStatus.USAGE
    target = out or f"{RUNS_FOLDER}/{_default_name(intakes)}"
    with RunFolder.open(target) as folder, _progress(intakes, options, quiet) as tell:

        def keep(result: ScenarioResult) -> None:
            folder.write_scenario(result.files)
            tell(result)

        outcome = run_adoptions(intakes, options, keep)
        document = run_document(contract, "slots", None, outcome.adoptions)
        folder.finish(run_json(document))
    emit(render_summary(outcome.adoptions))
    say(f"written to {target}", quiet)
    return _status(intakes, outcome, document, strict, allow_empty)


def _refuse_twins(intakes: Sequence[Validation]) -> None:
    from harness.base.errors import UsageError

    seen: dict[str, str] = {}
    for each in intakes:
        if each.adoption is None:
            continue
        instance = each.adoption.instance
        if instance in seen:
            raise UsageError(
                f"{each.path} and {seen[instance]} have the same instance {instance}", "rename one, or run them apart"
            )
        seen[instance] = each.path


def _default_name(intakes: Sequence[Validation]) -> str:
    only = intakes[0].adoption if len(intakes) == 1 else None
    return only.instance if only is not None else TOGETHER


@contextmanager
def _progress(
    intakes: Sequence[Validation], options: RunOptions, quiet: bool
) -> Iterator[Callable[[ScenarioResult], None]]:
    """A bar on a terminal, nothing in a pipe; gives the function that each finished scenario is told to."""
    terminal = sys.stderr
    if quiet or not terminal.isatty():
        yield lambda result: None
        return
    from harness.pipeline import AdoptionRunner

    runners = [AdoptionRunner(each) for each in intakes if each.is_runnable]
    length = sum(len(runner.scenarios(options.selection)) for runner in runners)
    bar: Any
    with click.progressbar(length=length, label="running", file=terminal) as bar:
        yield lambda result: bar.update(1)


def _status(
    intakes: Sequence[Validation], outcome: RunOutcome, document: dict[str, Any], strict: bool, allow_empty: bool
) -> ExitStatus:
    scenarios, clauses = document["summary"]["scenarios"], document["summary"]["clauses"]
    statuses = []
    if outcome.interrupted:
        statuses.append(ExitStatus.INTERRUPTED)
    if clauses.get("error"):
        statuses.append(ExitStatus.FAULT)
    if any(each.is_unreadable for each in intakes):
        statuses.append(ExitStatus.USAGE)
    if clauses.get("violated") or any(not each.is_valid for each in intakes):
        statuses.append(ExitStatus.FOUND)
    if clauses.get("unreached") or (strict and clauses.get("blind")) or (scenarios and not clauses.get("holds")):
        statuses.append(ExitStatus.UNDECIDED)
    if not any(each.selected for each in outcome.adoptions) and not allow_empty:
        statuses.append(ExitStatus.NOTHING)
    return first_that_applies(statuses)


# -- show ----------------------------------------------------------------------------------------------------------


@click.command()
@click.argument("run", type=click.Path(path_type=str))
@click.argument("scenario", required=False)
@click.option("--log", "log", metavar="NAME", help="Print this log of the scenario as a table.")
@verb_options
def show(run: str, scenario: str | None, log: str | None, quiet: bool, no_color: bool) -> ExitStatus:
    """Read a run: its failures and the rest a line each, or one scenario in full.

    \b
    Example:
      harness show diagnostics/runs/bakery-oven
      harness show diagnostics/runs/bakery-oven bakery-oven/claims-keep-their-source
      harness show diagnostics/runs/bakery-oven bakery-oven/claims-keep-their-source --log claim-ledger
    """
    from harness.base.errors import UsageError
    from harness.writers import show_log, show_run, show_scenario
    from harness.writers.run_reader import find_scenario, read_run

    folder, document = read_run(run)
    if scenario is None:
        if log is not None:
            raise UsageError(
                "--log needs a scenario", f"name one, as in: harness show {Path(run)} SCENARIO --log {log}"
            )
        emit(show_run.render(document))
        return ExitStatus.OK
    found = find_scenario(folder, document, scenario)
    emit(show_log.render(*found.log(log)) if log is not None else show_scenario.render(found))
    return ExitStatus.OK
