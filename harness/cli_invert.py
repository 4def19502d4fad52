"""The verb `invert`: the kill matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from harness.console import emit, expand_globs, say, verb_options
from harness.exit_status import ExitStatus, first_that_applies

if TYPE_CHECKING:
    from harness.contract.validation import Validation
    from harness.kits.kit import Kit

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
    """Break the built-in model on purpose, and show which clause catches each breach.

    \b
    Example:
      harness invert --list
      harness invert adoptions/bakery-oven/*.yaml
      harness invert --workers 2 --format csv adoptions/*/*.yaml > matrix.csv
    """
    from harness.base.errors import UsageError
    from harness.intake import validate_files
    from harness.inverting_report import joined_documents
    from harness.printing import say_errors, validation_status
    from harness.writers import invert_csv, invert_json, invert_table

    if listed:
        return _list(files, names)
    if not files:
        raise UsageError("name the adoptions to invert", "for example: harness invert adoptions/bakery-oven/*.yaml")
    validated = validate_files(expand_globs(files))
    say_errors(validated, no_color)
    runnable = [each for each in validated if each.is_runnable]
    if not runnable:
        return first_that_applies([*map(validation_status, validated), ExitStatus.NOTHING])
    document = joined_documents(_documents(runnable, names, workers))
    emit({"table": invert_table, "json": invert_json, "csv": invert_csv}[form].render(document))
    outcomes = sum(len(each["results"]) for each in document["inversions"])
    say(f"{outcomes} outcomes, {document['survived']} survived", quiet)
    survived = ExitStatus.FOUND if document["survived"] else ExitStatus.OK
    return first_that_applies([*map(validation_status, validated), survived])


def _documents(runnable: Sequence[Validation], names: tuple[str, ...], workers: int) -> Iterator[dict[str, Any]]:
    """The matrix of each contract: its inversions break the adoptions of its own."""
    from harness.intake import contracts_of
    from harness.inverting import chosen_inversions, kill_matrix
    from harness.inverting_report import matrix_document
    from harness.kits import judging_kit

    paths: dict[str, list[str]] = {}
    for each in runnable:
        if each.contract is not None:
            paths.setdefault(each.contract.id, []).append(each.path)
    found = [(contract, judging_kit(contract, paths[contract.id][0])) for contract in contracts_of(runnable)]
    _refuse_unknown(names, [kit for _, kit in found])
    for contract, kit in found:
        chosen = chosen_inversions(kit, names)
        outcomes = kill_matrix(paths[contract.id], chosen, workers)
        yield matrix_document(contract, chosen, outcomes, kit.explained())


def _list(files: tuple[str, ...], names: tuple[str, ...]) -> ExitStatus:
    """The inversions of the contracts that the files name; without files those of every contract."""
    from harness.intake import validate_files
    from harness.inverting import chosen_inversions
    from harness.kits import kits
    from harness.writers import invert_list

    named = {each.contract.id for each in validate_files(expand_globs(files)) if each.contract is not None}
    asked = [kit for kit in kits() if not files or kit.contract in named]
    _refuse_unknown(names, asked)
    told = {kit.contract: chosen_inversions(kit, names) for kit in asked}
    emit("\n".join(f"{contract}\n\n{invert_list.render(each)}" for contract, each in told.items() if each))
    return ExitStatus.OK


def _refuse_unknown(names: tuple[str, ...], called: Sequence[Kit]) -> None:
    from harness.kits import refuse_unknown
    from harness.kits.kit import AUTO

    for name in names:
        refuse_unknown(called, AUTO, name)
