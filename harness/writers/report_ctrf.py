"""A run in the Common Test Report Format, a JSON form that many report viewers read.

The format wants times; they are 0, so that the same run gives the same bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from harness import __version__
from harness.base.verdict import Status
from harness.writers.report import RunReport, details, errors_of, headline, name_of
from harness.writers.run_document import AdoptionRun

_STATUSES = {
    Status.PASS: "passed",
    Status.FAIL: "failed",
    Status.ERROR: "failed",
    Status.UNREACHED: "other",
    Status.BLIND: "other",
    Status.NOTHING_TO_CHECK: "skipped",
    Status.KNOWN: "skipped",
}
_WORDS = ("passed", "failed", "skipped", "pending", "other")


def render(report: RunReport) -> str:
    """The JSON text: a summary, and a test for each scenario and for each adoption that is not valid."""
    tests = [test for each in report.adoptions for test in _tests(each, report)]
    counts = Counter(each["status"] for each in tests)
    document = {
        "reportFormat": "CTRF",
        "specVersion": "0.0.0",
        "results": {
            "tool": {"name": "harness", "version": __version__},
            "summary": {"tests": len(tests), **{word: counts[word] for word in _WORDS}, "start": 0, "stop": 0},
            "tests": tests,
        },
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _tests(adoption: AdoptionRun, report: RunReport) -> Iterator[dict[str, Any]]:
    name, errors = name_of(adoption), errors_of(adoption)
    if errors:
        said = [f"{each.position}: {each.rule}: {each.message}" for each in errors]
        yield _test(adoption, f"{name}/adoption", "failed", "finding", said[0], "\n".join(said))
    for result in adoption.results:
        message = headline(result.entry, report.reasons.get(result.id))
        yield _test(
            adoption, result.id, _STATUSES[Status(result.status)], result.status, message, details(result.entry)
        )


def _test(adoption: AdoptionRun, name: str, status: str, raw: str, message: str, trace: str) -> dict[str, Any]:
    said = {"message": message, "trace": trace} if message else {}
    return {
        "name": name,
        "status": status,
        "duration": 0,
        "suite": [name_of(adoption)],
        "rawStatus": raw,
        "filePath": adoption.path,
        **said,
    }
