// The document is OpenRPC, its schemas are sound and fit its examples; and the check of records finds what is wrong.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { Contract, complaint, document } from "./contract.mjs";
import { Findings, checkLines } from "./record.mjs";

const { validateOpenRPCDocument } = createRequire(import.meta.url)("@open-rpc/schema-utils-js");
const contract = new Contract();

function problems(...lines) {
  const findings = new Findings();
  checkLines(["1=serve", ...lines], contract, findings);
  return [...findings.problems.keys()];
}

const request = (method, params) => `1>{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
const ask = (method, id = 1) => `1>{"jsonrpc":"2.0","id":${id},"method":"${method}"}`;
const reset = request("character.reset", '{"character":"a"}');
const answer = (result, id = 1) => `1<{"jsonrpc":"2.0","id":${id},"result":${result}}`;
const fail = (code, id = 1) =>
  `1<{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"no","data":{"path":"method"}}}`;
const tell = (method, params) => `1<{"jsonrpc":"2.0","method":"${method}","params":${params}}`;

test("the document is OpenRPC by its meta-schema", () => {
  const verdict = validateOpenRPCDocument(structuredClone(document));
  assert.equal(verdict, true, verdict.message);
  const broken = structuredClone(document);
  broken.methods[0].params[0].requird = true;
  assert.match(validateOpenRPCDocument(broken).message, /requird/);
});

test("schemas hold no keyword that JSON Schema lacks", () => {
  const broken = structuredClone(document);
  broken.components.schemas.Tick.minimun = 0;
  assert.throws(() => new Contract(broken), /minimun/);
});

test("every schema and error is used, and operators' methods say that they are", () => {
  const text = JSON.stringify(document);
  for (const name of Object.keys(document.components.schemas)) {
    const used = text.includes(`"#/components/schemas/${name}"`) || name === "Error";
    assert.ok(used, `components.schemas.${name} is referred to`);
  }
  for (const name of Object.keys(document.components.errors)) {
    assert.ok(text.includes(`"#/components/errors/${name}"`), `components.errors.${name} is referred to`);
  }
  for (const method of document.methods) {
    const mayBeRefused = method.errors.some(({ $ref }) => $ref.endsWith("/NotAllowed"));
    assert.ok(["none", "observer", "operator"].includes(method["x-role"]), method.name);
    assert.ok(mayBeRefused || method["x-role"] !== "operator", `${method.name} may be refused to observers`);
    assert.ok(["at once", "command"].includes(method["x-timing"]), method.name);
  }
});

test("examples fit their schemas", () => {
  for (const [name, method] of contract.methods) {
    assert.ok(method.examples.length > 0, `${name} has an example`);
    for (const example of method.examples) {
      const params = Object.fromEntries(example.params.map(({ name: param, value }) => [param, value]));
      if (!method.params(params)) assert.fail(`${name}: ${complaint(method.params)}`);
      if (!method.result(example.result.value)) assert.fail(`${name}: ${complaint(method.result)}`);
    }
  }
  for (const { name, example } of document["x-notifications"]) {
    const isValid = contract.notifications.get(name);
    const message = { jsonrpc: "2.0", method: name, params: example };
    if (!isValid(message)) assert.fail(`${name}: ${complaint(isValid)}`);
  }
});

test("replies are held against their requests", () => {
  const clock = '{"tick":1,"time":0.5,"monotonic":2}';
  assert.deepEqual(problems(ask("session.ping"), answer(clock)), []);
  assert.deepEqual(problems(ask("session.ping", '"a"'), answer(clock, '"a"')), []);
  assert.deepEqual(problems(ask("session.ping"), answer('{"tick":1,"time":0.5}')), [
    "result of session.ping: it must have required property 'monotonic'",
  ]);
  assert.deepEqual(problems(ask("session.ping"), answer('{"tick":-1,"time":0.5,"monotonic":2}')), [
    "result of session.ping: /tick must be >= 0",
  ]);
  assert.deepEqual(problems(reset, answer('{"tick":1,"extra":2}')), [
    "result of character.reset: it must NOT have additional properties (extra)",
  ]);
  assert.deepEqual(problems(answer(clock)), ["a reply to nothing that was asked"]);
  assert.deepEqual(problems(ask("session.ping"), answer(clock), answer(clock)), ["a reply to nothing that was asked"]);
  assert.deepEqual(problems(ask("session.pong"), answer(clock)), [
    "a result of session.pong, which is not in the contract",
  ]);
  assert.deepEqual(problems(ask("session.ping"), `1<{"jsonrpc":"2.0","id":1,"result":${clock},"more":1}`), [
    "a reply: it must NOT have additional properties (more)",
  ]);
});

test("what a server took is what the contract allows", () => {
  const step = (params) => request("simulation.step", params);
  const took = (params) => problems(step(params), answer('{"tick":1}'));
  assert.deepEqual(took('{"ticks":100000}'), []);
  assert.deepEqual(took('{"ticks":100001}'), ["params that simulation.step took: /ticks must be <= 100000"]);
  assert.deepEqual(took("{}"), ["params that simulation.step took: it must have required property 'ticks'"]);
  assert.deepEqual(took('{"ticks":1,"fast":true}'), [
    "params that simulation.step took: it must NOT have additional properties (fast)",
  ]);
  assert.deepEqual(problems(step('{"ticks":0}'), fail(-32602)), [], "what it refused is no matter");
});

test("one id for several requests, answered in any order, and batches", () => {
  const clock = '{"tick":1,"time":0.5,"monotonic":2}';
  assert.deepEqual(problems(reset, ask("session.ping"), answer(clock), answer('{"tick":1}')), []);
  assert.deepEqual(
    problems(
      '1>[{"jsonrpc":"2.0","id":1,"method":"session.ping"},{"jsonrpc":"2.0","method":"session.ping"},5]',
      `1<[{"jsonrpc":"2.0","id":1,"result":${clock}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}]`,
    ),
    [],
  );
  assert.deepEqual(problems("1<[]"), ["an empty batch"]);
});

test("errors are those that a method may have", () => {
  assert.deepEqual(problems(reset, fail(-32001)), []);
  assert.deepEqual(problems(reset, fail(-32003)), ["error -32003 of character.reset: not in the contract"]);
  assert.deepEqual(problems(ask("session.ping"), fail(-32601)), ["error -32601 of session.ping: not in the contract"]);
  assert.deepEqual(problems(ask("session.pong"), fail(-32601)), []);
  assert.deepEqual(problems(ask("session.pong"), fail(-32602)), ["error -32602 of session.pong: not in the contract"]);
  assert.deepEqual(problems(fail(-32700, null)), []);
  assert.deepEqual(problems(fail(-32001, null)), ["an error in reply to nothing that was asked"]);
  assert.deepEqual(problems('1<{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}'), [
    "an error: /error must have required property 'message'",
  ]);
  assert.deepEqual(
    problems("2=replay", '2>{"jsonrpc":"2.0","id":1,"method":"world.get"}', fail(-32003).replace("1", "2")),
    [],
  );
});

test("errors say where: of a script also with its traceback", () => {
  const reply = (error) => problems(reset, `1<{"jsonrpc":"2.0","id":1,"error":{"message":"no",${error}}}`);
  assert.deepEqual(reply('"code":-32001'), ["error -32001 of character.reset: no data.path"]);
  assert.deepEqual(reply('"code":-32603'), []);
  assert.deepEqual(reply('"code":-32004,"data":{"path":"method"}'), [
    "error -32004 of character.reset: no data.traceback",
  ]);
  assert.deepEqual(reply('"code":-32004,"data":{"path":"method","traceback":""}'), []);
});

test("only a server with tokens refuses methods that are for all", () => {
  const hello = (authentication) =>
    tell(
      "server.hello",
      `{"name":"tweed","version":"1","protocol":1,"tick_rate":60,"tick":0,"time":0,"paused":false,` +
        `"authentication":"${authentication}","limits":{"message_bytes":65536,"views":16,"clients":256}}`,
    );
  const refusal = [ask("session.ping"), fail(-32002)];
  assert.deepEqual(problems(hello("token"), ...refusal), []);
  assert.deepEqual(problems(hello("none"), ...refusal), ["error -32002 of session.ping: not in the contract"]);
});

test("notifications are known, and whole", () => {
  assert.deepEqual(problems(tell("simulation.resumed", '{"tick":1}')), []);
  assert.deepEqual(problems(tell("simulation.ended", '{"tick":1}')), [
    "notification simulation.ended: not in the contract",
  ]);
  assert.deepEqual(problems(tell("simulation.resumed", "{}")), [
    "notification simulation.resumed: /params must have required property 'tick'",
  ]);
  const frame = (bones) =>
    tell("stream.frame", `{"view":1,"character":"a","revision":1,"tick":0,"time":0,"bones":[${bones}]}`);
  assert.deepEqual(problems(frame("[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]")), []);
  assert.deepEqual(problems(frame("[0,0,0,0,0,0,1,1,1,1]")), []);
  assert.deepEqual(problems(frame("[0,0,0,0,0,0,1,1,1]")).length, 1);
  assert.deepEqual(problems("1<{"), ["a line that is no JSON"]);
});

test("what never came is told", () => {
  const findings = new Findings();
  checkLines(["1=serve", ask("session.ping"), answer('{"tick":1,"time":0.5,"monotonic":2}')], contract, findings);
  const unseen = findings.unseen(contract);
  assert.ok(!unseen.includes("a result of session.ping"));
  for (const each of ["a result of world.get", "error session.ping -32602", "stream.frame"])
    assert.ok(unseen.includes(each), each);
});
