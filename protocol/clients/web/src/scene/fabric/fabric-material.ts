// The material of one mesh of a character: skinned, woven, creased where the cloth is folded.
import {
  Color, CustomBlending, DataTexture, DoubleSide, FloatType, FrontSide, MeshDepthMaterial, MeshPhysicalMaterial, NearestFilter,
  OneFactor, RGFormat, RGBADepthPacking, ShaderChunk, SRGBColorSpace, ZeroFactor, type Material, type Mesh,
  type WebGLProgramParametersWithUniforms,
} from "three";
import type { Material as MaterialData } from "../../net/protocol";
import { MOST_OCCLUDERS, type Occluders } from "../occluders";
import { knownPattern, NOISE, weaveSource } from "./weaves.glsl";

/** m from one crease to the next: thin cloth folds finely, stiff cloth broadly. */
const FOLDS: Record<string, number> = { satin: 0.028, gauze: 0.026, plain: 0.036, twill: 0.055, herringbone: 0.06, grain: 0.075, quilted: 0.07 };
const USUAL_FOLD = 0.05;
const SHEEN = new Set(["plain", "herringbone", "twill", "satin", "gauze", "quilted", "skin", "fur", "hair"]);
/** Fur and hair are drawn as layers, one outside of the other, of which the outer ones have only the longer hairs; m to the outermost. */
export const SHELLS: Record<string, { count: number; length: number }> = { fur: { count: 14, length: 0.014 }, hair: { count: 7, length: 0.0038 } };
const BODY = new Set(["skin", "fur"]); // closed surfaces, whose patterns go by the place in the body
const SEWN = new Set(["twill", "grain", "gauze"]); // with a thread or a hem that one sees

/** Wrinkle weights (warp, weft) of each bone, as a texture that the vertex shader reads. */
export class WrinkleTexture {
  readonly texture: DataTexture;
  readonly data: Float32Array;

  constructor(bones: number) {
    this.data = new Float32Array(2 * bones);
    this.texture = new DataTexture(this.data, bones, 1, RGFormat, FloatType);
    this.texture.minFilter = this.texture.magFilter = NearestFilter;
  }
}

export interface FabricOptions {
  /** What keeps the light of the sky from it. */
  occluders: Occluders;
  /** How wrinkle weights reach a vertex: by its bones, by an attribute "wrinkle", or not at all. */
  wrinkles: WrinkleTexture | "attribute" | null;
  /** Whether its vertices know between which bones they bend (bends.ts). */
  bends?: boolean;
  /** Whether its vertices know how far from a seam they are (seams.ts). */
  seams?: boolean;
}

/** Whether one sees the stitches of what is sewn of a pattern. */
export function hasSeams(pattern: string): boolean {
  return SEWN.has(knownPattern(pattern));
}

/** Whether a pattern is that of cloth, which creases where it is bent. */
export function isCloth(pattern: string): boolean {
  return !BODY.has(knownPattern(pattern)) && knownPattern(pattern) !== "hair";
}

