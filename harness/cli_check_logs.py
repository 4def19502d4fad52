"""The verb `check-logs`: logs that a live system recorded, judged against an adoption."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from harness.cli_options import contract_option, selection_options
from harness.console import emit, say, verb_options
from harness.exit_status import ExitStatus, first_that_applies

if TYPE_CHECKING:
    from harness.intake import Intake
    from harness.writers.run_document import AdoptionRun


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--logs", "folder", metavar="DIR", required=True, help="The folder with the recorded logs.")
@click.option("--out", metavar="DIR", help="Also write the result as a run, for `harness show`.")
@click.option("--strict", is_flag=True, help="A blind clause is red too (status 3).")
@selection_options
@contract_option
@verb_options
def check_logs(file: str, folder: str, out: str | None, quiet: bool, no_color: bool, **given: Any) -> ExitStatus:
    """Judge logs that a live system recorded, without running anything.

    What the logs do not show has nothing to check; a log that was not recorded leaves its clauses blind.

    \b
    Example:
      harness check-logs my-adoption.yaml --logs recorded/
    """
    from harness.expansion.selection import Selection
    from harness.intake import validate_files
    from harness.kits import judging_kit
    from harness.kits.kit import CHECK_LOGS
    from harness.printing import run_statuses, say_errors, validation_status
    from harness.writers.run_document import summary
    from harness.writers.run_summary import render_summary

    (intake,) = validate_files([file], given["contract_file"])
    say_errors([intake], no_color)
    if intake.contract is not None:
        judging_kit(intake.contract, file).require(CHECK_LOGS)
    if not intake.is_runnable:
        return validation_status(intake)
    selection = Selection(given["ids"], given["templates"], given["keyword"])
    checked = _checked(intake, folder, selection)
    if out is not None:
        _write(intake, folder, out, checked)
    emit(render_summary([checked]))
    say(f"written to {out}", quiet or out is None)
    statuses = run_statuses([intake], summary([checked]), given["strict"])
    if any(clause["verdict"] == "error" for each in checked.results for clause in each.entry["clauses"]):
        statuses.append(ExitStatus.FAULT)
    if not checked.results and not given["allow_empty"]:
        statuses.append(ExitStatus.NOTHING)
    return first_that_applies(statuses)


def _checked(intake: Intake, folder: str, selection: Any) -> AdoptionRun:
    from harness.recorded_logs import judge_recorded, read_recorded
    from harness.runner import AdoptionRunner
    from harness.writers.run_document import AdoptionRun

    runner = AdoptionRunner(intake)
    scenarios = runner.scenarios(selection)
    results = tuple(judge_recorded(runner, read_recorded(folder, runner.kit), scenarios))
    return AdoptionRun(
        path=intake.path,
        instance=runner.adoption.instance,
        digest=runner.adoption.digest,
        findings=intake.findings,
        results=results,
        selected=len(scenarios),
        excluded=len(runner.expansion.exclusions),
        unaccounted=runner.expansion.unaccounted,
    )


def _write(intake: Intake, folder: str, out: str, checked: AdoptionRun) -> None:
    from harness.workspace import RunFolder
    from harness.writers.run_document import run_document, run_json

    assert intake.contract is not None
    with RunFolder.open(out) as run:
        for each in checked.results:
            run.write_scenario(each.files)
        run.finish(run_json(run_document(intake.contract, None, {"logs": folder}, [checked])))
