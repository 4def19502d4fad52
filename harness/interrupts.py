"""The interrupt key (and being asked to end) while a run is being written: it ends the work, but no write half way."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

# What the system does by itself on each signal; where something else is set up already, that stays.
_DEFAULTS = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}


class Interrupts:
    """Between `__enter__` and `__exit__`, an interrupt raises KeyboardInterrupt only where that is allowed.

    Elsewhere it is remembered in `seen`. Where it cannot be taken over (another thread than the main one, or a
    process that was started with the key ignored) everything is as it was.
    """

    def __init__(self) -> None:
        self.seen = False
        self._allowed = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number, default in _DEFAULTS.items():
                if signal.getsignal(number) is default:
                    self._before[number] = signal.signal(number, self._take)
        return self

    def __exit__(self, *failure: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
        self._before.clear()

    @contextmanager
    def allowed(self) -> Iterator[None]:
        """The stretch in which an interrupt may end the work; one that came before ends it on entering."""
        self._allowed = True
        try:
            if self.seen:
                raise KeyboardInterrupt
            yield
        finally:
            self._allowed = False

    def _take(self, number: int, frame: FrameType | None) -> None:
        self.seen = True
        if self._allowed:
            self._allowed = False
            raise KeyboardInterrupt
