// The page against a real server, in a real browser. Pictures of what was tested are kept in build/page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { canvasPixels, elapse, endPage, eventually, openPage, picture, request, Server, settled, startPage, stopDrawing, until } from "./harness.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const server = new Server("--allow-save");
const mistakes = [];
let browser, page;

before(async () => ({ browser, page } = await startPage(server, mistakes)));
after(() => endPage(browser, server));

/** Pauses, or goes on. */
async function pause(paused) {
  if ((await page.evaluate(() => window.tweed.playback.isPaused)) !== paused) await page.evaluate(() => window.tweed.playback.toggle());
  await eventually(page, (wanted) => window.tweed.playback.isPaused === wanted, paused);
}
/** Where characters are on the canvas, in CSS pixels of the window; and the part of it that no drawer covers. */
const onScreen = (names) => page.evaluate((names) => {
  const { stage: { camera, controls }, cast } = window.tweed, { left, top, width, height } = document.querySelector("canvas").getBoundingClientRect();
  controls.update();
  camera.updateMatrixWorld();
  return Object.fromEntries(names.map((name) => {
    const { min, max } = cast.bounds([name]), xs = [], ys = [];
    for (let i = 0; i < 8; i++) {
      const corner = min.clone().set((i & 1 ? max : min).x, (i & 2 ? max : min).y, (i & 4 ? max : min).z).project(camera);
      xs.push(left + (corner.x + 1) / 2 * width);
      ys.push(top + (1 - corner.y) / 2 * height);
    }
    return [name, { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys), view: { left, top, right: left + width, bottom: top + height } }];
  }));
}, names);
const outside = ({ left, right, top, bottom, view }, covered = 0) =>
  [left < view.left && "left", right > view.right - covered && "right", top < view.top && "top", bottom > view.bottom && "bottom"].filter(Boolean);
const value = async (target, key) => (await request(page, "fabric.get", target)).values[key].value;
const jacket = { character: "alan", garment: "jacket" };

test("frames advance, and the line at the bottom tells their rate", async () => {
  const before = await page.evaluate(() => window.tweed.timeline.newest);
  await eventually(page, (time) => window.tweed.timeline.newest > time + 0.5, before);
  await eventually(page, () => /[1-9]\d* frames\/s/.test(document.querySelector(".status").textContent));
  assert.match(await page.textContent(".status"), /1 character/);
});

test("the man's pixels change while he walks, and stand while paused", async () => {
  const changed = (a, b) => a.filter((pixel, i) => pixel !== b[i]).length;
  await page.evaluate(() => { for (const name of ["labels", "wind"]) window.tweed.setSwitch(name, false); });
  await page.click("role=button[name='walk'] >> nth=0");
  await eventually(page, () => window.tweed.timeline.newest - window.tweed.timeline.oldest > 1);
  await eventually(page, () => { // the camera has caught up with him
    const { stage, cast } = window.tweed, { target } = stage.controls;
    return target.distanceTo(cast.characters.get("alan").bones.position(0, target.clone())) < 0.7;
  });
  const first = await canvasPixels(page, { onlyHim: true });
  const time = await page.evaluate(() => window.tweed.timeline.shown);
  await eventually(page, (then) => window.tweed.timeline.shown > then + 0.4, time);
  const second = await canvasPixels(page, { onlyHim: true });
  const drawn = first.filter((pixel) => pixel >= 0).length;
  assert.ok(drawn > 1000, `${drawn} pixels of the man`);
  assert.ok(changed(first, second) > 300, `${changed(first, second)} pixels changed`);

  await page.evaluate(() => {
    window.tweed.camera.follows = window.tweed.stage.controls.enableDamping = false;
    document.activeElement.blur();
  });
  await page.keyboard.press("Space");
  await eventually(page, () => window.tweed.playback.isPaused && window.tweed.timeline.shown === window.tweed.timeline.newest);
  const third = await canvasPixels(page);
  await elapse(page, 0.4);
  assert.equal(changed(third, await canvasPixels(page)), 0);
  await picture(page, "walk");
  await page.evaluate(() => {
    for (const name of ["labels", "wind"]) window.tweed.setSwitch(name, true);
    window.tweed.camera.follows = window.tweed.stage.controls.enableDamping = true;
  });
});

/** m/s of the fastest particle, two seconds after a gust; the simulation is paused before and after. */
async function settle() {
  await pause(true);
  await page.click("role=button[name='stand'] >> nth=0");
  await request(page, "character.reset", { character: "alan" });
  await request(page, "world.set", { wind: { velocity: [9, 0, 6] } });
  await request(page, "simulation.step", { ticks: 40 });
  await request(page, "world.set", { wind: { velocity: [0, 0, 0] } });
  const { tick } = await request(page, "simulation.step", { ticks: 120 });
  await eventually(page, (last) => window.tweed.timeline.sample("alan")?.earlier.tick >= last, tick);
  return page.evaluate(() => {
    const { timeline } = window.tweed;
    timeline.scrubbed = timeline.newest;
    const { earlier: b } = timeline.sample("alan");
    timeline.scrubbed = timeline.newest - 1.5 / 60;
    const { earlier: a } = timeline.sample("alan");
    timeline.scrubbed = null;
    const [from, to] = [a.particles.jacket, b.particles.jacket];
    let fastest = 0;
    for (let i = 0; i < from.length; i += 3)
      fastest = Math.max(fastest, Math.hypot(to[i] - from[i], to[i + 1] - from[i + 1], to[i + 2] - from[i + 2]));
    return fastest / (b.time - a.time);
  });
}

