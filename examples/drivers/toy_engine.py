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


class Refused(Exception):
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
        self.loaves: dict[str, Loaf] = {}
        self.line: list[Loaf] = []  # waiting and stopped loaves: who came first stands first
        self.bakers: list[Loaf] = []  # in the order in which they were admitted

    # What someone outside does.

    def open(self) -> None:
        if self.is_open:
            raise Refused("the bakery is open already")
        self.is_open = True

    def order(self, name: str, pause: bool = False) -> None:
        if not self.is_open:
            raise Refused("the bakery is not open")
        if name in self.loaves:
            raise Refused("there is such a loaf already")
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
            raise Refused("the loaf was admitted already")
        self.admit(loaf)

    def tick(self) -> None:
        baking = [each for each in self.bakers if each.state == "working"]
        for loaf in baking:
            self.step(loaf)
            loaf.work += 1
            if loaf.work >= BAKING_TICKS:
                loaf.baked = True
                self.take_out(loaf)
        self.offer()

    def power_cut(self, name: str) -> None:
        loaf = self.find(name)
        if loaf.state not in ("working", "stopped") or loaf.ended:
            raise Refused("the loaf is neither working nor stopped")
        if "power-cut" in loaf.causes:
            return
        self.stop(loaf, "power-cut")
        self.offer()

    def power_back(self, name: str) -> None:
        loaf = self.find(name)
        if "power-cut" not in loaf.causes:
            raise Refused("the loaf has power")
        self.step(loaf)
        loaf.causes.remove("power-cut")
        self.offer()

    def cancel(self, name: str) -> None:
        loaf = self.find(name)
        if loaf.ended or loaf.state == "finished":
            raise Refused("the loaf is done")
        self.step(loaf)
        old = loaf.state
        self.leave_line(loaf)
        self.free_oven(loaf)
        returned = [each for each in RECIPE if each[0] != "water"] if "spills-water" in self.faults else RECIPE
        released = self.give_back(loaf, returned) if loaf.holds else []
        loaf.ended = True
        self.move(loaf, "canceled")
        self.tell("job-canceled", loaf, ["baker-cancels"], old, released=released)
        self.offer()

    def deliver_stock(self, item: str, amount: int, source: str) -> None:
        if (item, source) not in self.usable:
            raise Refused(f"nobody needs {item} from {source}")
        self.usable[item, source] += amount
        self.offer()

    def take_stock(self, item: str, amount: int, source: str) -> None:
        if self.usable.get((item, source), 0) < amount:
            raise Refused(f"there is not so much {item}")
        self.usable[item, source] -= amount

    def set_shelf(self, free: int) -> None:
        if free > SHELF:
            raise Refused("the shelf is not so large")
        self.shelf = free
        self.offer()

    # What follows from it.

    def find(self, name: str) -> Loaf:
        if name not in self.loaves:
            raise Refused("there is no such loaf")
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
        for item, amount, source in RECIPE:
            self.usable[item, source] -= amount
            self.journal("claimed", loaf, item=item, amount=amount, source=source)
        loaf.holds = True
        self.leave_line(loaf)
        self.take_oven(loaf)
        self.move(loaf, "started")
        self.tell("job-started", loaf, ["slot-offered"], old, claimed=RECIPE)
        self.step(loaf)
        self.move(loaf, "working")
        self.tell("job-working", loaf, ["baking"], "started")

    def stop(self, loaf: Loaf, cause: str) -> None:
        self.step(loaf)
        old, work = loaf.state, loaf.work
        first = old == "working"
        loaf.causes.append(cause)
        if first:
            self.line.append(loaf)
        if cause == "power-cut":
            if first and "forgets-dough" in self.faults:
                loaf.work = 0
            self.free_oven(loaf)
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
            loaf.causes.append("output-full")
            self.tell("job-stopped", loaf, ["output-full"], "stopped")
            return True
        if not loaf.has_oven and self.used("working") >= OVENS:
            return False
        self.step(loaf)
        self.leave_line(loaf)
        if not loaf.has_oven:
            self.take_oven(loaf)
        self.move(loaf, "working")
        self.tell("job-resumed", loaf, ["causes-cleared"], "stopped")
        if loaf.baked:
            self.take_out(loaf)
        return True

    def offer(self) -> None:
        """Whoever can go on does, the first in line first, until nothing changes."""
        while any([self.go_on(each) for each in self.in_order()]):
            pass

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
                loaf.causes.remove("output-full")
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
            self.count("working", "free", loaf)

    def count(self, slot: str, change: str, loaf: Loaf) -> None:
        limit = QUEUE if slot == "waiting" else OVENS
        self.journal("counted", loaf, slot=slot, change=change, used=self.used(slot), limit=limit)


# -- the driver ----------------------------------------------------------------------------------------------------


class Driver:
    """Answers the messages of the harness. `py:toy_engine:Driver` runs it without a process of its own."""

    def __init__(self, faults=FAULTS) -> None:
        self.faults = faults
        self.bakery = Bakery(self.journal, faults)
        self.records: list[dict] = []
        self.seq = self.batch = self.settle = 0
        self.is_alone = False

    def answer(self, message: dict) -> dict:
        """One answer to each message; it repeats the message's number."""
        return {"seq": message["seq"], **getattr(self, "on_" + message["cmd"])(message)}

    def on_start(self, message: dict) -> dict:
        return {
            "ok": True,
            "implementation": {"name": "toy bakery", "version": "1", "language": "Python", "homepage": None},
            "observes": ["report-log", "claim-ledger", "state-trace", "count-trace"],
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
        except Refused as error:
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
            raise Refused(f"the bakery has no such {kind}")

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

    def row(self, log: str, loaf: Loaf, columns: dict) -> None:
        self.seq += 1
        numbers = {"seq": self.seq, "batch": None if self.is_alone else self.batch, "settle": self.settle}
        self.records.append({"log": log, **numbers, "run": loaf.name, **columns})


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
