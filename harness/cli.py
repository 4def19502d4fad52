"""The command line: each verb says what it takes, hands it to the part that knows, and prints what comes back.

Verbs import their workers when they are called, so that help, completion and `--version` stay quick. A verb returns
its exit status; `harness.console` turns failures into messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from harness import __version__
from harness.cli_answers import answers
from harness.cli_check_logs import check_logs
from harness.cli_driver import driver
from harness.cli_explore import explore
from harness.cli_invert import invert
from harness.cli_laws import laws
from harness.cli_options import contract_option, files_argument, selection_options
from harness.cli_run import run
from harness.cli_show import show
from harness.cli_smoke import smoke
from harness.console import call, emit, expand_globs, say, verb_options
from harness.exit_status import ExitStatus, first_that_applies
from harness.printing import rendered, rendered_findings, say_errors, validation_status

if TYPE_CHECKING:
    from harness.expansion.expand import Expansion

FINDING_FORMATS = ("text", "json", "sarif", "github")
SCENARIO_FORMATS = ("table", "json", "jsonl", "csv", "markdown", "gherkin")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (its arguments are the process's own unless given) and return the exit status."""
    return call(cli, arguments)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="harness", message="%(prog)s %(version)s")
def cli() -> None:
    """Check how a job system keeps the job resolution contract.

    \b
    Begin with:
      harness validate my-adoption.yaml
      harness expand my-adoption.yaml
      harness run my-adoption.yaml
    """


# -- validate ------------------------------------------------------------------------------------------------------


@cli.command()
@files_argument
@click.option("--format", "form", type=click.Choice(FINDING_FORMATS), default="text", show_default=True)
@contract_option
@verb_options
def validate(files: tuple[str, ...], form: str, contract_file: str | None, quiet: bool, no_color: bool) -> ExitStatus:
    """Check adoption files and say what is wrong, where it stands, and what to do.

    \b
    Example:
      harness validate adoptions/bakery-oven/*.yaml
      harness validate --format sarif my-adoption.yaml > findings.sarif
    """
    from harness.intake import refuse_unused_contract, validate_files

    validated = validate_files(expand_globs(files), contract_file)
    refuse_unused_contract(validated, contract_file)
    emit(rendered_findings(validated, form, no_color))
    say(rendered("findings", "summary", validated).rstrip(), quiet)
    return first_that_applies(map(validation_status, validated))


# -- expand --------------------------------------------------------------------------------------------------------


@cli.command()
@files_argument
@click.option("--format", "form", type=click.Choice(SCENARIO_FORMATS), default="table", show_default=True)
@click.option("--all", "everything", is_flag=True, help="Also what doesn't apply, with the rule that excludes it.")
@selection_options
@contract_option
@verb_options
def expand(
    files: tuple[str, ...],
    form: str,
    everything: bool,
    keyword: str | None,
    templates: tuple[str, ...],
    ids: tuple[str, ...],
    allow_empty: bool,
    contract_file: str | None,
    quiet: bool,
    no_color: bool,
) -> ExitStatus:
    """Print the concrete scenarios of adoptions.

    \b
    Example:
      harness expand adoptions/bakery-oven/*.yaml
      harness expand --all -k 'hold or release' adoptions/bakery-oven/*.yaml
      harness expand --format gherkin my-adoption.yaml > my-adoption.feature
    """
    from harness.expansion.selection import Selection
    from harness.intake import expand_validated, refuse_unused_contract, validate_files

    selection = Selection(ids, templates, keyword)
    validated = validate_files(expand_globs(files), contract_file)
    refuse_unused_contract(validated, contract_file)
    expansions = [expansion for expansion in map(expand_validated, validated) if expansion is not None]
    listed = [entry for each in expansions for entry in (each.entries if everything else each.scenarios)]
    chosen = selection.select(listed)
    emit(rendered("scenario", form, chosen))
    say_errors(validated, no_color)
    for expansion in expansions:
        say(_account(expansion), quiet)
    missed = selection.missed(expansions, chosen)
    for line in missed:
        say(line)
    nothing = (missed or not chosen) and not allow_empty
    return first_that_applies([*map(validation_status, validated), ExitStatus.NOTHING if nothing else ExitStatus.OK])


def _account(expansion: Expansion) -> str:
    """What became of every template x row of an adoption, in one line."""
    return (
        f"{expansion.adoption.instance}: {len(expansion.scenarios)} of {expansion.total} expanded, "
        f"{len(expansion.exclusions)} excluded by rule, {expansion.unaccounted} unaccounted"
    )


# -- schema --------------------------------------------------------------------------------------------------------


@cli.command()
@click.argument("name")
@click.option("--contract", metavar="ID|FILE", default="job-resolution", help="Whose adoptions and logs are meant.")
@verb_options
def schema(name: str, contract: str, quiet: bool, no_color: bool) -> ExitStatus:
    """Print a JSON Schema: adoption, contract, findings, run, events, world, driver, or a log by its name.

    \b
    Example:
      harness schema adoption > job-resolution.adoption.schema.json
      harness schema report-log
    """
    from harness.schemas import schema_text

    emit(schema_text(name, contract))
    return ExitStatus.OK


# -- verbs with a module of their own --------------------------------------------------------------------------------

for verb in (run, show, invert, driver, smoke, check_logs, answers, explore, laws):
    cli.add_command(verb)
