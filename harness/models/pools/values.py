"""Plain values that every part of a pool speaks of: workers, stops, completion halves, jobs."""

from __future__ import annotations

from typing import NamedTuple

from harness.models.pools.correlations import BirthId, DispatchId, GenerationId, JobId, Ordinal, RecoveryId, RequestId


class Worker(NamedTuple):
    """One committed worker: `child` is how reports name it, `evidence` proves its birth. It stays inside the pool."""

    child: BirthId
    evidence: BirthId


class Stop(NamedTuple):
    """A worker ended; `at` is the interpreter's own clock, in ticks."""

    worker: Worker
    abnormal: bool
    at: int


class Birth(NamedTuple):
    """Why a worker is made: an initial one has neither field, a replacement names its recovery and predecessor."""

    recovery: RecoveryId | None = None
    replaces: BirthId | None = None


class Authority(NamedTuple):
    """The half of a completion that a worker holds and can use once; `birth` binds it to that worker."""

    token: DispatchId
    birth: BirthId


class Evidence(NamedTuple):
    """A used authority with the result of the assignment."""

    assignment: DispatchId
    authority: Authority
    result: str


class Command(NamedTuple):
    """What a worker gets: the payload to work on, and the authority to say that it is done."""

    payload: RequestId
    authority: Authority


class Admitted(NamedTuple):
    """Which binding a job was admitted through. It says what was, and grants nothing: the binding may be gone."""

    generation: GenerationId
    role: str


class Obligation(NamedTuple):
    """What the pool owes for one accepted job. It stays with the pool; a worker gets a copy of the payload.

    `admitted` is there where jobs are admitted through bindings.
    """

    job: JobId
    ordinal: Ordinal
    customer: str
    payload: RequestId
    admitted: Admitted | None = None


class QueuedJob(NamedTuple):
    """A waiting job; `prior` is the role that had it before, None where it was never assigned."""

    obligation: Obligation
    prior: int | None


class AssignedJob(NamedTuple):
    """A job on one worker; `token` is the half of the completion that the pool keeps."""

    obligation: Obligation
    assignment: DispatchId
    token: DispatchId
    worker: Worker
    role: int
