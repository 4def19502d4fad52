"""Runs one trial in a forked child: what it found comes back through a pipe, and nothing it did remains."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import sys
from collections.abc import Callable
from typing import NoReturn

#: A trial that used this much of the processor, or took this long, counts as killed: the mutant hangs.
CPU_SECONDS = 60
WALL_SECONDS = 300

#: What a trial says: `killed`, `survived` or `broken` (the module cannot be imported), with what showed it.
Said = tuple[str, str]


def in_child(trial: Callable[[], Said], warm: bool = False) -> Said:
    """What the trial says; a child that dies, hangs or says nothing is `killed`. A `warm` one leaves its bytecode."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _run(trial, writing, warm)
    os.close(writing)
    text = _read(reading, child)
    _, status = os.waitpid(child, 0)
    if text:
        word, by = json.loads(text)
        return str(word), str(by)
    return "killed", "time limit" if os.WIFSIGNALED(status) else "the test run broke down"


def _run(trial: Callable[[], Said], writing: int, warm: bool) -> NoReturn:
    """The child's whole life; it leaves without the parent's clean-up."""
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
        sys.dont_write_bytecode = not warm  # else bytecode of a mutated module could outlive it
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        said = trial()
    except BaseException as fault:
        said = ("killed", f"{type(fault).__name__}: {fault}"[:200])
    os.write(writing, json.dumps(said).encode())
    os._exit(0)


def _read(reading: int, child: int) -> str:
    """All that the child writes; it is ended when it takes too long."""
    text, left = b"", WALL_SECONDS
    while True:
        # Counted second by second: time in which both processes were paused is no time that the child took.
        ready, _, _ = select.select([reading], [], [], 1.0)
        if ready:
            part = os.read(reading, 4096)
            if not part:
                break
            text += part
        elif left := left - 1:
            continue
        else:
            os.kill(child, signal.SIGKILL)
            break
    os.close(reading)
    return text.decode()