export function fabricMaterial(data: MaterialData, options: FabricOptions): MeshPhysicalMaterial {
  const pattern = knownPattern(data.pattern);
  const color = new Color().setRGB(...data.color, SRGBColorSpace);
  const material = new MeshPhysicalMaterial({
    color, roughness: data.roughness, metalness: 0,
    side: BODY.has(pattern) ? FrontSide : DoubleSide, shadowSide: DoubleSide,
  });
  if (SHEEN.has(pattern)) {
    material.sheen = 1;
    material.sheenRoughness = pattern === "satin" ? 0.35 : 0.55;
    material.sheenColor.copy(color).lerp(new Color(pattern === "skin" ? 0xff9070 : 0xffffff), pattern === "skin" ? 0.5 : 0.1);
  }
  if (pattern === "satin") {
    material.specularColor.copy(color).lerp(new Color(0xffffff), 0.35); // floating threads color what they reflect
    material.specularIntensity = 0.3; // its light is that of threads
    material.sheenColor.offsetHSL(-0.05, 0, 0.04); // seen from aside, the threads across show, in another hue
  }
  if (pattern === "gauze") {
    material.transparent = true;
    material.depthWrite = false;
    material.forceSinglePass = false; // its back sides first: they are seen through the front ones
  }
  if (pattern === "hair") {
    material.specularIntensity = 0.12; // its light is that of strands
    material.alphaToCoverage = true; // tips of strands are finer than a pixel
    material.blending = CustomBlending; // which keeps the picture's own alpha
    material.blendSrc = material.blendDstAlpha = OneFactor;
    material.blendDst = material.blendSrcAlpha = ZeroFactor;
  }
  material.userData["pattern"] = pattern;
  const { wrinkles } = options;
  const kind = wrinkles === null ? "none" : wrinkles === "attribute" ? "attribute" : "bones";
  material.customProgramCacheKey = () => `${pattern} ${kind} ${options.bends === true} ${options.seams === true}`;
  material.onBeforeCompile = (shader) => {
    shader.defines = { ...shader.defines, ...definesOf(pattern, kind, options) };
    shader.uniforms["occluders"] = { value: options.occluders.spheres };
    if (wrinkles instanceof WrinkleTexture) shader.uniforms["wrinkleTexture"] = { value: wrinkles.texture };
    insert(shader, pattern);
  };
  return material;
}

/** What the shader leaves out or does otherwise. */
function definesOf(pattern: string, wrinkles: string, { bends = false, seams = false }: FabricOptions): Record<string, string> {
  const names = Object.entries({
    [`WRINKLES_${wrinkles.toUpperCase()}`]: true, ON_BODY: BODY.has(pattern), BENDS: bends, SEAMS: seams, PUFFS: bends && pattern === "quilted",
    STRANDS: pattern === "hair", SATIN: pattern === "satin", SHEER: pattern === "gauze",
  }).filter(([, is]) => is).map(([name]) => [name, ""]);
  const shells = SHELLS[pattern];
  return {
    ...Object.fromEntries(names), FOLD: (FOLDS[pattern] ?? USUAL_FOLD).toFixed(3),
    ...(shells && { SHELLS: shells.count.toFixed(1), SHELL_LENGTH: shells.length.toFixed(4) }),
  };
}

/** Frees the materials of a mesh; no other mesh may have them. */
export function disposeMaterials(mesh: Mesh): void {
  (mesh.material as Material).dispose();
  mesh.customDepthMaterial?.dispose();
}

/** For shadows of gauze: lets a share of the light through, by a pattern of dots that the soft shadow blurs. */
export function gauzeShadow(): MeshDepthMaterial {
  const material = new MeshDepthMaterial({ depthPacking: RGBADepthPacking, side: DoubleSide });
  material.onBeforeCompile = (shader) => {
    shader.fragmentShader = shader.fragmentShader.replace("#include <clipping_planes_fragment>", /* glsl */ `
      #include <clipping_planes_fragment>
      vec2 dot_ = mod(gl_FragCoord.xy, 2.);
      if (dot_.x + dot_.y > .9) discard;`);
  };
  return material;
}

/**
 * A chunk whose varyings are taken at a covered place of the pixel. At the pixel's middle, which may be outside of a thin
 * triangle, they overshoot: folds would have white dots. What the shader derives has to be even.
 */
function atCovered(chunk: "shadowmap_pars_vertex" | "shadowmap_pars_fragment"): string {
  return ShaderChunk[chunk].replace(/^(\s*)varying /gm, "$1centroid varying ");
}

