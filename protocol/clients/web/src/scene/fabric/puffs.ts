// How far down jackets puff out between the seams of their quilting. The weave's shader draws the seams at the same places.
import { BufferAttribute, type BufferGeometry } from "three";
import type { Mesh as MeshData } from "../../net/protocol";
import { BAFFLE } from "./weaves.glsl";
import { borderOf, nextCorner, weld } from "./weld";

const PUFF = 0.011; // m
const WELD = 1e-5; // m: vertices that are nearer are one place

/**
 * Adds the attribute `puff`, m along the normal. Vertices at one place, where panels meet, move alike; the mesh's border
 * stays, where it is sewn to the lining.
 */
export function addPuffs(geometry: BufferGeometry, { positions, uvs, triangles }: MeshData, places = weld(positions, 3, WELD)): void {
  const least = new Float32Array(places.length).fill(PUFF);
  for (let i = 0; i < places.length; i++) {
    const phase = uvs[2 * i + 1] / BAFFLE - Math.floor(uvs[2 * i + 1] / BAFFLE);
    least[places[i]] = Math.min(least[places[i]], PUFF * Math.sqrt(4 * phase * (1 - phase)));
  }
  for (const corner of borderOf(triangles, places))
    least[places[triangles[corner]]] = least[places[triangles[nextCorner(corner)]]] = 0;
  geometry.setAttribute("puff", new BufferAttribute(Float32Array.from(places, (place) => least[place]), 1));
}
