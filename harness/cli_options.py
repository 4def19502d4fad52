"""Arguments and options that several verbs take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Verb = TypeVar("Verb", bound=Callable[..., Any])

files_argument = click.argument("files", metavar="FILE...", nargs=-1, required=True)
contract_option = click.option(
    "--contract", "contract_file", metavar="FILE", help="Use this contract instead of the shipped one that is named."
)


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
