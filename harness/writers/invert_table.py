"""The kill matrix as a table for the terminal."""

from __future__ import annotations

from typing import Any

from harness.writers.plain import one_line

CLAUSES_SHOWN = 3


def render(document: dict[str, Any]) -> str:
    """A line for each inversion and adoption, then the clauses that nothing has violated."""
    from tabulate import tabulate

    rows = [
        [inversion["name"], result["instance"], result["outcome"], _how(result)]
        for inversion in document["inversions"]
        for result in inversion["results"]
    ]
    table = tabulate(rows, headers=["inversion", "adoption", "outcome", "by"], tablefmt="simple", disable_numparse=True)
    return "\n".join([table, "", *_clauses(document)]) + "\n"


def _how(result: dict[str, Any]) -> str:
    if result["outcome"] == "hidden":
        return one_line(str(result["hidden-by"]))
    kills = result["killed-by"]
    shown = [_kill(each, result["instance"]) for each in kills[:CLAUSES_SHOWN]]
    more = [f"and {len(kills) - CLAUSES_SHOWN} more clauses"] if len(kills) > CLAUSES_SHOWN else []
    return ", ".join(shown + more)


def _kill(kill: dict[str, Any], instance: str) -> str:
    row = f" (row {kill['seq']})" if kill["seq"] is not None else ""
    return one_line(f"{kill['scenario'].removeprefix(instance + '/')} clause {kill['index']}{row}")


def _clauses(document: dict[str, Any]) -> list[str]:
    clauses = document["clauses"]
    killed = sum(bool(each["killed-by"]) for each in clauses)
    explained = [each for each in clauses if not each["killed-by"] and each["explained"]]
    open_ones = [each for each in clauses if not each["killed-by"] and not each["explained"]]
    lines = [
        f"{len(document['inversions'])} inversions; {killed} of {len(clauses)} clauses violated by one, "
        f"{len(explained)} explained, {len(open_ones)} by none under these adoptions; {document['survived']} survived"
    ]
    lines += [f"  by none: {each['template']} clause {each['index']}" for each in open_ones]
    return lines
