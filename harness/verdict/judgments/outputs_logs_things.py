"""Whether output-identity has each output's life: established with the finish, delivered or destroyed with the end."""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.lifecycle.config import at_place
from harness.run.recording import LogRow
from harness.verdict.evidence import Evidence
from harness.verdict.judgments.failures_settles import settled
from harness.verdict.parts import Violated, absent, violated

#: The change of an output that belongs to each report.
_BESIDE = {"job-finished": "established", "job-delivered": "delivered"}


def identity_faults(e: Evidence) -> Iterator[Violated]:
    """Rows without their report, reports without their row, and rows of another thing than the job makes."""
    for row in e.rows("output-identity"):
        yield from _row(e, row)
    for report in e.reports(tuple(_BESIDE)):
        change = _BESIDE[report["report"]]
        rows = [row for row in settled(e, report, "output-identity") if row["change"] == change]
        if not rows:
            missing = absent("output-identity", f"the output of run {report.run}, {change}", near=report)
            yield violated(missing, f"{report['report']} of run {report.run}: no output is {change}", report)
        for again in rows[1:]:
            yield violated(again, f"the output of run {report.run} is {change} twice", rows[0])
    for report in e.reports("job-failed", new="failed"):
        yield from _after_ruin(e, report)


def _after_ruin(e: Evidence, report: LogRow) -> Iterator[Violated]:
    """A ruined run leaves the target of an in-place change, and destroys a new thing that it had finished."""
    owed = "target-remains" if e.config.in_place else ("destroyed" if report["old"] == "finished" else None)
    rows = settled(e, report, "output-identity")
    for row in rows[0 if owed is None else 1 :]:
        yield violated(row, f"the output of run {report.run} is {row['change']} beside its ruin", report)
    if owed is not None and (not rows or rows[0]["change"] != owed):
        missing = absent("output-identity", f"what run {report.run} made or changes: {owed}", near=report)
        yield violated(rows[0] if rows else missing, f"run {report.run} is ruined, and no row says {owed}", report)


def _row(e: Evidence, row: LogRow) -> Iterator[Violated]:
    reports = settled(e, row, "report-log")
    owed = {"established": "job-finished", "delivered": "job-delivered"}.get(row["change"], "job-failed")
    report = next((each for each in reports if each["report"] == owed), None)
    job = e.config.job_rule(str(report["job"])) if report is not None else None
    if report is None or job is None:
        yield violated(row, f"the output of run {row.run} is {row['change']} without {owed}")
        return
    site = at_place(job.site, report["place"]) if job.site is not None else None
    found = (row["item"], row["size"], tuple(row["parts"]), row["site"])
    first = e.world_of(row).rows("output-identity", run=row.run)[0]
    if found != (job.output, job.size, job.parts, site):
        yield violated(row, f"the output of run {row.run} is {found}, and {job.id} makes another", report)
    elif row["output"] != first["output"]:
        yield violated(row, f"run {row.run} has {row['output']} beside {first['output']}", first)
