#!/usr/bin/env node
// Pictures and films of a scene, drawn by tweed's page in a headless browser.
//
// Starts the server paused and steps it, so that the same scene gives the same moments. `./dev picture --help` lists the
// options. The sheet is put together in the page, from its canvas; a film goes picture by picture to Debian's ffmpeg.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openBrowser, serve, stopDrawing } from "../../protocol/clients/web/tests/harness.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
const TOUR = { walk: 5, dodge: 8 }; // s; a character that knows these commands shows them, unless told otherwise
const SIDES = { front: 0, corner: 35, side: 90, back: 180 }; // degrees from the front, to the character's left
const WIDEST = 16384; // pixels across a sheet: a canvas of Chromium is no wider
const DRAW_MS = 120000;
const FINER = 2; // pixels drawn for one of a sheet, so that weaves and edges are smooth

const HELP = `./dev picture [SCENE] [OPTIONS]: draws SCENE (scripts/scenes/wake.lua) as the page in the browser shows it

  one character at several moments, a row for each side:
    --character NAME        default: the target of the scene's camera, or the first
    --times S,S,...         seconds (default: 0.7,1.4,2,6.5,8.3,8.7)
    --from SIDE,...         front, corner, side, back or degrees from the front (default: front,side)
    --close NAME,...        from near: only these garments and bones fill the picture
  --all                     all characters beside each other, at the last of the times
  --wide                    one picture of all characters and tornadoes where they stand, at the last of the times
  --video FILE.webm         a film of that, or of one character with --from, from 0 s to the last of the times

  --call SECONDS=COMMAND    call a command of the character; may be repeated. Default: walk at 5 s, dodge at 8 s, where it
                            knows them; --call 0= calls nothing
  --columns N               so many pictures beside each other, the others below them (default: all)
  --cell PIXELS             across each picture, 16 to 2048 (default: 270; 1280 with --wide or --video)
  --scripts DIR             the folder of scripts, as \`tweed serve\` takes it
  --dark                    the page's dark colors
  --output FILE             .png or .jpg; default: build/picture.png`;

class Mistake extends Error {} // the user's: told in one line

// --- options ---

function number(text, name, low, high, unit) {
  const value = Number(text);
  if (text.trim() === "" || !(value >= low && value <= high)) throw new Mistake(`${name}: expected ${low} to ${high} ${unit}, not ${text}`);
  return value;
}

function sides(text) {
  return text.split(",").map((name) => ({ name, degrees: SIDES[name] ?? number(name, "--from", -360, 360, `degrees or one of ${Object.keys(SIDES).join(", ")}`) }));
}

function file(text, name, ...endings) {
  if (!endings.includes(extname(text))) throw new Mistake(`${name}: expected the name of a file that ends in ${endings.join(" or ")}, not ${text}`);
  return resolve(text);
}

function readOptions(words) {
  const text = { type: "string" }, flag = { type: "boolean" };
  let parsed;
  try {
    parsed = parseArgs({ args: words, allowPositionals: true, options: {
      character: text, times: text, from: text, close: text, columns: text, all: flag, wide: flag, video: text, cell: text, scripts: text,
      dark: flag, output: text, help: { type: "boolean", short: "h" }, call: { type: "string", multiple: true } } });
  } catch (error) {
    throw new Mistake(error.message.split("\n")[0]);
  }
  const { values, positionals } = parsed;
  if (positionals.length > 1) throw new Mistake(`expected one scene, not ${positionals.join(" and ")}`);
  const single = values.wide || values.video;
  return {
    ...values,
    scene: positionals[0] ?? join(ROOT, "scripts/scenes/wake.lua"),
    times: (values.times ?? "0.7,1.4,2,6.5,8.3,8.7").split(",").map((part) => number(part, "--times", 0, 3600, "s")).sort((a, b) => a - b),
    sides: sides(values.from ?? (single ? "corner" : "front,side")),
    close: values.close?.split(","),
    columns: values.columns === undefined ? Infinity : Math.round(number(values.columns, "--columns", 1, 1000, "pictures")),
    cell: number(values.cell ?? (single ? "1280" : "270"), "--cell", 16, 2048, "pixels"),
    calls: values.call?.map((call) => {
      const [seconds, command] = call.split(/=(.*)/s);
      return { seconds: number(seconds, "--call", 0, 3600, "s"), command: command ?? "" };
    }).filter(({ command }) => command),
    output: values.video !== undefined ? file(values.video, "--video", ".webm") : file(values.output ?? join(ROOT, "build/picture.png"), "--output", ".png", ".jpg"),
  };
}

