// The renderer, the lights, the backdrop and the camera.
import {
  Box3, DirectionalLight, HemisphereLight, NeutralToneMapping, PCFShadowMap, PerspectiveCamera, Scene, Vector3, WebGLRenderer,
  type Texture,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Ground } from "./ground";
import { environment, Sky } from "./sky";
import { THEMES, type Theme, type ThemeName } from "./theme";

const SUN = new Vector3(0.52, 1, 0.62).normalize();
const FILL_ASIDE = 0.6; // rad from the camera to the side that the sun is not on; the fill light comes from there
const FILL_UP = 0.5; // rad above the camera's target
const FILL_LEAST = 0.12; // share of it that is left where the sun lights what the camera sees
const UP = new Vector3(0, 1, 0);
const SLOW_MS = 30; // a picture that takes longer is drawn with fewer pixels
const FAST_MS = 19; // one that takes less is drawn with more; screens that show 60 a second take 16.7
const MOST_PATIENCE = 64; // quick pictures in a row, as adapt() counts them, before more pixels are tried again
const LOWEST = 0.05; // m above the ground, for the camera
const FRAME_MARGIN = 1.08; // around what is brought into view
const LEAST_REACH = 0.8; // m
const MOST_REACH = 100; // m
const LEAST_FREE = 0.3; // of the canvas; where panels leave less, the camera does not mind them

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(32, 1, 0.05, 800); // the ground fades out nearer, from the farthest place, too
  readonly renderer: WebGLRenderer;
  readonly controls: OrbitControls;
  readonly ground = new Ground();
  theme: Theme = THEMES.light;

  #sky = new Sky();
  #sun = new DirectionalLight();
  #fill = new DirectionalLight();
  #dome = new HemisphereLight();
  #environments = new Map<Theme, Texture>();
  #pixelRatio = 1;
  #quick = 0; // calls of adapt() in a row with quick pictures
  #patience = 1; // of them until there are more pixels; grows whenever more were too many
  #covered = { left: 0, right: 0, bottom: 0 };
  #fixed: number | null = null;

  constructor(canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.#pixelRatio = this.#mostPixels();
    this.scene.add(this.#sky.mesh, this.ground.mesh, this.#sun, this.#sun.target, this.#fill, this.#fill.target, this.#dome);
    this.#sun.castShadow = true;
    this.#sun.shadow.mapSize.set(1536, 1536);
    this.#sun.shadow.bias = -0.0002; // of the 50 m that the shadow reaches: 1 cm
    this.#sun.shadow.normalBias = 0.012; // m: more would take shadows off folds that lie on each other
    this.#sun.shadow.radius = 4;
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.minDistance = 0.15;
    this.controls.maxDistance = 120;
    this.controls.zoomToCursor = false;
    this.camera.position.set(1.3, 1.5, 3.2);
    this.controls.target.set(0, 0.95, 0);
  }

  setTheme(name: ThemeName): void {
    const theme = THEMES[name];
    this.theme = theme;
    this.#sky.theme = theme;
    this.ground.theme = theme;
    this.#sun.color.set(theme.sun.color);
    this.#sun.intensity = theme.sun.intensity;
    this.#fill.color.set(theme.fill.color);
    this.#dome.color.set(theme.sky.above);
    this.#dome.groundColor.set(theme.sky.below);
    this.#dome.intensity = theme.sky.intensity;
    let light = this.#environments.get(theme);
    if (!light) this.#environments.set(theme, (light = environment(this.renderer, theme)));
    this.scene.environment = light;
    this.scene.environmentIntensity = theme.environment;
    this.renderer.toneMappingExposure = theme.exposure;
  }

  /** Draws with this many pixels to a CSS pixel, whatever that takes; null: as many as are fast enough. */
  set fixedPixelRatio(ratio: number | null) {
    this.#fixed = ratio;
    this.#pixelRatio = ratio ?? this.#mostPixels();
  }

  /** Draws fewer or more pixels, by the time that a picture takes. */
  adapt(pictureMs: number): void {
    if (this.#fixed !== null) return;
    const lowest = 0.6;
    this.#quick = pictureMs < FAST_MS ? this.#quick + 1 : 0;
    if (pictureMs > SLOW_MS) {
      this.#pixelRatio = Math.max(lowest, this.#pixelRatio * 0.85);
      this.#patience = Math.min(MOST_PATIENCE, 2 * this.#patience);
    } else if (this.#quick >= this.#patience) {
      this.#pixelRatio = Math.min(this.#mostPixels(), this.#pixelRatio * 1.1);
      this.#quick = 0;
    }
  }

  render(): void {
    const { clientWidth: width, clientHeight: height } = this.renderer.domElement;
    if (width === 0 || height === 0) return;
    const ratio = Math.round(this.#pixelRatio * 20) / 20;
    if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
    const canvas = this.renderer.domElement;
    if (canvas.width !== Math.floor(width * ratio) || canvas.height !== Math.floor(height * ratio)) {
      this.renderer.setSize(width, height, false);
      this.#project();
    }
    this.moveCamera();
    this.#aimLights();
    this.renderer.render(this.scene, this.camera);
  }

  /** Moves the camera as the user turns it, down to just above the ground, where it looks at something above that. */
  moveCamera(): void {
    const { target } = this.controls, lowest = this.ground.mesh.position.y + LOWEST;
    const cosine = (lowest - target.y) / this.camera.position.distanceTo(target);
    this.controls.maxPolarAngle = Math.acos(Math.min(1, Math.max(-1, cosine)));
    this.controls.update();
  }

  /** CSS pixels at the edges of the canvas that panels cover: the camera looks at the middle of what is left. */
  set covered(covered: { left: number; right: number; bottom: number }) {
    const { left, right, bottom } = this.#covered;
    if (covered.left === left && covered.right === right && covered.bottom === bottom) return;
    this.#covered = covered;
    this.#project();
  }

  /** Brings a box into the middle of what panels leave free, from where the camera looks now. */
  frame(box: Box3): void {
    if (box.isEmpty()) return;
    this.#project();
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    box.getCenter(this.controls.target);
    this.camera.position.copy(this.controls.target).add(direction);
    this.camera.position.addScaledVector(direction, this.reachFor(box, FRAME_MARGIN) - 1);
  }

  /** m from what the camera looks at, at which a box is seen whole in what panels leave free; `margin` is a factor. */
  reachFor(box: Box3, margin = 1): number {
    const { camera, controls: { target } } = this, corner = new Vector3();
    camera.lookAt(target);
    const turned = camera.quaternion.clone().invert();
    const high = Math.tan((camera.fov * Math.PI) / 360) / margin, wide = high * camera.aspect;
    let reach = LEAST_REACH;
    for (let i = 0; i < 8; i++) {
      corner.set((i & 1 ? box.max : box.min).x, (i & 2 ? box.max : box.min).y, (i & 4 ? box.max : box.min).z).sub(target).applyQuaternion(turned);
      reach = Math.max(reach, corner.z + Math.abs(corner.x) / wide, corner.z + Math.abs(corner.y) / high);
    }
    return Math.min(reach, MOST_REACH);
  }

  /** The projection for the size of the canvas and what is covered of it. The camera's aspect is that of the rest. */
  #project(): void {
    const { clientWidth: width, clientHeight: height } = this.renderer.domElement;
    const { left, right, bottom } = this.#covered, free = width - left - right, high = height - bottom;
    if (width === 0 || height === 0) return;
    const isFree = free === width && high === height;
    if (isFree || free < LEAST_FREE * width || high < LEAST_FREE * height) {
      this.camera.clearViewOffset();
      this.camera.aspect = width / height;
      this.camera.updateProjectionMatrix();
    } else {
      this.camera.setViewOffset(free, high, -left, 0, width, height);
    }
  }

  #aimLights(): void {
    const { target } = this.controls;
    const distance = this.camera.position.distanceTo(target);
    const reach = Math.min(16, Math.max(1.6, distance * 0.55)); // of the shadows, around what is looked at
    const step = (4 * reach) / this.#sun.shadow.mapSize.x; // whole texels, so that shadows do not swim
    this.#sun.target.position.set(Math.round(target.x / step) * step, this.ground.mesh.position.y + 0.9, Math.round(target.z / step) * step);
    this.#sun.position.copy(this.#sun.target.position).addScaledVector(SUN, 30);
    const camera = this.#sun.shadow.camera;
    if (Math.abs(camera.right - reach) > 0.05 * reach) {
      camera.left = camera.bottom = -reach;
      camera.right = camera.top = reach;
      camera.near = 10;
      camera.far = 60;
      camera.updateProjectionMatrix();
    }
    this.ground.follow(target, distance);
    this.#aimFill();
  }

  /** A soft light from beside the camera, without shadows: what the sun is behind of is seen, too. */
  #aimFill(): void {
    const arm = this.camera.position.clone().sub(this.controls.target).setY(0).normalize();
    const far = Math.hypot(SUN.x, SUN.z), toSun = arm.dot(SUN) / far; // 1: the camera has the sun in its back
    const turn = (SUN.x * arm.z - SUN.z * arm.x) / far; // sine of the angle from the camera to the sun
    const against = (1 - toSun) / 2, aside = -FILL_ASIDE * Math.min(1, Math.max(-1, 2 * turn));
    this.#fill.intensity = this.theme.fill.intensity * (FILL_LEAST + (1 - FILL_LEAST) * against);
    this.#fill.target.position.copy(this.controls.target);
    this.#fill.position.copy(arm).applyAxisAngle(UP, aside).multiplyScalar(Math.cos(FILL_UP)).setY(Math.sin(FILL_UP))
      .multiplyScalar(30).add(this.controls.target);
  }

  #mostPixels(): number {
    return Math.min(window.devicePixelRatio, 2);
  }
}
