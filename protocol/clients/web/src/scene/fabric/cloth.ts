// A garment without a render mesh: its particles as a smooth surface, or as a rope.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Mesh, type Sphere } from "three";
import type { Garment, Material } from "../../net/protocol";
import type { Occluders } from "../occluders";
import { fabricMaterial, gauzeShadow, hasSeams } from "./fabric-material";

const FINER = 4; // drawn cells to one of the grid, along each side
const LYING = 0.4; // share of the rows from the top, that lie on a body and keep their places
const HANGING = 0.65; // share from which on they hang
const ROPE_SIDES = 8;

/** What the shipped fabrics look like; of others only the motion is known. */
const LOOKS: Record<string, Material> = {
  cotton: { color: [0.62, 0.66, 0.57], roughness: 0.9, pattern: "plain" },
  denim: { color: [0.13, 0.19, 0.33], roughness: 0.85, pattern: "twill" },
  down: { color: [0.2, 0.32, 0.4], roughness: 0.6, pattern: "quilted" },
  leather: { color: [0.16, 0.09, 0.06], roughness: 0.45, pattern: "grain" },
  rubber: { color: [0.07, 0.07, 0.08], roughness: 0.5, pattern: "smooth" },
  silk: { color: [0.55, 0.1, 0.14], roughness: 0.4, pattern: "satin" },
  tweed: { color: [0.42, 0.36, 0.28], roughness: 0.95, pattern: "herringbone" },
  veil: { color: [0.93, 0.92, 0.9], roughness: 0.8, pattern: "gauze" },
};

const UNKNOWN: Material = { color: [0.55, 0.52, 0.48], roughness: 0.9, pattern: "plain" };

export interface ClothSurface {
  readonly mesh: Mesh;
  update(particles: Float32Array, wrinkles?: { warp: Float32Array; weft: Float32Array }): void;
}

export function clothSurface(garment: Garment, bounds: Sphere, occluders: Occluders): ClothSurface {
  const { triangles } = garment;
  if (isGrid(garment)) return new GridCloth(garment, bounds, occluders);
  if (triangles.length > 0) return new MeshCloth(garment, bounds, occluders);
  return new Rope(garment, bounds, occluders);
}

/** Sheer cloth that is a grid, in a material of its own: rounded, as the bones of a mesh cannot bend its edges. */
export function sheerSurface(garment: Garment, look: Material, bounds: Sphere, occluders: Occluders): ClothSurface {
  return new GridCloth(garment, bounds, occluders, look);
}

export function isGrid({ rows, columns, closed, triangles }: Garment): boolean {
  return rows > 1 && columns > 1 && triangles.length === 6 * (rows - 1) * (columns - (closed ? 0 : 1));
}

function makeMesh(
  garment: Garment, vertices: number, index: number[], cloth: Float32Array, bounds: Sphere, occluders: Occluders,
  look = LOOKS[garment.fabric] ?? UNKNOWN, hasHem = false,
): Mesh {
  const geometry = new BufferGeometry();
  const dynamic = (size: number): BufferAttribute => new BufferAttribute(new Float32Array(vertices * size), size).setUsage(DynamicDrawUsage);
  geometry.setAttribute("position", dynamic(3));
  geometry.setAttribute("normal", dynamic(3));
  geometry.setAttribute("wrinkle", dynamic(2));
  geometry.setAttribute("cloth", new BufferAttribute(cloth, 2));
  geometry.setIndex(index);
  geometry.boundingSphere = bounds;
  const mesh = new Mesh(geometry, fabricMaterial(look, { occluders, wrinkles: "attribute", seams: hasHem && hasSeams(look.pattern) }));
  mesh.name = mesh.userData["garment"] = garment.name;
  mesh.castShadow = true;
  mesh.receiveShadow = !mesh.material.transparent;
  if (mesh.material.transparent) mesh.customDepthMaterial = gauzeShadow();
  return mesh;
}

/** A grid, made finer along rows and columns: by Catmull-Rom's splines, or rounded by B-splines as it hangs down. */
class GridCloth implements ClothSurface {
  readonly mesh: Mesh;
  #garment: Garment;
  #across: number; // drawn vertices along a row
  #down: number;
  #rows: Float32Array; // the particles' rows, made finer along the row

