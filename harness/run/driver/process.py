"""A driver as a child process: a line in, a line out, in a process group of its own that ends with it.

Standard error goes to a temporary file, so that a driver that prints a lot cannot block itself. Reading is done by a
thread, so that every answer has a time limit on every system.
"""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from typing import IO

from harness.run.driver.faults import PRINTED_MAX, DriverFault

#: A longer line is no answer.
LINE_MAX = 8 * 1024 * 1024
#: What the child gets of the caller's environment, besides what the command line adds.
PASSED_ON = ("PATH", "HOME", "LANG", "SYSTEMROOT")
STOP_S = 2.0

_CLOSED = object()


class LineProcess:
    """One running driver. Raises DriverFault for everything that keeps it from answering."""

    def __init__(self, command: Sequence[str], extra: Mapping[str, str], timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as the process
        environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ} | dict(extra)
        try:
            self._child = subprocess.Popen(
                [shutil.which(command[0], path=environment.get("PATH")) or command[0], *command[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                env=environment,
                start_new_session=os.name == "posix",
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except OSError as error:
            self._stderr.close()
            raise DriverFault(f"the driver {command[0]} cannot be started: {error.strerror or error}") from error
        self._lines: queue.Queue[object] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        out = self._child.stdout
        while out is not None:
            try:
                line = out.readline(LINE_MAX)
            except (OSError, ValueError):
                break
            if not line:
                break
            self._lines.put(line)
            if not line.endswith(b"\n") and len(line) >= LINE_MAX:
                break
        self._lines.put(_CLOSED)

    def ask(self, line: bytes) -> bytes:
        """Send one line and wait for one; what came unasked before it is an answer out of turn."""
        if not self._lines.empty():
            self._unasked()
        self.tell(line)
        try:
            answer = self._lines.get(timeout=self._timeout_s)
        except queue.Empty:
            raise DriverFault(f"the driver gave no answer within {self._timeout_s:g} s", self.printed()) from None
        if answer is _CLOSED:
            raise DriverFault(f"the driver {self._ending()}", self.printed())
        if not isinstance(answer, bytes) or not answer.endswith(b"\n"):
            raise DriverFault(f"the driver wrote a line of more than {LINE_MAX} bytes, or none", self.printed())
        return answer

    def _unasked(self) -> None:
        waiting = self._lines.get()
        if waiting is _CLOSED:
            raise DriverFault(f"the driver {self._ending()}", self.printed())
        raise DriverFault(f"the driver wrote without being asked: {_shown(waiting)}", self.printed())

    def tell(self, line: bytes) -> None:
        """Send one line."""
        try:
            if self._child.stdin is not None:
                self._child.stdin.write(line)
                self._child.stdin.flush()
        except OSError as error:
            raise DriverFault(f"the driver {self._ending()}", self.printed()) from error

    def _ending(self) -> str:
        """How the driver went: its exit status, or that it only closed its output."""
        try:
            status = self._child.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            return "closed its output"
        return f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"

    def printed(self) -> str:
        """The end of what the driver wrote to standard error."""
        with contextlib.suppress(OSError, ValueError):
            size = os.fstat(self._stderr.fileno()).st_size
            self._stderr.seek(max(0, size - PRINTED_MAX))
            return self._stderr.read().decode("utf-8", "replace")
        return ""

    def close(self, farewell: bytes | None = None) -> None:
        """Say farewell, give the driver a moment, then end it with everything that it started."""
        if farewell is not None:
            with contextlib.suppress(DriverFault):
                self.tell(farewell)
        with contextlib.suppress(OSError):
            if self._child.stdin is not None:
                self._child.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(timeout=STOP_S if farewell is not None else 0.05)
        self._kill_group()
        self._child.wait()
        if self._child.stdout is not None:
            with contextlib.suppress(OSError):
                self._child.stdout.close()
        self._stderr.close()

    def _kill_group(self) -> None:
        """End the whole group, also where the driver itself is gone and has left children behind."""
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._child.pid, signal.SIGKILL)
        else:
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(self._child.pid)], capture_output=True, check=False)
        with contextlib.suppress(OSError):
            self._child.kill()


def _shown(line: object) -> str:
    text = line.decode("utf-8", "replace") if isinstance(line, bytes) else str(line)
    return text.strip()[:200]
