// GLSL of the fabrics' weaves. Each function fills a Weave at a place of the cloth, given in metres along weft and warp.
// Detail finer than a pixel fades into its mean, so that nothing flickers at a distance.

export const NOISE = /* glsl */ `
float hash(vec2 p) { vec3 q = fract(p.xyx * .1031); q += dot(q, q.yzx + 33.33); return fract((q.x + q.y) * q.z); }
float hash(vec3 p) { p = fract(p * vec3(.1031, .1030, .0973)); p += dot(p, p.yxz + 33.33); return fract((p.x + p.y) * p.z); }
float noise(vec2 p) {
  vec2 i = floor(p), f = fract(p); f = f * f * (3. - 2. * f);
  return mix(mix(hash(i), hash(i + vec2(1, 0)), f.x), mix(hash(i + vec2(0, 1)), hash(i + vec2(1, 1)), f.x), f.y);
}
float noise(vec3 p) {
  vec3 i = floor(p), f = fract(p); f = f * f * (3. - 2. * f);
  return mix(mix(mix(hash(i), hash(i + vec3(1, 0, 0)), f.x), mix(hash(i + vec3(0, 1, 0)), hash(i + vec3(1, 1, 0)), f.x), f.y),
             mix(mix(hash(i + vec3(0, 0, 1)), hash(i + vec3(1, 0, 1)), f.x),
                 mix(hash(i + vec3(0, 1, 1)), hash(i + vec3(1, 1, 1)), f.x), f.y), f.z);
}
float fbm(vec2 p) { return .5 * noise(p) + .25 * noise(p * 2.03 + 7.1) + .125 * noise(p * 4.1 + 3.7) + .0625; }
float fbm(vec3 p) { return .5 * noise(p) + .25 * noise(p * 2.03 + 7.1) + .125 * noise(p * 4.1 + 3.7) + .0625; }
`;

const COMMON = /* glsl */ `
struct Weave {
  vec3 color;      // linear
  float roughness; // factor on the material's
  vec2 slope;      // of the surface, metres per metre along weft and warp
  float height;    // of the surface in m, of patterns that go by the place in the body and not along the cloth
  float opacity;
  float sheen;     // strength of the fuzz at grazing angles
  float edge;      // 0 to 1: how sharply the surface bends, where it is rubbed
};
// How much of a pattern of this period (m) is left when a pixel covers this much (m)
float visible(float period, float pixel) { return 1. - smoothstep(.17 * period, .45 * period, pixel); }
// Flecks of mixed yarns, -1 to 1, that are 1 to 4 pixels wide whatever a pixel covers: the finest that a pixel can tell
// apart. Each octave stays where it is on the cloth, and fades as finer ones appear.
float flecks(vec2 uv, float pixel) {
  float sum = 0.;
  for (int i = 0; i < 6; i++) {
    float size = .0015 * exp2(float(i)), wide = log2(size / max(1e-5, pixel));
    vec2 p = uv / size * vec2(1., .8) + 17.3 * float(i);
    sum += max(0., 1. - abs(wide - .9) / 1.2) * (noise(p) + .6 * noise(1.93 * p + 5.) - .8);
  }
  return clamp(1.5 * sum, -1., 1.);
}
// How much the cloth is folded here, 0 to 1
float folded() {
  float most = max(vWrinkle.x, vWrinkle.y);
#ifdef BENDS
  most = max(most, max(vBend.x, vBend.y));
#endif
  return most;
}
#ifdef SEAMS
// A row of stitches at this distance from a seam, 0 to 1; from afar a line that grows fainter
float stitches(vec2 uv, float far, float pixel) {
  float wide = max(.0007, .5 * pixel), row = 1. - smoothstep(.6 * wide, 1.2 * wide, abs(vSeam - far));
  float dashes = mix(.7, step(.28, fract((uv.x + .8 * uv.y) / .0042)), visible(.0042, pixel));
  return row * dashes * min(1., .0016 / max(1e-5, wide));
}
#endif
// A rounded stripe of height 1 across a phase of period 1, and its slope
float ridge(float phase) { return .5 - .5 * cos(6.2831853 * phase); }
float ridgeSlope(float phase) { return 3.14159265 * sin(6.2831853 * phase); }
`;

