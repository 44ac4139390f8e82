// Everything that the page has, and its loop: receive, interpolate, draw.
import { CameraGuide } from "./scene/camera-guide";
import { Cast } from "./scene/cast";
import { MeshLibrary } from "./net/meshes";
import { Mirror } from "./net/mirror";
import { FrameMeter } from "./motion/measures";
import { Playback } from "./motion/playback";
import { isLost, Server } from "./net/server";
import { Signal } from "./net/signal";
import { Stage } from "./scene/stage";
import { Timeline } from "./motion/timeline";
import { Tornadoes } from "./scene/tornadoes";
import { nameOf } from "./tuning/target";
import { Tuner } from "./tuning/tuner";
import { View } from "./net/view";
import { Wind } from "./scene/wind";
import { Comparison } from "./tuning/comparison";
import { load, save } from "./settings";
import { type Switch, type Switches } from "./scene/overlays/overlays";
import type { ThemeName } from "./scene/theme";
import type { Role } from "./net/protocol";
import type { SkinProbe } from "./scene/skin-probe";

const LONGEST_MS = 500; // of a picture; one that takes longer was not drawn because the page was hidden
const DEFAULTS: Switches = {
  meshes: true, skeleton: false, axes: false, particles: false, colliders: false, distances: false, wind: true, labels: true,
};

const DARK = matchMedia("(prefers-color-scheme: dark)");

function systemTheme(): ThemeName {
  return DARK.matches ? "dark" : "light";
}

/** A message that goes by itself, unless it stays, with what can be done about it. */
export interface Notice {
  message: string;
  action?: { text: string; run: () => void };
  stays?: boolean; // until it is closed or acted upon
  closed?: () => void; // by its button
  topic?: string; // takes the place of the notice of the same topic
}

export class App {
  readonly stage: Stage;
  readonly server: Server;
  readonly view: View;
  readonly mirror: Mirror;
  readonly cast: Cast;
  readonly timeline = new Timeline();
  readonly playback: Playback;
  readonly camera: CameraGuide;
  readonly tuner: Tuner;
  readonly comparison: Comparison;
  readonly tornadoes = new Tornadoes();
  readonly wind = new Wind();
  readonly meter = new FrameMeter();
  /** Frames of one character that came in the last second. */
  readonly receivedRate = { value: 0 };

  readonly selectionChanged = new Signal();
  readonly switchesChanged = new Signal();
  readonly themeChanged = new Signal();
  readonly failed = new Signal<string>();
  readonly noticed = new Signal<Notice>();
  readonly drawn = new Signal<number>(); // after each picture; ms since the last one

  switches: Switches = { ...DEFAULTS, ...load<Partial<Switches>>("switches") };
  theme: ThemeName = load<ThemeName>("theme") ?? systemTheme();
  selected: string | null = null;

  #framed = false;
  #last = performance.now();
  #workMs = 0; // of the page for a picture, smoothed
  #pictureMs = 16;
  #picturesDrawn = 0;

