"""The benchmarks run; what they measure is for people to read."""

from __future__ import annotations

import pytest

from benchmarks.run_all import main


def test_benchmarks_print_every_table(capsys: pytest.CaptureFixture[str]) -> None:
    """With the smallest sizes every measurement gives a line below its heads."""
    main(["--quick"])
    tables = capsys.readouterr().out.strip().split("\n\n")
    titles = [each.splitlines()[0] for each in tables]
    assert titles == [
        "start-up of a process",
        "adoptions",
        "walks to depth 4",
        "growth with rows",
        "growth with runs",
        "growth with stock",
        "outside systems",
        "beginnings that scenarios share",
    ]
    for table in tables:
        _, heads, *lines = table.splitlines()
        assert lines
        assert all(len(each) == len(heads) for each in lines)