test("a slider changes the fabric on the server, and how fast the cloth settles", async () => {
  const slider = page.locator("[data-value='damping'] input[type=range]"), field = page.locator("[data-value='damping'] input[type=number]");
  await page.evaluate(() => { document.querySelector("[data-value='damping']").dataset.before = ""; });
  await page.selectOption("select[aria-label='What is tuned']", { value: JSON.stringify({ fabric: "tweed" }) });
  await page.waitForSelector("[data-value='damping']:not([data-before])");
  const before = await value({ fabric: "tweed" }, "damping");
  await slider.focus();
  for (let i = 0; i < 12; i++) await page.keyboard.press("ArrowRight");
  const coarse = Number(await field.inputValue());
  await page.keyboard.press("Shift+ArrowRight");
  const fine = Number(await field.inputValue());
  assert.ok(fine > coarse && fine < 1.02 * coarse, `${coarse}, with Shift ${fine}`);
  await eventually(page, async (old) => (await window.tweed.server.request("fabric.get", { fabric: "tweed" })).values.damping.value > 2 * old, before);

  const set = async (damping) => {
    await field.fill(String(damping));
    await field.press("Enter");
    await eventually(page, async (wanted) =>
      (await window.tweed.server.request("fabric.get", { fabric: "tweed" })).values.damping.value === wanted, damping);
  };
  await set(0.5);
  const lively = await settle();
  await set(20);
  const calm = await settle();
  assert.ok(calm < lively / 3, `${calm} m/s with damping 20, ${lively} m/s with .5`);

  const step = async (name) => {
    const old = await value({ fabric: "tweed" }, "damping");
    await page.click(`button[aria-label^='${name}']`);
    return eventually(page, async (old) => {
      const { damping } = (await window.tweed.server.request("fabric.get", { fabric: "tweed" })).values;
      return damping.value !== old && damping.value;
    }, old);
  };
  assert.equal(await step("Undo"), 0.5, "a number is a step of its own");
  const slid = await step("Undo");
  assert.equal(await step("Undo"), before, "all moves of a slider are one");
  assert.equal(await step("Redo"), slid);
  assert.equal(await step("Redo"), 0.5);
});

test("a value of a fabric shows its name, unit, range and default", async () => {
  const { damping } = (await request(page, "fabric.get", { fabric: "tweed" })).values;
  const text = (await page.innerText("[data-value='damping']")).split("\n").map((line) => line.trim()).filter(Boolean);
  assert.deepEqual(text, ["damping", "1/s", String(damping.minimum), `default ${damping.default}`, String(damping.maximum)]);
});

test("a value keeps what the user sets while the server's news of older ones comes late", async () => {
  const field = page.locator("[data-value='friction'] input[type=number]"), slider = page.locator("[data-value='friction'] input[type=range]");
  const before = await field.inputValue();
  await page.evaluate(() => {
    const { server } = window.tweed, { emit } = server.event;
    server.event.emit = (event) => (event.method === "fabric.changed" ? void setTimeout(() => emit.call(server.event, event), 300) : emit.call(server.event, event));
  });
  await slider.focus();
  const steps = [];
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press("ArrowRight");
    steps.push(Number(await field.inputValue()));
    await elapse(page, 0.1);
    assert.equal(Number(await field.inputValue()), steps.at(-1));
  }
  assert.deepEqual(steps, [...new Set(steps)].sort((a, b) => a - b), "every press moves it on");
  await elapse(page, 1);
  assert.equal(Number(await field.inputValue()), steps.at(-1));
  await page.evaluate(() => { delete window.tweed.server.event.emit; });
  await page.click("button[aria-label^='Undo']");
  assert.equal(await field.inputValue(), before);
});

test("an empty number leaves the value as it is", async () => {
  const before = await value(jacket, "damping"), field = page.locator("[data-value='damping'] input[type=number]");
  const shown = await field.inputValue();
  await field.fill("");
  await field.press("Enter");
  assert.equal(await field.inputValue(), shown);
  assert.equal(await value(jacket, "damping"), before);
});

