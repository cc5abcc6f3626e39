// Both plugins against the real engine: what is said in one conversation is in the prompt of the next.
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import companion from "../../integrations/openclaw/index.js";
import { state } from "../../integrations/openclaw/shared.js";
import slot from "../../integrations/openclaw-slot/index.js";
import { CTX, answered, host, reset, said } from "./fake_host.mjs";

const PYTHON = process.env.COMMONPLACE_PYTHON;
const PORT = "The staging database listens on port 6432.";
const skip = PYTHON ? false : "COMMONPLACE_PYTHON names no Python with the package: the tests with the real engine were skipped";

afterEach(reset);

function notebook(plugin = companion, workspace = mkdtempSync(join(tmpdir(), "commonplace-"))) {
  const command = [PYTHON, "-m", "commonplace", "serve", "--stdio"];
  return { ...host(plugin, {}, { config: { command, workspace, timeoutMs: 10_000 } }), workspace };
}

const ask = (made, prompt, ctx) => made.hooks.before_prompt_build({ prompt, messages: [] }, { ...CTX, ...ctx });
const end = (made, messages, ctx) => made.hooks.agent_end({ messages, success: true }, { ...CTX, ...ctx });

test("a fact of one conversation is in the prompt of the next, after a restart too", { skip }, async () => {
  const made = notebook();
  await end(made, [said(PORT, Date.now()), answered("Noted.", Date.now() + 1)]);
  assert.match((await ask(made, "which port has staging?", { sessionId: "s2" })).prependContext, /6432.*\[obs:/);
  await state().engine.stop();
  const again = notebook(companion, made.workspace);
  assert.match((await ask(again, "which port has staging?", { sessionId: "s3" })).prependContext, /6432/);
  assert.deepEqual([...made.warnings(), ...again.warnings()], []);
});

test("a killed engine comes back, and what was not captured meanwhile is captured then", { skip }, async () => {
  const made = notebook();
  await ask(made, "anything?");
  state().engine.child.kill("SIGKILL");
  await end(made, [said(PORT, 1.795e12)]);
  state().engine.notBefore = 0;
  await end(made, [said(PORT, 1.795e12), answered("Noted.", 1.795e12 + 1)]);
  assert.match((await ask(made, "which port has staging?", { sessionId: "s2" })).prependContext, /6432/);
});

test("what an agent keeps is found by the tools of both plugins and by the host's own", { skip }, async () => {
  const made = notebook();
  writeFileSync(join(made.workspace, "notes.md"), "The lift was repaired in May.\n");
  slot.register({ ...made.api, id: slot.id });
  const call = (name, params) => made.tools[name](CTX).execute("c", params);
  assert.match((await call("commonplace_retain", { text: PORT })).content[0].text, /^Kept as \w+ \[memory\//);
  assert.match((await call("commonplace_recall", { query: "which port has staging?" })).content[0].text, /6432/);
  const [hit] = (await call("memory_search", { query: "when was the lift repaired?" })).details.results;
  assert.deepEqual([hit.path, hit.startLine, hit.source], ["notes.md", 1, "memory"]);
  assert.equal((await call("memory_get", { path: hit.path })).details.text, "The lift was repaired in May.");
  assert.equal((await made.corpus.search({ query: "lift" }))[0].path, "notes.md");
  assert.equal((await made.corpus.get({ lookup: "notes.md" })).lineCount, 1);
  assert.match((await call("commonplace_why", {})).content[0].text, /^r-/);
});

test("a group hears nothing of it", { skip }, async () => {
  const made = notebook();
  await end(made, [said(PORT, 1.795e12)]);
  const group = { sessionKey: "agent:main:telegram:group:-5", channel: "telegram", sessionId: "g" };
  assert.deepEqual(await ask(made, "which port has staging?", group), {});
  const { content } = await made.tools.commonplace_recall({ ...CTX, ...group }).execute("c", { query: "port" });
  assert.match(content[0].text, /Memory was not asked: a group/);
});