// --- server and page ---

async function startServer({ scene, scripts }, folder) {
  try {
    return await serve([scene, ...(scripts ? ["--scripts", scripts] : []), "--paused", "--log-time", "none"], folder);
  } catch (error) {
    throw new Mistake(error.message.replace(/^error: /, ""));
  }
}

async function openPage(port, width, height) {
  const browser = await openBrowser();
  const page = await browser.newPage({ viewport: { width, height } });
  page.setDefaultTimeout(DRAW_MS);
  await page.goto(`http://127.0.0.1:${port}/?bare`);
  await page.waitForFunction(() => window.tweed?.server.session);
  await page.evaluate(stopDrawing);
  await page.evaluate(`window.grow = ${grow}; window.growByMeshes = ${growByMeshes}`);
  return { browser, page };
}

// --- inside the page: each function is sent there, and sees only its argument and window ---

/** Names, commands and rate of the scene; the page is ready to draw, with all meshes. */
async function prepare({ dark, wanted, isOne, ratio }) {
  const { tweed } = window, ask = (method, params = {}) => tweed.server.request(method, params);
  const { tick_rate: rate, scene } = await ask("server.describe");
  const all = (await ask("character.list")).map(({ name }) => name);
  if (all.length === 0) return { fault: "the scene has no characters" };
  if (wanted !== undefined && !all.includes(wanted)) await ask("character.describe", { character: wanted }); // throws
  const target = wanted ?? (all.includes(scene.camera?.target) ? scene.camera.target : all[0]);
  const names = isOne ? [target] : all;
  const characters = () => names.map((name) => tweed.cast.characters.get(name));
  while (!characters().every((character) => character?.sample && character.isComplete)) await new Promise((drawn) => requestAnimationFrame(drawn));
  const described = characters().map(({ description }) => description);
  tweed.camera.follows = false;
  tweed.setTheme(dark ? "dark" : "light");
  for (const name of Object.keys(tweed.switches)) tweed.setSwitch(name, name === "meshes" || name === "wind");
  tweed.stage.fixedPixelRatio = ratio;
  tweed.stage.constructor.prototype.render.call(tweed.stage); // with these pixels, which the size of dust goes by
  const known = described.map(({ commands }) => commands.map(({ name }) => name));
  return { rate, names, scene: scene.name, commands: known[0].filter((name) => known.every((others) => others.includes(name))),
    worn: described[0].garments.map(({ name, fabric }) => `${name} of ${fabric}`).join(", ") };
}

/** Steps, and shows exactly the last of these ticks. */
async function step({ ticks, names }) {
  const { tweed } = window, drawn = () => new Promise((done) => requestAnimationFrame(done));
  if (ticks > 0) {
    const { tick } = await tweed.server.request("simulation.step", { ticks });
    while (!names.every((name) => tweed.cast.characters.has(name)) || tweed.timeline.newest < tick / tweed.view.tickRate - 1e-6) await drawn();
  }
  tweed.timeline.scrubbed = tweed.timeline.newest;
  for (let i = 0; i < 2; i++) await drawn(); // the weather of a moment is drawn after it
}

async function call({ command, names }) {
  for (const character of names) await window.tweed.server.request("character.call", { character, command });
}

