// @ts-check
// The host's hooks: their fields go to the engine, its texts come back; whatever goes wrong, the turn goes on.
import { ask, configOf, holdRun, inRun, markOf } from "./shared.js";
import { consolidate } from "./consolidation.js";
import { batchesOf, bytesOf, callOf, contextOf, conversationOf } from "./fields.js";

const PROMPT_MS = 800;
const CAPTURE_MS = 10_000;
const FAREWELL_MS = 1_500; // the host itself waits two seconds for all sessions when it ends
const MOST_MESSAGE_CHARS = 1_000; // of the message that a turn answers, for the tool that forgets
const SPARE_MS = 700; // of the host's patience, on top of ours
const FOR_GOOD = ["bad-argument", "internal-error"]; // what asking again does not mend

/** @param {any} api */
export function registerHooks(api) {
  const patience = configOf(api).timeoutMs ?? PROMPT_MS;
  const before = (/** @type {any} */ event, /** @type {any} */ ctx) => prompt(api, event, ctx, patience);
  api.on("before_prompt_build", before, { timeoutMs: patience + SPARE_MS });
  for (const name of ["agent_end", "before_reset", "before_compaction"])
    api.on(name, (/** @type {any} */ event, /** @type {any} */ ctx) => turn(api, name, event, ctx, CAPTURE_MS));
  api.on("after_compaction", (/** @type {any} */ event, /** @type {any} */ ctx) => {
    Object.assign(markOf(conversationOf(ctx)), { compactedAt: Date.now(), requestBytes: undefined });
    return turn(api, "after_compaction", event, ctx, CAPTURE_MS);
  });
  api.on("after_tool_call", (/** @type {any} */ event, /** @type {any} */ ctx) => called(api, event, ctx));
  api.on("model_call_ended", (/** @type {any} */ event, /** @type {any} */ ctx) => {
    const { contextTokenBudget: window, requestPayloadBytes: requestBytes } = event;
    Object.assign(markOf(conversationOf({ ...event, ...ctx })), { window, requestBytes });
  });
  api.on("session_end", async (/** @type {any} */ event, /** @type {any} */ ctx) => {
    await turn(api, "session_end", event, { ...event, ...ctx }, FAREWELL_MS);
    void consolidate(api, event, ctx);
  });
}

/** @param {any} api @param {any} event @param {any} ctx @param {number} deadlineMs */
async function prompt(api, event, ctx, deadlineMs) {
  const mark = markOf(conversationOf(ctx));
  const { compactedAt, window, requestBytes } = mark;
  mark.message = event.currentUserMessage?.slice?.(0, MOST_MESSAGE_CHARS);
  const context = (mark.context = holdRun({ contextTokenBudget: window, ...contextOf(ctx) }));
  const told = {
    prompt: event.prompt,
    currentUserMessage: event.currentUserMessage,
    messageBytes: bytesOf(event.messages),
    requestBytes,
    compactedMs: compactedAt === undefined ? undefined : Math.max(1, Date.now() - compactedAt),
  };
  try {
    const found = await ask(api, "prompt", { event: told, context }, { deadlineMs });
    for (const note of found.notes ?? []) api.logger.info?.(`commonplace: ${note}`);
    api.logger.debug?.(`commonplace: ${found.skipped || `recalled, receipt ${found.receipt}`}`);
    /** @type {{ prependContext?: string, appendSystemContext?: string }} */
    const parts = {};
    if (found.inject) parts.prependContext = found.inject;
    if (found.stable) parts.appendSystemContext = found.stable;
    return parts;
  } catch (error) {
    api.logger.warn(`commonplace: this turn goes on without memory: ${reason(error)}`);
    return undefined;
  }
}

/** @param {any} api @param {string} name @param {any} event @param {any} ctx @param {number} deadlineMs */
async function turn(api, name, event, ctx, deadlineMs) {
  const mark = markOf(conversationOf(ctx));
  const { messages, ...rest } = event ?? {};
  const context = inRun(contextOf(ctx));
  if (name === "before_reset") delete mark.compactedAt;
  try {
    const batches = batchesOf(messages, mark.last);
    for (const batch of batches) {
      const more = batch !== batches[batches.length - 1];
      const told = { name, reason: rest.reason, success: rest.success, messages: batch.messages, more };
      const asked = ask(api, "turn", { event: told, context }, { deadlineMs });
      const taken = await asked.catch(passOver);
      mark.last = batch.last;
      for (const note of taken.notes ?? []) api.logger.info?.(`commonplace: ${note}`);
      api.logger.debug?.(`commonplace: ${name}: ${taken.skipped || `${taken.captured} captured`}`);
    }
  } catch (error) {
    api.logger.warn(`commonplace: ${name} was not captured now, and will be with the next turn: ${reason(error)}`);
  }
}

/** A tool's result goes at once: what is kept after it must not be older than it. One that could not be handed over
 * comes with its turn. @param {any} api @param {any} event @param {any} ctx */
async function called(api, event, ctx) {
  const context = inRun(contextOf({ runId: event.runId, ...ctx }));
  try {
    const told = { ...callOf(event), name: "after_tool_call", timestamp: Date.now() };
    await ask(api, "turn", { event: told, context }, { deadlineMs: CAPTURE_MS });
  } catch (error) {
    api.logger.debug?.(`commonplace: a result waits for the end of its turn: ${reason(error)}`);
  }
}

/** What can never be taken in must not keep back what follows. @param {any} error */
function passOver(error) {
  if (!FOR_GOOD.includes(error?.code)) throw error;
  return { captured: 0, notes: [`messages were passed over: ${reason(error)}`] };
}

/** @param {unknown} error */
const reason = (error) => (error instanceof Error ? error.message : String(error));
