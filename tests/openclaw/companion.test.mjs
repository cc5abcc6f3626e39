// The companion plugin against a fake host and an engine that does what each test tells it.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import plugin from "../../integrations/openclaw/index.js";
import { consolidate } from "../../integrations/openclaw/consolidation.js";
import { batchesOf, bytesOf } from "../../integrations/openclaw/fields.js";
import { state } from "../../integrations/openclaw/shared.js";
import { CTX, answered, host, reset, said } from "./fake_host.mjs";

const PROMPT = { answer: { inject: "<memory>lines</memory>", stable: "core", receipt: "r-1", skipped: "", notes: [] } };
const TURN = { answer: { captured: 1, known: 0, skipped: "", notes: [] } };
const ask = (made, event = { prompt: "where?", messages: [] }, ctx = CTX) => made.hooks.before_prompt_build(event, ctx);

afterEach(reset);

test("what the engine gives goes before the words and behind the system prompt", async () => {
  const made = host(plugin, { prompt: PROMPT });
  assert.deepEqual(await ask(made), { prependContext: "<memory>lines</memory>", appendSystemContext: "core" });
});

test("the engine gets the host's fields, the settings and the size of the messages", async () => {
  const made = host(plugin, { prompt: PROMPT }, { config: { budgetTokens: 300, workspace: "/notes" } });
  const messages = [said("äb", 1), { role: "assistant", content: [{ type: "text", text: "cd" }, { type: "toolCall", arguments: { q: 1 } }] }];
  const chat = { chat: { id: "7", type: "private" } };
  const known = { contextTokenBudget: 9, channel: "telegram", channelContext: chat, inputProvenance: { kind: "external_user" } };
  const ctx = { ...CTX, ...known, secret: "x" };
  await ask(made, { prompt: "p", currentUserMessage: "q", messages }, ctx);
  const [{ params, deadline_ms }] = made.asked("prompt");
  assert.equal(deadline_ms, 800);
  assert.equal(params.host, "openclaw");
  assert.deepEqual(params.event, { prompt: "p", currentUserMessage: "q", messageBytes: 5 + 7 });
  assert.equal(params.options.budgetTokens, 300);
  const { secret, ...told } = ctx;
  assert.deepEqual(params.context, told);
  assert.deepEqual(made.seen()[0].started, ["--workspace", "/notes"]);
});

test("the engine is told where groups are put into the session of private chats", async () => {
  const made = host(plugin, { prompt: PROMPT });
  const session = { groupScope: "main" };
  for (const more of [{}, { session }, { bindings: [{ agentId: "main" }, { session }] }, { bindings: "odd", session: null }]) {
    made.api.config = { ...more };
    await ask(made);
  }
  assert.deepEqual(made.asked("prompt").map((one) => one.params.context.groupScope), [undefined, "main", "main", undefined]);
});

test("nothing is put in where there is nothing", async () => {
  const made = host(plugin, { prompt: { answer: { inject: "", stable: "", receipt: "", skipped: "a turn of cron", notes: ["n"] } } });
  assert.deepEqual(await ask(made), {});
  assert.ok(made.lines.includes("debug commonplace: a turn of cron"));
  assert.ok(made.lines.includes("info commonplace: n"));
});

test("a hung engine costs its deadline, the turn goes on and a line says so", async () => {
  const made = host(plugin, { prompt: { hang: true } }, { config: { timeoutMs: 120 } });
  assert.equal(await ask(made), undefined);
  assert.match(made.warnings()[0], /goes on without memory: the engine did not answer within 120 ms/);
  assert.equal(made.terms.before_prompt_build.timeoutMs, 820);
});

test("an engine that says nothing at all is killed and started again", async () => {
  const made = host(plugin, { prompt: { hang: true }, turn: TURN }, { config: { timeoutMs: 100 } });
  do await ask(made);
  while (state().engine.child); // it has to say that it is ready first
  assert.ok(made.warnings().some((line) => /the engine is gone: it hangs/.test(line)));
  made.plan({ prompt: PROMPT });
  state().engine.notBefore = 0;
  made.api.pluginConfig.timeoutMs = 5000;
  plugin.register(made.api);
  assert.equal((await ask(made)).prependContext, "<memory>lines</memory>");
});

