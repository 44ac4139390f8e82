// Holds the WebSocket away from the page's own work: stamps messages as they come, parses them, packs the numbers of
// frames into one buffer each, and hands them over in batches. Connects again when the connection is lost, also where
// it does not end: a server or network that is gone without a close is silent, and a paused server answers a ping.
import type { Frame, Hello, Mesh, RpcFault, StaticData } from "./protocol";
import type { Load, Order, Report } from "./messages";

const FLUSH_MS = 4;
const SHORTEST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 2000;
const SUBPROTOCOL = "tweed.v1";
const QUIET_SECONDS = 2; // without a message, until the server is asked for one
const SILENT_SECONDS = 5; // without a message, until the page is told,
const LOST_SECONDS = 40; // and until the connection is lost: a server may be busy with a request for that long
const LOST_SECONDS_LONG = 300; // while a long reply comes: it is one message
const PING_ID = 0; // of a request that is not the page's: its reply is for the worker alone
const PING = JSON.stringify({ jsonrpc: "2.0", id: PING_ID, method: "session.ping" });

let url = "";
let socket: WebSocket | null = null;
let retry = SHORTEST_RETRY_MS;
let silent = 0; // seconds since the last message
const long = new Set<number>(); // requests whose long replies have not come

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
    if (order.isLong) long.add(order.id);
  } else {
    report({ kind: "unsent", id: order.id });
  }
};

setInterval(() => {
  const load: Load = { busy: busy / 1000, bytes, frames: received };
  report({ kind: "load", load });
  busy = bytes = received = 0;
  watch();
}, 1000);

function report(message: Report, transfer: Transferable[] = []): void {
  self.postMessage(message, { transfer });
}

function connect(): void {
  silent = 0;
  socket = new WebSocket(url, SUBPROTOCOL);
  socket.onmessage = (event: MessageEvent<string>) => {
    const start = performance.now();
    if (silent >= SILENT_SECONDS) report({ kind: "silence", seconds: 0 });
    silent = 0;
    bytes += event.data.length;
    receive(event.data, performance.timeOrigin + start);
    busy += performance.now() - start;
  };
  socket.onclose = (event) => lose(event.reason);
}

/** Once a second: asks a silent server for a sign of life, and gives up a connection on which none comes. */
function watch(): void {
  if (!socket) return;
  silent++; // counted, since a computer that slept is not a silent server
  if (silent >= (long.size > 0 ? LOST_SECONDS_LONG : LOST_SECONDS)) {
    socket.onmessage = socket.onclose = null; // it may end, or go on, much later
    socket.close();
    lose("the server does not answer");
    return;
  }
  if (silent >= QUIET_SECONDS && socket.readyState === WebSocket.OPEN) socket.send(PING);
  if (silent >= SILENT_SECONDS && long.size === 0) report({ kind: "silence", seconds: silent });
}

function lose(reason: string): void {
  flush();
  socket = null;
  long.clear();
  report({ kind: "lost", reason, again: retry });
  setTimeout(connect, retry);
  retry = Math.min(2 * retry, LONGEST_RETRY_MS);
}

function receive(text: string, arrival: number): void {
  const message = JSON.parse(text) as { id?: unknown; method?: string; params?: unknown; result?: unknown; error?: RpcFault };
  const params = message.params as Record<string, unknown>;
  if (message.method === undefined) {
    flush(); // a reply comes after the frames before it, as on the wire
    if (message.id === PING_ID) return;
    if (typeof message.id === "number") {
      long.delete(message.id);
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
