// The messages of the protocol that the page uses, as protocol/openrpc.json defines them.

export type Vector = [number, number, number];
export type Role = "observer" | "operator";

export interface Hello {
  name: string;
  version: string;
  protocol: number;
  tick_rate: number;
  tick: number;
  time: number;
  paused: boolean;
  authentication: "none" | "token";
}

export type BoneKind = "skeleton" | "driven" | "cloth" | "pendulum" | "chain";

export interface Bone {
  name: string;
  parent: number;
  kind: BoneKind;
  rest: number[];
  inverse_bind: number[];
}

export interface Garment {
  name: string;
  solver: string;
  fabric: string;
  rows: number;
  columns: number;
  closed: boolean;
  rest: number[];
  max_distance?: number[];
  pinned: number[];
  bones: [particle: number, bone: number][];
  colliders: number[];
  triangles: number[];
}

export type Collider =
  | { name: string; shape: "ellipsoid"; bone: string; center: Vector; rotation: number[]; radii: Vector }
  | { name: string; shape: "sphere"; bone: string; center: Vector; radius: number }
  | { name: string; shape: "capsule"; bone: string; from: Vector; to: Vector; radius: number; radius_end: number }
  | { name: string; shape: "plane"; normal: Vector; offset: number };

export interface Material {
  color: Vector;
  roughness: number;
  pattern: string;
}

/** A render mesh. Its numbers are lists on the wire, and typed arrays in the page. */
export interface Mesh {
  name: string;
  garment?: string;
  positions: Float64Array;
  normals: Float64Array;
  uvs: Float64Array;
  triangles: Uint32Array;
  joints: Uint32Array;
  weights: Float64Array;
  material: Material;
}

export interface Description {
  name: string;
  script: string;
  revision: number;
  params?: object;
  bones: Bone[];
  garments: Garment[];
  colliders: Collider[];
  clips: { name: string; duration: number }[];
  commands: { name: string; help: string }[];
  meshes?: Mesh[];
}

/** One character at one tick. The numbers are views of one buffer. Bones are translation, quaternion, scale. */
export interface Frame {
  view: number;
  character: string;
  revision: number;
  tick: number;
  time: number;
  arrival: number; // ms, of performance.timeOrigin + performance.now()
  bones: Float32Array;
  particles: Record<string, Float32Array>;
  references: Record<string, Float32Array>;
  wrinkles: Record<string, { warp: Float32Array; weft: Float32Array }>;
}

export const BONE_NUMBERS = 10; // of a bone in a frame with layout "trs"

export interface FabricNumber {
  value: number;
  unit: string;
  minimum: number;
  maximum: number;
  default: number;
}

export const FABRIC_GROUPS = ["values", "edge", "spring"] as const;
export type FabricGroup = (typeof FABRIC_GROUPS)[number];
export type FabricDescription = Record<FabricGroup, Record<string, FabricNumber>>;
export type FabricValues = Record<string, number | Record<string, number>>;

export interface Tornado {
  name: string;
  position: Vector;
  radius: number;
  strength: number;
  lift: number;
  velocity: Vector;
}

export interface World {
  gravity: Vector;
  wind: { velocity: Vector; turbulence: number; gust: number };
  ground: number | false;
  tornados: Tornado[];
}

interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

export interface ClusterNode {
  node: string;
  version: string;
  characters: number;
  load: number; // the part of a tick that the work takes
  ticks_behind: number;
}

export interface Stats {
  tick: number;
  tick_rate: number;
  ticks_skipped: number;
  lateness_ms: Percentiles;
  work_ms: Percentiles;
  characters: number;
  cluster?: { node: string; nodes: ClusterNode[] };
  levels?: Record<"full" | "reduced" | "skinned", number>; // a recording has none
  frame_interval?: number; // ticks from frame to frame
  clients: { client: string; frames_sent: number; frames_skipped: number }[];
}

export type Level = "reduced" | "skinned";

export interface CharacterEntry {
  name: string;
  level?: Level; // of detail of its cloth; none: full
}

export interface ScriptEntry {
  script: string;
  kind: "character" | "fabric" | "scene";
  suspended: boolean;
  message?: string;
  traceback?: string;
}

export interface ServerDescription extends Hello {
  scripts: string[];
  fabrics: string[];
  methods: string[];
  scene: { name: string; camera?: { target?: string; distance?: number; height?: number } };
  allow_save: boolean;
}

export interface RpcFault {
  code: number;
  message: string;
  data?: { path?: string; traceback?: string };
}

export interface Notification {
  method: string;
  params: Record<string, unknown>;
}

export interface StaticData {
  view: number;
  character: string;
  revision: number;
  bones: string[];
  description?: Description;
}
