// What a visitor sees first and on a small screen: the first view, following, panels, messages, the theme.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { canvasPixels, drawOnce, elapse, endPage, eventually, openPage, picture, request, ROOT, Server, settled, startPage, until } from "./harness.mjs";

const server = new Server();
/** A fabric of the server's, in a colour and with values, and a character in it. */
const felt = (color, values = "") => server.write("fabrics/felt.lua", `local tweed = require "tweed"
return tweed.fabric { name = "felt", base = "tweed", ${values} material = { color = { ${color} }, roughness = .9, pattern = "plain" } }`);
felt(".8, .1, .1");
server.write("characters/clad.lua", readFileSync(join(ROOT, "scripts/characters/wake.lua"), "utf8").replaceAll('fabric = "tweed"', 'fabric = "felt"'));
const mistakes = [];
let browser, page;

before(async () => ({ browser, page } = await startPage(server, mistakes)));
after(() => endPage(browser, server));

/** Degrees from a character's front to the camera. */
const fromFront = (name) => page.evaluate((name) => {
  const { stage: { camera, controls: { target } }, cast } = window.tweed;
  const front = cast.characters.get(name).bones.front(target.clone()), arm = camera.position.clone().sub(target).setY(0);
  return (front.angleTo(arm) * 180) / Math.PI;
}, name);
/** Turns a character to so many degrees, and waits until the page shows it. */
async function turn(name, degrees) {
  const half = (degrees * Math.PI) / 360;
  await request(page, "character.move", { character: name, rotation: [0, Math.sin(half), 0, Math.cos(half)], teleport: true });
  await eventually(page, ([name, wanted]) => {
    const front = window.tweed.cast.characters.get(name).bones.front(window.tweed.stage.controls.target.clone());
    return Math.abs(Math.sin((Math.atan2(front.x, front.z) - wanted) / 2)) < 0.1;
  }, [name, (degrees * Math.PI) / 180]);
}
const place = () => page.evaluate(() => {
  const { camera: { position }, controls: { target } } = window.tweed.stage;
  return { camera: position.toArray(), target: target.toArray() };
});
const apart = (a, b) => Math.hypot(...a.map((number, i) => number - b[i]));

test("the first view is of the front, and stays there when the man turns his back", async () => {
  assert.ok((await fromFront("alan")) < 40, `${await fromFront("alan")} degrees from the front`);
  const before = await place();
  await turn("alan", 40);
  await elapse(page, 0.6);
  assert.ok(apart((await place()).camera, before.camera) < 0.3, "a small turn of his does not turn the camera");
  await turn("alan", 180);
  await until(async () => (await fromFront("alan")) < 40, () => "his back is seen");
});

test("the first view goes farther away in a narrow window, and back in a wide one", async () => {
  const distance = async (width, height) => {
    await page.setViewportSize({ width, height });
    await eventually(page, (width) => innerWidth === width, width);
    await picture(page, `first-${width}`);
    await elapse(page, 0.2);
    return page.evaluate(() => window.tweed.stage.camera.position.distanceTo(window.tweed.stage.controls.target));
  };
  const desk = await distance(1280, 800), phone = await distance(390, 844);
  assert.ok(phone > 1.3 * desk, `${phone} m on a phone, ${desk} m on a desk`);
  assert.ok(Math.abs((await distance(1280, 800)) - desk) < 0.01, "as far as before");
});

test("once the user has turned the camera, it stays where he puts it", async () => {
  const { x, y, width, height } = await page.locator("canvas").boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 + 60, y + height / 2, { steps: 4 });
  await page.mouse.up();
  await settled(page);
  const before = await fromFront("alan");
  await turn("alan", 0);
  await elapse(page, 1.5);
  const after = await fromFront("alan");
  assert.ok(Math.abs(180 - before - after) < 10, `${before} degrees became ${after} as he turned round`);
});

test("the camera does not go below the ground", async () => {
  const { x, y, width, height } = await page.locator("canvas").boundingBox(), before = await place();
  await page.mouse.move(x + width / 2, y + height * 0.8);
  await page.mouse.down();
  await page.mouse.move(x + width / 2, y, { steps: 8 });
  await page.mouse.up();
  await settled(page);
  const { camera, target } = await place();
  assert.ok(camera[1] > 0.04 && camera[1] < 0.1, `the camera is ${camera[1]} m above the ground`);
  assert.ok(target[1] > 0.5, "and still looks at him");
  await page.evaluate((camera) => window.tweed.stage.camera.position.fromArray(camera), before.camera);
});

