// Follows a character, frames characters, and finds places on the ground below the pointer.
import { type Box3, Plane, Raycaster, Vector2, Vector3 } from "three";
import type { Bones } from "./bones";
import type { Cast } from "./cast";
import type { Stage } from "./stage";

const SMOOTH_SECONDS = 0.35; // in which the camera glides to another character
const CLOSE_SECONDS = 0.12; // by which it is behind one that it has arrived at
const FAR = 3; // m; a character that is so far ahead was moved, or not drawn for a while: the camera goes there at once
const NEAR = 1; // m; the camera has arrived at another character
const BESIDE = 0.44; // rad from the front to the side, of the first view
const TURNED = 1.1; // rad from the front, from which on the camera goes back there
const TURN_RATE = 3; // 1/s, of the critically damped turn: it takes some two seconds
const PAIR_SECONDS = 0.15; // in which the camera follows what two characters do that are kept in view
const WIDEN_SECONDS = 0.4; // in which it goes farther away, so that all is in view with a margin
const MARGIN = 1.1;
const ROOMY = 1.35; // share of the distance that is needed, from which on the camera comes nearer again
const NEARER_SECONDS = 2;
const AWAY_SECONDS = 1.5; // after the removal of the followed character, from when on the remaining ones are shown
const AWAIT_SECONDS = 20; // in which it is followed again when it comes back
const NARROW = 0.85; // width by height of what panels leave free; the first view of less is from farther away
const UP = new Vector3(0, 1, 0);

export class CameraGuide {
  follows = true;
  /** A followed character that was removed and is followed again when it is back, unless another one is selected. */
  awaited: string | null = null;

  #stage: Stage;
  #cast: Cast;
  #followed = true; // at the last update
  #last: Vector3 | null = null; // where the followed character was then, on the ground
  #name: string | null = null; // of the followed character
  #glides = false; // on its way to another character
  #lag = CLOSE_SECONDS;
  #front: string | null = null; // the character of the first view, whose front is kept in sight
  #narrow = 1; // how much farther away the first view is than in a wide window
  #turns = false; // on its way back to the front
  #turnSpeed = 0; // rad/s
  #away = 0; // s since the followed character was removed
  #showsAll = false; // all characters stay in view
  #kept: string[] | null = null; // characters that stay in view together
  #fits = false; // the distance is the guide's, until the user moves the camera
  #raycaster = new Raycaster();

  constructor(stage: Stage, cast: Cast) {
    this.#stage = stage;
    this.#cast = cast;
    stage.controls.addEventListener("start", () => { // from now on the user moves the camera
      this.#front = null;
      this.#fits = this.#showsAll = false;
    });
  }

  /** Brings characters into view, and keeps them there as they move while the camera follows; null ends that. */
  keep(names: string[] | null): void {
    if (names) this.#frame(names);
    else if (this.#kept) this.#last = this.#stage.controls.target.clone().setY(0);
    this.#kept = names;
    this.#fits = names !== null;
    this.#glides ||= names === null;
  }

  /** Shows all characters, and follows none; goes farther away as they part, until the user moves the camera. */
  frameAll(): void {
    this.follows = false;
    this.#frame(this.#cast.characters.keys());
    this.#showsAll = true;
  }

  /** Goes to a character where the camera follows; else brings it into view, with those that are in view already. */
  include(name: string): void {
    if (this.follows) {
      this.#last = this.#stage.controls.target.clone().setY(0);
      this.#glides = this.#fits = true;
      this.#name = name;
      return;
    }
    if (this.#sees(name)) return;
    this.#frame([...this.#cast.characters.keys()].filter((other) => other === name || this.#sees(other, true)));
  }

  /** Characters whose place is known: they have had a frame. */
  #placed(): string[] {
    return [...this.#cast.characters.values()].filter(({ sample }) => sample).map(({ name }) => name);
  }

  #frame(names: Iterable<string>): void {
    this.#last = this.#front = null;
    this.#stage.frame(this.#cast.bounds(names));
  }

  /** Whether a character is in view, whole or in part. */
  #sees(name: string, inPart = false): boolean {
    const { min, max } = this.#cast.bounds([name]), { camera } = this.#stage, corner = new Vector3();
    const high = Math.tan((camera.fov * Math.PI) / 360), wide = high * camera.aspect; // of what panels leave free
    camera.updateMatrixWorld();
    let seen = 0;
    for (let i = 0; i < 8; i++) {
      corner.set((i & 1 ? max : min).x, (i & 2 ? max : min).y, (i & 4 ? max : min).z).applyMatrix4(camera.matrixWorldInverse);
      if (Math.abs(corner.x) <= -corner.z * wide && Math.abs(corner.y) <= -corner.z * high) seen++;
    }
    return inPart ? seen > 0 : seen === 8;
  }

