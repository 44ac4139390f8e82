// Sends values as they are changed, a few times a second at most, and remembers them to undo.
import { isLost, type Server } from "../net/server";
import { Signal } from "../net/signal";
import { getFabric, requestsOf, sameTarget, valuesOf, type Change, type Target, type Values } from "./target";

const SEND_MS = 60;
const ONE_DRAG_MS = 900; // what a slider sends of the same keys within this time is undone together

interface Step {
  target: Target;
  before: Values;
  after: Values;
  draggedAt: number; // ms of performance.now(); -Infinity: at once
}

export class Tuner {
  readonly changed = new Signal<Change>();
  readonly historyChanged = new Signal();
  readonly failed = new Signal<string>();

  #server: Server;
  #waiting: Change[] = [];
  #sent: Change[] = []; // what the server has not answered yet
  #sending = false;
  #done: Step[] = [];
  #undone: Step[] = [];
  #before: Change[] = []; // what was set until the connection was lost, once for each target, and then what is missing of it

  constructor(server: Server) {
    this.#server = server;
    server.lost.on(() => {
      for (const { target, after } of this.#done) this.#keep(target, after);
      this.#drop(() => true); // the next server may have other values
    });
    server.event.on(({ method, params }) => {
      if (method === "character.removed") this.#drop((target) => "character" in target && target.character === params["character"]);
    });
  }

  get canUndo(): boolean {
    return this.#done.length > 0;
  }

  get canRedo(): boolean {
    return this.#undone.length > 0;
  }

  /** Whether the server has yet to answer a change of this value: until then its news of it is older. */
  isUnanswered(target: Target, path: string): boolean {
    return [...this.#waiting, ...this.#sent].some((item) => item.values.has(path) && sameTarget(item.target, target));
  }

  /** Changes values; `before` are the present ones of the same keys. Moves of a dragged slider are one step to undo. */
  set(target: Target, values: Values, before: Values, isDragged = false): void {
    const old: Values = new Map([...values.keys()].map((key) => [key, before.get(key) ?? 0]));
    const last = this.#done.at(-1), now = performance.now();
    const goesOn = last && isDragged && now - last.draggedAt < ONE_DRAG_MS && sameTarget(last.target, target) &&
      [...values.keys()].join() === [...last.after.keys()].join();
    if (goesOn) {
      last.after = values;
      last.draggedAt = now;
    } else {
      this.#done.push({ target, before: old, after: values, draggedAt: isDragged ? now : -Infinity });
      if (this.#done.length > 500) this.#done.shift();
    }
    this.#undone = [];
    this.historyChanged.emit();
    this.#send(target, values);
  }

  undo(): void {
    this.#move(this.#done, this.#undone, (step) => step.before);
  }

  redo(): void {
    this.#move(this.#undone, this.#done, (step) => step.after);
  }

  /** What was set here until the connection was lost, and the server does not have now: it has started anew. It is missing at the
   * next loss, too, until it is set again or forgotten. */
  async findMissing(): Promise<Change[]> {
    const kept = this.#before, missing: Change[] = [];
    this.#before = [];
    for (const { target, values } of kept) {
      try {
        const present = valuesOf(await getFabric(this.#server, target));
        const others = new Map([...values].filter(([path, value]) => present.has(path) && present.get(path) !== value));
        if (others.size === 0) continue;
        missing.push({ target, values: others });
        this.#keep(target, others);
      } catch (error) {
        if (isLost(error)) this.#keep(target, values); // or that server has no such character or fabric
      }
    }
    return missing;
  }

  /** Sets values again that the server does not have. */
  async restore(changes: Change[]): Promise<void> {
    for (const { target, values } of changes) {
      this.set(target, values, valuesOf(await getFabric(this.#server, target)));
      this.changed.emit({ target, values });
    }
    this.forgetMissing();
  }

  forgetMissing(): void {
    this.#before = [];
  }

  #keep(target: Target, values: Values): void {
    const kept = this.#before.find((change) => sameTarget(change.target, target));
    if (kept) for (const [path, value] of values) kept.values.set(path, value);
    else this.#before.push({ target, values: new Map(values) });
  }

  /** Drops what is to be sent, undone and redone of targets that are gone. */
  #drop(isGone: (target: Target) => boolean): void {
    const stays = ({ target }: { target: Target }): boolean => !isGone(target);
    this.#waiting = this.#waiting.filter(stays);
    this.#done = this.#done.filter(stays);
    this.#undone = this.#undone.filter(stays);
    this.historyChanged.emit();
  }

  #move(from: Step[], to: Step[], pick: (step: Step) => Values): void {
    const step = from.pop();
    if (!step) return;
    step.draggedAt = -Infinity;
    to.push(step);
    this.historyChanged.emit();
    this.#send(step.target, pick(step));
    this.changed.emit({ target: step.target, values: pick(step) });
  }

  #send(target: Target, values: Values): void {
    const waiting = this.#waiting.find((item) => sameTarget(item.target, target));
    if (waiting) for (const [key, value] of values) waiting.values.set(key, value);
    else this.#waiting.push({ target, values: new Map(values) });
    if (!this.#sending) void this.#drain();
  }

  async #drain(): Promise<void> {
    this.#sending = true;
    while (this.#waiting.length > 0) {
      const batch = (this.#sent = this.#waiting);
      this.#waiting = [];
      try {
        await this.#server.together(requestsOf(batch));
      } catch (error) {
        this.failed.emit(error instanceof Error ? error.message : String(error));
      }
      this.#sent = [];
      await new Promise((resolve) => setTimeout(resolve, SEND_MS));
    }
    this.#sending = false;
  }
}