/** Widens a box by a garment's particles, or a bone with the skin that it moves; false where there is neither. */
function grow({ box, character, name }) {
  const { description, surfaces, bones } = character, Vector = box.min.constructor, at = new Vector();
  const points = character.particles(name);
  for (let i = 0; points && i < points.length; i += 3) box.expandByPoint(at.fromArray(points, i));
  const bone = description.bones.findIndex((other) => other.name === name);
  if (bone >= 0) box.expandByPoint(bones.position(bone, at));
  for (const { geometry, matrix } of surfaces.filter(({ isSkinnedMesh }) => isSkinnedMesh && bone >= 0)) {
    const { position, skinIndex, skinWeight } = geometry.attributes, moved = matrix.clone().fromArray(bones.skeleton.boneMatrices, 16 * bone);
    for (let k = 0; k < 4 * skinIndex.count; k++) {
      if (skinIndex.array[k] === bone && skinWeight.array[k] > 0.5) box.expandByPoint(at.fromBufferAttribute(position, k >> 2).applyMatrix4(moved));
    }
  }
  return points !== null || bone >= 0;
}

/** Widens a box by what is drawn of a character: bones end before snouts, hair and hems do. */
function growByMeshes({ box, character }) {
  const matrices = character.bones.skeleton.boneMatrices, Vector = box.min.constructor, at = new Vector();
  for (const { geometry, isSkinnedMesh } of character.surfaces) {
    const { position, skinIndex, skinWeight } = geometry.attributes;
    for (let i = 0; i < position.count; i++) {
      const x = position.getX(i), y = position.getY(i), z = position.getZ(i);
      if (isSkinnedMesh) at.set(0, 0, 0);
      else at.set(x, y, z);
      for (let k = 4 * i; isSkinnedMesh && k < 4 * i + 4; k++) {
        const m = 16 * skinIndex.array[k], weight = skinWeight.array[k];
        at.x += weight * (matrices[m] * x + matrices[m + 4] * y + matrices[m + 8] * z + matrices[m + 12]);
        at.y += weight * (matrices[m + 1] * x + matrices[m + 5] * y + matrices[m + 9] * z + matrices[m + 13]);
        at.z += weight * (matrices[m + 2] * x + matrices[m + 6] * y + matrices[m + 10] * z + matrices[m + 14]);
      }
      box.expandByPoint(at);
    }
  }
}

/** Turns the camera to characters, alone where `alone`, and draws into the sheet at a place. */
function draw({ names, alone, degrees, close, place: [left, top, width, height] }) {
  const { tweed } = window, { stage, cast } = tweed, { camera, controls } = stage;
  for (const [name, { group }] of cast.characters) group.visible = !alone || names.includes(name);
  cast.update(tweed.timeline, tweed.switches);
  const Vector = controls.target.constructor, center = new Vector(), size = new Vector();
  const box = cast.bounds(names);
  for (const name of close ? [] : names) window.growByMeshes({ box, character: cast.characters.get(name) });
  let toward = (degrees * Math.PI) / 180;
  if (alone) { // the front is the pelvis's: its z axis, turned as from the bind pose
    const matrix = cast.characters.get(names[0]).bones.skeleton.boneMatrices;
    toward += Math.atan2(matrix[8], matrix[10]);
  }
  const floor = stage.ground.mesh.visible ? stage.ground.mesh.position.y : box.min.y;
  if (close) {
    box.makeEmpty();
    for (const name of close) if (!window.grow({ box, character: cast.characters.get(names[0]), name })) return `no garment or bone "${name}"`;
    box.expandByScalar(0.03);
  } else if (alone) {
    box.min.y = Math.min(box.min.y, floor);
    box.max.y = Math.max(box.max.y, box.min.y + 1.75);
  }
  box.getCenter(center);
  for (const { foot, top } of close ? [] : tweed.tornadoes.axes)
    if (!alone || Math.hypot(foot.x - center.x, foot.z - center.z) < 3) box.expandByPoint(foot).expandByPoint(top); // m
  box.getCenter(center);
  box.getSize(size);
  const across = Math.abs(size.x * Math.cos(toward)) + Math.abs(size.z * Math.sin(toward)), diagonal = Math.hypot(size.x, size.z);
  const wide = alone ? Math.max(0.85 * diagonal, Math.min(across, diagonal)) : across + 0.2; // alike from most sides
  const half = Math.tan((camera.fov * Math.PI) / 360);
  const distance = Math.max(size.y, wide * (height / width)) / 2 / half * 1.06 + Math.min(size.x, size.z) / 2;
  const raised = alone ? 0.12 : 0.2;
  controls.target.copy(center);
  camera.position.set(center.x + distance * Math.sin(toward) * Math.cos(raised), center.y + distance * Math.sin(raised), center.z + distance * Math.cos(toward) * Math.cos(raised));
  for (let i = 0; i < 2; i++) stage.constructor.prototype.render.call(stage); // the first one turns the lights
  window.sheet.drawImage(stage.renderer.domElement, left, top, width, height);
  return null;
}

