// The page beside a cluster of two nodes: what it shows of them. Skipped where there is no nats-server.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { drawOnce, eventually, openBrowser, openPage, PICTURES, ROOT, Server, stopDrawing, until } from "./harness.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const NATS = ["/usr/sbin/nats-server", join(ROOT, "build/nats-server/usr/sbin/nats-server")].find(existsSync);
const skip = NATS ? false : "no nats-server here";
const folder = mkdtempSync(join(tmpdir(), "tweed-nats-"));
const mistakes = [], servers = [];
let broker, browser, page;

before(async () => {
  if (!NATS) return;
  broker = spawn(NATS, ["-js", "-sd", folder, "-a", "127.0.0.1", "-p", "-1", "--ports_file_dir", folder], { stdio: "ignore" });
  const ports = join(folder, `nats-server_${broker.pid}.ports`);
  await until(() => existsSync(ports) && readFileSync(ports, "utf8"), () => "the broker did not start");
  const url = JSON.parse(readFileSync(ports, "utf8")).nats[0];
  browser = await openBrowser();
  for (const node of ["east", "west"]) {
    servers.push(new Server("--cluster", url, "--node", node, "--no-shed"));
    await servers.at(-1).start();
  }
  page = await openPage(browser, servers[1].url, mistakes);
  page.setDefaultTimeout(60000);
  await page.evaluate(stopDrawing);
  await page.setViewportSize({ width: 1280, height: 900 });
});

after(async () => {
  await browser?.close();
  for (const server of servers) {
    await server.stop();
    server.remove();
  }
  broker?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const nodes = () => page.evaluate(() => [...document.querySelectorAll(".nodes li")].map(({ textContent }) => textContent));

test("both nodes are listed, with what they do", { skip }, async () => {
  await eventually(page, () => document.querySelectorAll(".nodes li").length === 2);
  await until(async () => /^east1 character, load \d+ %/.test((await nodes())[0]), () => "east has alan");
  assert.match((await nodes())[0], /^east1 character, load \d+ %, (on time|\d+ ticks? (behind|ahead)), \d+\.\d+\.\d+/);
  assert.match((await nodes())[1], /^west, this page's0 characters, load \d+ %, /);
});

test("who may drain a node finds a button, where the server can", { skip }, async () => {
  const drains = await page.evaluate(() => window.tweed.mirror.answers("cluster.drain"));
  assert.equal(await page.locator(".nodes button").count(), drains ? 2 : 0);
  const asked = await page.evaluate(async () => { // a server that can, whatever this one can
    const { mirror, server } = window.tweed, asked = [], { request } = server;
    window.tweed.ask = async (method, params) => void asked.push([method, params]);
    const had = mirror.description.methods;
    mirror.description.methods = [...had.filter((name) => name !== "cluster.drain"), "cluster.drain"];
    mirror.statsTaken.emit(await request.call(server, "server.stats"));
    document.querySelector(".nodes button").focus();
    window.asked = asked;
    return document.activeElement.title;
  });
  assert.equal(asked, "Moves the characters of east to other nodes");
  await page.keyboard.press("Enter");
  assert.deepEqual(await page.evaluate(() => window.asked), [["cluster.drain", { node: "east" }]]);
  await page.evaluate(() => new Promise((done) => { // the numbers change twice, the button does not
    let times = 0;
    const end = window.tweed.mirror.statsTaken.on(() => ++times === 2 && (end(), done()));
  }));
  assert.equal(await page.evaluate(() => document.activeElement.title), asked);
});

test("axe-core finds nothing serious, light and dark", { skip }, async () => {
  await page.evaluate(AXE);
  for (const theme of ["light", "dark"]) {
    await page.evaluate((name) => window.tweed.setTheme(name), theme);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    assert.deepEqual(serious.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), [], theme);
  }
  mkdirSync(PICTURES, { recursive: true });
  await page.evaluate(drawOnce, 0.5);
  await page.screenshot({ path: join(PICTURES, "cluster.png") });
});

test("a node that leaves is no longer listed", { skip }, async () => {
  await servers[0].stop();
  servers.shift().remove();
  await until(async () => (await nodes()).length === 1, () => "one is left");
  assert.match((await nodes())[0], /^west, this page's/);
  assert.deepEqual(mistakes, []);
});