test("the camera stays when whom it follows is removed, and follows the same name again", async () => {
  const spawn = (position) => request(page, "character.spawn", { script: "characters/wake", name: "far", position, params: { clip: "stand" } });
  const isLookedAt = (name) => eventually(page, (wanted) => {
    const { stage: { controls: { target } }, cast } = window.tweed, character = cast.characters.get(wanted);
    const root = character?.sample && character.bones.position(0, target.clone());
    return root && Math.hypot(target.x - root.x, target.z - root.z) < 1;
  }, name);
  await spawn([0, 0, 8]);
  await eventually(page, () => window.tweed.cast.characters.get("far")?.sample);
  await page.evaluate(() => window.tweed.select("far"));
  await isLookedAt("far");
  await elapse(page, 1.5); // the camera has come to rest there

  const before = await place();
  await request(page, "character.remove", { character: "far" });
  await eventually(page, () => window.tweed.selected === "alan");
  await elapse(page, 0.5);
  assert.ok(apart((await place()).target, before.target) < 0.1, `${before.target} became ${(await place()).target}`);
  assert.match(await page.textContent(".status"), /far is gone: the camera waits for it/);
  assert.equal(await page.locator("button[aria-label^='Follow']").getAttribute("aria-pressed"), "false");

  await page.evaluate(() => { // how much farther the camera went than it glides over 4 m in the time of two pictures
    const { stage: { controls: { target } }, drawn } = window.tweed, last = target.clone(), times = [performance.now()];
    window.excess = -Infinity;
    drawn.on(() => {
      const now = performance.now(), seconds = (now - times[0]) / 1000;
      window.excess = Math.max(window.excess, last.distanceTo(target) - 4 * (1 - Math.exp(-seconds / 0.35)));
      last.copy(target);
      times.push(now);
      if (times.length > 2) times.shift();
    });
  });
  await spawn([4, 0, 8]);
  await isLookedAt("far");
  const excess = await page.evaluate(() => window.excess);
  assert.ok(excess < 0.1, `no jump over 4 m: ${excess} m farther than it glides`);
  assert.equal(await page.evaluate(() => window.tweed.selected), "far");
  assert.doesNotMatch(await page.textContent(".status"), /is gone/);

  await request(page, "character.remove", { character: "far" });
  await eventually(page, () => window.tweed.selected === "alan");
  await isLookedAt("alan"); // who remains is shown after a while
  await spawn([4, 0, 8]);
  await isLookedAt("far");
  assert.equal(await page.evaluate(() => window.tweed.selected), "far");

  await request(page, "character.remove", { character: "far" });
  await eventually(page, () => window.tweed.selected === "alan");
  await page.click("button[aria-label^='Follow']"); // instead of the one that is gone, the selected one
  await isLookedAt("alan");
});

test("who is spawned stands beside the others, wherever they are", async () => {
  await request(page, "character.move", { character: "alan", position: [3, 0, 7], teleport: true });
  const place = (name) => page.evaluate((name) => {
    const { sample, bones } = window.tweed.cast.characters.get(name) ?? {};
    return sample ? [bones.world[12], bones.world[14]] : null;
  }, name);
  await until(async () => Math.abs((await place("alan"))[1] - 7) < 0.5, () => "he is there");
  await page.evaluate(() => { // he walks off from where he is spawned
    window.stopNoting = window.tweed.view.frames.on((frames) => {
      const first = frames.find(({ character }) => character === "barry");
      if (first) window.spawned ??= [first.bones[0], first.bones[2]];
    });
  });
  await page.selectOption("select[aria-label='Script of the new character']", { label: "barry" });
  await page.click("button:has-text('Spawn')");
  await eventually(page, () => window.tweed.selected === "barry" && window.spawned);
  const [alan, barry] = [await place("alan"), await page.evaluate(() => (window.stopNoting(), window.spawned))];
  assert.ok(Math.abs(barry[0] - alan[0] - 1.2) < 0.3 && Math.abs(barry[1] - alan[1]) < 0.3, `alan at ${alan}, barry at ${barry}`);
  await request(page, "character.remove", { character: "barry" });
  await request(page, "character.move", { character: "alan", position: [0, 0, 0], teleport: true });
  await eventually(page, () => window.tweed.selected === "alan");
});

