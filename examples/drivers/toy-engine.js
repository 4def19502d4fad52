// A driver to copy, for Node.js: a small bakery, and what connects it to the harness. Nothing has to be installed.
//
//   harness smoke --driver "node toy-engine.js" ../../adoptions/bakery-oven/bakery-oven.adoption.yaml
//   harness run --driver "node toy-engine.js" ../../adoptions/bakery-oven/bakery-oven.adoption.yaml
//
// The file has two halves. `Bakery` is the system under test: it knows nothing of the harness and only keeps a journal,
// as a real system would. `Driver` is what you write for a system of your own: it turns events into calls of the
// system, and lines of its journal into rows. docs/drivers.md walks through the same bakery in Python.
//
// The bakery has three faults on purpose (see FAULTS). `toy-engine.js --repaired` runs without them, and
// `--repaired NAME` without that one.
"use strict";

const FAULTS = [
  "spills-water", // a canceled loaf gives its flour back, but not its water
  "forgets-dough", // a power cut throws away the work that was done
  "newest-first", // a free oven goes to the loaf that came last
];

const OVENS = 2;
const QUEUE = 3;
const SHELF = 2;
const BAKING_TICKS = 4;
const RECIPE = [
  { item: "flour", amount: 3, source: "larder" },
  { item: "water", amount: 1, source: "tap" },
];

/** The bakery says no; nothing has changed. */
class Refused extends Error {}

// -- the system under test --------------------------------------------------------------------------------------------

class Loaf {
  constructor(name) {
    Object.assign(this, { name, state: "requested", ended: false, admitted: false, holds: false });
    Object.assign(this, { hasOven: false, isQueued: false, work: 0, baked: false, causes: [], stopBegan: "ordinary" });
  }
}

/** Two ovens, a queue of three, a larder, a tap, and a shelf for two loaves. Time passes when `tick` is called. */
class Bakery {
  /** `journal(what, loaf, details)` is called for each thing that happens. */
  constructor(journal, faults = FAULTS) {
    Object.assign(this, { journal, faults, isOpen: false, shelf: SHELF, freed: false });
    this.usable = new Map(RECIPE.map((each) => [`${each.item}@${each.source}`, 0]));
    this.loaves = new Map();
    this.line = []; // waiting and stopped loaves: who came first stands first
    this.bakers = []; // in the order in which they were admitted
  }

  // What someone outside does.

  open() {
    if (this.isOpen) throw new Refused("the bakery is open already");
    this.isOpen = true;
  }

  order(name, pause = false) {
    if (!this.isOpen) throw new Refused("the bakery is not open");
    if (this.loaves.has(name)) throw new Refused("there is such a loaf already");
    const loaf = new Loaf(name);
    this.loaves.set(name, loaf);
    this.step(loaf, true);
    this.tell("job-requested", loaf, ["requester"], null);
    if (!this.stockIsThere()) this.reject(loaf, "missing-inputs");
    else if (!pause) this.admit(loaf);
  }

  admitPaused(name) {
    const loaf = this.find(name);
    if (loaf.admitted || loaf.ended) throw new Refused("the loaf was admitted already");
    this.admit(loaf);
  }

  tick() {
    for (const loaf of this.bakers.filter((each) => each.state === "working")) {
      this.step(loaf);
      loaf.work += 1;
      this.recordWork(loaf, loaf.work - 1, "advance");
      if (loaf.work >= BAKING_TICKS) {
        loaf.baked = true;
        this.takeOut(loaf);
      }
    }
    this.offer();
  }

  powerCut(name) {
    const loaf = this.find(name);
    if (!["working", "stopped"].includes(loaf.state)) throw new Refused("the loaf is neither working nor stopped");
    if (loaf.causes.includes("power-cut")) return;
    this.stop(loaf, "power-cut");
    this.offer();
  }

