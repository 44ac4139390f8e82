// Where a mesh bends: between two bones that carry a vertex. The inside of a bent elbow or knee is pressed into folds.
import { BufferAttribute, type BufferGeometry } from "three";
import type { Mesh as MeshData } from "../../net/protocol";
import { nextCorner, weld } from "./weld";

const LEAST = 0.02; // product of both shares, below which a vertex hardly bends
const REACH = 0.15; // m along the mesh from the middle of a bend to where its folds end
const PASSES = 14;
const MIDDLE = 0.06; // m from the plane of symmetry, in which the bones of a trunk are
const LIMB = 0.35; // a limb folds that is bent by more than 20 degrees: as the distance of two unit vectors
const TRUNK = 0.77; // and a trunk at hips and waist by more than 45 degrees
const WELD = 1e-5; // m: vertices that are nearer are one place and bend alike, so that no seam opens

const APART = 3; // folds reach their full height where one bend's share is more than that of the next by a third of its own

const BONES = 65536; // more than a character has

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
export function addBends(
  geometry: BufferGeometry, data: MeshData, clothBones: ReadonlySet<number>, places = weld(data.positions, 3, WELD),
): void {
  const count = places.length, bends = bendsOf(data, places, clothBones);
  if (bends.length > 0) {
    const spreading = new Spreading(data, places);
    for (const { shares } of bends) spreading.spread(shares);
  }
  nearestOf(bends, count).forEach(({ which, rivals }, k) => {
    const nearest = new Float32Array(4 * count), pairs = new Float32Array(3 * count);
    for (let i = 0; i < count; i++) {
      const bend = bends[which[places[i]]];
      if (!bend) continue;
      for (let axis = 0; axis < 3; axis++) nearest[4 * i + axis] = bend.way[axis];
      const share = bend.shares[places[i]];
      nearest[4 * i + 3] = Math.min(share, APART * (share - rivals[places[i]]));
      pairs[3 * i] = bend.bones[0];
      pairs[3 * i + 1] = bend.bones[1];
      pairs[3 * i + 2] = bend.from;
    }
    const name = ["bend", "otherBend"][k];
    geometry.setAttribute(name, new BufferAttribute(nearest, 4));
    geometry.setAttribute(`${name}Bones`, new BufferAttribute(pairs, 3));
  });
}

/** Of each place, the bend that counts, or -1, and the share of the next greatest one, at whose border folds end. */
interface Nearest {
  which: Int32Array;
  rivals: Float32Array;
}

/**
 * For each place two bends. A bend is among the first ones or among the second ones of all places, so that its shares
 * run on from place to place; among which, is chosen so that few others of them are where it is. Of those that are, the
 * one with the greatest share counts.
 */
function nearestOf(bends: Bend[], count: number): [first: Nearest, second: Nearest] {
  const sets: [Nearest, Nearest] = [noBends(count), noBends(count)];
  const most = [new Float32Array(count), new Float32Array(count)];
  bends.forEach(({ shares }, bend) => {
    const shared = most.map((taken) => taken.reduce((sum, other, i) => sum + Math.min(other, shares[i]), 0));
    const k = shared[1] < shared[0] ? 1 : 0, { which, rivals } = sets[k];
    for (let i = 0; i < count; i++) {
      if (shares[i] > most[k][i]) {
        rivals[i] = most[k][i];
        most[k][i] = shares[i];
        which[i] = bend;
      } else rivals[i] = Math.max(rivals[i], shares[i]);
    }
  });
  return sets;
}

function noBends(count: number): Nearest {
  return { which: new Int32Array(count).fill(-1), rivals: new Float32Array(count) };
}

/** All bends of a mesh, as far as its weights tell. */
function bendsOf({ positions, joints, weights }: MeshData, places: Uint32Array, clothBones: ReadonlySet<number>): Bend[] {
  const bends = new Map<number, Bend>(), middles = middlesOf(positions, joints, weights);
  for (let i = 0; i < places.length; i++) {
    let a = 4 * i, b = -1; // of its four weights the greatest two
    for (let k = a + 1; k < 4 * i + 4; k++) {
      if (weights[k] > weights[a]) [a, b] = [k, a];
      else if (b < 0 || weights[k] > weights[b]) b = k;
    }
    const product = weights[a] * weights[b];
    if (product < LEAST) continue;
    const one = Math.min(joints[a], joints[b]), two = Math.max(joints[a], joints[b]);
    let bend = bends.get(one * BONES + two);
    if (!bend) {
      const from = middles.get(one), to = middles.get(two);
      if (!from || !to || clothBones.has(one) || clothBones.has(two)) continue;
      const x = to[0] - from[0], y = to[1] - from[1], z = to[2] - from[2], length = Math.hypot(x, y, z);
      if (length < 1e-4) continue;
      bend = {
        bones: [one, two], way: [x / length, y / length, z / length],
        from: Math.min(Math.abs(from[0]), Math.abs(to[0])) < MIDDLE ? TRUNK : LIMB, shares: new Float32Array(places.length),
      };
      bends.set(one * BONES + two, bend);
    }
    bend.shares[places[i]] = Math.max(bend.shares[places[i]], Math.sqrt(4 * (product - LEAST)));
  }
  return [...bends.values()];
}

