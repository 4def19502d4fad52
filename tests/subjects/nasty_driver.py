"""Drivers with one flaw each, for the harness to survive: `python nasty_driver.py FLAW MARK`.

The mark is only there to be seen in the list of processes; what is started by the driver has it too. Without the flaw
this is a driver that takes every event and reports nothing. Only the standard library is used.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

FLAW, MARK = sys.argv[1:]
OBSERVES = ["report-log"]
FOREVER = 600.0


def say(value: object) -> int:
    return write(json.dumps(value))


def write(text: str) -> int:
    count = sys.stdout.write(text + "\n")
    sys.stdout.flush()
    return count


def plain(message: dict[str, Any]) -> dict[str, Any]:
    """The answer of a driver without a flaw."""
    seq, verb = message["seq"], message["cmd"]
    if verb == "start":
        named = {"name": "nasty", "version": None, "language": "Python", "homepage": None}
        return {"seq": seq, "ok": True, "implementation": named, "observes": OBSERVES, "time": "virtual"}
    if verb == "event":
        return {"seq": seq, "ok": True, "records": []}
    return {"seq": seq, "ok": True}


def crash() -> None:
    print("it broke at the oven door", file=sys.stderr, flush=True)
    sys.exit(3)


def hang() -> None:
    print("waiting for the oven", file=sys.stderr, flush=True)
    time.sleep(FOREVER)


def close_output() -> None:
    os.close(1)
    time.sleep(FOREVER)


def giant_line() -> None:
    for _ in range(20):
        sys.stdout.write("x" * (1 << 20))
    sys.stdout.flush()
    time.sleep(FOREVER)


def half_a_line() -> None:
    sys.stdout.write('{"seq": 4, "ok":')
    sys.stdout.flush()
    sys.exit(0)


def flood() -> None:
    while True:
        write('{"seq": 0}')


def deaf() -> None:
    """Reads nothing more, but a message that no pipe holds is still on its way."""
    time.sleep(FOREVER)


#: What happens instead of the answer to an event.
INSTEAD: dict[str, Callable[[], object]] = {
    "crash": crash,
    "hang": hang,
    "close-output": close_output,
    "giant-line": giant_line,
    "half-a-line": half_a_line,
    "flood": flood,
    "killed": lambda: os.kill(os.getpid(), 9),
    "garbage": lambda: write("<html>service unavailable</html>"),
    "empty-line": lambda: write(""),
    "a-list": lambda: say([1, 2]),
    "a-number": lambda: say(7),
    "not-utf-8": lambda: (sys.stdout.buffer.write(b"\xff\xfe\n"), sys.stdout.buffer.flush()),
    "deep": lambda: write("[" * 100_000),
    "nothing-known": lambda: say({"seq": last["seq"]}),
    "ok-and-refused": lambda: say({"seq": last["seq"], "ok": True, "refused": "both", "records": []}),
    "records-no-list": lambda: say({"seq": last["seq"], "ok": True, "records": {}}),
    "record-no-object": lambda: say({"seq": last["seq"], "ok": True, "records": ["job-requested"]}),
    "unknown-log": lambda: say({"seq": last["seq"], "ok": True, "records": [{"log": "reprot-log", "seq": 1}]}),
    "no-row-number": lambda: say({"seq": last["seq"], "ok": True, "records": [{"log": "report-log"}]}),
    "wrong-type": lambda: say(
        {"seq": last["seq"], "ok": True, "records": [{"log": "report-log", "seq": 1, "causes": "requester"}]}
    ),
    "wrong-seq": lambda: say({"seq": 9_999, "ok": True, "records": []}),
    "late": lambda: say({"seq": last["seq"] - 1, "ok": True, "records": []}),
    "no-seq": lambda: say({"ok": True, "records": []}),
    "answers-twice": lambda: [say(each) for each in [plain(last)] * 2],
}

#: Flaws in the answers to the other verbs.
GREETINGS: dict[str, dict[str, Any]] = {
    "no-greeting": {"ok": True},
    "no-report-log": {**plain({"seq": 1, "cmd": "start"}), "observes": ["state-trace"]},
    "no-time": {**plain({"seq": 1, "cmd": "start"}), "time": "some"},
}

last: dict[str, Any] = {}


def answer(message: dict[str, Any]) -> None:
    """Answer one message, with the flaw where it belongs."""
    verb = message["cmd"]
    if verb == "start" and FLAW in GREETINGS:
        say({**GREETINGS[FLAW], "seq": message["seq"]})
    elif verb == "start" and FLAW == "crash-at-start":
        crash()
    elif verb == "start" and FLAW == "deaf":
        say(plain(message))
        deaf()
    elif verb == "adopt" and FLAW == "unsupported":
        say({"seq": message["seq"], "unsupported": ["standing orders", "failures"]})
    elif verb == "begin" and FLAW == "no-world":
        say({"seq": message["seq"], "ok": False, "reason": "the shelf is being painted"})
    elif verb == "begin" and FLAW == "crash-at-begin":
        crash()
    elif verb == "event" and FLAW in INSTEAD:
        INSTEAD[FLAW]()
    elif verb == "event" and FLAW == "skips":
        say({"seq": message["seq"], "skipped": True, "reason": "there is no such button", "issue": "tracker 12"})
    elif verb == "event" and FLAW == "refuses":
        say({"seq": message["seq"], "refused": "not today"})
    elif verb == "end" and FLAW == "ends-at-end":
        say(plain(message))
        sys.exit(0)
    elif verb == "stop" and FLAW == "ignores-stop":
        time.sleep(FOREVER)
    else:
        say(plain(message))


def main() -> None:
    """Serve until the input ends, where the flaw lets it."""
    if FLAW == "unasked":
        say({"hello": "world"})
        say({"hello": "again"})
    if FLAW == "chatters":
        sys.stderr.write("noise\n" * 200_000)
    if FLAW in ("grandchild", "crash-with-grandchild"):
        subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({FOREVER})", MARK])
    if FLAW == "grandchild-with-a-session":
        asleep = f"import time; time.sleep({FOREVER})"
        subprocess.Popen([sys.executable, "-c", asleep, MARK], start_new_session=True)
    for line in sys.stdin:
        last.clear()
        last.update(json.loads(line))
        if FLAW == "crash-with-grandchild" and last["cmd"] == "event":
            crash()
        answer(last)
        if last["cmd"] == "stop":
            return


if __name__ == "__main__":
    main()