test("tabs stay in front of sliders that scroll below them", async () => {
  const hidden = await page.evaluate(() => {
    const panel = document.querySelector(".panel.right"), tabs = [...panel.querySelectorAll("[role=tab]")], found = [];
    for (panel.scrollTop = 0; ; panel.scrollTop += 7) {
      for (const tab of tabs) {
        const { left, top, width, height } = tab.getBoundingClientRect();
        for (const share of [0.2, 0.5, 0.8]) if (document.elementFromPoint(left + width / 2, top + share * height)?.closest("[role=tab]") !== tab) found.push(panel.scrollTop);
      }
      if (panel.scrollTop + panel.clientHeight >= panel.scrollHeight - 1) break;
    }
    panel.scrollTop = 0;
    return found;
  });
  assert.deepEqual(hidden, []);
});

test("shortcuts work while a slider has focus, which keeps its own keys", async () => {
  const isPaused = () => page.evaluate(() => window.tweed.playback.isPaused);
  const click = async (selector, share) => {
    const { x, y, width, height } = await page.locator(selector).boundingBox();
    await page.mouse.click(x + share * width, y + height / 2);
  };
  await pause(false);
  await click(".scrub", 0.5);
  const { scrubbed } = await page.evaluate(() => window.tweed.timeline);
  assert.notEqual(scrubbed, null);
  await page.keyboard.press("ArrowLeft");
  const back = await page.evaluate(() => window.tweed.timeline.scrubbed);
  assert.ok(Math.abs(back - scrubbed) < 0.2, `one place of the slider, not half a second: ${back - scrubbed}`);
  await page.keyboard.press("l");
  await eventually(page, () => window.tweed.timeline.scrubbed === null);
  await page.keyboard.press("Space");
  await eventually(page, () => window.tweed.playback.isPaused);

  const skeleton = () => page.evaluate(() => window.tweed.switches.skeleton);
  const was = await skeleton();
  await click("[data-value='friction'] input[type=range]", 0);
  await page.keyboard.press("2");
  assert.equal(await skeleton(), !was);
  await page.keyboard.press("Space");
  await eventually(page, () => !window.tweed.playback.isPaused);
  await page.locator("[data-value='friction'] input[type=number]").focus();
  await page.keyboard.press("2");
  assert.equal(await skeleton(), !was, "a number field takes all keys");
  await page.keyboard.press("Escape");
  await page.evaluate((on) => window.tweed.setSwitch("skeleton", on), was);
  await page.locator("button:has-text('Copy as Lua')").focus();
  await page.keyboard.press(".");
  await eventually(page, () => window.tweed.playback.isPaused);
  assert.equal(await isPaused(), true);
});

test("copied Lua passes tweed check", async () => {
  await page.click("button:has-text('Copy as Lua')");
  const lua = await page.textContent("dialog.lua pre");
  await page.click("dialog.lua button:has-text('Close')");
  const path = server.write("copied/fabrics/page_tweed.lua", lua.replace('name = "tweed"', 'name = "page_tweed"'));
  assert.match(lua, /damping = 0?\.5/);
  const { status, output } = server.run("check", path);
  assert.equal(status, 0, output);
});

test("a tuned fabric is saved on the server, and is there to choose", async () => {
  const options = page.locator("select[aria-label='What is tuned'] option");
  const read = (name) => readFileSync(join(server.folder, "fabrics", name), "utf8");
  await page.click(".tuning button:has-text('Save')");
  await page.fill("dialog.lua input", "../elsewhere");
  await page.click("dialog.lua button:has-text('Save on the server')");
  await eventually(page, () => /expected a name that a file can have/.test(document.querySelector("dialog.lua [role=status]").textContent));
  await page.fill("dialog.lua input", "page_saved");
  await page.keyboard.press("Enter");
  await eventually(page, () => /Saved as .*page_saved\.lua\.$/.test(document.querySelector("dialog.lua [role=status]").textContent));
  assert.match(read("page_saved.lua"), /name = "page_saved",\n[^]* damping = 0?\.5/);
  await picture(page, "save");
  await page.keyboard.press("Escape");
  await eventually(page, () => window.tweed.mirror.description.fabrics.includes("page_saved"));
  assert.ok((await options.allTextContents()).includes("page_saved, wherever it is worn"));
});

test("a toggle closes a seam, and shows what a script does with it", async () => {
  const seam = page.locator(".panel.left button:has-text('front')");
  await seam.click();
  assert.deepEqual(await request(page, "seam.list", { character: "alan" }), [{ name: "front", closed: true }]);
  await page.waitForSelector(".panel.left button[aria-pressed=true]:has-text('front')");
  await request(page, "character.call", { character: "alan", command: "unbutton" });
  await page.waitForSelector(".panel.left button[aria-pressed=false]:has-text('front')");
});

