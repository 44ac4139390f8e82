// Two characters of one script side by side, in the same motion, each with its own values: A and B.
import { Matrix4, Quaternion, Vector3 } from "three";
import type { App } from "../app";
import type { Frame } from "../net/protocol";
import { Signal } from "../net/signal";
import { requestsOf, tunedGarments, type Target } from "./target";

const APART = 1.15; // m

export class Comparison {
  readonly changed = new Signal();
  names: [a: string, b: string] | null = null;
  /** What both do after they begin anew, beside what their script does: a clip or a command. */
  motion: [method: string, params: object] | null = null;

  #app: App;

  constructor(app: App) {
    this.#app = app;
    app.server.event.on(({ method, params }) => {
      if (method === "character.removed" && this.names?.includes(String(params["character"]))) this.#forget();
    });
    addEventListener("pagehide", () => void this.end());
    app.server.lost.on(() => {
      if (this.names) app.noticed.emit({ message: `The connection is lost: ${this.names.join(" and ")} are not compared any more.` });
      this.#forget();
    });
  }

  /** Spawns a twin of a character beside it, and starts both anew. */
  async begin(character: string): Promise<void> {
    const { server, cast } = this.#app;
    const description = cast.characters.get(character)?.description;
    if (!description) return;
    const { script, params } = description;
    const { name } = await server.request<{ name: string }>("character.spawn", {
      script, name: this.#twinOf(character), ...(params && { params }),
    });
    this.names = [character, name];
    this.motion = null;
    try {
      await this.restart();
      await this.#place(await this.#framesOf(this.names));
    } catch (error) {
      await this.end();
      throw error;
    }
    this.changed.emit();
  }

  /** A free name that tells whose twin it is: "alan B". */
  #twinOf(character: string): string {
    const { characters } = this.#app.cast;
    let name = `${character} B`;
    for (let number = 2; characters.has(name); number++) name = `${character} B ${number}`;
    return name;
  }

  /** Moves the twin, which stands at the origin, to the right side of the other, as the camera sees it. */
  async #place([a, b]: [Frame, Frame]): Promise<void> {
    const { server, stage, camera } = this.#app;
    const [character, twin] = [a.character, b.character];
    const root = firstBone(a).multiply(firstBone(b).invert()); // both are in the same pose
    const position = new Vector3(), rotation = new Quaternion();
    root.decompose(position, rotation, new Vector3());
    const aside = new Vector3().setFromMatrixColumn(stage.camera.matrixWorld, 0).setY(0).setLength(APART);
    await server.request("character.move", {
      character: twin, position: position.add(aside).toArray(), rotation: rotation.toArray(), teleport: true,
    });
    await this.#untilShown(character, twin, aside);
    camera.keep([character, twin]);
  }

  /** Waits until the twin is drawn where it was moved: what is drawn is older than the newest frame. */
  async #untilShown(character: string, twin: string, aside: Vector3): Promise<void> {
    const { cast, playback } = this.#app, place = new Vector3(), other = new Vector3();
    if (playback.isPaused) await playback.step(); // the move's frame is that of the next tick
    for (let tries = 0; tries < 100; tries++) {
      const [a, b] = [cast.characters.get(character), cast.characters.get(twin)];
      if (a?.sample && b?.sample && b.bones.position(0, place).sub(a.bones.position(0, other)).distanceTo(aside) < 0.1) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** The skeletons of two characters in the world, at the same tick. */
  async #framesOf(names: [string, string]): Promise<[Frame, Frame]> {
    const { server, playback } = this.#app;
    if (playback.isPaused) await playback.step(); // a new character's first frame is that of the next tick
    const seen: Frame[] = [];
    const stop = server.frames.on((frames) => seen.push(...frames));
    let view = -1;
    try {
      ({ view } = await server.request<{ view: number }>("stream.subscribe", {
        characters: names, kinds: ["skeleton"], layout: "trs", static: false, precision: 6,
      }));
      for (let tries = 0; tries < 100; tries++) {
        const mine = seen.filter((frame) => frame.view === view);
        const first = mine.find(({ character, tick }) => character === names[0] && mine.some((other) => other.character === names[1] && other.tick === tick));
        const second = mine.find(({ character, tick }) => character === names[1] && tick === first?.tick);
        if (first && second) return [first, second];
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error("no frame of both characters came");
    } finally {
      stop();
      if (view >= 0) await server.request("stream.unsubscribe", { view });
    }
  }

  /** Both begin their motion again in the same tick. */
  async restart(): Promise<void> {
    if (!this.names) return;
    const { server, cast } = this.#app;
    const tuned = await Promise.all(this.names.map((name) => tunedGarments(server, name, cast.characters.get(name)?.description.garments ?? [])));
    await server.together(this.names.map((character) => ["character.reset", { character }]));
    await server.together(tuned.flatMap(requestsOf)); // a reset forgets what was set on garments
    const { motion } = this;
    if (motion) await server.together(this.names.map((character) => [motion[0], { ...motion[1], character }]));
  }

  async end(): Promise<void> {
    const [character, twin] = this.names ?? [];
    if (character !== undefined && this.#app.selected === twin) this.#app.select(character); // the camera goes there, too
    this.#forget();
    if (twin !== undefined) await this.#app.server.request("character.remove", { character: twin });
  }

  /** The same garment of the other character. */
  other(target: Target): Target | null {
    if (!this.names || !("character" in target) || !this.names.includes(target.character)) return null;
    const [a, b] = this.names;
    return { character: target.character === a ? b : a, garment: target.garment };
  }

  #forget(): void {
    if (!this.names) return;
    this.names = null;
    this.#app.camera.keep(null);
    this.changed.emit();
  }
}

function firstBone({ bones: [x, y, z, qx, qy, qz, qw] }: Frame): Matrix4 {
  return new Matrix4().compose(new Vector3(x, y, z), new Quaternion(qx, qy, qz, qw), new Vector3(1, 1, 1));
}