/** A canvas for the sheet, with its words. */
function layOut({ width, height, words, dark }) {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  window.sheet = canvas.getContext("2d", { willReadFrequently: true });
  window.sheet.imageSmoothingQuality = "high";
  window.sheet.fillStyle = dark ? "#1a1c1f" : "#f6f3ed";
  window.sheet.fillRect(0, 0, width, height);
  window.sheet.fillStyle = dark ? "#ebe7df" : "#2a2621";
  window.sheet.textAlign = "center";
  for (const { text, x, y, size, most, upward } of words) {
    window.sheet.save();
    window.sheet.translate(x, y);
    if (upward) window.sheet.rotate(-Math.PI / 2);
    window.sheet.font = `${size}px system-ui, "DejaVu Sans", sans-serif`;
    window.sheet.fillText(text, 0, 0, most);
    window.sheet.restore();
  }
}

const encoded = (type) => window.sheet.canvas.toDataURL(type, 0.9).split(",")[1];

// --- what is drawn when ---

/** Steps to a moment; on the way, calls what is due. */
async function advance(page, scene, seconds) {
  const end = Math.round(seconds * scene.rate);
  for (; scene.calls.length > 0 && Math.round(scene.calls[0].seconds * scene.rate) < end; scene.calls.shift()) {
    const [{ seconds: at, command }] = scene.calls, tick = Math.round(at * scene.rate);
    await page.evaluate(step, { ticks: tick - scene.tick, names: scene.names });
    await page.evaluate(call, { command, names: scene.names });
    scene.tick = tick;
  }
  await page.evaluate(step, { ticks: end - scene.tick, names: scene.names });
  scene.tick = end;
}

async function drawOrFail(page, argument) {
  const fault = await page.evaluate(draw, argument);
  if (fault) throw new Mistake(fault);
}

const MARGIN = 26; // pixels: of the title, the captions and the names of the sides

async function save(page, output) {
  const type = extname(output) === ".jpg" ? "image/jpeg" : "image/png";
  writeFileSync(output, Buffer.from(await page.evaluate(encoded, type), "base64"));
}

/** A column for each moment of one character, or for each of all characters, in bands of so many columns; a row for each side. */
async function drawSheet(page, scene, options) {
  const { cell, height, sides: rows, times, dark, all } = options;
  const doings = [...scene.calls];
  const caption = (seconds) => [`${seconds.toFixed(1)} s`, doings.filter((doing) => doing.seconds < seconds).at(-1)?.command].filter(Boolean).join(", ");
  const pictures = all ? scene.names.map((name) => ({ name, text: name })) : times.map((seconds) => ({ name: scene.names[0], seconds, text: caption(seconds) }));
  const title = all ? `${scene.scene}, ${caption(times.at(-1))}` : `${scene.scene}: ${scene.names[0]} in ${scene.worn || "nothing"}`;
  const columns = Math.min(options.columns, pictures.length), bands = Math.ceil(pictures.length / columns);
  const width = MARGIN + columns * cell, band = MARGIN + rows.length * height;
  if (width > WIDEST) throw new Mistake(`${columns} pictures beside each other take --cell ${Math.floor((WIDEST - MARGIN) / columns)} or less`);
  const left = (i) => MARGIN + (i % columns) * cell, top = (i) => MARGIN + Math.floor(i / columns) * band;
  const small = Math.min(12, cell / 9);
  await page.evaluate(layOut, { width, height: MARGIN + bands * band, dark, words: [
    { text: title, x: width / 2, y: 18, size: Math.min(15, width / 30), most: width },
    ...pictures.map(({ text }, i) => ({ text, x: left(i) + cell / 2, y: top(i) + 16, size: small, most: cell })),
    ...Array.from({ length: bands }, (_, k) => rows.map(({ name }, j) =>
      ({ text: name, x: 17, y: top(k * columns) + MARGIN + (j + 0.5) * height, size: small, most: height, upward: true }))).flat(),
  ] });
  if (all) await advance(page, scene, times.at(-1));
  for (const [i, { name, seconds }] of pictures.entries()) {
    if (!all) await advance(page, scene, seconds);
    for (const [j, { degrees }] of rows.entries())
      await drawOrFail(page, { names: [name], alone: true, degrees, close: options.close, place: [left(i), top(i) + MARGIN + j * height, cell, height] });
  }
  await save(page, options.output);
}

