// Where a mesh bends: between the two bones that carry a vertex most. The inside of a bent elbow or knee creases.
import { BufferAttribute, type BufferGeometry } from "three";
import type { Mesh as MeshData } from "../net/protocol";

const LEAST = 0.02; // product of both shares, below which a vertex hardly bends
const REACH = 0.11; // m along the mesh from the middle of a bend to where its creases end
const PASSES = 10;
const MIDDLE = 0.06; // m from the plane of symmetry, in which the bones of a trunk are
const LIMB = 0.35; // a limb creases that is bent by more than 20 degrees: as the distance of two unit vectors
const TRUNK = 0.77; // and a trunk at hips and waist by more than 45 degrees

/**
 * Adds the attributes that the fabric's shader reads: `bend`, in the bind pose the direction from the one bone's part of
 * the mesh to the other's, and how evenly both carry the vertex; `bendBones`, these two, and from which bend on there are
 * creases. Bones of simulated cloth have wrinkle weights of their own, and count for nothing here.
 */
export function addBends(geometry: BufferGeometry, data: MeshData, clothBones: ReadonlySet<number>): void {
  const count = data.positions.length / 3, bend = new Float32Array(4 * count), pairs = new Float32Array(3 * count);
  const middles = middlesOf(data);
  for (let i = 0; i < count; i++) {
    const [a, b] = [0, 1, 2, 3].map((k) => 4 * i + k).sort((m, n) => data.weights[n] - data.weights[m]);
    const one = data.joints[a], two = data.joints[b], product = data.weights[a] * data.weights[b];
    const from = middles.get(one), to = middles.get(two);
    if (product < LEAST || !from || !to || clothBones.has(one) || clothBones.has(two)) continue;
    const x = to[0] - from[0], y = to[1] - from[1], z = to[2] - from[2], length = Math.hypot(x, y, z);
    if (length < 1e-4) continue;
    bend.set([x / length, y / length, z / length, Math.sqrt(4 * (product - LEAST))], 4 * i);
    pairs.set([one, two, Math.min(Math.abs(from[0]), Math.abs(to[0])) < MIDDLE ? TRUNK : LIMB], 3 * i);
  }
  for (let pass = 0; pass < PASSES && spread(data, bend, pairs); pass++);
  geometry.setAttribute("bend", new BufferAttribute(bend, 4));
  geometry.setAttribute("bendBones", new BufferAttribute(pairs, 3));
}

/** Lets each vertex bend as a neighbour does, less by how far that one is. Returns whether any bends more than before. */
function spread({ positions, triangles }: MeshData, bend: Float32Array, pairs: Float32Array): boolean {
  let changes = false;
  for (let i = 0; i < triangles.length; i++) {
    const one = triangles[i], two = triangles[i % 3 === 2 ? i - 2 : i + 1];
    for (const [from, to] of [[one, two], [two, one]]) {
      if (bend[4 * from + 3] <= bend[4 * to + 3]) continue;
      const a = 3 * from, b = 3 * to;
      const far = Math.hypot(positions[a] - positions[b], positions[a + 1] - positions[b + 1], positions[a + 2] - positions[b + 2]);
      const left = bend[4 * from + 3] - far / REACH;
      if (left <= bend[4 * to + 3] + 0.01) continue;
      bend.set([bend[4 * from], bend[4 * from + 1], bend[4 * from + 2], left], 4 * to);
      pairs.copyWithin(3 * to, 3 * from, 3 * from + 3);
      changes = true;
    }
  }
  return changes;
}

/** The middle of what each bone carries. */
function middlesOf({ positions, joints, weights }: MeshData): Map<number, [x: number, y: number, z: number]> {
  const sums = new Map<number, [number, number, number, number]>();
  weights.forEach((weight, i) => {
    if (weight <= 0) return;
    const at = 3 * (i >> 2), sum = sums.get(joints[i]) ?? [0, 0, 0, 0];
    for (let axis = 0; axis < 3; axis++) sum[axis] += weight * positions[at + axis];
    sum[3] += weight;
    sums.set(joints[i], sum);
  });
  return new Map([...sums].map(([bone, [x, y, z, sum]]) => [bone, [x / sum, y / sum, z / sum]]));
}