function insert(shader: WebGLProgramParametersWithUniforms, pattern: string): void {
  shader.vertexShader = shader.vertexShader
    .replace("#include <shadowmap_pars_vertex>", atCovered("shadowmap_pars_vertex"))
    .replace("#include <common>", `#include <common>\n${VERTEX_HEAD}${BENT_FOLDS}`)
    .replace("#include <skinning_pars_vertex>", `#include <skinning_pars_vertex>\n${BENT_BY}`)
    .replace("#include <skinning_vertex>", `#include <skinning_vertex>\n${VERTEX}`);
  shader.fragmentShader = shader.fragmentShader
    .replace("#include <common>", `#include <common>\n${FRAGMENT_HEAD}\n${weaveSource(pattern)}\n${CREASES}${BENT_FOLDS}`)
    .replace("#include <shadowmap_pars_fragment>", atCovered("shadowmap_pars_fragment"))
    .replace("#include <lights_physical_pars_fragment>", `#include <lights_physical_pars_fragment>\n${SATIN}`)
    .replace("#include <color_fragment>", `#include <color_fragment>\n${COLOR}`)
    .replace("#include <roughnessmap_fragment>", "float roughnessFactor = clamp(roughness * woven.roughness, .05, 1.);")
    .replace("#include <normal_fragment_maps>", NORMAL)
    .replace("#include <lights_fragment_end>", `#include <lights_fragment_end>\n${STRANDS}${SHEER}`)
    .replace("#include <aomap_fragment>", SKY)
    .replace("#include <lights_physical_fragment>", `#include <lights_physical_fragment>\n${SHEEN_STRENGTH}`);
  if (pattern === "gauze") {
    shader.fragmentShader = shader.fragmentShader.replace("#include <opaque_fragment>", /* glsl */ `
      float grazing = 1. - abs(dot(normal, normalize(vViewPosition)));
      diffuseColor.a = clamp(woven.opacity + .6 * grazing * grazing, 0., 1.);
      #include <opaque_fragment>`);
  }
}

const VERTEX_HEAD = /* glsl */ `
attribute vec2 cloth;
varying vec2 vCloth;
varying vec3 vBind;
varying vec2 vWrinkle;
#ifdef SATIN
varying vec3 vWarp; // of the bind pose, down, as the bones have turned it: smoother than that of the triangles
#endif
centroid varying float vSky; // see atCovered()
#ifdef PUFFS
attribute float puff;
#endif
#ifdef BENDS
attribute vec4 bend, otherBend;
attribute vec3 bendBones, otherBendBones;
varying vec2 vBend;
varying vec3 vBendWay, vOtherBendWay;
${NOISE}
#endif
#ifdef SEAMS
attribute float seam;
varying float vSeam;
#endif
#ifdef SHELLS
attribute float shellLength;
varying float vShell;
#endif
uniform vec4 occluders[${MOST_OCCLUDERS}];
#ifdef WRINKLES_BONES
uniform highp sampler2D wrinkleTexture;
#endif
#ifdef WRINKLES_ATTRIBUTE
attribute vec2 wrinkle;
#endif
`;

const BENT_BY = /* glsl */ `
#ifdef BENDS
// How much the inside of a bend is pressed together: both bones' directions differ by what points there.
float bentBy(vec4 bend, vec3 bones, vec3 normal) {
  if (bend.w <= 0.) return 0.;
  vec3 turn = mat3(getBoneMatrix(bones.y)) * bend.xyz - mat3(getBoneMatrix(bones.x)) * bend.xyz;
  float bent = length(turn), inside = dot(normal, turn) / max(1e-4, bent);
  return smoothstep(0., .8, bend.w) * smoothstep(bones.z, bones.z + .7, bent) * smoothstep(-.5, .5, inside);
}
#endif
`;

