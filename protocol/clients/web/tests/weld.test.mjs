// What prepares a mesh, by itself: which vertices are at one place, where borders and seams are, and how far a bend spreads.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { build } from "esbuild";

const modules = ["weld", "grid", "seams", "bends"].map((name) => `export * from "./${name}";`).join("");
const resolveDir = fileURLToPath(new URL("../src/scene/fabric", import.meta.url));
const { outputFiles: [{ text }] } = await build({
  stdin: { contents: modules, resolveDir, loader: "ts" }, bundle: true, write: false, format: "esm", treeShaking: true,
});
const { addBends, addSeams, borderOf, edgesOf, Grid, weld } = await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`);

const SIDE = 20, STEP = 0.01;

/** A flat sheet; its left half follows bone 0, its right half bone 1, and the column in the middle both. */
function sheet() {
  const mesh = { positions: [], uvs: [], triangles: [], joints: [], weights: [] };
  for (let i = 0; i < (SIDE + 1) ** 2; i++) {
    const column = i % (SIDE + 1), row = Math.floor(i / (SIDE + 1)), share = column < SIDE / 2 ? 0 : column > SIDE / 2 ? 1 : 0.5;
    mesh.positions.push(STEP * column, STEP * row, 0);
    mesh.uvs.push(STEP * column, STEP * row);
    mesh.joints.push(0, 1, 0, 0);
    mesh.weights.push(1 - share, share, 0, 0);
    if (column < SIDE && row < SIDE) mesh.triangles.push(i, i + 1, i + SIDE + 1, i + SIDE + 1, i + 1, i + SIDE + 2);
  }
  return mesh;
}

function attributesOf(add) {
  const attributes = {};
  add({ setAttribute: (name, { array }) => (attributes[name] = array) });
  return attributes;
}

test("rows that round alike are one, as strings of them tell", () => {
  const rows = Array.from({ length: 3000 }, (_, i) => ((i * 7919) % 13) * 1e-5 - 6e-5 + ((i % 5) - 2) * 1e-6);
  const firsts = new Map(), places = weld(rows, 3, 1e-5);
  for (let i = 0; i < places.length; i++) {
    const key = rows.slice(3 * i, 3 * i + 3).map((x) => Math.round(x / 1e-5) + 0).join(" ");
    if (!firsts.has(key)) firsts.set(key, i);
    assert.equal(places[i], firsts.get(key));
  }
  assert.ok(firsts.size < places.length);
  assert.deepEqual([...weld([0, 0, 0, 1], 1, 1, new Uint32Array([0, 0, 2, 2]))], [0, 0, 2, 3]);
});

test("two triangles share the edge that both pass, and all others are their border", () => {
  const triangles = [0, 1, 2, 3, 2, 1];
  assert.deepEqual([...edgesOf(triangles, new Uint32Array([0, 1, 2, 3]))], [0, 1, 2, 3, 1, 5]);
  assert.deepEqual(borderOf(triangles, new Uint32Array([0, 1, 2, 3])), [0, 2, 3, 5]);
  assert.deepEqual(borderOf(triangles, new Uint32Array([0, 1, 2, 0])), [], "where the fourth vertex is at the first one's place");
});

test("a grid finds all points in a box", () => {
  const { positions } = sheet(), grid = new Grid(positions, 0.03), found = new Set();
  grid.some(0.05, 0.05, -1, 0.08, 0.1, 1, (cell) => {
    for (let k = grid.starts[cell]; k < grid.starts[cell + 1]; k++) found.add(grid.order[k]);
    return false;
  });
  for (let i = 0; i < positions.length / 3; i++) {
    const [x, y] = positions.slice(3 * i, 3 * i + 2);
    if (x >= 0.05 && x <= 0.08 && y >= 0.05 && y <= 0.1) assert.ok(found.has(i));
  }
  assert.ok(found.size < positions.length / 6, `${found.size} points are looked at`);
  assert.equal(new Grid([], 0.03).some(-1, -1, -1, 1, 1, 1, () => true), false);
});

test("seams are as far as the sheet's border", () => {
  const mesh = sheet(), { seam } = attributesOf((geometry) => addSeams(geometry, mesh));
  seam.forEach((far, i) => {
    const column = i % (SIDE + 1), row = Math.floor(i / (SIDE + 1));
    assert.ok(Math.abs(far - Math.min(0.08, STEP * Math.min(column, row, SIDE - column, SIDE - row))) < 1e-6);
  });
});

test("a bend is nearest in the middle, and ends 15 cm along the mesh from there", () => {
  const mesh = sheet(), { bend, bendBones, otherBend } = attributesOf((geometry) => addBends(geometry, mesh, new Set()));
  const shareAt = (column) => bend[4 * (10 * (SIDE + 1) + column) + 3];
  for (let k = 0; k <= SIDE / 2; k++) assert.ok(Math.abs(shareAt(SIDE / 2 + k) - (shareAt(SIDE / 2) - (STEP * k) / 0.15)) < 1e-5);
  assert.ok(shareAt(SIDE / 2) > 0.9);
  assert.deepEqual([...bendBones.slice(0, 2)], [0, 1]);
  assert.ok(otherBend.every((x) => x === 0));
  assert.ok(attributesOf((geometry) => addBends(geometry, mesh, new Set([1]))).bend.every((x) => x === 0), "cloth's bones bend nothing");
});
