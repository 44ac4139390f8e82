// What can be measured in the page: the stretch of the cloth, its depth in colliders, the rhythm of frames.
import { Matrix4, Quaternion, Vector3 } from "three";
import type { Collider, Frame } from "../net/protocol";
import type { Character } from "../scene/character";
import { lengthOf, linksOf } from "../scene/overlays/stretch";

export interface ClothMeasures {
  stretch: number; // greatest share by which a vertical link is longer than at rest
  depth: number; // m, of the deepest particle in a collider
}

/** The greatest of all garments of the characters at the shown moment. */
export function measureCloth(characters: Iterable<Character>): ClothMeasures {
  let stretch = 0, depth = 0;
  for (const character of characters) {
    const { description } = character;
    const shapes = description.colliders.map((collider) => placed(collider, character));
    for (const garment of description.garments) {
      const particles = character.particles(garment.name);
      if (!particles) continue;
      for (const [a, b] of linksOf(garment)) {
        if (garment.rows > 0 && b - a !== garment.columns) continue; // rows may stretch
        stretch = Math.max(stretch, lengthOf(particles, a, b) / lengthOf(garment.rest, a, b) - 1);
      }
      const pinned = new Set(garment.pinned);
      for (const index of garment.colliders)
        for (let i = 0; i < particles.length / 3; i++)
          if (!pinned.has(i)) depth = Math.max(depth, shapes[index]?.(particles[3 * i], particles[3 * i + 1], particles[3 * i + 2]) ?? 0);
    }
  }
  return { stretch, depth };
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

  /** `step` is the number of ticks from frame to frame that was asked for. */
  push(frame: Frame, tickRate: number, step: number, speed: number): void {
    const last = this.#last;
    if (last && last.character !== frame.character) return;
    this.#last = frame;
    this.#frames++;
    if (!last || frame.tick <= last.tick) return;
    this.#missed += Math.max(0, Math.round((frame.tick - last.tick) / step) - 1);
    this.#gaps.push(Math.abs(frame.arrival - last.arrival - ((frame.tick - last.tick) * 1000) / tickRate / speed));
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
}