const VERTEX = /* glsl */ `
vCloth = cloth;
#ifdef SATIN
vWarp = vec3(0., -1., 0.);
#ifdef USE_SKINNING
vWarp = mat3(skinMatrix) * vWarp;
#endif
vWarp = mat3(modelViewMatrix) * vWarp;
#endif
vBind = position;
vWrinkle = vec2(0.);
#ifdef SEAMS
vSeam = seam;
#endif
#ifdef WRINKLES_BONES
for (int i = 0; i < 4; i++) vWrinkle += skinWeight[i] * texelFetch(wrinkleTexture, ivec2(int(skinIndex[i]), 0), 0).xy;
#endif
#ifdef WRINKLES_ATTRIBUTE
vWrinkle = wrinkle;
#endif
#ifdef BENDS
vBend = vec2(bentBy(bend, bendBones, objectNormal), bentBy(otherBend, otherBendBones, objectNormal));
vBendWay = bend.xyz;
vOtherBendWay = otherBend.xyz;
if (max(vBend.x, vBend.y) > .01) transformed += BENT_OUT * bentHeight(position, vBend) * normalize(objectNormal);
#endif
#ifdef PUFFS
transformed += puff * normalize(objectNormal);
#endif
#ifdef SHELLS
vShell = float(gl_InstanceID) / (SHELLS - 1.);
transformed += SHELL_LENGTH * shellLength * (vShell * normalize(objectNormal) - vec3(0., .35 * vShell * vShell, 0.)); // hairs hang a little
#endif
vSky = 1.;
for (int i = 0; i < ${MOST_OCCLUDERS}; i++) {
  vec3 toward = occluders[i].xyz - transformed;
  float far = max(length(toward), occluders[i].w), share = occluders[i].w / far;
  vSky *= 1. - .7 * share * share * max(0., dot(objectNormal, toward) / far);
}
`;

const FRAGMENT_HEAD = /* glsl */ `
varying vec2 vCloth;
varying vec3 vBind;
varying vec2 vWrinkle;
#ifdef SATIN
varying vec3 vWarp;
#endif
centroid varying float vSky;
#ifdef BENDS
varying vec2 vBend;
varying vec3 vBendWay, vOtherBendWay;
#endif
#ifdef SEAMS
varying float vSeam;
#endif
#ifdef SHELLS
varying float vShell;
#endif
`;

// Creases are soft folds across the direction in which the cloth is compressed, as wide as the fabric is stiff. They are
// noise that is stretched along the fold, so that no two are alike or equally far apart.
const CREASES = /* glsl */ `
float crease(vec2 uv) {
  vec2 bent = uv / FOLD + .9 * vec2(noise(uv / (3. * FOLD)), noise(uv / (3. * FOLD) + 8.));
  float down = noise(bent * vec2(.28, 1.)), aside = noise(bent * vec2(1., .28) + 5.);
  return .34 * FOLD * (vWrinkle.x * down + vWrinkle.y * aside);
}
`;

// Folds across the inside of a bend, 0 in their valleys to 1, by the place in the bind pose, so that they go on across
// seams: waves along the limb that wander, part and end.
const BENT_FOLDS = /* glsl */ `
#ifdef BENDS
#define BENT_FOLD max(.030, .68 * FOLD)
#define BENT_HEIGHT (.3 * BENT_FOLD)
#define BENT_OUT (.2 * BENT_FOLD) // of its vertices, which lie too far apart for all of it
float bentFolds(vec3 place, vec3 way) {
  way = normalize(way);
  float along = dot(place, way) / BENT_FOLD;
  vec3 wide = (place - .6 * way * dot(place, way)) / BENT_FOLD;
  float wave = .5 + .5 * sin(6.2831853 * (along + 1.1 * noise(.45 * wide)));
  return wave * sqrt(wave) * smoothstep(.1, .7, noise(.6 * wide + 7.));
}
// By how much each of the two bends is bent: not between vertices of which one is at another bend, whose way is a mixture.
vec2 bentBoth() {
  return vBend * smoothstep(vec2(.9995), vec2(.99995), vec2(length(vBendWay), length(vOtherBendWay)));
}
float bentHeight(vec3 place, vec2 bent) {
  float here = bent.x > .01 ? bent.x * bentFolds(place, vBendWay) : 0.;
  return max(here, bent.y > .01 ? bent.y * bentFolds(place, vOtherBendWay) : 0.);
}
#endif
`;

