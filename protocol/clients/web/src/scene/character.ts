// One character as it is drawn: render meshes, or what its description has instead, and overlays.
import { Group, Mesh, Vector3, type MeshPhysicalMaterial } from "three";
import { blendList } from "../motion/blend";
import type { Sample } from "../motion/timeline";
import type { Description, Garment, Mesh as MeshData } from "../net/protocol";
import { Bones } from "./bones";
import { clothSurface, isGrid, sheerSurface, type ClothSurface } from "./fabric/cloth";
import { disposeMaterials, WrinkleTexture } from "./fabric/fabric-material";
import { mannequin, type BoneShapes } from "./mannequin";
import { Occluders } from "./occluders";
import { Overlays, type Points, type Switches } from "./overlays/overlays";
import { disposeSkinned, skinnedMesh } from "./fabric/skinned";

export class Character {
  readonly group = new Group();
  readonly bones: Bones;
  readonly overlays: Overlays;
  description: Description;
  isComplete = false; // its meshes have come, or it has none
  sample: Sample | null = null;

  #wrinkles: WrinkleTexture;
  #occluders: Occluders;
  #dressed: MeshData[] = [];
  #meshes: Mesh[] = [];
  #cloths: { garment: Garment; surface: ClothSurface; mesh?: Mesh }[] = []; // mesh: drawn in its place where a frame has no particles
  #body: BoneShapes | null = null;
  #blended = new Map<string, Float32Array>(); // of the sample, by list and garment

  constructor(description: Description, bodyMaterial: MeshPhysicalMaterial) {
    this.description = description;
    this.bones = new Bones(description);
    this.#wrinkles = new WrinkleTexture(description.bones.length);
    this.#occluders = new Occluders(description);
    this.overlays = new Overlays(description, this.bones);
    this.group.add(this.overlays.group);
    this.#dress([], bodyMaterial);
  }

  get name(): string {
    return this.description.name;
  }

  /** Whether the parts are the same, so that the new description needs no new meshes. */
  hasPartsOf(other: Description): boolean {
    const parts = ({ script, bones, garments, colliders }: Description): string =>
      JSON.stringify([script, bones.map((bone) => [bone.name, bone.inverse_bind]), colliders,
        garments.map(({ name, fabric, rows, columns, closed, rest }) => [name, fabric, rows, columns, closed, rest])]);
    return parts(this.description) === parts(other);
  }

  describe(description: Description): void {
    this.description = description;
    this.overlays.describe(description);
  }

  setMeshes(meshes: MeshData[], bodyMaterial: MeshPhysicalMaterial): void {
    this.#undress();
    this.#dress(meshes, bodyMaterial);
  }

  get hasMeshes(): boolean {
    return this.#dressed.length > 0;
  }

  /** Whether it wears these meshes already, or others that are equal. */
  isDressedIn(meshes: MeshData[]): boolean {
    return meshes.length === this.#dressed.length && meshes.every((mesh, i) => isSame(mesh, this.#dressed[i]));
  }