const HERRINGBONE = /* glsl */ `
void weave(vec2 uv, vec3 bind, float pixel, vec3 base, inout Weave w) {
  const float COLUMN = .0240, PITCH = .0074, YARN = .0009;
  float column = floor(uv.x / COLUMN), across = uv.x / COLUMN - column;
  float sense = mod(column, 2.) * 2. - 1.;
  vec2 slant = vec2(sense * 1.15, 1.);
  float phase = dot(uv, slant) / PITCH;
  float twill = smoothstep(.22, .78, ridge(phase));
  float spine = smoothstep(.0, .05, min(across, 1. - across)); // the columns' break, a dark fine line
  vec2 steps = vec2(dot(dFdx(uv), slant), dot(dFdy(uv), slant)) / PITCH; // of phase, which itself jumps
  float near = 1. - smoothstep(.25, .45, length(steps)), yarns = visible(YARN, pixel); // gone below 2.2 pixels
  near *= 1. - smoothstep(.8, 1., w.edge);
  float warpYarn = hash(vec2(floor(uv.x / YARN), 3.)), weftYarn = hash(vec2(7., floor(uv.y / YARN)));
  float slub = noise(vec2(uv.x / YARN, uv.y / .011)) * noise(vec2(uv.x / .013, uv.y / YARN));
  vec3 dark = base * .44, light = mix(base * 2. + .03, vec3(.62, .50, .37), .36);
  float mean = .38; // what the eye makes of the ribs
  w.color = mix(dark, light, mix(mean, twill * (.82 + .18 * spine), near));
  w.color *= mix(1., .80 + .4 * mix(warpYarn, weftYarn, twill), .6 * yarns) * mix(1., .86 + .5 * slub, .8 * visible(.0018, pixel));
  w.color *= mix(1., .86 + .29 * fbm(uv * 38.), visible(.014, pixel)); // heather: wool is never even
  float mixed = flecks(uv, pixel);
  w.color *= 1. + mix(.12, .136, near) * mixed;
  w.color *= 1. + .065 * sense * (1. - near) * visible(2. * COLUMN, pixel); // from afar the columns still take the light apart
  vec2 cell = vec2(.0062, .0034), id = floor(uv / cell);
  vec2 place = (fract(uv / cell) - .5) - .5 * (vec2(hash(id), hash(id + 9.1)) - .5);
  float fleck = (1. - smoothstep(.08, .26, length(place * vec2(1., .62)))) * step(.89, hash(id + 4.7));
  float kind = hash(id + 2.2);
  vec3 tint = kind < .3 ? vec3(.52, .18, .05) : kind < .55 ? vec3(.62, .42, .10) : kind < .8 ? vec3(.56, .49, .37) : vec3(.10, .20, .19);
  w.color = mix(w.color, tint, fleck * .64 * visible(.0024, pixel));
  float fibre = noise(uv * vec2(2900., 700.)) - noise(uv * vec2(600., 3100.));
  w.slope = near * slant * ridgeSlope(phase) * .13 + yarns * vec2(fibre, -fibre) * .22;
  w.roughness = 1.;
  w.sheen = .3;
}`;

