// Keys: j and k move among the items of a list; the letters of an item press what carries them (data-key).
"use strict";

const OFF = "commonplace-keys=off"; // a cookie, so that they stay off
const YEAR_S = 31536000;
let last = -1; // the place of the item that sent something, so that its successor gets the focus
let left = ""; // the page that was left, empty where a form asks for more of the same page

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
    target.click();
    if (target.matches("summary") && target.parentElement.open) target.parentElement.querySelector("textarea")?.focus();
  }
  return true;
}

const areOff = () => document.cookie.split("; ").includes(OFF);

document.addEventListener("keydown", (event) => {
  const field = event.target.closest?.("input:not([type=checkbox]), textarea, select");
  const isHeld = event.repeat && !"jk".includes(event.key); // nobody approves a whole queue by a heavy finger
  if (event.key === "Escape" && field?.closest("details")) {
    field.closest("details").open = false;
    field.closest("[data-item]")?.focus();
  } else if (field || event.ctrlKey || event.metaKey || event.altKey || event.key.length > 1 || isHeld || areOff()) {
    return;
  } else if (press(event.key)) {
    event.preventDefault();
  }
});

document.addEventListener("change", ({ target }) => {
  if (target.id === "letters") document.cookie = `${OFF}; path=/; samesite=strict; max-age=${target.checked ? 0 : YEAR_S}`;
});

function showSwitch() {
  const letters = document.getElementById("letters");
  if (letters) letters.checked = !areOff();
  letters?.closest("[hidden]")?.removeAttribute("hidden");
}

document.addEventListener("DOMContentLoaded", showSwitch);
document.addEventListener("htmx:before:request", ({ detail: { ctx: { sourceElement } } }) => {
  left = sourceElement.matches("a") ? "a link" : location.pathname;
  last = sourceElement.matches("a") ? -1 : items().indexOf(sourceElement.closest("[data-item]"));
});

// An item that was decided is gone after the swap; the one that took its place gets the focus. A new page gets it as a
// whole, so that a screen reader says which one it is, and Tab goes on from its beginning.
document.addEventListener("htmx:after:swap", () => {
  const main = document.getElementById("main");
  showSwitch();
  if (last >= 0) {
    const all = items();
    (all[Math.min(last, all.length - 1)] ?? main).focus();
  } else if (left !== location.pathname || document.activeElement === document.body) {
    main.setAttribute("aria-label", main.querySelector("h1").textContent);
    main.focus({ preventScroll: true });
  }
  last = -1;
  left = location.pathname;
});