test("a request that is given up is cancelled", async () => {
  const made = host(plugin, { prompt: { hang: true } }, { config: { timeoutMs: 60 } });
  await ask(made);
  await state().engine.stop();
  const [{ id }] = made.asked("prompt");
  assert.deepEqual(made.asked("cancel")[0].params, { id });
});

test("a crashed engine is told with its last words, waits before it is started again, and comes back", async () => {
  const made = host(plugin, { prompt: { crash: true }, complaint: "no such workspace" });
  assert.equal(await ask(made), undefined);
  assert.ok(made.warnings().some((line) => /gone: it ended with 4 \(no such workspace\)/.test(line)), made.lines.join("\n"));
  assert.equal(await ask(made), undefined);
  assert.match(made.warnings().at(-1), /the engine died; it is started again in \d+ ms/);
  assert.equal(made.seen().filter((one) => one.started).length, 1);
  made.plan({ prompt: PROMPT });
  state().engine.notBefore = 0;
  assert.equal((await ask(made)).appendSystemContext, "core");
});

test("deaths in a row wait longer each time, at most half a minute; an answer forgives them", async () => {
  const made = host(plugin, { prompt: { crash: true } });
  const waits = [];
  for (let n = 0; n < 9; n += 1) {
    state().engine && (state().engine.notBefore = 0);
    await ask(made);
    waits.push(Number(/again in (\d+) ms/.exec(made.warnings().filter((line) => /gone/.test(line)).at(-2))[1]));
  }
  assert.deepEqual(waits.slice(0, 4), [250, 500, 1000, 2000]);
  assert.equal(waits.at(-1), 30000);
  made.plan({ prompt: PROMPT });
  state().engine.notBefore = 0;
  await ask(made);
  assert.equal(state().engine.deaths, 0);
});

test("a command that there is not fails open and says what is wrong", async () => {
  const made = host(plugin, {}, { config: { command: ["/no/such/commonplace"] } });
  assert.equal(await ask(made), undefined);
  assert.match(made.warnings().join("\n"), /ENOENT/);
});

test("garbage between answers does no harm", async () => {
  const made = host(plugin, { prompt: { ...PROMPT, garbage: true } });
  assert.equal((await ask(made)).appendSystemContext, "core");
  assert.match(made.warnings()[0], /no answer: 15 characters/);
  assert.doesNotMatch(made.warnings().join(), /JSON/); // it may be of the notebook
});

test("an answer that comes in pieces, or is large, is whole", async () => {
  const inject = "ä,".repeat(400_000);
  const made = host(plugin, { prompt: { ...PROMPT, pieces: true, answer: { ...PROMPT.answer, inject } } }, { config: { timeoutMs: 10000 } });
  assert.equal((await ask(made)).prependContext, inject);
});

test("no more than 64 requests wait", async () => {
  const made = host(plugin, { prompt: { hang: true } }, { config: { timeoutMs: 400 } });
  await Promise.all(Array.from({ length: 70 }, () => ask(made)));
  assert.equal(made.warnings().filter((line) => /the engine is busy/.test(line)).length, 6);
});

test("an error of the engine lets the turn go on", async () => {
  const made = host(plugin, { prompt: { error: { code: "lock-busy", message: "the index is locked" } } });
  assert.equal(await ask(made), undefined);
  assert.match(made.warnings()[0], /the index is locked/);
});

test("only messages that are new since the last time are handed over", async () => {
  const made = host(plugin, { turn: TURN });
  const first = [said("a", 1), answered("b", 2)];
  await made.hooks.agent_end({ messages: first, success: true }, CTX);
  await made.hooks.agent_end({ messages: [...first, said("c", 3), answered("d", 4)], success: true }, CTX);
  await made.hooks.before_reset({ messages: [...first, said("c", 3), answered("d", 4)], reason: "new" }, CTX);
  const texts = made.asked("turn").map(({ params }) => params.event.messages.map((one) => one.timestamp));
  assert.deepEqual(texts, [[1, 2], [3, 4]]);
});

