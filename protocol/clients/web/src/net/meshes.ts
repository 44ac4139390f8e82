// Render meshes of the characters. They are large, so a mesh is asked for once per script, not once per character.
import type { Description, Mesh } from "./protocol";
import type { Server } from "./server";
import { Signal } from "./signal";

export class MeshLibrary {
  /** The script whose meshes may have changed. */
  readonly outdated = new Signal<string>();

  #server: Server;
  #meshes = new Map<string, Promise<Mesh[]>>();

  constructor(server: Server) {
    this.#server = server;
    server.opened.on(() => this.#meshes.clear());
    server.event.on(({ method, params }) => {
      if (method !== "script.loaded") return;
      const script = String(params["script"]);
      for (const key of [...this.#meshes.keys()]) if (key.startsWith(`${script} `)) this.#meshes.delete(key);
      this.outdated.emit(script);
    });
  }

  /** The meshes of a character; the same list for characters of the same script, bones and fabrics. */
  of(description: Description): Promise<Mesh[]> {
    const key = keyOf(description);
    let meshes = this.#meshes.get(key);
    if (!meshes) {
      meshes = this.#server.request<Description>("character.describe", { character: description.name, mesh: true })
        .then((described) => described.meshes ?? []);
      meshes.catch(() => this.#meshes.delete(key));
      this.#meshes.set(key, meshes);
    }
    return meshes;
  }
}

function keyOf({ script, bones, garments }: Description): string {
  let sum = 0;
  for (const bone of bones) for (let i = 12; i < 15; i++) sum = (sum * 31 + bone.inverse_bind[i]) % 1e6;
  return [script, bones.length, sum.toFixed(4), ...garments.map((garment) => `${garment.name}:${garment.fabric}`)].join(" ");
}
