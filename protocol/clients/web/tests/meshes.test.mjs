// Which meshes the page asks for again when a script is loaded, by itself.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { build } from "esbuild";

const modules = `export * from "./meshes"; export * from "./signal";`, resolveDir = fileURLToPath(new URL("../src/net", import.meta.url));
const { outputFiles: [{ text }] } = await build({ stdin: { contents: modules, resolveDir, loader: "ts" }, bundle: true, write: false, format: "esm" });
const { MeshLibrary, Signal } = await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`);

test("a script that is loaded outdates its own meshes and those that its fabric is worn in, not others", async () => {
  const asked = [], outdated = [], server = {
    opened: new Signal(), event: new Signal(),
    request: (method, { character } = {}) => method === "fabric.list" ? Promise.resolve([{ name: "tweed", script: "fabrics/wool/herringbone" }])
      : (asked.push(character), Promise.resolve({ meshes: [{ name: character }] })),
  };
  const library = new MeshLibrary(server), describe = (name, script, fabric) => ({ name, script, bones: [], garments: [{ name: "coat", fabric }] });
  library.outdated.on(({ script }) => outdated.push(script));
  const alan = describe("alan", "characters/wake", "tweed"), wolf = describe("wolf", "characters/wolf", "fur");
  const [man, beast] = [await library.of(alan), await library.of(wolf)];
  server.event.emit({ method: "script.loaded", params: { script: "characters/wolf" } });
  assert.equal(await library.of(alan), man);
  assert.equal(await library.of(describe("alan's double", "characters/wake", "tweed")), man);
  assert.notEqual(await library.of(wolf), beast);
  assert.deepEqual(asked, ["alan", "wolf", "wolf"]);
  assert.deepEqual(outdated, ["characters/wolf"]);
  server.event.emit({ method: "script.loaded", params: { script: "fabrics/wool/herringbone" } });
  await new Promise(setImmediate); // for the list of fabrics
  await Promise.all([library.of(wolf), library.of(alan)]);
  assert.deepEqual(asked, ["alan", "wolf", "wolf", "alan"]);
});
