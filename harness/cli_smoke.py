"""The verb `smoke`: a driver tried before a run."""

from __future__ import annotations

from typing import Any

import click

from harness.cli_options import contract_option, driver_options, driver_wish
from harness.console import emit, say, verb_options
from harness.exit_status import ExitStatus

#: What a driver is tried on where no adoption is named: the one to read first.
TRIED = "bakery-oven/bakery-oven.adoption.yaml"


@click.command()
@click.argument("file", metavar="[FILE]", required=False)
@driver_options
@contract_option
@verb_options
def smoke(file: str | None, contract_file: str | None, quiet: bool, no_color: bool, **given: Any) -> ExitStatus:
    """Try a driver on an adoption: the greeting, nonsense, a scenario of each kind, and how fast it is.

    Every message is held against the schema. It ends with a plain word on the driver; the system behind it is not
    judged yet. Without a FILE the driver is tried on the bakery that comes along.

    \b
    Example:
      harness smoke --driver "python my_driver.py" my-adoption.yaml
    """
    from harness import workspace
    from harness.base.errors import UsageError
    from harness.intake import validate_files
    from harness.kits import judging_kit
    from harness.kits.kit import SMOKE
    from harness.printing import say_errors, validation_status
    from harness.runner import AdoptionRunner
    from harness.smoking import MISFITS_SHOWN
    from harness.smoking import smoke as try_driver

    wish = driver_wish(given)
    if wish is None:
        raise UsageError("there is no driver to try", 'name one, as in: harness smoke --driver "COMMAND" FILE')
    if file is None:
        file = str(workspace.data_folder("adoptions") / TRIED)
        say("no FILE is named: trying it on the bakery that comes along", quiet)
    (intake,) = validate_files([file], contract_file)
    say_errors([intake], no_color)
    if intake.contract is not None:
        judging_kit(intake.contract, file).require(SMOKE)
    if not intake.is_runnable:
        return validation_status(intake)
    found = try_driver(AdoptionRunner(intake, driver=wish._replace(strict=True)))
    emit("".join(f"{line}\n" for line in found.lines))
    for each in found.lacks[:MISFITS_SHOWN]:
        emit(f"lacks: {each}\n")
    if len(found.lacks) > MISFITS_SHOWN:
        emit(f"lacks: and {len(found.lacks) - MISFITS_SHOWN} more\n")
    emit(f"{found.verdict}\n")
    say("now run it: harness run --driver ...", quiet or not found.is_ready)
    if found.fault is not None:
        return ExitStatus.DRIVER
    return ExitStatus.FOUND if found.lacks else ExitStatus.OK
