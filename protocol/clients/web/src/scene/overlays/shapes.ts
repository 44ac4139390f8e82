// Colliders as translucent shapes, and max distances as spheres around the references.
import {
  DynamicDrawUsage, Group, InstancedMesh, Matrix4, MeshBasicMaterial, MeshPhysicalMaterial, SphereGeometry,
} from "three";
import type { Description, Garment } from "../../net/protocol";
import type { Bones } from "../bones";
import { addCollider, BoneShapes } from "../mannequin";
import { Lines } from "./lines";
import type { Overlay, PointsOf } from "./overlays";

export class CollidersOverlay implements Overlay {
  readonly group: Group;
  #shapes = new BoneShapes();
  #material = new MeshPhysicalMaterial({ color: "#35b7a5", roughness: 0.5, transparent: true, opacity: 0.34, depthWrite: false });
  #bones: Bones;

  constructor(description: Description, bones: Bones) {
    this.#bones = bones;
    this.group = this.#shapes.group;
    const index = new Map(description.bones.map((bone, i) => [bone.name, i]));
    for (const collider of description.colliders)
      if (collider.shape !== "plane") addCollider(this.#shapes, collider, index.get(collider.bone) ?? -1, this.#material);
    this.group.traverse((object) => {
      object.castShadow = object.receiveShadow = false;
      object.renderOrder = 5;
    });
  }

  update(): void {
    this.#shapes.update(this.#bones);
  }

  dispose(): void {
    this.#shapes.dispose();
    this.#material.dispose();
  }
}

const BALL = new SphereGeometry(1, 32, 20);
const ACROSS = 6; // balls of a row

interface Part {
  garment: Garment;
  distances: number[];
  shown: number[]; // particles with a ball
  balls: InstancedMesh;
  lines: Lines;
}

/** Some particles of the last row and of the middle one; of a mesh that is no grid, some of all: more balls hide each other. */
function fewOf({ rows, columns, max_distance }: Garment): number[] {
  const all = [...(max_distance ?? []).keys()], row = (particle: number): number => Math.floor(particle / columns);
  if (rows === 0) return all.filter((particle) => particle % Math.ceil(all.length / (2 * ACROSS)) === 0);
  const each = Math.max(1, Math.ceil((columns - 1) / (ACROSS - 1)));
  return all.filter((particle) => (row(particle) === rows - 1 || row(particle) === rows >> 1) && (particle % columns) % each === 0);
}

/** The outlines of balls: a thin ring of each is seen from all sides, and next to nothing of its middle. */
function shells(): MeshBasicMaterial {
  const material = new MeshBasicMaterial({ color: "#b87a12", transparent: true, opacity: 0.75, depthWrite: false, toneMapped: false });
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader.replace("#include <common>", "#include <common>\nvarying vec3 vNormal_, vView_;")
      .replace("#include <project_vertex>", /* glsl */ `#include <project_vertex>
        vNormal_ = normalMatrix * mat3(instanceMatrix) * normal;
        vView_ = -mvPosition.xyz;`);
    shader.fragmentShader = shader.fragmentShader.replace("#include <common>", "#include <common>\nvarying vec3 vNormal_, vView_;")
      .replace("#include <opaque_fragment>", /* glsl */ `
        diffuseColor.a *= .03 + .97 * pow(1. - abs(dot(normalize(vNormal_), normalize(vView_))), 5.);
        #include <opaque_fragment>`);
  };
  return material;
}

export class MaxDistanceOverlay implements Overlay {
  readonly group = new Group();
  #material = shells();
  #parts: Part[] = [];

  constructor(description: Description) {
    for (const garment of description.garments) {
      if (!garment.max_distance) continue;
      const count = garment.max_distance.length, shown = fewOf(garment);
      const balls = new InstancedMesh(BALL, this.#material, shown.length);
      balls.instanceMatrix.setUsage(DynamicDrawUsage);
      balls.frustumCulled = false;
      balls.renderOrder = 6;
      const part = { garment, distances: garment.max_distance, shown, balls, lines: new Lines(count) };
      this.#parts.push(part);
      this.group.add(balls, part.lines.object);
    }
  }

  /** A line from each reference to its particle is green, and red where the particle is at its max distance. */
  update(pointsOf: PointsOf): void {
    const matrix = new Matrix4();
    for (const { garment, distances, shown, balls, lines } of this.#parts) {
      const references = pointsOf("references", garment.name), particles = pointsOf("particles", garment.name);
      balls.visible = lines.object.visible = Boolean(references && particles);
      if (!references || !particles) continue;
      shown.forEach((particle, i) => {
        const distance = distances[particle];
        matrix.makeScale(distance, distance, distance).setPosition(references[3 * particle], references[3 * particle + 1], references[3 * particle + 2]);
        balls.setMatrixAt(i, matrix);
      });
      distances.forEach((distance, i) => {
        let gone = 0;
        for (let axis = 0; axis < 3; axis++) {
          lines.positions[6 * i + axis] = references[3 * i + axis];
          lines.positions[6 * i + 3 + axis] = particles[3 * i + axis];
          gone += (references[3 * i + axis] - particles[3 * i + axis]) ** 2;
        }
        const used = distance > 1e-4 ? Math.min(1, Math.sqrt(gone) / distance) : 0;
        for (const end of [0, 3]) lines.colors.set([0.15 + 0.85 * used, 0.75 * (1 - used ** 3), 0.15], 6 * i + end);
      });
      balls.instanceMatrix.needsUpdate = true;
      lines.changed();
    }
  }

  dispose(): void {
    this.#material.dispose();
    for (const { balls, lines } of this.#parts) {
      balls.dispose();
      lines.dispose();
    }
  }
}