test("two settings are compared on two characters in the same motion", async () => {
  const before = await value(jacket, "damping");
  await page.click("button:has-text('Compare A and B')");
  await page.waitForSelector(".sides:not([hidden])");
  const [a, b] = await page.evaluate(() => window.tweed.comparison.names);
  assert.deepEqual([a, b], ["alan", "alan B"]);
  const bothAreWhole = async () => {
    for (const [name, box] of Object.entries(await onScreen([a, b]))) assert.deepEqual(outside(box), [], `${name} at ${JSON.stringify(box)}`);
  };
  await bothAreWhole();
  await page.evaluate((names) => window.tweed.server.together(names.map((character) => ["character.play", { character, clip: "jump", loop: true }])), [a, b]);
  for (let look = 0; look < 8; look++) {
    await elapse(page, 0.5);
    await bothAreWhole();
  }
  await picture(page, "compare-jump");
  const place = await page.evaluate((name) => [...window.tweed.cast.characters.get(name).bones.world.slice(12, 15)], b);
  await request(page, "character.move", { character: b, position: [place[0] + 3, 0, place[2]], teleport: true });
  await elapse(page, 2);
  await bothAreWhole();
  await request(page, "fabric.set", { character: b, garment: "jacket", values: { damping: 9 } });
  assert.equal(await value({ character: b, garment: "jacket" }, "damping"), 9);
  assert.equal(await value(jacket, "damping"), before);
  await pause(true);
  await request(page, "simulation.step", { ticks: 30 });
  const apart = await eventually(page, (names) => {
    const [one, two] = names.map((name) => window.tweed.timeline.sample(name).earlier);
    if (one.tick !== two.tick || one.time < window.tweed.timeline.newest) return null;
    const far = ({ bones }, at) => Math.hypot(bones[at] - bones[0], bones[at + 1] - bones[1], bones[at + 2] - bones[2]);
    const foot = 5 * 10; // the same pose: it is as far from the hips
    return { metres: Math.abs(far(one, foot) - far(two, foot)) };
  }, [a, b]);
  assert.ok(apart.metres < 1e-4, `${apart.metres} m apart`);
  await picture(page, "compare");
  await page.click(".tuning button:has-text('End')");
  await eventually(page, () => window.tweed.cast.characters.size === 1);
  await pause(false);
});

test("following goes along to who is selected", async () => {
  const isLookedAt = (name) => eventually(page, (wanted) => {
    const { stage: { controls: { target } }, cast } = window.tweed;
    const root = cast.characters.get(wanted)?.bones.position(0, target.clone());
    return root && Math.hypot(target.x - root.x, target.z - root.z) < 1;
  }, name);
  await request(page, "character.spawn", { script: "characters/wake", name: "far", position: [0, 0, 30], rotation: [0, 1, 0, 0], params: { clip: "stand" } });
  await eventually(page, () => window.tweed.cast.characters.has("far"));
  await page.evaluate(() => window.tweed.select("far"));
  await isLookedAt("far");
  const behind = await eventually(page, () => {
    const { camera, stage, cast } = window.tweed;
    if (!cast.characters.get("far").sample) return null;
    camera.begin("far", 3);
    return stage.camera.position.z - stage.controls.target.z;
  });
  assert.ok(behind < -1, `the first view is from where the front is: ${behind} m`);
  await page.evaluate(() => window.tweed.select("alan"));
  await isLookedAt("alan");
  await request(page, "character.remove", { character: "far" });
});

test("a character that is spawned comes to the middle; all can be shown, which ends following", async () => {
  await pause(false);
  await page.evaluate(() => window.tweed.camera.begin("alan", 2));
  await page.selectOption("select[aria-label='Script of the new character']", { label: "barry" });
  await page.click("button:has-text('Spawn')");
  await eventually(page, () => window.tweed.selected === "barry");
  let boxes;
  const areWhole = (names) => until(async () => Object.values((boxes = await onScreen(names))).every((box) => outside(box).length === 0),
    () => `not in view: ${JSON.stringify(boxes)}`);
  const middle = ({ left, right }) => (left + right) / 2;
  await areWhole(["barry"]);
  await until(async () => Math.abs(middle((boxes = await onScreen(["barry"])).barry) - middle(boxes.barry.view)) < 40,
    () => `not in the middle: ${JSON.stringify(boxes)}`);
  await picture(page, "spawned");
  const follow = page.locator("button[aria-label^='Follow']");
  assert.equal(await follow.getAttribute("aria-pressed"), "true");
  await page.click("button[aria-label^='Show all']");
  await areWhole(["alan", "barry"]);
  await elapse(page, 1);
  await areWhole(["alan", "barry"]);
  await eventually(page, () => document.querySelector("button[aria-label^='Follow']").ariaPressed === "false");
  await picture(page, "all");
  await follow.click();
  await request(page, "character.remove", { character: "barry" });
  await eventually(page, () => window.tweed.selected === "alan");
});

