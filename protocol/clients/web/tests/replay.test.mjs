// The page on a recording that `tweed replay` serves: as on a live server, but for what a recording does not have.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { eventually, openBrowser, openPage, serve, Server, stopDrawing } from "./harness.mjs";

const VIEW = { layout: "trs", mesh: true, particles: true, wrinkles: true };
const TICKS = 30;
const live = new Server();
const mistakes = [];
let browser, page, replay;

before(async () => {
  [browser] = await Promise.all([openBrowser(), live.start()]);
  const file = join(live.folder, "walk.ndjson");
  live.run("call", "character.play", '{"character":"alan","clip":"walk","loop":true}', "--connect", `127.0.0.1:${live.ports.tcp}`);
  const recorded = live.run("record", file, "--ticks", String(TICKS), "--view", JSON.stringify(VIEW), "--connect", `127.0.0.1:${live.ports.tcp}`);
  assert.equal(recorded.status, 0, recorded.output);
  await live.stop();
  replay = await serve([file, "--loop"], live.folder, {}, "replay");
  page = await openPage(browser, `http://127.0.0.1:${replay.ports.http}/`, mistakes);
  await page.evaluate(stopDrawing);
  await page.setViewportSize({ width: 1280, height: 800 });
});

after(async () => {
  await browser?.close();
  replay?.process.kill("SIGTERM");
  live.remove();
});

test("the man walks, round after round", async () => {
  const newest = () => page.evaluate(() => window.tweed.timeline.newest); // s
  const before = await newest();
  await eventually(page, (least) => window.tweed.timeline.newest > least, before + (2 * TICKS) / 60);
  assert.ok(await page.evaluate(() => window.tweed.cast.characters.get("alan").group.visible), "he is seen");
});

test("meshes come from the recording", async () => {
  const names = await page.evaluate(async () => {
    const { meshes, garments } = await window.tweed.server.request("character.describe", { character: "alan", mesh: true });
    return [...meshes, ...garments].map(({ name }) => name);
  });
  assert.ok(names.includes("jacket") && names.length > 2, String(names));
});

test("the page says that it is a recording, and offers nothing to tune", async () => {
  await page.waitForSelector("text=This is a recording: there are no fabrics to tune.");
  assert.equal(await page.locator(".tuning button:visible, .tuning select:visible").count(), 0);
  assert.ok(await page.locator("button:has-text('Spawn')").first().isDisabled());
});

test("the browser had nothing to complain of", () => assert.deepEqual(mistakes, []));
