// Which meshes the page asks for again when a script is loaded, by itself.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { build } from "esbuild";

const modules = `export * from "./meshes"; export * from "./signal";`, resolveDir = fileURLToPath(new URL("../src/net", import.meta.url));
const { outputFiles: [{ text }] } = await build({ stdin: { contents: modules, resolveDir, loader: "ts" }, bundle: true, write: false, format: "esm" });
const { MeshLibrary, Signal } = await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`);

test("a script that is loaded outdates its own meshes, not those of others", async () => {
  const asked = [], outdated = [], server = {
    opened: new Signal(), event: new Signal(),
    request: (_, { character }) => (asked.push(character), Promise.resolve({ meshes: [{ name: character }] })),
  };
  const library = new MeshLibrary(server), describe = (name, script) => ({ name, script, bones: [], garments: [] });
  library.outdated.on((script) => outdated.push(script));
  const alan = describe("alan", "characters/wake"), wolf = describe("wolf", "characters/wolf");
  const [man, beast] = [await library.of(alan), await library.of(wolf)];
  server.event.emit({ method: "script.loaded", params: { script: "characters/wolf" } });
  assert.equal(await library.of(alan), man);
  assert.equal(await library.of(describe("alan's double", "characters/wake")), man);
  assert.notEqual(await library.of(wolf), beast);
  assert.deepEqual(asked, ["alan", "wolf", "wolf"]);
  assert.deepEqual(outdated, ["characters/wolf"]);
});