test("without characters the page says so, its clock goes on, and a removal can be undone", async () => {
  const field = page.locator("[data-value='damping'] input[type=number]");
  await page.waitForSelector("select[aria-label='What is tuned'] option:checked:has-text('alan')", { state: "attached" });
  await field.fill("4.321");
  await field.press("Enter");
  await eventually(page, async (target) => (await window.tweed.server.request("fabric.get", target)).values.damping.value === 4.321, jacket);
  await page.click("button[aria-label='Remove alan']");
  await page.waitForSelector(".stage .empty:visible");
  assert.equal(await page.locator("[data-value]").count(), 0, "no sliders of nobody");
  await page.keyboard.press("Control+z");
  const seconds = () => page.evaluate(() => parseFloat(document.querySelector(".clock").textContent));
  const before = await seconds();
  await eventually(page, (then) => parseFloat(document.querySelector(".clock").textContent) > then + 1, before);
  await picture(page, "empty");
  assert.doesNotMatch(await page.textContent(".notices"), /no character/);
  await page.click(".refusals button:has-text('Undo')");
  await eventually(page, () => window.tweed.selected === "alan" && document.querySelector(".stage .empty").hidden);
  await page.waitForSelector("[data-value='damping']");
  assert.equal((await page.evaluate(() => window.tweed.cast.characters.get("alan").description.params)).clip, "stand");
  assert.equal(await value(jacket, "damping"), 4.321, "his clothes are tuned as before");
  assert.equal(await page.locator(".refusals .notice").count(), 0);
});

test("a message can be closed", async () => {
  await page.evaluate(() => window.tweed.ask("character.reset", { character: "nobody" }));
  await page.click(".refusals button[aria-label='Close']");
  assert.equal(await page.locator(".refusals .notice").count(), 0);
});

test("a click drops a tornado, and its cross ends it", async () => {
  await pause(false);
  await page.click("role=tab[name='Weather']");
  await page.click("button:has-text('Drop a tornado')");
  const { x, y, width, height } = await page.locator("canvas").boundingBox();
  await page.mouse.click(x + width * 0.7, y + height * 0.75);
  const { position, name } = (await eventually(page, () => window.tweed.mirror.world.tornados[0]));
  assert.equal(name, "twister 1");
  assert.equal(position[1], 0);
  await elapse(page, 0.5);
  await page.evaluate(() => window.tweed.camera.frameAll());
  await picture(page, "tornado");
  await pause(true); // so that the camera stands
  await settled(page);
  const footX = x + width * 0.6, footY = y + height * 0.75; // where no panel is
  const ground = (dx) => page.evaluate(([x, y]) => window.tweed.camera.groundAt(x, y).toArray(), [footX + dx, footY + 2]);
  const twister = { name: "twister 1", position: await ground(0), velocity: [0.01, 0, 0], radius: 0.8, strength: 9, lift: 2 };
  await request(page, "world.tornado", twister); // as another client does
  await eventually(page, () => window.tweed.mirror.world.tornados[0].strength === 9);
  for (const [label, value] of [["Radius in m", 0.8], ["Swirl in m/s", 9], ["Updraft in m/s", 2]])
    await eventually(page, ([label, value]) => Number(document.querySelector(`[aria-label='${label}']`).value) === value, [label, value]);
  const told = () => page.evaluate(() => window.tweed.mirror.world.tornados[0]);
  await page.mouse.click(footX + 12, footY + 2);
  await elapse(page, 0.4);
  assert.deepEqual((await told()).velocity.map((v) => Number(v.toFixed(6))), twister.velocity, "a click leaves it alone");
  const [from, to] = [await ground(12), await ground(52)], before = (await told()).position;
  await page.mouse.move(footX + 12, footY + 2);
  await page.mouse.down();
  await page.mouse.move(footX + 52, footY + 2, { steps: 4 });
  await page.mouse.up();
  await eventually(page, () => window.tweed.mirror.world.tornados[0].velocity[0] === 0);
  await elapse(page, 0.3);
  const moved = (await told()).position;
  await pause(false);
  for (const axis of [0, 2]) assert.ok(Math.abs(moved[axis] - before[axis] - (to[axis] - from[axis])) < 0.06, `${before} became ${moved}, ${from} ${to}`);
  await page.click("button[aria-label='End twister 1']");
  await eventually(page, () => window.tweed.mirror.world.tornados.length === 0);
  await page.click("role=tab[name='Tune']");
});