// Indigo dyes the warp alone, and wears off: blue twill has white threads between its ribs, is pale at edges and in
// patches, and uneven along its yarns. Twills of other colors are dyed through, and even.
const TWILL = /* glsl */ `
void weave(vec2 uv, vec3 bind, float pixel, vec3 base, inout Weave w) {
  const float PITCH = .0036, YARN = .0008, SLANT = 1.3;
  float phase = (uv.y + uv.x * SLANT) / PITCH, indigo = smoothstep(.5, .6, 1. - base.r / max(1e-4, base.b));
  float near = 1. - smoothstep(.19, .40, pixel * length(vec2(1., SLANT)) / PITCH), yarns = visible(YARN, pixel);
  float rib = smoothstep(.18, .62, ridge(phase + .12 * noise(uv / .004)));
  float warpYarn = noise(vec2(uv.x / YARN, uv.y / .03));
  float streak = mix(.5, noise(vec2(uv.x / .0022, uv.y / .09)), visible(.0044, pixel)) * .6 + mix(.5, noise(vec2(uv.x / .007, uv.y / .4)), visible(.014, pixel)) * .4;
  float worn = fbm(uv * vec2(8., 5.) + 3.), rubbed = clamp(.8 * smoothstep(.42, .8, worn) + w.edge, 0., 1.);
  vec3 blue = mix(base, vec3(dot(base, vec3(.3, .59, .11))), .25), white = vec3(.50, .52, .54);
  vec3 dye = mix(base * (.9 + .2 * streak), blue * (.55 + .6 * worn) * (.58 + .76 * streak), indigo);
  dye = mix(dye, 2.4 * blue + .06, .6 * indigo * rubbed);
  vec3 weft = mix(dye, white, mix(.28, .42, indigo));
  w.color = mix(mix(dye, weft, mix(.45, .12, indigo)), mix(weft, dye, mix(.25, 1., indigo) * rib), near) * mix(1., .84 + .34 * warpYarn, yarns);
  w.color *= 1. + mix(.10, .20, indigo) * flecks(uv * vec2(1., .45), pixel) * (1. - .7 * near); // yarns that are thicker than others
#ifdef SEAMS
  float sewn = stitches(uv, .0065, pixel) + stitches(uv, .0120, pixel);
  w.color = mix(w.color, vec3(.40, .17, .05), .85 * indigo * min(1., sewn));
  w.color *= 1. - .35 * indigo * visible(.006, pixel) * (1. - smoothstep(.0004, .0016, vSeam));
#endif
  w.slope = near * vec2(SLANT, 1.) * ridgeSlope(phase) * .09 + yarns * vec2(cos(6.283 * uv.x / YARN) * .12, 0.);
  w.roughness = 1.;
  w.sheen = .10;
}`;

const SATIN = /* glsl */ `
float drape(vec2 uv) {
  return fbm(uv * vec2(17., 2.)) + .3 * fbm(uv * vec2(21., 12.));
}
void weave(vec2 uv, vec3 bind, float pixel, vec3 base, inout Weave w) {
  float thread = noise(vec2(uv.x / .00022, uv.y / .006)), slub = noise(vec2(uv.x / .0024, uv.y / .12));
  float fine = visible(.00044, pixel), near = visible(.0048, pixel), d = .004, here = drape(uv);
  w.color = .62 * base * mix(1., .90 + .2 * slub, near) * mix(1., .90 + .2 * thread, fine);
  w.slope = vec2(drape(uv + vec2(d, 0.)) - here, drape(uv + vec2(0., d)) - here) * (.0105 / d) * visible(.05, pixel);
  w.slope += vec2((thread - .5) * .16 * fine + (slub - .5) * .06 * near, 0.);
  w.roughness = 1.;
  w.sheen = .8;
}`;

// A net of fine threads, which lets through what is behind it between them, in soft pleats that are denser.
const GAUZE = /* glsl */ `
// How much of a pixel this wide is covered by threads, which are .28 as wide as they are apart: its mean is always the same
vec2 threads(vec2 p, vec2 wide) {
  const float THREAD = .28;
  wide = clamp(wide, .12, 1.);
  vec2 from = p - .5 * wide, to = p + .5 * wide;
  return (THREAD * (floor(to) - floor(from)) + min(fract(to), THREAD) - min(fract(from), THREAD)) / wide;
}
float pleats(vec2 uv) { return fbm(vec2(34., 5.) * uv + .9 * noise(uv * 9.)); }
void weave(vec2 uv, vec3 bind, float pixel, vec3 base, inout Weave w) {
  const float PITCH = .0023;
  vec2 wobble = vec2(noise(uv * vec2(90., 700.)), noise(uv * vec2(700., 90.))) - .5;
  float near = visible(PITCH, pixel), here = pleats(uv), d = .003;
  vec2 gaps = 1. - threads(uv / PITCH + wobble * .3 * near, 2.2 * fwidth(uv) / PITCH);
  w.color = base;
  w.opacity = mix(.72, .08, gaps.x * gaps.y) * (.62 + .9 * smoothstep(.25, .8, here));
#ifdef SEAMS
  float hem = min(1., .007 / max(1e-5, pixel)) * (1. - smoothstep(.006, .006 + max(.001, pixel), vSeam));
  w.opacity = mix(w.opacity, .75, hem);
#endif
  w.slope = near * (fract(uv / PITCH) - .5) * .3 + vec2(pleats(uv + vec2(d, 0.)) - here, pleats(uv + vec2(0., d)) - here) * (.011 / d);
  w.roughness = 1.;
  w.sheen = .2;
}`;

