// What can be switched on over a character: skeleton, cloth bones, particles, colliders, max distances.
import { Group } from "three";
import type { Description } from "../../net/protocol";
import type { Bones } from "../bones";
import { AxesOverlay, SkeletonOverlay } from "./bone-lines";
import { CollidersOverlay, MaxDistanceOverlay } from "./shapes";
import { StretchOverlay } from "./stretch";

export const SWITCHES = ["meshes", "skeleton", "axes", "particles", "colliders", "distances", "wind", "labels"] as const;
export type Switch = (typeof SWITCHES)[number];
export type Switches = Record<Switch, boolean>;

/** Lists of points, three numbers each, that frames have of each garment. */
export type Points = "particles" | "references";
/** One of them at the shown moment; null where the frame has none. */
export type PointsOf = (list: Points, garment: string) => Float32Array | null;

/** Something that is made when it is first switched on. */
export interface Overlay {
  readonly group: Group;
  update(pointsOf: PointsOf): void;
  dispose(): void;
}

export class Overlays {
  readonly group = new Group();
  #description: Description;
  #bones: Bones;
  #made = new Map<Switch, Overlay>();

  constructor(description: Description, bones: Bones) {
    this.#description = description;
    this.#bones = bones;
  }

  describe(description: Description): void {
    this.#description = description;
    this.dispose();
  }

  update(switches: Switches, pointsOf: PointsOf): void {
    for (const name of ["skeleton", "axes", "particles", "colliders", "distances"] as const) {
      let overlay = this.#made.get(name);
      if (overlay) overlay.group.visible = switches[name];
      if (!switches[name]) continue;
      if (!overlay) {
        overlay = this.#make(name);
        this.#made.set(name, overlay);
        this.group.add(overlay.group);
      }
      overlay.update(pointsOf);
    }
  }

  dispose(): void {
    for (const overlay of this.#made.values()) {
      overlay.group.removeFromParent();
      overlay.dispose();
    }
    this.#made.clear();
  }

  #make(name: "skeleton" | "axes" | "particles" | "colliders" | "distances"): Overlay {
    switch (name) {
      case "skeleton": return new SkeletonOverlay(this.#description, this.#bones);
      case "axes": return new AxesOverlay(this.#description, this.#bones);
      case "particles": return new StretchOverlay(this.#description);
      case "colliders": return new CollidersOverlay(this.#description, this.#bones);
      case "distances": return new MaxDistanceOverlay(this.#description);
    }
  }
}
