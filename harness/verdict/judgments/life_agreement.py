"""What reports must not do, whatever they tell: come twice in one settle, or name units that the ledger has not."""

from __future__ import annotations

from collections.abc import Iterator

from harness.verdict.evidence import WorldView
from harness.verdict.judgments.pools_common import Wrong


def repeated_reports(w: WorldView) -> Iterator[Wrong]:
    """A second report of the same run in one settle, and a second request of one run."""
    seen: set[tuple[str | None, object]] = set()
    for row in w.reports():
        key = (row.run, "requested" if row["report"] == "job-requested" else row.settle)
        if key in seen:
            yield row, f"{row['report']} of {row.run} is reported a second time"
        seen.add(key)