test("a slider of the weather keeps every key press, however late the server's replies and news come", async () => {
  const wind = page.locator("[aria-label='Wind in m/s']"), number = page.locator("[aria-label='Wind, as a number']"), shown = async () => Number(await number.inputValue());
  const speed = () => page.evaluate(() => Math.hypot(...window.tweed.mirror.world.wind.velocity));
  await page.click("role=tab[name='Weather']");
  for (const [gap, late] of [[0, 0], [30, 0], [60, 0], [110, 0], [60, 150], [110, 400]]) {
    await page.click("button:has-text('Still air')");
    await eventually(page, () => Math.hypot(...window.tweed.mirror.world.wind.velocity) === 0);
    assert.equal(await shown(), 0);
    await page.evaluate((late) => {
      const { server } = window.tweed, { request } = Object.getPrototypeOf(server);
      server.request = async (...asked) => {
        await new Promise((done) => setTimeout(done, late));
        return request.apply(server, asked);
      };
    }, late);
    await wind.focus();
    for (let i = 0; i < 8; i++) await page.keyboard.press("ArrowRight", { delay: gap / 2 }).then(() => elapse(page, gap / 2000));
    assert.equal(await shown(), 2, `gaps of ${gap} ms, ${late} ms late`);
    await until(async () => Math.abs((await speed()) - 2) < 1e-4, () => "the server does not have the wind");
    await elapse(page, 0.5);
    assert.equal(await shown(), 2);
  }
  await page.evaluate(() => { delete window.tweed.server.request; });
  await request(page, "world.set", { wind: { velocity: [0, 0, 3] } }); // as another client does
  await until(async () => (await shown()) === 3, () => "another client's wind is not shown");
  await number.fill("4.56");
  await number.press("Enter");
  await until(async () => Math.abs((await speed()) - 4.56) < 1e-4, () => "a number that is typed does not count");
  assert.ok(Math.abs(Number(await wind.inputValue()) - 4.56) < 0.05);
  await number.fill("99");
  await number.press("Enter");
  assert.equal(await page.textContent(".range:has([aria-label='Wind in m/s']) .complaint"), "99 is out of range, which is 0 to 30 m/s. Set to 30.");
  await request(page, "world.set", { wind: { velocity: [0, 4, 0], gust: 0 } });
  await until(async () => (await shown()) === 0, () => "wind that rises is shown as wind along the ground");
  await page.locator("[aria-label='Gusts']").focus();
  await page.keyboard.press("ArrowRight");
  await eventually(page, () => window.tweed.mirror.world.wind.gust > 0);
  assert.deepEqual(await page.evaluate(() => window.tweed.mirror.world.wind.velocity), [0, 4, 0]);
  await page.click("button:has-text('Still air')");
  await until(async () => (await speed()) === 0, () => "the air is not still");
  await page.click("role=tab[name='Tune']");
});

test("an arrow key moves every slider of the weather by about a hundredth of its length, with Shift by less", async () => {
  await page.click("role=tab[name='Weather']");
  const sliders = await page.locator(".weather input[type=range]").all(), steps = {};
  assert.equal(sliders.length, 8);
  for (const slider of sliders) {
    const [name, length, first] = await slider.evaluate(({ ariaLabel, min, max, value }) => [ariaLabel, max - min, Number(value)]);
    const read = async () => Number(await slider.inputValue());
    await slider.press("ArrowRight");
    const second = await read();
    await slider.press("Shift+ArrowRight");
    const third = await read();
    await slider.press("Shift+ArrowLeft");
    await slider.press("ArrowDown");
    assert.equal(await read(), first, name);
    const share = (second - first) / length, fine = (third - second) / length;
    assert.ok(share > 0.0075 && share < 0.0145, `${name}: ${share} of its length`);
    assert.ok(fine > 0 && fine < share / 3, `${name}: ${fine} with Shift`);
    steps[name] = Number((second - first).toFixed(3));
  }
  assert.deepEqual(steps, {
    "Wind in m/s": 0.25, "Blows towards in °": 5, Turbulence: 0.02, Gusts: 0.02, "Gravity in m/s²": 0.25,
    "Radius in m": 0.025, "Swirl in m/s": 1, "Updraft in m/s": 0.5,
  });
  assert.match(await page.textContent("dialog[aria-label='Keys and mouse']"), /on a sliderabout a hundredth of its length/);
  await page.click("role=tab[name='Tune']");
});

test("a mistake in a script appears with its traceback, and goes when it is mended", async () => {
  const script = (body) => `local tweed = require "tweed"
return tweed.character {
  skeleton = tweed.skeleton { { name = "pole" } },
  on_tick = function() ${body} end,
}`;
  await pause(false);
  server.write("characters/pole.lua", script(""));
  await request(page, "character.spawn", { script: "characters/pole", name: "pole", position: [1, 0, 0] });
  server.write("characters/pole.lua", script("local x = nil; return x.y"));
  const text = await eventually(page, () => document.querySelector(".fault[data-script='characters/pole']")?.textContent);
  assert.match(text, /pole\.lua:4: attempt to index a nil value/);
  await picture(page, "error");
  await page.click(".fault button[aria-label='Close']");
  assert.equal(await page.locator(".fault").count(), 0);
  server.write("characters/pole.lua", script("return"));
  await eventually(page, () => window.tweed.mirror.faults.size === 0);
  server.write("characters/pole.lua", script("local x = nil; return x.y"));
  await page.waitForSelector(".fault[data-script='characters/pole']"); // the same mistake again
  server.write("characters/pole.lua", script("return"));
  await eventually(page, () => !document.querySelector(".fault"));
  await request(page, "character.remove", { character: "pole" });
});

