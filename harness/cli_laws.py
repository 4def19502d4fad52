"""The verb `laws`: what the pool laws claim, and what breaks each claim."""

from __future__ import annotations

import click

from harness.console import emit, verb_options
from harness.exit_status import ExitStatus


@click.command()
@click.argument("law", metavar="[LAW]", required=False)
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
@verb_options
def laws(law: str | None, form: str, quiet: bool, no_color: bool) -> ExitStatus:
    """List the laws that can be explored: their claims, invariants, inversions and walks.

    \b
    Example:
      harness laws
      harness laws fifo-pool --format json
    """
    from harness.exploring import told_laws
    from harness.writers import laws_json, laws_text

    emit((laws_json if form == "json" else laws_text).render(told_laws(law)))
    return ExitStatus.OK
