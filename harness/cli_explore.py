"""The verb `explore`: walk the model of a law."""

from __future__ import annotations

import click

from harness.console import emit, verb_options
from harness.exit_status import ExitStatus

FORMATS = ("text", "json")


@click.command()
@click.argument("model", metavar="MODEL")
@click.option("--depth", type=click.IntRange(0, 60), default=4, show_default=True, help="Inputs in a sequence.")
@click.option(
    "--count",
    type=click.Choice(("prefixes", "states")),
    default="prefixes",
    show_default=True,
    help="Every sequence, or every state up to the names of fresh correlations.",
)
@click.option("--invert", "inverted", metavar="NAME", help="Break the law on purpose with this inversion.")
@click.option("--replay", metavar="FILE", help="Replay the violations that an earlier walk wrote as JSON.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@verb_options
def explore(
    model: str, depth: int, count: str, inverted: str | None, replay: str | None, form: str, quiet: bool, no_color: bool
) -> ExitStatus:
    """Walk everything that the model of a law can do, and show the shortest way to each violation.

    \b
    Example:
      harness explore fifo-pool
      harness explore fifo-recovery --count states --depth 10
      harness explore fifo-pool --invert retry-at-the-front --format json > broken.json
      harness explore fifo-pool --replay broken.json
    """
    from harness.exploring import explored, replayed
    from harness.writers import explore_json, explore_text

    writer = explore_json if form == "json" else explore_text
    if replay is not None:
        again = replayed(model, replay, inverted)
        emit(writer.render(again))
        broken = any(step["broken"] for each in again for step in each["detail"])
        return ExitStatus.FOUND if broken else ExitStatus.OK if again else ExitStatus.NOTHING
    document = explored(model, depth, count, inverted)
    emit(writer.render(document))
    if document["violations"]:
        return ExitStatus.FOUND
    return ExitStatus.UNDECIDED if inverted else ExitStatus.OK
