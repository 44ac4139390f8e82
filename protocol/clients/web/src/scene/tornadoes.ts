// Tornadoes as dust that turns and rises, in the shape of the vortex that the server simulates, and rings on the ground
// by which they are dragged.
import {
  AdditiveBlending, BufferAttribute, BufferGeometry, Color, Group, Mesh, MeshBasicMaterial, NormalBlending, Points, RingGeometry,
  ShaderMaterial, Vector3,
} from "three";
import type { Tornado } from "../net/protocol";

const GRAINS = 11000;
const BANDS = 4; // spirals of denser dust
const HEIGHT = 3.6; // m that is drawn of it

class Twister {
  readonly group = new Group();
  tornado: Tornado;
  readonly foot = new Vector3();
  #material: ShaderMaterial;
  #ring: Mesh<RingGeometry, MeshBasicMaterial>;

  constructor(tornado: Tornado, dark: boolean) {
    this.tornado = tornado;
    const geometry = new BufferGeometry();
    const seeds = new Float32Array(4 * GRAINS);
    for (let i = 0; i < seeds.length; i++) seeds[i] = Math.random();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(3 * GRAINS), 3));
    geometry.setAttribute("seed", new BufferAttribute(seeds, 4));
    this.#material = new ShaderMaterial({
      transparent: true, depthWrite: false, toneMapped: false, vertexShader: VERTEX, fragmentShader: FRAGMENT,
      uniforms: {
        time: { value: 0 }, radius: { value: 1 }, swirl: { value: 1 }, lift: { value: 1 }, height: { value: HEIGHT },
        pixels: { value: 1 }, color: { value: new Color() },
      },
    });
    const points = new Points(geometry, this.#material);
    points.frustumCulled = false;
    points.renderOrder = 4;
    this.#ring = new Mesh(new RingGeometry(0.94, 1, 96).rotateX(-Math.PI / 2), new MeshBasicMaterial({
      transparent: true, opacity: 0.7, depthWrite: false, toneMapped: false,
    }));
    this.group.add(points, this.#ring);
    this.setDark(dark);
  }

  setDark(dark: boolean): void {
    this.#material.blending = dark ? AdditiveBlending : NormalBlending;
    (this.#material.uniforms["color"].value as Color).set(dark ? "#8f877c" : "#6f6250");
    this.#ring.material.color.set(dark ? "#ffb46b" : "#a4541d");
  }

  update(time: number, seconds: number, pixels: number): void {
    const { tornado } = this;
    this.foot.set(...tornado.position).addScaledVector(new Vector3(...tornado.velocity), seconds);
    this.group.position.copy(this.foot);
    this.group.position.y += 0.004;
    this.#ring.scale.setScalar(tornado.radius * 1.12);
    const { uniforms } = this.#material;
    uniforms["time"].value = time;
    uniforms["radius"].value = tornado.radius;
    uniforms["swirl"].value = tornado.strength;
    uniforms["lift"].value = Math.max(0.4, Math.abs(tornado.lift));
    uniforms["pixels"].value = pixels;
  }

  dispose(): void {
    (this.group.children[0] as Points).geometry.dispose();
    this.#material.dispose();
    this.#ring.geometry.dispose();
    this.#ring.material.dispose();
  }
}

export class Tornadoes {
  readonly group = new Group();
  #twisters = new Map<string, Twister>();
  #dark = false;

