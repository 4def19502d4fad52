"""A driver to copy: a small bakery, and what connects it to the harness. Only the standard library is used.

    harness smoke --driver "python toy_engine.py" ../../adoptions/bakery-oven/bakery-oven.adoption.yaml
    harness run --driver "python toy_engine.py" ../../adoptions/bakery-oven/bakery-oven.adoption.yaml

The file has two halves. `Bakery` is the system under test: it knows nothing of the harness and only keeps a journal,
as a real system would. `Driver` is what you write for a system of your own: it turns events into calls of the system,
and lines of its journal into rows. docs/drivers.md walks through both.

The bakery has three faults on purpose (see FAULTS). `toy_engine.py --repaired` runs without them, and
`--repaired NAME` without that one.
"""

from __future__ import annotations

import json
import sys

FAULTS = (
    "spills-water",  # a canceled loaf gives its flour back, but not its water
    "forgets-dough",  # a power cut throws away the work that was done
    "newest-first",  # a free oven goes to the loaf that came last
)

OVENS, QUEUE, SHELF, BAKING_TICKS = 2, 3, 2, 4
RECIPE = (("flour", 3, "larder"), ("water", 1, "tap"))


class RefusedError(Exception):
    """The bakery says no; nothing has changed."""


# -- the system under test -----------------------------------------------------------------------------------------


