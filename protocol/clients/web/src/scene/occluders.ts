// Spheres along a character's limbs that keep the light of the sky from its surfaces: under arms, between legs, inside cloth.
import { Matrix4, Quaternion, Vector3, Vector4 } from "three";
import type { Collider, Description } from "../net/protocol";
import type { Bones } from "./bones";

export const MOST_OCCLUDERS = 32;
const BESIDE = 0.8; // of a radius: how far spheres of a long collider are apart

export class Occluders {
  /** Of spheres in the world; the shader reads all, and those without a radius do nothing. */
  readonly spheres = Array.from({ length: MOST_OCCLUDERS }, () => new Vector4());
  #local: { bone: number; center: Vector3; radius: number }[] = [];

  constructor({ bones, colliders }: Description) {
    const index = new Map(bones.map(({ name }, i) => [name, i]));
    for (const collider of colliders) {
      const bone = collider.shape === "plane" ? undefined : index.get(collider.bone);
      if (bone !== undefined) this.#local.push(...spheresOf(collider).map((sphere) => ({ ...sphere, bone })));
    }
    this.#local.sort((a, b) => b.radius - a.radius).splice(MOST_OCCLUDERS);
  }

  update({ world }: Bones): void {
    const matrix = new Matrix4(), place = new Vector3();
    this.#local.forEach(({ bone, center, radius }, i) => {
      place.copy(center).applyMatrix4(matrix.fromArray(world, 16 * bone));
      this.spheres[i].set(place.x, place.y, place.z, radius);
    });
  }
}

function spheresOf(collider: Collider): { center: Vector3; radius: number }[] {
  if (collider.shape === "sphere") return [{ center: new Vector3(...collider.center), radius: collider.radius }];
  if (collider.shape === "capsule") {
    const middle = (collider.radius + collider.radius_end) / 2;
    return along(new Vector3(...collider.from), new Vector3(...collider.to), middle);
  }
  if (collider.shape !== "ellipsoid") return [];
  const radii = [...collider.radii].sort((a, b) => a - b), radius = (radii[0] + radii[1]) / 2;
  const axis = new Vector3().setComponent(collider.radii.indexOf(radii[2]), radii[2] - radius);
  axis.applyQuaternion(new Quaternion().fromArray(collider.rotation));
  const center = new Vector3(...collider.center);
  return along(center.clone().sub(axis), center.clone().add(axis), radius);
}

/** One to three spheres from one place to another. */
function along(from: Vector3, to: Vector3, radius: number): { center: Vector3; radius: number }[] {
  const count = Math.min(3, 1 + Math.floor(from.distanceTo(to) / (BESIDE * radius)));
  return Array.from({ length: count }, (_, i) => ({ center: from.clone().lerp(to, count === 1 ? 0.5 : i / (count - 1)), radius }));
}
