"""What verdicts know of a contract's logs besides what stands in them: their schemas, and what they alone can show."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from harness.run.logs import Catalogue
from harness.run.recording import LogRow, Recording
from harness.verdict.blindness import BlindSpots


@dataclass(frozen=True, slots=True)
class Known:
    """The catalogue of the logs, and the table of blind spots (None where the system supplies every log)."""

    logs: Catalogue = field(default_factory=dict)
    spots: BlindSpots | None = None

    def misfit(self, recording: Recording, touched: Collection[str]) -> tuple[LogRow, str] | None:
        """The first row that does not fit the schema of its log, and why; rows of touched logs before all others.

        A system may write a null, or leave out a column, where its log never has one. A judgment need not be able to
        work with such a row: that it stands there is the breach.
        """
        for rows in (
            (each for each in recording.rows if each.log in touched),
            (each for each in recording.rows if each.log not in touched),
        ):
            for row in rows:
                spec = self.logs.get(row.log)
                wrong = spec.check(row.to_json()) if spec is not None else ()
                if wrong:
                    return row, f"row {row.seq} is not as its log's rows are: {wrong[0]}"
        return None