test("what could not be handed over comes with the next turn", async () => {
  const made = host(plugin, { turn: { error: { code: "x", message: "full" } } });
  await made.hooks.agent_end({ messages: [said("a", 1)] }, CTX);
  assert.match(made.warnings()[0], /agent_end was not captured now, and will be with the next turn: full/);
  await state().engine.stop();
  made.plan({ turn: TURN });
  await made.hooks.agent_end({ messages: [said("a", 1), answered("b", 2)] }, CTX);
  assert.deepEqual(made.asked("turn").at(-1).params.event.messages.map((one) => one.timestamp), [1, 2]);
});

test("what the engine can never take in does not keep back what follows", async () => {
  const made = host(plugin, { turn: { error: { code: "internal-error", message: "a fault" } } });
  await made.hooks.agent_end({ messages: [said("a", 1)] }, CTX);
  assert.ok(made.lines.includes("info commonplace: messages were passed over: a fault"));
  await made.hooks.agent_end({ messages: [said("a", 1), answered("b", 2)] }, CTX);
  assert.deepEqual(made.asked("turn").at(-1).params.event.messages.map((one) => one.timestamp), [2]);
});

test("a compacted list is handed over from the start if what was last is not in it", async () => {
  const made = host(plugin, { turn: TURN });
  await made.hooks.agent_end({ messages: [said("a", 1), answered("b", 2)] }, CTX);
  await made.hooks.agent_end({ messages: [said("c", 5)] }, CTX);
  assert.deepEqual(made.asked("turn").at(-1).params.event.messages.map((one) => one.timestamp), [5]);
});

test("before a reset all that was not handed over goes to the engine, with the reason", async () => {
  const made = host(plugin, { turn: TURN });
  await made.hooks.before_reset({ messages: [said("a", 1)], reason: "idle" }, CTX);
  const [{ params }] = made.asked("turn");
  assert.deepEqual([params.event.name, params.event.reason], ["before_reset", "idle"]);
});

test("large messages go in several requests, pictures stay here", () => {
  const long = "x".repeat(700_000);
  const picture = { role: "user", content: [{ type: "image", data: "A".repeat(50_000) }], timestamp: 3 };
  const batches = batchesOf([said(long, 1), said(long, 2), picture], undefined);
  assert.deepEqual(batches.map((one) => one.messages.length), [1, 2]);
  assert.equal(batches[1].messages[1].content[0].data, "");
  const [{ messages: [huge] }] = batchesOf([said("y".repeat(3_000_000), 4)], undefined);
  assert.equal(huge.content.length, 2 << 20);
  const many = { role: "user", content: Array.from({ length: 7 }, () => ({ type: "text", text: long + long + long })) };
  assert.deepEqual(batchesOf([many, said("z", 5)], undefined).map((one) => one.messages.length), [0, 1]);
  assert.deepEqual(batchesOf(undefined, "x"), []);
  assert.equal(bytesOf([null, 7, picture]), 0);
});

test("a compaction is remembered for the prompts that follow, until the conversation is reset", async () => {
  const made = host(plugin, { prompt: PROMPT, turn: TURN });
  await made.hooks.after_compaction({ messageCount: 3 }, CTX);
  await ask(made);
  assert.ok(made.asked("prompt")[0].params.event.compactedMs >= 1);
  await ask(made, undefined, { ...CTX, sessionKey: "agent:main:other" });
  await made.hooks.before_reset({ messages: [] }, CTX);
  await ask(made);
  assert.deepEqual(made.asked("prompt").map(({ params }) => "compactedMs" in params.event), [true, false, false]);
});

test("a result goes to the engine when it comes, with the run that called the tool", async () => {
  const made = host(plugin, { prompt: PROMPT, turn: TURN });
  await ask(made, undefined, { ...CTX, runId: "r1", trigger: "cron" });
  const event = { toolName: "fetch", toolCallId: "c1", params: { u: 1 }, result: { content: [] }, runId: "r1", secret: 1 };
  await made.hooks.after_tool_call(event, { sessionKey: CTX.sessionKey, runId: "r1", toolName: "fetch" });
  await made.hooks.after_tool_call(event, { sessionKey: CTX.sessionKey, runId: "r2" });
  const [first, second] = made.asked("turn").map(({ params }) => params);
  const { timestamp, ...told } = first.event;
  assert.deepEqual(told, { name: "after_tool_call", toolName: "fetch", toolCallId: "c1", params: { u: 1 }, result: { content: [] } });
  assert.ok(timestamp > 1e12);
  assert.deepEqual([first.context.trigger, second.context.trigger], ["cron", undefined]);
});