  update(sample: Sample, switches: Switches): void {
    this.sample = sample;
    this.#blended.clear();
    this.bones.update(sample);
    this.#occluders.update(this.bones);
    this.#crease(sample);
    for (const { garment, surface } of this.#cloths) {
      const particles = this.particles(garment.name);
      if (particles) surface.update(particles, sample.earlier.wrinkles[garment.name]);
    }
    this.#body?.update(this.bones);
    for (const mesh of this.#meshes) mesh.visible = switches.meshes;
    for (const { garment, surface, mesh } of this.#cloths) {
      surface.mesh.visible = switches.meshes && (!mesh || this.particles(garment.name) !== null);
      if (mesh) mesh.visible = switches.meshes && !surface.mesh.visible;
    }
    if (this.#body) this.#body.group.visible = switches.meshes;
    this.overlays.update(switches, (list, garment) => this.#blend(list, garment));
  }

  /** The particles of a garment at the shown moment; null where the frame has none. */
  particles(garment: string): Float32Array | null {
    return this.#blend("particles", garment);
  }

  /** What is drawn of clothes and body; each knows the garment that it belongs to. */
  get surfaces(): Mesh[] {
    return [...this.#meshes, ...this.#cloths.map(({ surface }) => surface.mesh)];
  }

  /** Where labels and the camera look: the top of the character, and its first bone. */
  top(out: Vector3): Vector3 {
    const { world, count } = this.bones;
    this.bones.position(0, out);
    let highest = -Infinity;
    for (let i = 0; i < count; i++) highest = Math.max(highest, world[16 * i + 13]);
    return out.setY(highest + 0.24);
  }

  dispose(): void {
    this.#undress();
    this.overlays.dispose();
    this.bones.dispose();
    this.#wrinkles.texture.dispose();
  }

  #dress(meshes: MeshData[], bodyMaterial: MeshPhysicalMaterial): void {
    this.#dressed = meshes;
    const clothBones = new Set(this.description.garments.flatMap(({ bones }) => bones.map(([, bone]) => bone)));
    const wearer = { bones: this.bones, wrinkles: this.#wrinkles, occluders: this.#occluders, clothBones, meshes };
    for (const data of meshes) this.#meshes.push(skinnedMesh(data, wearer));
    const moved = new Uint8Array(this.description.bones.length); // whether a mesh follows a bone: a hood's may be part of the jacket's
    for (const { joints, weights } of meshes) for (let i = 0; i < weights.length; i++) if (weights[i] > 0) moved[joints[i]] = 1;
    for (const garment of this.description.garments) {
      const own = meshes.filter((data) => data.garment === garment.name);
      if (own.length === 1 && own[0].name === garment.name && own[0].material.pattern === "gauze" && isGrid(garment)) {
        const surface = sheerSurface(garment, own[0].material, this.bones.bounds, this.#occluders);
        this.#cloths.push({ garment, surface, mesh: this.#meshes[meshes.indexOf(own[0])] });
        continue;
      }
      if (garment.bones.some(([, bone]) => moved[bone] === 1)) continue;
      this.#cloths.push({ garment, surface: clothSurface(garment, this.bones.bounds, this.#occluders) });
    }
    if (!meshes.some((data) => data.garment === undefined)) {
      this.#body = mannequin(this.description, bodyMaterial);
      this.#body.update(this.bones);
      this.group.add(this.#body.group);
    }
    for (const mesh of this.surfaces) this.group.add(mesh);
  }

  #undress(): void {
    for (const mesh of this.#meshes) {
      disposeSkinned(mesh);
      mesh.removeFromParent();
    }
    for (const { surface } of this.#cloths) {
      surface.mesh.geometry.dispose();
      disposeMaterials(surface.mesh);
      surface.mesh.removeFromParent();
    }
    this.#body?.dispose();
    this.#body?.group.removeFromParent();
    this.#meshes = [];
    this.#cloths = [];
    this.#body = null;
  }

  #blend(list: Points, garment: string): Float32Array | null {
    const key = `${list} ${garment}`, made = this.#blended.get(key);
    if (made) return made;
    if (!this.sample) return null;
    const { earlier, later, fraction } = this.sample;
    const a = earlier[list][garment], b = later[list][garment];
    if (!a) return null;
    if (!b || b.length !== a.length || fraction === 0) return a;
    const blended = new Float32Array(a.length);
    blendList(a, b, fraction, blended);
    this.#blended.set(key, blended);
    return blended;
  }

  #crease({ earlier, later, fraction }: Sample): void {
    for (const garment of this.description.garments) {
      const a = earlier.wrinkles[garment.name], b = later.wrinkles[garment.name];
      if (!a || !b || a.warp.length !== garment.bones.length) continue;
      garment.bones.forEach(([, bone], i) => {
        this.#wrinkles.data[2 * bone] = a.warp[i] + (b.warp[i] - a.warp[i]) * fraction;
        this.#wrinkles.data[2 * bone + 1] = a.weft[i] + (b.weft[i] - a.weft[i]) * fraction;
      });
    }
    this.#wrinkles.texture.needsUpdate = true;
  }
}

function isSame(one: MeshData, other: MeshData): boolean {
  const isEqual = (a: ArrayLike<number>, b: ArrayLike<number>): boolean => {
    let i = 0;
    while (i < a.length && a[i] === b[i]) i++;
    return a.length === b.length && i === a.length;
  };
  return one === other || (one.name === other.name && one.garment === other.garment && JSON.stringify(one.material) === JSON.stringify(other.material) &&
    (["positions", "normals", "uvs", "triangles", "joints", "weights"] as const).every((name) => isEqual(one[name], other[name])));
}