test("a number out of range is answered with the range, beside its field", async () => {
  const row = page.locator("[data-value='damping']"), field = row.locator("input[type=number]");
  await field.fill("5000");
  await field.press("Enter");
  const { maximum } = (await request(page, "fabric.get", { character: "alan", garment: "jacket" })).values.damping;
  assert.equal(await field.inputValue(), String(maximum));
  const complaint = row.locator(".complaint");
  assert.equal(await complaint.textContent(), `5000 is out of range, which is 0 to ${maximum} 1/s. Set to ${maximum}.`);
  assert.ok(await complaint.isVisible());
  assert.equal(await field.getAttribute("aria-describedby"), await complaint.getAttribute("id"));
  await picture(page, "out-of-range");
  await elapse(page, 1);
  assert.notEqual(await complaint.textContent(), "", "the server's news of the same value leave it");
  await row.locator("input[type=range]").press("ArrowLeft");
  assert.equal(await complaint.textContent(), "", "a valid change ends it");
  await field.fill("-1");
  await field.press("Tab");
  assert.equal(await complaint.textContent(), `-1 is out of range, which is 0 to ${maximum} 1/s. Set to 0.`);
  await field.fill("3");
  await field.press("Enter");
  assert.equal(await complaint.textContent(), "");
  await field.fill("5000");
  await field.press("Enter");
  await page.selectOption("select[aria-label='Take the values of a fabric']", "silk");
  await eventually(page, () => document.querySelector("[data-value='damping'] .complaint").textContent === "");
});

test("undo takes back a number that was typed, and the field shows it", async () => {
  const field = page.locator("[data-value='damping'] input[type=number]");
  const server = async () => (await request(page, "fabric.get", { character: "alan", garment: "jacket" })).values.damping.value;
  let before;
  await until(async () => (await server()) === Number((before = await field.inputValue())), () => "the field shows the server's number");
  await field.fill("9");
  await field.press("Enter");
  await until(async () => (await server()) === 9, () => "the server has the number");
  await field.press("Control+z");
  await until(async () => (await server()) === Number(before), () => "the server has the number from before");
  assert.equal(await field.inputValue(), before);
});

test("only what was changed is marked, and goes back to the value that the script gave", async () => {
  await request(page, "character.spawn", { script: "characters/barry", name: "barry", position: [2, 0, 0] });
  await eventually(page, () => window.tweed.cast.characters.get("barry")?.sample);
  await page.evaluate(() => window.tweed.select("barry"));
  await eventually(page, () => document.querySelector("select[aria-label='What is tuned']").selectedOptions[0].textContent.startsWith("barry"));
  const row = page.locator("[data-value='density']");
  await eventually(page, () => document.querySelector("[data-value]") && !document.querySelector("[data-value].moved"));
  const { value, default: usual } = (await request(page, "fabric.get", { character: "barry", garment: "jacket" })).values.density;
  assert.notEqual(value, usual);
  await row.locator("input[type=number]").fill("1");
  await row.locator("input[type=number]").press("Enter");
  assert.equal(await page.locator("[data-value].moved").count(), 1);
  await row.locator("button").click();
  assert.equal(Number(await row.locator("input[type=number]").inputValue()), value);
  assert.equal(await page.locator("[data-value].moved").count(), 0);
});

test("names do not hide each other", async () => {
  await request(page, "character.move", { character: "barry", position: [0.05, 0, 0], teleport: true });
  await elapse(page, 0.5);
  const [one, two] = await page.evaluate(() => [...document.querySelectorAll(".labels span")].map((label) => label.getBoundingClientRect().toJSON()));
  assert.ok(one.bottom <= two.top || two.bottom <= one.top || one.right <= two.left || two.right <= one.left, JSON.stringify([one, two]));
  await picture(page, "names");
  await request(page, "character.remove", { character: "barry" });
  await page.evaluate(() => window.tweed.select("alan"));
});