// A rim, bent as sharply as cloth is thick, gets the weave's mean: its threads would be a dashed line round every edge.
const COLOR = /* glsl */ `
#ifdef ON_BODY
float pixel = max(length(dFdx(vBind)), length(dFdy(vBind)));
#else
float pixel = max(length(dFdx(vCloth)), length(dFdy(vCloth)));
#endif
float edge = 0.;
#if !defined(ON_BODY) && !defined(STRANDS)
float bend = length(fwidth(vNormal)) / max(1e-6, length(fwidth(vViewPosition))); // 1 / m
pixel = max(pixel, .006 * smoothstep(140., 320., bend));
edge = smoothstep(40., 200., bend);
#endif
Weave woven = Weave(diffuseColor.rgb, 1., vec2(0.), 0., 1., 0., edge);
weave(vCloth, vBind, pixel, diffuseColor.rgb, woven);
#ifdef BENDS
vec2 bent = bentBoth();
float mostBent = max(bent.x, bent.y);
if (mostBent > .01) {
  float raised = mix(.4 * mostBent, bentHeight(vBind, bent), visible(BENT_FOLD, pixel));
  woven.color *= 1. - .45 * (mostBent - raised); // little light comes into the valleys
  woven.height += BENT_HEIGHT * raised;
}
#endif
diffuseColor.rgb = woven.color;
#ifdef STRANDS
diffuseColor.a = woven.opacity;
#endif
#ifndef SHEER
if (!gl_FrontFacing) diffuseColor.rgb *= .72;
#endif
`;

// Where a sharp fold's interpolated normal leaves the surface's own, that one counts. Then the normal is tilted by the
// slope along the cloth (Mikkelsen, "Bump Mapping Unparametrized Surfaces on the GPU", 2010).
const NORMAL = /* glsl */ `
{
  vec3 face = normalize(cross(dFdx(vViewPosition), dFdy(vViewPosition)));
#ifdef SATIN
  normal = normalize(mix(face, normal, smoothstep(-.3, .2, dot(face, normal)))); // its light shows each triangle
#else
  normal = normalize(mix(face, normal, smoothstep(.1, .7, dot(face, normal))));
#endif
  vec2 slope = woven.slope;
  if (vWrinkle.x + vWrinkle.y > .002) {
    float here = crease(vCloth), d = .06 * FOLD;
    slope += visible(FOLD, pixel) * vec2(crease(vCloth + vec2(d, 0.)) - here, crease(vCloth + vec2(0., d)) - here) / d;
  }
  vec3 px = dFdx(-vViewPosition), py = dFdy(-vViewPosition);
  vec3 r1 = cross(py, normal), r2 = cross(normal, px);
  float det = dot(px, r1) * faceDirection;
#ifdef SATIN
  vec3 weftWay = dFdx(vCloth.x) * r1 + dFdy(vCloth.x) * r2, warpWay = dFdx(vCloth.y) * r1 + dFdy(vCloth.y) * r2;
  slope *= min(vec2(1.), abs(det) / max(vec2(1e-12), vec2(length(weftWay), length(warpWay)))); // no steeper where it is gathered
#endif
  float hx = dot(slope, dFdx(vCloth)) + dFdx(woven.height), hy = dot(slope, dFdy(vCloth)) + dFdy(woven.height);
  vec3 bumped = abs(det) * normal - sign(det) * (hx * r1 + hy * r2);
  if (dot(bumped, bumped) > 0.) normal = normalize(bumped);
#ifdef SATIN
  warp = vWarp - normal * dot(vWarp, normal);
  warp /= max(1e-4, length(warp));
#endif
}
`;

// How much of the sky a surface sees: each sphere hides its solid angle, as far as it is above the surface
// (Quilez, "Sphere ambient occlusion")
const SKY = /* glsl */ `
float sky = clamp(vSky, 0., 1.);
reflectedLight.indirectDiffuse *= sky;
reflectedLight.indirectSpecular *= sky;
#ifdef USE_SHEEN
sheenSpecularIndirect *= sky;
#endif
`;

