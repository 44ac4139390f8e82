// Where a mesh was sewn: along its borders, and where two pieces of its pattern meet.
import { BufferAttribute, type BufferGeometry } from "three";
import type { Mesh as MeshData } from "../net/protocol";

const WELD = 1e-5; // m: vertices that are nearer, on the body and on the pattern, are one place
const REACH = 0.08; // m: farther from all seams, the distance is of no use

/** Adds the attribute `seam`: how far each vertex is from the next seam, in m. The weaves' shader draws stitches by it. */
export function addSeams(geometry: BufferGeometry, data: MeshData): void {
  const { positions } = data, count = positions.length / 3, seam = new Float32Array(count).fill(REACH);
  for (const [a, b] of seamsOf(data)) {
    const [ax, ay, az] = positions.slice(3 * a, 3 * a + 3), bx = positions[3 * b] - ax, by = positions[3 * b + 1] - ay, bz = positions[3 * b + 2] - az;
    const squared = Math.max(1e-12, bx * bx + by * by + bz * bz);
    for (let i = 0; i < count; i++) {
      const x = positions[3 * i] - ax, y = positions[3 * i + 1] - ay, z = positions[3 * i + 2] - az;
      const along = Math.min(1, Math.max(0, (x * bx + y * by + z * bz) / squared));
      const dx = x - along * bx, dy = y - along * by, dz = z - along * bz, far = dx * dx + dy * dy + dz * dz;
      if (far < seam[i] * seam[i]) seam[i] = Math.sqrt(far);
    }
  }
  geometry.setAttribute("seam", new BufferAttribute(seam, 1));
}

/** Edges that belong to one triangle only, vertices at one place of body and pattern being one. */
function seamsOf({ positions, uvs, triangles }: MeshData): [a: number, b: number][] {
  const places = new Map<string, number>(), count = positions.length / 3, at = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const key = [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2], uvs[2 * i], uvs[2 * i + 1]].map((x) => Math.round(x / WELD)).join(" ");
    at[i] = places.get(key) ?? places.set(key, places.size).size - 1;
  }
  const edges = new Map<number, [a: number, b: number] | null>();
  for (let i = 0; i < triangles.length; i++) {
    const a = triangles[i], b = triangles[i % 3 === 2 ? i - 2 : i + 1];
    const edge = Math.min(at[a], at[b]) * count + Math.max(at[a], at[b]);
    edges.set(edge, edges.has(edge) ? null : [a, b]);
  }
  return [...edges.values()].filter((edge) => edge !== null);
}
