"""The verb `show`: read what a run left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from harness.console import emit, verb_options
from harness.exit_status import ExitStatus

if TYPE_CHECKING:
    from harness.run_reader import ReadRun


@click.command()
@click.argument("run")
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
    from harness.run_reader import read_run

    found = read_run(run)
    with found.checked():
        emit(_shown(found, scenario, log))
    return ExitStatus.OK


def _shown(found: ReadRun, scenario: str | None, log: str | None) -> str:
    from harness.base.errors import UsageError
    from harness.writers import show_log, show_run, show_scenario

    if scenario is None:
        if log is not None:
            hint = f"name one, as in: harness show {found.folder} SCENARIO --log {log}"
            raise UsageError("--log needs a scenario", hint)
        return show_run.render(found.document)
    entry = found.entry(scenario)
    if log is not None:
        return show_log.render(*found.log(entry, log))
    return show_scenario.render(found.scenario(entry))
