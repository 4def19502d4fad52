"""A driver that is a Python class, in a process of its own: the same time limits, the same fresh starts."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.base.errors import UsageError
from harness.run.driver.channel import Message, ProcessChannel
from harness.run.driver.faults import DriverFault

HOST = Path(__file__).with_name("host.py")
#: Where the child looks for modules.
MODULES = "PYTHONPATH"


class HostedChannel(ProcessChannel):
    """An object of `module` with one method, `answer(message)`, that takes and gives messages as dictionaries.

    The module is looked for where this process looks for modules, and in the folder that the caller is in. Raises
    UsageError where there is no such class, DriverFault where it cannot be made or gives no answer.
    """

    def __init__(self, module: str, name: str, extra: Mapping[str, str], timeout_s: float) -> None:
        places = [*extra.get(MODULES, "").split(os.pathsep), os.getcwd(), *sys.path]
        environment = {**extra, MODULES: os.pathsep.join(dict.fromkeys(each for each in places if each))}
        super().__init__((sys.executable, str(HOST)), environment, timeout_s)
        try:
            reply = self._reply({"module": module, "name": name})
            if "unusable" in reply:
                raise UsageError(
                    f"the driver py:{module}:{name} cannot be imported: {reply['unusable']}",
                    "run from the folder it is in, and write py:module:Class",
                )
        except BaseException:
            self.close(None)
            raise

    def ask(self, message: Message) -> Any:
        """Call the object; what it raises is its own fault."""
        return self._reply(message).get("answer")

    def _reply(self, message: Message) -> Mapping[str, Any]:
        reply: Mapping[str, Any] = super().ask(message)
        if "fault" in reply:
            raise DriverFault(reply["fault"], self.printed())
        return reply