  set dark(dark: boolean) {
    this.#dark = dark;
    for (const twister of this.#twisters.values()) twister.setDark(dark);
  }

  set(tornadoes: Tornado[]): void {
    const names = new Set(tornadoes.map(({ name }) => name));
    for (const [name, twister] of this.#twisters) {
      if (names.has(name)) continue;
      twister.group.removeFromParent();
      twister.dispose();
      this.#twisters.delete(name);
    }
    for (const tornado of tornadoes) {
      let twister = this.#twisters.get(tornado.name);
      if (!twister) {
        twister = new Twister(tornado, this.#dark);
        this.#twisters.set(tornado.name, twister);
        this.group.add(twister.group);
      }
      twister.tornado = tornado;
    }
  }

  /** `seconds` is the simulation time since the tornadoes were set. */
  update(time: number, seconds: number, pixels: number): void {
    for (const twister of this.#twisters.values()) twister.update(time, seconds, pixels);
  }

  /** The places between which each is drawn. */
  get axes(): { foot: Vector3; top: Vector3 }[] {
    return [...this.#twisters.values()].map(({ foot }) => ({ foot, top: foot.clone().setY(foot.y + HEIGHT) }));
  }

  /** The tornado whose ring or core contains this place of the ground. */
  at(place: Vector3): { tornado: Tornado; foot: Vector3 } | null {
    let best: Twister | null = null, nearest = 1.25;
    for (const twister of this.#twisters.values()) {
      const distance = Math.hypot(place.x - twister.foot.x, place.z - twister.foot.z) / Math.max(0.25, twister.tornado.radius);
      if (distance < nearest) [nearest, best] = [distance, twister];
    }
    return best && { tornado: best.tornado, foot: best.foot };
  }
}

// A grain rises with the updraft and turns with the speed of the vortex at its distance. The funnel widens upwards, as
// air does that is drawn in below and thrown out above; its axis sways a little. Near the ground there is a skirt of
// dust. Most grains are puffs, the others specks that are drawn out along their way; the sun lights one side.
const VERTEX = /* glsl */ `
attribute vec4 seed;
uniform float time, radius, swirl, lift, height, pixels;
varying float vOpacity, vLight;
varying vec2 vWay;
void main() {
  bool isSkirt = seed.w > .72, isPuff = fract(seed.w * 37.1) < .6;
  float rate = lift / height * (.10 + .10 * seed.y) * (isSkirt ? .9 : 1.);
  float age = fract(seed.x + time * rate);
  float y = isSkirt ? .32 * height * age * age * seed.y : height * age;
  float up = y / height;
  float wall = radius * (.24 + 1.1 * pow(up, 1.35));
  float r = isSkirt ? radius * (.5 + 1.9 * seed.z * (1. - .35 * age)) : wall * (.80 + .34 * seed.z * seed.z);
  float q = r / radius, speed = swirl * 1.567 * (1. - exp(-q * q)) / max(q, .05); // Lamb-Oseen, 1 at its fastest
  float drawn = fract(seed.z * 61.7) + fract(seed.z * 17.3) - 1.; // denser in the middle of a band
  float angle = 6.2831853 * (floor(seed.z * ${BANDS}.) + .5 + .62 * drawn) / ${BANDS}. + 5.2 * up - time * speed / max(r, .12) * .35;
  vec2 sway = radius * up * vec2(.30 * sin(time * 1.1 + 2.6 * up) + .12 * sin(time * 2.3 + 5. * up), .26 * cos(time * .9 + 3.1 * up));
  vec3 out_ = vec3(cos(angle), 0., sin(angle));
  vec4 seen = modelViewMatrix * vec4(r * out_ + vec3(sway.x, y, sway.y), 1.);
  gl_Position = projectionMatrix * seen;
  float size = isPuff ? (isSkirt ? .20 : .15 + .15 * seed.y) : .03 + .05 * seed.y;
  gl_PointSize = clamp(size * (.6 + .7 * up) * pixels / -seen.z, 1., 256.);
  vWay = isPuff ? vec2(0.) : (mat3(viewMatrix) * normalize(vec3(out_.z, .18, -out_.x))).xy;
  vLight = dot(out_, vec3(.64, 0., .77));
  vOpacity = (isPuff ? .075 : .5) * (isSkirt ? .45 : 1.) * smoothstep(0., .06, age) * (1. - smoothstep(.55, 1., age)) * (.4 + .6 * seed.y);
}`;

const FRAGMENT = /* glsl */ `
uniform vec3 color;
varying float vOpacity, vLight;
varying vec2 vWay;
void main() {
  vec2 p = 2. * gl_PointCoord - 1.;
  p.y = -p.y;
  float drawn = length(vWay);
  vec2 way = vWay / max(drawn, 1e-4);
  float r = length(vec2(dot(p, way), dot(p, vec2(-way.y, way.x)) * (1. + 4. * drawn)));
  if (drawn < 1e-4) r = length(p);
  float soft = 1. - smoothstep(0., 1., r);
  gl_FragColor = vec4(color * (1. + .45 * vLight), vOpacity * soft);
  #include <colorspace_fragment>
}`;