test("the end of a run is told what only its prompt knew, whatever other runs there are", async () => {
  const made = host(plugin, { prompt: PROMPT, turn: TURN });
  const inputProvenance = { kind: "inter_session", sourceTool: "subagent_announce" };
  await ask(made, undefined, { ...CTX, runId: "r1", inputProvenance });
  await ask(made, undefined, { ...CTX, runId: "r2" });
  await made.hooks.agent_end({ messages: [said("a", 1)] }, { ...CTX, runId: "r1" });
  await made.hooks.agent_end({ messages: [said("b", 2)] }, { ...CTX, runId: "r2" });
  const found = made.asked("turn").map(({ params }) => params.context.inputProvenance);
  assert.deepEqual(found, [inputProvenance, undefined]);
});

test("the size of the last request and the model's window are told with the next prompt, until a compaction", async () => {
  const made = host(plugin, { prompt: PROMPT, turn: TURN });
  const { sessionKey } = CTX;
  made.hooks.model_call_ended({ sessionKey, contextTokenBudget: 9000, requestPayloadBytes: 70 }, {});
  await ask(made);
  await made.hooks.after_compaction({}, CTX);
  await ask(made);
  const [first, second] = made.asked("prompt").map(({ params }) => params);
  assert.deepEqual([first.context.contextTokenBudget, first.event.requestBytes], [9000, 70]);
  assert.deepEqual([second.context.contextTokenBudget, second.event.requestBytes], [9000, undefined]);
});

test("what is held of conversations and runs is bounded", async () => {
  const made = host(plugin, { prompt: PROMPT });
  await Promise.all(Array.from({ length: 600 }, (_, n) => ask(made, undefined, { sessionKey: `k${n}`, runId: `r${n}` })));
  assert.deepEqual([state().marks.size, state().runs.size], [512, 512]);
});

test("a tool is direct, hands over who asks where, and answers with text and data", async () => {
  const told = { text: "line [a.md#L1]", details: { receipt: "r-2" }, refused: "" };
  const made = host(plugin, { tool: { answer: told } });
  assert.deepEqual(Object.keys(made.tools), ["commonplace_recall", "commonplace_retain", "commonplace_forget", "commonplace_why"]);
  const tool = made.tools.commonplace_recall({ sessionKey: "agent:main:main", senderIsOwner: true, config: {} });
  assert.equal(tool.catalogMode, "direct-only");
  const answer = await tool.execute("c1", { query: "q" });
  assert.deepEqual(answer, { content: [{ type: "text", text: "line [a.md#L1]" }], details: { receipt: "r-2" } });
  const { params } = made.asked("tool")[0];
  assert.deepEqual(params.event, { name: "commonplace_recall", params: { query: "q" } });
  assert.deepEqual(params.context, { sessionKey: "agent:main:main", senderIsOwner: true });
});

test("the tool that forgets, and no other, hands over the message that the host answers and its context", async () => {
  const told = { text: "Hidden", details: {}, refused: "" };
  const made = host(plugin, { prompt: PROMPT, tool: { answer: told } });
  const ctx = { sessionKey: "agent:main:main", senderIsOwner: true };
  await ask(made, { prompt: "p", currentUserMessage: "Forget it", messages: [] }, { ...ctx, trigger: "user" });
  await made.tools.commonplace_forget(ctx).execute("c1", { references: ["a"] });
  await made.tools.commonplace_retain(ctx).execute("c2", { text: "b" });
  const [forgotten, other] = made.asked("tool").map((one) => one.params);
  assert.deepEqual(forgotten.event, { name: "commonplace_forget", params: { references: ["a"] }, message: "Forget it" });
  assert.deepEqual(forgotten.context, { ...ctx, trigger: "user" });
  assert.equal(other.event.message, undefined);
  await ask(made, { prompt: "p", messages: [] }, { ...ctx, trigger: "cron" });
  await made.tools.commonplace_forget(ctx).execute("c3", { references: ["a"] });
  assert.equal(made.asked("tool")[2].params.event.message, undefined);
});

