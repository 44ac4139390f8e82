// What `tweed bake` writes: Khronos' validator finds nothing to complain of, and three.js shows it as it is streamed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { validateBytes } from "gltf-validator";
import { AnimationMixer, Box3, Vector3 } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { Server } from "./harness.mjs";

const server = new Server(); // of its folder and its scene alone: it is never started
let bytes, gltf;

before(async () => {
  const scene = server.write("scenes/pair.lua", `
local tweed = require "tweed"
return tweed.scene {
  spawn = {
    { script = "characters/wake", name = "alan", params = { clip = "walk" } },
    { script = "characters/dancer", name = "guest", position = { 2, 0, 0 } },
  },
}`);
  const path = join(server.folder, "pair.glb");
  const { status, output } = server.run("bake", scene, "--seconds", "0.5", "--out", path);
  assert.equal(status, 0, output);
  bytes = readFileSync(path);
  gltf = await new GLTFLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "");
});

after(() => server.remove());

test("Khronos' validator finds neither errors nor warnings", async () => {
  const { issues } = await validateBytes(new Uint8Array(bytes), { maxIssues: 1000 });
  assert.deepEqual(issues.messages.filter(({ severity }) => severity < 2), []);
});

test("three.js moves both people, dressed, where they are", () => {
  assert.deepEqual(gltf.animations.map(({ name }) => name), ["alan", "guest"]);
  const boxes = (time) => gltf.animations.map((animation) => {
    const mixer = new AnimationMixer(gltf.scene);
    mixer.clipAction(animation).play();
    mixer.setTime(time);
    gltf.scene.updateMatrixWorld(true);
    const box = new Box3(), point = new Vector3();
    gltf.scene.traverse((object) => {
      if (!object.isSkinnedMesh || !object.name.startsWith(animation.name)) return;
      for (let i = 0; i < object.geometry.attributes.position.count; i++)
        box.expandByPoint(object.getVertexPosition(i, point).applyMatrix4(object.matrixWorld));
    });
    return box;
  });
  const [alan, guest] = boxes(0), [later] = boxes(0.45);
  for (const box of [alan, guest]) {
    assert.ok(Math.abs(box.min.y) < 0.06, `feet at ${box.min.y} m`);
    assert.ok(box.max.y > 1.5 && box.max.y < 2.2, `crown at ${box.max.y} m`);
  }
  assert.ok(Math.abs((guest.min.x + guest.max.x) / 2 - 2) < 0.3, "the guest is 2 m to the side");
  assert.ok(later.getCenter(new Vector3()).distanceTo(alan.getCenter(new Vector3())) > 0.2, "he walks");
});
