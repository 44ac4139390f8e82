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

/** What is shown, picture by picture on a screen of 144 Hz, in shares of what a steady motion goes on from one to the next. */
function steps(timeline, arrivals, speed, seconds) {
  const shown = [];
  timeline.speed = speed;
  for (let now = 1e6; now < 1e6 + 1000 * seconds; now += 1000 / 144) {
    while (arrivals.length > 0 && arrivals[0].arrival <= now) timeline.push(arrivals.shift());
    timeline.advance(now);
    if (now > 1e6 + 2500) shown.push(timeline.shown);
  }
  return shown.slice(1).map((time, i) => ((time - shown[i]) * 144) / speed);
}

for (const speed of [1, 0.5, 0.25, 0.1]) {
  test(`60 frames a second are steady on a screen of 144 Hz at ${speed} of their speed, through 20 ms of jitter`, () => {
    const next = random();
    const arrivals = Array.from({ length: 600 }, (_, tick) => frame(tick, 1e6 + (tick * 1000) / 60 / speed + 20 * next()));
    const found = steps(new Timeline(), arrivals, speed, 9.9);
    const uneven = found.filter((step) => Math.abs(step - 1) > 0.25).length; // the fastest frame of two seconds changes a little
    assert.ok(uneven < found.length / 100, `${uneven} of ${found.length}`);
    assert.ok(Math.min(...found) >= 0);
  });
}

test("a view of 10 frames a second is steady at a tenth of their speed", () => {
  const timeline = Object.assign(new Timeline(), { interval: 0.1 });
  const arrivals = Array.from({ length: 20 }, (_, i) => frame(6 * i, 1e6 + 1000 * i));
  const uneven = steps(timeline, arrivals, 0.1, 15).filter((step) => Math.abs(step - 1) > 0.01);
  assert.deepEqual(uneven, []);
});

test("a slow simulation is shown as slowly, and a restarted one from its beginning", () => {
  const timeline = new Timeline();
  timeline.speed = 0.25;
  for (let tick = 0; tick < 60; tick++) {
    timeline.push(frame(tick, 1000 + (tick * 4000) / 60));
    timeline.advance(1000 + (tick * 4000) / 60);
  }
  assert.ok(Math.abs(timeline.newest - timeline.shown - timeline.delay) < 1e-6, `${timeline.shown} of ${timeline.newest}`);
  assert.ok(timeline.newest - timeline.shown > timeline.interval, "the frame after the shown moment has come");
  timeline.speed = 1;
  timeline.push(frame(0, 9000));
  timeline.advance(9000 + 1000 * timeline.delay);
  assert.ok(Math.abs(timeline.shown) < 1e-6, `${timeline.shown}`);
});

test("half way between two poses is half the turn, on the shorter side", () => {
  const a = new Float32Array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1]);
  const s = Math.SQRT1_2, b = new Float32Array([2, 0, 0, 0, 0, -s, -s, 1, 1, 1]); // 90 degrees about z, with the other sign
  const out = new Float32Array(16);
  blendBones(a, b, 0.5, out);
  const expected = [s, s, 0, 0, -s, s, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1];
  expected.forEach((number, i) => assert.ok(Math.abs(out[i] - number) < 1e-6, `${out}`));
});
