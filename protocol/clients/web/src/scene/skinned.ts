// Render meshes, skinned on the graphics card by a character's bones.
import { BufferAttribute, BufferGeometry, Matrix4, SkinnedMesh } from "three";
import type { Mesh as MeshData } from "../net/protocol";
import type { Bones } from "./bones";
import type { Occluders } from "./occluders";
import { fabricMaterial, gauzeShadow, type WrinkleTexture } from "./fabric-material";

const IDENTITY = new Matrix4();
const geometries = new WeakMap<MeshData, BufferGeometry>(); // characters of one script share theirs

export function skinnedMesh(data: MeshData, bones: Bones, wrinkles: WrinkleTexture, occluders: Occluders): SkinnedMesh {
  const garment = data.garment !== undefined;
  const material = fabricMaterial(data.material, { occluders, wrinkles: garment ? wrinkles : null });
  const mesh = new SkinnedMesh(geometryOf(data), material);
  mesh.name = data.name;
  mesh.userData["garment"] = data.garment;
  mesh.bindMode = "detached"; // the bones are in the world already, the mesh stays at the origin
  mesh.bind(bones.skeleton, IDENTITY);
  mesh.boundingSphere = bones.bounds;
  mesh.castShadow = mesh.receiveShadow = true;
  if (material.transparent) mesh.customDepthMaterial = gauzeShadow();
  return mesh;
}

function geometryOf(data: MeshData): BufferGeometry {
  let geometry = geometries.get(data);
  if (geometry) return geometry;
  const count = data.positions.length / 3;
  geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(data.positions), 3));
  geometry.setAttribute("normal", new BufferAttribute(new Float32Array(data.normals), 3));
  geometry.setAttribute("cloth", new BufferAttribute(data.uvs.length === 2 * count ? new Float32Array(data.uvs) : new Float32Array(2 * count), 2));
  geometry.setAttribute("skinIndex", new BufferAttribute(new Uint16Array(data.joints), 4));
  geometry.setAttribute("skinWeight", new BufferAttribute(new Float32Array(data.weights), 4));
  geometry.setIndex(new BufferAttribute(new Uint32Array(data.triangles), 1));
  geometries.set(data, geometry);
  return geometry;
}