  /**
   * Looks at a character from where its front is, at the distance that the scene suggests; from far away more from above.
   * Its front stays in sight until the user moves the camera.
   */
  begin(name: string, distance: number, height?: number): void {
    const box = this.#cast.bounds([name]);
    if (box.isEmpty()) return;
    const center = box.getCenter(new Vector3());
    if (height !== undefined) center.y = height;
    const { camera, controls } = this.#stage, { bones } = this.#cast.characters.get(name)!;
    const above = 0.16 + 0.22 * Math.min(1, Math.max(0, (distance - 9) / 9));
    const toward = new Vector3(Math.sin(BESIDE), above, Math.cos(BESIDE)).normalize().applyAxisAngle(UP, heading(bones));
    this.#narrow = narrowness(camera.aspect);
    controls.target.copy(center);
    camera.position.copy(center).addScaledVector(toward, distance * 1.45 * this.#narrow);
    this.#last = bones.position(0, new Vector3()).setY(0);
    this.#name = this.#front = name;
    this.#turns = this.#glides = false;
    this.#turnSpeed = 0;
  }

  /** Moves the camera with the followed character, and to another one that is followed from now on. */
  update(selected: string | null, dt: number): void {
    if (this.#front !== null) this.#suitWindow();
    if (this.follows && !this.#followed) this.#last = this.#stage.controls.target.clone().setY(0);
    this.#followed = this.follows;
    if (!this.follows) this.#last = null;
    if (this.follows) this.#showsAll = false;
    else if (this.#showsAll) this.#fit(this.#cast.bounds(this.#placed()), dt, false);
    this.#await(dt);
    if (this.awaited !== null) this.#glides = this.#last !== null;
    if (this.#kept && this.follows && this.awaited === null) return this.#keepInView(this.#kept, dt);
    const name = this.follows && this.awaited === null ? selected : null;
    const character = name === null ? undefined : this.#cast.characters.get(name);
    if (!character?.sample || character.bones.count === 0) return; // a new character has no place before its first frame
    if (name !== this.#name) this.#glides = this.#last !== null;
    this.#name = name;
    this.#move(character.bones.position(0, new Vector3()).setY(0), dt); // jumps are seen as jumps
    if (name === this.#front) this.#keepFront(heading(character.bones), dt);
    if (this.#fits && !this.#glides) this.#fits = this.#fit(this.#cast.bounds([character.name]), dt);
  }

  /** The first view goes farther away in a window that becomes narrow, and back. */
  #suitWindow(): void {
    const { camera, controls: { target } } = this.#stage, narrow = narrowness(camera.aspect);
    camera.position.sub(target).multiplyScalar(narrow / this.#narrow).add(target);
    this.#narrow = narrow;
  }

  /** Shows the remaining characters when the followed one stays away; later it is not waited for any more. */
  #await(dt: number): void {
    const before = this.#away;
    this.#away = this.awaited === null ? 0 : before + dt;
    if (before < AWAY_SECONDS && this.#away >= AWAY_SECONDS && this.follows) {
      this.#frame(this.#cast.characters.keys());
      this.#last = this.#stage.controls.target.clone().setY(0);
    }
    if (this.#away >= AWAIT_SECONDS) this.awaited = null;
  }

  /** Looks at the middle of characters, from where all are seen whole. */
  #keepInView(names: string[], dt: number): void {
    const box = this.#cast.bounds(names), { camera, controls: { target } } = this.#stage;
    if (box.isEmpty()) return;
    const step = box.getCenter(new Vector3()).sub(target).multiplyScalar(1 - Math.exp(-dt / PAIR_SECONDS));
    target.add(step);
    camera.position.add(step);
    if (this.#fits) this.#fit(box, dt);
  }

  /** Goes as far away as a box needs to be seen whole: at once what it has to, then on to a margin. Returns whether it still moves. */
  #fit(box: Box3, dt: number, comesNearer = true): boolean {
    const { camera, controls: { target } } = this.#stage, arm = camera.position.clone().sub(target);
    if (box.isEmpty()) return false;
    const now = arm.length(), least = this.#stage.reachFor(box), wanted = MARGIN * least;
    const goal = now < wanted ? wanted : comesNearer ? Math.min(now, ROOMY * least) : now;
    const reach = now + (goal - now) * (1 - Math.exp(-dt / (goal > now ? WIDEN_SECONDS : NEARER_SECONDS)));
    camera.position.copy(target).addScaledVector(arm, Math.max(least, reach) / now);
    return reach < 0.99 * goal;
  }

  #move(root: Vector3, dt: number): void {
    if (!this.#last) {
      this.#last = root;
      return;
    }
    const step = root.sub(this.#last);
    if (step.length() < NEAR) this.#glides = false;
    this.#lag = this.#glides ? SMOOTH_SECONDS : CLOSE_SECONDS + (this.#lag - CLOSE_SECONDS) * Math.exp(-dt);
    if (this.#glides || step.length() < FAR) step.multiplyScalar(1 - Math.exp(-dt / this.#lag));
    this.#last.add(step);
    this.#stage.controls.target.add(step);
    this.#stage.camera.position.add(step);
  }

  /** Goes round to the front of a character that has turned its back; small turns are seen as turns. */
  #keepFront(front: number, dt: number): void {
    const { camera, controls: { target } } = this.#stage, arm = camera.position.clone().sub(target);
    const off = wrapped(Math.atan2(arm.x, arm.z) - front); // rad from the front to the camera
    if (Math.abs(off) > TURNED) this.#turns = true;
    if (!this.#turns) return;
    const rest = off - Math.sign(off) * BESIDE, decay = Math.exp(-TURN_RATE * dt);
    const push = this.#turnSpeed + TURN_RATE * rest; // of a critically damped spring
    const left = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : (rest + push * dt) * decay;
    this.#turnSpeed = (this.#turnSpeed - TURN_RATE * push * dt) * decay;
    camera.position.copy(target).add(arm.applyAxisAngle(UP, left - rest));
    if (Math.abs(left) < 0.02) {
      this.#turns = false;
      this.#turnSpeed = 0;
    }
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

/** Where a character's front is, in radians about the vertical from +z towards +x. */
function heading(bones: Bones): number {
  const front = bones.front(new Vector3());
  return Math.atan2(front.x, front.z);
}

function narrowness(aspect: number): number {
  return Math.max(1, NARROW / aspect);
}

function wrapped(angle: number): number {
  return Math.atan2(Math.sin(angle), Math.cos(angle));
}
