// Where a mesh was sewn: along its borders, and where two pieces of its pattern meet.
import { BufferAttribute, type BufferGeometry } from "three";
import type { Mesh as MeshData } from "../../net/protocol";
import { Grid } from "./grid";
import { borderOf, nextCorner, weld } from "./weld";

const WELD = 1e-5; // m: vertices that are nearer, on the body and on the pattern, are one place
const REACH = 0.08; // m: farther from all seams, the distance is of no use
const CELL = 0.04; // m
const SLACK = 1e-6; // m that rounding may move a cell's side

/** Adds the attribute `seam`: how far each vertex is from the next seam, in m. The weaves' shader draws stitches by it. */
export function addSeams(geometry: BufferGeometry, data: MeshData, places = weld(data.positions, 3, WELD)): void {
  const { positions, triangles } = data, seam = new Float32Array(positions.length / 3).fill(REACH);
  const grid = new Grid(positions, CELL), most = new Float32Array(grid.starts.length).fill(REACH); // of each cell
  for (const corner of seamsOf(data, places)) {
    const a = 3 * triangles[corner], b = 3 * triangles[nextCorner(corner)];
    sew(grid, seam, most, positions[a], positions[a + 1], positions[a + 2], positions[b], positions[b + 1], positions[b + 2]);
  }
  geometry.setAttribute("seam", new BufferAttribute(seam, 1));
}

/** Brings vertices nearer that are near a seam from one place to another. Cells whose vertices are all nearer to others are left out. */
function sew(
  grid: Grid, seam: Float32Array, most: Float32Array,
  ax: number, ay: number, az: number, toX: number, toY: number, toZ: number,
): void {
  const { points, order, starts, least, size } = grid;
  const bx = toX - ax, by = toY - ay, bz = toZ - az, squared = Math.max(1e-12, bx * bx + by * by + bz * bz);
  const x0 = Math.min(ax, toX), y0 = Math.min(ay, toY), z0 = Math.min(az, toZ);
  const x1 = Math.max(ax, toX), y1 = Math.max(ay, toY), z1 = Math.max(az, toZ), reach = REACH + SLACK;
  grid.some(x0 - reach, y0 - reach, z0 - reach, x1 + reach, y1 + reach, z1 + reach, (cell, cx, cy, cz) => {
    const gapX = gap(least[0] + cx * size, size, x0, x1), gapY = gap(least[1] + cy * size, size, y0, y1);
    const gapZ = gap(least[2] + cz * size, size, z0, z1);
    if (gapX * gapX + gapY * gapY + gapZ * gapZ >= most[cell] * most[cell]) return false;
    let farthest = 0;
    for (let k = starts[cell]; k < starts[cell + 1]; k++) {
      const i = order[k], x = points[3 * i] - ax, y = points[3 * i + 1] - ay, z = points[3 * i + 2] - az;
      const along = Math.min(1, Math.max(0, (x * bx + y * by + z * bz) / squared));
      const dx = x - along * bx, dy = y - along * by, dz = z - along * bz, far = dx * dx + dy * dy + dz * dz;
      if (far < seam[i] * seam[i]) seam[i] = Math.sqrt(far);
      if (seam[i] > farthest) farthest = seam[i];
    }
    most[cell] = farthest;
    return false;
  });
}

/** How far a cell that begins at `start` is from a span, at least. */
function gap(start: number, size: number, from: number, to: number): number {
  return Math.max(0, start - to - SLACK, from - start - size - SLACK);
}

/** Corners whose edges belong to one triangle only, vertices at one place of body and pattern being one. */
function seamsOf({ positions, uvs, triangles }: MeshData, places: Uint32Array): number[] {
  return borderOf(triangles, 3 * uvs.length === 2 * positions.length ? weld(uvs, 2, WELD, places) : places);
}
