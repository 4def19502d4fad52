"""Adoptions put together from choices: every answer and row option, in any combination that the contract allows.

A choice that the rest rules out is dropped rather than refused (no partial-work answer where nothing can stop the
work), so that any combination of choices gives a valid adoption. All addresses lead to one made-up repository.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

#: Every choice with its options; the first option is the plainest.
CHOICES: Mapping[str, tuple[str, ...]] = {
    "inputs": ("none", "taken-at-request", "taken-at-start", "taken-at-finish", "with-progress"),
    "output": ("new-thing", "in-place", "compound"),
    "output-full": ("never-full", "wait-before-start", "wait-until-space", "hold-undelivered", "try-destinations"),
    "delivery": ("unanswered", "automatic", "on-collection"),
    "destination": ("unlimited", "one", "two"),
    "fallbacks": ("finite", "unlimited", "two-finite"),
    "work": ("none", "three-ticks", "fractions", "field", "two-phases"),
    "partial-work": ("keep-with-job", "reset-at-stop", "reverse-while-stopped"),
    "stopped-claims": ("hold", "release-and-reclaim"),
    "interruptions": ("none", "one", "two", "worker"),
    "rounding": ("up", "down", "nearest", "current", "initial"),
    "offer-check": ("none", "full"),
    "failures": (
        "none",
        "working-loses-inputs",
        "working-loses-work",
        "waiting",
        "stopped",
        "finished",
        "working-ruined",
        "default-recoverable",
        "default-ruined",
    ),
    "cancellations": ("none", "one", "two"),
    "cancel-return": ("return-claimed", "return-nothing", "by-fraction", "by-amounts", "by-item"),
    "dependents": ("none", "end-dependents", "leave-dependents"),
    "pool": ("none", "shared-one", "shared-two", "each-place", "two-pools", "closed"),
    "waiting": ("unlimited", "none", "one", "two"),
    "order": ("request-order", "by-field", "newest-first"),
    "assignment": ("requested", "first-free", "fewest-waiting", "round-robin"),
    "releases": ("unsaid", "finished", "delivered"),
    "standing": ("none", "condition", "below", "usable"),
    "polled": ("no", "yes"),
    "cases": ("none", "always", "short-and-enough"),
}

_AT = "made@1:rules"
_JOB, _FIRST, _SECOND = "make", "prepare", "polish"


def assemble(choices: Mapping[str, str], instance: str = "made-up") -> dict[str, Any]:
    """The adoption document for these choices; a choice that is not named takes its first option."""
    return _Assembly({**{name: options[0] for name, options in CHOICES.items()}, **choices}).document(instance)


class _Assembly:
    """One document while it is put together."""

    def __init__(self, choices: Mapping[str, str]) -> None:
        self.chosen = choices
        self.in_place = choices["output"] == "in-place"
        self.has_inputs = choices["inputs"] != "none"
        self.progress = choices["inputs"] == "with-progress"
        self.works = choices["work"] != "none"
        self.output_full = "never-full" if self.in_place else choices["output-full"]
        self.on_collection = choices["delivery"] == "on-collection" and not self.in_place
        self.interrupted = self.works and choices["interruptions"] != "none"
        self.stops = self.works and (self.interrupted or self.progress)
        self.cancels = choices["cancellations"] != "none"
        self.pooled = choices["pool"] != "none"
        self.each_place = choices["pool"] == "each-place"
        self.linked = choices["dependents"] != "none" and self.cancels
        self.rules: dict[str, dict[str, Any]] = {}
        self.collections: dict[str, list[dict[str, str]]] = {}

    def document(self, instance: str) -> dict[str, Any]:
        """The whole document."""
        self._jobs()
        for build in (self._pools, self._work, self._claims, self._delivery, self._endings, self._standing_orders):
            build()
        return {
            "contract": "job-resolution",
            "version": 2,
            "instance": instance,
            "job": {
                "id": _JOB,
                "job-declared-in": f"{_AT}#{_JOB}",
                "output": "in-place" if self.in_place else "new-thing",
            },
            "answers": dict(self._answers()),
            "collections": self.collections,
            "rules": self.rules,
        }

    def _cite(self, name: str, kind: str, value: Any) -> str:
        address = f"{_AT}#{name}"
        self.rules.setdefault(address, {})[kind] = value
        return address

    def _row(self, collection: str, row_id: str, **fields: str) -> None:
        named = {name.replace("_", "-"): value for name, value in fields.items()}
        self.collections.setdefault(collection, []).append({"id": row_id, **named})

    # -- the job and its links ------------------------------------------------------------------------------------

    def _jobs(self) -> None:
        for job in (_JOB, *((_FIRST, _SECOND) if self.linked else ())):
            rule = self._job_rule()
            self._cite(job, "job", rule if job == _JOB else {"id": job, **rule})

    def _job_rule(self) -> dict[str, Any]:
        here = "-{place}" if self.each_place else ""
        rule: dict[str, Any] = {"output": {"item": "thing", "size": 1}}
        if self.chosen["output"] == "compound":
            rule["output"]["parts"] = ["lid", "box"]
        if self.has_inputs:
            inputs = [("wood", 3), ("glue", 2)]
            rule["inputs"] = [{"item": item, "amount": amount, "source": f"yard{here}"} for item, amount in inputs]
        if self.progress and self.chosen["offer-check"] == "full":
            rule["offer-check"] = "full"
        if self.in_place:
            rule["site"] = f"site{here}"
        else:
            capacity = {"unlimited": "unlimited", "one": 1, "two": 2}[self.chosen["destination"]]
            never = self.output_full == "never-full"
            rule["destination"] = {"name": f"shelf{here}", "capacity": "unlimited" if never else capacity}
        return rule

    # -- answers --------------------------------------------------------------------------------------------------

    def _answers(self) -> Iterator[tuple[str, str]]:
        chosen = self.chosen
        yield "job-inputs", "required-inputs" if self.has_inputs else "no-inputs"
        if self.has_inputs:
            yield "input-claim-timing", chosen["inputs"]
        yield "output-full", self.output_full
        if not self.in_place and chosen["delivery"] != "unanswered":
            yield "delivery-trigger", chosen["delivery"]
        if self.stops:
            yield "partial-work", chosen["partial-work"]
        if self._failure_answer() is not None:
            yield "failure-result", self._failure_answer() or ""
        claims_early = self.has_inputs and chosen["inputs"] != "taken-at-finish"
        if self.works and claims_early and (self.stops or self._recovers_from_working()):
            yield "stopped-claims", chosen["stopped-claims"]
        if self.cancels and self.has_inputs:
            by_rule = chosen["cancel-return"].startswith("by-")
            yield "cancel-return", "return-by-rule" if by_rule else chosen["cancel-return"]
        if self.linked:
            yield "cancel-dependents", chosen["dependents"]

    def _failure_answer(self) -> str | None:
        answer = {"default-recoverable": "partial-inputs-or-work", "default-ruined": "job-ruined"}
        return answer.get(self.chosen["failures"]) if self.works else None

    def _recovers_from_working(self) -> bool:
        return self.chosen["failures"] in ("working-loses-inputs", "working-loses-work", "default-recoverable")

    # -- pools ----------------------------------------------------------------------------------------------------

    def _pools(self) -> None:
        if not self.pooled:
            return
        if self.chosen["pool"] == "two-pools":
            self._pool("express", {"lane": "express"}, 1)
        self._pool("benches", "all", {"shared-two": 2, "closed": 0}.get(self.chosen["pool"], 1))

    def _pool(self, row_id: str, covers: Any, working: int) -> None:
        chosen = self.chosen
        fields = {
            "covers_declared_in": self._cite(f"{row_id}-covers", "covers", covers),
            "working_limit_key": self._cite(f"{row_id}-working", "limit", working),
            "scope": "each-place" if self.each_place else "shared",
            "waiting_order": "request-order" if chosen["order"] == "request-order" else "game-rule-order",
        }
        waiting = {"none": 0, "one": 1, "two": 2}.get(chosen["waiting"])
        if waiting is not None:
            fields["waiting_limit_key"] = self._cite(f"{row_id}-waiting", "limit", waiting)
        if self.each_place:
            fields["places_declared_in"] = self._cite("places", "places", ["north", "south"])
            fields["place_assignment_declared_in"] = self._cite("place", "place-assignment", chosen["assignment"])
        if chosen["order"] != "request-order":
            field = "rank" if chosen["order"] == "by-field" else "admission"
            fields["order_declared_in"] = self._cite("order", "order", [{"field": field, "direction": "descending"}])
        if chosen["releases"] != "unsaid":
            fields["releases_working_at"] = chosen["releases"]
        self._row("work-limits", row_id, **fields)

    # -- work -----------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        if not self.works:
            return
        durations: dict[str, list[tuple[str, dict[str, Any]]]] = {
            "three-ticks": [("shaping", {"work": 3})],
            "fractions": [("shaping", {"work": 2, "per-tick": "3/4"})],
            "field": [("shaping", {"work": "effort"})],
            "two-phases": [("shaping", {"work": 3}), ("slow-shaping", {"work": 5})],
        }
        for row_id, duration in durations[self.chosen["work"]]:
            self._row("work-phases", row_id, duration_declared_in=self._cite(row_id, "duration", duration))
        if self.interrupted:
            self._interruptions()
        if self.stops and self.chosen["partial-work"] == "reverse-while-stopped":
            rule = {"per-tick": "1/2", "after": 1}
            self._row("reversal-rules", "cooling", reversal_declared_in=self._cite("cooling", "reversal", rule))

    def _interruptions(self) -> None:
        named: dict[str, list[tuple[str, Any]]] = {
            "one": [("power-cut", "power-cut")],
            "two": [("power-cut", ["power-cut", "fuse"]), ("called-away", "called-away")],
            "worker": [("no-worker", "worker-stopped")],
        }
        for row_id, instruction in named[self.chosen["interruptions"]]:
            address = self._cite(row_id, "instruction", instruction)
            self._row("interruptions", row_id, interruptions_declared_in=address)

    def _claims(self) -> None:
        if not self.progress:
            return
        chosen = self.chosen["rounding"]
        rule: dict[str, Any] = {"round": chosen if chosen in ("up", "down", "nearest") else "up"}
        if chosen == "current":
            rule |= {"point": "current", "initial-work": 0}
        if chosen == "initial":
            rule["initial-work"] = "1/2"
        address = self._cite("shares", "progress-rounding", rule)
        self._row("progress-rounding-rules", "shares", progress_rounding_declared_in=address)

    # -- delivery -------------------------------------------------------------------------------------------------

    def _delivery(self) -> None:
        if self.output_full == "wait-before-start":
            self._event_row("readmission-events", "room-again", "readmission_declared_in", "room-again")
        if self.output_full in ("hold-undelivered", "try-destinations"):
            self._event_row("redelivery-events", "try-again", "redelivery_declared_in", "try-again")
        if self.on_collection:
            self._event_row("collection-events", "fetched", "collection_declared_in", "fetched")
        if self.output_full == "try-destinations":
            names = ("floor", "street") if self.chosen["fallbacks"] == "two-finite" else ("floor",)
            capacity: Any = "unlimited" if self.chosen["fallbacks"] == "unlimited" else 1
            for name in names:
                address = self._cite(name, "destination", {"name": name, "capacity": capacity})
                self._row("output-destinations", name, destination_declared_in=address)
        if not self.in_place:
            self._cases()

    def _event_row(self, collection: str, row_id: str, field: str, event: str) -> None:
        polled = self.chosen["polled"] == "yes" and collection != "collection-events"
        self._row(collection, row_id, **{field: self._cite(row_id, "event", "tick" if polled else event)})

    def _cases(self) -> None:
        shelf = "shelf-{place}" if self.each_place else "shelf"
        conditions: dict[str, list[tuple[str, Any]]] = {
            "none": [],
            "always": [("any-output", "always")],
            "short-and-enough": [
                ("no-room", {"destination": shelf, "room": "short"}),
                ("room", {"destination": shelf, "room": "enough"}),
            ],
        }
        for row_id, condition in conditions[self.chosen["cases"]]:
            self._row("delivery-cases", row_id, condition_declared_in=self._cite(row_id, "condition", condition))

    # -- endings --------------------------------------------------------------------------------------------------

    def _endings(self) -> None:
        self._failures()
        if not self.cancels:
            return
        for row_id in ("called-off", "closed-down")[: 2 if self.chosen["cancellations"] == "two" else 1]:
            self._row("cancellations", row_id, trigger_declared_in=self._cite(row_id, "cancellation", {}))
        if self.has_inputs and self.chosen["cancel-return"].startswith("by-"):
            rules: dict[str, Any] = {
                "by-fraction": {"fraction": "1/2", "round": "down"},
                "by-amounts": {"amounts": [{"item": "wood", "amount": 1}]},
                "by-item": {"per-item": [{"item": "wood", "fraction": "2/3", "round": "up"}]},
            }
            address = self._cite("refund", "cancel-return", rules[self.chosen["cancel-return"]])
            self._row("cancel-return-rules", "refund", cancel_return_declared_in=address)
        if self.linked:
            links = [{"job": _JOB, "needs": [_FIRST]}, {"job": _SECOND, "needs": [_JOB]}]
            address = self._cite("links", "link", links)
            self._row("dependent-cancellations", "chain", cancellation="called-off", link_declared_in=address)

    def _failures(self) -> None:
        one_wood = {"loses": [{"item": "wood", "amount": 1}]} if self.has_inputs else {}
        recoverable, ruined = "partial-inputs-or-work", "job-ruined"
        rows: dict[str, tuple[str, str | None, dict[str, Any]]] = {
            "working-loses-inputs": ("working", recoverable, one_wood),
            "working-loses-work": ("working", recoverable, {"loses-work": 1}),
            "waiting": ("waiting", recoverable, {}),
            "stopped": ("stopped", recoverable, {"loses-work-share": "1/2"}),
            "finished": ("finished", ruined, {"damaged-state": "scrap"}),
            "working-ruined": ("working", ruined, {"loses": "all"} if self.has_inputs else {}),
            "default-recoverable": ("working", None, one_wood),
            "default-ruined": ("working", None, {"damaged-state": "scrap"}),
        }
        named = rows.get(self.chosen["failures"])
        if named is None or (named[0] in ("working", "stopped") and not self.works):
            return
        from_state, result, rule = named
        fields = {"from_state": from_state, "trigger_declared_in": self._cite("accident", "failure", rule)}
        if result is not None:
            fields["result"] = result
        self._row("failures", "accident", **fields)

    def _standing_orders(self) -> None:
        if self.chosen["standing"] == "none" or not self.pooled or self.chosen["work"] == "field":
            return
        eligible: dict[str, Any] = {
            "condition": "wanted",
            "below": ["no-open-run", {"below": {"item": "wood", "amount": 100}}] if self.has_inputs else "wanted",
            "usable": [{"usable": [{"item": "wood", "amount": 3}]}, "no-open-run"] if self.has_inputs else "wanted",
        }
        self._row(
            "standing-orders",
            "again",
            work_limit="benches",
            eligible_declared_in=self._cite("again", "eligible", eligible[self.chosen["standing"]]),
            requests_job_declared_in=f"{_AT}#{_JOB}",
        )
