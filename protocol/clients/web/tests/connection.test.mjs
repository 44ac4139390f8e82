// The page on a connection that is slow, dies without an end, or is refused.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { eventually, Line, openBrowser, openPage, Server, stopDrawing } from "./harness.mjs";

const server = new Server();
const mistakes = [];
let browser;

before(async () => ([browser] = await Promise.all([openBrowser(), server.start()])));
after(async () => {
  await browser?.close();
  await server.stop();
  server.remove();
});

const pass = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

/** Does something with the page at the other end of a line to the server. */
async function withLine(delayMs, act) {
  const line = new Line(server.ports.http, delayMs);
  try {
    const page = await openPage(browser, await line.open(), mistakes);
    await page.evaluate(stopDrawing);
    await act(page, line);
    await page.close();
  } finally {
    line.close();
  }
}

test("a long way to the server does not lower the rate of frames", () => withLine(250, async (page) => {
  await eventually(page, () => Number.parseFloat(/latency ([\d.]+)/.exec(document.querySelector(".status").textContent)?.[1]) > 480);
  await pass(6);
  assert.equal(await page.evaluate(() => window.tweed.view.rate), null);
}));

const isSilent = (page) => eventually(page, () => document.querySelector(".connection").dataset.state === "silent");

const countLosses = () => {
  window.losses = 0;
  window.tweed.server.lost.on(() => window.losses++);
};

/** Waits until the page is connected and frames come, from a time on that is newer than what it shows. */
async function goesOn(page) {
  await eventually(page, () => document.querySelector(".connection").dataset.state === "open");
  const newest = await page.evaluate(() => window.tweed.timeline.newest);
  await eventually(page, (then) => window.tweed.timeline.newest > Math.max(0, then) + 0.5, newest);
}

test("a network that is gone without a close is noticed within seconds and given up later, and the page goes on once it is back", () =>
  withLine(0, async (page, line) => {
    line.isCut = true;
    const began = Date.now();
    await isSilent(page);
    assert.ok(Date.now() - began < 15000, `${Date.now() - began} ms`);
    assert.match(await page.textContent(".connection"), /^no answer for \d+ s$/);
    assert.equal(await page.textContent(".stage .empty"), "The server does not answer. Waiting…");
    await eventually(page, () => document.querySelector(".connection").dataset.state === "lost");
    assert.match(await page.textContent(".stage .empty"), /^The server is gone/);
    line.isCut = false;
    await goesOn(page);
  }));

test("a server that is stopped for a while keeps its connection", () => withLine(0, async (page) => {
  await page.evaluate(countLosses);
  server.signal("SIGSTOP");
  try {
    const began = Date.now();
    await isSilent(page);
    assert.ok(Date.now() - began < 15000, `${Date.now() - began} ms`);
  } finally {
    server.signal("SIGCONT");
  }
  await goesOn(page);
  assert.equal(await page.evaluate(() => window.losses), 0);
  assert.ok(await page.evaluate(() => document.querySelector(".stage .empty").hidden));
}));

test("a paused server is not lost, though it sends nothing by itself", () => withLine(0, async (page) => {
  await page.evaluate(() => window.tweed.playback.toggle());
  await page.evaluate(countLosses);
  await page.evaluate(() => {
    window.tweed.server.request = () => new Promise(() => undefined); // nor is it asked for anything
  });
  await pass(10);
  assert.equal(await page.evaluate(() => window.losses), 0);
}));

test("a token that does not allow the role is answered with why, and another one is asked for", async () => {
  const guarded = new Server("--token-file", join(server.folder, "tokens"));
  writeFileSync(join(server.folder, "tokens"), "operator driving\nobserver watching\n", { mode: 0o600 });
  await guarded.start();
  const page = await browser.newPage();
  const enter = async (token) => {
    await page.fill("[aria-label=Token] input", token);
    await page.press("[aria-label=Token] input", "Enter");
  };
  try {
    await page.goto(`${guarded.url}?role=operator`);
    await enter("watching");
    await page.waitForSelector("dialog:has-text('The token is one for the role observer, not operator.')", { timeout: 4000 });
    await enter("nonsense");
    await page.waitForSelector("dialog:has-text('The token is wrong.')");
    await enter("driving");
    await eventually(page, () => document.querySelector(".connection").dataset.state === "open");
  } finally {
    await page.close();
    await guarded.stop();
    guarded.remove();
  }
});

test("the browser had nothing to complain of", () => assert.deepEqual(mistakes, []));
