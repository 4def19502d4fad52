"""A pytest plugin: `pytest --adoption FILE...` makes a test of every scenario of adoptions.

A test's id is the path of the adoption and `template[row]`, so that `-k`, `--lf`, `-x`, `-n` and reports work as for
any other test. Nothing of the harness is loaded unless the option is used.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from harness.expansion.scenario import Scenario
    from harness.runner import AdoptionRunner
    from harness.verdict.judging import Judged

OPTION = "--adoption"
_FAILING = ("violated", "error", "unreached")
_SKIPPED = ("blind", "nothing-to-check")
_ADOPTIONS = pytest.StashKey[frozenset[Path]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that names adoption files; a test id of one (`FILE::template[row]`) chooses that test alone."""
    group = parser.getgroup("harness", "contract tests of adoptions")
    group.addoption(
        OPTION,
        action="extend",
        nargs="+",
        default=[],
        metavar="FILE",
        help="Make a test of every scenario of these adoptions (paths of other tests stand before this option).",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Collect the adoptions beside the paths that were named; where none was, the adoptions alone."""
    wanted: list[str] = config.getoption(OPTION)
    if not wanted:
        return
    base = config.invocation_params.dir
    config.stash[_ADOPTIONS] = frozenset(_file_of(base, each) for each in wanted)
    named = config.args if config.args_source is pytest.Config.ArgsSource.ARGS else []
    already = {_file_of(base, each) for each in named}
    config.args = [*named, *(each for each in dict.fromkeys(wanted) if _file_of(base, each) not in already)]


def _file_of(base: Path, argument: str) -> Path:
    """The file that an argument, a path or a test id, speaks of."""
    return (base / argument.partition("::")[0]).resolve()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """An adoption that was named, as a collector of its scenarios."""
    adoptions = parent.config.stash.get(_ADOPTIONS, None)
    if adoptions and file_path.resolve() in adoptions:
        return AdoptionFile.from_parent(parent, path=file_path)
    return None


class AdoptionFile(pytest.File):
    """An adoption; its scenarios share what is worked out once for all of them."""

    def collect(self) -> Iterator[pytest.Item]:
        """A test for each scenario, in template order, then row order; CollectError with every error finding."""
        from harness.base.errors import HarnessError

        try:
            runner = self._runner()
        except HarnessError as error:
            raise self.CollectError("\n".join(filter(None, [error.message, error.hint]))) from None
        for scenario in runner.expansion.scenarios:
            name = scenario.id.removeprefix(f"{scenario.instance}/")
            yield ScenarioItem.from_parent(self, name=name, runner=runner, scenario=scenario)

    def _runner(self) -> AdoptionRunner:
        from harness.base.errors import UsageError
        from harness.intake import validate_files
        from harness.runner import AdoptionRunner
        from harness.writers import findings_text

        (intake,) = validate_files([self._shown_path()])
        if not intake.is_valid:
            errors = [each for each in intake.findings if each.severity == "error"]
            raise UsageError(findings_text.told(errors))
        return AdoptionRunner(intake)

    def _shown_path(self) -> str:
        """The path as a user would type it: findings begin with it."""
        base = self.config.invocation_params.dir
        return str(self.path.relative_to(base) if self.path.is_relative_to(base) else self.path)


class ClausesFailed(AssertionError):  # noqa: N818  # named as what it says
    """Clauses of a scenario are violated, an error, or unreached; the message is the whole story."""


class ScenarioItem(pytest.Item):
    """One scenario as a test."""

    def __init__(self, *, runner: AdoptionRunner, scenario: Scenario, **given: Any) -> None:
        super().__init__(**given)
        self._run_of = runner
        self._scenario = scenario

    def runtest(self) -> None:
        """Fail with the clauses that do, skip where there is nothing to check, pass otherwise."""
        judged = self._run_of.judge(self._scenario)
        words = [str(each.verdict) for each in judged.clauses]
        if any(word in _FAILING for word in words):
            raise ClausesFailed(self._story(judged))
        status = str(judged.status)
        if status in _SKIPPED:
            reasons = dict.fromkeys(str(each.reason) for each in judged.clauses if str(each.verdict) == status)
            pytest.skip(f"{status}: {'; '.join(reasons)}")

    def _story(self, judged: Judged) -> str:
        from harness.writers.show_scenario import ShownScenario, failure_text

        entry = self._run_of.render(judged).entry
        instance = self._scenario.instance
        rows = {(f"{instance}-{row.log}", row.seq): row.to_json() for row in judged.recording.rows}
        return failure_text(ShownScenario(entry, self._scenario.to_json(), rows), _FAILING)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The story of the failed clauses alone; anything else is shown as pytest does."""
        if isinstance(excinfo.value, ClausesFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The adoption's path, its first line, and the test's name."""
        return self.path, 0, self.name


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A skipped scenario is said to be skipped in its adoption, not in this module."""
    report = yield
    if isinstance(item, ScenarioItem) and report.skipped and isinstance(report.longrepr, tuple):
        path, line, _ = item.reportinfo()
        report.longrepr = (str(path), line + 1, report.longrepr[2])
    return report