test("a tool whose call is cancelled, or whose engine fails, says so", async () => {
  const made = host(plugin, { tool: { hang: true } });
  const stop = new AbortController();
  const running = made.tools.commonplace_why({}).execute("c", {}, stop.signal);
  stop.abort();
  const { content, details } = await running;
  assert.match(content[0].text, /not available now \(cancelled\)/);
  assert.equal(details.unavailable, true);
});

test("the host's own memory tools see the notebook as a corpus", async () => {
  const hit = { path: "a.md", startLine: 1, score: 1, snippet: "s" };
  const found = host(plugin, { tool: { answer: { text: "", details: { results: [hit] }, refused: "" } } });
  assert.deepEqual(await found.corpus.search({ query: "q", maxResults: 3, agentSessionKey: "k" }), [{ ...hit, corpus: "commonplace" }]);
  assert.equal(found.asked("tool")[0].params.context.sessionKey, "k");
  await reset();
  const read = { status: "ok", path: "a.md", text: "t", from: 2, lines: 1 };
  const made = host(plugin, { tool: { answer: { text: "", details: read, refused: "" } } });
  assert.deepEqual(await made.corpus.get({ lookup: "a.md" }), { corpus: "commonplace", path: "a.md", content: "t", fromLine: 2, lineCount: 1 });
});

test("who asks by way of the host's own memory tools is whoever the turn is of", async () => {
  const answer = { text: "", details: { results: [] }, refused: "" };
  const made = host(plugin, { prompt: PROMPT, tool: { answer } });
  await ask(made, undefined, { ...CTX, senderId: "8", channel: "telegram" });
  await made.corpus.search({ query: "q", agentId: "main", agentSessionKey: CTX.sessionKey });
  await made.corpus.search({ query: "q", agentId: "main", agentSessionKey: "agent:main:other" });
  const [here, elsewhere] = made.asked("tool").map((one) => one.params.context);
  assert.deepEqual([here.senderId, here.channel, here.sessionKey], ["8", "telegram", CTX.sessionKey]);
  assert.equal(elsewhere.senderId, undefined);
  assert.deepEqual([here.turn, elsewhere.turn], [undefined, "unknown"]);
});

test("each of several requests but the last says that others follow", async () => {
  const made = host(plugin, { turn: TURN });
  const long = "x".repeat(700_000);
  await made.hooks.agent_end({ messages: [said(long, 1), said(long, 2)] }, CTX);
  assert.deepEqual(made.asked("turn").map((one) => one.params.event.more), [true, false]);
});

test("the memory section says two lines, where the tool can be called", () => {
  const made = host(plugin);
  assert.equal(made.supplement({ availableTools: new Set(["commonplace_recall"]) }).length, 2);
  assert.deepEqual(made.supplement({ availableTools: new Set(["read"]) }), []);
});

test("a host that keeps conversations back is told of once, with the command", () => {
  const made = host(plugin, {}, { entry: {} });
  plugin.register(made.api);
  const told = made.warnings().filter((line) => /allowConversationAccess/.test(line));
  assert.equal(told.length, 1);
  assert.match(told[0], /openclaw config set plugins\.entries\.commonplace\.hooks\.allowConversationAccess true$/);
  assert.deepEqual(host(plugin).warnings(), []);
});

test("however often it is registered and evaluated there is one engine, and stopping ends it", async () => {
  const made = host(plugin, { prompt: PROMPT });
  const again = await import("../../integrations/openclaw/index.js?again");
  again.default.register(made.api);
  await Promise.all([ask(made), ask(made)]);
  assert.equal(made.seen().filter((one) => one.started).length, 1);
  made.services[0].start();
  await made.services[0].stop();
  assert.ok(made.seen().some((one) => one.ended));
  assert.equal((await ask(made)).appendSystemContext, "core");
  assert.equal(made.seen().filter((one) => one.started).length, 2);
});

test("another command or notebook replaces the engine", async () => {
  const made = host(plugin, { prompt: PROMPT });
  await ask(made);
  made.api.pluginConfig = { ...made.api.pluginConfig, workspace: "/other" };
  await ask(made);
  assert.deepEqual(made.seen().filter((one) => one.started).map((one) => one.started), [[], ["--workspace", "/other"]]);
});

