"""The kill matrix as CSV: a line for each inversion, adoption and clause that caught it."""

from __future__ import annotations

import csv
import io
from typing import Any


def render(document: dict[str, Any]) -> str:
    """The text, with a header line and plain line ends."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["inversion", "instance", "outcome", "scenario", "clause", "log", "seq", "hidden-by"])
    for inversion in document["inversions"]:
        for result in inversion["results"]:
            head = [inversion["name"], result["instance"], result["outcome"]]
            kills = result["killed-by"] or [{"scenario": "", "index": "", "log": "", "seq": ""}]
            for kill in kills:
                row = [*head, kill["scenario"], kill["index"], kill["log"], kill["seq"], result["hidden-by"]]
                writer.writerow("" if each is None else each for each in row)
    return out.getvalue()
