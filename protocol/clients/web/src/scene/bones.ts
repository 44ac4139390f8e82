// The bones of one character at the shown moment: world matrices for overlays, skinning matrices for meshes.
import { Bone, Matrix4, Skeleton, Sphere, Vector3 } from "three";
import { blendBones } from "../motion/blend";
import type { Sample } from "../motion/timeline";
import type { Description } from "../net/protocol";

const PLACEHOLDER = new Bone();

/** A skeleton whose matrices come from frames, not from the tree of a scene. */
class StreamedSkeleton extends Skeleton {
  override update(): void {
    if (this.boneTexture) this.boneTexture.needsUpdate = true;
  }
}

export class Bones {
  readonly world: Float32Array; // [bone][16], column by column
  readonly skeleton: Skeleton;
  readonly bounds = new Sphere();
  #inverseBind: Float32Array;
  #center = new Vector3();

  constructor(description: Description) {
    const count = description.bones.length;
    this.world = new Float32Array(16 * count);
    this.#inverseBind = new Float32Array(16 * count);
    description.bones.forEach((bone, i) => {
      this.world.set(bone.rest, 16 * i);
      this.#inverseBind.set(bone.inverse_bind, 16 * i);
    });
    const placeholders = Array.from({ length: count }, () => PLACEHOLDER);
    this.skeleton = new StreamedSkeleton(placeholders, placeholders.map(() => new Matrix4()));
    this.skeleton.computeBoneTexture();
    this.#skin();
  }

  get count(): number {
    return this.world.length / 16;
  }

  update({ earlier, later, fraction }: Sample): void {
    if (earlier.bones.length !== (this.world.length / 16) * 10) return; // of another revision
    blendBones(earlier.bones, later.bones, fraction, this.world);
    this.#skin();
  }

  position(bone: number, out: Vector3): Vector3 {
    const at = 16 * bone + 12;
    return out.set(this.world[at], this.world[at + 1], this.world[at + 2]);
  }

  /** Where the character's front is, on the ground: the mean of its bones, which face +z when they are bound. */
  front(out: Vector3): Vector3 {
    const { boneMatrices } = this.skeleton;
    out.set(0, 0, 0);
    for (let at = 0; at < this.world.length; at += 16) out.add(this.#center.set(boneMatrices![at + 8], 0, boneMatrices![at + 10]));
    return out.length() > 0.1 * this.count ? out.normalize() : out.set(0, 0, 1);
  }

  dispose(): void {
    this.skeleton.dispose();
  }

  #skin(): void {
    const { world: a, skeleton } = this;
    const b = this.#inverseBind, out = skeleton.boneMatrices as Float32Array;
    for (let at = 0; at < a.length; at += 16) {
      for (let column = 0; column < 16; column += 4) {
        const x = b[at + column], y = b[at + column + 1], z = b[at + column + 2], w = b[at + column + 3];
        for (let row = 0; row < 4; row++)
          out[at + column + row] = a[at + row] * x + a[at + 4 + row] * y + a[at + 8 + row] * z + a[at + 12 + row] * w;
      }
    }
    this.#bound();
  }

  #bound(): void {
    const { count } = this;
    this.bounds.center.set(0, 0, 0);
    for (let i = 0; i < count; i++) this.bounds.center.add(this.position(i, this.#center));
    this.bounds.center.divideScalar(Math.max(1, count));
    let farthest = 0;
    for (let i = 0; i < count; i++) farthest = Math.max(farthest, this.bounds.center.distanceToSquared(this.position(i, this.#center)));
    this.bounds.radius = Math.sqrt(farthest) + 0.3;
  }
}
