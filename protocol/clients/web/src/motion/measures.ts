// What can be measured in the page: the stretch of the cloth, its depth in colliders, the rhythm of frames.
import { Matrix4, Quaternion, Vector3 } from "three";
import type { Collider, Frame, Garment } from "../net/protocol";
import type { Rhythm } from "../net/rhythm";
import type { Character } from "../scene/character";
import { NOTHING, stretchOf, type Worst } from "./stretch";

export interface ClothMeasures {
  stretch: Worst; // of columns, as a share
  depth: Worst; // m, of the deepest particle in a collider
}

/** The greatest of all garments of the characters at the shown moment. */
export function measureCloth(characters: Iterable<Character>): ClothMeasures {
  const worst: ClothMeasures = { stretch: NOTHING, depth: NOTHING };
  for (const character of characters) {
    const { description } = character;
    const shapes = description.colliders.map((collider) => placed(collider, character));
    for (const garment of description.garments) {
      const particles = character.particles(garment.name);
      if (!particles) continue;
      const measured = {
        stretch: stretchOf(garment, particles),
        depth: deepestOf(garment, particles, garment.colliders.map((index) => shapes[index])),
      };
      for (const kind of ["stretch", "depth"] as const) {
        const { value, place } = measured[kind];
        if (value > worst[kind].value) worst[kind] = { value, place: `${character.name} · ${garment.name}, ${place}` };
      }
    }
  }
  return worst;
}

function deepestOf({ pinned, columns, rows }: Garment, particles: Float32Array, shapes: Depth[]): Worst {
  const fixed = new Set(pinned);
  let value = 0, worst = -1;
  for (let i = 0; i < particles.length / 3; i++) {
    if (fixed.has(i)) continue;
    for (const shape of shapes) {
      const depth = shape(particles[3 * i], particles[3 * i + 1], particles[3 * i + 2]);
      if (depth > value) [value, worst] = [depth, i];
    }
  }
  if (worst < 0) return NOTHING;
  return { value, place: rows > 0 ? `row ${Math.floor(worst / columns)}, column ${worst % columns}` : `particle ${worst}` };
}

type Depth = (x: number, y: number, z: number) => number;

/** How deep a point of the world is in a collider, in m; 0 or less: outside. */
function placed(collider: Collider, { description, bones }: Character): Depth {
  if (collider.shape === "plane") {
    const [x, y, z] = collider.normal;
    return (px, py, pz) => collider.offset - (px * x + py * y + pz * z);
  }
  const bone = description.bones.findIndex(({ name }) => name === collider.bone);
  const world = new Matrix4().fromArray(bones.world, 16 * bone);
  const point = new Vector3();
  if (collider.shape === "capsule") {
    const from = new Vector3(...collider.from).applyMatrix4(world), along = new Vector3(...collider.to).applyMatrix4(world).sub(from);
    const square = along.lengthSq(), { radius, radius_end: end } = collider;
    return (x, y, z) => {
      point.set(x, y, z).sub(from);
      const t = square > 0 ? Math.min(1, Math.max(0, point.dot(along) / square)) : 0;
      return radius + (end - radius) * t - point.addScaledVector(along, -t).length();
    };
  }
  const radii = collider.shape === "sphere" ? new Vector3().setScalar(collider.radius) : new Vector3(...collider.radii);
  const turn = collider.shape === "sphere" ? new Quaternion() : new Quaternion().fromArray(collider.rotation);
  const inverse = world.multiply(new Matrix4().compose(new Vector3(...collider.center), turn, new Vector3(1, 1, 1))).invert();
  return (x, y, z) => {
    point.set(x, y, z).applyMatrix4(inverse);
    const gradient = Math.hypot(point.x / radii.x ** 2, point.y / radii.y ** 2, point.z / radii.z ** 2);
    point.divide(radii);
    const square = point.lengthSq(), level = Math.sqrt(square);
    return level < 1 && gradient > 0 ? (level * (1 - level)) / gradient : 0; // first order, exact on a sphere
  };
}

/** Rhythm of the frames of one character. */
export class FrameMeter {
  #last: Frame | null = null;
  #gaps: number[] = []; // ms between arrivals, minus the time between the ticks
  #frames = 0;
  #missed = 0;

  /** A frame has been missed where the rhythm has one of a tick, and it has not come. */
  push(frame: Frame, rhythm: Rhythm, speed: number): void {
    const last = this.#last;
    if (last && last.character !== frame.character) return;
    this.#last = frame;
    this.#frames++;
    if (!last || frame.tick <= last.tick) return;
    for (let tick = last.tick + 1; tick < frame.tick; tick++) if (rhythm.has(tick)) this.#missed++;
    this.#gaps.push(Math.abs(frame.arrival - last.arrival - ((frame.tick - last.tick) * 1000) / rhythm.tickRate / speed));
  }

  /** Since the last call. */
  take(): { frames: number; missed: number; jitter: number } {
    const gaps = this.#gaps.sort((a, b) => a - b);
    const result = { frames: this.#frames, missed: this.#missed, jitter: gaps[Math.floor(gaps.length * 0.95)] ?? 0 };
    this.#gaps = [];
    this.#frames = this.#missed = 0;
    return result;
  }

  restart(): void {
    this.#last = null;
  }

  /** Goes on with the frames of another character. */
  forget(character: string): void {
    if (this.#last?.character === character) this.#last = null;
  }
}