  powerBack(name) {
    const loaf = this.find(name);
    if (!loaf.causes.includes("power-cut") || loaf.ended) throw new Refused("the loaf has power");
    this.step(loaf);
    this.dropCause(loaf, "power-cut");
    this.offer();
  }

  cancel(name) {
    const loaf = this.find(name);
    if (loaf.ended || loaf.state === "finished") throw new Refused("the loaf is done");
    this.step(loaf);
    const old = loaf.state;
    this.leaveLine(loaf);
    this.freeOven(loaf);
    this.recordWork(loaf, loaf.work, "cancel");
    const spills = this.faults.includes("spills-water");
    const released = loaf.holds ? this.giveBack(loaf, RECIPE.filter((each) => !spills || each.item !== "water")) : [];
    loaf.ended = true;
    this.move(loaf, "canceled");
    this.tell("job-canceled", loaf, ["baker-cancels"], old, { released });
    this.offer();
  }

  deliverStock({ item, amount, source }) {
    const key = `${item}@${source}`;
    if (!this.usable.has(key)) throw new Refused(`nobody needs ${item} from ${source}`);
    this.usable.set(key, this.usable.get(key) + amount);
    this.offer();
  }

  takeStock({ item, amount, source }) {
    const key = `${item}@${source}`;
    if (!((this.usable.get(key) ?? 0) >= amount)) throw new Refused(`there is not so much ${item}`);
    this.usable.set(key, this.usable.get(key) - amount);
  }

  setShelf(free) {
    if (free > SHELF) throw new Refused("the shelf is not so large");
    this.shelf = free;
    this.offer();
  }

  // What follows from it.

  find(name) {
    if (!this.loaves.has(name)) throw new Refused("there is no such loaf");
    return this.loaves.get(name);
  }

  stockIsThere() {
    return RECIPE.every(({ item, amount, source }) => this.usable.get(`${item}@${source}`) >= amount);
  }

  used(slot) {
    const taken = slot === "waiting" ? (each) => each.isQueued : (each) => each.hasOven;
    return [...this.loaves.values()].filter(taken).length;
  }

  reasons(loaf) {
    const at = this.line.indexOf(loaf);
    const before = at < 0 ? this.line : this.line.slice(0, at);
    const reasons = [];
    if (this.used("working") >= OVENS) reasons.push("no-free-slot");
    if (before.some((each) => each.state === "waiting" || !each.causes.length)) reasons.push("earlier-job-first");
    if (!this.stockIsThere()) reasons.push("inputs-unavailable");
    return reasons;
  }

  admit(loaf) {
    const reasons = this.reasons(loaf);
    if (reasons.length && this.used("waiting") >= QUEUE) {
      this.reject(loaf, "job-limit-full");
      return;
    }
    loaf.admitted = true;
    this.bakers.push(loaf);
    if (!reasons.length) {
      this.start(loaf);
      return;
    }
    this.step(loaf);
    this.line.push(loaf);
    loaf.isQueued = true;
    this.count("waiting", "take", loaf);
    this.move(loaf, "waiting");
    this.tell("job-waiting", loaf, reasons, "requested");
    this.offer();
  }

  reject(loaf, why) {
    this.step(loaf);
    loaf.ended = true;
    this.tell("job-rejected", loaf, [why], "requested");
  }

  start(loaf) {
    this.step(loaf);
    const old = loaf.state;
    this.offered(loaf, "started");
    for (const each of RECIPE) {
      const key = `${each.item}@${each.source}`;
      this.usable.set(key, this.usable.get(key) - each.amount);
      this.journal("claimed", loaf, each);
    }
    loaf.holds = true;
    this.leaveLine(loaf);
    this.takeOven(loaf);
    this.move(loaf, "started");
    this.tell("job-started", loaf, ["slot-offered"], old, { claimed: RECIPE });
    this.step(loaf);
    this.recordWork(loaf, 0, "enter");
    this.move(loaf, "working");
    this.tell("job-working", loaf, ["baking"], "started");
  }

