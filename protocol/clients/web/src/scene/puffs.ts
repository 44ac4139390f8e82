// How far down jackets puff out between the seams of their quilting. The weave's shader draws the seams at the same places.
import { BufferAttribute, type BufferGeometry } from "three";
import type { Mesh as MeshData } from "../net/protocol";
import { BAFFLE } from "./weaves.glsl";

const PUFF = 0.011; // m
const WELD = 1e-5; // m: vertices that are nearer are one place

/**
 * Adds the attribute `puff`, m along the normal. Vertices at one place, where panels meet, move alike; the mesh's border
 * stays, where it is sewn to the lining.
 */
export function addPuffs(geometry: BufferGeometry, { positions, uvs, triangles }: MeshData): void {
  const count = positions.length / 3, places = new Map<string, number>(), at = new Uint32Array(count), edges = new Map<number, number>();
  const least = new Float32Array(count).fill(PUFF);
  for (let i = 0; i < count; i++) {
    const key = [0, 1, 2].map((axis) => Math.round(positions[3 * i + axis] / WELD)).join(" ");
    at[i] = places.get(key) ?? places.set(key, places.size).size - 1;
    const phase = uvs[2 * i + 1] / BAFFLE - Math.floor(uvs[2 * i + 1] / BAFFLE);
    least[at[i]] = Math.min(least[at[i]], PUFF * Math.sqrt(4 * phase * (1 - phase)));
  }
  const edgeOf = (i: number): number => {
    const a = at[triangles[i]], b = at[triangles[i % 3 === 2 ? i - 2 : i + 1]];
    return Math.min(a, b) * count + Math.max(a, b);
  };
  for (let i = 0; i < triangles.length; i++) edges.set(edgeOf(i), (edges.get(edgeOf(i)) ?? 0) + 1);
  for (const [edge, times] of edges) if (times === 1) least[Math.floor(edge / count)] = least[edge % count] = 0;
  geometry.setAttribute("puff", new BufferAttribute(Float32Array.from(at, (place) => least[place]), 1));
}
