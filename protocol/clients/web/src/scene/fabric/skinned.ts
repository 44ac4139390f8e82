// Render meshes, skinned on the graphics card by a character's bones.
import { BufferAttribute, BufferGeometry, FrontSide, InstancedBufferGeometry, Matrix4, SkinnedMesh, type Mesh } from "three";
import type { Mesh as MeshData } from "../../net/protocol";
import type { Bones } from "../bones";
import type { Occluders } from "../occluders";
import { addBends } from "./bends";
import { addPuffs } from "./puffs";
import { addSeams } from "./seams";
import { Grid } from "./grid";
import { edgesOf, nextCorner, weld } from "./weld";
import { disposeMaterials, fabricMaterial, gauzeShadow, hasSeams, isCloth, SHELLS, type WrinkleTexture } from "./fabric-material";

const IDENTITY = new Matrix4();
const THICK = 0.008; // m between the sides of a cloth at most
const WELD = 1e-5; // m: vertices that are nearer are one place,
const SAME = 1e-6; // m: and to tell whether a mesh is closed
const CELL = 0.02; // m, of the grids in which the other side of a cloth is looked for
const PARTED = 0.03; // m from what lies in fur, such as eyes, claws and straps, up to where the fur is whole
const LYING = 0.03; // m from the tips of hair up to where its strands lie loose
const SAMPLES = 200; // vertices of a mesh that are looked at
const geometries = new WeakMap<MeshData, BufferGeometry>(); // characters of one script share theirs
const users = new WeakMap<BufferGeometry, number>(); // meshes that have it
const sides = new WeakMap<MeshData[], Set<MeshData>>();

/** What the meshes of one character share. */
export interface Wearer {
  bones: Bones;
  wrinkles: WrinkleTexture;
  occluders: Occluders;
  clothBones: ReadonlySet<number>; // those of simulated cloth
  meshes: MeshData[]; // all
}

export function skinnedMesh(data: MeshData, wearer: Wearer): SkinnedMesh {
  const { bones, occluders, wrinkles } = wearer;
  const material = fabricMaterial(data.material, {
    occluders, wrinkles: data.garment !== undefined ? wrinkles : null, bends: isCloth(data.material.pattern),
    seams: hasSeams(data.material.pattern),
  });
  if (oneSided(wearer.meshes).has(data)) material.side = FrontSide;
  const geometry = geometryOf(data, wearer), mesh = new SkinnedMesh(geometry, material);
  users.set(geometry, (users.get(geometry) ?? 0) + 1);
  mesh.name = data.name;
  mesh.userData["garment"] = data.garment;
  mesh.bindMode = "detached"; // the bones are in the world already, the mesh stays at the origin
  mesh.bind(bones.skeleton, IDENTITY);
  mesh.boundingSphere = bones.bounds;
  mesh.castShadow = true;
  if (data.material.pattern === "hair") thinOut(mesh);
  mesh.receiveShadow = !material.transparent; // its own shadow, of dots, would darken what light goes through
  if (material.transparent) mesh.customDepthMaterial = gauzeShadow();
  return mesh;
}

/** Frees what a mesh has on the graphics card. Its geometry goes with the last mesh that has it, and comes back with the next. */
export function disposeSkinned(mesh: Mesh): void {
  const left = (users.get(mesh.geometry) ?? 1) - 1;
  users.set(mesh.geometry, left);
  if (left === 0) mesh.geometry.dispose();
  disposeMaterials(mesh);
}

/** Lets hair draw the shells that one can tell apart: all from near, one from afar and for shadows. */
function thinOut(mesh: SkinnedMesh): void {
  const geometry = mesh.geometry as InstancedBufferGeometry, { count, length } = SHELLS["hair"];
  mesh.onBeforeRender = (renderer, _scene, camera) => {
    const far = mesh.boundingSphere?.center.distanceTo(camera.position) ?? 0;
    const pixels = (length / Math.max(1e-3, far)) * camera.projectionMatrix.elements[5] * 0.5 * renderer.domElement.height;
    geometry.instanceCount = Math.max(1, Math.min(count, Math.ceil(count * pixels)));
  };
  mesh.onBeforeShadow = () => (geometry.instanceCount = 1);
}

/**
 * Those that are drawn from their own side only: closed ones, and those that are one side of a thick cloth, whose other
 * side is another mesh of the same garment, as a lining is. Where sharp folds push one side through the other, it does
 * not show.
 */
function oneSided(meshes: MeshData[]): Set<MeshData> {
  let found = sides.get(meshes);
  if (found) return found;
  const grids = new Map<MeshData, Grid>();
  const gridOf = (mesh: MeshData): Grid => {
    const grid = grids.get(mesh) ?? new Grid(mesh.positions, CELL);
    grids.set(mesh, grid);
    return grid;
  };
  sides.set(meshes, (found = new Set(meshes.filter((mesh) => isClosed(mesh) || isBacked(mesh, meshes, gridOf)))));
  return found;
}

