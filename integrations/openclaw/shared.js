// @ts-check
// What this plugin has once in a process, however often the host evaluates its modules and registers it.
import { Engine } from "./engine.js";

const SLOT = Symbol.for("commonplace.openclaw");
const COMMAND = ["commonplace", "serve", "--stdio"];
const MOST_MARKS = 512; // conversations

/** @typedef {{ command?: string[], workspace?: string, timeoutMs?: number, [name: string]: any }} Config */
/** @typedef {{ last?: string, compactedAt?: number, run?: Record<string, any> }} Mark */
/** @typedef {{ engine?: Engine, key?: string, marks: Map<string, Mark>, told: Set<string> }} State */

/** @returns {State} */
export function state() {
  const all = /** @type {any} */ (globalThis);
  all[SLOT] ??= { marks: new Map(), told: new Set() };
  return all[SLOT];
}

/** @param {any} api @returns {Config} */
export const configOf = (api) => api.pluginConfig ?? {};

/** The engine of this process; another command or notebook replaces it. @param {any} api @returns {Engine} */
export function engineOf(api) {
  const config = configOf(api);
  const notebook = config.workspace ? ["--workspace", config.workspace] : [];
  const command = [...(config.command?.length ? config.command : COMMAND), ...notebook];
  const key = JSON.stringify(command);
  const held = state();
  if (!held.engine || held.engine.stopped || held.key !== key) {
    void held.engine?.stop();
    held.engine = new Engine(command, (line) => api.logger.warn(`commonplace: ${line}`));
    held.key = key;
  }
  return held.engine;
}

/** Ask for one of the operations that know this host. @param {any} api @param {string} method
 * @param {{ event: object, context: object }} told @param {import("./engine.js").Terms} terms */
export function ask(api, method, { event, context }, terms) {
  return engineOf(api).ask(method, { host: "openclaw", event, context, options: configOf(api) }, terms);
}

/** What is remembered of a conversation: which message was handed over last, when it was compacted, the run under way.
 * @param {string} name @returns {Mark} */
export function markOf(name) {
  const { marks } = state();
  const mark = marks.get(name) ?? {};
  marks.delete(name);
  marks.set(name, mark);
  if (marks.size > MOST_MARKS) marks.delete(/** @type {string} */ (marks.keys().next().value));
  return mark;
}

/** Log a line once in a process. @param {any} api @param {string} line */
export function once(api, line) {
  const { told } = state();
  if (!told.has(line) && told.size < 100) api.logger.warn(`commonplace: ${line}`);
  told.add(line);
}
