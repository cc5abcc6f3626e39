// The plugin for the memory slot: what it registers, and that its tools reach the engine of the companion.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import companion from "../../integrations/openclaw/index.js";
import slot from "../../integrations/openclaw-slot/index.js";
import { flushPlan } from "../../integrations/openclaw-slot/flush.js";
import { CTX, host, reset } from "./fake_host.mjs";

const NOW = Date.UTC(2026, 8, 6, 23, 30);
const FOUND = { results: [{ path: "a.md", startLine: 1, endLine: 1, score: 1, snippet: "s", source: "memory" }] };
const TOLD = { answer: { text: JSON.stringify(FOUND), details: FOUND, refused: "" } };

afterEach(reset);

test("it takes the slot without a runtime, so that the host goes on showing MEMORY.md", () => {
  const made = host(slot);
  assert.deepEqual(Object.keys(made.capability), ["promptBuilder", "flushPlanResolver", "deterministicRecallToolName"]);
  assert.equal(slot.kind, "memory");
  assert.deepEqual(made.hooks, {});
});

test("memory_search answers with text that is its data, and is never behind the tool search", async () => {
  const made = host(slot, { tool: TOLD });
  assert.deepEqual(Object.keys(made.tools), ["memory_search", "memory_get"]);
  const tool = made.tools.memory_search(CTX);
  assert.equal(tool.catalogMode, "direct-only");
  const answer = await tool.execute("c", { query: "q", maxResults: 2 });
  assert.deepEqual(JSON.parse(answer.content[0].text), answer.details);
  assert.deepEqual(made.asked("tool")[0].params.event, { name: "memory_search", params: { query: "q", maxResults: 2 } });
});

test("its tools share the companion's engine and its settings, less what is the host's own", async () => {
  const made = host(companion, { tool: TOLD, prompt: { answer: { inject: "x", stable: "" } } }, { config: { scope: "home" } });
  const api = {
    ...made.api,
    id: "commonplace-slot",
    config: { plugins: { entries: { commonplace: { config: made.api.pluginConfig } } } },
    pluginConfig: { dreaming: { enabled: false } },
  };
  slot.register(api);
  await made.hooks.before_prompt_build({ prompt: "p", messages: [] }, CTX);
  await made.tools.memory_get(CTX).execute("c", { path: "a.md" });
  assert.equal(made.seen().filter((one) => one.started).length, 1);
  const { options } = made.asked("tool")[0].params;
  assert.equal(options.scope, "home");
  assert.ok(!("dreaming" in options));
});

test("the memory section speaks of the tools only where they can be called", () => {
  const { promptBuilder } = host(slot).capability;
  assert.deepEqual(promptBuilder({ availableTools: new Set(["read"]) }), []);
  const told = promptBuilder({ availableTools: new Set(["memory_search"]), citationsMode: "off" }).join("\n");
  assert.match(told, /^## Memory Recall\n/);
  assert.match(told, /Do not name paths/);
  assert.match(promptBuilder({ availableTools: new Set(["memory_get"]) }).join("\n"), /path#line/);
});

test("the flush writes to the user's day, and keeps within a small context", () => {
  const cfg = { agents: { defaults: { userTimezone: "Asia/Tokyo" } } };
  const plan = flushPlan({ cfg, nowMs: NOW, contextWindowTokens: 10_000 });
  assert.equal(plan.relativePath, "memory/2026-09-07.md");
  assert.ok(plan.prompt.includes("memory/2026-09-07.md") && plan.systemPrompt.includes("NO_REPLY"));
  assert.deepEqual([plan.softThresholdTokens, plan.reserveTokensFloor], [4000, 2000]);
  assert.equal(flushPlan({ nowMs: NOW, contextWindowTokens: 6_000 }).softThresholdTokens, 2400);
  assert.equal(flushPlan({ nowMs: NOW }).reserveTokensFloor, 20_000);
});

test("the host's own settings of the flush count", () => {
  const plan = (memoryFlush) => flushPlan({ cfg: { agents: { defaults: { compaction: { memoryFlush } } } }, nowMs: NOW });
  assert.equal(plan({ enabled: false }), null);
  assert.deepEqual([plan({ softThresholdTokens: 99, model: " m " }).softThresholdTokens, plan({ model: " m " }).model], [99, "m"]);
  const odd = flushPlan({ cfg: { agents: { defaults: { userTimezone: "Nowhere/At/All" } } }, nowMs: NOW });
  assert.equal(odd.relativePath, "memory/2026-09-06.md");
});
