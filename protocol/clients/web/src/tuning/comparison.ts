// Two characters of one script side by side, in the same motion, each with its own values: A and B.
import type { App } from "../app";
import { Signal } from "../net/signal";
import { getFabric, toParams, valuesOf, type Target, type Values } from "./target";

const APART = 1.15; // m

export class Comparison {
  readonly changed = new Signal();
  names: [a: string, b: string] | null = null;

  #app: App;

  constructor(app: App) {
    this.#app = app;
    app.server.event.on(({ method, params }) => {
      if (method === "character.removed" && this.names?.includes(String(params["character"]))) this.#forget();
    });
    app.server.lost.on(() => this.#forget());
  }

  /** Spawns a twin of a character beside it, and starts both anew. */
  async begin(character: string): Promise<void> {
    const { server, cast } = this.#app;
    const description = cast.characters.get(character)?.description;
    if (!description) return;
    const { name } = await server.request<{ name: string }>("character.spawn", { script: description.script });
    this.names = [character, name];
    await this.restart();
    await server.request("character.move", { character: name, position: [APART, 0, 0], teleport: true });
    this.changed.emit();
  }

  /** Both begin their motion again in the same tick. */
  async restart(): Promise<void> {
    if (!this.names) return;
    const values = await Promise.all(this.names.map((name) => this.#values(name)));
    await this.#app.server.together(this.names.map((character) => ["character.reset", { character }]));
    await this.#app.server.together(this.names.flatMap((character, i) => // a reset forgets what was set on garments
      [...values[i]].map(([garment, set]): [string, object] => ["fabric.set", { character, garment, values: toParams(set) }])));
  }

  async end(): Promise<void> {
    const twin = this.names?.[1];
    this.#forget();
    if (twin !== undefined) await this.#app.server.request("character.remove", { character: twin });
  }

  /** The same garment of the other character. */
  other(target: Target): Target | null {
    if (!this.names || !("character" in target) || !this.names.includes(target.character)) return null;
    const [a, b] = this.names;
    return { character: target.character === a ? b : a, garment: target.garment };
  }

  async #values(character: string): Promise<Map<string, Values>> {
    const garments = this.#app.cast.characters.get(character)?.description.garments ?? [];
    const found = new Map<string, Values>();
    for (const { name, fabric } of garments) {
      const [own, common] = await Promise.all([
        getFabric(this.#app.server, { character, garment: name }).then(valuesOf),
        getFabric(this.#app.server, { fabric }).then(valuesOf),
      ]);
      const set = new Map([...own].filter(([key, value]) => common.get(key) !== value));
      if (set.size > 0) found.set(name, set);
    }
    return found;
  }

  #forget(): void {
    if (!this.names) return;
    this.names = null;
    this.changed.emit();
  }
}
