// A procedural sky: what the viewer sees behind the scene, and what lights it from all sides.
import {
  BackSide, BoxGeometry, Color, Mesh, MeshBasicMaterial, PMREMGenerator, Scene, ShaderMaterial, SphereGeometry, Vector3,
  type Texture, type WebGLRenderer,
} from "three";
import type { Theme } from "./theme";

/** The backdrop: a gradient that goes over into the floor without a line. It is drawn around the camera. */
export class Sky {
  readonly mesh: Mesh;
  #material: ShaderMaterial;

  constructor() {
    this.#material = new ShaderMaterial({
      side: BackSide, depthWrite: false, depthTest: false, toneMapped: false,
      uniforms: { zenith: { value: new Color() }, horizon: { value: new Color() }, floor: { value: new Color() } },
      vertexShader: /* glsl */ `
        varying vec3 vDirection;
        void main() {
          vDirection = position;
          gl_Position = projectionMatrix * vec4(mat3(modelViewMatrix) * position, 1.);
        }`,
      fragmentShader: /* glsl */ `
        uniform vec3 zenith, horizon, floor;
        varying vec3 vDirection;
        void main() {
          float y = normalize(vDirection).y;
          vec3 color = y > 0. ? mix(horizon, zenith, pow(smoothstep(0., 1., y), .8)) : mix(horizon, floor, smoothstep(0., .5, -y));
          color += (fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(.06711056, .00583715)))) - .5) / 255.; // no bands
          gl_FragColor = vec4(color, 1.);
          #include <colorspace_fragment>
        }`,
    });
    this.mesh = new Mesh(new SphereGeometry(10, 32, 24), this.#material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = -10;
  }

  set theme(theme: Theme) {
    for (const name of ["zenith", "horizon", "floor"] as const)
      (this.#material.uniforms[name].value as Color).set(theme[name]);
  }
}

/** The light that comes from the sky and the floor: a dome with a bright window in front, a soft one behind. */
export function environment(renderer: WebGLRenderer, theme: Theme): Texture {
  const scene = new Scene();
  const dome = new Mesh(new SphereGeometry(20, 24, 16), new ShaderMaterial({
    side: BackSide,
    uniforms: {
      above: { value: new Color(theme.sky.above) }, below: { value: new Color(theme.sky.below) },
      sun: { value: new Vector3(0.45, 0.62, 0.65).normalize() },
    },
    vertexShader: "varying vec3 vDirection; void main() { vDirection = position; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.); }",
    fragmentShader: /* glsl */ `
      uniform vec3 above, below, sun;
      varying vec3 vDirection;
      void main() {
        vec3 d = normalize(vDirection);
        float glow = max(dot(d, sun), 0.);
        vec3 color = mix(below * .30, above * .42, smoothstep(-.25, .6, d.y)) + vec3(1., .93, .82) * (.7 * pow(glow, 5.) + 5. * pow(glow, 60.));
        gl_FragColor = vec4(color, 1.);
      }`,
  }));
  scene.add(dome);
  for (const [x, y, z, width, height, strength] of [[-11, 6, 6, 3, 9, 9], [11, 5, -9, 4, 11, 11], [-7, 7, -11, 3, 8, 6], [0, 15, 2, 8, 0.1, 3.2]]) {
    const window = new Mesh(new BoxGeometry(width, height, width), new MeshBasicMaterial());
    (window.material as MeshBasicMaterial).color.setScalar(strength);
    window.position.set(x, y, z);
    scene.add(window);
  }
  const generator = new PMREMGenerator(renderer);
  const texture = generator.fromScene(scene, 0.03).texture;
  generator.dispose();
  scene.traverse((object) => {
    if (!(object instanceof Mesh)) return;
    object.geometry.dispose();
    (object.material as MeshBasicMaterial).dispose();
  });
  return texture;
}
