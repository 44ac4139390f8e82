// The timeline by itself: what is shown moves steadily, whatever the network does.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { transform } from "esbuild";

async function load(name) { // modules that import types alone
  const { code } = await transform(readFileSync(new URL(`../src/${name}`, import.meta.url), "utf8"), { loader: "ts", format: "esm" });
  return import(`data:text/javascript,${encodeURIComponent(code.replace(/import \{ BONE_NUMBERS \}.*/, "const BONE_NUMBERS = 10;"))}`);
}
const { Timeline } = await load("motion/timeline.ts");
const { blendBones } = await load("motion/blend.ts");

const frame = (tick, arrival) => ({ character: "alan", revision: 1, tick, time: tick / 60, arrival, bones: new Float32Array(10) });

/** Random numbers from 0 to 1 that are the same in each run. */
function random() {
  let state = 7;
  return () => ((state = (state * 48271) % 2147483647) / 2147483647);
}

test("60 frames a second are steady on a screen of 144 Hz, through 20 ms of jitter", () => {
  const timeline = new Timeline(), next = random();
  const arrivals = Array.from({ length: 600 }, (_, tick) => frame(tick, 1e6 + (tick * 1000) / 60 + 20 * next()));
  const shown = [];
  for (let now = 1e6; now < 1e6 + 9900; now += 1000 / 144) {
    while (arrivals.length > 0 && arrivals[0].arrival <= now) timeline.push(arrivals.shift());
    timeline.advance(now);
    if (now > 1e6 + 2500) shown.push(timeline.shown);
  }
  const steps = shown.slice(1).map((time, i) => (time - shown[i]) * 144);
  const uneven = steps.filter((step) => Math.abs(step - 1) > 0.25).length; // the fastest frame of two seconds changes a little
  assert.ok(uneven < steps.length / 100, `${uneven} of ${steps.length}`);
  assert.ok(Math.min(...steps) >= 0);
});

test("a slow simulation is shown as slowly, and a restarted one from its beginning", () => {
  const timeline = new Timeline();
  timeline.speed = 0.25;
  for (let tick = 0; tick < 60; tick++) {
    timeline.push(frame(tick, 1000 + (tick * 4000) / 60));
    timeline.advance(1000 + (tick * 4000) / 60);
  }
  assert.ok(Math.abs(timeline.newest - timeline.shown - 0.25 * timeline.delay) < 1e-6, `${timeline.shown} of ${timeline.newest}`);
  timeline.speed = 1;
  timeline.push(frame(0, 9000));
  timeline.advance(9000 + 1000 * timeline.delay);
  assert.equal(timeline.shown, 0);
});

test("half way between two poses is half the turn, on the shorter side", () => {
  const a = new Float32Array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1]);
  const s = Math.SQRT1_2, b = new Float32Array([2, 0, 0, 0, 0, -s, -s, 1, 1, 1]); // 90 degrees about z, with the other sign
  const out = new Float32Array(16);
  blendBones(a, b, 0.5, out);
  const expected = [s, s, 0, 0, -s, s, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1];
  expected.forEach((number, i) => assert.ok(Math.abs(out[i] - number) < 1e-6, `${out}`));
});
