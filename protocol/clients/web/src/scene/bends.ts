// Where a mesh bends: between two bones that carry a vertex. The inside of a bent elbow or knee is pressed into folds.
import { BufferAttribute, type BufferGeometry } from "three";
import type { Mesh as MeshData } from "../net/protocol";

const LEAST = 0.02; // product of both shares, below which a vertex hardly bends
const REACH = 0.15; // m along the mesh from the middle of a bend to where its folds end
const PASSES = 14;
const MIDDLE = 0.06; // m from the plane of symmetry, in which the bones of a trunk are
const LIMB = 0.35; // a limb folds that is bent by more than 20 degrees: as the distance of two unit vectors
const TRUNK = 0.77; // and a trunk at hips and waist by more than 45 degrees
const WELD = 1e5; // places a metre: vertices at one place bend alike, so that no seam opens

/** A bend of a mesh between two bones. */
interface Bend {
  bones: [one: number, two: number];
  way: [x: number, y: number, z: number]; // from the one bone's part of the mesh to the other's, of length 1
  from: number; // the bend from which on there are folds
  shares: Float32Array; // of each place: 1 in the middle of the bend, 0 where its folds end
}

/**
 * Adds the attributes that the fabric's shader reads, of the two bends next to each vertex: `bend`, in the bind pose the
 * direction from the one bone's part of the mesh to the other's, and how near the bend's middle is; `bendBones`, these
 * two, and from which bend on there are folds. `otherBend` and `otherBendBones` are the second one's: a sleeve also
 * "bends" between a bone and the one that only twists against it. Bones of simulated cloth have wrinkle weights of
 * their own, and count for nothing here.
 */
export function addBends(geometry: BufferGeometry, data: MeshData, clothBones: ReadonlySet<number>): void {
  const count = data.positions.length / 3, places = placesOf(data), bends = [...bendsOf(data, places, clothBones).values()];
  for (const bend of bends) for (let pass = 0; pass < PASSES && spread(data, places, bend.shares); pass++);
  const nearest = [new Float32Array(4 * count), new Float32Array(4 * count)];
  const pairs = [new Float32Array(3 * count), new Float32Array(3 * count)];
  for (let i = 0; i < count; i++) {
    let first: Bend | undefined, second: Bend | undefined;
    const shareOf = (bend?: Bend): number => bend?.shares[places[i]] ?? 0;
    for (const bend of bends) {
      if (shareOf(bend) > shareOf(first)) [first, second] = [bend, first];
      else if (shareOf(bend) > shareOf(second)) second = bend;
    }
    [first, second].forEach((bend, k) => {
      if (!bend) return;
      nearest[k].set([...bend.way, shareOf(bend)], 4 * i);
      pairs[k].set([...bend.bones, bend.from], 3 * i);
    });
  }
  ["bend", "otherBend"].forEach((name, k) => {
    geometry.setAttribute(name, new BufferAttribute(nearest[k], 4));
    geometry.setAttribute(`${name}Bones`, new BufferAttribute(pairs[k], 3));
  });
}

/** For each vertex the number of its place, which is that of the first vertex there. */
function placesOf({ positions }: MeshData): Uint32Array {
  const places = new Uint32Array(positions.length / 3), first = new Map<string, number>();
  for (let i = 0; i < places.length; i++) {
    const key = `${Math.round(positions[3 * i] * WELD)} ${Math.round(positions[3 * i + 1] * WELD)} ${Math.round(positions[3 * i + 2] * WELD)}`;
    places[i] = first.get(key) ?? i;
    first.set(key, places[i]);
  }
  return places;
}

/** All bends of a mesh, as far as its weights tell. */
function bendsOf(data: MeshData, places: Uint32Array, clothBones: ReadonlySet<number>): Map<string, Bend> {
  const bends = new Map<string, Bend>(), middles = middlesOf(data);
  for (let i = 0; i < places.length; i++) {
    const [a, b] = [0, 1, 2, 3].map((k) => 4 * i + k).sort((m, n) => data.weights[n] - data.weights[m]);
    const one = Math.min(data.joints[a], data.joints[b]), two = Math.max(data.joints[a], data.joints[b]);
    const product = data.weights[a] * data.weights[b], from = middles.get(one), to = middles.get(two);
    if (product < LEAST || !from || !to || clothBones.has(one) || clothBones.has(two)) continue;
    const x = to[0] - from[0], y = to[1] - from[1], z = to[2] - from[2], length = Math.hypot(x, y, z);
    if (length < 1e-4) continue;
    const key = `${one} ${two}`, bend = bends.get(key) ?? {
      bones: [one, two], way: [x / length, y / length, z / length],
      from: Math.min(Math.abs(from[0]), Math.abs(to[0])) < MIDDLE ? TRUNK : LIMB, shares: new Float32Array(places.length),
    };
    bends.set(key, bend);
    bend.shares[places[i]] = Math.max(bend.shares[places[i]], Math.sqrt(4 * (product - LEAST)));
  }
  return bends;
}

/** Lets each place bend as a neighbour does, less by how far that one is. Returns whether any bends more than before. */
function spread({ positions, triangles }: MeshData, places: Uint32Array, shares: Float32Array): boolean {
  let changes = false;
  for (let i = 0; i < triangles.length; i++) {
    const one = places[triangles[i]], two = places[triangles[i % 3 === 2 ? i - 2 : i + 1]];
    if (shares[one] === shares[two]) continue;
    const [near, off] = shares[one] > shares[two] ? [one, two] : [two, one], a = 3 * near, b = 3 * off;
    const far = Math.hypot(positions[a] - positions[b], positions[a + 1] - positions[b + 1], positions[a + 2] - positions[b + 2]);
    const left = shares[near] - far / REACH;
    if (left <= shares[off] + 0.01) continue;
    shares[off] = left;
    changes = true;
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
