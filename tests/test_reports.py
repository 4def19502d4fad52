"""Asking for reports, and writing them."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import workspace
from harness.base.errors import UsageError
from harness.reports import ReportWish, parse_reports, write_reports
from harness.writers import report_junit
from harness.writers.report import KINDS
from tests.run_builders import REPORT


def test_wishes_are_kind_and_path() -> None:
    """The path is all that follows the first equals sign."""
    assert parse_reports(("junit=a.xml", "html=odd=name.html")) == (
        ReportWish("junit", "a.xml"),
        ReportWish("html", "odd=name.html"),
    )


@pytest.mark.parametrize(
    ("wishes", "told", "hint"),
    [
        (("junti=a.xml",), "there is no report 'junti'", "junit"),
        (("a.xml",), "there is no report 'a.xml'", "one of"),
        (("junit",), "names no file", "--report junit=PATH"),
        (("junit=",), "names no file", "--report junit=PATH"),
        (("junit=a", "html=a"), "two reports are to be written to a", "file of its own"),
    ],
)
def test_wrong_wishes_are_usage_errors(wishes: tuple[str, ...], told: str, hint: str) -> None:
    """An unknown kind is answered with the nearest one; a wish without a path, or two with one path, are refused."""
    with pytest.raises(UsageError) as raised:
        parse_reports(wishes)
    assert told in raised.value.message
    assert hint in (raised.value.hint or "")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_written(kind: str, tmp_path: Path) -> None:
    """Each kind can be asked for; the folders above its file are made and nothing is left beside it."""
    target = tmp_path / "deep" / "report"
    assert write_reports(parse_reports([f"{kind}={target}"]), REPORT) == ()
    assert target.read_text(encoding="utf-8")
    assert [each.name for each in target.parent.iterdir()] == ["report"]


def test_failing_report_is_told_and_stops_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that crashes, and a place that cannot be written, are errors of their report alone."""

    def crash(report: object) -> str:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(report_junit, "render", crash)
    (tmp_path / "file").write_text("")
    wishes = [f"junit={tmp_path}/a", f"html={tmp_path}/file/b", f"markdown={tmp_path}/c"]
    first, second = write_reports(parse_reports(wishes), REPORT)
    assert first.message == "the junit report was not written: its writer failed: ZeroDivisionError: by zero"
    assert second.message.startswith(f"the html report was not written: cannot write {tmp_path}/file/b")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["c", "file"]


def test_report_that_cannot_be_written_leaves_the_older_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fills half way leaves the older file whole."""
    target = tmp_path / "report.md"
    target.write_text("older")

    def full(path: Path, text: str) -> None:
        path.write_text(text[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(workspace, "_write", full)
    (failed,) = write_reports([ReportWish("markdown", str(target))], REPORT)
    assert "No space left on device" in failed.message
    assert [each.read_text() for each in tmp_path.iterdir()] == ["older"]
