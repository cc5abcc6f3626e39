// @ts-check
// Where the settings say so, the model of a session's agent consolidates the session when it ends; the engine writes
// the work order and judges the answer.
import { configOf, engineOf, state } from "./shared.js";

const ENDS = ["new", "reset", "idle", "daily", "compaction"]; // when the host itself ends, no model can be waited for
const MOST_ORDERS = 20;
const ENGINE_MS = 60_000;
const MODEL_MS = 300_000;
const HERE = "You have no tools here: print the JSON object instead of writing it into a file, and nothing else.";

/** One session after another; nothing is thrown, for nobody waits. @param {any} api @param {any} event @param {any} ctx
 * @returns {Promise<void>} */
export function consolidate(api, event, ctx) {
  const { sessionId: session, agentId } = { ...event, ...ctx };
  if (configOf(api).consolidate !== true || !ENDS.includes(event?.reason) || !session) return Promise.resolve();
  const held = state();
  held.work = (held.work ?? Promise.resolve())
    .then(() => answerOrders(api, session, agentId))
    .catch((error) => api.logger.warn(`commonplace: a session was not consolidated: ${error?.message ?? error}`));
  return held.work;
}

/** @param {any} api @param {string} session @param {string | undefined} agentId */
async function answerOrders(api, session, agentId) {
  let last = "";
  for (let number = 0; number < MOST_ORDERS; number += 1) {
    const order = await engineOf(api).ask("order", { session }, { deadlineMs: ENGINE_MS });
    if (!order.turns?.length || order.id === last) return;
    last = order.id;
    const { text } = await api.runtime.llm.complete({
      agentId,
      messages: [{ role: "user", content: `${JSON.stringify(order)}\n\n${HERE}` }],
      purpose: "commonplace.consolidate",
      signal: AbortSignal.timeout(MODEL_MS),
    });
    const answer = JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
    const done = await engineOf(api).ask("consolidate", { answer }, { deadlineMs: ENGINE_MS });
    const refused = Object.values(done.skipped ?? {}).reduce((sum, count) => sum + Number(count), 0);
    api.logger.info?.(`commonplace: consolidated a session: ${done.kept?.length ?? 0} lines kept, ${refused} refused`);
  }
}
