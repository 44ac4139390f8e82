// What the page and its socket worker say to each other.
import type { Frame, Hello, Notification, RpcFault, StaticData } from "./protocol";

/** To the worker. */
export type Order =
  | { kind: "connect"; url: string }
  | { kind: "send"; id: number; text: string; isLong: boolean }; // isLong: the reply may be megabytes

/** Load of the worker over the last second. */
export interface Load {
  busy: number; // share of the time spent on messages, 0 to 1
  bytes: number;
  frames: number;
}

/** From the worker. */
export type Report =
  | { kind: "hello"; hello: Hello }
  | { kind: "lost"; reason: string; again: number } // tries again in `again` ms
  | { kind: "silence"; seconds: number } // for which nothing has come; 0: it is over
  | { kind: "reply"; id: number; result?: unknown; error?: RpcFault }
  | { kind: "unsent"; id: number } // there is no connection
  | { kind: "frames"; frames: Frame[] }
  | { kind: "static"; data: StaticData }
  | { kind: "event"; event: Notification }
  | { kind: "load"; load: Load };
