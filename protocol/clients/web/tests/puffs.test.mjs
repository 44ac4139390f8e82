// How down puffs out, by itself: panels that meet stay together, and a border stays where it is.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { build } from "esbuild";

const entryPoints = [fileURLToPath(new URL("../src/scene/fabric/puffs.ts", import.meta.url))];
const { outputFiles: [{ text }] } = await build({ entryPoints, bundle: true, write: false, format: "esm", treeShaking: true });
const { addPuffs } = await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`);

const BAFFLE = 0.072;

/** A sheet of cells of a quarter of a seam's distance; uvs begin at `from`. */
function panel(left, columns, from) {
  const rows = 9, positions = [], uvs = [], triangles = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      positions.push(0.018 * (left + column), -0.018 * row, 0);
      uvs.push(0.018 * column, from - 0.018 * row);
    }
  }
  for (let row = 0; row + 1 < rows; row++) {
    for (let column = 0; column + 1 < columns; column++) {
      const i = row * columns + column;
      triangles.push(i, i + columns, i + 1, i + 1, i + columns, i + columns + 1);
    }
  }
  return { positions, uvs, triangles };
}

function puffsOf(mesh) {
  let puff;
  addPuffs({ setAttribute: (name, attribute) => (puff = attribute.array) }, mesh);
  return puff;
}

test("cloth puffs out between two seams, not at a seam nor at the border", () => {
  const puff = puffsOf(panel(0, 5, 0)); // seams lie on rows 0, 4 and 8
  assert.ok(puff[2 * 5 + 2] > 0.01, `${puff[2 * 5 + 2]} m half way between two seams`);
  assert.equal(puff[4 * 5 + 2], 0);
  for (let row = 0; row < 9; row++) for (const column of [0, 4]) assert.equal(puff[row * 5 + column], 0);
});

test("panels whose seams do not line up stay together where they meet", () => {
  const one = panel(0, 3, 0), two = panel(2, 3, BAFFLE / 3), count = one.positions.length / 3;
  const puff = puffsOf({
    positions: [...one.positions, ...two.positions], uvs: [...one.uvs, ...two.uvs],
    triangles: [...one.triangles, ...two.triangles.map((i) => i + count)],
  });
  const meeting = Array.from({ length: 9 }, (_, row) => [puff[row * 3 + 2], puff[count + row * 3]]);
  for (const [a, b] of meeting) assert.equal(a, b);
  assert.ok(meeting.some(([a]) => a > 0.002), "where they meet they puff out, too");
});
