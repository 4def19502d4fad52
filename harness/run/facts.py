"""What can be asked of an adoption before anything runs: its configuration, its questions, the requests it accepts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import product

from harness.contract.questions import asked, effective_answers
from harness.contract.shapes import Adoption
from harness.models.lifecycle.alphabet import Form
from harness.models.lifecycle.claims import share
from harness.models.lifecycle.config import Failure, Fields, JobRule, Phase, Pool
from harness.models.lifecycle.model import Lifecycle, World
from harness.models.lifecycle.state import UNABLE
from harness.models.lifecycle.turn import Tables
from harness.run.binding import lifecycle_config
from harness.run.reduction import TICKS_SMALL, reduce_numbers

RUNS_IN_PLENTY = 6


class Facts:
    """One adoption as the shapes see it. `config` has walkable numbers, `reduced` says which were made smaller.

    With `is_walked` false the numbers stay as they are written: to judge what was not planned here.
    """

    def __init__(self, adoption: Adoption, is_walked: bool = True) -> None:
        self.adoption = adoption
        self.answers: Mapping[str, str] = effective_answers(adoption)
        self.written = lifecycle_config(adoption)
        self.config, self.reduced = reduce_numbers(self.written) if is_walked else (self.written, ())
        self.tables = Tables(self.config)
        self.model = Lifecycle(self.config)
        # Searches need reports and states only; the run itself is recorded with every row.
        self.search_model = Lifecycle(self.config, full=False)

    def asked(self, flag: str) -> bool:
        """Whether the contract asks this question of the adoption."""
        return asked(self.adoption, flag)

    # -- what there is --------------------------------------------------------------------------------------------

    @property
    def pools(self) -> tuple[Pool, ...]:
        """The pools in written order."""
        return self.config.pools

    @property
    def in_place(self) -> bool:
        """Whether the job changes its site instead of making a new thing."""
        return self.config.in_place

    @property
    def has_work(self) -> bool:
        """Whether there is a work phase."""
        return bool(self.config.phases)

    @cached_property
    def has_inputs(self) -> bool:
        """Whether some job takes units."""
        return self.config.timing is not None and any(need.amount for job in self.config.jobs for need in job.needs)

    @cached_property
    def ordinary_stops(self) -> tuple[str, ...]:
        """The causes that can stop a working run: declared interruptions, and being unable to advance."""
        if not self.has_work:
            return ()
        causes = tuple(row.id for row in self.config.interruptions)
        return (*causes, UNABLE) if self.can_be_unable else causes

    @cached_property
    def can_be_unable(self) -> bool:
        """Whether a working run can lack the share of a later work point: it must need more than a start claims."""
        if self.config.timing != "with-progress" or not self.has_work:
            return False
        return any(self._claims_more_later(job) for job in self.config.jobs)

    def _claims_more_later(self, job: JobRule) -> bool:
        rule = next((each for each in self.config.roundings if each.jobs is None or job.id in each.jobs), None)
        phase = self.phase_of(job)
        if rule is None or phase is None:
            return False
        required = TICKS_SMALL if isinstance(phase.work, str) else phase.work
        per_tick = 1 if isinstance(phase.per_tick, str) else phase.per_tick
        initial = per_tick if rule.initial_work is None else rule.initial_work
        # The last tick claims up to the whole, so any start that claims less can lack something later.
        return any(share(need.amount, initial, required, rule.mode) < need.amount for need in job.needs)

    @cached_property
    def can_stop_at_finish_gate(self) -> bool:
        """Whether the finish gate can block: no room under wait-until-space, or units gone under taken-at-finish."""
        room = self.config.output_full == "wait-until-space" and self.has_finite_destination
        return room or (self.config.timing == "taken-at-finish" and self.has_inputs and self.inputs_can_vanish)

    @property
    def inputs_can_vanish(self) -> bool:
        """Units that passed the availability check can be used by another rule before the finish gate reads them."""
        return self.has_work or bool(self.config.pools) or bool(self.config.dependents) or self.has_inputs

    @cached_property
    def has_finite_destination(self) -> bool:
        """Whether some job's normal destination can be full."""
        return any(self.is_finite(job) for job in self.config.jobs)

    def is_finite(self, job: JobRule) -> bool:
        """Whether the job's normal destination can be full, at some place."""
        return any(self.tables.capacities.get(name) is not None for name in self.destination_names(job.destination))

    def destination_names(self, name: str | None) -> tuple[str, ...]:
        """The full names of a destination, one for each place where it holds `{place}`."""
        if name is None:
            return ()
        full = dict.fromkeys(name.replace("{place}", place) for place in self.tables.places())
        return tuple(full) if "{place}" in name and full else (name,)

    @cached_property
    def can_hold_output(self) -> bool:
        """Whether a finished output can find no room anywhere on its route."""
        if self.config.output_full == "hold-undelivered":
            return self.has_finite_destination
        if self.config.output_full != "try-destinations":
            return False
        fallbacks = [name for each in self.config.fallbacks for name in self.destination_names(each)]
        return self.has_finite_destination and all(self.tables.capacities.get(name) is not None for name in fallbacks)

    def can_hold_slot_in(self, pool: Pool) -> bool:
        """Whether a run of this pool can keep its working slot from one event to the next."""
        if pool.working == 0:
            return False
        if self.has_work or self.can_stop_at_finish_gate:
            return True
        return pool.releases_at == "delivered" and (self.config.on_collection or self.can_hold_output)

    @cached_property
    def start_claim_can_fail(self) -> bool:
        """Whether the start gate can find units gone that the availability check saw (a paused admission)."""
        return self.has_inputs and self.config.timing in ("taken-at-start", "with-progress")

    def failure(self, row_id: str) -> Failure:
        """The failures row with its resolved result; KeyError where there is none."""
        for each in self.config.failures:
            if each.id == row_id:
                return each
        raise KeyError(row_id)

    # -- requests -------------------------------------------------------------------------------------------------

    @cached_property
    def forms(self) -> tuple[Form, ...]:
        """Every way to request a job that differs in its job, pool or place; the main job's first."""
        found: dict[tuple[str, str | None, str | None], Form] = {}
        for job, extra in product(self._jobs_main_first(), self._coverage_fields()):
            for place in (None, *self.tables.places()):
                form = self._form(job, extra, place, None)
                if form is not None:
                    found.setdefault((form.job, form.pool, form.place), form)
        return tuple(found.values())

    def _jobs_main_first(self) -> tuple[JobRule, ...]:
        return tuple(sorted(self.config.jobs, key=lambda job: job.id != self.config.job))

    def _coverage_fields(self) -> tuple[Fields, ...]:
        return tuple(dict.fromkeys(((), *(pool.covers.fields for pool in self.pools))))

    def _form(self, job: JobRule, extra: Fields, place: str | None, phase_id: str | None) -> Form | None:
        fields = self._with_duration(extra, job, phase_id)
        pool = self.config.covering_pool(job.id, fields)
        if pool is None or not pool.places:
            return None if place is not None else Form(job.id, pool.id if pool else None, None, fields, phase_id)
        if pool.assignment != "requested":
            # The rule chooses the place: naming one would change nothing.
            return None if place is not None else Form(job.id, pool.id, None, fields, phase_id)
        return Form(job.id, pool.id, place, fields, phase_id) if place in pool.places else None

    def _with_duration(self, extra: Fields, job: JobRule, phase_id: str | None) -> Fields:
        """Fields that the duration rule reads get the smallest values that show a walkable life."""
        fields = dict(extra)
        phase = self.phase_of(job, phase_id)
        if phase is not None:
            if isinstance(phase.work, str):
                fields.setdefault(phase.work, TICKS_SMALL)
            if isinstance(phase.per_tick, str):
                fields.setdefault(phase.per_tick, 1)
        return tuple(sorted(fields.items()))

    def phase_of(self, job: JobRule, phase_id: str | None = None) -> Phase | None:
        """The work phase that a request for the job goes through."""
        named = phase_id or job.phase
        if named is not None:
            return self.tables.phases.get(named)
        return self.config.phases[0] if self.config.phases else None

    def form_for(
        self,
        job: str | None = None,
        pool: str | None = None,
        place: str | None = None,
        phase: str | None = None,
    ) -> Form | None:
        """The first form with this job, pool and place (None: any), going through the named phase."""
        for each in self.forms:
            if job in (None, each.job) and pool in (None, each.pool) and place in (None, each.place):
                if phase is None:
                    return each
                rule = self.tables.jobs[each.job]
                return self._form(rule, each.fields, each.place, phase) or each._replace(phase=phase)
        return None

    def forms_of(self, pool: str | None) -> tuple[Form, ...]:
        """The forms that a pool covers (None: those that no pool covers)."""
        return tuple(each for each in self.forms if each.pool == pool)

    def jobs_of(self, pool: str | None) -> tuple[str, ...]:
        """The jobs that a pool can cover."""
        return tuple(dict.fromkeys(each.job for each in self.forms_of(pool)))

    def places(self, pool: Pool) -> tuple[str | None, ...]:
        """The places of a pool, or the one None of a shared pool."""
        return pool.places or (None,)

    # -- worlds ---------------------------------------------------------------------------------------------------

    def world(
        self,
        runs: int = RUNS_IN_PLENTY,
        room: str = "full",
        extra: tuple[tuple[str, int, str], ...] = (),
        eligible: bool = False,
    ) -> World:
        """A world with units for `runs` runs of every job at every source.

        `room`: `full` is all there can be, `one` fits one output, `none` nothing. `eligible` sets the named
        conditions of the standing orders.
        """
        stock = [(item, amount * runs, source) for (item, source), amount in self._one_run().items() if runs]
        return World(tuple(stock) + extra, self._room(room), self._conditions() if eligible else ())

    def _one_run(self) -> dict[tuple[str, str], int]:
        amounts: dict[tuple[str, str], int] = dict.fromkeys(self.tables.stock_keys(), 0)
        for job in self.config.jobs:
            for place in (*self.tables.places(), None):
                for need, key in zip(job.needs, self.tables.sources(job.id, place), strict=True):
                    amounts[key] = max(amounts[key], need.amount)
        return {key: amount for key, amount in sorted(amounts.items()) if amount and "{place}" not in key[1]}

    def _room(self, room: str) -> tuple[tuple[str, int], ...]:
        size = max((job.size for job in self.config.jobs), default=1)
        free = {}
        for each in self.config.destinations:
            if each.capacity is not None:
                free[each.name] = {"full": each.capacity, "one": min(size, each.capacity), "none": 0}[room]
        return tuple(sorted(free.items()))

    def _conditions(self) -> tuple[tuple[str, str | None, bool], ...]:
        named: list[tuple[str, str | None, bool]] = []
        for row in self.config.standing_orders:
            pool = self.config.pool(row.pool)
            if row.eligible.conditions and pool is not None:
                named.extend((row.id, place, True) for place in self.places(pool))
        return tuple(named)
