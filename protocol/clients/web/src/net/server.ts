// The connection to the server: requests with replies, events, frames. The socket itself is in a worker.
import type { Load, Order, Report } from "./messages";
import type { Frame, Hello, Notification, Role, RpcFault, StaticData } from "./protocol";
import { Signal } from "./signal";

export class RequestError extends Error {
  readonly code: number;
  readonly traceback: string;

  constructor(method: string, fault: RpcFault) {
    super(fault.message.startsWith(`${method}: `) ? fault.message : `${method}: ${fault.message}`);
    this.name = "RequestError";
    this.code = fault.code;
    this.traceback = fault.data?.traceback ?? "";
  }
}

const LOST = 0; // the code of requests that the end of a connection left without a reply
const NOT_ALLOWED = -32002;
const CONNECTION_LOST = { code: LOST, message: "the connection is lost" };

/** Whether a request has no reply because the connection is lost: the user is told of that elsewhere. */
export function isLost(error: unknown): boolean {
  return error instanceof RequestError && error.code === LOST;
}

interface Pending {
  method: string;
  resolve: (result: never) => void;
  reject: (error: Error) => void;
}

export interface Session {
  hello: Hello;
  role: Role;
  roundTrip: number; // ms, before frames come
}

export class Server {
  readonly opened = new Signal<Session>();
  readonly lost = new Signal<{ reason: string; again: number }>();
  /** Seconds for which nothing has come, where that is too long; 0 once something comes. */
  readonly silence = new Signal<number>();
  /** The server opens no session for this page; why. */
  readonly refused = new Signal<string>();
  readonly event = new Signal<Notification>();
  readonly frames = new Signal<Frame[]>();
  readonly described = new Signal<StaticData>();
  readonly load = new Signal<Load>();

  /** Asks the user for a token; tells what is wrong with the last one, "" for nothing. null gives up. */
  askToken: (complaint: string) => Promise<string | null> = () => Promise.resolve(null);

  session: Session | null = null;

  #worker = new Worker(new URL("./socket.worker.ts", import.meta.url), { type: "module" });
  #pending = new Map<number, Pending>();
  #last = 0;
  #role: Role | undefined;
  #token: string | null = null;
  #asked: Promise<string | null> | null = null; // the token, while the user is asked for it
  #complaint = ""; // about the last token
  #turn = 0; // of the newest connection

  constructor(url: string, role?: Role) {
    this.#role = role;
    this.#worker.onmessage = (event: MessageEvent<Report>) => this.#receive(event.data);
    this.#order({ kind: "connect", url });
  }

  get isOperator(): boolean {
    return this.session?.role === "operator";
  }

  request<T = unknown>(method: string, params: object = {}): Promise<T> {
    const id = ++this.#last;
    return new Promise<T>((resolve, reject) => {
      this.#pending.set(id, { method, resolve: resolve as (result: never) => void, reject });
      this.#order({ kind: "send", id, text: JSON.stringify({ jsonrpc: "2.0", id, method, params }), isLong: "mesh" in params });
    });
  }

  /** Requests that the server serves between the same two ticks; resolves when all are answered. */
  async together(requests: [method: string, params: object][]): Promise<void> {
    await Promise.all(requests.map(([method, params]) => this.request(method, params)));
  }

  #order(order: Order): void {
    this.#worker.postMessage(order);
  }

  #receive(report: Report): void {
    switch (report.kind) {
      case "hello": void this.#open(report.hello); break;
      case "lost": this.#lose(report.reason, report.again); break;
      case "silence": this.silence.emit(report.seconds); break;
      case "reply": this.#answer(report.id, report.result, report.error); break;
      case "unsent": this.#answer(report.id, undefined, CONNECTION_LOST); break;
      case "frames": this.frames.emit(report.frames); break;
      case "static": this.described.emit(report.data); break;
      case "event": this.event.emit(report.event); break;
      case "load": this.load.emit(report.load); break;
    }
  }

  /** Opens a session. Where the server refuses the user's token, it asks for another one, and says why. */
  async #open(hello: Hello): Promise<void> {
    const turn = ++this.#turn, needsToken = hello.authentication === "token";
    for (;;) {
      if (needsToken) {
        this.#token ??= await (this.#asked ??= this.askToken(this.#complaint).finally(() => (this.#asked = null)));
        if (turn !== this.#turn || this.#token === null) return; // the server has closed that connection, or will: the next one goes on
      }
      const params = { protocol: 1, client: "page", ...(this.#role && { role: this.#role }), ...(needsToken && { token: this.#token }) };
      const sent = performance.now();
      try {
        const { role } = await this.request<{ role: Role }>("session.open", params);
        this.session = { hello, role, roundTrip: performance.now() - sent };
        break;
      } catch (error) {
        if (isLost(error)) return;
        this.#complaint = (error as RequestError).message.replace(/^session\.open: /, "");
        this.#token = null;
        if (needsToken && (error as RequestError).code === NOT_ALLOWED) continue;
        this.refused.emit(this.#complaint);
        return;
      }
    }
    this.#complaint = "";
    this.opened.emit(this.session);
  }

  #lose(reason: string, again: number): void {
    this.session = null;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { method, reject } of pending) reject(new RequestError(method, CONNECTION_LOST));
    this.lost.emit({ reason, again });
  }

  #answer(id: number, result: unknown, error: RpcFault | undefined): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    this.#pending.delete(id);
    if (error) pending.reject(new RequestError(pending.method, error));
    else pending.resolve(result as never);
  }
}
