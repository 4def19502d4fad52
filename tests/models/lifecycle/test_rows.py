"""What the model writes fits the catalogue of logs: columns, their order, types and units."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.models.lifecycle.events import event_to_json
from harness.models.lifecycle.model import Lifecycle
from harness.run.logs import Catalogue, catalogue
from harness.run.recording import COMMON_COLUMNS, LogRow
from harness.run.system import SYSTEM_LOGS, ModelSystem
from tests.models.lifecycle._play import Play
from tests.models.lifecycle._worlds import Walker, mixtures

DIAGNOSTICS = Path(__file__).resolve().parents[3] / "diagnostics"
STOCK = (("flour", 9, "larder"), ("salt", 6, "jar"))


@pytest.fixture(scope="module")
def logs() -> Catalogue:
    """The catalogue of the logs."""
    return catalogue(DIAGNOSTICS)


@pytest.fixture(scope="module")
def rows() -> list[LogRow]:
    """Rows of walks over mixed configurations, numbered as a recording numbers them."""
    found: list[LogRow] = []
    for number, mixed in enumerate(mixtures(14)):
        play = Play(mixed.config, stock=STOCK if mixed.config.timing else ())
        walker = Walker(mixed.config, f"rows-{number}")
        for _ in range(50):
            play.step(walker.event(play.state))
        for seq, draft in enumerate(play.history, 1):
            found.append(LogRow(draft.log, seq, 1, 0, draft.run, draft.batch, draft.settle, draft.data))
    return found


def test_rows_have_the_columns_of_their_log_in_order(logs: Catalogue, rows: list[LogRow]) -> None:
    """No column is missing, none is invented, and they stand in the order of the catalogue."""
    for row in rows:
        spec = logs[row.log]
        owned = tuple(each for each in spec.own_columns if each not in spec.optional)
        assert tuple(row.data) == owned, row.log


def test_rows_fit_the_schema_of_their_log(logs: Catalogue, rows: list[LogRow]) -> None:
    """Every distinct shape of row passes the JSON Schema of its log."""
    shapes = {(row.log, tuple(map(str, row.data.values())), row.batch is None): row for row in rows}
    for row in list(shapes.values())[::7]:
        assert logs[row.log].check(row.to_json()) == (), row


def test_walks_write_every_log_of_the_system(rows: list[LogRow]) -> None:
    """Each log that the model says it writes has rows, and no other."""
    assert {row.log for row in rows} == SYSTEM_LOGS


def test_numbers_go_on_through_the_world() -> None:
    """Settles and batches count from 1 through a world; a batch belongs to one event, and moments are ticks."""
    mixed = next(mixtures(1))
    walker = Walker(mixed.config, "numbers")
    model = Lifecycle(mixed.config)
    system = ModelSystem(model)
    system.begin("numbers", {"stock": [{"item": item, "amount": amount, "source": at} for item, amount, at in STOCK]})
    play = Play(mixed.config, stock=STOCK, closed=True)
    settles: list[int] = []
    batches: list[int] = []
    ticks = 0
    for _ in range(60):
        event = walker.event(play.state)
        answer = system.send(event_to_json(event))
        assert (answer.outcome == "refused") == (play.step(event).refused is not None)
        ticks += event.kind == "tick"
        assert {draft.moment for draft in answer.drafts} <= {ticks}
        mine = {draft.batch for draft in answer.drafts if draft.batch is not None}
        assert not mine & set(batches)
        batches += sorted(mine)
        settles += [draft.settle for draft in answer.drafts if draft.settle is not None]
    assert batches == list(range(1, len(batches) + 1))
    assert settles == sorted(settles)
    assert set(settles) <= set(range(1, max(settles) + 1))
    assert set(COMMON_COLUMNS) == {"seq", "world", "moment", "batch", "settle", "run"}


def test_search_without_rows_settles_the_same_states() -> None:
    """Without the rows that searches don't need the model goes through the same states and tells the same reports."""
    for number, mixed in enumerate(mixtures(14)):
        play = Play(mixed.config, stock=STOCK if mixed.config.timing else ())
        quick = Lifecycle(mixed.config, full=False)
        walker = Walker(mixed.config, f"quick-{number}")
        for _ in range(30):
            event, before = walker.event(play.state), play.state
            told = play.step(event)
            seen = quick.step(before, event)
            assert (seen.state, seen.refused) == (told.state, told.refused)
            kept = [row for row in told.rows if row.log in ("report-log", "state-trace")]
            assert list(seen.rows) == kept