  constructor(canvas: HTMLCanvasElement, url: string, role?: Role) {
    this.stage = new Stage(canvas);
    this.server = new Server(url, role);
    this.view = new View(this.server);
    this.mirror = new Mirror(this.server);
    this.cast = new Cast(this.stage, new MeshLibrary(this.server));
    this.playback = new Playback(this.server, this.mirror, this.timeline);
    this.camera = new CameraGuide(this.stage, this.cast);
    this.tuner = new Tuner(this.server);
    this.comparison = new Comparison(this);
    this.stage.scene.add(this.tornadoes.group, this.wind.mesh);
    this.setTheme(this.theme);
    this.#listen();
    requestAnimationFrame(() => this.#draw());
  }

  /** Sends a request, and tells the user when it fails. */
  async ask<T>(method: string, params: object = {}): Promise<T | null> {
    try {
      return await this.server.request<T>(method, params);
    } catch (error) {
      this.#fail(error);
      return null;
    }
  }

  /** Does something that may fail, and tells the user when it does. */
  async attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Sets light or dark. The choice of another one than the system's is remembered; without one the page follows the system. */
  setTheme(name: ThemeName): void {
    this.theme = name;
    save("theme", name === systemTheme() ? undefined : name);
    document.documentElement.dataset["theme"] = name;
    this.stage.setTheme(name);
    this.tornadoes.dark = this.wind.dark = name === "dark";
    this.cast.bodyMaterial.color.set(this.stage.theme.mannequin);
    this.themeChanged.emit();
  }

  setSwitch(name: Switch, on: boolean): void {
    this.switches = { ...this.switches, [name]: on };
    save("switches", this.switches);
    this.view.references = this.switches.distances;
    this.switchesChanged.emit();
  }

  /** Selects a character, which the camera follows from now on if it follows at all. */
  select(name: string | null): void {
    this.camera.awaited = null;
    this.#select(name);
  }

  /** Characters that commands and clips go to: the selected one, and its twin while two are compared. */
  get addressed(): string[] {
    const twins = this.comparison.names;
    return twins && this.selected !== null && twins.includes(this.selected) ? twins : this.selected === null ? [] : [this.selected];
  }

  /** Seconds of simulation from the moment at which the world was told to the shown one. */
  get sinceWorld(): number {
    return Math.max(0, this.timeline.shown - this.mirror.worldTime);
  }

  #select(name: string | null): void {
    if (name === this.selected) return;
    this.selected = name;
    this.selectionChanged.emit();
  }