class Loaf:
    """One order: where it stands, what it holds, and why it is stopped."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.state = "requested"
        self.ended = False
        self.admitted = False
        self.holds = False
        self.has_oven = False
        self.is_queued = False
        self.work = 0
        self.baked = False
        self.causes: list[str] = []
        self.stop_began = "ordinary"


class Bakery:
    """Two ovens, a queue of three, a larder, a tap, and a shelf for two loaves. Time passes when `tick` is called.

    `journal` is called with the kind of each thing that happens, the loaf, and details. One step of one loaf begins
    with a `step` line.
    """

    def __init__(self, journal, faults=FAULTS) -> None:
        self.journal = journal
        self.faults = faults
        self.is_open = False
        self.usable = {(item, source): 0 for item, _, source in RECIPE}
        self.shelf = SHELF
        self.freed = False
        self.loaves: dict[str, Loaf] = {}
        self.line: list[Loaf] = []  # waiting and stopped loaves: who came first stands first
        self.bakers: list[Loaf] = []  # in the order in which they were admitted

    # What someone outside does.

    def open(self) -> None:
        if self.is_open:
            raise RefusedError("the bakery is open already")
        self.is_open = True

    def order(self, name: str, pause: bool = False) -> None:
        if not self.is_open:
            raise RefusedError("the bakery is not open")
        if name in self.loaves:
            raise RefusedError("there is such a loaf already")
        loaf = self.loaves[name] = Loaf(name)
        self.step(loaf, alone=True)
        self.tell("job-requested", loaf, ["requester"], None)
        if not self.stock_is_there():
            self.reject(loaf, "missing-inputs")
        elif not pause:
            self.admit(loaf)

    def admit_paused(self, name: str) -> None:
        loaf = self.find(name)
        if loaf.admitted or loaf.ended:
            raise RefusedError("the loaf was admitted already")
        self.admit(loaf)

    def tick(self) -> None:
        baking = [each for each in self.bakers if each.state == "working"]
        for loaf in baking:
            self.step(loaf)
            loaf.work += 1
            self.record_work(loaf, loaf.work - 1, "advance")
            if loaf.work >= BAKING_TICKS:
                loaf.baked = True
                self.take_out(loaf)
        self.offer()

    def power_cut(self, name: str) -> None:
        loaf = self.find(name)
        if loaf.state not in ("working", "stopped"):
            raise RefusedError("the loaf is neither working nor stopped")
        if "power-cut" in loaf.causes:
            return
        self.stop(loaf, "power-cut")
        self.offer()

    def power_back(self, name: str) -> None:
        loaf = self.find(name)
        if "power-cut" not in loaf.causes or loaf.ended:
            raise RefusedError("the loaf has power")
        self.step(loaf)
        self.drop_cause(loaf, "power-cut")
        self.offer()

    def cancel(self, name: str) -> None:
        loaf = self.find(name)
        if loaf.ended or loaf.state == "finished":
            raise RefusedError("the loaf is done")
        self.step(loaf)
        old = loaf.state
        self.leave_line(loaf)
        self.free_oven(loaf)
        self.record_work(loaf, loaf.work, "cancel")
        returned = [each for each in RECIPE if each[0] != "water"] if "spills-water" in self.faults else RECIPE
        released = self.give_back(loaf, returned) if loaf.holds else []
        loaf.ended = True
        self.move(loaf, "canceled")
        self.tell("job-canceled", loaf, ["baker-cancels"], old, released=released)
        self.offer()

    def deliver_stock(self, item: str, amount: int, source: str) -> None:
        if (item, source) not in self.usable:
            raise RefusedError(f"nobody needs {item} from {source}")
        self.usable[item, source] += amount
        self.offer()

    def take_stock(self, item: str, amount: int, source: str) -> None:
        if self.usable.get((item, source), 0) < amount:
            raise RefusedError(f"there is not so much {item}")
        self.usable[item, source] -= amount

    def set_shelf(self, free: int) -> None:
        if free > SHELF:
            raise RefusedError("the shelf is not so large")
        self.shelf = free
        self.offer()

    # What follows from it.

    def find(self, name: str) -> Loaf:
        if name not in self.loaves:
            raise RefusedError("there is no such loaf")
        return self.loaves[name]

    def stock_is_there(self) -> bool:
        return all(self.usable[item, source] >= amount for item, amount, source in RECIPE)

    def used(self, slot: str) -> int:
        if slot == "waiting":
            return sum(each.is_queued for each in self.loaves.values())
        return sum(each.has_oven for each in self.loaves.values())

    def someone_is_before(self, loaf: Loaf) -> bool:
        others = self.line[: self.line.index(loaf)] if loaf in self.line else self.line
        return any(each.state == "waiting" or not each.causes for each in others)

    def reasons(self, loaf: Loaf) -> list[str]:
        reasons = []
        if self.used("working") >= OVENS:
            reasons.append("no-free-slot")
        if self.someone_is_before(loaf):
            reasons.append("earlier-job-first")
        if not self.stock_is_there():
            reasons.append("inputs-unavailable")
        return reasons

    def admit(self, loaf: Loaf) -> None:
        reasons = self.reasons(loaf)
        if reasons and self.used("waiting") >= QUEUE:
            self.reject(loaf, "job-limit-full")
            return
        loaf.admitted = True
        self.bakers.append(loaf)
        if not reasons:
            self.start(loaf)
            return
        self.step(loaf)
        self.line.append(loaf)
        loaf.is_queued = True
        self.count("waiting", "take", loaf)
        self.move(loaf, "waiting")
        self.tell("job-waiting", loaf, reasons, "requested")
        self.offer()

    def reject(self, loaf: Loaf, why: str) -> None:
        self.step(loaf)
        loaf.ended = True
        self.tell("job-rejected", loaf, [why], "requested")

    def start(self, loaf: Loaf) -> None:
        self.step(loaf)
        old = loaf.state
        self.offered(loaf, "started")
        for item, amount, source in RECIPE:
            self.usable[item, source] -= amount
            self.journal("claimed", loaf, item=item, amount=amount, source=source)
        loaf.holds = True
        self.leave_line(loaf)
        self.take_oven(loaf)
        self.move(loaf, "started")
        self.tell("job-started", loaf, ["slot-offered"], old, claimed=RECIPE)
        self.step(loaf)
        self.record_work(loaf, 0, "enter")
        self.move(loaf, "working")
        self.tell("job-working", loaf, ["baking"], "started")

    def stop(self, loaf: Loaf, cause: str) -> None:
        self.step(loaf)
        old, work = loaf.state, loaf.work
        first = old == "working"
        if first:
            self.line.append(loaf)
            loaf.stop_began = "ordinary" if cause == "power-cut" else "finish-gate"
        self.add_cause(loaf, cause, "add" if first else "join")
        if cause == "power-cut":
            if first and "forgets-dough" in self.faults:
                loaf.work = 0
            self.free_oven(loaf)
        if first:
            self.record_work(loaf, work, "stop")
        self.move(loaf, "stopped")
        self.tell("job-stopped", loaf, [cause], old, before=work)

    def take_out(self, loaf: Loaf) -> None:
        """The finish gate: the loaf leaves the oven when the shelf has room for it."""
        if self.shelf < 1:
            self.stop(loaf, "output-full")
            return
        self.step(loaf)
        for item, amount, source in RECIPE:
            self.journal("spent", loaf, item=item, amount=amount, source=source)
        loaf.holds = False
        self.move(loaf, "finished")
        self.tell("job-finished", loaf, ["finish-gate-passed"], "working", spent=RECIPE)
        self.free_oven(loaf)
        self.step(loaf)
        self.shelf -= 1
        loaf.ended = True
        self.move(loaf, "delivered")
        self.tell("job-delivered", loaf, ["accepted"], "finished", destination="shelf")

    def resume(self, loaf: Loaf) -> bool:
        if loaf.causes:
            return False
        if loaf.baked and self.shelf < 1:
            self.step(loaf)
            self.add_cause(loaf, "output-full", "join")
            self.tell("job-stopped", loaf, ["output-full"], "stopped")
            return True
        if not loaf.has_oven and self.used("working") >= OVENS:
            return False
        self.step(loaf)
        if not loaf.has_oven:
            self.offered(loaf, "resumed")
        self.leave_line(loaf)
        if not loaf.has_oven:
            self.take_oven(loaf)
        self.record_work(loaf, loaf.work, "resume")
        self.move(loaf, "working")
        self.tell("job-resumed", loaf, ["causes-cleared"], "stopped")
        if loaf.baked:
            self.take_out(loaf)
        return True

    def offer(self) -> None:
        """Whoever can go on does, the first in line first, until nothing changes."""
        while [each for each in self.in_order() if self.go_on(each)]:
            pass
        if self.freed and self.used("working") < OVENS:
            self.offered(None, "nobody")
        self.freed = False

    def in_order(self) -> list[Loaf]:
        waiting = [each for each in self.line if each.state == "waiting"]
        if "newest-first" in self.faults:
            waiting.reverse()
        return [each if each.state == "stopped" else waiting.pop(0) for each in self.line]

    def go_on(self, loaf: Loaf) -> bool:
        if loaf not in self.line:
            return False
        if loaf.state == "stopped":
            cleared = "output-full" in loaf.causes and self.shelf > 0
            if cleared:
                self.step(loaf)
                self.drop_cause(loaf, "output-full")
            return self.resume(loaf) or cleared
        if self.used("working") < OVENS and self.stock_is_there():
            self.start(loaf)
            return True
        return False

    # The journal.

    def step(self, loaf: Loaf, alone: bool = False) -> None:
        self.journal("step", loaf, alone=alone)

    def move(self, loaf: Loaf, state: str) -> None:
        old, loaf.state = loaf.state, state
        if old != state:
            self.journal("moved", loaf, old=old, new=state)

    def tell(self, report, loaf, causes, old, before=None, **units) -> None:
        before = loaf.work if before is None else before
        self.journal("told", loaf, report=report, causes=causes, old=old, new=loaf.state, before=before, **units)

    def give_back(self, loaf: Loaf, recipe) -> list:
        loaf.holds = False
        for item, amount, source in recipe:
            self.usable[item, source] += amount
            self.journal("released", loaf, item=item, amount=amount, source=source)
        return list(recipe)

    def leave_line(self, loaf: Loaf) -> None:
        if loaf in self.line:
            self.line.remove(loaf)
        if loaf.is_queued:
            loaf.is_queued = False
            self.count("waiting", "free", loaf)

    def take_oven(self, loaf: Loaf) -> None:
        loaf.has_oven = True
        self.count("working", "take", loaf)

    def free_oven(self, loaf: Loaf) -> None:
        if loaf.has_oven:
            loaf.has_oven = False
            self.freed = True
            self.count("working", "free", loaf)

    def add_cause(self, loaf: Loaf, cause: str, change: str) -> None:
        loaf.causes.append(cause)
        self.journal("cause", loaf, change=change, cause=cause)

    def drop_cause(self, loaf: Loaf, cause: str) -> None:
        loaf.causes.remove(cause)
        self.journal("cause", loaf, change="clear", cause=cause)

    def record_work(self, loaf: Loaf, before: int, why: str) -> None:
        self.journal("worked", loaf, before=before, why=why)

    def offered(self, loaf: Loaf | None, offer: str) -> None:
        """Who stood in line when an oven was offered, and who of them could have taken it."""
        order = self.in_order()
        if loaf is not None and loaf not in order:
            return
        able = [each for each in order if (not each.causes if each.state == "stopped" else self.stock_is_there())]
        names = {"order": [each.name for each in order], "eligible": [each.name for each in able]}
        self.journal("offered", loaf, offer=offer, free=OVENS - self.used("working"), **names)

    def count(self, slot: str, change: str, loaf: Loaf) -> None:
        limit = QUEUE if slot == "waiting" else OVENS
        self.journal("counted", loaf, slot=slot, change=change, used=self.used(slot), limit=limit)


# -- the driver ----------------------------------------------------------------------------------------------------


#: Logs that the bakery can tell. What is missing here stays unknown, and clauses that rest on it are `blind`.
OBSERVES = [
    "report-log",
    "claim-ledger",
    "state-trace",
    "count-trace",
    "work-before-after",
    "stop-causes",
    "pool-offer-log",
]


class Driver:
    """Answers the messages of the harness. `py:toy_engine:Driver` runs it without a process of its own."""

    def __init__(self, faults=FAULTS) -> None:
        self.faults = faults
        self.bakery = Bakery(self.journal, faults)
        self.records: list[dict] = []
        self.seq = self.batch = self.settle = 0
        self.is_alone = self.has_batch = False

    def answer(self, message: dict) -> dict:
        """One answer to each message; it repeats the message's number."""
        return {"seq": message["seq"], **getattr(self, "on_" + message["cmd"])(message)}

    def on_start(self, message: dict) -> dict:
        return {
            "ok": True,
            "implementation": {"name": "toy bakery", "version": "1", "language": "Python", "homepage": None},
            "observes": OBSERVES,
            "time": "virtual",
        }

    def on_adopt(self, message: dict) -> dict:
        """This bakery cannot be set up: it is the one of the shipped adoption, or none."""
        if message["adoption"]["instance"] != "bakery-oven":
            return {"unsupported": ["any other system than bakery-oven"]}
        return {"ok": True}

    def on_begin(self, message: dict) -> dict:
        self.bakery = Bakery(self.journal, self.faults)
        for each in message["world"].get("stock", []):
            self.bakery.usable[each["item"], each["source"]] = each["amount"]
        for each in message["world"].get("room", []):
            self.bakery.shelf = each["free"]
        self.seq = self.batch = self.settle = 0
        return {"ok": True}

    def on_event(self, message: dict) -> dict:
        event = message["event"]
        skipped = self.cannot(event)
        if skipped is not None:
            return {"skipped": True, "reason": skipped, "issue": None}
        self.records, self.has_batch = [], False
        try:
            self.send(event)
        except RefusedError as error:
            return {"refused": str(error)}
        return {"ok": True, "records": self.records}

    def on_end(self, message: dict) -> dict:
        return {"ok": True}

    def on_stop(self, message: dict) -> dict:
        return {"ok": True}

    def cannot(self, event: dict) -> str | None:
        """What there is no way to do to this bakery."""
        if event["kind"] in ("worker-stop", "worker-ready"):
            return "an oven of this bakery does not break down by itself"
        if "displaced-by" in event:
            return "nobody can tell this bakery which loaf goes before another"
        return None

    def send(self, event: dict) -> None:
        """An event as a call of the bakery; a row or a name that it does not know is refused."""
        kind, bakery = event["kind"], self.bakery
        if kind == "open-pool" and event["row"] == "ovens":
            bakery.open()
        elif kind == "request" and event["job"] == "bake-loaf":
            bakery.order(event["run"], event.get("pause", False))
        elif kind == "admit":
            bakery.admit_paused(event["run"])
        elif kind == "tick":
            bakery.tick()
        elif kind == "instruct" and event["instruction"] == "power-cut":
            bakery.power_cut(event["run"])
        elif kind == "instruct":
            pass  # an instruction that nothing declares is heard, and changes nothing
        elif kind == "clear" and event["cause"] == "power-cut":
            bakery.power_back(event["run"])
        elif kind == "cancel" and event["row"] == "baker-cancels":
            bakery.cancel(event["run"])
        elif kind == "supply":
            bakery.deliver_stock(event["item"], event["amount"], event["source"])
        elif kind == "use":
            bakery.take_stock(event["item"], event["amount"], event["source"])
        elif kind == "room" and event["destination"] == "shelf":
            bakery.set_shelf(event["free"])
        elif kind == "set-fields":
            bakery.find(event["run"])  # no rule of this bakery looks at fields
        else:
            raise RefusedError(f"the bakery has no such {kind}")

    # Lines of the journal become rows.

    def journal(self, what: str, loaf: Loaf, **details) -> None:
        if what == "step":
            self.begin_settle(details["alone"])
        elif what == "moved":
            self.row("state-trace", loaf, {"from": details["old"], "to": details["new"]})
        elif what == "counted":
            self.row("count-trace", loaf, {"pool": "ovens", "place": None, **details})
        elif what == "told":
            self.row("report-log", loaf, self.report(loaf, **details))
        elif what == "worked":
            columns = {"before": str(details["before"]), "after": str(loaf.work), "required": str(BAKING_TICKS)}
            self.row("work-before-after", loaf, {**columns, "why": details["why"]})
        elif what == "cause":
            self.row("stop-causes", loaf, {**details, "active": list(loaf.causes), "first": loaf.stop_began})
        elif what == "offered":
            self.row("pool-offer-log", loaf, {"pool": "ovens", "place": None, "why": None, **details})
        else:
            change = {"claimed": "claim", "released": "release", "spent": "spend"}[what]
            held = details["amount"] if what == "claimed" else 0
            self.row("claim-ledger", loaf, {"change": change, **details, "held-after": held})

    def report(self, loaf, report, causes, old, new, before, destination=None, **units) -> dict:
        listed = {
            name: [{"item": i, "amount": n, "source": s} for i, n, s in units.get(name, ())]
            for name in ("claimed", "released", "spent", "lost")
        }
        return {
            "job": "bake-loaf",
            "report": report,
            "causes": list(causes),
            "old": old,
            "new": new,
            "work-before": str(before),
            "work-after": str(loaf.work),
            **listed,
            "destination": destination,
            "pool": "ovens",
            "place": None,
        }

    def begin_settle(self, is_alone: bool) -> None:
        """Every step of a loaf is a settle; those that one event brings are a batch, but a request stands alone."""
        self.settle += 1
        self.is_alone = is_alone
        if not is_alone and not self.has_batch:
            self.has_batch = True
            self.batch += 1

    def row(self, log: str, loaf: Loaf | None, columns: dict) -> None:
        """A row about nobody (an oven that nobody wanted) belongs to no step of a loaf."""
        self.seq += 1
        batch, settle = (None, None) if loaf is None else (self.batch, self.settle)
        numbers = {"seq": self.seq, "batch": None if self.is_alone else batch, "settle": settle}
        self.records.append({"log": log, **numbers, "run": loaf and loaf.name, **columns})


def main() -> None:
    """One message a line in, one answer a line out, until `stop` or the end of the input."""
    repaired = sys.argv[2:] or FAULTS if sys.argv[1:2] == ["--repaired"] else ()
    driver = Driver(tuple(each for each in FAULTS if each not in repaired))
    for line in sys.stdin:
        message = json.loads(line)
        print(json.dumps(driver.answer(message)), flush=True)
        if message["cmd"] == "stop":
            break


if __name__ == "__main__":
    main()
