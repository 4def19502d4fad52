"""The verb `driver`: the built-in lifecycle on the other side of the driver protocol."""

from __future__ import annotations

import sys

import click

from harness.console import verb_options
from harness.exit_status import ExitStatus

MODELS = ("auto", "slots")


@click.command()
@click.option("--model", type=click.Choice(MODELS), default="auto", show_default=True, help="The pool model.")
@click.option("--invert", metavar="NAME", help="Serve this inversion of the model (`harness invert --list`).")
@click.option("--validate-protocol", "strict", is_flag=True, help="Hold each message against the shipped schema.")
@verb_options
def driver(model: str, invert: str | None, strict: bool, quiet: bool, no_color: bool) -> ExitStatus:
    """Serve the built-in lifecycle over the driver protocol, on standard input and output.

    A proxy between it and `harness run --driver` can be tried on a system that is known to be right, and a new driver
    can be compared with it message by message.

    \b
    Example:
      harness run --driver "harness driver" adoptions/bakery-oven/*.yaml
      harness driver --invert NAME
    """
    from harness.driver_server import serve
    from harness.run.driver.served import BUILTIN, served_lifecycle
    from harness.runner import turn_of

    name = BUILTIN if invert is None else f"{BUILTIN} with {invert}"
    served = served_lifecycle(turn_of(invert), name, strict)
    serve(served.answer, sys.stdin.buffer, sys.stdout.buffer)
    return ExitStatus.OK
