"""Arguments and options that several verbs take."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from harness.kits.kit import AUTO

if TYPE_CHECKING:
    from harness.run.driver.channel import DriverWish

Verb = TypeVar("Verb", bound=Callable[..., Any])

files_argument = click.argument("files", metavar="FILE...", nargs=-1, required=True)
contract_option = click.option(
    "--contract", "contract_file", metavar="FILE", help="Use this contract instead of the shipped one that is named."
)
model_option = click.option(
    "--model",
    metavar="NAME",
    default=AUTO,
    show_default=True,
    help="What has the working slots of jobs: auto, slots, fifo, keyed, supervised-fifo or supervised-keyed. A pool "
    "has the model of its law.",
)


def driver_options(function: Verb) -> Verb:
    """The options that name an outside system under test: `--driver` and how to treat it."""
    for option in (
        click.option("--validate-protocol", is_flag=True, help="Hold every answer of the driver against the schema."),
        click.option(
            "--driver-env", "environment", metavar="NAME=VALUE", multiple=True, help="Also set this for the driver."
        ),
        click.option(
            "--driver-timeout",
            type=click.FloatRange(min=0, min_open=True),
            metavar="SECONDS",
            help="Limit of each answer of the driver (default 10).",
        ),
        click.option("--driver", metavar="DRIVER", help=_DRIVER_HELP),
    ):
        function = option(function)
    return function


_DRIVER_HELP = 'The system under test: "COMMAND", py:module:Class or builtin:lifecycle.'


def driver_wish(given: dict[str, Any]) -> DriverWish | None:
    """The driver that the options name, None where they name none; UsageError for options that go nowhere."""
    from harness.base.errors import UsageError
    from harness.run.driver.channel import TIMEOUT_S, DriverWish

    timeout_s, environment = given["driver_timeout"], tuple(map(_setting, given["environment"]))
    if given["driver"] is None:
        if timeout_s is not None or environment or given["validate_protocol"] or given.get("shrink") is not None:
            raise UsageError("there is no driver to treat so", "name one with --driver")
        return None
    if timeout_s is not None and not timeout_s < float("inf"):
        raise UsageError("the limit of an answer is no number of seconds", "for example --driver-timeout 30")
    is_strict, shrink = given["validate_protocol"], given.get("shrink")
    return DriverWish(given["driver"], timeout_s or TIMEOUT_S, environment, is_strict, shrink)


def _setting(text: str) -> tuple[str, str]:
    from harness.base.errors import UsageError

    name, equals, value = text.partition("=")
    if not name or not equals or "\0" in text:
        raise UsageError(f"{text!r} sets nothing for the driver", "write --driver-env NAME=VALUE")
    return name, value


def selection_options(function: Verb) -> Verb:
    """The options that choose scenarios: `-k`, `--template`, `--id` and `--allow-empty`."""
    for option in (
        click.option("--allow-empty", is_flag=True, help="Choosing no scenario at all is fine (status 0, not 5)."),
        click.option("--id", "ids", metavar="ID", multiple=True, help="Only this scenario; repeatable."),
        click.option("--template", "templates", metavar="ID", multiple=True, help="Only this template; repeatable."),
        click.option("-k", "keyword", metavar="EXPR", help="Only ids that match, as in -k 'pool and not waiting'."),
    ):
        function = option(function)
    return function
