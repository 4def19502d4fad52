"""What every kind of evidence notes: which logs a judgment looked at, which of them are not there, what was skipped."""

from __future__ import annotations

from functools import cached_property

from harness.run.recording import SKIPPED, Recording


class Looking:
    """Evidence over one recording; `touched` names the logs looked at so far."""

    recording: Recording
    touched: set[str]

    def touch(self, *logs: str) -> None:
        """Notes that a judgment rests on these logs."""
        self.touched.update(logs)

    @property
    def blind(self) -> tuple[str, ...]:
        """The touched logs that the system does not supply, in alphabetical order."""
        return tuple(sorted(self.touched - self.recording.observes))

    @cached_property
    def skipped(self) -> tuple[str, ...]:
        """What the system did not try, with its reason: the first such event of each world, each once."""
        firsts = (next((s for s in run.sent if s.outcome == SKIPPED), None) for run in self.recording.worlds)
        found = (f"the driver skipped {each.event.get('kind')}: {each.reason}" for each in firsts if each is not None)
        return tuple(dict.fromkeys(found))
