// The page's one view of the stream: what frames contain, and how many of them the browser can take.
import type { Load } from "./messages";
import type { Frame, StaticData, Stats } from "./protocol";
import { Rhythm } from "./rhythm";
import { isLost, type Server } from "./server";
import { Signal } from "./signal";

const BUSY = 0.6; // share of the worker's time, above which the rate is lowered
const IDLE = 0.25; // below which it is raised
const LATE_MS = 400; // that a reply waits behind the frames that the browser has not taken yet
const SLOW_FRAME_MS = 60; // that the page takes for one picture, beside the graphics card's own time
const LOWEST_RATE = 2;
const SECONDS_BEFORE_LOWERING = 2;
const SECONDS_BEFORE_RAISING = 3;

export class View {
  readonly described = new Signal<StaticData>();
  readonly frames = new Signal<Frame[]>();
  readonly rateChanged = new Signal();
  /** From now on other ticks have frames. */
  readonly rhythmChanged = new Signal();

  /** Frames a second that are asked for; null: one for every tick. */
  rate: number | null = null;
  tickRate = 60;
  rhythm = new Rhythm(60, null, 1);

  #server: Server;
  #number = -1;
  #subscribed = Promise.resolve();
  #references = false;
  #given: number | null = null; // the rate that the server keeps
  #step = 1; // ticks from frame to frame at least: more while the server is overloaded
  #calm = 0; // seconds without load
  #pressed = 0; // seconds with too much of it

  constructor(server: Server) {
    this.#server = server;
    server.opened.on(({ hello }) => {
      this.tickRate = hello.tick_rate;
      this.#number = -1;
      this.#setRhythm(null, 1);
      this.#subscribe();
      void this.#askStep();
    });
    server.event.on(({ method, params }) => {
      if (method === "simulation.shed") this.#setRhythm(this.#given, Number(params["frame_interval"]));
    });
    server.described.on((data) => this.described.emit(data));
    server.frames.on((frames) => this.frames.emit(frames.filter((frame) => frame.view === this.#number || this.#number < 0)));
  }

  /** Whether frames contain the references that max distance is measured from. */
  set references(references: boolean) {
    if (references === this.#references) return;
    this.#references = references;
    this.#subscribe();
  }

  /** Lowers or raises the rate by the load of the last second. */
  adapt(load: Load, queuedMs: number, pictureMs: number): void {
    const now = this.rate ?? this.tickRate;
    const pressure = Math.max(load.busy / BUSY, queuedMs / LATE_MS, pictureMs / SLOW_FRAME_MS);
    this.#pressed = pressure > 1 ? this.#pressed + 1 : 0;
    if (pressure > 1) {
      this.#calm = 0;
      if (this.#pressed < SECONDS_BEFORE_LOWERING || now <= LOWEST_RATE) return;
      this.#pressed = 0;
      this.#setRate(Math.max(LOWEST_RATE, Math.min(now - 1, now / Math.min(pressure, 3))));
    } else if (this.rate !== null && load.busy < IDLE && pressure < 0.6 && ++this.#calm >= SECONDS_BEFORE_RAISING) {
      this.#calm = 0;
      this.#setRate(now * 1.8);
    }
  }

  #setRate(rate: number): void {
    const whole = Math.floor(rate);
    this.rate = whole < this.tickRate ? whole : null;
    this.#subscribe();
    this.rateChanged.emit();
  }

  #setRhythm(given: number | null, step: number): void {
    if (given === this.#given && step === this.#step && this.tickRate === this.rhythm.tickRate) return;
    this.#given = given;
    this.#step = step;
    this.rhythm = new Rhythm(this.tickRate, given, step);
    this.rhythmChanged.emit();
  }

  async #askStep(): Promise<void> {
    try {
      const { frame_interval: step = 1 } = await this.#server.request<Stats>("server.stats");
      this.#setRhythm(this.#given, step);
    } catch {
      // the connection was lost meanwhile
    }
  }

  /** One after the other: each takes the place of the view before. */
  #subscribe(): void {
    this.#subscribed = this.#subscribed.then(() => this.#renew());
  }

  async #renew(): Promise<void> {
    if (!this.#server.session) return;
    const before = this.#number, { rate } = this;
    try {
      const { view } = await this.#server.request<{ view: number }>("stream.subscribe", {
        layout: "trs", particles: true, wrinkles: true, references: this.#references,
        ...(rate !== null && { rate }),
      });
      this.#number = view;
      this.#setRhythm(rate, this.#step);
      if (before >= 0 && before !== view) await this.#server.request("stream.unsubscribe", { view: before });
    } catch (error) {
      if (!isLost(error)) console.warn(String(error));
    }
  }
}