  #isRounded: boolean;

  constructor(garment: Garment, bounds: Sphere, occluders: Occluders, look?: Material) {
    const { rows, columns, closed } = garment;
    this.#garment = garment;
    this.#isRounded = look !== undefined;
    this.#across = (closed ? columns : columns - 1) * FINER + 1;
    this.#down = (rows - 1) * FINER + 1;
    this.#rows = new Float32Array(rows * this.#across * 3);
    const index: number[] = [];
    for (let row = 0; row < this.#down - 1; row++) {
      for (let column = 0; column < this.#across - 1; column++) {
        const a = row * this.#across + column, b = a + this.#across;
        index.push(a, b, a + 1, a + 1, b, b + 1);
      }
    }
    this.mesh = makeMesh(garment, this.#down * this.#across, index, this.#uvs(), bounds, occluders, look, true);
    this.update(new Float32Array(garment.rest));
    this.mesh.geometry.setAttribute("seam", new BufferAttribute(this.#hem(), 1));
  }

  update(particles: Float32Array, wrinkles?: { warp: Float32Array; weft: Float32Array }): void {
    const { rows, columns, closed } = this.#garment, across = this.#across;
    const round = (row: number): number => (this.#isRounded ? smooth((row / (rows - 1) - LYING) / (HANGING - LYING)) : 0);
    for (let row = 0; row < rows; row++)
      spline(() => round(row), particles, row * columns * 3, 3, columns, closed, this.#rows, row * across * 3, 3);
    const position = this.mesh.geometry.getAttribute("position").array as Float32Array;
    for (let column = 0; column < across; column++)
      spline(round, this.#rows, column * 3, across * 3, rows, false, position, column * 3, across * 3);
    this.#normals(position);
    if (wrinkles) this.#crease(wrinkles);
    for (const name of ["position", "normal", "wrinkle"]) this.mesh.geometry.getAttribute(name).needsUpdate = true;
  }

  #normals(p: Float32Array): void {
    const normal = this.mesh.geometry.getAttribute("normal").array as Float32Array;
    const { closed } = this.#garment, across = this.#across, down = this.#down;
    for (let row = 0; row < down; row++) {
      const up = Math.max(0, row - 1) * across, under = Math.min(down - 1, row + 1) * across;
      for (let column = 0; column < across; column++) {
        const left = column > 0 ? column - 1 : closed ? across - 2 : 0;
        const right = column < across - 1 ? column + 1 : closed ? 1 : across - 1;
        const a = (up + column) * 3, b = (under + column) * 3, c = (row * across + left) * 3, d = (row * across + right) * 3;
        const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
        const vx = p[d] - p[c], vy = p[d + 1] - p[c + 1], vz = p[d + 2] - p[c + 2];
        const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
        const length = Math.hypot(x, y, z) || 1, at = (row * across + column) * 3;
        normal[at] = x / length;
        normal[at + 1] = y / length;
        normal[at + 2] = z / length;
      }
    }
  }

  /** Wrinkle weights are those of the nearest bone above. */
  #crease({ warp, weft }: { warp: Float32Array; weft: Float32Array }): void {
    const { rows, columns, bones } = this.#garment;
    const at = new Int32Array(rows * columns).fill(-1);
    bones.forEach(([particle], i) => (at[particle] = i));
    for (let i = 0; i < at.length; i++) if (at[i] < 0) at[i] = i >= columns ? at[i - columns] : i > 0 ? at[i - 1] : 0;
    const out = this.mesh.geometry.getAttribute("wrinkle").array as Float32Array;
    for (let row = 0; row < this.#down; row++) {
      for (let column = 0; column < this.#across; column++) {
        const r = Math.min(rows - 1, row / FINER), c = column / FINER, r0 = Math.floor(r), c0 = Math.floor(c) % columns;
        const r1 = Math.min(rows - 1, r0 + 1), c1 = this.#garment.closed ? (c0 + 1) % columns : Math.min(columns - 1, c0 + 1);
        const s = r - r0, t = c - Math.floor(c), v = 2 * (row * this.#across + column);
        for (const [k, list] of [warp, weft].entries())
          out[v + k] = (1 - s) * ((1 - t) * list[at[r0 * columns + c0]] + t * list[at[r0 * columns + c1]]) +
            s * ((1 - t) * list[at[r1 * columns + c0]] + t * list[at[r1 * columns + c1]]);
      }
    }
  }

  /** How far each vertex is from the next border at rest, in m. */
  #hem(): Float32Array {
    const p = this.mesh.geometry.getAttribute("position").array, across = this.#across, below = (this.#down - 1) * across;
    const apart = (a: number, b: number): number => Math.hypot(p[3 * a] - p[3 * b], p[3 * a + 1] - p[3 * b + 1], p[3 * a + 2] - p[3 * b + 2]);
    return Float32Array.from({ length: this.#down * across }, (_, i) => {
      const column = i % across, start = i - column, sides = this.#garment.closed ? [] : [start, start + across - 1];
      return Math.min(...[column, below + column, ...sides].map((border) => apart(i, border)));
    });
  }

  /** Along the middle row, or the last one of sheer cloth, which is gathered above, and down each column, in m at rest. */
  #uvs(): Float32Array {
    const { rows, columns, rest } = this.#garment;
    const length = (a: number, b: number): number =>
      Math.hypot(rest[3 * a] - rest[3 * b], rest[3 * a + 1] - rest[3 * b + 1], rest[3 * a + 2] - rest[3 * b + 2]);
    const width = new Float32Array(columns + 1), height = new Float32Array(rows);
    const measured = (this.#isRounded ? rows - 1 : Math.floor(rows / 2)) * columns;
    for (let column = 1; column <= columns; column++)
      width[column] = width[column - 1] + length(measured + column - 1, measured + (column % columns));
    for (let row = 1; row < rows; row++) height[row] = height[row - 1] + length((row - 1) * columns, row * columns);
    const uvs = new Float32Array(2 * this.#down * this.#across);
    for (let row = 0; row < this.#down; row++) {
      for (let column = 0; column < this.#across; column++) {
        uvs[2 * (row * this.#across + column)] = between(width, column / FINER);
        uvs[2 * (row * this.#across + column) + 1] = between(height, row / FINER);
      }
    }
    return uvs;
  }
}

/** Any other mesh of particles. */
class MeshCloth implements ClothSurface {
  readonly mesh: Mesh;

  constructor(garment: Garment, bounds: Sphere, occluders: Occluders) {
    const count = garment.rest.length / 3, cloth = new Float32Array(2 * count);
    for (let i = 0; i < count; i++) cloth.set([garment.rest[3 * i], -garment.rest[3 * i + 1]], 2 * i);
    this.mesh = makeMesh(garment, count, garment.triangles, cloth, bounds, occluders);
    this.update(new Float32Array(garment.rest));
  }

  update(particles: Float32Array): void {
    const { geometry } = this.mesh;
    (geometry.getAttribute("position").array as Float32Array).set(particles);
    geometry.getAttribute("position").needsUpdate = true;
    geometry.computeVertexNormals();
  }
}

/** Particles in one column: hair, a tail, a hanging hood. */
class Rope implements ClothSurface {
  readonly mesh: Mesh;
  #count: number;
  #radius: number;

  constructor(garment: Garment, bounds: Sphere, occluders: Occluders) {
    this.#count = garment.rest.length / 3;
    this.#radius = this.#count === 2 ? 0.045 : 0.022;
    const index: number[] = [], cloth = new Float32Array(2 * this.#count * ROPE_SIDES);
    for (let ring = 0; ring < this.#count; ring++) {
      for (let side = 0; side < ROPE_SIDES; side++) {
        cloth.set([(side / ROPE_SIDES) * 2 * Math.PI * this.#radius, ring * 0.04], 2 * (ring * ROPE_SIDES + side));
        if (ring === this.#count - 1) continue;
        const a = ring * ROPE_SIDES + side, b = ring * ROPE_SIDES + ((side + 1) % ROPE_SIDES);
        index.push(a, a + ROPE_SIDES, b, b, a + ROPE_SIDES, b + ROPE_SIDES);
      }
    }
    this.mesh = makeMesh(garment, this.#count * ROPE_SIDES, index, cloth, bounds, occluders);
    this.update(new Float32Array(garment.rest));
  }

  update(p: Float32Array): void {
    const { geometry } = this.mesh, last = this.#count - 1;
    const position = geometry.getAttribute("position").array as Float32Array;
    for (let ring = 0; ring <= last; ring++) {
      const a = 3 * Math.max(0, ring - 1), b = 3 * Math.min(last, ring + 1);
      let dx = p[b] - p[a], dy = p[b + 1] - p[a + 1], dz = p[b + 2] - p[a + 2];
      const length = Math.hypot(dx, dy, dz) || 1;
      dx /= length; dy /= length; dz /= length;
      const [sx, sy, sz] = Math.abs(dx) < 0.9 ? perpendicular(dx, dy, dz, 1, 0, 0) : perpendicular(dx, dy, dz, 0, 1, 0);
      const tx = dy * sz - dz * sy, ty = dz * sx - dx * sz, tz = dx * sy - dy * sx;
      const along = last > 0 ? ring / last : 0;
      const radius = this.#radius * (last === 1 ? 0.75 + 0.25 * along : Math.sqrt(Math.max(0.02, 1 - along * along)));
      for (let side = 0; side < ROPE_SIDES; side++) {
        const angle = (side / ROPE_SIDES) * 2 * Math.PI, c = Math.cos(angle) * radius, s = Math.sin(angle) * radius;
        position.set([p[3 * ring] + c * sx + s * tx, p[3 * ring + 1] + c * sy + s * ty, p[3 * ring + 2] + c * sz + s * tz],
          3 * (ring * ROPE_SIDES + side));
      }
    }
    geometry.getAttribute("position").needsUpdate = true;
    geometry.computeVertexNormals();
  }
}

function perpendicular(x: number, y: number, z: number, a: number, b: number, c: number): [number, number, number] {
  const px = y * c - z * b, py = z * a - x * c, pz = x * b - y * a, length = Math.hypot(px, py, pz) || 1;
  return [px / length, py / length, pz / length];
}

function between(list: Float32Array, at: number): number {
  const i = Math.min(list.length - 2, Math.floor(at));
  return list[i] + (list[i + 1] - list[i]) * (at - i);
}

/** From p1 to p2: Catmull-Rom's spline, or as far as it is round the uniform cubic B-spline, which cuts corners. */
function curve(p0: number, p1: number, p2: number, p3: number, t: number, round: number): number {
  const through = 0.5 * (2 * p1 + (p2 - p0) * t + (2 * p0 - 5 * p1 + 4 * p2 - p3) * t * t + (3 * p1 - p0 - 3 * p2 + p3) * t * t * t);
  if (round === 0) return through;
  const b = ((1 - t) ** 3 * p0 + (3 * t ** 3 - 6 * t * t + 4) * p1 + (-3 * t ** 3 + 3 * t * t + 3 * t + 1) * p2 + t ** 3 * p3) / 6;
  return through + round * (b - through);
}

function smooth(x: number): number {
  const t = Math.min(1, Math.max(0, x));
  return t * t * (3 - 2 * t);
}

/** Writes FINER points for each span of `count` points, with mirrored ends unless `closed`; how rounded at which place. */
function spline(
  round: (place: number) => number,
  from: Float32Array, start: number, stride: number, count: number, closed: boolean,
  to: Float32Array, toStart: number, toStride: number,
): void {
  const spans = closed ? count : count - 1;
  for (let span = 0; span < spans; span++) {
    const b = start + span * stride, c = start + ((span + 1) % count) * stride;
    const before = closed ? (span + count - 1) % count : span - 1, after = closed ? (span + 2) % count : span + 2;
    for (let axis = 0; axis < 3; axis++) {
      const p1 = from[b + axis], p2 = from[c + axis];
      const p0 = before >= 0 ? from[start + before * stride + axis] : 2 * p1 - p2;
      const p3 = after < count ? from[start + after * stride + axis] : 2 * p2 - p1;
      for (let step = 0; step < FINER; step++) {
        to[toStart + (span * FINER + step) * toStride + axis] = curve(p0, p1, p2, p3, step / FINER, round(span + step / FINER));
      }
      if (span === spans - 1) to[toStart + spans * FINER * toStride + axis] = curve(p0, p1, p2, p3, 1, round(spans));
    }
  }
}
