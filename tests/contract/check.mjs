// node check.mjs [--some] FOLDER: every message of the records in a folder fits protocol/openrpc.json, and all of it
// came; with --some, whatever of it came.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Contract } from "./contract.mjs";
import { Findings, checkFile } from "./record.mjs";

const LONGEST = 400;
const shorten = (line) => (line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line);

const some = process.argv[2] === "--some";
const folder = process.argv[some ? 3 : 2];
if (!folder) {
  console.error("usage: node check.mjs [--some] FOLDER");
  process.exit(2);
}
const contract = new Contract();
const findings = new Findings();
for (const name of readdirSync(folder)) {
  if (name.endsWith(".record")) checkFile(join(folder, name), contract, findings);
}
for (const [problem, { count, line }] of findings.problems)
  console.error(`${count} × ${problem}\n    ${shorten(line)}`);
const unseen = some ? [] : findings.unseen(contract);
for (const each of unseen) console.error(`never seen: ${each}`);
console.log(
  `${findings.messages} messages: results of ${findings.results.size} methods, ${findings.errors.size} of their errors, ` +
    `${findings.notifications.size} notifications; ${findings.problems.size} problems, ${unseen.length} never seen`,
);
process.exitCode = findings.messages === 0 || findings.problems.size > 0 || unseen.length > 0 ? 1 : 0;
