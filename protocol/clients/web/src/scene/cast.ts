// All characters on the stage, as the stream describes and moves them.
import { Box3, Vector3 } from "three";
import { isMadeBy, type MeshLibrary } from "../net/meshes";
import { isLost } from "../net/server";
import { Signal } from "../net/signal";
import type { Description } from "../net/protocol";
import type { Timeline } from "../motion/timeline";
import { Character } from "./character";
import { mannequinMaterial } from "./mannequin";
import type { Switches } from "./overlays/overlays";
import type { Stage } from "./stage";

export class Cast {
  readonly characters = new Map<string, Character>();
  readonly changed = new Signal();
  /** A character has other parts now: its earlier frames do not fit. */
  readonly replaced = new Signal<string>();
  readonly bodyMaterial = mannequinMaterial("#cfc6ba");

  #stage: Stage;
  #meshes: MeshLibrary;

  constructor(stage: Stage, meshes: MeshLibrary) {
    this.#stage = stage;
    this.#meshes = meshes;
    meshes.forgotten.on(() => {
      for (const character of this.characters.values()) character.isComplete = false;
    });
    meshes.outdated.on((maker) => {
      for (const character of this.characters.values())
        if (isMadeBy(character.description, maker)) void this.#fetchMeshes(character);
    });
  }

  describe(description: Description): void {
    const known = this.characters.get(description.name);
    if (known?.hasPartsOf(description)) {
      known.describe(description);
      if (!known.isComplete) void this.#fetchMeshes(known); // the connection is another one
    } else {
      if (known) {
        this.#take(known);
        this.replaced.emit(description.name);
      }
      const character = new Character(description, this.bodyMaterial);
      this.characters.set(description.name, character);
      this.#stage.scene.add(character.group);
      void this.#fetchMeshes(character);
    }
    this.changed.emit();
  }

  remove(name: string): void {
    const character = this.characters.get(name);
    if (!character) return;
    this.#take(character);
    this.characters.delete(name);
    this.changed.emit();
  }

  /** Removes all that are not in the list. */
  keep(names: string[]): void {
    for (const name of [...this.characters.keys()]) if (!names.includes(name)) this.remove(name);
  }

  update(timeline: Timeline, switches: Switches): void {
    for (const character of this.characters.values()) {
      const sample = timeline.sample(character.name);
      if (sample) character.update(sample, switches);
      character.group.visible = character.sample !== null; // before its first frame its place is not known
    }
  }

  bounds(names: Iterable<string>): Box3 {
    const box = new Box3(), point = new Vector3();
    for (const name of names) {
      const bones = this.characters.get(name)?.bones;
      for (let i = 0; bones && i < bones.count; i++) box.expandByPoint(bones.position(i, point));
    }
    return box.isEmpty() ? box : box.expandByVector(new Vector3(0.15, 0.12, 0.15));
  }

  /** The character whose bones are drawn nearest to a place of the screen (-1 to 1), within `reach`; or null. */
  pick(x: number, y: number, reach: number): string | null {
    const point = new Vector3(), { camera, renderer } = this.#stage;
    const aspect = renderer.domElement.clientWidth / renderer.domElement.clientHeight;
    let best: string | null = null, nearest = reach;
    for (const [name, { bones }] of this.characters) {
      for (let i = 0; i < bones.count; i++) {
        bones.position(i, point).project(camera);
        const distance = Math.hypot((point.x - x) * aspect, point.y - y) + (point.z < 1 ? point.z * 1e-3 : 9);
        if (distance < nearest) [nearest, best] = [distance, name];
      }
    }
    return best;
  }

  #take(character: Character): void {
    character.group.removeFromParent();
    character.dispose();
  }

  async #fetchMeshes(character: Character): Promise<void> {
    try {
      const meshes = await this.#meshes.of(character.description);
      character.isComplete = true;
      if (this.characters.get(character.name) === character && !character.isDressedIn(meshes)) character.setMeshes(meshes, this.bodyMaterial);
    } catch (error) {
      if (this.characters.get(character.name) === character && !isLost(error)) console.warn(String(error)); // it is drawn from its description
    }
  }
}
