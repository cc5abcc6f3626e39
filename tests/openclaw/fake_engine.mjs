// An engine that does what the test wrote into its script: one JSON object by method, `{ answer | answers | error }`.
import { createInterface } from "node:readline";
import { appendFileSync, existsSync, readFileSync } from "node:fs";

const [script, log] = process.argv.slice(2);
const plan = JSON.parse(readFileSync(script, "utf8"));
const note = (line) => appendFileSync(log, `${JSON.stringify(line)}\n`);
const put = (value) => process.stdout.write(typeof value === "string" ? value : `${JSON.stringify(value)}\n`);

note({ started: process.argv.slice(4) });
if (plan.complaint) process.stderr.write(`${plan.complaint}\n`);
if (plan.dead && !existsSync(plan.dead)) process.exit(3);
put({ ready: true, protocol: "commonplace.stdio.v1", version: "0", workspace: "/ws" });
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const request = JSON.parse(line);
    note(request);
    const step = plan[request.method];
    if (!step || step.hang) return;
    if (step.crash) process.exit(4);
    if (step.garbage) put("this is no JSON\n{\"id\":\n[]\nnull\n");
    const answer = step.error ? { id: request.id, error: step.error } : { id: request.id, result: step.answers?.shift() ?? step.answer };
    if (step.pieces) for (const piece of JSON.stringify(answer).split(/(?<=,)/)) put(piece);
    if (step.pieces) put("\n");
    else setTimeout(() => put(answer), step.afterMs ?? 0);
  })
  .on("close", () => (note({ ended: true }), process.exit(0)));
