// Render meshes, skinned on the graphics card by a character's bones.
import { BufferAttribute, BufferGeometry, FrontSide, InstancedBufferGeometry, Matrix4, SkinnedMesh } from "three";
import type { Mesh as MeshData } from "../net/protocol";
import type { Bones } from "./bones";
import type { Occluders } from "./occluders";
import { addBends } from "./bends";
import { addPuffs } from "./puffs";
import { addSeams } from "./seams";
import { fabricMaterial, FUR_SHELLS, gauzeShadow, hasSeams, isCloth, type WrinkleTexture } from "./fabric-material";

const IDENTITY = new Matrix4();
const THICK = 0.008; // m between the sides of a cloth at most
const WELD = 1e-6; // m: vertices that are nearer are one place
const PARTED = 0.03; // m from what lies in fur, such as eyes, claws and straps, up to where the fur is whole
const SAMPLES = 200; // vertices of a mesh that are looked at
const geometries = new WeakMap<MeshData, BufferGeometry>(); // characters of one script share theirs
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
  const mesh = new SkinnedMesh(geometryOf(data, wearer), material);
  mesh.name = data.name;
  mesh.userData["garment"] = data.garment;
  mesh.bindMode = "detached"; // the bones are in the world already, the mesh stays at the origin
  mesh.bind(bones.skeleton, IDENTITY);
  mesh.boundingSphere = bones.bounds;
  mesh.castShadow = true;
  mesh.receiveShadow = !material.transparent; // its own shadow, of dots, would darken what light goes through
  if (material.transparent) mesh.customDepthMaterial = gauzeShadow();
  return mesh;
}

/**
 * Those that are drawn from their own side only: closed ones, and those that are one side of a thick cloth, whose other
 * side is another mesh of the same garment, as a lining is. Where sharp folds push one side through the other, it does
 * not show.
 */
function oneSided(meshes: MeshData[]): Set<MeshData> {
  let found = sides.get(meshes);
  if (!found) sides.set(meshes, (found = new Set(meshes.filter((mesh) => isClosed(mesh) || isBacked(mesh, meshes)))));
  return found;
}

/** Whether a mesh has no border: each edge is passed as often one way as the other, vertices at one place being one. */
function isClosed({ positions, triangles }: MeshData): boolean {
  const places = new Map<string, number>(), edges = new Map<number, number>();
  const count = positions.length / 3, at = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const key = `${Math.round(positions[3 * i] / WELD)} ${Math.round(positions[3 * i + 1] / WELD)} ${Math.round(positions[3 * i + 2] / WELD)}`;
    const place = places.get(key) ?? places.size;
    places.set(key, place);
    at[i] = place;
  }
  for (let i = 0; i < triangles.length; i++) {
    const a = at[triangles[i]], b = at[triangles[i % 3 === 2 ? i - 2 : i + 1]];
    const edge = Math.min(a, b) * count + Math.max(a, b);
    edges.set(edge, (edges.get(edge) ?? 0) + Math.sign(b - a));
  }
  for (const ways of edges.values()) if (ways !== 0) return false;
  return true;
}

function isBacked(mesh: MeshData, meshes: MeshData[]): boolean {
  const others = meshes.filter((other) => other !== mesh && other.garment !== undefined && other.garment === mesh.garment);
  const count = mesh.positions.length / 3, step = Math.ceil(count / SAMPLES);
  for (let i = 0; i < count; i += step) if (!others.some((other) => isBehind(other, mesh, i))) return false;
  return others.length > 0;
}

/** Whether `other` has a vertex close behind the i-th of a mesh that looks the other way. */
function isBehind(other: MeshData, { positions, normals }: MeshData, i: number): boolean {
  const [x, y, z] = positions.slice(3 * i, 3 * i + 3), [a, b, c] = normals.slice(3 * i, 3 * i + 3);
  for (let k = 0; k < other.positions.length; k += 3) {
    const squared = (other.positions[k] - x) ** 2 + (other.positions[k + 1] - y) ** 2 + (other.positions[k + 2] - z) ** 2;
    if (squared < THICK * THICK && a * other.normals[k] + b * other.normals[k + 1] + c * other.normals[k + 2] < -0.5) return true;
  }
  return false;
}

/** How long fur is at each vertex: 1 away from what lies in it, 0 there. */
function furLengths(data: MeshData, worn: MeshData[]): Float32Array {
  const cells = new Map<string, number[][]>(), count = data.positions.length / 3, lengths = new Float32Array(count).fill(1);
  const cell = (place: number[]): number[] => place.map((x) => Math.floor(x / PARTED));
  for (const { positions } of worn.filter((mesh) => mesh.garment === undefined && mesh.material.pattern !== "fur")) {
    for (let i = 0; i < positions.length; i += 3) {
      const place = positions.slice(i, i + 3), key = cell(place).join(" ");
      cells.set(key, [...(cells.get(key) ?? []), place]);
    }
  }
  for (let i = 0; i < count; i++) {
    const place = data.positions.slice(3 * i, 3 * i + 3), [a, b, c] = cell(place);
    let nearest = PARTED;
    for (let k = 0; k < 27; k++) {
      for (const [x, y, z] of cells.get(`${a + (k % 3) - 1} ${b + (Math.floor(k / 3) % 3) - 1} ${c + Math.floor(k / 9) - 1}`) ?? [])
        nearest = Math.min(nearest, Math.hypot(x - place[0], y - place[1], z - place[2]));
    }
    lengths[i] = Math.max(0, (nearest / PARTED - 0.3) / 0.7);
  }
  return lengths;
}

function geometryOf(data: MeshData, { clothBones, meshes }: Wearer): BufferGeometry {
  let geometry = geometries.get(data);
  if (geometry) return geometry;
  const count = data.positions.length / 3;
  geometry = data.material.pattern === "fur" ? Object.assign(new InstancedBufferGeometry(), { instanceCount: FUR_SHELLS }) : new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(data.positions), 3));
  geometry.setAttribute("normal", new BufferAttribute(new Float32Array(data.normals), 3));
  geometry.setAttribute("cloth", new BufferAttribute(data.uvs.length === 2 * count ? new Float32Array(data.uvs) : new Float32Array(2 * count), 2));
  geometry.setAttribute("skinIndex", new BufferAttribute(new Uint16Array(data.joints), 4));
  geometry.setAttribute("skinWeight", new BufferAttribute(new Float32Array(data.weights), 4));
  if (data.material.pattern === "fur") geometry.setAttribute("furLength", new BufferAttribute(furLengths(data, meshes), 1));
  if (isCloth(data.material.pattern)) addBends(geometry, data, clothBones);
  if (data.material.pattern === "quilted") addPuffs(geometry, data);
  if (hasSeams(data.material.pattern)) addSeams(geometry, data);
  geometry.setIndex(new BufferAttribute(new Uint32Array(data.triangles), 1));
  geometries.set(data, geometry);
  return geometry;
}
