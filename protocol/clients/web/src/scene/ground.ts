// The ground: a pool of light with a grid in metres that fades into the backdrop, and takes shadows.
import { CircleGeometry, Color, Mesh, ShaderMaterial, UniformsLib, UniformsUtils, Vector3 } from "three";
import type { Theme } from "./theme";

const RADIUS = 60; // m, at least
const FADED = 3.3; // times the reach of the light, where the ground has faded into the backdrop

export class Ground {
  readonly mesh: Mesh;
  #material: ShaderMaterial;

  constructor() {
    this.#material = new ShaderMaterial({
      lights: true, transparent: true, toneMapped: false, depthWrite: false,
      uniforms: UniformsUtils.merge([UniformsLib.lights, {
        floor: { value: new Color() }, pool: { value: new Color() }, grid: { value: new Color() }, gridOpacity: { value: 0.2 },
        shadow: { value: new Color() }, shadowOpacity: { value: 0.5 }, focus: { value: new Vector3() }, reach: { value: 6 },
      }]),
      vertexShader: VERTEX, fragmentShader: FRAGMENT,
    });
    this.mesh = new Mesh(new CircleGeometry(RADIUS, 96).rotateX(-Math.PI / 2), this.#material);
    this.mesh.receiveShadow = true;
    this.mesh.renderOrder = -5;
  }

  set theme(theme: Theme) {
    for (const name of ["floor", "pool", "grid", "shadow"] as const)
      (this.#material.uniforms[name].value as Color).set(theme[name]);
    this.#material.uniforms["gridOpacity"].value = theme.gridOpacity;
    this.#material.uniforms["shadowOpacity"].value = theme.shadowOpacity;
  }

  /** Brings the light to the place that is looked at, from a distance. */
  follow(focus: Vector3, distance: number): void {
    (this.#material.uniforms["focus"].value as Vector3).copy(focus);
    const reach = Math.max(3.5, distance * 1.6);
    this.#material.uniforms["reach"].value = reach;
    this.mesh.scale.setScalar(Math.max(1, (FADED * reach) / RADIUS)); // its edge is out of sight
    this.mesh.position.x = Math.round(focus.x);
    this.mesh.position.z = Math.round(focus.z);
  }
}

const VERTEX = /* glsl */ `
#include <common>
#include <shadowmap_pars_vertex>
varying vec3 vPlace;
void main() {
  vec3 objectNormal = vec3(0., 1., 0.), transformed = position;
  #include <defaultnormal_vertex>
  #include <project_vertex>
  #include <worldpos_vertex>
  #include <shadowmap_vertex>
  vPlace = (modelMatrix * vec4(position, 1.)).xyz;
}`;

const FRAGMENT = /* glsl */ `
#include <common>
#include <packing>
#include <bsdfs>
#include <lights_pars_begin>
#include <shadowmap_pars_fragment>
#include <shadowmask_pars_fragment>
uniform vec3 floor, pool, grid, shadow, focus;
uniform float gridOpacity, shadowOpacity, reach;
varying vec3 vPlace;

float lines(vec2 p, float width) {
  vec2 pixel = fwidth(p), at = abs(fract(p - .5) - .5) / max(pixel, vec2(1e-6));
  return (1. - smoothstep(width - .5, width + .5, min(at.x, at.y))) * (1. - smoothstep(.25, .6, max(pixel.x, pixel.y)));
}

void main() {
  float far = length(vPlace.xz - focus.xz);
  float lit = exp(-far * far / (reach * reach));
  vec3 color = mix(floor, pool, lit);
  float near = exp(-far * far / (reach * reach * .35));
  color = mix(color, grid, gridOpacity * (lines(vPlace.xz, .6) * lit + .35 * lines(vPlace.xz * 5., .5) * near));
  color = mix(color, shadow, shadowOpacity * (1. - getShadowMask()));
  gl_FragColor = vec4(color, 1. - smoothstep(1.2 * reach, 3.2 * reach, far));
  #include <colorspace_fragment>
}`;
