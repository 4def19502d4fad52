"""The verb `run`: execute every scenario of adoptions, write what they left, and say what came of it."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from harness.cli_options import (
    contract_option,
    driver_options,
    driver_wish,
    files_argument,
    model_option,
    selection_options,
)
from harness.console import emit, expand_globs, say, say_error, verb_options
from harness.exit_status import ExitStatus, first_that_applies

if TYPE_CHECKING:
    from harness.contract.validation import Validation
    from harness.pipeline import Prepared, RunOptions, RunOutcome
    from harness.reports import ReportWish
    from harness.resuming import EarlierRun
    from harness.workspace import RunFolder
    from harness.writers.run_files import ScenarioResult

Verb = TypeVar("Verb", bound=Callable[..., Any])

_TIMEOUT_HELP = "Bound on the whole call; what it leaves no time for is unreached."
TOGETHER = "together"
RUNS_FOLDER = "diagnostics/runs"


def _number(context: click.Context, option: click.Parameter, value: float | None) -> float | None:
    """Refuses what is no number: it is neither within a bound nor over it."""
    if value is not None and math.isnan(value):
        raise click.BadParameter("nan is no number of seconds")
    return value


def bound_options(function: Verb) -> Verb:
    """The bounds of searches and of the whole call."""
    for option in (
        click.option(
            "--timeout", type=click.FloatRange(min=0), callback=_number, metavar="SECONDS", help=_TIMEOUT_HELP
        ),
        click.option("--runs-max", type=click.IntRange(1), metavar="N", help="Runs that a search may request."),
        click.option("--states-max", type=click.IntRange(1), metavar="N", help="States that a search may meet."),
        click.option("--depth-max", type=click.IntRange(1), metavar="N", help="Inputs in a sequence of a search."),
    ):
        function = option(function)
    return function


def run_options(function: Verb) -> Verb:
    """What to run on, when to stop, how wide to run, what to write and where."""
    for option in (
        click.option("--resume", is_flag=True, help="Take over what the run in the same folder has finished."),
        click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes to run in."),
        click.option("--max-fail", type=click.IntRange(1), metavar="N", help="Stop after N failing scenarios."),
        click.option("-x", "first_fail", is_flag=True, help="Stop at the first failing scenario."),
        click.option("--strict", is_flag=True, help="A blind clause is red too (status 3)."),
        click.option("--expected-failures", "expected", metavar="FILE", help="Clauses that are known to be violated."),
        click.option("--report", "reports", metavar="KIND=PATH", multiple=True, help=_REPORT_HELP),
        click.option("--invert", metavar="NAME", help="Run this inversion of the model (`harness invert --list`)."),
        model_option,
        click.option("--out", metavar="DIR", help=f"Where to write the run (default {RUNS_FOLDER}/<instance>)."),
    ):
        function = option(function)
    return function


_SHRINK_HELP = "Make failing runs of a driver small (unless its time is real), or not."
_REPORT_HELP = "Also write a report: badge, ctrf, html, junit, markdown or sarif; repeatable."


@click.command()
@files_argument
@run_options
@driver_options
@click.option("--shrink/--no-shrink", default=None, help=_SHRINK_HELP)
@selection_options
@bound_options
@contract_option
@verb_options
def run(files: tuple[str, ...], quiet: bool, no_color: bool, **given: Any) -> ExitStatus:
    """Execute every scenario of adoptions, write the named logs and run.json, print the summary.

    \b
    Example:
      harness run adoptions/bakery-oven/*.yaml
      harness run -k 'claim and not start' -x --out /tmp/oven adoptions/bakery-oven/*.yaml
      harness run --report junit=junit.xml --report html=report.html adoptions/*/*.yaml
      harness run --driver "python my_driver.py" my-adoption.yaml
    """
    from harness.intake import contracts_of, refuse_unused_contract, validate_files
    from harness.pipeline import meet_driver, prepare
    from harness.printing import say_errors
    from harness.reports import parse_reports

    options, reports = _options(given), parse_reports(given["reports"])
    intakes = validate_files(expand_globs(files), options.contract_file)
    refuse_unused_contract(intakes, options.contract_file)
    say_errors(intakes, no_color)
    _refuse_twins(intakes)
    if not contracts_of(intakes):
        for each in reports:
            say(f"the {each.kind} report was not written: it is not known which contract it would be about")
        return ExitStatus.USAGE
    _refuse_unknown(intakes, options)
    prepared = prepare(intakes, options)
    try:
        wanted = _Wanted(prepared, options, reports, quiet, meet_driver(prepared, options))
        return _execute(wanted, given["out"], given["resume"], given["strict"], given["allow_empty"])
    finally:
        prepared.close()


class _Wanted(NamedTuple):
    """What is to be run, and what the user wants to see of it; `driver` is what an outside system says of itself."""

    prepared: Prepared
    options: RunOptions
    reports: tuple[ReportWish, ...]
    quiet: bool
    driver: dict[str, Any] | None


def _options(given: dict[str, Any]) -> RunOptions:
    from harness.base.errors import UsageError
    from harness.expansion.selection import Selection
    from harness.expectations import read_expectations
    from harness.pipeline import RunOptions
    from harness.run.pilot import DEFAULT_LIMITS, Limits
    from harness.verdict.expected import Expectations

    driver = driver_wish(given)
    if driver is not None and given["invert"] is not None:
        raise UsageError("--invert breaks the built-in model, and --driver runs another system", "choose one of them")
    return RunOptions(
        selection=Selection(given["ids"], given["templates"], given["keyword"]),
        limits=Limits(
            given["depth_max"] or DEFAULT_LIMITS.depth,
            given["states_max"] or DEFAULT_LIMITS.states,
            given["runs_max"] or DEFAULT_LIMITS.runs,
        ),
        max_fail=1 if given["first_fail"] else given["max_fail"],
        timeout_s=given["timeout"],
        workers=given["workers"],
        contract_file=given["contract_file"],
        invert=given["invert"],
        driver=driver,
        model=given["model"],
        expectations=read_expectations(given["expected"]) if given["expected"] else Expectations(),
    )


# -- what cannot be run ----------------------------------------------------------------------------------------------


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


def _refuse_unknown(intakes: Sequence[Validation], options: RunOptions) -> None:
    """UsageError for a contract without judgments, and for a model, an inversion or a driver that none can have.

    They are refused before anything is run, also where no file can be. Says which contracts run without them.
    """
    from harness.kits import judging_kit, refuse_unknown
    from harness.kits.kit import DRIVER

    kits = {each.contract.id: judging_kit(each.contract, each.path) for each in intakes if each.contract is not None}
    for kit in kits.values():
        if options.driver is not None:
            kit.require(DRIVER)
    for line in refuse_unknown(tuple(kits.values()), options.model, options.invert):
        say(line)


# -- running ---------------------------------------------------------------------------------------------------------


def _execute(wanted: _Wanted, out: str | None, resume: bool, strict: bool, allow_empty: bool) -> ExitStatus:
    """Run into a run folder, write the reports, print the summary; the exit status says what came of it."""
    from harness.pipeline import run_prepared
    from harness.printing import run_statuses
    from harness.writers.run_document import summary
    from harness.writers.run_summary import render_summary

    missed = wanted.prepared.missed(wanted.options.selection)
    for line in missed:
        say(line)
    target = out or f"{RUNS_FOLDER}/{_default_name(wanted.prepared.intakes)}"
    is_readable = any(each.adoption is not None for each in wanted.prepared.intakes)
    if is_readable:
        outcome = _run_into(target, wanted, resume)
    else:  # there is nothing to run, and nothing that an earlier run should make room for
        outcome = run_prepared(wanted.prepared, wanted.options, lambda result: None)
    reports_failed = _write_reports(wanted, outcome)
    reports_failed |= not _emitted(render_summary(outcome.adoptions))
    outlived = _say_outlived(wanted, outcome)
    if outcome.interrupted:
        say("interrupted: what was finished is kept, and --resume goes on from there")
    say(f"written to {target}", wanted.quiet or not is_readable)
    statuses = run_statuses(wanted.prepared.intakes, summary(outcome.adoptions), strict)
    statuses += _blame(outcome)
    for status, applies in (
        (ExitStatus.INTERRUPTED, outcome.interrupted),
        (ExitStatus.FOUND, outlived),
        (ExitStatus.REPORT, reports_failed),
        (ExitStatus.NOTHING, (missed or not wanted.prepared.tasks) and not allow_empty),
    ):
        if applies:
            statuses.append(status)
    return first_that_applies(statuses)


def _default_name(intakes: Sequence[Validation]) -> str:
    only = intakes[0].adoption if len(intakes) == 1 else None
    return only.instance if only is not None else TOGETHER


def _run_into(target: str, wanted: _Wanted, resume: bool) -> RunOutcome:
    """Every scenario's files, then `run.json`: the run stands in its place when this is over.

    An interrupt ends the scenario that is being run, not what is being written.
    """
    from harness.interrupts import Interrupts
    from harness.kits import models_of
    from harness.pipeline import run_prepared
    from harness.resuming import RESUME_FILE, resume_json
    from harness.workspace import RunFolder
    from harness.writers.run_document import run_document, run_json

    prepared, options = wanted.prepared, wanted.options
    with Interrupts() as interrupts, RunFolder.open(target) as folder:
        earlier = _earlier(folder, wanted) if resume else None
        with _progress(len(prepared.tasks), wanted.quiet) as tell:

            def keep(result: ScenarioResult) -> None:
                folder.write_scenario(result.files)
                tell()

            outcome = run_prepared(prepared, options, keep, earlier, interrupts)
        folder.write_text(RESUME_FILE, resume_json(prepared, options, wanted.driver))
        first = prepared.contracts[0]
        model = models_of(prepared.contracts, options.model)[first.id]
        folder.finish(run_json(run_document(first, model, wanted.driver, outcome.adoptions, options.invert)))
    return replace(outcome, interrupted=interrupts.seen)


def _earlier(folder: RunFolder, wanted: _Wanted) -> EarlierRun:
    """What the run in the folder has finished; says how much of it is taken over, or why nothing is."""
    from harness.resuming import earlier_run

    found = earlier_run(folder, wanted.prepared, wanted.options, wanted.driver)
    tasks = wanted.prepared.tasks
    taken = sum(found.has(task.runner, task.scenario) for task in tasks)
    if found.why_not is not None:
        say(f"nothing is taken over, everything is run anew: {found.why_not}", wanted.quiet)
    else:
        say(f"{taken} of {len(tasks)} scenarios are taken over, the others are run anew", wanted.quiet)
    return found


@contextmanager
def _progress(length: int, quiet: bool) -> Iterator[Callable[[], None]]:
    """A bar on a terminal, nothing in a pipe; gives the function that is called for each finished scenario."""
    terminal = sys.stderr
    if quiet or not terminal.isatty():
        yield lambda: None
        return
    bar: Any
    with click.progressbar(length=length, label="running", file=terminal) as bar:
        yield lambda: bar.update(1)


# -- what came of it -------------------------------------------------------------------------------------------------


def _write_reports(wanted: _Wanted, outcome: RunOutcome) -> bool:
    """Write the reports that were asked for; says which could not be written, and whether any could not."""
    from harness.reports import write_reports
    from harness.writers.report import RunReport

    known = [each.id for run in outcome.adoptions for each in run.results if each.status == "known"]
    reasons = {each: wanted.options.expectations.reason(each) or "" for each in known}
    failed = write_reports(wanted.reports, RunReport(wanted.prepared.contracts[0], outcome.adoptions, reasons))
    for error in failed:
        say_error(error)
    return bool(failed)


def _emitted(text: str) -> bool:
    """Print a result; whether that was possible, which is told where it was not."""
    from harness.base.errors import ReportError

    try:
        emit(text)
    except ReportError as error:
        say_error(error)
        return False
    return True


def _say_outlived(wanted: _Wanted, outcome: RunOutcome) -> bool:
    """Tell which expected failures no longer say what is so; whether there are any."""
    from harness.pipeline import choosable

    entries = {each.id: each.entry for run in outcome.adoptions for each in run.results}
    outlived = wanted.options.expectations.outlived(entries, choosable(wanted.prepared))
    for line, why in outlived:
        say(f"{line.position}: error expected-failure: {line.scenario} clause {line.clause}: {why}")
    return bool(outlived)


def _blame(outcome: RunOutcome) -> Iterator[ExitStatus]:
    """The statuses of the errors: the driver's own, and all others, which are the harness's."""
    for each in (each for run in outcome.adoptions for each in run.results):
        if each.driver_failed:
            yield ExitStatus.DRIVER
        elif any(clause["verdict"] == "error" for clause in each.entry["clauses"]):
            yield ExitStatus.FAULT
