"""What all verbs share on their way to the terminal: streams, colours, messages, file arguments, exit statuses."""

from __future__ import annotations

import errno
import glob
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TextIO, TypeVar

import click

from harness.base.errors import HarnessError, ReportError, UsageError
from harness.exit_status import ExitStatus

Verb = TypeVar("Verb", bound=Callable[..., Any])

_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}


# -- running a verb ------------------------------------------------------------------------------------------------


def call(command: click.Command, arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit status; every failure becomes a short message on standard error."""
    _use_utf8(sys.stdout, sys.stderr)
    try:
        status = command.main(args=arguments, prog_name="harness", standalone_mode=False)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except (click.Abort, KeyboardInterrupt):
        say("interrupted")
        return ExitStatus.INTERRUPTED
    except click.ClickException as error:
        return _show_usage(error)
    except HarnessError as error:
        say_error(error)
        return _status_of(error)
    except BrokenPipeError:
        _close_quietly(sys.stdout)
        return ExitStatus.OK
    except Exception as error:
        return _show_fault(error)
    return int(status or 0)


def _status_of(error: HarnessError) -> ExitStatus:
    """The status of an error that carries its own message; one of no special kind is a fault of the harness."""
    if isinstance(error, UsageError):
        return ExitStatus.USAGE
    return ExitStatus.REPORT if isinstance(error, ReportError) else ExitStatus.FAULT


def _show_usage(error: click.ClickException) -> ExitStatus:
    error.show(file=sys.stderr)
    return ExitStatus.USAGE


def _show_fault(error: Exception) -> ExitStatus:
    if os.environ.get("HARNESS_DEBUG") == "1":
        traceback.print_exception(error)
    told = f"{type(error).__name__}: {error}".splitlines()[0]
    say(f"fault in the harness itself: {told}")
    say("  run it again with HARNESS_DEBUG=1 to see where, and report it")
    return ExitStatus.FAULT


# -- streams -------------------------------------------------------------------------------------------------------


def emit(text: str) -> None:
    """Write a result to standard output; a reader that went away is not an error."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.EINVAL):
            raise ReportError(f"cannot write to standard output: {error.strerror}") from error
        _close_quietly(sys.stdout)


def say(message: str, quiet: bool = False) -> None:
    """Write a message for the user to standard error, unless the call is quiet; nobody reading it is no error."""
    if quiet:
        return
    try:
        click.echo(message, err=True)
    except OSError:
        _close_quietly(sys.stderr)


def say_error(error: HarnessError) -> None:
    """Write what went wrong and what to do about it."""
    say(f"error: {error.message}")
    if error.hint:
        say(f"hint: {error.hint}")


def _use_utf8(*streams: TextIO) -> None:
    """The same bytes everywhere: UTF-8 and plain line ends, whatever the locale and the system say."""
    for stream in streams:
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def _close_quietly(stream: TextIO) -> None:
    """Point a broken stream at nothing, so that the interpreter's last flush does not complain."""
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)
    except (OSError, ValueError):
        return


# -- options and arguments -----------------------------------------------------------------------------------------


def verb_options(function: Verb) -> Verb:
    """The options that every verb has: `--quiet` and `--no-color`."""
    quiet = click.option("--quiet", is_flag=True, help="No progress and no messages but errors.")
    no_color = click.option("--no-color", is_flag=True, help="No colours (also: the variable NO_COLOR).")
    return quiet(no_color(function))


def painter(no_color: bool, stream: TextIO | None = None) -> Callable[[str, str], str]:
    """What colours a text by its severity: nothing in a pipe, under `--no-color` or with NO_COLOR set.

    `stream` is where the text will go, standard output unless said.
    """
    if no_color or os.environ.get("NO_COLOR") or not (stream or sys.stdout).isatty():
        return lambda text, severity: text
    return lambda text, severity: click.style(text, fg=_COLOURS.get(severity), bold=severity == "error")


def expand_globs(patterns: Iterable[str]) -> tuple[str, ...]:
    """The files that the FILE arguments name: patterns the shell left alone are expanded here, in sorted order.

    A name that matches nothing stays as it is, so that reading it can say what is wrong. A file named twice is
    taken once.
    """
    files: list[str] = []
    for pattern in patterns:
        matched = sorted(glob.glob(pattern, recursive=True)) if _is_pattern(pattern) else []
        files.extend(matched or [pattern])
    return tuple(dict.fromkeys(files))


def _is_pattern(name: str) -> bool:
    return glob.has_magic(name) and not os.path.lexists(name)
