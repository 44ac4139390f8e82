// What the page knows of the server beside frames: the world, scripts and their mistakes, statistics, pauses.
import type { CharacterEntry, Notification, ScriptEntry, ServerDescription, Stats, World } from "./protocol";
import type { Server } from "./server";
import { RoundTrips } from "./round-trips";
import { Signal } from "./signal";

export interface Fault {
  script: string;
  message: string;
  traceback: string;
}

const STATS_MS = 1000;

export class Mirror {
  readonly described = new Signal();
  readonly worldChanged = new Signal();
  readonly faultsChanged = new Signal();
  readonly statsTaken = new Signal<Stats>();
  readonly pauseChanged = new Signal();
  readonly logged = new Signal<{ level: string; message: string }>();

  description: ServerDescription | null = null;
  world: World | null = null;
  /** Simulation time at which `world` was told: tornadoes have moved on since. */
  worldTime = 0;
  readonly faults = new Map<string, Fault>();
  stats: Stats | null = null; // of the last second
  statsAt = 0; // when they came, ms of performance.now()
  /** Characters whose cloth was not simulated now or a second ago: it follows the skeleton, and stretches with it. */
  skinned = new Set<string>();
  paused = false;
  readonly roundTrips = new RoundTrips();

  #server: Server;
  #skinnedNow = new Set<string>();

  constructor(server: Server) {
    this.#server = server;
    server.opened.on(({ hello, roundTrip }) => {
      this.roundTrips.restart(roundTrip);
      this.paused = hello.paused;
      this.stats = null;
      this.pauseChanged.emit();
      void this.#begin();
    });
    server.event.on((event) => this.#take(event));
    setInterval(() => void this.#measure(), STATS_MS);
  }

  /** Scripts of characters, in the order of their names. */
  get characterScripts(): string[] {
    return this.description?.scripts.filter((script) => script.startsWith("characters/") || script.includes("/characters/")) ?? [];
  }

  /** Whether the server answers requests of this method: one that replays a recording answers fewer. */
  answers(method: string): boolean {
    return this.description?.methods.includes(method) ?? false;
  }

  async #begin(): Promise<void> {
    const [description, world, scripts] = await Promise.all([
      this.#server.request<ServerDescription>("server.describe"),
      this.#server.request<World>("world.get"),
      this.#server.request<ScriptEntry[]>("script.list"),
    ]);
    this.description = description;
    this.#setWorld(world, description.time);
    this.faults.clear();
    for (const { script, message, traceback } of scripts)
      if (message !== undefined) this.faults.set(script, { script, message, traceback: traceback ?? "" });
    this.faultsChanged.emit();
    this.described.emit();
  }

  /** There may be more scripts and fabrics now, or fewer. */
  async #describe(): Promise<void> {
    try {
      this.description = await this.#server.request<ServerDescription>("server.describe");
      this.described.emit();
    } catch {
      // the connection was lost meanwhile
    }
  }

  #setWorld(world: World, time: number): void {
    this.world = world;
    this.worldTime = time;
    this.worldChanged.emit();
  }

  #take({ method, params }: Notification): void {
    const script = String(params["script"] ?? ""), message = String(params["message"] ?? "");
    switch (method) {
      case "world.changed":
        this.#setWorld(params as unknown as World, Number(params["tick"]) / (this.description?.tick_rate ?? 60));
        break;
      case "script.failed":
      case "script.suspended":
        this.faults.set(script, { script, message, traceback: String(params["traceback"] ?? "") });
        this.faultsChanged.emit();
        break;
      case "script.loaded":
        if (this.faults.delete(script)) this.faultsChanged.emit();
        void this.#describe();
        break;
      case "simulation.paused":
      case "simulation.resumed":
        this.paused = method === "simulation.paused";
        this.pauseChanged.emit();
        break;
      case "log":
        this.logged.emit({ level: String(params["level"]), message });
        break;
    }
  }

  async #measure(): Promise<void> {
    if (!this.#server.session) return;
    try {
      const sent = performance.now();
      await this.#server.request("session.ping");
      this.roundTrips.push(performance.now() - sent);
      const stats = await this.#server.request<Stats>("server.stats");
      await this.#listSkinned(stats);
      this.stats = stats;
      this.statsAt = performance.now();
      this.statsTaken.emit(this.stats);
    } catch {
      // the connection was lost meanwhile
    }
  }

  async #listSkinned({ levels }: Stats): Promise<void> {
    const list = (levels?.skinned ?? 0) > 0 ? await this.#server.request<CharacterEntry[]>("character.list") : [];
    const now = new Set(list.filter(({ level }) => level === "skinned").map(({ name }) => name));
    this.skinned = new Set([...now, ...this.#skinnedNow]);
    this.#skinnedNow = now;
  }
}
