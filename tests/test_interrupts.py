"""The interrupt key: raised where that is allowed, remembered elsewhere."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from harness.interrupts import Interrupts


def press(key: signal.Signals = signal.SIGINT) -> None:
    """The interrupt key; the interpreter takes it at its next step."""
    os.kill(os.getpid(), key)
    for _ in range(100):
        pass


@pytest.mark.parametrize("key", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_ends_what_may_be_ended(key: signal.Signals) -> None:
    """Inside the allowed stretch the key, or being asked to end, raises at once, and is remembered."""
    with Interrupts() as interrupts:
        with pytest.raises(KeyboardInterrupt), interrupts.allowed():
            press(key)
        assert interrupts.seen


def test_interrupt_elsewhere_waits() -> None:
    """Outside of it the key is remembered only, and ends the next stretch before it begins."""
    reached = False
    with Interrupts() as interrupts:
        press()
        assert interrupts.seen
        with pytest.raises(KeyboardInterrupt), interrupts.allowed():
            reached = True
    assert not reached


def test_key_is_given_back() -> None:
    """After the block the key does what it did before."""
    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
    with Interrupts():
        assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] != before
    assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] == before


def test_ignored_key_stays_ignored() -> None:
    """A process that was started with the key ignored, as in the background, keeps it so."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Interrupts():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_another_thread_leaves_the_key_alone() -> None:
    """Only the main thread can take the key over; elsewhere a run works without."""
    entered: list[bool] = []

    def work() -> None:
        with Interrupts() as interrupts, interrupts.allowed():
            entered.append(interrupts.seen)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert entered == [False]
