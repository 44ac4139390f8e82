// Which frames count as missed, by themselves.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { build } from "esbuild";

const modules = `export * from "./motion/measures"; export * from "./net/rhythm";`, resolveDir = fileURLToPath(new URL("../src", import.meta.url));
const { outputFiles: [{ text }] } = await build({ stdin: { contents: modules, resolveDir, loader: "ts" }, bundle: true, write: false, format: "esm" });
const { FrameMeter, Rhythm } = await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`);

/** How many frames of 600 ticks count as missed, of which the server sends those with a rate and a step; without some of them. */
function missed(rate, step, lost = []) {
  const meter = new FrameMeter(), rhythm = new Rhythm(60, rate, step);
  for (let tick = 1; tick <= 600; tick++) {
    const isDue = rate === null || Math.floor((tick * rate) / 60) > Math.floor((Math.max(0, tick - step) * rate) / 60);
    if (isDue && tick % step === 0 && !lost.includes(tick)) meter.push({ character: "alan", tick, arrival: (1000 * tick) / 60 }, rhythm, 1);
  }
  return meter.take().missed;
}

test("frames that the view's rate leaves out are not missed", () => {
  for (let rate = 2; rate < 60; rate++) assert.equal(missed(rate, 1), 0, `${rate} frames a second`);
});

test("frames that an overloaded server leaves out of every view are not missed", () => {
  for (const step of [2, 4]) for (const rate of [null, 12, 20, 45, 59]) assert.equal(missed(rate, step), 0, `every ${step} ticks, ${rate} a second`);
});

test("frames that do not come are missed", () => {
  assert.equal(missed(null, 1, [60, 61, 62, 300]), 4);
  assert.equal(missed(45, 1, [60]), 1);
  assert.equal(missed(null, 4, [60, 64]), 2);
});

test("the longest time from frame to frame is that of the rate and the step together", () => {
  const ticks = (rate, step) => Math.round(60 * new Rhythm(60, rate, step).interval);
  assert.deepEqual([ticks(null, 1), ticks(45, 1), ticks(10, 1), ticks(null, 4), ticks(20, 2)], [1, 2, 6, 4, 4]);
});
