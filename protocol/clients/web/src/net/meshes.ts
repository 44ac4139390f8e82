// Render meshes of the characters, with the materials of their fabrics. They are large, so a mesh is asked for once per
// script, not once per character.
import type { Description, Mesh } from "./protocol";
import type { Server } from "./server";
import { Signal } from "./signal";

/** A script, and the fabrics that it defines. */
export interface Maker {
  script: string;
  fabrics: string[];
}

export class MeshLibrary {
  /** By which meshes may have changed. */
  readonly outdated = new Signal<Maker>();
  /** A connection is new: all meshes may have changed. */
  readonly forgotten = new Signal();

  #server: Server;
  #meshes = new Map<string, { wearer: Description; meshes: Promise<Mesh[]> }>();

  constructor(server: Server) {
    this.#server = server;
    server.opened.on(() => {
      this.#meshes.clear();
      this.forgotten.emit();
    });
    server.event.on(({ method, params }) => {
      if (method !== "script.loaded") return;
      const script = String(params["script"]);
      this.#outdate({ script, fabrics: [] });
      void this.#outdateFabrics(script);
    });
  }

  /** The meshes of a character; the same list for characters of the same script, bones and fabrics. */
  of(description: Description): Promise<Mesh[]> {
    const key = keyOf(description);
    const known = this.#meshes.get(key);
    if (known) return known.meshes;
    const meshes = this.#server.request<Description>("character.describe", { character: description.name, mesh: true })
      .then((described) => described.meshes ?? []);
    meshes.catch(() => this.#meshes.delete(key));
    this.#meshes.set(key, { wearer: description, meshes });
    return meshes;
  }

  #outdate(maker: Maker): void {
    for (const [key, { wearer }] of this.#meshes) if (isMadeBy(wearer, maker)) this.#meshes.delete(key);
    this.outdated.emit(maker);
  }

  async #outdateFabrics(script: string): Promise<void> {
    const all = await this.#server.request<{ name: string; script: string }[]>("fabric.list").catch(() => []); // the connection is lost
    const fabrics = all.filter((fabric) => fabric.script === script).map(({ name }) => name);
    if (fabrics.length > 0) this.#outdate({ script, fabrics });
  }
}

/** Whether the meshes of a character are by its own script, or by a fabric that it wears. */
export function isMadeBy({ script, garments }: Description, maker: Maker): boolean {
  return maker.script === script || garments.some(({ fabric }) => maker.fabrics.includes(fabric));
}

function keyOf({ script, bones, garments }: Description): string {
  let sum = 0;
  for (const bone of bones) for (let i = 12; i < 15; i++) sum = (sum * 31 + bone.inverse_bind[i]) % 1e6;
  return [script, bones.length, sum.toFixed(4), ...garments.map((garment) => `${garment.name}:${garment.fabric}`)].join(" ");
}