test("the page shows the last twenty seconds again", async () => {
  await page.locator(".scrub").focus();
  await page.keyboard.press("Home");
  const { scrubbed, oldest } = await eventually(page, () => {
    const { scrubbed, oldest } = window.tweed.timeline;
    return scrubbed !== null && { scrubbed, oldest };
  });
  assert.ok(Math.abs(scrubbed - oldest) < 1, `${scrubbed}, the oldest frame is of ${oldest}`);
  await page.click("button:has-text('Live')");
  assert.equal(await page.evaluate(() => window.tweed.timeline.scrubbed), null);
});

test("the labels of the plots' axes are whole", async () => {
  await page.click("role=tab[name='Measure']");
  await page.waitForSelector(".plot canvas");
  const cut = await page.evaluate(() => [...document.querySelectorAll(".plot canvas")].map((canvas) => {
    const pixels = canvas.getContext("2d").getImageData(0, canvas.height - 1, Math.round(30 * canvas.width / canvas.clientWidth), 1).data;
    return pixels.some((value) => value > 0);
  }));
  assert.deepEqual(cut, [false, false, false, false, false]);
  await page.click("role=tab[name='Tune']");
});

test("axe-core finds nothing serious, light and dark", async () => {
  await page.evaluate(AXE);
  for (const theme of ["light", "dark"]) {
    await page.evaluate((name) => window.tweed.setTheme(name), theme);
    for (const tab of ["Measure", "Weather", "Tune"]) {
      await page.click(`role=tab[name='${tab}']`);
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      assert.deepEqual(serious.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), [], `${theme}, ${tab}`);
    }
    await picture(page, theme);
  }
});

test("it fits a desk, a laptop and a tablet", async () => {
  for (const [width, height] of [[1600, 1000], [1280, 800], [820, 1180]]) {
    await page.setViewportSize({ width, height });
    await eventually(page, (width) => innerWidth === width, width);
    await settled(page);
    const { wide, canvas } = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth, canvas: document.querySelector("canvas").getBoundingClientRect().toJSON(),
    }));
    assert.ok(wide <= width, `${wide} pixels wide on a screen of ${width}`);
    assert.ok(canvas.width > 0.5 * width && canvas.height > 0.7 * height, JSON.stringify(canvas));
    await picture(page, `${width}x${height}`);
  }
  await page.click("button[aria-label='Tuning and weather']");
  await page.waitForSelector("[data-value='damping']", { state: "visible" });
  await settled(page); // it has slid in
  await picture(page, "820x1180-drawer");
  const { width } = await page.locator(".panel.right").boundingBox();
  await page.evaluate(() => window.tweed.camera.frameAll());
  await settled(page);
  const { alan } = await onScreen(["alan"]), middle = (alan.left + alan.right) / 2;
  assert.deepEqual(outside(alan, width), [], `beside a drawer of ${width} pixels: ${JSON.stringify(alan)}`);
  assert.ok(Math.abs(middle - (820 - width) / 2) < 40, `in the middle of what is left: ${middle}`);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.click("button[aria-label^='Follow']");
});

test("on a phone no control is cut off", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await eventually(page, () => innerWidth === 390);
  await settled(page);
  const cut = await page.evaluate(() => [...document.querySelectorAll(".toolbar button, .transport > *")].filter((control) => {
    const { left, right, width, height } = control.getBoundingClientRect();
    return width > 0 && (left < 0 || right > innerWidth || height > 40 || control.scrollWidth > control.clientWidth + 2);
  }).map((control) => control.outerHTML.slice(0, 120)));
  await picture(page, "390x844");
  assert.deepEqual(cut, []);
  await page.setViewportSize({ width: 1280, height: 800 });
});

test("frames go on however quickly max distances are shown and hidden", async () => {
  await page.evaluate(() => {
    for (const references of [true, false, true, false]) window.tweed.view.references = references;
  });
  await page.evaluate(() => window.tweed.server.request("server.stats")); // the subscriptions have been sent
  const newest = await page.evaluate(() => window.tweed.timeline.newest);
  await eventually(page, (newest) => window.tweed.timeline.newest > newest + 0.5, newest);
});

async function restart() {
  await server.stop();
  await eventually(page, () => document.querySelector(".connection").dataset.state === "lost");
  assert.match(await page.evaluate(() => window.tweed.server.request("character.list").catch(String)), /character\.list: the connection is lost/);
  await server.start();
  await eventually(page, () => document.querySelector(".connection").dataset.state === "open" && window.tweed.timeline.newest > 0.2);
}

test("an arrow key leaves the end of every slider, with Shift too", async () => {
  const stuck = [];
  for (const row of await page.locator("[data-value]").all()) {
    const slider = row.locator("input[type=range]"), field = row.locator("input[type=number]"), path = await row.getAttribute("data-value");
    if (!(await slider.isVisible())) continue;
    for (const [end, key] of [["Home", "ArrowRight"], ["Home", "Shift+ArrowRight"], ["Home", "PageUp"], ["End", "Shift+ArrowLeft"]]) {
      await slider.focus();
      await page.keyboard.press(end);
      const before = await field.inputValue();
      await page.keyboard.press(key);
      if ((await field.inputValue()) === before) stuck.push(`${path} at ${before} by ${key}`);
    }
    await row.locator("button[aria-label^='Back to']").click();
  }
  assert.deepEqual(stuck, []);
});

