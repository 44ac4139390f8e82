// The air as streaks that drift with the wind and around tornadoes.
import { BufferAttribute, Color, InstancedBufferAttribute, InstancedBufferGeometry, Mesh, ShaderMaterial, Vector3, Vector4 } from "three";
import type { World } from "../net/protocol";

const STREAKS = 420;
const MOST_PIXELS = "2."; // that a streak is wide
const NEAREST = ["1.", "2.2"]; // m from the camera: nothing is drawn at the first, everything beyond the second
const MOST_TORNADOES = 4; // that are drawn in the streaks

export class Wind {
  readonly mesh: Mesh;
  #material: ShaderMaterial;
  #drift = new Vector3(); // how far the air has gone

  constructor() {
    const geometry = new InstancedBufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array([0, -1, 0, 0, 1, 0, 1, -1, 0, 1, 1, 0]), 3));
    geometry.setIndex([0, 2, 1, 1, 2, 3]);
    const seeds = new Float32Array(4 * STREAKS);
    for (let i = 0; i < seeds.length; i++) seeds[i] = Math.random();
    geometry.setAttribute("seed", new InstancedBufferAttribute(seeds, 4));
    geometry.instanceCount = STREAKS;
    this.#material = new ShaderMaterial({
      transparent: true, depthWrite: false, toneMapped: false, vertexShader: VERTEX, fragmentShader: FRAGMENT,
      uniforms: {
        drift: { value: this.#drift }, velocity: { value: new Vector3() }, gust: { value: 0 }, time: { value: 0 }, pixel: { value: 0.001 },
        focus: { value: new Vector3() }, box: { value: new Vector3(7, 2.6, 7) }, color: { value: new Color() },
        tornadoes: { value: Array.from({ length: MOST_TORNADOES }, () => new Vector4()) }, // x, z, radius, strength
      },
    });
    this.mesh = new Mesh(geometry, this.#material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 3;
  }

  set dark(dark: boolean) {
    (this.#material.uniforms["color"].value as Color).set(dark ? "#cfe3f5" : "#4d6a80");
  }

  /** `seconds` since the world was told, `dt` since the last picture; `pixel`: m across, at 1 m from the camera. */
  update(world: World, time: number, seconds: number, dt: number, focus: Vector3, pixel: number): void {
    const { uniforms } = this.#material;
    uniforms["pixel"].value = pixel;
    const velocity = uniforms["velocity"].value as Vector3;
    velocity.set(...world.wind.velocity);
    this.#drift.addScaledVector(velocity, dt);
    uniforms["gust"].value = world.wind.gust + 0.5 * world.wind.turbulence;
    uniforms["time"].value = time;
    (uniforms["focus"].value as Vector3).copy(focus).setY(0);
    (uniforms["tornadoes"].value as Vector4[]).forEach((slot, i) => {
      const tornado = world.tornados[i];
      if (!tornado) slot.set(0, 0, 1, 0);
      else slot.set(tornado.position[0] + tornado.velocity[0] * seconds, tornado.position[2] + tornado.velocity[2] * seconds,
        tornado.radius, tornado.strength);
    });
  }
}

const VERTEX = /* glsl */ `
attribute vec4 seed;
uniform vec3 drift, velocity, focus, box;
uniform float gust, time, pixel;
uniform vec4 tornadoes[${MOST_TORNADOES}];
varying float vOpacity;
varying float vAlong;
void main() {
  vec3 cell = vec3(seed.x, seed.y, seed.z) * box + drift * (.85 + .3 * seed.w);
  vec3 start = floor((focus - .5 * box) / box) * box;
  vec3 p = mod(cell - focus + .5 * box, box) + focus - .5 * box;
  p.y = mod(seed.y * box.y + drift.y, box.y) + .05;
  float pulse = 1. + gust * .8 * sin(time * (1.1 + seed.w) + 6.28 * seed.x);
  vec3 air = velocity * pulse + gust * length(velocity) * .15 * vec3(sin(time + 9. * seed.y), .4 * sin(1.7 * time + 7. * seed.z), cos(time + 8. * seed.w));
  for (int i = 0; i < ${MOST_TORNADOES}; i++) {
    vec4 t = tornadoes[i];
    vec2 d = p.xz - t.xy; float r = max(length(d), .05), q = r / t.z;
    air.xz += t.w * 1.567 * (1. - exp(-q * q)) / q * vec2(d.y, -d.x) / r;
  }
  float speed = length(air);
  vec3 along = speed > .01 ? air / speed : vec3(1., 0., 0.);
  float length_ = min(.7, .05 + .07 * speed) * (.5 + seed.w);
  vec4 a = modelViewMatrix * vec4(p, 1.), b = modelViewMatrix * vec4(p - along * length_, 1.);
  vec4 seen = mix(a, b, position.x);
  vec2 side = normalize((b.xy / -b.z - a.xy / -a.z) + 1e-5);
  float near = min(-a.z, -b.z), width = min(.0017 * (.6 - seen.z * .12), ${MOST_PIXELS} * .5 * pixel * -seen.z);
  seen.xy += vec2(-side.y, side.x) * position.y * width * (1. - .7 * position.x);
  gl_Position = projectionMatrix * seen;
  vec3 edge = abs(p - focus) / (.5 * box);
  vAlong = position.x;
  vOpacity = .34 * smoothstep(${NEAREST[0]}, ${NEAREST[1]}, near) * smoothstep(.05, 1.2, speed) * (1. - smoothstep(.6, 1., max(edge.x, edge.z)));
}`;

const FRAGMENT = /* glsl */ `
uniform vec3 color;
varying float vOpacity;
varying float vAlong;
void main() {
  gl_FragColor = vec4(color, vOpacity * (1. - vAlong) * smoothstep(0., .15, vAlong + .05));
  #include <colorspace_fragment>
}`;