  stop(loaf, cause) {
    this.step(loaf);
    const { state: old, work } = loaf;
    const isFirst = old === "working";
    if (isFirst) {
      this.line.push(loaf);
      loaf.stopBegan = cause === "power-cut" ? "ordinary" : "finish-gate";
    }
    this.addCause(loaf, cause, isFirst ? "add" : "join");
    if (cause === "power-cut") {
      if (isFirst && this.faults.includes("forgets-dough")) loaf.work = 0;
      this.freeOven(loaf);
    }
    if (isFirst) this.recordWork(loaf, work, "stop");
    this.move(loaf, "stopped");
    this.tell("job-stopped", loaf, [cause], old, { before: work });
  }

  /** The finish gate: the loaf leaves the oven when the shelf has room for it. */
  takeOut(loaf) {
    if (this.shelf < 1) {
      this.stop(loaf, "output-full");
      return;
    }
    this.step(loaf);
    for (const each of RECIPE) this.journal("spent", loaf, each);
    loaf.holds = false;
    this.move(loaf, "finished");
    this.tell("job-finished", loaf, ["finish-gate-passed"], "working", { spent: RECIPE });
    this.freeOven(loaf);
    this.step(loaf);
    this.shelf -= 1;
    loaf.ended = true;
    this.move(loaf, "delivered");
    this.tell("job-delivered", loaf, ["accepted"], "finished", { destination: "shelf" });
  }

  resume(loaf) {
    if (loaf.causes.length) return false;
    if (loaf.baked && this.shelf < 1) {
      this.step(loaf);
      this.addCause(loaf, "output-full", "join");
      this.tell("job-stopped", loaf, ["output-full"], "stopped");
      return true;
    }
    if (!loaf.hasOven && this.used("working") >= OVENS) return false;
    this.step(loaf);
    if (!loaf.hasOven) this.offered(loaf, "resumed");
    this.leaveLine(loaf);
    if (!loaf.hasOven) this.takeOven(loaf);
    this.recordWork(loaf, loaf.work, "resume");
    this.move(loaf, "working");
    this.tell("job-resumed", loaf, ["causes-cleared"], "stopped");
    if (loaf.baked) this.takeOut(loaf);
    return true;
  }

  /** Whoever can go on does, the first in line first, until nothing changes. */
  offer() {
    while (this.inOrder().filter((each) => this.goOn(each)).length);
    if (this.freed && this.used("working") < OVENS) this.offered(null, "nobody");
    this.freed = false;
  }

  inOrder() {
    const waiting = this.line.filter((each) => each.state === "waiting");
    if (this.faults.includes("newest-first")) waiting.reverse();
    return this.line.map((each) => (each.state === "stopped" ? each : waiting.shift()));
  }

  goOn(loaf) {
    if (!this.line.includes(loaf)) return false;
    if (loaf.state === "stopped") {
      const cleared = loaf.causes.includes("output-full") && this.shelf > 0;
      if (cleared) {
        this.step(loaf);
        this.dropCause(loaf, "output-full");
      }
      return this.resume(loaf) || cleared;
    }
    if (this.used("working") >= OVENS || !this.stockIsThere()) return false;
    this.start(loaf);
    return true;
  }

  // The journal.

  step(loaf, alone = false) {
    this.journal("step", loaf, { alone });
  }

  move(loaf, state) {
    const old = loaf.state;
    loaf.state = state;
    if (old !== state) this.journal("moved", loaf, { old, new: state });
  }

  tell(report, loaf, causes, old, { before = loaf.work, ...details } = {}) {
    this.journal("told", loaf, { report, causes, old, new: loaf.state, before, ...details });
  }

  giveBack(loaf, units) {
    loaf.holds = false;
    for (const each of units) {
      const key = `${each.item}@${each.source}`;
      this.usable.set(key, this.usable.get(key) + each.amount);
      this.journal("released", loaf, each);
    }
    return units;
  }

