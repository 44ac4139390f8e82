// ./dev picture draws any scene, or says in one line what is wrong.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "tweed-picture-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function scene(spawn) {
  const file = join(folder, "scene.lua");
  writeFileSync(file, `local tweed = require "tweed"\nreturn tweed.scene { spawn = { ${spawn} } }\n`);
  return file;
}

const output = join(folder, "picture.png");
function picture(file, ...options) { // small: its status and what it wrote
  const words = [join(ROOT, "tests/tools/picture.mjs"), file, "--times", "0.1", "--cell", "16", "--output", output, ...options];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8", timeout: 120000 });
  return { status, text: stdout + stderr };
}

const size = () => { const png = readFileSync(output); return [png.readUInt32BE(16), png.readUInt32BE(20)]; };

test("a sheet has a column for each character and a row for each side", () => {
  const file = scene(Array.from({ length: 5 }, (_, i) => `{ script = "characters/mannequins/silk", name = "n${i}", position = { ${i}, 0, 0 } },`).join("\n"));
  assert.deepEqual(picture(file, "--all", "--from", "front,back,-30"), { status: 0, text: `${output}\n` });
  assert.deepEqual(size(), [26 + 5 * 16, 2 * 26 + 3 * 20]);
  assert.equal(picture(file, "--all", "--from", "front,back", "--columns", "2").status, 0);
  assert.deepEqual(size(), [26 + 2 * 16, 26 + 3 * (26 + 2 * 20)]);
});

test("a folder of scripts is taken", () => {
  mkdirSync(join(folder, "own/characters"), { recursive: true });
  cpSync(join(ROOT, "scripts/characters/human.lua"), join(folder, "own/characters/mine.lua"));
  const file = scene('{ script = "characters/mine", name = "alan" }');
  assert.deepEqual(picture(file, "--scripts", join(folder, "own"), "--wide", "--cell", "160"), { status: 0, text: `${output}\n` });
  assert.deepEqual(size(), [160, 90]);
});

test("a film has thirty pictures a second", () => {
  const film = join(folder, "film.webm");
  assert.deepEqual(picture(scene('{ script = "characters/human" }'), "--cell", "64", "--video", film), { status: 0, text: `${film}\n` });
  const { stdout } = spawnSync("ffprobe", ["-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames,r_frame_rate", "-of", "csv=p=0", film], { encoding: "utf8" });
  assert.equal(stdout.trim(), "30/1,4");
});

const human = '{ script = "characters/human" }';
for (const [spawn, options, message] of [
  ['{ script = "characters/wake" }, },\nspwn = { ', [], '{scene}:3: spwn: unknown key; did you mean "spawn"?'],
  ["", [], "{scene}: the scene has no characters"],
  [human, ["--character", "eve"], 'no character "eve"'],
  [human, ["--call", "0.05=fly"], 'no command "fly"'],
  [human, ["--close", "Head,cape"], 'no garment or bone "cape"'],
  [human, ["--output", "/proc/x.png"], "ENOENT: no such file or directory, open '/proc/x.png'"],
  [human, ["--output", "x.jpeg"], "--output: expected the name of a file that ends in .png or .jpg, not x.jpeg"],
  [human, ["--times=-1"], "--times: expected 0 to 3600 s, not -1"],
  [human, ["--from", "above"], "--from: expected -360 to 360 degrees or one of front, corner, side, back, not above"],
]) {
  test(`in one line: ${message}`, () => {
    const file = scene(spawn), { status, text } = picture(file, ...options);
    assert.deepEqual([status, text], [1, `error: ${message.replace("{scene}", file)}\n`]);
  });
}