/** m from one seam of quilting to the next. */
export const BAFFLE = 0.072;

const QUILTED = /* glsl */ `
void weave(vec2 uv, vec3 bind, float pixel, vec3 base, inout Weave w) {
  const float BAFFLE = ${BAFFLE};
  float row = floor(uv.y / BAFFLE), t = fract(uv.y / BAFFLE);
  float puff = sqrt(max(4. * t * (1. - t), 0.)), seam = min(t, 1. - t) * BAFFLE;
  float gather = noise(vec2(uv.x / .011 + row * 17., row)) * .65 + noise(vec2(uv.x / .0047 + row * 5., row * 3.)) * .35;
  float gatherNext = noise(vec2((uv.x + .0008) / .011 + row * 17., row)) * .65 + noise(vec2((uv.x + .0008) / .0047 + row * 5., row * 3.)) * .35;
  float close = exp(-seam / .013);
  float lumps = (noise(uv * vec2(30., 42.)) - noise((uv + vec2(0., .002)) * vec2(30., 42.))) * 2.6;
  float stitch = smoothstep(.0016, .0006, seam) * visible(.004, pixel);
  float thread = stitch * step(.35, fract(uv.x / .0042));
  w.color = base * (.70 + .34 * puff) * (.96 + .08 * fbm(uv * 45.));
  w.color = mix(w.color, base * .3, stitch * .7) + thread * base * .5;
  w.slope = vec2((gatherNext - gather) * close * 1.7 * visible(.0094, pixel), (1. - 2. * t) * (.24 + .30 * close) + .6 * lumps);
  w.slope += visible(.0006, pixel) * .04 * vec2(cos(uv.x * 15000.), cos(uv.y * 15000.));
  w.roughness = .9;
  w.sheen = .16;
}`;

const GRAIN = /* glsl */ `
vec3 cells(vec2 p) { // distances to the two nearest points, and the cell's number (Worley, 1996)
  vec2 i = floor(p), f = fract(p); float a = 8., b = 8., id = 0.;
  for (int y = -1; y <= 1; y++) for (int x = -1; x <= 1; x++) {
    vec2 g = vec2(x, y), o = vec2(hash(i + g), hash(i + g + 31.7)), r = g + o - f; float d = dot(r, r);
    if (d < a) { b = a; a = d; id = o.x; } else if (d < b) b = d;
  }
  return vec3(sqrt(a), sqrt(b), id);
}
float pebble(vec2 uv) { vec3 c = cells(uv / .0033); return smoothstep(0., .42, c.y - c.x) * (.7 + .3 * c.z); }
// Lines across a limb, which wander and end, where the hide is bent: 0 in them to 1
float lines(vec2 uv) {
  float phase = uv.y / .011 + 1.2 * noise(uv * vec2(25., 40.)), broken = noise(uv * vec2(28., 60.) + 30.);
  return 1. - (1. - smoothstep(0., .22, abs(fract(phase) - .5))) * smoothstep(.5, .75, broken) * mix(.5, 1., folded());
}
void weave(vec2 uv, vec3 bind, float pixel, vec3 base, inout Weave w) {
  float near = visible(.0042, pixel), far = visible(.022, pixel), here = .6;
  vec2 slope = vec2(0.);
  if (near > 0.) {
    vec2 bent = uv + .0012 * vec2(noise(uv * 300.), noise(uv * 300. + 50.)), d = vec2(.0003, 0.);
    here = pebble(bent);
    slope = near * vec2(pebble(bent + d) - here, pebble(bent + d.yx) - here) * (.00022 / d.x);
  }
  float line = lines(uv), d = .0012;
  slope += far * vec2(lines(uv + vec2(d, 0.)) - line, lines(uv + vec2(0., d)) - line) * (.0004 / d);
  float worn = fbm(uv * 7.), pull = smoothstep(.45, .8, worn) + w.edge;
  w.color = base * mix(.92, .62 + .42 * here, near) * mix(.9, .70 + .22 * line, far) * (.70 + .5 * worn);
  w.color = mix(w.color, base * 2.1 + .012, .35 * clamp(pull, 0., 1.)); // the dye is rubbed off
#ifdef SEAMS
  float sewn = stitches(uv, .005, pixel), groove = visible(.006, pixel) * (1. - smoothstep(.0006, .0016, abs(vSeam - .005)));
  w.color = mix(w.color * (1. - .45 * groove), base * 1.5 + .03, .6 * sewn);
#endif
  w.slope = slope;
  w.roughness = 1.06 - .22 * here * near + .45 * (worn - .45) + .12 * far * (1. - line);
  w.sheen = .0;
}`;