  leaveLine(loaf) {
    this.line = this.line.filter((each) => each !== loaf);
    if (loaf.isQueued) {
      loaf.isQueued = false;
      this.count("waiting", "free", loaf);
    }
  }

  takeOven(loaf) {
    loaf.hasOven = true;
    this.count("working", "take", loaf);
  }

  freeOven(loaf) {
    if (!loaf.hasOven) return;
    loaf.hasOven = false;
    this.freed = true;
    this.count("working", "free", loaf);
  }

  addCause(loaf, cause, change) {
    loaf.causes.push(cause);
    this.journal("cause", loaf, { change, cause });
  }

  dropCause(loaf, cause) {
    loaf.causes = loaf.causes.filter((each) => each !== cause);
    this.journal("cause", loaf, { change: "clear", cause });
  }

  recordWork(loaf, before, why) {
    this.journal("worked", loaf, { before, why });
  }

  /** Who stood in line when an oven was offered, and who of them could have taken it. */
  offered(loaf, offer) {
    const order = this.inOrder();
    if (loaf !== null && !order.includes(loaf)) return;
    const isAble = (each) => (each.state === "stopped" ? !each.causes.length : this.stockIsThere());
    const names = (loaves) => loaves.map((each) => each.name);
    const lists = { order: names(order), eligible: names(order.filter(isAble)) };
    this.journal("offered", loaf, { offer, free: OVENS - this.used("working"), ...lists });
  }

  count(slot, change, loaf) {
    const limit = slot === "waiting" ? QUEUE : OVENS;
    this.journal("counted", loaf, { slot, change, used: this.used(slot), limit });
  }
}

// -- the driver -------------------------------------------------------------------------------------------------------

/** Logs that the bakery can tell. What is missing here stays unknown, and clauses that rest on it are `blind`. */
const OBSERVES = [
  "report-log",
  "claim-ledger",
  "state-trace",
  "count-trace",
  "work-before-after",
  "stop-causes",
  "pool-offer-log",
];

class Driver {
  constructor(faults = FAULTS) {
    this.faults = faults;
    this.reset();
  }

  reset() {
    this.bakery = new Bakery((what, loaf, details) => this.journal(what, loaf, details), this.faults);
    Object.assign(this, { records: [], seq: 0, batch: 0, settle: 0, isAlone: false, hasBatch: false });
  }

  /** One answer to each message; it repeats the message's number. */
  answer(message) {
    return { seq: message.seq, ...this[message.cmd](message) };
  }

  start() {
    const implementation = { name: "toy bakery", version: "1", language: "JavaScript", homepage: null };
    return { ok: true, implementation, observes: OBSERVES, time: "virtual" };
  }

  /** This bakery cannot be set up: it is the one of the shipped adoption, or none. */
  adopt({ adoption }) {
    const isOurs = adoption.instance === "bakery-oven";
    return isOurs ? { ok: true } : { unsupported: ["any other system than bakery-oven"] };
  }

  begin({ world }) {
    this.reset();
    for (const each of world.stock ?? []) this.bakery.usable.set(`${each.item}@${each.source}`, each.amount);
    for (const each of world.room ?? []) this.bakery.shelf = each.free;
    return { ok: true };
  }

  event({ event }) {
    const reason = this.cannot(event);
    if (reason !== null) return { skipped: true, reason, issue: null };
    Object.assign(this, { records: [], hasBatch: false });
    try {
      this.send(event);
    } catch (error) {
      if (error instanceof Refused) return { refused: error.message };
      throw error;
    }
    return { ok: true, records: this.records };
  }

  end() {
    return { ok: true };
  }

  stop() {
    return { ok: true };
  }

  /** What there is no way to do to this bakery. */
  cannot(event) {
    if (event.kind.startsWith("worker-")) return "an oven of this bakery does not break down by itself";
    if ("displaced-by" in event) return "nobody can tell this bakery which loaf goes before another";
    return null;
  }

