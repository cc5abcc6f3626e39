// Keys: j and k move among the items of a list; the letters of an item press what carries them (data-key).
"use strict";

let last = -1; // the place of the item on which a key was pressed, so that its successor gets the focus

function items() {
  return [...document.querySelectorAll("[data-item]")];
}

function press(key) {
  const all = items();
  const at = all.findIndex((one) => one.contains(document.activeElement));
  if (key === "?") {
    const keys = document.getElementById("keys");
    keys.open = !keys.open;
    keys.querySelector("summary").focus();
  } else if (key === "/") {
    document.getElementById("search").focus();
  } else if (key === "j" || key === "k") {
    all[Math.max(0, Math.min(all.length - 1, at < 0 ? 0 : at + (key === "j" ? 1 : -1)))]?.focus();
  } else {
    const own = at < 0 ? null : all[at].querySelector(`[data-key="${CSS.escape(key)}"]`);
    const target = own ?? (key === "u" ? document.querySelector("#notice button") : null);
    if (!target) return false;
    if (own?.matches("button")) last = at;
    target.click();
    if (target.matches("summary") && target.parentElement.open) target.parentElement.querySelector("textarea")?.focus();
  }
  return true;
}

document.addEventListener("keydown", (event) => {
  const field = event.target.closest?.("input:not([type=checkbox]), textarea, select");
  if (event.key === "Escape" && field?.closest("details")) {
    field.closest("details").open = false;
    field.closest("[data-item]")?.focus();
  } else if (!field && !event.ctrlKey && !event.metaKey && !event.altKey && event.key.length === 1 && press(event.key)) {
    event.preventDefault();
  }
});

// An item that was decided is gone after the swap; the one that took its place gets the focus, else what is new.
document.addEventListener("htmx:after:swap", () => {
  const main = document.getElementById("main");
  if (last >= 0) {
    const all = items();
    (all[Math.min(last, all.length - 1)] ?? main).focus();
  } else if (document.activeElement === document.body) {
    main.focus({ preventScroll: true });
  }
  last = -1;
});
