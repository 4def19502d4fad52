"""A driver in front of another one that shows only some of its logs. Only the standard library is used.

    harness run --driver "python show_only.py report-log python toy_engine.py" ../../adoptions/bakery-oven/*.yaml
    harness run --driver "python show_only.py report-log,claim-ledger harness driver" ../../adoptions/bakery-oven/*.yaml

The first word names the logs, the others are the driver. Try with it what a run can still tell when your system writes
no more than these logs: what it cannot tell is blind.
"""

from __future__ import annotations

import json
import subprocess
import sys


def narrowed(answer: dict, logs: list[str]) -> dict:
    """The answer without the logs that are not to be seen."""
    if "observes" in answer:
        answer["observes"] = [each for each in answer["observes"] if each in logs]
    if "records" in answer:
        answer["records"] = [each for each in answer["records"] if each["log"] in logs]
    return answer


def main() -> None:
    """A line to the driver, its answer back, until one of the two has gone."""
    if len(sys.argv) < 3:
        sys.exit("write: show_only.py LOG,LOG,... COMMAND")
    logs, command = sys.argv[1].split(","), sys.argv[2:]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as driver:
        for line in sys.stdin.buffer:
            driver.stdin.write(line)
            driver.stdin.flush()
            answer = driver.stdout.readline()
            if not answer:
                break
            print(json.dumps(narrowed(json.loads(answer), logs)), flush=True)


if __name__ == "__main__":
    main()
