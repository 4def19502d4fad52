"""The verb `driver`: the built-in models on the other side of the driver protocol."""

from __future__ import annotations

import sys

import click

from harness.cli_options import model_option
from harness.console import verb_options
from harness.exit_status import ExitStatus


@click.command()
@model_option
@click.option("--invert", metavar="NAME", help="Serve this inversion of the model (`harness invert --list`).")
@click.option("--validate-protocol", "strict", is_flag=True, help="Hold each message against the shipped schema.")
@verb_options
def driver(model: str, invert: str | None, strict: bool, quiet: bool, no_color: bool) -> ExitStatus:
    """Serve the built-in model of the adopted contract over the driver protocol, on standard input and output.

    A proxy between it and `harness run --driver` can be tried on a system that is known to be right, and a new driver
    can be compared with it message by message.

    \b
    Example:
      harness run --driver "harness driver" adoptions/bakery-oven/*.yaml
      harness driver --invert NAME
    """
    from harness.driver_server import serve
    from harness.kits import kits, refuse_unknown
    from harness.kits.serving import BUILTIN, served

    refuse_unknown(kits(), model, invert)
    name = BUILTIN if invert is None else f"{BUILTIN} with {invert}"
    serve(served(invert, name, strict, model).answer, sys.stdin.buffer, sys.stdout.buffer)
    return ExitStatus.OK
