// What of the host the plugins touch: hooks are kept and fired by the test, tools are called, log lines are held.
import { mkdtempSync, readFileSync, writeFileSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FAKE = fileURLToPath(new URL("./fake_engine.mjs", import.meta.url));
export const CTX = { agentId: "main", sessionKey: "agent:main:main", sessionId: "s1", trigger: "user" };

/** A host with the plugin registered; `plan` is the script of its engine. */
export function host(plugin, plan = {}, { config = {}, entry = { hooks: { allowConversationAccess: true } } } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "commonplace-"));
  const script = join(folder, "plan.json");
  const log = join(folder, "log.jsonl");
  writeFileSync(script, JSON.stringify(plan));
  const made = { hooks: {}, terms: {}, tools: {}, services: [], lines: [], folder };
  const keep = (level) => (line) => made.lines.push(`${level} ${line}`);
  made.api = {
    id: plugin.id,
    registrationMode: "full",
    config: { plugins: { entries: { [plugin.id]: entry } } },
    pluginConfig: { command: [process.execPath, FAKE, script, log], ...config },
    logger: { debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") },
    on: (name, handler, terms) => ((made.hooks[name] = handler), (made.terms[name] = terms)),
    registerTool: (factory, { name }) => (made.tools[name] = factory),
    registerService: (service) => made.services.push(service),
    registerMemoryPromptSupplement: (builder) => (made.supplement = builder),
    registerMemoryCorpusSupplement: (corpus) => (made.corpus = corpus),
    registerMemoryCapability: (capability) => (made.capability = capability),
  };
  made.seen = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").map((line) => JSON.parse(line)) : []);
  made.asked = (method) => made.seen().filter((one) => one.method === method);
  made.warnings = () => made.lines.filter((line) => line.startsWith("warn"));
  made.plan = (next) => writeFileSync(script, JSON.stringify(next));
  plugin.register(made.api);
  return made;
}

/** Forget what the plugin holds in this process; its engine ends. */
export async function reset() {
  const slot = Symbol.for("commonplace.openclaw");
  await globalThis[slot]?.engine?.stop();
  delete globalThis[slot];
}

export const said = (text, timestamp, more = {}) => ({ role: "user", content: text, timestamp, ...more });
export const answered = (text, timestamp) => ({ role: "assistant", content: [{ type: "text", text }], timestamp });
