"""The verb `invert`: the kill matrix."""

from __future__ import annotations

import click

from harness.console import emit, expand_globs, say, verb_options
from harness.exit_status import ExitStatus, first_that_applies

FORMATS = ("table", "json", "csv")


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1)
@click.option("--list", "listed", is_flag=True, help="List the inversions and leave.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)
@click.option("--inversion", "names", metavar="NAME", multiple=True, help="Only this inversion; repeatable.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes to run in.")
@verb_options
def invert(
    files: tuple[str, ...], listed: bool, form: str, names: tuple[str, ...], workers: int, quiet: bool, no_color: bool
) -> ExitStatus:
    """Break the lifecycle on purpose, and show which clause catches each breach.

    \b
    Example:
      harness invert --list
      harness invert adoptions/bakery-oven/*.yaml
      harness invert --workers 2 --format csv adoptions/*/*.yaml > matrix.csv
    """
    from harness.base.errors import UsageError
    from harness.intake import validate_files
    from harness.inverting import chosen_inversions, kill_matrix
    from harness.inverting_report import matrix_document
    from harness.printing import say_errors, validation_status
    from harness.writers import invert_csv, invert_json, invert_list, invert_table

    chosen = chosen_inversions(names)
    if listed:
        emit(invert_list.render(chosen))
        return ExitStatus.OK
    if not files:
        raise UsageError("name the adoptions to invert", "for example: harness invert adoptions/bakery-oven/*.yaml")
    validated = validate_files(expand_globs(files))
    say_errors(validated, no_color)
    runnable = [each for each in validated if each.is_runnable]
    contract = next((each.contract for each in runnable if each.contract is not None), None)
    if contract is None:
        return first_that_applies([*map(validation_status, validated), ExitStatus.NOTHING])
    outcomes = kill_matrix([each.path for each in runnable], chosen, workers)
    document = matrix_document(contract, chosen, outcomes)
    emit({"table": invert_table, "json": invert_json, "csv": invert_csv}[form].render(document))
    say(f"{len(outcomes)} outcomes, {document['survived']} survived", quiet)
    survived = ExitStatus.FOUND if document["survived"] else ExitStatus.OK
    return first_that_applies([*map(validation_status, validated), survived])
