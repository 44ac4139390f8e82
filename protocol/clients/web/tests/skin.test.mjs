// Skin does not come through clothes: people in motion are drawn from all sides, skin and cloth compared by their depths.
// TWEED_MOMENTS is the number of moments of each motion. A picture of the worst moment of each is kept in build/page.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openBrowser, openPage, PICTURES, ROOT, Server } from "./harness.mjs";

const MOMENTS = Number(process.env.TWEED_MOMENTS ?? 10);
const TICKS = 18; // from one moment to the next
const SIDES = [[0, 180], [90, 270], [45, 225]]; // degrees from the front; two of them for each moment
const SIZE = { width: 360, height: 512 };
const BACK = [[180, 135], [225, 180]];
const MOST_SKIN = 2e-4, MOST_CLOTHES = 5e-4, MOST_IN_WIND = 2e-4; // of the pixels of clothes
const MOST_AT_ONCE = 80; // pixels of one look
const WINDY = ["alan", "gale, walk", "gale, jump"]; // the coat is pressed on trousers
const MOTIONS = { // each: of so many moments one is looked at, 1 unless told
  jump: { script: "wake", clip: "jump" },
  walk: { script: "wake", clip: "walk" },
  dodge: { script: "wake", clip: "walk", command: "dodge", every: 8 }, // moments
  box: { script: "boxer", clip: "box" },
  dance: { script: "dancer", clip: "spin" },
  leap: { script: "dancer", clip: "leap", each: 2 },
  buttoned: { script: "wake", clip: "stand", command: "button", every: Infinity, each: 3 },
  veil: { script: "old_lady", clip: "walk", each: 4 },
  cape: { script: "hero", clip: "run", each: 4 },
  down: { script: "barry", clip: "walk", each: 4 },
};
const SCENES = [ // the last one's page stays open
  { motions: { alan: {} }, moments: 9, skipped: 174, ticks: 6, sides: BACK, // 3 to 3.8 s, when the tornado is near
    scene: readFileSync(join(ROOT, "scripts/scenes/tornado.lua"), "utf8") },
  { motions: { "gale, walk": { script: "wake", clip: "walk" }, "gale, jump": { script: "wake", clip: "jump" } }, sides: BACK,
    wind: "{ 0, 0, 12 }" }, // from behind
  { motions: MOTIONS },
];

const names = SCENES.flatMap(({ motions }) => Object.keys(motions)), found = new Map();
let server, browser, page;

before(async () => {
  browser = await openBrowser();
  for (const scene of SCENES) await open(scene);
});

after(async () => {
  await browser?.close();
  await server?.stop();
  server?.remove();
});

const sceneOf = ({ motions, wind }) => `
local tweed = require "tweed"
return tweed.scene {
  ground = 0,${wind ? `
  wind = tweed.wind { velocity = ${wind} },` : ""}
  spawn = {${Object.entries(motions).map(([name, { script, clip }], i) => `
    { script = "characters/${script}", name = "${name}", params = { clip = "${clip}" }, position = { ${3 * i}, 0, 0 } },`).join("")}
  },
}`;

/** Serves a scene, and looks at its characters at its moments. */
async function open({ motions, wind, scene = sceneOf({ motions, wind }), moments = MOMENTS, skipped = 0, ticks = TICKS, sides = SIDES }) {
  const all = Object.keys(motions);
  await page?.close();
  await server?.stop();
  server?.remove();
  server = new Server("--paused");
  server.write("scenes/page.lua", scene);
  await server.start();
  page = await openPage(browser, `${server.url}?bare`, []);
  page.setDefaultTimeout(120000);
  await page.setViewportSize(SIZE);
  await page.evaluate(begin, { names: all, size: SIZE });
  if (skipped > 0) await page.evaluate(step, { ticks: skipped, calls: [] });
  for (let moment = 0; moment < moments; moment++) {
    const called = all.filter((name) => motions[name].command && moment % motions[name].every === 1);
    await page.evaluate(step, { ticks, calls: called.map((name) => ({ character: name, command: motions[name].command })) });
    const seconds = (skipped + (moment + 1) * ticks) / 60;
    for (const name of all.filter((name) => moment % (motions[name].each ?? 1) === 0)) await look(name, seconds, sides[moment % sides.length]);
  }
}

/** Looks at a character from two sides, and keeps a picture of the worst. */
async function look(name, seconds, sides) {
  const sum = found.get(name) ?? { looks: 0, cloth: 0, skin: 0, clothes: 0, worst: { pixels: 0 } };
  found.set(name, sum);
  sum.looks++;
  for (const degrees of sides) {
    const { cloth, through, depth, bone } = await page.evaluate(lookFrom, { name, degrees });
    const count = (isWanted) => Object.entries(through).reduce((all, [meshes, pixels]) => all + (isWanted(meshes) ? pixels : 0), 0);
    const isSkin = (meshes) => meshes.startsWith("body > ");
    delete through["body > slippers"]; // one looks into them
    sum.cloth += cloth;
    sum.skin += count(isSkin);
    sum.clothes += count((meshes) => !isSkin(meshes));
    const pixels = count(() => true);
    if (pixels <= sum.worst.pixels) continue;
    sum.worst = { pixels, seconds, degrees, mm: Math.round(1000 * depth), bone, through };
    mkdirSync(PICTURES, { recursive: true });
    writeFileSync(join(PICTURES, `skin-${name.replace(", ", "-")}.png`), Buffer.from(await page.evaluate(photograph), "base64"));
  }
}

