// @ts-check
// What this plugin has once in a process, however often the host evaluates its modules and registers it.
import { Engine } from "./engine.js";

const SLOT = Symbol.for("commonplace.openclaw");
const COMMAND = ["commonplace", "serve", "--stdio"];
const MOST_HELD = 512; // conversations, and runs

/** @typedef {{ command?: string[], workspace?: string, timeoutMs?: number, [name: string]: any }} Config */
/** Of a conversation: what was handed over last, when it was compacted, its last request, message and context.
 * @typedef {{ message?: string, last?: string, compactedAt?: number, window?: number, requestBytes?: number,
 *   context?: Context }} Mark */
/** @typedef {Record<string, any>} Context */
/** @typedef {{ engine?: Engine, key?: string, told: Set<string> }} Once */
/** @typedef {Once & { marks: Map<string, Mark>, runs: Map<string, Context>, work?: Promise<void> }} State */

/** @returns {State} */
export function state() {
  const all = /** @type {any} */ (globalThis);
  all[SLOT] ??= { marks: new Map(), runs: new Map(), told: new Set() };
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
  const around = { ...context, ...groupScopeOf(api.config), ...workspacesOf(api) };
  return engineOf(api).ask(method, { host: "openclaw", event, context: around, options: configOf(api) }, terms);
}

/** The workspace of each agent, as the host resolves it. @param {any} api @returns {{ workspaces?: object }} */
function workspacesOf(api) {
  const { list, entries } = api.config?.agents ?? {};
  const ids = Array.isArray(list) ? list.map((one) => one?.id) : Object.keys(entries ?? {});
  /** @type {Record<string, string>} */
  const workspaces = {};
  for (const id of ids.length ? ids : ["main"]) {
    const folder = api.runtime?.agent?.resolveAgentWorkspaceDir?.(api.config, id);
    if (folder) workspaces[id] = folder;
  }
  return Object.keys(workspaces).length ? { workspaces } : {};
}

/** Whether the host puts groups into the session of private chats: all of them, or those of a binding.
 * @param {any} config @returns {{ groupScope?: string }} */
function groupScopeOf(config) {
  const settings = [config, ...(Array.isArray(config?.bindings) ? config.bindings : [])];
  return settings.some((one) => one?.session?.groupScope === "main") ? { groupScope: "main" } : {};
}

/** @param {string} name @returns {Mark} */
export function markOf(name) {
  const mark = state().marks.get(name) ?? {};
  return held(state().marks, name, mark);
}

/** The context of a run as its prompt had it; later hooks of the run are told less. @param {Context} context */
export const holdRun = (context) => held(state().runs, context.runId ?? "", context);

/** @param {Context} context @returns {Context} */
export const inRun = (context) => ({ ...state().runs.get(context.runId ?? "none"), ...context });

/** Put last into a map from which the first goes when it is full.
 * @template T @param {Map<string, T>} map @param {string} name @param {T} value @returns {T} */
function held(map, name, value) {
  map.delete(name);
  map.set(name, value);
  if (map.size > MOST_HELD) map.delete(/** @type {string} */ (map.keys().next().value));
  return value;
}

/** Log a line once in a process. @param {any} api @param {string} line */
export function once(api, line) {
  const { told } = state();
  if (!told.has(line) && told.size < 100) api.logger.warn(`commonplace: ${line}`);
  told.add(line);
}
