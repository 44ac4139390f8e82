// Holds the WebSocket away from the page's own work: stamps messages as they come, parses them, packs the numbers of
// frames into one buffer each, and hands them over in batches. Connects again when the connection is lost.
import type { Frame, Hello, Mesh, RpcFault, StaticData } from "./protocol";
import type { Load, Order, Report } from "./messages";

const FLUSH_MS = 4;
const SHORTEST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 2000;
const SUBPROTOCOL = "tweed.v1";

let url = "";
let socket: WebSocket | null = null;
let retry = SHORTEST_RETRY_MS;

let frames: Frame[] = [];
let flushing = false;
let busy = 0;
let bytes = 0;
let received = 0;

self.onmessage = (event: MessageEvent<Order>) => {
  const order = event.data;
  if (order.kind === "connect") {
    url = order.url;
    connect();
  } else if (socket?.readyState === WebSocket.OPEN) {
    socket.send(order.text);
  } else {
    report({ kind: "unsent", id: order.id });
  }
};

setInterval(() => {
  const load: Load = { busy: busy / 1000, bytes, frames: received };
  report({ kind: "load", load });
  busy = bytes = received = 0;
}, 1000);

function report(message: Report, transfer: Transferable[] = []): void {
  self.postMessage(message, { transfer });
}

function connect(): void {
  let reason = "";
  socket = new WebSocket(url, SUBPROTOCOL);
  socket.onmessage = (event: MessageEvent<string>) => {
    const start = performance.now();
    bytes += event.data.length;
    receive(event.data, performance.timeOrigin + start);
    busy += performance.now() - start;
  };
  socket.onclose = (event) => {
    flush();
    reason = event.reason;
    report({ kind: "lost", reason, again: retry });
    setTimeout(connect, retry);
    retry = Math.min(2 * retry, LONGEST_RETRY_MS);
  };
}

function receive(text: string, arrival: number): void {
  const message = JSON.parse(text) as { id?: unknown; method?: string; params?: unknown; result?: unknown; error?: RpcFault };
  const params = message.params as Record<string, unknown>;
  if (message.method === undefined) {
    flush(); // a reply comes after the frames before it, as on the wire
    if (typeof message.id === "number") {
      const numbers = packMeshes(message.result);
      report({ kind: "reply", id: message.id, result: message.result, ...(message.error && { error: message.error }) }, numbers);
    }
    else if (message.error) report({ kind: "event", event: { method: "log", params: { level: "error", message: message.error.message } } });
  } else if (message.method === "stream.frame") {
    take(pack(params as unknown as WireFrame, arrival));
  } else {
    flush();
    if (message.method === "server.hello") {
      retry = SHORTEST_RETRY_MS;
      report({ kind: "hello", hello: params as unknown as Hello });
    } else if (message.method === "stream.static") {
      report({ kind: "static", data: params as unknown as StaticData });
    } else {
      report({ kind: "event", event: { method: message.method, params } });
    }
  }
}

// --- meshes ---

/** Makes typed arrays of the numbers of the meshes that a reply may hold. Returns their buffers. */
function packMeshes(result: unknown): ArrayBuffer[] {
  const meshes = (result as { meshes?: unknown } | null | undefined)?.meshes;
  if (!Array.isArray(meshes)) return [];
  return (meshes as Mesh[]).flatMap((mesh) => {
    for (const name of ["positions", "normals", "uvs", "weights"] as const) mesh[name] = new Float64Array(mesh[name]);
    for (const name of ["triangles", "joints"] as const) mesh[name] = new Uint32Array(mesh[name]);
    return [mesh.positions, mesh.normals, mesh.uvs, mesh.weights, mesh.triangles, mesh.joints].map(({ buffer }) => buffer as ArrayBuffer);
  });
}

// --- frames ---

interface WireFrame {
  view: number;
  character: string;
  revision: number;
  tick: number;
  time: number;
  bones: number[][];
  particles?: Record<string, number[]>;
  references?: Record<string, number[]>;
  wrinkles?: Record<string, { warp: number[]; weft: number[] }>;
}

function pack(wire: WireFrame, arrival: number): Frame {
  const { particles = {}, references = {}, wrinkles = {} } = wire;
  let count = 0;
  for (const bone of wire.bones) count += bone.length;
  for (const list of Object.values(particles)) count += list.length;
  for (const list of Object.values(references)) count += list.length;
  for (const lists of Object.values(wrinkles)) count += lists.warp.length + lists.weft.length;

  const numbers = new Float32Array(count);
  let end = 0;
  const put = (list: number[]): Float32Array => {
    numbers.set(list, end);
    end += list.length;
    return numbers.subarray(end - list.length, end);
  };
  for (const bone of wire.bones) put(bone);
  const bones = numbers.subarray(0, end);
  return {
    view: wire.view, character: wire.character, revision: wire.revision, tick: wire.tick, time: wire.time, arrival, bones,
    particles: each(particles, put),
    references: each(references, put),
    wrinkles: each(wrinkles, ({ warp, weft }) => ({ warp: put(warp), weft: put(weft) })),
  };
}

function each<A, B>(record: Record<string, A>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

function take(frame: Frame): void {
  received++;
  frames.push(frame);
  if (flushing) return;
  flushing = true;
  setTimeout(flush, FLUSH_MS);
}

function flush(): void {
  flushing = false;
  if (frames.length === 0) return;
  report({ kind: "frames", frames }, frames.map((frame) => frame.bones.buffer as ArrayBuffer));
  frames = [];
}