test("after a restart of the server the page goes on, with its camera and switches", async () => {
  await page.evaluate(() => window.tweed.setSwitch("skeleton", true));
  const camera = () => page.evaluate(() => { // as seen from the character that it follows
    const { camera: { position }, controls: { target } } = window.tweed.stage;
    return position.clone().sub(target).toArray();
  });
  await settled(page);
  const before = await camera();
  await page.evaluate(() => {
    const { server } = window.tweed, { request } = Object.getPrototypeOf(server);
    window.meshesAskedFor = [];
    server.request = (method, params) => {
      if (params?.mesh) window.meshesAskedFor.push(params.character);
      return request.call(server, method, params);
    };
  });
  await restart();
  await eventually(page, () => window.meshesAskedFor.includes("alan")); // its script may be another one
  await page.evaluate(() => { delete window.tweed.server.request; });
  const after = await camera();
  assert.ok(Math.hypot(...after.map((place, i) => place - before[i])) < 0.2, `${before} became ${after}`);
  assert.equal(await page.evaluate(() => window.tweed.switches.skeleton), true);
  const offer = page.locator(".refusals .notice", { hasText: "started anew" });
  await offer.locator("button[aria-label='Close']").click(); // what was tuned until now is not offered again
  await offer.waitFor({ state: "detached" });
});

test("after a restart of the server the page shows its values, and undoes nothing of the last one", async () => {
  const row = page.locator("[data-value='damping']"), field = row.locator("input[type=number]"), slider = row.locator("input[type=range]");
  await page.waitForSelector("select[aria-label='What is tuned'] option:checked:has-text('alan')", { state: "attached" });
  const before = await value(jacket, "damping");
  await slider.focus();
  for (let i = 0; i < 20; i++) await page.keyboard.press("ArrowRight");
  const tuned = Number(await field.inputValue());
  assert.ok(tuned > 2 * before, `${before} became ${tuned}`);
  await eventually(page, async ([target, tuned]) => (await window.tweed.server.request("fabric.get", target)).values.damping.value === tuned, [jacket, tuned]);
  const bold = () => row.evaluate((element) => element.classList.contains("moved"));
  assert.equal(await bold(), true);
  await restart();
  assert.equal(await value(jacket, "damping"), before);
  await eventually(page, (before) => Number(document.querySelector("[data-value='damping'] input[type=number]").value) === before, before);
  assert.equal(await bold(), false);
  assert.ok(await page.locator("button[aria-label^='Undo']").isDisabled());
  await page.keyboard.press("Control+z");
  await page.click("button:has-text('Copy as Lua')");
  assert.match(await page.textContent("dialog.lua pre"), new RegExp(`damping = ${before}\\b`));
  await page.keyboard.press("Escape");
  const offer = (values) => page.locator(".refusals .notice", { hasText: `The server has started anew, without what was tuned here: alan · jacket (${values}).` });
  await offer("damping").waitFor();
  await picture(page, "started-anew");
  await page.fill("[data-value='friction'] input[type=number]", "0.9");
  await page.press("[data-value='friction'] input[type=number]", "Enter");
  await eventually(page, async (target) => (await window.tweed.server.request("fabric.get", target)).values.friction.value === 0.9, jacket);
  await restart();
  await offer("damping, friction").waitFor(); // one offer for all that is missing
  assert.equal(await page.locator(".refusals .notice", { hasText: "started anew" }).count(), 1);
  await offer("damping, friction").locator("button:has-text('Set it again')").click();
  await eventually(page, async (target) => (await window.tweed.server.request("fabric.get", target)).values.friction.value === 0.9, jacket);
  await eventually(page, async ([target, tuned]) => (await window.tweed.server.request("fabric.get", target)).values.damping.value === tuned, [jacket, tuned]);
  assert.equal(Number(await field.inputValue()), tuned);
  await field.fill("7");
  await field.press("Enter");
  await row.locator("button[aria-label^='Back to']").click();
  await eventually(page, async ([target, before]) => (await window.tweed.server.request("fabric.get", target)).values.damping.value === before, [jacket, before]);
});

test("an observer watches, and cannot tune", async () => {
  await page.close();
  const watching = await openPage(browser, `${server.url}?role=observer`, mistakes);
  await watching.evaluate(stopDrawing);
  await watching.setViewportSize({ width: 1280, height: 800 });
  await watching.waitForSelector("[data-value='damping']");
  for (const control of ["[data-value='damping'] input[type=range]", "button:has-text('Spawn')", "button[aria-label^='One tick']"])
    assert.ok(await watching.locator(control).first().isDisabled(), control);
  await eventually(watching, () => window.tweed.timeline.newest > 0);
  await watching.close();
});

test("the browser had nothing to complain of", () => assert.deepEqual(mistakes, []));
