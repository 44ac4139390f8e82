// The stretch of cloth by itself: which links count, and where the longest of them is.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { transform } from "esbuild";

const source = readFileSync(new URL("../src/motion/stretch.ts", import.meta.url), "utf8"); // it imports types alone
const { code } = await transform(source, { loader: "ts", format: "esm" });
const { linksOf, stretchOf } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

/** A sheet of 3 rows and 4 columns, a metre apart, whose first row is pinned. Cells in `cut` have no triangles. */
function sheet(cut = []) {
  const rows = 3, columns = 4, rest = [], triangles = [];
  for (let i = 0; i < rows * columns; i++) rest.push(i % columns, -Math.floor(i / columns), 0);
  for (let row = 0; row + 1 < rows; row++) {
    for (let column = 0; column + 1 < columns; column++) {
      const i = row * columns + column;
      if (!cut.some(([r, c]) => r === row && c === column)) triangles.push(i, i + columns, i + 1, i + 1, i + columns, i + columns + 1);
    }
  }
  return { rows, columns, closed: false, rest, triangles, pinned: [0, 1, 2, 3] };
}
/** The positions at rest, with one particle moved. */
function moved({ rest, columns }, row, column, by) {
  const particles = [...rest];
  by.forEach((metres, axis) => (particles[3 * (row * columns + column) + axis] += metres));
  return particles;
}

test("the longest link of a column is found, with its place; rows are not measured", () => {
  const garment = sheet();
  assert.deepEqual(stretchOf(garment, moved(garment, 2, 1, [0, -0.25, 0])), { value: 0.25, place: "column 1, rows 1 and 2" });
  assert.deepEqual(stretchOf(garment, garment.rest), { value: 0, place: "" });
  const wider = garment.rest.map((number, i) => (i % 3 === 0 ? 1.2 * number : number)); // a hem that is cut so hangs in folds, unstretched
  assert.equal(stretchOf(garment, wider).value, 0);
});

test("two sides of a slit are not linked", () => {
  const garment = sheet([[1, 1]]), { rows } = linksOf(garment);
  assert.deepEqual(rows.filter(([a]) => a >= 8), [[8, 9], [10, 11]]);
  assert.equal(linksOf(sheet()).rows.length, 9);
});

test("what the body stretches is left out: links between pinned particles", () => {
  const garment = { ...sheet(), pinned: [0, 1, 2, 3, 5] };
  assert.equal(stretchOf(garment, moved(garment, 0, 1, [0, 2, 0])).value, 0);
});

test("chains have a column alone, rings close their rows, and meshes have edges", () => {
  const chain = { rows: 3, columns: 1, closed: false, rest: [0, 0, 0, 0, -1, 0, 0, -2, 0], triangles: [], pinned: [0] };
  assert.deepEqual(linksOf(chain), { columns: [[0, 1], [1, 2]], rows: [] });
  assert.equal(stretchOf(chain, [0, 0, 0, 0, -1.5, 0, 0, -2, 0]).place, "column 0, rows 0 and 1");
  assert.deepEqual(linksOf({ ...sheet(), triangles: [], closed: true }).rows.filter(([a, b]) => b < a), [[3, 0], [7, 4], [11, 8]]);
  const mesh = { rows: 0, columns: 0, closed: false, rest: [0, 0, 0, 1, 0, 0, 0, 1, 0], triangles: [0, 1, 2], pinned: [] };
  assert.deepEqual(linksOf(mesh).rows, [[0, 1], [1, 2], [0, 2]]);
  assert.equal(stretchOf(mesh, [0, 0, 0, 3, 0, 0, 0, 1, 0]).value, 0);
});
