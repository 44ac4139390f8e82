// A real tweed server in a process of its own, and the page in a headless Chromium that renders in software.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../../../..");
const BINARY = process.env.TWEED_BINARY ?? join(ROOT, "build/release/bin/tweed");
const CHROMIUM = process.env.TWEED_CHROMIUM ?? "/usr/bin/chromium";
export const PICTURES = process.env.TWEED_PICTURES ?? join(ROOT, "build/page");
const PATIENCE_MS = 60000;

const SCENE = `
local tweed = require "tweed"
return tweed.scene {
  ground = 0,
  spawn = { { script = "characters/wake", name = "alan", params = { clip = "stand" } } },
  camera = { target = "alan", distance = 3 },
}`;

export class Server {
  folder = mkdtempSync(join(tmpdir(), "tweed-page-"));
  #process = null;
  ports = null;

  #options;

  constructor(...options) {
    this.write("scenes/page.lua", SCENE);
    this.#options = options;
  }

  /** Writes a script into a folder of its own, which is searched before tweed's. */
  write(name, text) {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  async start() {
    const words = [join(this.folder, "scenes/page.lua"), "--scripts", this.folder, "--log-time", "none", ...this.#options];
    ({ process: this.#process, ports: this.ports } = await serve(words, this.folder, this.ports ?? {}));
  }

  get url() {
    return `http://127.0.0.1:${this.ports.http}/`;
  }

  signal(name) {
    this.#process.kill(name);
  }

  async stop() {
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill("SIGTERM");
    await ended;
  }

  /** Runs another command of the program; its output and status. */
  run(...words) {
    const { status, stdout, stderr } = spawnSync(BINARY, words, { encoding: "utf8", timeout: PATIENCE_MS });
    return { status, output: stdout + stderr };
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Starts a server, which writes its ports into the folder; throws its log where it ends instead. */
export async function serve(words, folder, { tcp = 0, http = 0 } = {}, command = "serve") {
  const portFile = join(folder, "ports.json");
  rmSync(portFile, { force: true });
  const process = spawn(BINARY, [command, ...words, "--listen", `127.0.0.1:${tcp}`, "--http", `127.0.0.1:${http}`,
    "--port-file", portFile], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "", hasEnded = false;
  process.stderr.on("data", (data) => (log += data));
  process.once("close", () => (hasEnded = true)).once("error", ({ message }) => (log += message));
  await until(() => hasEnded || existsSync(portFile), () => `the server did not start:\n${log}`);
  if (hasEnded) throw new Error(log.trim());
  return { process, ports: JSON.parse(readFileSync(portFile, "utf8")) };
}

/** A line to a port, which delays what it carries, both ways. While it is cut nothing comes through, and nothing ends. */
export class Line {
  isCut = false;
  #delayMs;
  #sockets = new Set();
  #listener = createServer((near) => this.#join(near));
  #target;

  constructor(target, delayMs = 0) {
    this.#target = target;
    this.#delayMs = delayMs;
  }

  async open() {
    await new Promise((done) => this.#listener.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${this.#listener.address().port}/`;
  }

  close() {
    this.#listener.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(near) {
    const far = connect(this.#target, "127.0.0.1");
    for (const [from, to] of [[near, far], [far, near]]) {
      const later = (act) => setTimeout(() => this.isCut || to.destroyed || act(), this.#delayMs);
      this.#sockets.add(from.setNoDelay());
      from.on("data", (data) => later(() => to.write(data))).on("end", () => later(() => to.end())).on("error", () => to.destroy());
    }
  }
}

export async function openBrowser() {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"],
  });
}

/**
 * Opens the page, and waits until it shows its characters. `mistakes` collects what the browser complains of. The page is
 * tiny at first: it draws all the time, in software.
 */
export async function openPage(browser, url, mistakes) {
  const page = await browser.newPage({ viewport: { width: 64, height: 64 } });
  page.on("pageerror", (error) => mistakes.push(String(error)));
  page.on("console", (message) => {
    // SwiftShader warns when pixels are read back; the rest is the page's own
    if (["error", "warning"].includes(message.type()) && !/ReadPixels|ERR_CONNECTION_REFUSED|WebSocket connection/.test(message.text()))
      mistakes.push(message.text());
  });
  await page.goto(url, { waitUntil: "commit" });
  await eventually(page, () => window.tweed?.isReady);
  return page;
}

/** A browser with the page of a server that is started with it. The page is drawn only by picture(). */
export async function startPage(server, mistakes) {
  const [browser] = await Promise.all([openBrowser(), server.start()]), page = await openPage(browser, server.url, mistakes);
  page.setDefaultTimeout(PATIENCE_MS);
  await page.evaluate(stopDrawing);
  await page.setViewportSize({ width: 1280, height: 800 });
  return { browser, page };
}

export async function endPage(browser, server) {
  await browser?.close();
  await server.stop();
  server.remove();
}

/** A request that the page sends. */
export const request = (page, method, params = {}) => page.evaluate(([m, p]) => window.tweed.server.request(m, p), [method, params]);

/** Draws the page, and keeps that in build/page. */
export async function picture(page, name) {
  mkdirSync(PICTURES, { recursive: true });
  await page.evaluate(drawOnce, 0.75);
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

/** Waits until a function in the page returns something true, and returns that. */
export async function eventually(page, check, argument) {
  let value;
  await until(async () => (value = await page.evaluate(check, argument)), () => `never came true: ${check}`);
  return value;
}

export async function until(check, complaint) {
  const end = Date.now() + PATIENCE_MS;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(complaint());
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Lets the page's loop run for so many seconds: what is going to happen by then happens, on a busy machine, too. */
export const elapse = (page, seconds) => page.evaluate((seconds) => new Promise((done) => {
  let left = 1000 * seconds;
  const end = window.tweed.drawn.on((ms) => {
    if ((left -= ms) > 0) return;
    end();
    done();
  });
}), seconds);

/** Waits until nothing slides in or out of the page any more, and the camera stands still as seen from what it looks at. */
export async function settled(page) {
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)));
  await page.evaluate(() => new Promise((done) => {
    const { drawn, stage: { camera, controls } } = window.tweed, arm = camera.position.clone(), last = arm.clone();
    let still = 0; // ms
    const end = drawn.on((ms) => {
      arm.copy(camera.position).sub(controls.target);
      still = arm.distanceTo(last) < 1e-3 ? still + ms : 0;
      last.copy(arm);
      if (still < 200) return;
      end();
      done();
    });
  }));
}

/** In the page: from now on it draws only when it is told to. Rendering in software takes nearly all the time. */
export function stopDrawing() {
  const { stage } = window.tweed;
  stage.render = () => void (stage.moveCamera(), stage.camera.updateMatrixWorld());
}

/** In the page: draws one picture, which stays, with so many pixels to a CSS pixel. */
export async function drawOnce(ratio) {
  const { stage } = window.tweed;
  stage.fixedPixelRatio = ratio;
  for (let i = 0; i < 2; i++) await new Promise((done) => requestAnimationFrame(done));
  stage.constructor.prototype.render.call(stage);
  await new Promise((done) => requestAnimationFrame(done));
}

/** The pixels of the canvas, drawn now; onlyHim: -1 are those that would be the same without the man. */
export function canvasPixels(page, { onlyHim = false } = {}) {
  return page.evaluate((onlyHim) => {
    const { stage, cast } = window.tweed, canvas = stage.renderer.domElement, copy = document.createElement("canvas");
    const { group } = cast.characters.get("alan");
    const draw = (shown) => {
      group.visible = shown;
      stage.constructor.prototype.render.call(stage);
      Object.assign(copy, { width: canvas.width, height: canvas.height });
      const context = copy.getContext("2d", { willReadFrequently: true });
      context.drawImage(canvas, 0, 0);
      return [...new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer)];
    };
    stage.fixedPixelRatio = 0.5;
    const without = onlyHim ? draw(false) : null, seen = draw(true);
    return without ? seen.map((pixel, i) => (pixel === without[i] ? -1 : pixel)) : seen;
  }, onlyHim);
}
