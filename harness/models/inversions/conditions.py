"""What an adoption must have for a breach to be seen, shared by the inversions."""

from __future__ import annotations

from harness.models.inversions.registry import Condition
from harness.models.lifecycle.config import Config


def _claims_before_finish(config: Config) -> bool:
    return config.timing in ("taken-at-request", "taken-at-start", "with-progress")


INPUTS = Condition(lambda config: config.timing is not None, "job-inputs is no-inputs: nothing is ever claimed")
CLAIMS_BEFORE_FINISH = Condition(_claims_before_finish, "no input is claimed before the finish gate")
AT_REQUEST = Condition(lambda c: c.timing == "taken-at-request", "input-claim-timing is not taken-at-request")
AT_START = Condition(lambda c: c.timing == "taken-at-start", "input-claim-timing is not taken-at-start")
AT_FINISH = Condition(lambda c: c.timing == "taken-at-finish", "input-claim-timing is not taken-at-finish")
PROGRESS = Condition(lambda c: c.timing == "with-progress", "input-claim-timing is not with-progress")
WORK = Condition(lambda c: bool(c.phases), "there is no work phase")
POOL = Condition(lambda c: bool(c.pools), "there is no pool")
INTERRUPTION = Condition(lambda c: bool(c.interruptions), "no interruption is declared")
CANCELLATION = Condition(lambda c: bool(c.cancellations), "no cancellation is declared")
STANDING_ORDER = Condition(lambda c: bool(c.standing_orders), "there is no standing order")
HOLD = Condition(lambda c: not c.release_stopped_claims, "stopped-claims is release-and-reclaim")
RELEASE = Condition(lambda c: c.release_stopped_claims, "stopped-claims is not release-and-reclaim")
KEEP_WORK = Condition(lambda c: c.partial_work == "keep-with-job", "partial-work is not keep-with-job")
RESET_WORK = Condition(lambda c: c.partial_work == "reset-at-stop", "partial-work is not reset-at-stop")
REVERSE_WORK = Condition(
    lambda c: c.partial_work == "reverse-while-stopped", "partial-work is not reverse-while-stopped"
)
WAIT_FOR_SPACE = Condition(lambda c: c.output_full == "wait-until-space", "output-full is not wait-until-space")
RESERVE = Condition(lambda c: c.output_full == "wait-before-start", "output-full is not wait-before-start")
HOLD_OUTPUT = Condition(lambda c: c.output_full == "hold-undelivered", "output-full is not hold-undelivered")
ROUTE = Condition(lambda c: c.output_full == "try-destinations", "output-full is not try-destinations")
COLLECTION = Condition(lambda c: c.on_collection, "delivery-trigger is not on-collection")
AUTOMATIC = Condition(lambda c: not c.on_collection, "delivery-trigger is on-collection")
NEW_THING = Condition(lambda c: not c.in_place, "the job changes its site in place")
RETURNS_CLAIMED = Condition(lambda c: c.cancel_return == "return-claimed", "cancel-return is not return-claimed")
RETURNS_SOMETHING = Condition(
    lambda c: c.cancel_return in ("return-claimed", "return-by-rule"),
    "cancel-return is return-nothing, or was not asked",
)
