"""Tickets of deliveries: given out in order, open until somebody tells the end, and never the supervisor's own."""

from __future__ import annotations

from typing import Any

import pytest

from harness.models.pools.supervisor import actions as a
from harness.models.pools.supervisor import facts as f
from harness.models.pools.supervisor.bench import NOBODY, Bench, Seat, after, fact_of
from harness.models.pools.supervisor.exploring import Node, Stepper
from harness.models.pools.supervisor.post import ANSWERS, EMPTY, LANES, Post, Sent, outline, settlement
from harness.models.pools.supervisor.post import after as posted
from harness.models.pools.supervisor.values import DeliveryId, OperationId
from harness.models.pools.supervisor.walks import WALKS

EVENT = a.PublishEvent("observer", a.MemberRetired("a"))
REPLY = a.Reply("customer", a.Status(()))
DIAGNOSTIC = a.DeliverDiagnostic("operator", a.Diagnostic("unexpected-input", ()))
ALL = a.Actions(lifecycle_events=(EVENT, EVENT), management_replies=(REPLY,), diagnostic_deliveries=(DIAGNOSTIC,))


def test_tickets_follow_the_order_in_which_operations_leave() -> None:
    """Events first, then replies, then diagnostics; the latest one of each lane is kept."""
    post = posted(EMPTY, f.Shutdown(), ALL)
    assert post.number == 4
    assert [(each.lane, each.ticket) for each in post.latest] == list(
        zip(LANES.values(), (DeliveryId(2), DeliveryId(3), DeliveryId(4)), strict=True)
    )
    later = posted(post, f.QueryStatus("customer"), a.Actions(management_replies=(REPLY,)))
    assert [int(each.ticket) for each in later.latest] == [2, 5, 4]


@pytest.mark.parametrize("word", list(ANSWERS))
@pytest.mark.parametrize(("name", "sent"), [("event", EVENT), ("reply", REPLY), ("diagnostic", DIAGNOSTIC)])
def test_a_settlement_has_its_operation_once(word: str, name: str, sent: a.Delivery) -> None:
    """The first one speaks of what left, the second has the same ticket and nothing else."""
    post = posted(EMPTY, f.Shutdown(), ALL)
    first = settlement(post, word, name)
    assert (first.operation, first.word) == (sent, ANSWERS[word])
    again = settlement(posted(post, first, a.NO_ACTIONS), word, name)
    assert (again.operation, again.word, again.ticket) == (None, ANSWERS[word], first.ticket)


def test_a_settlement_of_nothing_has_a_ticket_that_was_never_given_out() -> None:
    """Before anything has left there is only a foreign one."""
    assert settlement(EMPTY, "deliver", "reply") == f.DeliverySettled(None, "accepted", "", DeliveryId(0))


def test_the_outline_of_a_post_forgets_what_was_sent() -> None:
    """Two posts with the same lanes open are alike for all that comes next."""
    one = Post(1, (Sent("management-replies", DeliveryId(1), REPLY),))
    other = Post(9, (Sent("management-replies", DeliveryId(9), REPLY._replace(route="else")),))
    closed = posted(other, settlement(other, "drop", "reply"), a.NO_ACTIONS)
    assert outline(one) == outline(other) == ("management-replies",)
    assert outline(closed) == outline(EMPTY) == ()


# -- letters -------------------------------------------------------------------------------------------------------

ROLES = ("a", "b", "c")


def warm() -> Node:
    """The walk's start: `b` is online, the first operation of `c` has left, `a` has no proxy."""
    return Stepper(WALKS["supervisor-settlement"]).warm_up()[-1].node


def said(letter: str) -> Any:
    return fact_of(letter, warm().bench, ROLES)


def test_forged_answers_are_the_good_and_the_bad_one_under_another_ticket() -> None:
    """All else is exact; where an answer names no operation there is nothing to forge."""
    good, bad = said("advance c"), said("refuse c")
    assert said("forge c") == good._replace(ticket=OperationId(good.ticket + 1))
    ticket = OperationId(bad.operation.ticket + 1)
    assert said("disown c") == bad._replace(operation=bad.operation._replace(ticket=ticket))
    assert said("forge a") == said("advance a")
    assert said("disown a") == said("refuse a")


def test_an_operation_comes_back_in_three_ways() -> None:
    """Refused, damaged or never tried: the operation is the same."""
    bad = said("refuse c")
    assert [said(f"{word} c") for word in ("damage", "withhold")] == [
        bad._replace(word=word) for word in ("corrupt", "not-attempted")
    ]
    assert said("damage a") == said("refuse a")


def test_a_forged_answer_leaves_the_question_open() -> None:
    """The exact one is still awaited afterwards."""
    bench = warm().bench
    for letter in ("forge c", "disown c"):
        told = after(bench, fact_of(letter, bench, ROLES), a.NO_ACTIONS, ROLES)
        assert told.seats == bench.seats
    told = after(bench, fact_of("damage c", bench, ROLES), a.NO_ACTIONS, ROLES)
    assert told.seats[2].open == ()


def test_a_proxy_is_never_made_and_nobody_is_asked_for() -> None:
    """The birth that is open fails in its first step; the query names no role."""
    assert said("abort a") == f.ProxyFoldRejected(warm().bench.seats[0].birth, "failed")
    assert said("unknown") == f.QueryCapability(NOBODY, "customer")


def test_a_source_gives_up_after_the_first_worker() -> None:
    """Of two one is made, of one none; a source that makes nothing answers for the same request."""
    stepper = Stepper(WALKS["supervisor-settlement"])
    asked = stepper.take(warm(), "stop b").node.bench
    cut: Any = fact_of("cut recovery", asked, ROLES)
    assert [each.role for each in cut.prefix] == ["b"]
    assert (cut.refused, cut.remaining) == ("c", ())
    denied = fact_of("deny recovery", asked, ROLES)
    assert denied == f.SourceRejected(cut.preparation, "closed")
    alone = asked._replace(recoveries=(("source", cut.preparation, ("b",)),))
    assert fact_of("cut recovery", alone, ROLES) == f.WorkersPartial(cut.preparation, (), "b", "refused", ())
    three = asked._replace(recoveries=(("source", cut.preparation, ROLES),))
    several: Any = fact_of("cut recovery", three, ROLES)
    assert (len(several.prefix), several.refused, several.remaining) == (1, "b", ("c",))


def test_there_is_no_letter_for_another_delivery() -> None:
    """A word about deliveries takes the three kinds only."""
    with pytest.raises(ValueError, match="no letter 'bounce mail'"):
        fact_of("bounce mail", Bench((Seat(),)), ("a",))
