// The skeleton as lines and joints, and the axes of the cloth's bones.
import { Color, Group } from "three";
import type { Description } from "../../net/protocol";
import type { Bones } from "../bones";
import { Dots, Lines } from "./lines";
import type { Overlay } from "./overlays";

const AXIS_LENGTH = 0.035; // m
const KIND_COLORS = { skeleton: "#2f9bff", driven: "#ff9d3c" };
const AXIS_COLORS = ["#ff4d4d", "#3ecf5c", "#4d8dff"]; // x, y, z

export class SkeletonOverlay implements Overlay {
  readonly group = new Group();
  #bones: Bones;
  #shown: { bone: number; parent: number }[] = [];
  #lines: Lines;
  #dots: Dots;

  constructor(description: Description, bones: Bones) {
    this.#bones = bones;
    const colors: Color[] = [];
    description.bones.forEach(({ kind, parent }, bone) => {
      if (kind !== "skeleton" && kind !== "driven") return;
      this.#shown.push({ bone, parent });
      colors.push(new Color(KIND_COLORS[kind]));
    });
    this.#lines = new Lines(this.#shown.length, 0.9);
    this.#dots = new Dots(this.#shown.length, 6);
    colors.forEach((color, i) => {
      color.toArray(this.#lines.colors, 6 * i);
      color.toArray(this.#lines.colors, 6 * i + 3);
      color.toArray(this.#dots.colors, 3 * i);
    });
    this.group.add(this.#lines.object, this.#dots.object);
  }

  update(): void {
    const { world } = this.#bones;
    this.#shown.forEach(({ bone, parent }, i) => {
      const from = 16 * bone + 12, to = 16 * (parent >= 0 ? parent : bone) + 12;
      for (let axis = 0; axis < 3; axis++) {
        this.#lines.positions[6 * i + axis] = this.#dots.positions[3 * i + axis] = world[from + axis];
        this.#lines.positions[6 * i + 3 + axis] = world[to + axis];
      }
    });
    this.#lines.changed();
    this.#dots.changed();
  }

  dispose(): void {
    this.#lines.dispose();
    this.#dots.dispose();
  }
}

export class AxesOverlay implements Overlay {
  readonly group = new Group();
  #bones: Bones;
  #shown: number[] = [];
  #lines: Lines;

  constructor(description: Description, bones: Bones) {
    this.#bones = bones;
    description.bones.forEach(({ kind }, bone) => {
      if (kind !== "skeleton" && kind !== "driven") this.#shown.push(bone);
    });
    this.#lines = new Lines(3 * this.#shown.length);
    const colors = AXIS_COLORS.map((color) => new Color(color));
    for (let i = 0; i < 3 * this.#shown.length; i++) {
      colors[i % 3].toArray(this.#lines.colors, 6 * i);
      colors[i % 3].toArray(this.#lines.colors, 6 * i + 3);
    }
    this.group.add(this.#lines.object);
  }

  update(): void {
    const { world } = this.#bones, { positions } = this.#lines;
    this.#shown.forEach((bone, i) => {
      for (let column = 0; column < 3; column++) {
        for (let axis = 0; axis < 3; axis++) {
          const at = 18 * i + 6 * column + axis;
          positions[at] = world[16 * bone + 12 + axis];
          positions[at + 3] = positions[at] + AXIS_LENGTH * world[16 * bone + 4 * column + axis];
        }
      }
    });
    this.#lines.changed();
  }

  dispose(): void {
    this.#lines.dispose();
  }
}
