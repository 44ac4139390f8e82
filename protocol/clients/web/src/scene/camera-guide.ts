// Follows a character, frames characters, and finds places on the ground below the pointer.
import { Plane, Raycaster, Vector2, Vector3 } from "three";
import type { Cast } from "./cast";
import type { Stage } from "./stage";

const SMOOTH_SECONDS = 0.35;
const FAR = 3; // m; a character that is so far ahead was moved, or not drawn for a while: the camera goes there at once
const UP = new Vector3(0, 1, 0);

export class CameraGuide {
  follows = true;

  #stage: Stage;
  #cast: Cast;
  #followed = true; // at the last update
  #last: Vector3 | null = null; // where the followed character was then, on the ground
  #raycaster = new Raycaster();

  constructor(stage: Stage, cast: Cast) {
    this.#stage = stage;
    this.#cast = cast;
  }

  frame(names: Iterable<string>): void {
    this.#last = null;
    this.#stage.frame(this.#cast.bounds(names));
  }

  frameAll(): void {
    this.frame(this.#cast.characters.keys());
  }

  /** Brings a character into view, with those that are in view already; leaves the camera where it is seen whole. */
  include(name: string): void {
    if (this.#sees(name)) return;
    this.frame([...this.#cast.characters.keys()].filter((other) => other === name || this.#sees(other, true)));
  }

  /** Whether a character is in view, whole or in part. */
  #sees(name: string, inPart = false): boolean {
    const { min, max } = this.#cast.bounds([name]), { camera } = this.#stage, corner = new Vector3();
    let seen = 0;
    for (let i = 0; i < 8; i++) {
      corner.set((i & 1 ? max : min).x, (i & 2 ? max : min).y, (i & 4 ? max : min).z).project(camera);
      if (Math.abs(corner.x) <= 1 && Math.abs(corner.y) <= 1 && corner.z < 1) seen++;
    }
    return inPart ? seen > 0 : seen === 8;
  }

  /** Looks at a character from where its front is, at the distance that the scene suggests. */
  begin(name: string, distance: number, height?: number): void {
    const box = this.#cast.bounds([name]);
    if (box.isEmpty()) return;
    const center = box.getCenter(new Vector3());
    if (height !== undefined) center.y = height;
    const { camera, controls } = this.#stage, { bones } = this.#cast.characters.get(name)!;
    const front = bones.front(new Vector3());
    const toward = new Vector3(0.42, 0.16, 0.9).normalize().applyAxisAngle(UP, Math.atan2(front.x, front.z));
    const farther = distance * 1.35 * Math.max(1, 1.15 / camera.aspect);
    controls.target.copy(center);
    camera.position.copy(center).addScaledVector(toward, farther);
    this.#last = bones.position(0, new Vector3()).setY(0);
  }

  /** Moves the camera with the followed character, and to another one that is followed from now on. */
  update(name: string | null, dt: number): void {
    if (this.follows && !this.#followed) this.#last = this.#stage.controls.target.clone().setY(0);
    this.#followed = this.follows;
    if (!this.follows) this.#last = null;
    const bones = this.follows && name !== null ? this.#cast.characters.get(name)?.bones : undefined;
    if (!bones || bones.count === 0) return;
    const root = bones.position(0, new Vector3());
    root.y = 0; // jumps are seen as jumps
    if (!this.#last) {
      this.#last = root;
      return;
    }
    const step = root.sub(this.#last);
    if (step.length() < FAR) step.multiplyScalar(1 - Math.exp(-dt / SMOOTH_SECONDS));
    this.#last.add(step);
    this.#stage.controls.target.add(step);
    this.#stage.camera.position.add(step);
  }

  /** The place on the ground below a place of the canvas, in CSS pixels; null above the horizon. */
  groundAt(x: number, y: number): Vector3 | null {
    const { domElement } = this.#stage.renderer;
    const { left, top, width, height } = domElement.getBoundingClientRect();
    this.#raycaster.setFromCamera(new Vector2(((x - left) / width) * 2 - 1, 1 - ((y - top) / height) * 2), this.#stage.camera);
    const level = this.#stage.ground.mesh.position.y;
    const place = this.#raycaster.ray.intersectPlane(new Plane(UP, -level), new Vector3());
    return place && place.distanceTo(this.#stage.controls.target) < 60 ? place.setY(level) : null;
  }
}