/** Spreads bends over the places of a mesh, edge by edge. */
class Spreading {
  #ends: Uint32Array; // of each corner's edge: two places
  #lengths: Float64Array; // m, of the edges; -1 as long as nobody asked
  #starts: Uint32Array; // of each place: where its edges begin in `#edges`
  #edges: Uint32Array;
  #due: Uint32Array; // a bit for each edge: whether one of its ends has changed since it was looked at
  #positions: ArrayLike<number>;

  constructor({ positions, triangles }: MeshData, places: Uint32Array) {
    const count = triangles.length;
    this.#positions = positions;
    this.#ends = new Uint32Array(2 * count);
    this.#lengths = new Float64Array(count).fill(-1);
    this.#due = new Uint32Array(Math.ceil(count / 32));
    this.#starts = new Uint32Array(places.length + 2);
    this.#edges = new Uint32Array(2 * count);
    for (let i = 0; i < count; i++) {
      this.#ends[2 * i] = places[triangles[i]];
      this.#ends[2 * i + 1] = places[triangles[nextCorner(i)]];
    }
    const starts = this.#starts, ends = this.#ends, edges = this.#edges;
    for (let i = 0; i < ends.length; i++) starts[ends[i] + 2]++;
    for (let i = 2; i < starts.length; i++) starts[i] += starts[i - 1];
    for (let i = 0; i < ends.length; i++) edges[starts[ends[i] + 1]++] = i >> 1;
  }

  /**
   * Lets each place bend as a neighbour does, less by how far that one is: passes over the edges in their order, of which
   * those are left out whose ends are as they were.
   */
  spread(shares: Float32Array): void {
    this.#due.fill(0);
    for (let place = 0; place < shares.length; place++) if (shares[place] > 0) this.#touch(place);
    for (let pass = 0; pass < PASSES && this.#pass(shares); pass++);
  }

  /** Returns whether any place bends more than before. */
  #pass(shares: Float32Array): boolean {
    const due = this.#due;
    let changes = false;
    for (let word = 0; word < due.length; word++) {
      let ahead = -1; // the bits of edges that this pass has yet to reach
      for (let bits = due[word]; bits !== 0; bits = due[word] & ahead) {
        const bit = 31 - Math.clz32(bits & -bits);
        ahead = bit === 31 ? 0 : -1 << (bit + 1);
        due[word] &= ~(1 << bit);
        const changed = this.#relax(32 * word + bit, shares);
        if (changed < 0) continue;
        this.#touch(changed);
        changes = true;
      }
    }
    return changes;
  }

  /** Returns the place that bends more than before, or -1. */
  #relax(edge: number, shares: Float32Array): number {
    const one = this.#ends[2 * edge], two = this.#ends[2 * edge + 1];
    if (Math.abs(shares[one] - shares[two]) <= 0.01) return -1;
    const near = shares[one] > shares[two] ? one : two, off = near === one ? two : one;
    const left = shares[near] - this.#length(edge, near, off) / REACH;
    if (left <= shares[off] + 0.01) return -1;
    shares[off] = left;
    return off;
  }

  #length(edge: number, one: number, two: number): number {
    const lengths = this.#lengths, p = this.#positions, a = 3 * one, b = 3 * two;
    if (lengths[edge] < 0) lengths[edge] = Math.hypot(p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2]);
    return lengths[edge];
  }

  #touch(place: number): void {
    const due = this.#due, edges = this.#edges, end = this.#starts[place + 1];
    for (let k = this.#starts[place]; k < end; k++) due[edges[k] >> 5] |= 1 << (edges[k] & 31);
  }
}

/** The middle of what each bone carries. */
function middlesOf(
  positions: ArrayLike<number>, joints: ArrayLike<number>, weights: ArrayLike<number>,
): Map<number, [x: number, y: number, z: number]> {
  let bones = 0;
  for (let i = 0; i < joints.length; i++) bones = Math.max(bones, joints[i] + 1);
  const sums = new Float64Array(4 * bones);
  for (let i = 0; i < weights.length; i++) {
    if (weights[i] <= 0) continue;
    const at = 3 * (i >> 2), sum = 4 * joints[i];
    for (let axis = 0; axis < 3; axis++) sums[sum + axis] += weights[i] * positions[at + axis];
    sums[sum + 3] += weights[i];
  }
  const middles = new Map<number, [number, number, number]>();
  for (let bone = 0; bone < bones; bone++) {
    const [x, y, z, sum] = sums.subarray(4 * bone, 4 * bone + 4);
    if (sum > 0) middles.set(bone, [x / sum, y / sum, z / sum]);
  }
  return middles;
}