  /** An event as a call of the bakery; a row or a name that it does not know is refused. */
  send(event) {
    const { kind } = event;
    if (kind === "open-pool" && event.row === "ovens") this.bakery.open();
    else if (kind === "request" && event.job === "bake-loaf") this.bakery.order(event.run, event.pause);
    else if (kind === "admit") this.bakery.admitPaused(event.run);
    else if (kind === "tick") this.bakery.tick();
    else if (kind === "instruct" && event.instruction === "power-cut") this.bakery.powerCut(event.run);
    else if (kind === "instruct") return; // an instruction that nothing declares is heard, and changes nothing
    else if (kind === "clear" && event.cause === "power-cut") this.bakery.powerBack(event.run);
    else if (kind === "cancel" && event.row === "baker-cancels") this.bakery.cancel(event.run);
    else if (kind === "supply") this.bakery.deliverStock(event);
    else if (kind === "use") this.bakery.takeStock(event);
    else if (kind === "room" && event.destination === "shelf") this.bakery.setShelf(event.free);
    else if (kind === "set-fields") this.bakery.find(event.run); // no rule of this bakery looks at fields
    else throw new Refused(`the bakery has no such ${kind}`);
  }

  // Lines of the journal become rows.

  journal(what, loaf, details) {
    const changes = { claimed: "claim", released: "release", spent: "spend" };
    const { before, why } = details;
    if (what === "step") this.beginSettle(details.alone);
    else if (what === "moved") this.row("state-trace", loaf, { from: details.old, to: details.new });
    else if (what === "counted") this.row("count-trace", loaf, { pool: "ovens", place: null, ...details });
    else if (what === "told") this.row("report-log", loaf, this.report(loaf, details));
    else if (what === "worked") {
      const required = String(BAKING_TICKS);
      this.row("work-before-after", loaf, { before: String(before), after: String(loaf.work), required, why });
    } else if (what === "cause") {
      this.row("stop-causes", loaf, { ...details, active: [...loaf.causes], first: loaf.stopBegan });
    } else if (what === "offered") {
      this.row("pool-offer-log", loaf, { pool: "ovens", place: null, why: null, ...details });
    } else {
      const held = what === "claimed" ? details.amount : 0;
      this.row("claim-ledger", loaf, { change: changes[what], ...details, "held-after": held });
    }
  }

  report(loaf, { report, causes, old, before, destination = null, ...rest }) {
    const { new: state, claimed = [], released = [], spent = [] } = rest;
    const work = { "work-before": String(before), "work-after": String(loaf.work) };
    const units = { claimed, released, spent, lost: [] };
    const place = { destination, pool: "ovens", place: null };
    return { job: "bake-loaf", report, causes, old, new: state, ...work, ...units, ...place };
  }

  /** Every step of a loaf is a settle; those that one event brings are a batch, but a request stands alone. */
  beginSettle(isAlone) {
    this.settle += 1;
    this.isAlone = isAlone;
    if (!isAlone && !this.hasBatch) {
      this.hasBatch = true;
      this.batch += 1;
    }
  }

  /** A row about nobody (an oven that nobody wanted) belongs to no step of a loaf. */
  row(log, loaf, columns) {
    this.seq += 1;
    const batch = loaf === null || this.isAlone ? null : this.batch;
    const settle = loaf === null ? null : this.settle;
    this.records.push({ log, seq: this.seq, batch, settle, run: loaf === null ? null : loaf.name, ...columns });
  }
}

// One message a line in, one answer a line out, until `stop` or the end of the input.
if (require.main === module) {
  const [option, ...named] = process.argv.slice(2);
  const repaired = option === "--repaired" ? (named.length ? named : FAULTS) : [];
  const driver = new Driver(FAULTS.filter((each) => !repaired.includes(each)));
  const lines = require("node:readline").createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    const message = JSON.parse(line);
    process.stdout.write(`${JSON.stringify(driver.answer(message))}\n`);
    if (message.cmd === "stop") lines.close();
  });
}

module.exports = { Bakery, Driver, FAULTS };
