// The body of a character without a render mesh: its colliders, joined along the skeleton, in one material.
import {
  BufferGeometry, Group, LatheGeometry, Matrix4, Mesh, MeshPhysicalMaterial, Quaternion, SphereGeometry, Vector2, Vector3,
  type Object3D,
} from "three";
import type { Collider, Description } from "../net/protocol";
import type { Bones } from "./bones";

const BALL = new SphereGeometry(1, 40, 28);
const THINNEST = 0.014; // m, of what joins bones without a collider
const SHORTEST = 0.02;
const WORLD = new Matrix4(), UP = new Vector3(0, 1, 0);

/** Shapes fixed to bones. */
export class BoneShapes {
  readonly group = new Group();
  #shapes: { mesh: Object3D; bone: number; local: Matrix4 }[] = [];

  add(geometry: BufferGeometry, material: MeshPhysicalMaterial, bone: number, local: Matrix4): void {
    const mesh = new Mesh(geometry, material);
    mesh.matrixAutoUpdate = false;
    mesh.castShadow = mesh.receiveShadow = true;
    this.group.add(mesh);
    this.#shapes.push({ mesh, bone, local });
  }

  update(bones: Bones): void {
    for (const { mesh, bone, local } of this.#shapes) {
      if (bone >= 0) mesh.matrix.multiplyMatrices(WORLD.fromArray(bones.world, 16 * bone), local);
      mesh.matrixWorldNeedsUpdate = true;
    }
  }

  dispose(): void {
    for (const { mesh } of this.#shapes) {
      const { geometry } = mesh as Mesh;
      if (geometry !== BALL) geometry.dispose();
    }
  }
}

/** Adds a collider of a bone; planes have no shape. */
export function addCollider(shapes: BoneShapes, collider: Collider, bone: number, material: MeshPhysicalMaterial): void {
  const local = new Matrix4();
  if (collider.shape === "ellipsoid") {
    local.compose(new Vector3(...collider.center), new Quaternion().fromArray(collider.rotation), new Vector3(...collider.radii));
    shapes.add(BALL, material, bone, local);
  } else if (collider.shape === "sphere") {
    local.compose(new Vector3(...collider.center), new Quaternion(), new Vector3().setScalar(collider.radius));
    shapes.add(BALL, material, bone, local);
  } else if (collider.shape === "capsule") {
    addLimb(shapes, material, bone, new Vector3(...collider.from), new Vector3(...collider.to), collider.radius, collider.radius_end);
  }
}

export function mannequin(description: Description, material: MeshPhysicalMaterial): BoneShapes {
  const shapes = new BoneShapes();
  const index = new Map(description.bones.map((bone, i) => [bone.name, i]));
  for (const collider of description.colliders)
    if (collider.shape !== "plane") addCollider(shapes, collider, index.get(collider.bone) ?? -1, material);
  join(shapes, description, material);
  return shapes;
}

/** Limbs along the bones of the skeleton, thin enough to stay inside the colliders. */
function join(shapes: BoneShapes, { bones }: Description, material: MeshPhysicalMaterial): void {
  const rest = bones.map((bone) => new Matrix4().fromArray(bone.rest));
  bones.forEach((bone, i) => {
    const parent = bones[bone.parent];
    if (bone.kind !== "skeleton" || parent?.kind !== "skeleton") return;
    const to = new Vector3().setFromMatrixPosition(rest[i]).applyMatrix4(rest[bone.parent].clone().invert());
    const length = to.length();
    if (length < SHORTEST || bone.parent === 0) return;
    const radius = Math.min(0.042, Math.max(THINNEST, length * 0.17));
    addLimb(shapes, material, bone.parent, new Vector3(), to, radius, radius * 0.85);
  });
}

function addLimb(
  shapes: BoneShapes, material: MeshPhysicalMaterial, bone: number, from: Vector3, to: Vector3, radius: number, radiusEnd: number,
): void {
  const along = to.clone().sub(from);
  const turn = new Quaternion().setFromUnitVectors(UP, along.clone().normalize());
  shapes.add(limb(along.length(), radius, radiusEnd), material, bone, new Matrix4().compose(from, turn, new Vector3(1, 1, 1)));
}

/** The hull of two spheres on the y axis. */
function limb(length: number, radius: number, radiusEnd: number): LatheGeometry {
  const tilt = Math.asin(Math.max(-1, Math.min(1, (radius - radiusEnd) / Math.max(length, 1e-6))));
  const points: Vector2[] = [];
  for (let i = 0; i <= 10; i++) {
    const angle = -Math.PI / 2 + ((Math.PI / 2 + tilt) * i) / 10;
    points.push(new Vector2(radius * Math.cos(angle), radius * Math.sin(angle)));
  }
  for (let i = 0; i <= 10; i++) {
    const angle = tilt + ((Math.PI / 2 - tilt) * i) / 10;
    points.push(new Vector2(radiusEnd * Math.cos(angle), length + radiusEnd * Math.sin(angle)));
  }
  return new LatheGeometry(points, 24);
}

export function mannequinMaterial(color: string): MeshPhysicalMaterial {
  return new MeshPhysicalMaterial({ color, roughness: 0.62, sheen: 0.4, sheenRoughness: 0.6, sheenColor: "#ffffff" });
}
