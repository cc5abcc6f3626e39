// @ts-check
// Which fields of the host's events and contexts go to the engine, and how large messages are; nothing is judged here.

const CONTEXT = [
  "runId", "jobId", "agentId", "sessionKey", "sessionId", "workspaceDir", "trigger", "channel", "messageProvider",
  "messageChannel", "chatId", "channelId", "nativeChannelId", "senderId", "requesterSenderId", "senderIsOwner",
  "channelContext", "inputProvenance", "contextTokenBudget", "sandboxed", "turn",
]; // prettier-ignore
const MOST_BATCH = 1 << 20; // characters of messages in one request
const MOST_DATA = 4_096; // characters of a picture or a file
const MOST_TEXT = 2 << 20; // characters of one text; the engine looks at half of that
const MOST_MESSAGE = 12_000_000; // bytes; the engine reads no longer line than 16 million

/** @param {any} ctx @returns {Record<string, any>} */
export function contextOf(ctx) {
  /** @type {Record<string, any>} */
  const context = {};
  for (const name of CONTEXT) if (ctx?.[name] !== undefined) context[name] = ctx[name];
  return context;
}

/** A call of a tool that has ended. @param {any} event */
export function callOf({ toolName, params, toolCallId, result, error, durationMs }) {
  const text = JSON.stringify({ toolName, params, toolCallId, result, error, durationMs }, bounded);
  return Buffer.byteLength(text) <= MOST_MESSAGE ? JSON.parse(text) : {};
}

/** @param {any} ctx */
export const conversationOf = (ctx) => String(ctx?.sessionKey ?? ctx?.sessionId ?? "");

/** The bytes of the texts in messages. @param {any} value @returns {number} */
export function bytesOf(value) {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.reduce((sum, one) => sum + bytesOf(one), 0);
  if (!value || typeof value !== "object") return 0;
  return bytesOf([value.text, value.thinking, value.content, value.arguments && JSON.stringify(value.arguments)]);
}

/** What tells a message from its neighbours. @param {any} message */
const nameOf = (message) => `${message?.role} ${message?.timestamp}`; // the host changes ids afterwards

/** The messages after the one that was handed over last, in batches of bounded size, each with its last one's name.
 * @param {any} messages @param {string | undefined} last @returns {{ messages: any[], last: string }[]} */
export function batchesOf(messages, last) {
  const all = Array.isArray(messages) ? messages : [];
  const from = last === undefined ? 0 : all.findLastIndex((one) => nameOf(one) === last) + 1;
  /** @type {{ messages: any[], last: string }[]} */
  const batches = [];
  let size = MOST_BATCH;
  for (const message of all.slice(from)) {
    const text = JSON.stringify(message, bounded) ?? "null";
    if (size + text.length > MOST_BATCH) batches.push({ messages: [], last: "" });
    size = (size + text.length > MOST_BATCH ? 0 : size) + text.length;
    const batch = batches[batches.length - 1];
    if (Buffer.byteLength(text) <= MOST_MESSAGE) batch.messages.push(JSON.parse(text));
    batch.last = nameOf(message);
  }
  return batches;
}

/** @param {string} name @param {any} value */
function bounded(name, value) {
  if (typeof value !== "string" || value.length <= MOST_DATA) return value;
  return name === "data" ? "" : value.slice(0, MOST_TEXT);
}
