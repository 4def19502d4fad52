"""A planned world sent into a system, event by event."""

from __future__ import annotations

from harness.run.memory import Answer
from harness.run.plan import PlannedWorld
from harness.run.recording import ACCEPTED, SKIPPED, SentDrafts, WorldDrafts
from harness.run.system import System


def send_world(scenario: str, world: PlannedWorld, system: System) -> WorldDrafts:
    """One world; what follows an event that the system skipped rests on it, and is not sent.

    A system with a memory is not asked again for a world that begins one it has finished before.
    """
    # asked first: a driver is met by it, and what it says of its time decides whether it has a memory
    memory = system.memory
    answers = None if memory is None else memory.recall(world.world, world.events)
    if answers is None:
        answers = _asked(scenario, world, system)
        if memory is not None:
            memory.keep(world.world, world.events, answers)
    sent: list[SentDrafts] = []
    moment = 0
    for event, answer in zip(world.events, answers, strict=False):
        sent.append(SentDrafts(event, answer.outcome, answer.reason, moment, answer.drafts))
        if event["kind"] == "tick" and answer.outcome == ACCEPTED:
            moment += 1
    if len(sent) < len(world.events):
        resting = f"it rests on an event that was skipped: {answers[-1].reason}"
        sent.extend(SentDrafts(event, SKIPPED, resting, moment) for event in world.events[len(sent) :])
    return WorldDrafts(world.world, world.shapes, tuple(sent))


def _asked(scenario: str, world: PlannedWorld, system: System) -> tuple[Answer, ...]:
    """The answers to the events, up to the first that was skipped."""
    system.begin(scenario, world.world)
    answers: list[Answer] = []
    for event in world.events:
        answers.append(system.send(event))
        if answers[-1].outcome == SKIPPED:
            break
    system.end()
    return tuple(answers)