const OPEN = { id: "o1", session: "s1", task: "Choose.", turns: [{ id: "1", text: "I moved to Bern." }], known_lines: [] };
const DONE = { kept: [{ text: "Peter moved to Bern." }], skipped: { duplicate: 2 } };
const ORDERS = { turn: TURN, order: { answers: [OPEN], answer: { turns: [] } }, consolidate: { answer: DONE } };

/** A host whose model answers with this text, with the sessions' end it is told. */
function withModel(plan, text, config = { consolidate: true }) {
  const made = host(plugin, plan, { config });
  made.calls = [];
  const complete = async (call) => (made.calls.push(call), { text: typeof text === "function" ? await text() : text });
  made.api.runtime = { llm: { complete } };
  made.ends = async (reason = "new", more = {}) => {
    await made.hooks.session_end({ reason, sessionId: "s1", ...more }, CTX);
    await state().work;
  };
  return made;
}

test("at the end of a session the agent's model answers what the engine orders, without tools", async () => {
  const made = withModel(ORDERS, 'Here it is: ```json\n{"order": "o1", "claims": []}\n```');
  await made.ends();
  assert.deepEqual(made.asked("order").map((one) => one.params), [{ session: "s1" }, { session: "s1" }]);
  assert.deepEqual(made.asked("consolidate").map((one) => one.params), [{ answer: { order: "o1", claims: [] } }]);
  const [{ agentId, messages, purpose, signal, ...more }] = made.calls;
  assert.deepEqual([agentId, messages.length, messages[0].role, purpose, more], ["main", 1, "user", "commonplace.consolidate", {}]);
  assert.ok(signal instanceof AbortSignal);
  assert.ok(messages[0].content.startsWith(JSON.stringify(OPEN)));
  assert.match(messages[0].content, /You have no tools here/);
  assert.ok(made.lines.includes("info commonplace: consolidated a session: 1 lines kept, 2 refused"));
  const methods = made.seen().map((one) => one.method).filter(Boolean);
  assert.deepEqual(methods, ["order", "consolidate", "order"]);
});

test("nothing is consolidated where it is not asked for, where the host ends, or where nothing is open", async () => {
  for (const [config, reason, plan] of [[{}, "new", ORDERS], [{ consolidate: true }, "shutdown", ORDERS], [{ consolidate: true }, "restart", ORDERS], [{ consolidate: true }, "deleted", ORDERS]]) {
    const made = withModel(plan, "{}", config);
    await made.ends(reason);
    assert.deepEqual([made.calls, made.asked("order")], [[], []]);
    await reset();
  }
  const made = withModel({ ...ORDERS, order: { answer: { turns: [] } } }, "{}");
  await made.ends();
  assert.deepEqual([made.calls, made.asked("order").length], [[], 1]);
});

test("a model that fails or talks is a warning, and the next session is consolidated", async () => {
  const replies = [() => Promise.reject(new Error("no key")), () => "Sorry.", () => '{"order": "o1"}'];
  const made = withModel({ ...ORDERS, order: { answers: [OPEN, OPEN, OPEN], answer: { turns: [] } } }, () => replies.shift()());
  for (const _end of [1, 2, 3]) await made.ends("idle");
  const told = made.warnings().filter((line) => /a session was not consolidated/.test(line));
  assert.equal(told.length, 2);
  assert.match(told[0], /no key/);
  assert.equal(made.asked("consolidate").length, 1);
});

test("an order that comes again is not answered again", async () => {
  const made = withModel({ ...ORDERS, order: { answer: OPEN } }, '{"order": "o1"}');
  await made.ends();
  assert.equal(made.calls.length, 1);
});

test("of two sessions that end at once one is consolidated after the other, and the host waits for none", async () => {
  let under = 0;
  let most = 0;
  const slow = async () => {
    most = Math.max(most, (under += 1));
    await new Promise((resolve) => setImmediate(resolve));
    under -= 1;
    return '{"order": "o1"}';
  };
  const made = withModel({ ...ORDERS, order: { answers: [OPEN, { turns: [] }, { ...OPEN, id: "o2" }], answer: { turns: [] } } }, slow);
  const first = consolidate(made.api, { reason: "new", sessionId: "s1" }, {});
  const second = consolidate(made.api, { reason: "new", sessionId: "s2" }, {});
  await Promise.all([first, second]);
  assert.deepEqual([made.calls.length, most], [2, 1]);
});
