// Finds skin that comes out of clothes, and clothes that come out of what is worn over them, as the camera sees them.
import {
  BufferAttribute, CustomBlending, DoubleSide, FloatType, GLSL3, MaxEquation, OneFactor, ShaderMaterial, Vector3, WebGLRenderTarget,
  type Mesh, type Texture,
} from "three";
import type { Character } from "./character";
import type { Stage } from "./stage";

const THICKEST = 0.03; // m; cloth that is farther behind the skin is behind a limb
const CLOSE = 0.0005; // m; less is one depth
const LIMB = 0.008; // m; thinner than a finger is not a limb but a layer of cloth, with the back of its inner side
const ALONG = 0.5; // cosine between skin and cloth that it comes through: both lie on the body
const EYES = new Set(["brows", "eyes", "irises", "pupils"]); // of skin, though not made of it
const COVERED = 0.06; // m; skin that is farther from all clothes in the bind pose is bare, and may come before them
const SKIN = 0, WORN = 1, GARMENT = 2;

/**
 * What is worn over what: skin, clothes that follow the skeleton, simulated garments. Fur and hair are none of them, nor
 * are linings: these are seen from within, behind what is worn.
 */
type Layer = typeof SKIN | typeof WORN | typeof GARMENT;

export interface Seen {
  /** Pixels of clothes, drawn alone. */
  cloth: number;
  /** Those of them that show what is worn below, by the names of both meshes: "body > shirt". */
  through: Record<string, number>;
  /** m, by which it comes out at most, and the bone that is nearest there. */
  depth: number;
  bone: string;
}

export class SkinProbe {
  readonly width: number;
  readonly height: number;
  /** Of the last look, a pixel each, rows from the bottom: 0 nothing, 1 skin, 2 cloth, 3 what comes out of cloth. */
  readonly picture: Uint8Array;

  #stage: Stage;
  #target: WebGLRenderTarget;
  #backs: WebGLRenderTarget;
  #material: ShaderMaterial;
  #numbers: Float32Array;
  #backNumbers: Float32Array;
  #covered = new WeakSet<Character>(); // those whose meshes know what is covered

  constructor(stage: Stage, width: number, height: number) {
    if (!stage.renderer.extensions.has("EXT_float_blend")) throw new Error("this graphics card does not blend depths (EXT_float_blend)");
    [this.#stage, this.width, this.height] = [stage, width, height];
    this.#target = new WebGLRenderTarget(width, height, { type: FloatType, depthBuffer: false });
    this.#backs = new WebGLRenderTarget(width, height, { type: FloatType, depthBuffer: false });
    this.#material = new ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, glslVersion: GLSL3,
      uniforms: { layer: { value: 0 }, number: { value: 0 }, isBack: { value: false }, fronts: { value: null } },
      side: DoubleSide, depthTest: false, blending: CustomBlending, blendEquation: MaxEquation, blendSrc: OneFactor, blendDst: OneFactor,
    });
    this.picture = new Uint8Array(width * height);
    this.#numbers = new Float32Array(4 * width * height);
    this.#backNumbers = new Float32Array(4 * width * height);
  }

  /**
   * Something comes through cloth where it lies along the cloth, and the cloth is behind its front and before its back. A
   * limb that is before the cloth has its back there, too.
   */
  look(character: Character): Seen {
    const { picture } = this, numbers = this.#numbers;
    const meshes = character.surfaces.filter((mesh) => layerOf(mesh) !== null);
    if (!this.#covered.has(character)) markCovered(meshes);
    this.#covered.add(character);
    this.#draw(meshes);
    const seen: Seen = { cloth: 0, through: {}, depth: 0, bone: "" };
    let worst = -1;
    for (let i = 0; i < picture.length; i++) {
      const at = 4 * i, skin = depthOf(numbers[at]), worn = depthOf(numbers[at + WORN]), garment = depthOf(numbers[at + GARMENT]);
      const inner = skin < worn ? SKIN : WORN, outer = inner === SKIN && worn < garment ? WORN : GARMENT;
      const front = Math.min(skin, worn), over = outer === WORN ? worn : garment, back = depthOf(this.#backNumbers[at]);
      const isCloth = worn < Infinity || garment < Infinity, isBefore = over > front + CLOSE && over < front + THICKEST;
      const isThrough = isBefore && numbers[at + inner] % 2 === 0 && !(back > front && back < over) && this.#areAlong(i, inner, outer);
      picture[i] = isThrough ? 3 : skin < Math.min(worn, garment) ? 1 : isCloth ? 2 : 0;
      if (isCloth) seen.cloth++;
      if (!isThrough) continue;
      const names = [inner, outer].map((layer) => meshes[Math.floor(numbers[at + layer] / 2) % 32].name).join(" > ");
      seen.through[names] = (seen.through[names] ?? 0) + 1;
      if (over - front > seen.depth) [worst, seen.depth] = [i, over - front];
    }
    if (worst >= 0) seen.bone = this.#nearestBone(character, worst);
    return seen;
  }

  dispose(): void {
    this.#target.dispose();
    this.#backs.dispose();
    this.#material.dispose();
  }

  /** Draws the depths of the layers into three numbers of a pixel, then that of the nearest back of a limb. */
  #draw(meshes: Mesh[]): void {
    this.#drawInto(this.#target, this.#numbers, meshes, null);
    this.#drawInto(this.#backs, this.#backNumbers, meshes.filter((mesh) => layerOf(mesh) !== GARMENT), this.#target.texture);
  }

  #drawInto(target: WebGLRenderTarget, numbers: Float32Array, meshes: Mesh[], fronts: Texture | null): void {
    const { renderer, camera } = this.#stage, { uniforms } = this.#material;
    renderer.setRenderTarget(target);
    renderer.setClearColor(0, 0);
    renderer.clear();
    renderer.autoClear = false;
    for (const [number, mesh] of meshes.entries()) {
      const { material } = mesh;
      [uniforms["layer"].value, uniforms["number"].value, uniforms["fronts"].value] = [layerOf(mesh), number, fronts];
      uniforms["isBack"].value = fronts !== null;
      this.#material.uniformsNeedUpdate = true;
      mesh.material = this.#material;
      renderer.render(mesh, camera);
      mesh.material = material;
    }
    renderer.readRenderTargetPixels(target, 0, 0, this.width, this.height, numbers);
    renderer.autoClear = true;
    renderer.setRenderTarget(null);
  }

  /** Whether two layers lie along each other at a pixel. */
  #areAlong(pixel: number, inner: number, outer: number): boolean {
    return this.#normal(pixel, inner).dot(this.#normal(pixel, outer)) > ALONG;
  }

  /** The normal of a layer at a pixel, from the depths beside it. */
  #normal(pixel: number, layer: number): Vector3 {
    const place = this.#place(pixel, layer);
    const edge = (step: number): Vector3 => { // to the neighbour that is nearer in depth, on its side
      const [one, two] = [pixel + step, pixel - step].map((other) => this.#place(other, layer).sub(place));
      return Math.abs(one.z) < Math.abs(two.z) || !Number.isFinite(two.z) ? one : two.negate();
    };
    return edge(1).cross(edge(this.width)).normalize();
  }

  /** Where a layer is seen at a pixel, in the camera's space. */
  #place(pixel: number, layer: number): Vector3 {
    const { camera } = this.#stage, depth = depthOf(this.#numbers[4 * pixel + layer] ?? 0);
    const half = Math.tan((camera.fov * Math.PI) / 360) * depth;
    const x = (2 * (pixel % this.width) + 1) / this.width - 1, y = (2 * Math.floor(pixel / this.width) + 1) / this.height - 1;
    return new Vector3(x * half * camera.aspect, y * half, -depth);
  }

  /** The bone whose origin is nearest to what is seen at a pixel. */
  #nearestBone({ bones, description }: Character, pixel: number): string {
    const layer = this.#numbers[4 * pixel + SKIN] > this.#numbers[4 * pixel + WORN] ? SKIN : WORN;
    const place = this.#place(pixel, layer).applyMatrix4(this.#stage.camera.matrixWorld);
    const far = description.bones.map((_, i) => bones.position(i, new Vector3()).distanceTo(place));
    return description.bones[far.indexOf(Math.min(...far))].name;
  }
}