test("the theme follows the system's until the user chooses another one", async () => {
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const system = async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(async () => { for (let i = 0; i < 4; i++) await new Promise(requestAnimationFrame); }); // then it is told
  };
  await system("light");
  await system("dark");
  assert.equal(await theme(), "dark");
  await system("light");
  assert.equal(await theme(), "light");
  await page.click("button[aria-label^='Light or dark']");
  assert.equal(await theme(), "dark");
  await system("dark");
  await system("light");
  assert.equal(await theme(), "dark", "a choice is kept");
  await page.click("button[aria-label^='Light or dark']");
  await system("dark");
  assert.equal(await theme(), "dark", "back at the system's, the page follows it again");
  await system("light");
});

test("on a phone a panel is a sheet below the scene, and Escape closes it", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await eventually(page, () => innerWidth === 390);
  for (const [side, label] of [["right", "Tuning and weather"], ["left", "Characters"]]) {
    const button = page.locator(`button[aria-label='${label}']`), panel = page.locator(`.panel.${side}`);
    await panel.waitFor({ state: "hidden" }); // it is closed at first
    await button.click();
    await panel.waitFor({ state: "visible" });
    await settled(page); // it has slid in
    assert.equal(await button.getAttribute("aria-expanded"), "true");
    await page.evaluate(() => window.tweed.camera.frameAll());
    await settled(page);
    const sheet = await panel.boundingBox();
    const { top, bottom } = await page.evaluate(() => { // where the man is on the screen
      const { stage: { camera, controls }, cast } = window.tweed, { top, height } = document.querySelector("canvas").getBoundingClientRect();
      controls.update();
      camera.updateMatrixWorld();
      const { min, max } = cast.bounds(["alan"]), y = (at) => top + ((1 - at.project(camera).y) / 2) * height;
      return { top: y(min.clone().add(max).divideScalar(2).setY(max.y)), bottom: y(min.clone().add(max).divideScalar(2).setY(min.y)) };
    });
    assert.ok(top > 84 && bottom < sheet.y, `the man is at ${top} to ${bottom}, the sheet at ${sheet.y}`);
    await picture(page, `390x844-${side}`);
    if (side === "right") await panel.locator("input[type=number]").first().focus();
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "hidden" });
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), label);
    assert.equal(await button.getAttribute("aria-expanded"), "false");
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.click("button[aria-label^='Follow']");
});

test("cloth that is not simulated is not measured, and a place is told for what is", async () => {
  await page.click("role=tab[name='Measure']");
  const figure = page.locator(".plot:has-text('Greatest stretch')");
  await eventually(page, () => /at alan · jacket, column \d+, rows \d+ and \d+/.test(document.querySelector(".plots").textContent));
  assert.ok(Number.parseFloat(await figure.locator(".plot-a").textContent()) < 0.1);
  await figure.locator("summary").click();
  assert.match(await figure.locator("details p").innerText(), /the solver holds their lengths/);
  await picture(page, "measure");

  await request(page, "character.play", { character: "alan", clip: "walk", loop: true });
  await request(page, "character.level", { character: "alan", level: "skinned" });
  await eventually(page, () => /whose cloth is not simulated now/.test(document.querySelector(".plots").textContent));
  for (let second = 0; second < 3; second++) {
    assert.equal(Number.parseFloat(await figure.locator(".plot-a").textContent()), 0);
    await elapse(page, 1);
  }
  await request(page, "character.level", { character: "alan", level: "full" });
  await eventually(page, () => /at alan · jacket, column/.test(document.querySelector(".plots").textContent));
  assert.ok(Number.parseFloat(await figure.locator(".plot-a").textContent()) < 0.1);
  await page.click("role=tab[name='Tune']");
});

/** How bright his pixels are on average, 0 to 255, seen from his front while that shows to so many degrees. */
async function brightness(degrees) {
  await turn("alan", degrees);
  await page.evaluate(() => {
    const { camera, cast, stage } = window.tweed, { target } = stage.controls;
    camera.follows = false;
    cast.characters.get("alan").bones.position(0, target);
    stage.camera.position.copy(target).addScaledVector(cast.characters.get("alan").bones.front(target.clone()), 3);
  });
  const his = (await canvasPixels(page, { onlyHim: true })).filter((pixel) => pixel >= 0);
  assert.ok(his.length > 1000, `${his.length} pixels of the man`);
  const sum = his.reduce((all, pixel) => all + 0.3 * (pixel & 255) + 0.59 * ((pixel >> 8) & 255) + 0.11 * ((pixel >> 16) & 255), 0);
  return sum / his.length;
}

