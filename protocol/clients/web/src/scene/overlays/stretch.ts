// Particles, and the links between them coloured by stretch: blue is shorter than at rest, red longer.
import { Color, Group } from "three";
import type { Sample } from "../../motion/timeline";
import type { Description, Garment } from "../../net/protocol";
import { Dots, Lines } from "./lines";
import type { Overlay } from "./overlays";

const FULL = 0.04; // stretch, as a share, at which the colour is full

/** The links of a garment: neighbours along rows and columns, or the edges of its triangles. */
export function linksOf({ rows, columns, closed, triangles }: Garment): [number, number][] {
  const links: [number, number][] = [];
  if (rows > 0) {
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const i = row * columns + column;
        if (row + 1 < rows) links.push([i, i + columns]);
        if (column + 1 < columns) links.push([i, i + 1]);
        else if (closed && columns > 2) links.push([i, row * columns]);
      }
    }
    return links;
  }
  const seen = new Set<string>();
  for (let i = 0; i < triangles.length; i += 3) {
    for (let k = 0; k < 3; k++) {
      const a = Math.min(triangles[i + k], triangles[i + ((k + 1) % 3)]), b = Math.max(triangles[i + k], triangles[i + ((k + 1) % 3)]);
      if (!seen.has(`${a} ${b}`)) links.push([a, b]);
      seen.add(`${a} ${b}`);
    }
  }
  return links;
}

export function lengthOf(p: ArrayLike<number>, a: number, b: number): number {
  return Math.hypot(p[3 * a] - p[3 * b], p[3 * a + 1] - p[3 * b + 1], p[3 * a + 2] - p[3 * b + 2]);
}

interface Part {
  name: string;
  links: [number, number][];
  rest: number[];
  lines: Lines;
  dots: Dots;
}

export class StretchOverlay implements Overlay {
  readonly group = new Group();
  #parts: Part[] = [];

  constructor(description: Description) {
    const free = new Color("#ffffff"), pinned = new Color("#ffb02e");
    for (const garment of description.garments) {
      const links = linksOf(garment), count = garment.rest.length / 3;
      const part = {
        name: garment.name, links, rest: links.map(([a, b]) => lengthOf(garment.rest, a, b)),
        lines: new Lines(links.length), dots: new Dots(count, 5),
      };
      const fixed = new Set(garment.pinned);
      for (let i = 0; i < count; i++) (fixed.has(i) ? pinned : free).toArray(part.dots.colors, 3 * i);
      this.#parts.push(part);
      this.group.add(part.lines.object, part.dots.object);
    }
  }

  update(_sample: Sample, particlesOf: (garment: string) => Float32Array | null): void {
    for (const { name, links, rest, lines, dots } of this.#parts) {
      const particles = particlesOf(name);
      if (!particles || particles.length !== dots.positions.length) continue;
      dots.positions.set(particles);
      links.forEach(([a, b], i) => {
        for (let axis = 0; axis < 3; axis++) {
          lines.positions[6 * i + axis] = particles[3 * a + axis];
          lines.positions[6 * i + 3 + axis] = particles[3 * b + axis];
        }
        const stretch = Math.max(-1, Math.min(1, (lengthOf(particles, a, b) / rest[i] - 1) / FULL));
        const keep = 1 - Math.abs(stretch);
        for (const end of [0, 3]) {
          lines.colors[6 * i + end] = stretch > 0 ? 0.75 + 0.25 * stretch : 0.75 * keep;
          lines.colors[6 * i + end + 1] = 0.75 * keep + 0.12 * (1 - keep);
          lines.colors[6 * i + end + 2] = stretch < 0 ? 0.75 - 0.25 * stretch : 0.75 * keep;
        }
      });
      lines.changed();
      dots.changed();
    }
  }

  dispose(): void {
    for (const { lines, dots } of this.#parts) {
      lines.dispose();
      dots.dispose();
    }
  }
}
