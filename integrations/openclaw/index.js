// @ts-check
// Commonplace for OpenClaw: a thin companion beside the host's own memory; every rule lives in the engine.
import { registerHooks } from "./hooks.js";
import { engineOf, once } from "./shared.js";
import { registerSupplements } from "./supplements.js";
import { registerTools } from "./tools.js";

export default {
  id: "commonplace",
  name: "Commonplace",
  description: "Recalls from a notebook of plain Markdown before each turn, and captures what was said after it.",
  /** @param {any} api */
  register(api) {
    const id = api.id ?? "commonplace";
    if (api.config?.plugins?.entries?.[id]?.hooks?.allowConversationAccess !== true)
      once(
        api,
        "the host keeps conversations from this plugin, so nothing is recalled or captured; allow it with: " +
          `openclaw config set plugins.entries.${id}.hooks.allowConversationAccess true`,
      );
    registerHooks(api);
    registerTools(api);
    registerSupplements(api);
    api.registerService({
      id: "commonplace-engine",
      start: () => void engineOf(api).start(),
      stop: () => engineOf(api).stop(),
    });
    // Services start late, and only in a gateway; the first prompt should not wait for imports and the index.
    if (api.registrationMode === "full") engineOf(api).start();
  },
};