const SMOOTH = /* glsl */ `
void weave(vec2 uv, vec3 bind, float pixel, vec3 base, inout Weave w) {
  w.color = base;
  w.roughness = .72;
  w.sheen = .0;
}`;

// Fine even yarns. Rough, unfinished cloth has a few soft creases along the warp, and more of them where it is folded.
const PLAIN = /* glsl */ `
float creased(vec2 uv) {
  vec2 p = uv * vec2(28., 3.5) + .6 * noise(uv * 7.);
  return smoothstep(.45, .95, noise(p)) + .5 * smoothstep(.45, .95, noise(1.9 * p + 7.));
}
void weave(vec2 uv, vec3 bind, float pixel, vec3 base, inout Weave w) {
  const float PITCH = .00095;
  vec2 p = uv / PITCH, t = fract(p) - .5; float over = mod(floor(p.x) + floor(p.y), 2.);
  float near = visible(PITCH, pixel), slub = noise(vec2(p.x * .9, uv.y / .02)) * .5 + noise(vec2(uv.x / .02, p.y * .9)) * .5;
  float pit = smoothstep(.30, .70, length(t) * 1.35);
  w.color = base * mix(.96, 1.06 - .42 * pit, near) * mix(1., .93 + .14 * slub, visible(.0021, pixel)) * (.97 + .05 * fbm(uv * 26.));
  w.slope = near * mix(vec2(-t.x * .5, -t.y * 1.5), vec2(-t.x * 1.5, -t.y * .5), over) * .8;
  if (roughness > .75) {
    float here = creased(uv), d = .0022;
    w.slope += vec2(creased(uv + vec2(d, 0.)) - here, creased(uv + vec2(0., d)) - here) * (.0012 / d) * mix(.45, 1., folded()) * visible(.04, pixel);
  }
  w.roughness = 1.;
  w.sheen = .22;
}`;

const SKIN = /* glsl */ `
void weave(vec2 uv, vec3 bind, float pixel, vec3 base, inout Weave w) {
  base = mix(base, vec3(dot(base, vec3(.3, .59, .11))) * vec3(1.06, 1., .95), .26);
  float mottled = fbm(bind * 26.), blush = fbm(bind * 7. + 4.), pore = noise(bind * 1500.);
  w.color = base * mix(vec3(1.03, .97, .95), vec3(.98, 1.01, 1.02), mottled) * mix(vec3(1.04, .95, .93), vec3(.99), blush);
  float fine = visible(.0012, pixel);
  w.color *= mix(1., .95 + .08 * pore, fine);
  w.height = .00010 * pore * fine + .0004 * mottled * visible(.02, pixel);
  w.roughness = .98 + .16 * mottled;
  w.sheen = .18;
}`;

// Hairs lean back and down: the further out a shell is, the further ahead is the root of what it shows.
const FUR = /* glsl */ `
vec3 rootOf(vec3 bind, float shell) { return bind + shell * vec3(0., .004, .016); }
float furLength(vec3 bind, float shell) {
  vec3 root = rootOf(bind, shell);
  float hair = noise(root * vec3(420., 420., 330.)), lock = noise(root * vec3(95., 80., 60.));
  return .25 + .95 * (hair * hair * .65 + hair * .35) * (.55 + .75 * lock);
}
void weave(vec2 uv, vec3 bind, float pixel, vec3 base, inout Weave w) {
  if (furLength(bind, vShell) < vShell) discard;
  vec3 root = rootOf(bind, vShell);
  float strand = mix(.5, noise(root * vec3(420., 420., 330.)), visible(.0048, pixel));
  float lock = noise(root * vec3(95., 80., 60.)), tuft = fbm(root * vec3(30., 18., 14.)), patches = fbm(bind * 5.);
  w.color = base * (.55 + .45 * strand + .5 * lock) * (.55 + .9 * tuft) * mix(vec3(.62, .58, .56), vec3(1.28, 1.24, 1.16), patches);
  w.color *= mix(.42, 1.35, vShell); // little light comes down to the roots
  w.height = .004 * lock * visible(.012, pixel) + .006 * tuft * visible(.03, pixel);
  w.roughness = 1.;
  w.sheen = .25;
}`;

