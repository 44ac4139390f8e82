// Pause, single steps, and slow motion by stepping the server at a share of its rate.
import type { Mirror } from "../net/mirror";
import { isLost, type Server } from "../net/server";
import { Signal } from "../net/signal";
import type { Timeline } from "./timeline";

const MOST_STEPS = 6; // at once, after a delay

export class Playback {
  readonly changed = new Signal();
  /** Slow motion has ended by itself; says why. */
  readonly failed = new Signal<string>();
  speed = 1;

  #server: Server;
  #mirror: Mirror;
  #timeline: Timeline;
  #holds = false; // this page holds a pause
  #runs = 0; // the number of the running loop of slow motion

  constructor(server: Server, mirror: Mirror, timeline: Timeline) {
    this.#server = server;
    this.#mirror = mirror;
    this.#timeline = timeline;
    mirror.pauseChanged.on(() => {
      if (!mirror.paused) timeline.resynchronise();
      this.changed.emit();
    });
    server.lost.on(() => {
      this.#holds = false;
      this.#runs++;
      this.speed = 1;
      timeline.speed = 1;
      this.changed.emit();
    });
  }

  /** Whether simulation time stands still. */
  get isPaused(): boolean {
    return this.#mirror.paused && this.speed === 1;
  }

  async toggle(): Promise<void> {
    if (this.isPaused) await this.#resume();
    else await this.#pause();
  }

  async step(ticks = 1): Promise<void> {
    if (!this.isPaused) await this.#pause();
    await this.#server.request("simulation.step", { ticks });
  }

  async setSpeed(speed: number): Promise<void> {
    if (speed === 1) {
      await this.#resume();
      return;
    }
    await this.#hold();
    this.speed = speed;
    this.#timeline.speed = speed;
    this.changed.emit();
    void this.#crawl(++this.#runs);
  }

  async #pause(): Promise<void> {
    this.#stopCrawling();
    await this.#hold();
    this.changed.emit();
  }

  async #resume(): Promise<void> {
    this.#stopCrawling();
    const { holds } = await this.#server.request<{ holds: number }>("simulation.resume");
    this.#holds = false;
    this.#timeline.resynchronise();
    this.changed.emit();
    if (holds > 0) throw new Error("still paused: another connection has paused the simulation, too");
  }

  async #hold(): Promise<void> {
    if (this.#holds) return;
    await this.#server.request("simulation.pause");
    this.#holds = true;
  }

  #stopCrawling(): void {
    this.#runs++;
    this.speed = 1;
    this.#timeline.speed = 1;
  }

  async #crawl(run: number): Promise<void> {
    const rate = this.#server.session?.hello.tick_rate ?? 60;
    let due = performance.now();
    try {
      while (run === this.#runs) {
        const period = 1000 / (rate * this.speed);
        const ticks = Math.min(MOST_STEPS, Math.max(1, Math.floor((performance.now() - due) / period)));
        due = Math.max(due + ticks * period, performance.now() - MOST_STEPS * period);
        await this.#server.request("simulation.step", { ticks });
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
      }
    } catch (error) {
      if (run !== this.#runs) return;
      if (!isLost(error)) this.failed.emit(`slow motion has ended, and the simulation is paused: ${error instanceof Error ? error.message : String(error)}`);
      this.#stopCrawling();
      this.changed.emit();
    }
  }
}