async function drawWide(page, scene, options) {
  const { cell: width, height } = options;
  await page.evaluate(layOut, { width, height, words: [], dark: options.dark });
  await advance(page, scene, options.times.at(-1));
  await drawOrFail(page, { names: scene.names, alone: false, degrees: options.sides[0].degrees, place: [0, 0, width, height] });
  await save(page, options.output);
}

const FILM_RATE = 30; // pictures a second

async function film(page, scene, options) {
  const { cell: width, height } = options;
  await page.evaluate(layOut, { width, height, words: [], dark: options.dark });
  const ffmpeg = spawn("ffmpeg", ["-y", "-loglevel", "error", "-f", "image2pipe", "-framerate", String(FILM_RATE), "-c:v", "mjpeg", "-i", "-",
    "-c:v", "libvpx-vp9", "-crf", "32", "-b:v", "0", "-pix_fmt", "yuv420p", options.output], { stdio: ["pipe", "ignore", "pipe"] });
  let log = "";
  ffmpeg.stderr.on("data", (data) => (log += data));
  ffmpeg.stdin.on("error", () => {}); // ffmpeg says why it ended
  const ended = new Promise((done) => ffmpeg.on("error", (error) => done(error.message)).on("exit", (status) => done(status === 0 ? null : log.trim())));
  for (let i = 0; i <= options.times.at(-1) * FILM_RATE; i++) {
    await advance(page, scene, i / FILM_RATE);
    await drawOrFail(page, { names: scene.names, alone: !options.wide, degrees: options.sides[0].degrees, close: options.close, place: [0, 0, width, height] });
    const picture = Buffer.from(await page.evaluate(encoded, "image/jpeg"), "base64");
    if (!ffmpeg.stdin.write(picture)) await Promise.race([ended, new Promise((drained) => ffmpeg.stdin.once("drain", drained))]);
  }
  ffmpeg.stdin.end();
  const fault = await ended;
  if (fault) throw new Mistake(fault);
}

async function main(words) {
  const options = readOptions(words);
  if (options.help) return console.log(HELP);
  options.height = Math.round(options.cell * (options.close ? 1 : options.wide ? 0.5625 : 1.3) / 2) * 2;
  mkdirSync(dirname(options.output), { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), "tweed-picture-"));
  let server, browser;
  try {
    const started = await startServer(options, folder);
    server = started.process;
    const opened = await openPage(started.ports.http, options.cell, options.height);
    browser = opened.browser;
    const scene = await opened.page.evaluate(prepare, { dark: options.dark, wanted: options.character, isOne: !options.all && !options.wide, ratio: options.video === undefined ? FINER : 1 });
    if (scene.fault) throw new Mistake(`${options.scene}: ${scene.fault}`);
    const tour = Object.entries(TOUR).map(([command, seconds]) => ({ command, seconds }));
    const calls = options.calls ?? (tour.every(({ command }) => scene.commands.includes(command)) ? tour : []);
    Object.assign(scene, { tick: 0, calls: calls.sort((a, b) => a.seconds - b.seconds) });
    await (options.video !== undefined ? film : options.wide ? drawWide : drawSheet)(opened.page, scene, options);
    console.log(options.output);
  } finally {
    await browser?.close();
    server?.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const thrown = /^page\.evaluate: \w*Error: (?:[a-z]+\.[a-z]+: )?(.*)$/m.exec(error.message)?.[1]; // by the server, through the page
  console.error(`error: ${thrown ?? (error instanceof Mistake || error.code ? error.message : error.stack)}`);
  process.exitCode = 1;
}
