"""The destination that reports carry from the moment one is chosen: a reservation, or the first delivery attempt."""

from __future__ import annotations

from collections.abc import Iterator

from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence, WorldView
from harness.verdict.judgments.admission_asked import Asked, asked_runs, destination_of, route_of
from harness.verdict.judgments.admission_events import Breach

_DELIVERY = ("destination-refused", "job-delivered")


def destinations_are_wrong(e: Evidence, w: WorldView) -> Iterator[Breach]:
    """Reports of one world that carry another destination than the one chosen, or none, or one too early."""
    for run, asked in asked_runs(e, w).items():
        refused: dict[int, int] = {}
        finished = False
        for report in w.life(run):
            finished = finished or report["report"] == "job-finished"
            expected = _expected(e, w, asked, report, finished, refused)
            if report["destination"] not in expected:
                named = " or ".join(str(each) for each in sorted(expected, key=str))
                yield (
                    report,
                    f"{report['report']} of {run} carries the destination {report['destination']}, not {named}",
                )


def _expected(
    e: Evidence, w: WorldView, asked: Asked, report: LogRow, finished: bool, refused: dict[int, int]
) -> frozenset[str | None]:
    """The destinations that this report may carry; `refused` counts the refusals so far by batch."""
    normal = destination_of(asked)
    if normal is None:
        return frozenset({None})
    if e.config.output_full == "wait-before-start":
        return frozenset({normal if _has_reserved(w, asked, report) else None})
    if not finished or report["report"] == "job-finished":
        return frozenset({None})
    route = route_of(e, asked)
    if e.config.output_full != "try-destinations" or report["report"] not in _DELIVERY or report.batch is None:
        return frozenset(route)
    at = refused.get(report.batch, 0)
    if report["report"] == "destination-refused":
        refused[report.batch] = at + 1
    elif e.config.on_collection:
        return frozenset(route)
    return frozenset(route[at : at + 1])


def _has_reserved(w: WorldView, asked: Asked, report: LogRow) -> bool:
    """Whether the run has passed its reservation: every admitted run has, and every refusal that is not the check's."""
    if report["report"] == "job-requested" or (report["report"] == "job-canceled" and report["old"] == "requested"):
        return False
    if report["report"] == "job-rejected" and "missing-inputs" in (report["causes"] or ()):
        # The availability check belongs to the event that requested; a later refusal is that of a failed claim.
        return w.sent_of(report).place != asked.sent.place
    return True