function layerOf({ material, name, userData }: Mesh): Layer | null {
  const pattern = Array.isArray(material) ? "" : material.userData["pattern"];
  if (pattern === "fur" || pattern === "hair" || name.endsWith("_lining")) return null;
  return userData["garment"] !== undefined ? GARMENT : pattern === "skin" || EYES.has(name) ? SKIN : WORN;
}

/** m from the camera's plane; infinite where there is nothing. */
function depthOf(number: number): number {
  return number === 0 ? Infinity : 16 - Math.floor(number / 64) / 8192;
}

/** Tells the vertices of meshes which of them are near what is worn over them, in the bind pose. */
function markCovered(meshes: Mesh[]): void {
  const cell = (x: number, y: number, z: number): string => `${x} ${y} ${z}`;
  for (const mesh of meshes) {
    const { position } = mesh.geometry.attributes, covered = new Float32Array(position.count);
    const cells = new Set<string>(), at = (i: number, axis: number): number => Math.floor(position.getComponent(i, axis) / COVERED);
    for (const { geometry } of meshes.filter((over) => layerOf(over)! > layerOf(mesh)!)) {
      const { position: cloth } = geometry.attributes;
      for (let i = 0; i < cloth.count; i++) cells.add(cell(...([0, 1, 2].map((axis) => Math.floor(cloth.getComponent(i, axis) / COVERED)) as [number, number, number])));
    }
    for (let i = 0; i < position.count; i++) {
      for (let k = 0; k < 27 && !covered[i]; k++)
        if (cells.has(cell(at(i, 0) + (k % 3) - 1, at(i, 1) + (Math.floor(k / 3) % 3) - 1, at(i, 2) + Math.floor(k / 9) - 1))) covered[i] = 1;
    }
    mesh.geometry.setAttribute("covered", new BufferAttribute(covered, 1));
  }
}

const VERTEX = /* glsl */ `
#include <common>
#include <skinning_pars_vertex>
in float covered;
out float vDepth;
out float vCovered;
void main() {
  #include <skinbase_vertex>
  #include <begin_vertex>
  #include <skinning_vertex>
  #include <project_vertex>
  vDepth = -mvPosition.z;
  vCovered = covered;
}`;

// The nearest depth is the greatest number; below its 1/8192 m are the number of the mesh and whether it is bare.
const FRAGMENT = /* glsl */ `
uniform float number;
uniform int layer;
uniform bool isBack;
uniform sampler2D fronts;
in float vDepth;
in float vCovered;
out vec4 nearest;
void main() {
  float found = floor((16. - vDepth) * 8192.) * 64. + number * 2. + (vCovered > .5 ? 0. : 1.);
  if (isBack) {
    vec4 front = texelFetch(fronts, ivec2(gl_FragCoord.xy), 0);
    float depth = 16. - floor(max(front.x, front.y) / 64.) / 8192.;
    nearest = vec4(gl_FrontFacing || vDepth < depth + ${LIMB} ? 0. : found, 0., 0., 0.);
    return;
  }
  if (!gl_FrontFacing) found = 0.; // the inside of cloth is behind what is worn
  nearest = vec4(layer == 0 ? found : 0., layer == 1 ? found : 0., layer == 2 ? found : 0., 0.);
}`;
