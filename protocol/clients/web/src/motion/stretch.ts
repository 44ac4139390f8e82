// How far cloth is stretched: the links between neighbouring particles, and the longest of a column against its rest length.
import type { Garment } from "../net/protocol";

const SHORTEST = 1e-4; // m at rest, against a division by zero

export type Link = [number, number];

/** Links along the columns, which the solver holds, and along the rows, which it lets stretch. */
export interface Links {
  columns: Link[];
  rows: Link[];
}

/** The greatest of several measured values, and where it is. */
export interface Worst {
  value: number;
  place: string;
}

export const NOTHING: Worst = { value: 0, place: "" };

/**
 * The links of a garment. Two neighbours in a row on both sides of a slit are no link: no triangle is between them. A
 * garment without rows and columns is a mesh, whose edges all count as rows.
 */
export function linksOf({ rows, columns, closed, triangles }: Garment): Links {
  const edges = edgesOf(triangles);
  if (rows === 0) return { columns: [], rows: [...edges].map((edge) => edge.split(" ").map(Number) as Link) };
  const links: Links = { columns: [], rows: [] };
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const i = row * columns + column;
      if (row + 1 < rows) links.columns.push([i, i + columns]);
      const next = column + 1 < columns ? i + 1 : closed && columns > 2 ? row * columns : -1;
      if (next >= 0 && (edges.size === 0 || edges.has(edgeOf(i, next)))) links.rows.push([i, next]);
    }
  }
  return links;
}

export function lengthOf(p: ArrayLike<number>, a: number, b: number): number {
  return Math.hypot(p[3 * a] - p[3 * b], p[3 * a + 1] - p[3 * b + 1], p[3 * a + 2] - p[3 * b + 2]);
}

/**
 * By which share the longest link of the columns is longer than at rest, and where it is. Rows and meshes are not
 * measured: how wide they are cut is not in the description, and a hem that is cut fuller than it hangs is not stretched.
 */
export function stretchOf(garment: Garment, particles: ArrayLike<number>): Worst {
  const pinned = new Set(garment.pinned), { columns, rest } = garment;
  let value = 0, worst = -1;
  for (const [a, b] of linksOf(garment).columns) {
    if (pinned.has(a) && pinned.has(b)) continue; // the body carries both
    const now = lengthOf(particles, a, b) / Math.max(lengthOf(rest, a, b), SHORTEST) - 1;
    if (now > value) [value, worst] = [now, a];
  }
  if (worst < 0) return NOTHING;
  const row = Math.floor(worst / columns);
  return { value, place: `column ${worst % columns}, rows ${row} and ${row + 1}` };
}

function edgesOf(triangles: number[]): Set<string> {
  const edges = new Set<string>();
  for (let i = 0; i < triangles.length; i += 3)
    for (let k = 0; k < 3; k++) edges.add(edgeOf(triangles[i + k], triangles[i + ((k + 1) % 3)]));
  return edges;
}

function edgeOf(a: number, b: number): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}
