// Particles, and the links between them. Those of columns are coloured by stretch: blue is shorter than at rest, red longer.
// Those of rows are grey, because their lengths are not known: they may be cut wider than they hang.
import { Color, Group } from "three";
import { lengthOf, linksOf, type Link } from "../../motion/stretch";
import type { Description } from "../../net/protocol";
import { Dots, Lines } from "./lines";
import type { Overlay, PointsOf } from "./overlays";

const FULL = 0.04; // stretch, as a share, at which the colour is full

interface Part {
  name: string;
  links: Link[];
  rest: number[]; // of the first links: those of columns, or all of a mesh
  lines: Lines;
  dots: Dots;
}

export class StretchOverlay implements Overlay {
  readonly group = new Group();
  #parts: Part[] = [];

  constructor(description: Description) {
    const free = new Color("#ffffff"), pinned = new Color("#ffb02e");
    for (const garment of description.garments) {
      const { columns, rows } = linksOf(garment), links = [...columns, ...rows], count = garment.rest.length / 3;
      const measured = columns.length > 0 ? columns : rows;
      const part = {
        name: garment.name, links, rest: measured.map(([a, b]) => lengthOf(garment.rest, a, b)),
        lines: new Lines(links.length), dots: new Dots(count, 5),
      };
      const fixed = new Set(garment.pinned);
      for (let i = 0; i < count; i++) (fixed.has(i) ? pinned : free).toArray(part.dots.colors, 3 * i);
      this.#parts.push(part);
      this.group.add(part.lines.object, part.dots.object);
    }
  }

  update(pointsOf: PointsOf): void {
    for (const { name, links, rest, lines, dots } of this.#parts) {
      const particles = pointsOf("particles", name);
      if (!particles || particles.length !== dots.positions.length) continue;
      dots.positions.set(particles);
      links.forEach(([a, b], i) => {
        for (let axis = 0; axis < 3; axis++) {
          lines.positions[6 * i + axis] = particles[3 * a + axis];
          lines.positions[6 * i + 3 + axis] = particles[3 * b + axis];
        }
        const share = i < rest.length ? lengthOf(particles, a, b) / rest[i] - 1 : 0;
        const stretch = Math.max(-1, Math.min(1, share / FULL));
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
