"""The interrupt key while a run is being written: it ends the work at once, but no write half way."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupts:
    """Between `__enter__` and `__exit__`, an interrupt raises KeyboardInterrupt only where that is allowed.

    Elsewhere it is remembered in `seen`. Where it cannot be taken over (another thread than the main one, or a
    process that was started with the key ignored) everything is as it was.
    """

    def __init__(self) -> None:
        self.seen = False
        self._allowed = False
        self._is_taken = False

    def __enter__(self) -> Interrupts:
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._take)
            self._is_taken = True
        return self

    def __exit__(self, *failure: object) -> None:
        if self._is_taken:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._is_taken = False

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
