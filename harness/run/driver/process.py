"""A driver as a child process: a line in, a line out, in a process group of its own that ends with it.

What left the group by making itself a session still has the environment that it was started with. On Linux a mark in
it is looked for, and what has it is ended too; elsewhere, and from what clears its environment, it stays.

Three threads carry the lines, so that every answer has a time limit on every system: a driver that does not read, does
not write, or writes without end blocks none but itself. Of its standard error the end is kept.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import queue
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from harness.run.driver.faults import PRINTED_MAX, DriverFault

#: A longer line is no answer.
LINE_MAX = 8 * 1024 * 1024
#: Lines that may wait unread: a driver that answers in turn has one at most.
LINES_MAX = 16
#: What the child gets of the caller's environment, besides what the command line adds.
PASSED_ON = ("PATH", "HOME", "LANG", "SYSTEMROOT")
#: The variable that marks everything a driver starts: which harness process, and which of its drivers.
MARK = "HARNESS_DRIVER"
_PROCESSES = Path("/proc")
_numbers = itertools.count(1)
ROUNDS = 10
STOP_S = 2.0
SETTLE_S = 0.5
LOOK_S = 0.2

_CLOSED = b""


class LineProcess:
    """One running driver. Raises DriverFault for everything that keeps it from answering."""

    def __init__(self, command: Sequence[str], extra: Mapping[str, str], timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._mark = f"{os.getpid()}-{next(_numbers)}"
        environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ} | dict(extra)
        environment[MARK] = self._mark
        try:
            self._child = subprocess.Popen(
                [shutil.which(command[0], path=environment.get("PATH")) or command[0], *command[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                start_new_session=os.name == "posix",
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise DriverFault(f"the driver {command[0]} cannot be started: {why}") from error
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        assert self._child.stderr is not None
        self._tail = b""
        self._to_send: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._lines: queue.Queue[bytes] = queue.Queue(LINES_MAX)
        self._reader = self._thread(self._read, self._child.stdout)
        self._writer = self._thread(self._write, self._child.stdin)
        self._listener = self._thread(self._listen, self._child.stderr)

    # -- the threads ----------------------------------------------------------------------------------------------

    def _thread(self, job: object, pipe: IO[bytes]) -> threading.Thread:
        thread = threading.Thread(target=job, args=(pipe,), daemon=True)  # type: ignore[arg-type]  # one of ours
        thread.start()
        return thread

    def _read(self, pipe: IO[bytes]) -> None:
        """Put every line into the queue, and an empty one at the end."""
        with contextlib.suppress(OSError, ValueError), pipe:
            while line := pipe.readline(LINE_MAX):
                self._lines.put(line)
                if not line.endswith(b"\n"):
                    break
        self._lines.put(_CLOSED)

    def _write(self, pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError), pipe:
            while (line := self._to_send.get()) is not None:
                pipe.write(line)
                pipe.flush()

    def _listen(self, pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError), pipe:
            while part := os.read(pipe.fileno(), 1 << 16):
                self._tail = (self._tail + part)[-PRINTED_MAX:]

    # -- talking --------------------------------------------------------------------------------------------------

    def ask(self, line: bytes) -> bytes:
        """Send one line and wait for one; what came unasked before it is an answer out of turn."""
        with contextlib.suppress(queue.Empty):
            self._unasked(self._lines.get_nowait())
        self._to_send.put(line)
        answer = self._next_line()
        if answer == _CLOSED:
            raise self._ended()
        if not answer.endswith(b"\n"):
            self._refuse_broken(answer)
        return answer

    def _next_line(self) -> bytes:
        """The next line; what the driver left behind can hold its output open, so its end is looked for as well."""
        until = time.monotonic() + self._timeout_s
        while (left := until - time.monotonic()) > 0:
            has_ended = self._child.poll() is not None
            with contextlib.suppress(queue.Empty):
                return self._lines.get(timeout=min(LOOK_S, left))
            if has_ended:
                return _CLOSED
        raise DriverFault(f"the driver gave no answer within {self._timeout_s:g} s", self.printed())

    def _refuse_broken(self, answer: bytes) -> None:
        if len(answer) >= LINE_MAX:
            raise DriverFault(f"the driver wrote a line of more than {LINE_MAX} bytes", self.printed())
        raise DriverFault(f"the driver {self._ending()} inside a line: {_shown(answer)}", self.printed())

    def _unasked(self, waiting: bytes) -> None:
        if waiting == _CLOSED:
            raise self._ended()
        raise DriverFault(f"the driver wrote without being asked: {_shown(waiting)}", self.printed())

    def _ended(self) -> DriverFault:
        return DriverFault(f"the driver {self._ending()}", self.printed())

    def _ending(self) -> str:
        """How the driver went: its exit status, or that it only closed its output."""
        try:
            status = self._child.wait(timeout=SETTLE_S)
        except subprocess.TimeoutExpired:
            return "closed its output"
        self._listener.join(SETTLE_S)
        return f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"

    def printed(self) -> str:
        """The end of what the driver wrote to standard error."""
        return self._tail.decode("utf-8", "replace")

    # -- ending ---------------------------------------------------------------------------------------------------

    def close(self, farewell: bytes | None = None) -> None:
        """Say farewell, give the driver a moment, then end it with everything that it started."""
        if farewell is not None:
            self._to_send.put(farewell)
        self._to_send.put(None)  # closes the driver's input behind the last line
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(timeout=STOP_S if farewell is not None else 0.05)
        self._kill_group()
        self._child.wait()
        for _ in range(ROUNDS):  # what is ended may have started another one just before
            if not self._kill_marked():
                break
        for _ in range(LINES_MAX + 1):  # a reader that waits for room in the queue can leave now
            with contextlib.suppress(queue.Empty):
                self._lines.get_nowait()
        for thread in (self._reader, self._writer, self._listener):
            thread.join(SETTLE_S)

    def _kill_group(self) -> None:
        """End the whole group, also where the driver itself is gone and has left children behind."""
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._child.pid, signal.SIGKILL)
        else:
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(self._child.pid)], capture_output=True, check=False)
        with contextlib.suppress(OSError):
            self._child.kill()

    def _kill_marked(self) -> bool:
        """End what the driver started and what left its group; whether there was any."""
        mark, found = f"{MARK}={self._mark}".encode(), False
        for each in _PROCESSES.glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if mark in each.read_bytes().split(b"\0"):
                    os.kill(int(each.parent.name), signal.SIGKILL)
                    found = True
        return found


def _shown(line: bytes) -> str:
    return line.decode("utf-8", "replace").strip()[:200]