// Light along strands: a white band, and one of the hair's color nearer to the tips (Scheuermann, "Hair Rendering and
// Shading", 2004, after Kajiya and Kay).
const STRANDS = /* glsl */ `
#if defined(STRANDS) && NUM_DIR_LIGHTS > 0
{
  vec3 px = dFdx(-vViewPosition), py = dFdy(-vViewPosition);
  vec2 dx = dFdx(vCloth), dy = dFdy(vCloth);
  vec3 along = (py * dx.x - px * dy.x) * sign(dx.x * dy.y - dy.x * dx.y);
  along -= normal * dot(along, normal);
  if (dot(along, along) > 0.) {
    along = normalize(along);
    float shift = .30 * (noise(vec2(vCloth.x / .0028, vCloth.y / .05)) - .5) + .22 * (noise(vec2(vCloth.x / .011, vCloth.y / .05) + 3.) - .5);
    vec3 halfway = normalize(directionalLights[0].direction + normalize(vViewPosition));
    float lit = clamp(.35 + 1.4 * dot(normal, directionalLights[0].direction), 0., 1.) * clamp(dot(normal, halfway), 0., 1.);
    float white = dot(normalize(along + (shift - .06) * normal), halfway), tinted = dot(normalize(along + (shift + .10) * normal), halfway);
    float first = pow(max(0., 1. - white * white), 40.), second = pow(max(0., 1. - tinted * tinted), 9.);
    reflectedLight.directSpecular += directionalLights[0].color * lit * (first * .024 + second * (.50 * diffuseColor.rgb + .007));
  }
}
#endif
`;

// Silk's threads float along the warp, each a small cylinder: what they reflect spreads across them, and has their color;
// in its middle it is paler (Ward, "Measuring and Modeling Anisotropic Reflection", 1992). Some light goes through.
const SATIN = /* glsl */ `
#ifdef SATIN
vec3 warp = vec3(0.); // the warp's direction as the camera sees it
void RE_Direct_Satin(
  const in IncidentLight light, const in vec3 position, const in vec3 n, const in vec3 view, const in vec3 coat,
  const in PhysicalMaterial material, inout ReflectedLight reflected
) {
  RE_Direct_Physical(light, position, n, view, coat, material, reflected);
  vec3 halfway = normalize(light.direction + view);
  float facing = dot(n, light.direction), up = max(.1, dot(n, halfway));
  float along = dot(halfway, warp) / up, aside = dot(halfway, cross(n, warp)) / up;
  float broad = exp(-(along * along / .20 + aside * aside / .34)), narrow = exp(-(along * along / .045 + aside * aside / .09));
  vec3 thread = mix(sqrt(material.diffuseColor), vec3(1.), .06);
  reflected.directSpecular += light.color * max(0., facing) * (.09 * broad * thread + .18 * narrow * mix(thread, vec3(1., .88, .80), .12));
  reflected.directDiffuse += light.color * .22 * max(0., -facing) * BRDF_Lambert(material.diffuseColor);
}
#undef RE_Direct
#define RE_Direct RE_Direct_Satin
#endif
`;

// Light goes through sheer cloth and is scattered: both sides are nearly as bright, whichever the sun is on.
const SHEER = /* glsl */ `
#if defined(SHEER) && NUM_DIR_LIGHTS > 0
reflectedLight.directDiffuse = vec3(0.);
for (int i = 0; i < NUM_DIR_LIGHTS; i++)
  reflectedLight.directDiffuse += (.22 + .36 * abs(dot(normal, directionalLights[i].direction))) * directionalLights[i].color * BRDF_Lambert(diffuseColor.rgb);
#endif
`;

const SHEEN_STRENGTH = /* glsl */ `
#ifdef USE_SHEEN
material.sheenColor *= woven.sheen;
#endif
`;
