// Holds what servers sent, as tests/integration/recorder.py wrote it down, against the contract.
import { readFileSync } from "node:fs";
import { complaint } from "./contract.mjs";

const INTERNAL_ERROR = -32603;
const SCRIPT_ERROR = -32004;
const UNKNOWN_METHOD = -32601;
const NOT_ALLOWED = -32002;

/** What was seen of the contract, and what does not keep to it. */
export class Findings {
  messages = 0;
  problems = new Map(); // text -> { count, line }: the same mistake a thousand times is one
  results = new Set(); // methods
  errors = new Set(); // "method code"
  notifications = new Set();

  add(problem, line) {
    const known = this.problems.get(problem);
    if (known) known.count++;
    else this.problems.set(problem, { count: 1, line });
  }

  /** What the contract has and no server sent. */
  unseen(contract) {
    const declared = [...contract.methods].flatMap(([name, { errors }]) =>
      [...errors].map((code) => `${name} ${code}`),
    );
    return [
      ...[...contract.methods.keys()].filter((name) => !this.results.has(name)).map((name) => `a result of ${name}`),
      ...declared.filter((each) => !this.errors.has(each)).map((each) => `error ${each}`),
      ...[...contract.notifications.keys()].filter((name) => !this.notifications.has(name)).map((name) => `${name}`),
    ];
  }
}

/** Adds the record in a file to the findings. */
export function checkFile(path, contract, findings) {
  checkLines(readFileSync(path, "utf8").split("\n"), contract, findings);
}

export function checkLines(lines, contract, findings) {
  const connections = new Map();
  const of = (number) => {
    if (!connections.has(number)) connections.set(number, { asked: new Map(), isOpen: true, kind: "serve" });
    return connections.get(number);
  };
  const each = (mark, handle) => {
    for (const line of lines) {
      const [, number, direction] = /^(\d+)([<>=])/.exec(line) ?? [];
      if (direction === mark) handle(of(number), line.slice(number.length + 1));
    }
  };
  each("=", (connection, kind) => (connection.kind = kind));
  // First all that was asked: of two threads the one that reads may have written first.
  each(">", (connection, line) => noteRequests(connection.asked, line));
  each("<", (connection, line) => checkMessage(connection, line, contract, findings));
}

function noteRequests(asked, line) {
  for (const request of [parse(line) ?? []].flat()) {
    if (request?.id === undefined) continue;
    const id = JSON.stringify(request.id);
    if (!asked.has(id)) asked.set(id, []);
    asked.get(id).push({ name: String(request.method), params: request.params ?? {} });
  }
}

function checkMessage(connection, line, contract, findings) {
  const parsed = parse(line);
  if (parsed === undefined) return findings.add("a line that is no JSON", line);
  const messages = Array.isArray(parsed) ? parsed : [parsed];
  if (messages.length === 0) findings.add("an empty batch", line);
  for (const message of messages) {
    findings.messages++;
    if (message?.method !== undefined) checkNotification(connection, message, contract, findings, line);
    else if (message?.error !== undefined) checkError(connection, message, contract, findings, line);
    else checkResult(connection, message, contract, findings, line);
  }
}

function checkNotification(connection, message, contract, findings, line) {
  const name = message.method;
  const isValid = contract.notifications.get(name);
  if (!isValid) return findings.add(`notification ${name}: not in the contract`, line);
  if (!isValid(message)) findings.add(`notification ${name}: ${complaint(isValid)}`, line);
  if (name === "server.hello") connection.isOpen = message.params.authentication === "none";
  findings.notifications.add(name);
}

function checkResult(connection, message, contract, findings, line) {
  if (!contract.isResult(message)) return findings.add(`a reply: ${complaint(contract.isResult)}`, line);
  const request = take(connection, message.id, ({ name }) => contract.methods.get(name)?.result(message.result));
  if (!request) return findings.add("a reply to nothing that was asked", line);
  const method = contract.methods.get(request.name);
  if (!method) return findings.add(`a result of ${request.name}, which is not in the contract`, line);
  if (!method.result(message.result)) findings.add(`result of ${request.name}: ${complaint(method.result)}`, line);
  if (!method.params(request.params))
    findings.add(`params that ${request.name} took: ${complaint(method.params)}`, line);
  findings.results.add(request.name);
}

function checkError(connection, message, contract, findings, line) {
  if (!contract.isError(message)) return findings.add(`an error: ${complaint(contract.isError)}`, line);
  const { code } = message.error;
  if (message.id === null && contract.errorsWithoutId.has(code)) return;
  const may = ({ name }) => mayFail(connection, contract, name, code);
  const request = take(connection, message.id, may);
  if (!request) return findings.add("an error in reply to nothing that was asked", line);
  if (!may(request)) findings.add(`error ${code} of ${request.name}: not in the contract`, line);
  for (const missing of missingData(message.error))
    findings.add(`error ${code} of ${request.name}: no data.${missing}`, line);
  findings.errors.add(`${request.name} ${code}`);
}

function missingData({ code, data = {} }) {
  const needed = [...(code === INTERNAL_ERROR ? [] : ["path"]), ...(code === SCRIPT_ERROR ? ["traceback"] : [])];
  return needed.filter((member) => data[member] === undefined);
}

function mayFail(connection, contract, name, code) {
  const method = contract.methods.get(name);
  if (code === NOT_ALLOWED && !connection.isOpen) return true;
  if (contract.errorsOfAny.has(code)) return code !== UNKNOWN_METHOD || !method;
  if (contract.errorsOfKind[connection.kind]?.has(code)) return true;
  return method !== undefined && method.errors.has(code);
}

// What this is the reply to. Where one id was used for several requests, the first that it fits.
function take(connection, id, fits) {
  const asked = connection.asked.get(JSON.stringify(id)) ?? [];
  return asked.splice(Math.max(asked.findIndex(fits), 0), 1)[0];
}

function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