test("who turns his back to the sun is lit from the camera's side", async () => {
  await request(page, "character.play", { character: "alan", clip: "stand", loop: true });
  await page.setViewportSize({ width: 360, height: 500 });
  for (const theme of ["dark", "light"]) {
    await page.evaluate((name) => window.tweed.setTheme(name), theme);
    const toSun = await brightness(0), away = await brightness(180);
    assert.ok(away > 0.85 * toSun, `${theme}: ${away} of ${toSun}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await turn("alan", 0);
  await page.evaluate(() => (window.tweed.camera.follows = true));
});

test("a sleeve creases at the elbow, cloth that is simulated does not for its bones", async () => {
  const { elbow, hem } = await page.evaluate(() => {
    const { surfaces, description } = window.tweed.cast.characters.get("alan");
    const { bend, bendBones, otherBend, otherBendBones, position, skinIndex } = surfaces.find(({ name }) => name === "jacket").geometry.attributes;
    const cloth = new Set(description.garments.flatMap(({ bones }) => bones.map(([, bone]) => bone)));
    const of = { elbow: new Set(), hem: 0 };
    for (let i = 0; i < position.count; i++) {
      for (const [shares, bones] of [[bend, bendBones], [otherBend, otherBendBones]])
        if (shares.getW(i) > 0.9) of.elbow.add([bones.getX(i), bones.getY(i)].map((bone) => description.bones[bone].name).sort().join(" "));
      if (position.getY(i) < 0.8 && cloth.has(skinIndex.getX(i))) of.hem = Math.max(of.hem, bend.getW(i), otherBend.getW(i));
    }
    return { elbow: [...of.elbow], hem: of.hem };
  });
  for (const side of ["left", "right"]) assert.ok(elbow.includes(`cuff_${side} sleeve_twist_${side}`), `${elbow}`);
  assert.equal(hem, 0);
});

test("trousers crease below the belt only where a thigh is lifted", async () => {
  const least = await page.evaluate(() => {
    const { surfaces, description } = window.tweed.cast.characters.get("alan");
    const { bend, bendBones, otherBend, otherBendBones } = surfaces.find(({ name }) => name === "trousers").geometry.attributes;
    const found = {};
    for (const [shares, bones] of [[bend, bendBones], [otherBend, otherBendBones]])
      for (let i = 0; i < shares.count; i++) if (shares.getW(i) > 0) found[[bones.getX(i), bones.getY(i)].map((bone) => description.bones[bone].name).sort().join(" ")] = bones.getZ(i);
    return found;
  });
  for (const [bones, bent] of Object.entries(least)) assert.equal(bent > 2 * Math.sin(Math.PI / 8), /hip|pelvis/i.test(bones), `${bones}: ${bent}`);
});

test("the hem of a veil is rounder than its particles are placed", async () => {
  await request(page, "character.spawn", { script: "characters/old_lady", name: "lady", position: [2, 0, 0] });
  await eventually(page, () => window.tweed.cast.characters.get("lady")?.hasMeshes);
  await elapse(page, 1);
  const [drawn, own] = await page.evaluate(() => {
    const lady = window.tweed.cast.characters.get("lady"), { columns } = lady.description.garments.find(({ name }) => name === "veil");
    const surface = lady.surfaces.find(({ name, visible, isSkinnedMesh }) => name === "veil" && visible && !isSkinnedMesh);
    const sharpest = (places, count) => { // degrees between neighbours along the last row
      const at = (i) => [...places.slice(places.length - 3 * (count - i)).slice(0, 3)];
      const steps = Array.from({ length: count - 1 }, (_, i) => at(i + 1).map((x, axis) => x - at(i)[axis]));
      const turn = (a, b) => Math.acos(Math.max(-1, Math.min(1, a.reduce((sum, x, axis) => sum + x * b[axis], 0) / Math.hypot(...a) / Math.hypot(...b))));
      return (Math.max(...steps.slice(1).map((step, i) => turn(step, steps[i]))) * 180) / Math.PI;
    };
    return [sharpest(surface.geometry.attributes.position.array, 4 * (columns - 1) + 1), sharpest(lady.particles("veil"), columns)];
  });
  assert.ok(drawn < 0.85 * own, `${drawn} degrees, of its particles ${own}`);
  await picture(page, "veil");
  await request(page, "character.remove", { character: "lady" });
});

test("an edited material of a fabric shows on who wears it", async () => {
  await request(page, "character.spawn", { script: "characters/clad", name: "clad", position: [2, 0, 0] });
  const isMore = (than) => eventually(page, (than) => {
    const clad = window.tweed.cast.characters.get("clad"), { color } = clad?.surfaces.find(({ name }) => name === "jacket")?.material ?? {};
    return clad?.hasMeshes && color[than.more] > color[than.less];
  }, than);
  await isMore({ more: "r", less: "b" });
  felt(".1, .1, .8");
  await isMore({ more: "b", less: "r" });
  await page.evaluate(() => {
    const { cast, server } = window.tweed, [surface] = cast.characters.get("clad").surfaces, { request } = server;
    window.kept = { surface, fetched: 0 };
    server.request = async (method, params) => {
      const result = await request.call(server, method, params);
      if (params?.mesh) window.kept.fetched++;
      return result;
    };
  });
  felt(".1, .1, .8", "damping = 6,");
  await eventually(page, () => window.kept.fetched > 0);
  await page.evaluate(drawOnce, 0.1);
  assert.ok(await page.evaluate(() => window.tweed.cast.characters.get("clad").surfaces[0] === window.kept.surface), "equal meshes are drawn anew");
  await request(page, "character.remove", { character: "clad" });
});

test("what a character has on the graphics card is freed with the last one that needs it", async () => {
  const drawn = async () => {
    await page.evaluate(drawOnce, 0.1);
    return page.evaluate(() => window.tweed.stage.renderer.info.memory.geometries);
  };
  const spawn = async (name) => {
    await request(page, "character.spawn", { script: "characters/old_lady", name, position: [2, 0, 0] });
    await eventually(page, (name) => window.tweed.cast.characters.get(name)?.hasMeshes && window.tweed.cast.characters.get(name).sample, name);
  };
  const remove = async (name) => {
    await request(page, "character.remove", { character: name });
    await eventually(page, (name) => !window.tweed.cast.characters.has(name), name);
  };
  const none = await drawn();
  await spawn("lady");
  const one = await drawn();
  await spawn("other");
  await drawn();
  const shadows = await page.evaluate(() => {
    window.freed = 0;
    const materials = window.tweed.cast.characters.get("other").surfaces.map((mesh) => mesh.customDepthMaterial).filter(Boolean);
    for (const material of materials) material.addEventListener("dispose", () => window.freed++);
    return materials.length;
  });
  await remove("other");
  assert.equal(await drawn(), one, "what is shared stays while one has it");
  await remove("lady");
  assert.equal(await drawn(), none, `with her ${one}`);
  assert.ok(shadows > 0, "there are shadows of gauze");
  assert.equal(await page.evaluate(() => window.freed), shadows);
});

test("cloth and the lines from its references are drawn at the moment that is shown, while it moves", async () => {
  await request(page, "character.spawn", { script: "characters/old_lady", name: "lady", position: [2, 0, 0] });
  await eventually(page, () => window.tweed.cast.characters.get("lady")?.hasMeshes);
  await request(page, "character.play", { character: "alan", clip: "walk", loop: true });
  await page.evaluate(() => window.tweed.setSwitch("distances", true));
  const off = await page.evaluate(() => new Promise((done) => {
    const { cast, drawn } = window.tweed, worst = { surface: 0, line: 0, moved: 0 };
    const apart = (a, i, b, j) => Math.hypot(a[3 * i] - b[3 * j], a[3 * i + 1] - b[3 * j + 1], a[3 * i + 2] - b[3 * j + 2]);
    let left = 40, last;
    const end = drawn.on(() => {
      const lady = cast.characters.get("lady"), alan = cast.characters.get("alan"), veil = lady.particles("veil"); // as plots do, between two pictures
      const surface = lady.surfaces.find(({ name, visible, isSkinnedMesh }) => name === "veil" && visible && !isSkinnedMesh);
      const lines = alan.overlays.group.children.flatMap(({ children }) => children).find(({ isLineSegments, visible }) => isLineSegments && visible);
      if (!surface || !veil || !lines) return;
      worst.surface = Math.max(worst.surface, apart(surface.geometry.attributes.position.array, 0, veil, 0)); // both are its first particle
      const { array } = lines.geometry.attributes.position; // those of the jacket, whose top row is at its references
      worst.line = Math.max(worst.line, apart(array, 0, array, 1));
      if (last) worst.moved = Math.max(worst.moved, apart(veil, 0, last, 0));
      last = veil.slice(0, 3);
      if (--left > 0) return;
      end();
      done(worst);
    });
  }));
  await page.evaluate(() => window.tweed.setSwitch("distances", false));
  await request(page, "character.remove", { character: "lady" });
  assert.ok(off.moved > 0.005, `it moves by ${off.moved} m from picture to picture`);
  assert.ok(off.surface < 1e-4, `the veil is ${off.surface} m from its particles`);
  assert.ok(off.line < 0.002, `the top row of the jacket is ${off.line} m from its references`);
});

test("a page that is opened later marks what was tuned, and takes it back to the fabric's value", async () => {
  const { values } = await request(page, "fabric.get", { fabric: "tweed" }), wanted = 2 * values.density.value;
  await request(page, "fabric.set", { character: "alan", garment: "jacket", values: { density: wanted } });
  const later = await openPage(browser, server.url, mistakes);
  try {
    await eventually(later, () => document.querySelector("[data-value=density].moved"));
    assert.equal(await later.getAttribute("[data-value=density] button", "title"), `Back to ${values.density.value} kg/m²`);
    await later.evaluate(() => document.querySelector("[data-value=density] button").click());
    await until(async () => (await request(page, "fabric.get", { character: "alan", garment: "jacket" })).values.density.value === values.density.value,
      () => "it is not taken back");
  } finally {
    await later.close();
  }
});

test("a twin goes with the page that compares it", async () => {
  const later = await openPage(browser, server.url, mistakes);
  await later.evaluate(() => window.tweed.comparison.begin("alan"));
  const names = async () => (await request(page, "character.list")).map(({ name }) => name);
  assert.ok((await names()).includes("alan B"));
  await later.goto("about:blank");
  await later.close();
  await until(async () => !(await names()).includes("alan B"), () => "it has stayed");
});

test("a server that does not save fabrics says so", async () => {
  await page.click(".tuning button:has-text('Save')");
  assert.match(await page.textContent("dialog.lua .hint"), /^This server does not save: it is started without --allow-save\. Put the downloaded file .* fabrics\/alan_jacket\.lua/);
  await page.keyboard.press("Escape");
});

test("the edge of the ground is out of sight from any distance", async () => {
  const shares = await page.evaluate(() => [1, 12, 30, 120].map((distance) => {
    const { ground, controls: { target } } = window.tweed.stage;
    ground.follow(target, distance);
    ground.mesh.geometry.computeBoundingSphere();
    return ground.mesh.geometry.boundingSphere.radius * ground.mesh.scale.x / (3.2 * ground.mesh.material.uniforms.reach.value);
  }));
  assert.ok(Math.min(...shares) > 1, `its radius, as a share of where it has faded: ${shares}`);
  assert.ok(await page.evaluate(() => window.tweed.stage.camera.far > 120 * (1 + 1.6 * 3.2)));
});

test("while the server is gone the page says that, not that there are no characters", async () => {
  const hint = page.locator(".stage .empty");
  await request(page, "character.remove", { character: "alan" });
  await hint.waitFor({ state: "visible" });
  assert.match(await hint.textContent(), /^No characters/);
  await server.stop();
  await eventually(page, () => document.querySelector(".connection").dataset.state === "lost");
  assert.ok(await hint.isVisible());
  assert.equal(await hint.textContent(), "The server is gone. Reconnecting…");
  assert.doesNotMatch(await page.textContent(".status"), /frames\/s|latency/, "nor are its last numbers shown");
  await picture(page, "gone");
  await server.start();
  await eventually(page, () => document.querySelector(".connection").dataset.state === "open" && window.tweed.cast.characters.size === 1);
  await hint.waitFor({ state: "hidden" });
});

test("the browser had nothing to complain of", () => assert.deepEqual(mistakes, []));