/** Whether a mesh has no border: each edge is passed as often one way as the other, vertices at one place being one. */
function isClosed({ positions, triangles }: MeshData): boolean {
  const places = weld(positions, 3, SAME), edges = edgesOf(triangles, places), ways = new Int32Array(edges.length);
  for (let i = 0; i < triangles.length; i++) {
    const a = places[triangles[i]], b = places[triangles[nextCorner(i)]];
    if (a !== b) ways[edges[i]] += a < b ? 1 : -1;
  }
  return ways.every((way) => way === 0);
}

function isBacked(mesh: MeshData, meshes: MeshData[], gridOf: (mesh: MeshData) => Grid): boolean {
  const others = meshes.filter((other) => other !== mesh && other.garment !== undefined && other.garment === mesh.garment);
  const count = mesh.positions.length / 3, step = Math.ceil(count / SAMPLES);
  for (let i = 0; i < count; i += step) if (!others.some((other) => isBehind(other, gridOf(other), mesh, i))) return false;
  return others.length > 0;
}

/** Whether `other` has a vertex close behind the i-th of a mesh that looks the other way. */
function isBehind(other: MeshData, grid: Grid, { positions, normals }: MeshData, i: number): boolean {
  const x = positions[3 * i], y = positions[3 * i + 1], z = positions[3 * i + 2];
  const a = normals[3 * i], b = normals[3 * i + 1], c = normals[3 * i + 2];
  return grid.some(x - THICK, y - THICK, z - THICK, x + THICK, y + THICK, z + THICK, (cell) => {
    for (let j = grid.starts[cell]; j < grid.starts[cell + 1]; j++) {
      const k = 3 * grid.order[j];
      const squared = (other.positions[k] - x) ** 2 + (other.positions[k + 1] - y) ** 2 + (other.positions[k + 2] - z) ** 2;
      if (squared < THICK * THICK && a * other.normals[k] + b * other.normals[k + 1] + c * other.normals[k + 2] < -0.5) return true;
    }
    return false;
  });
}

/** How long fur is at each vertex: 1 away from what lies in it, 0 there. */
function furLengths({ positions }: MeshData, worn: MeshData[]): Float32Array {
  const lengths = new Float32Array(positions.length / 3).fill(1);
  const inFur = worn.filter((mesh) => mesh.garment === undefined && mesh.material.pattern !== "fur");
  const grids = inFur.map((mesh) => new Grid(mesh.positions, PARTED));
  for (let i = 0; i < lengths.length; i++) {
    const nearest = grids.reduce((far, grid) => nearestIn(grid, positions[3 * i], positions[3 * i + 1], positions[3 * i + 2], far), PARTED);
    lengths[i] = Math.max(0, (nearest / PARTED - 0.3) / 0.7);
  }
  return lengths;
}

/** How far the shells of hair stand off at each vertex: 1 away from the tips of strands, 0 at them. */
function hairLengths({ positions, uvs }: MeshData): Float32Array {
  return new Float32Array(positions.length / 3).map((_, i) => Math.min(1, Math.max(0.1, (uvs[2 * i + 1] ?? 0) / LYING)));
}

/** How far a place is from the nearest point of a grid; at most `far`. */
function nearestIn(grid: Grid, x: number, y: number, z: number, far: number): number {
  const { points, order, starts } = grid;
  grid.some(x - far, y - far, z - far, x + far, y + far, z + far, (cell) => {
    for (let j = starts[cell]; j < starts[cell + 1]; j++) {
      const k = 3 * order[j], dx = points[k] - x, dy = points[k + 1] - y, dz = points[k + 2] - z;
      if (dx * dx + dy * dy + dz * dz < 1.001 * far * far) far = Math.min(far, Math.hypot(dx, dy, dz));
    }
    return false;
  });
  return far;
}

function geometryOf(data: MeshData, { clothBones, meshes }: Wearer): BufferGeometry {
  let geometry = geometries.get(data);
  if (geometry) return geometry;
  const count = data.positions.length / 3;
  const shells = SHELLS[data.material.pattern];
  geometry = shells ? Object.assign(new InstancedBufferGeometry(), { instanceCount: shells.count }) : new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(data.positions), 3));
  geometry.setAttribute("normal", new BufferAttribute(new Float32Array(data.normals), 3));
  geometry.setAttribute("cloth", new BufferAttribute(data.uvs.length === 2 * count ? new Float32Array(data.uvs) : new Float32Array(2 * count), 2));
  geometry.setAttribute("skinIndex", new BufferAttribute(new Uint16Array(data.joints), 4));
  geometry.setAttribute("skinWeight", new BufferAttribute(new Float32Array(data.weights), 4));
  if (shells) geometry.setAttribute("shellLength", new BufferAttribute(data.material.pattern === "fur" ? furLengths(data, meshes) : hairLengths(data), 1));
  const places = isCloth(data.material.pattern) || hasSeams(data.material.pattern) ? weld(data.positions, 3, WELD) : undefined;
  if (isCloth(data.material.pattern)) addBends(geometry, data, clothBones, places);
  if (data.material.pattern === "quilted") addPuffs(geometry, data, places);
  if (hasSeams(data.material.pattern)) addSeams(geometry, data, places);
  geometry.setIndex(new BufferAttribute(new Uint32Array(data.triangles), 1));
  geometries.set(data, geometry);
  return geometry;
}