for (const name of names) {
  test(`skin does not come through clothes: ${name}`, (t) => {
    const { looks, cloth, skin, clothes, worst } = found.get(name);
    const told = `${skin} pixels of skin and ${clothes} of clothes come through ${cloth} of clothes; the worst: ${JSON.stringify(worst)}`;
    t.diagnostic(told);
    assert.ok(cloth > 5000 * looks, `${cloth} pixels of clothes`);
    assert.ok(worst.pixels <= MOST_AT_ONCE, told);
    assert.ok(skin < MOST_SKIN * cloth && clothes < (WINDY.includes(name) ? MOST_IN_WIND : MOST_CLOTHES) * cloth, told);
  });
}

test("skin that comes through clothes is seen", async () => {
  await page.evaluate(() => { // body and shirt stand out by three centimetres
    for (const { name, geometry: { attributes: { position, normal } } } of window.tweed.cast.characters.get("walk").surfaces) {
      if (name !== "body" && name !== "shirt") continue;
      position.array.forEach((_, i) => (position.array[i] += 0.03 * normal.array[i]));
      position.needsUpdate = true;
    }
  });
  const { cloth, through } = await page.evaluate(lookFrom, { name: "walk", degrees: 0 });
  const pixels = Object.values(through).reduce((a, b) => a + b, 0);
  assert.ok(pixels > 0.02 * cloth, `${pixels} of ${cloth} pixels: ${JSON.stringify(through)}`);
});

// --- inside the page ---

async function begin({ names, size }) {
  const { tweed } = window, { stage, cast } = tweed;
  stage.draw = stage.render;
  stage.render = () => {};
  stage.fixedPixelRatio = 1;
  tweed.camera.follows = stage.controls.enableDamping = false;
  for (const name of Object.keys(tweed.switches)) tweed.setSwitch(name, name === "meshes");
  const isThere = (name) => cast.characters.get(name)?.isComplete && cast.characters.get(name).sample;
  while (!names.every(isThere)) await new Promise((drawn) => requestAnimationFrame(drawn));
  window.probe = await tweed.skinProbe(size.width, size.height);
}

async function step({ ticks, calls }) {
  const { tweed } = window, drawn = () => new Promise((done) => requestAnimationFrame(done));
  for (const call of calls) await tweed.server.request("character.call", call);
  const { tick } = await tweed.server.request("simulation.step", { ticks });
  while (tweed.timeline.newest < tick / tweed.view.tickRate - 1e-6) await drawn();
  tweed.timeline.scrubbed = tweed.timeline.newest;
  for (let i = 0; i < 2; i++) await drawn();
}

function lookFrom({ name, degrees }) {
  const { probe, tweed: { stage: { camera, controls }, cast } } = window;
  for (const [other, { group }] of cast.characters) group.visible = other === name;
  const character = cast.characters.get(name), box = cast.bounds([name]);
  const size = box.getSize(controls.target.clone()), matrix = character.bones.skeleton.boneMatrices;
  const toward = (degrees * Math.PI) / 180 + Math.atan2(matrix[8], matrix[10]); // from the pelvis's front
  camera.aspect = probe.width / probe.height;
  camera.updateProjectionMatrix();
  box.getCenter(controls.target);
  const distance = Math.max(size.y, Math.max(size.x, size.z) / camera.aspect) / 2 / Math.tan((camera.fov * Math.PI) / 360) + 0.4;
  camera.position.copy(controls.target).add({ x: distance * Math.sin(toward), y: 0.15 * distance, z: distance * Math.cos(toward) });
  camera.lookAt(controls.target);
  camera.updateMatrixWorld();
  return probe.look(character);
}

/** What was looked at last, drawn as it is, and beside it what the probe found. */
function photograph() {
  const { probe: { picture, width, height }, tweed: { stage } } = window;
  stage.draw();
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: 2 * width, height });
  const context = canvas.getContext("2d");
  context.drawImage(stage.renderer.domElement, 0, 0);
  const image = context.createImageData(width, height);
  const colors = [[255, 255, 255], [230, 190, 160], [120, 130, 140], [255, 0, 0]]; // nothing, skin, cloth, skin through it
  picture.forEach((kind, i) => image.data.set([...colors[kind], 255], 4 * ((height - 1 - Math.floor(i / width)) * width + (i % width))));
  context.putImageData(image, width, 0);
  return canvas.toDataURL("image/png").split(",")[1];
}