// Along u across the strands, and along v from their tips. Each strand ends at its own distance from the hairline, so that
// skin shows between the tips; outer shells have only locks that stand out, which are combed less strictly.
const HAIR = /* glsl */ `
float combed(vec2 uv) {
  return uv.x + .0045 * noise(vec2(uv.x / .016, uv.y / .022)) + .0014 * noise(vec2(uv.x / .005, uv.y / .012) + 4.);
}
float locks(vec2 uv) {
  float u = combed(uv);
  return .0012 * noise(vec2(u / .0085, uv.y / .060)) + .0006 * noise(vec2(u / .0030, uv.y / .045) + 7.)
    + .00018 * noise(vec2(u / .0010, uv.y / .035) + 3.);
}
void weave(vec2 uv, vec3 bind, float pixel, vec3 base, inout Weave w) {
  float fine = visible(.0026, pixel), near = visible(.0060, pixel), far = visible(.0170, pixel);
  float u = combed(uv) + vShell * .010 * (noise(vec2(uv.x / .02, uv.y / .05) + 11.) - .5);
  float single = noise(vec2(u / .00045, uv.y / .05)), strand = noise(vec2(u / .0013, uv.y / .04) + 3.);
  float tuft = noise(vec2(u / .0030, uv.y / .045) + 7.), lock = noise(vec2(u / .0085, uv.y / .060));
  float thin = mix(strand, single, .5), ends = .14 * lock + .18 * mix(.5, tuft, near) + .68 * mix(.5, thin, fine);
  float height = .40 * lock + .35 * mix(.5, tuft, near) + .25 * mix(.5, thin, fine);
  float tip = .010 * smoothstep(.25, .75, ends) + .004 * vShell - .002, stands = smoothstep(.28, .72, height) - .85 * vShell;
  w.opacity = clamp((uv.y - tip) / max(.010, pixel), 0., 1.) * (vShell > 0. ? clamp(stands / .15, 0., 1.) : 1.);
  if (w.opacity < .05) discard;
  float light = smoothstep(.2, .8, .30 * mix(.5, lock, far) + .32 * mix(.5, tuft, near) + .38 * mix(.5, strand, fine));
  float contrast = 2.3 / (1. + 3. * dot(base, vec3(.3, .59, .11))); // light hair shines by itself
  base = mix(base, vec3(dot(base, vec3(.3, .59, .11))), .18 + .2 * light);
  w.color = base * (.40 + contrast * light) * mix(1., .75 + .5 * single, visible(.0009, pixel)) * mix(.85, 1.3, vShell) + .006 * light;
  float d = .0003, here = locks(uv);
  w.slope = vec2(locks(uv + vec2(d, 0.)) - here, locks(uv + vec2(0., d)) - here) / d * mix(.25, 1., near);
  w.roughness = 1.3;
  w.sheen = .15;
}`;

const WEAVES: Record<string, string> = {
  plain: PLAIN, herringbone: HERRINGBONE, twill: TWILL, satin: SATIN, gauze: GAUZE,
  quilted: QUILTED, grain: GRAIN, smooth: SMOOTH, skin: SKIN, fur: FUR, hair: HAIR,
};

/** The pattern's name where it is known, else "plain". */
export function knownPattern(pattern: string): string {
  return pattern in WEAVES ? pattern : "plain";
}

/** GLSL with `void weave(uv, bind, pixel, base, inout Weave)` for a known pattern. */
export function weaveSource(pattern: string): string {
  return NOISE + COMMON + WEAVES[knownPattern(pattern)];
}