  /**
   * Selects another character where the selected one is gone. The camera does not go there: it stays, and follows the
   * same name again once that is back.
   */
  #keepSelection(): void {
    const { characters } = this.cast, { awaited } = this.camera;
    if (awaited !== null && characters.has(awaited)) this.select(awaited);
    if (this.selected !== null && characters.has(this.selected)) return;
    if (this.selected !== null) this.camera.awaited ??= this.selected;
    else this.camera.awaited = null;
    const wanted = this.mirror.description?.scene.camera?.target;
    this.#select(wanted !== undefined && characters.has(wanted) ? wanted : [...characters.keys()][0] ?? null);
  }

  #fail(error: unknown): void {
    if (!isLost(error)) this.failed.emit(error instanceof Error ? error.message : String(error));
  }

  #listen(): void {
    DARK.addEventListener("change", () => load<ThemeName>("theme") === undefined && this.setTheme(systemTheme()));
    this.view.references = this.switches.distances;
    this.view.described.on(({ description }) => description && this.cast.describe(description));
    this.view.frames.on((frames) => {
      for (const frame of frames) {
        this.timeline.push(frame);
        this.meter.push(frame, this.view.rhythm, this.playback.speed);
      }
    });
    this.view.rhythmChanged.on(() => {
      this.timeline.interval = this.view.rhythm.interval;
      this.meter.restart();
    });
    this.server.opened.on(() => {
      this.timeline.restart();
      this.meter.restart();
      void this.#compareCast();
    });
    this.server.event.on(({ method, params }) => {
      if (method !== "character.removed") return;
      this.meter.forget(String(params["character"]));
      this.timeline.remove(String(params["character"]));
      this.cast.remove(String(params["character"]));
    });
    this.server.load.on((load) => {
      const live = this.timeline.scrubbed === null && document.visibilityState === "visible" && !this.playback.isPaused;
      if (live) this.view.adapt(load, this.mirror.roundTrips.queued, this.#workMs);
    });
    this.cast.changed.on(() => this.#keepSelection());
    this.cast.replaced.on((name) => this.timeline.remove(name));
    this.mirror.worldChanged.on(() => {
      const { world } = this.mirror;
      if (!world) return;
      this.tornadoes.set(world.tornados);
      this.stage.ground.mesh.position.y = world.ground === false ? 0 : world.ground; // without one it is drawn all the same
    });
    this.mirror.statsTaken.on(() => {
      const position = this.stage.camera.position.toArray();
      if (this.mirror.answers("session.look")) this.server.request("session.look", { position }).catch(() => undefined); // lost
    });
    for (const signal of [this.tuner.failed, this.server.refused, this.playback.failed]) signal.on((message) => this.failed.emit(message));
    this.mirror.described.on(() => void this.#offerTuning());
  }

  /** Offers what was tuned on a server that has started anew since. */
  async #offerTuning(): Promise<void> {
    const missing = await this.tuner.findMissing();
    if (missing.length === 0) return;
    const names = missing.map(({ target, values }) => `${nameOf(target)} (${[...values.keys()].join(", ")})`);
    this.noticed.emit({
      message: `The server has started anew, without what was tuned here: ${names.join("; ")}.`,
      action: { text: "Set it again", run: () => void this.attempt(() => this.tuner.restore(missing)) },
      stays: true,
      closed: () => this.tuner.forgetMissing(),
      topic: "started anew",
    });
  }

  async #compareCast(): Promise<void> {
    const list = await this.ask<{ name: string }[]>("character.list");
    if (list) this.cast.keep(list.map(({ name }) => name));
  }

  #draw(): void {
    requestAnimationFrame(() => this.#draw());
    const now = performance.now(), elapsed = (now - this.#last) / 1000, dt = Math.min(0.25, elapsed);
    this.#pictureMs += 0.1 * (Math.min(LONGEST_MS, 1000 * elapsed) - this.#pictureMs);
    this.#last = now;
    this.timeline.advance(performance.timeOrigin + now);
    this.cast.update(this.timeline, this.switches);
    this.#frameFirst();
    this.camera.update(this.selected, Math.min(1, elapsed)); // in time on a slow machine, too
    this.#drawWeather(dt);
    this.#workMs += 0.1 * (performance.now() - now - this.#workMs); // without drawing: that has its own remedy
    this.stage.render();
    if (++this.#picturesDrawn % 30 === 0) this.stage.adapt(this.#pictureMs);
    this.drawn.emit(dt * 1000);
  }

  #drawWeather(dt: number): void {
    const { world } = this.mirror;
    this.tornadoes.group.visible = this.wind.mesh.visible = this.switches.wind && world !== null;
    if (!world || !this.switches.wind) return;
    const pixels = this.stage.renderer.domElement.height / (2 * Math.tan((this.stage.camera.fov * Math.PI) / 360));
    const { shown } = this.timeline, still = this.playback.isPaused || this.timeline.scrubbed !== null;
    const time = Number.isFinite(shown) ? shown : 0;
    this.tornadoes.update(time, this.sinceWorld, pixels);
    this.wind.update(world, time, this.sinceWorld, still ? 0 : dt * this.playback.speed, this.stage.controls.target, 1 / pixels);
  }

  /** The first camera is the scene's; later ones are the user's, also after a reconnection. */
  #frameFirst(): void {
    const { description } = this.mirror;
    if (this.#framed || !description || !Number.isFinite(this.timeline.shown) || this.cast.characters.size === 0) return;
    const { target, distance, height } = description.scene.camera ?? {};
    const name = target !== undefined && this.cast.characters.has(target) ? target : [...this.cast.characters.keys()][0];
    if (!this.cast.characters.get(name)?.sample) return; // it is not known yet where that one stands
    this.#framed = true;
    this.select(name);
    this.camera.begin(name, distance ?? 3, height);
  }

  /** For tests: what finds skin that comes out of clothes. It is loaded when it is asked for. */
  async skinProbe(width: number, height: number): Promise<SkinProbe> {
    return new (await import("./scene/skin-probe")).SkinProbe(this.stage, width, height);
  }

  get isReady(): boolean {
    return this.#framed;
  }
}
