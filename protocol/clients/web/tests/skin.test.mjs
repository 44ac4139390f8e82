// Skin does not come through clothes: people in motion are drawn from all sides, skin and cloth compared by their depths.
// TWEED_MOMENTS is the number of moments of each motion. A picture of the worst moment of each is kept in build/page.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openBrowser, openPage, PICTURES, Server } from "./harness.mjs";

const MOMENTS = Number(process.env.TWEED_MOMENTS ?? 10);
const TICKS = 18; // from one moment to the next
const SIDES = [[0, 180], [90, 270], [45, 225]]; // degrees from the front; two of them for each moment
const SIZE = { width: 360, height: 512 };
const MOST_SKIN = 1e-3, MOST_CLOTHES = 5e-4; // of the pixels of clothes
const MOTIONS = { // each: of so many moments one is looked at, 1 unless told
  jump: { script: "wake", clip: "jump" },
  walk: { script: "wake", clip: "walk" },
  dodge: { script: "wake", clip: "walk", command: "dodge", every: 8 }, // moments
  box: { script: "boxer", clip: "box" },
  dance: { script: "dancer", clip: "spin" },
  veil: { script: "old_lady", clip: "walk", each: 4 },
  cape: { script: "hero", clip: "run", each: 4 },
  down: { script: "barry", clip: "walk", each: 4 },
};
const SCENE = `
local tweed = require "tweed"
return tweed.scene {
  ground = 0,
  spawn = {${Object.entries(MOTIONS).map(([name, { script, clip }], i) => `
    { script = "characters/${script}", name = "${name}", params = { clip = "${clip}" }, position = { ${3 * i}, 0, 0 } },`).join("")}
  },
}`;

const server = new Server("--paused");
const names = Object.keys(MOTIONS), found = new Map();
let browser, page;

before(async () => {
  server.write("scenes/page.lua", SCENE);
  [browser] = await Promise.all([openBrowser(), server.start()]);
  page = await openPage(browser, `${server.url}?bare`, []);
  page.setDefaultTimeout(120000);
  await page.setViewportSize(SIZE);
  await page.evaluate(begin, { names, size: SIZE });
  for (let moment = 0; moment < MOMENTS; moment++) {
    const called = names.filter((name) => MOTIONS[name].command && moment % MOTIONS[name].every === 1);
    await page.evaluate(step, { ticks: TICKS, calls: called.map((name) => ({ character: name, command: MOTIONS[name].command })) });
    for (const name of names.filter((name) => moment % (MOTIONS[name].each ?? 1) === 0)) await look(name, moment);
  }
});

after(async () => {
  await browser?.close();
  await server.stop();
  server.remove();
});

/** Looks at a character from two sides, and keeps a picture of the worst. */
async function look(name, moment) {
  const sum = found.get(name) ?? { cloth: 0, skin: 0, clothes: 0, worst: { pixels: 0 } };
  found.set(name, sum);
  for (const degrees of SIDES[moment % SIDES.length]) {
    const { cloth, through, depth, bone } = await page.evaluate(lookFrom, { name, degrees });
    const count = (isWanted) => Object.entries(through).reduce((all, [meshes, pixels]) => all + (isWanted(meshes) ? pixels : 0), 0);
    const isSkin = (meshes) => meshes.startsWith("body > ");
    sum.cloth += cloth;
    sum.skin += count(isSkin);
    sum.clothes += count((meshes) => !isSkin(meshes));
    const pixels = count(() => true);
    if (pixels <= sum.worst.pixels) continue;
    sum.worst = { pixels, seconds: ((moment + 1) * TICKS) / 60, degrees, mm: Math.round(1000 * depth), bone, through };
    mkdirSync(PICTURES, { recursive: true });
    writeFileSync(join(PICTURES, `skin-${name}.png`), Buffer.from(await page.evaluate(photograph), "base64"));
  }
}

for (const name of names) {
  test(`skin does not come through clothes: ${name}`, (t) => {
    const { cloth, skin, clothes, worst } = found.get(name);
    const told = `${skin} pixels of skin and ${clothes} of clothes come through ${cloth} of clothes; the worst: ${JSON.stringify(worst)}`;
    t.diagnostic(told);
    assert.ok(cloth > (5000 * MOMENTS) / (MOTIONS[name].each ?? 1), `${cloth} pixels of clothes`);
    assert.ok(skin < MOST_SKIN * cloth && clothes < MOST_CLOTHES * cloth, told);
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
