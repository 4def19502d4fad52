"""The verb `explore`: walk the model of a law."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from harness.console import emit, say, verb_options
from harness.exit_status import ExitStatus

if TYPE_CHECKING:
    from harness.exploring_runs import Way

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
@click.option("--out", metavar="DIR", help="Also write the logs of every violation as a run, for `harness show`.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@verb_options
def explore(
    model: str,
    depth: int,
    count: str,
    inverted: str | None,
    replay: str | None,
    out: str | None,
    form: str,
    quiet: bool,
    no_color: bool,
) -> ExitStatus:
    """Walk everything that the model of a law can do, and show the shortest way to each violation.

    With --out the logs of each of them are written too; where a walk finds none, those of the way to its start.

    \b
    Example:
      harness explore fifo-pool
      harness explore fifo-recovery --count states --depth 10
      harness explore fifo-pool --invert retry-at-the-front --format json > broken.json
      harness explore fifo-pool --replay broken.json --out /tmp/broken
    """
    from harness.exploring import explored, replayed
    from harness.exploring_runs import ways_of_replay, ways_of_walk
    from harness.writers import explore_json, explore_text

    writer = explore_json if form == "json" else explore_text
    if replay is not None:
        again = replayed(model, replay, inverted)
        emit(writer.render(again))
        _write(model, ways_of_replay(again), out, quiet)
        broken = any(step["broken"] for each in again for step in each["detail"])
        return ExitStatus.FOUND if broken else ExitStatus.OK if again else ExitStatus.NOTHING
    document = explored(model, depth, count, inverted)
    emit(writer.render(document))
    _write(model, ways_of_walk(document), out, quiet)
    if document["violations"]:
        return ExitStatus.FOUND
    return ExitStatus.UNDECIDED if inverted else ExitStatus.OK


def _write(model: str, ways: Sequence[Way], out: str | None, quiet: bool) -> None:
    from harness.exploring_runs import write_ways

    if out is not None:
        write_ways(model, ways, out)
        say(f"written to {out}", quiet)
