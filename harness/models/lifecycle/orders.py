"""Who stands where: the line of waiting and stopped runs, the pools' orders, and displaced runs (step 18, Order)."""

from __future__ import annotations

from harness.models.lifecycle.turn import Cell, Place, Turn


class Orders(Turn):
    """The order in which waiting and stopped runs of a pool and place are offered a slot."""

    def join_line(self, cell: Cell) -> None:
        """The run's place in settlement order is now: it was admitted into waiting, or stopped."""
        change = "move" if cell.id in self.line else "enter"
        if cell.id in self.line:
            self.line.remove(cell.id)
        self.line.append(cell.id)
        self._record_order(cell, change)

    def leave_line(self, cell: Cell) -> None:
        """The run waits or is stopped no longer."""
        if cell.id in self.line:
            self.line.remove(cell.id)
            self._record_order(cell, "leave")

    def _record_order(self, cell: Cell, change: str) -> None:
        if self.full:
            order = self.order(cell.where)
            self.note("waiting-order-record", cell.id, pool=cell.pool, place=cell.place, change=change, order=order)

    def order(self, where: Place) -> list[str]:
        """Waiting and stopped runs of a pool and place in the pool's order (step 18); without a pool, the line's."""
        mine = [run for run in self.line if self.cells[run].where == where]
        pool = self.tables.pools.get(where[0] or "")
        if pool is not None:
            for key in reversed(pool.order):
                # A stable sort from the last field to the first; ties keep the order of the line.
                mine.sort(key=lambda run: self._order_value(run, key.field), reverse=key.descending)
        return self._after_displacers(mine)

    def _order_value(self, run: str, field: str) -> tuple[int, int | str]:
        if field == "admission":
            return 0, self.line.index(run)
        value = dict(self.cells[run].fields).get(field, 0)
        # Numbers stand before text.
        return (1, value) if isinstance(value, str) else (0, value)

    def _after_displacers(self, mine: list[str]) -> list[str]:
        if not self.displaced:
            return mine
        remaining, ordered = list(mine), []
        while remaining:
            behind = {run for run, displacer in self.displaced if displacer in remaining}
            chosen = next(run for run in remaining if run not in behind)
            remaining.remove(chosen)
            ordered.append(chosen)
        return ordered

    # -- displacements --------------------------------------------------------------------------------------------

    def displace(self, run: str, displacer: str) -> None:
        """`run` was displaced by `displacer`; a circle that this closes loses its oldest displacement."""
        if (run, displacer) in self.displaced:
            self.displaced.remove((run, displacer))
        self.displaced.append((run, displacer))
        while circle := self._circle(run):
            self.displaced.remove(next(pair for pair in self.displaced if pair in circle))

    def _circle(self, start: str) -> list[tuple[str, str]]:
        """The displacements of a circle through `start`, none where there is no circle."""
        pending: list[tuple[str, list[tuple[str, str]]]] = [(start, [])]
        seen: set[str] = set()
        while pending:
            run, path = pending.pop()
            for pair in self.displaced:
                if pair[0] != run:
                    continue
                if pair[1] == start:
                    return [*path, pair]
                if pair[1] not in seen:
                    seen.add(pair[1])
                    pending.append((pair[1], [*path, pair]))
        return []

    def end_displacements(self, run: str, as_displacer: bool) -> None:
        """A displacement ends when the displaced run resumes, or either run ends."""
        self.displaced = [pair for pair in self.displaced if pair[0] != run and not (as_displacer and pair[1] == run)]
