// Keys: j and k move among the items of a list; the letters of an item press what carries them (data-key), but where
// items are chosen what is done with all of them (data-chosen).
"use strict";

const OFF = "commonplace-keys=off"; // a cookie, so that they stay off
const YEAR_S = 31536000;
let last = -1; // the place of the item that sent something, so that its successor gets the focus
let before = null; // what had the focus when the list of keys was opened
let left = ""; // the page that was left, empty where a form asks for more of the same page

function items() {
  return [...document.querySelectorAll("[data-item]")];
}

function boxes() {
  return [...document.querySelectorAll("[data-item] [type=checkbox][name=item]")];
}

const countChosen = () => boxes().filter((one) => one.checked).length;

function toggleKeys() {
  const keys = document.getElementById("keys");
  keys.open = !keys.open;
  if (keys.open) before = document.activeElement;
  (keys.open ? keys.querySelector("summary") : before)?.focus({ preventScroll: true });
}

function press(key) {
  const all = items();
  const at = all.findIndex((one) => one.contains(document.activeElement));
  if (key === "?") {
    toggleKeys();
  } else if (key === "/") {
    document.getElementById("search").focus();
  } else if (key === "j" || key === "k") {
    all[Math.max(0, Math.min(all.length - 1, at < 0 ? 0 : at + (key === "j" ? 1 : -1)))]?.focus();
  } else {
    const own = at < 0 ? null : all[at].querySelector(`[data-key="${CSS.escape(key)}"]`);
    const target = (countChosen() && document.querySelector(`[data-chosen="${CSS.escape(key)}"]`)) || own || (key === "u" ? document.querySelector("#notice button") : null);
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
  } else if (event.key === "Escape" && document.getElementById("keys")?.open) {
    toggleKeys();
  } else if (field || event.ctrlKey || event.metaKey || event.altKey || event.key.length > 1 || isHeld || areOff()) {
    return;
  } else if (press(event.key)) {
    event.preventDefault();
  }
});

document.addEventListener("change", ({ target }) => {
  if (target.id === "letters") document.cookie = `${OFF}; path=/; samesite=strict; max-age=${target.checked ? 0 : YEAR_S}`;
  if (target.id === "all") for (const one of boxes()) one.checked = target.checked;
  showControls();
});

// What only scripts can do is hidden without them.
function showControls() {
  const letters = document.getElementById("letters");
  if (letters) letters.checked = !areOff();
  for (const one of document.querySelectorAll("[data-scripted][hidden]")) one.hidden = false;
  const all = document.getElementById("all");
  if (!all) return;
  const count = countChosen();
  all.checked = count === boxes().length;
  all.indeterminate = count > 0 && !all.checked;
  document.getElementById("chosen").textContent = count ? `${count} chosen: a approves and r rejects ${count === 1 ? "it" : "them"}` : "";
}

document.addEventListener("DOMContentLoaded", showControls);
document.addEventListener("htmx:before:request", ({ detail: { ctx: { sourceElement } } }) => {
  left = sourceElement.matches("a") ? "a link" : location.pathname;
  const acted = sourceElement.id === "several" ? document.activeElement : sourceElement;
  last = sourceElement.matches("a") ? -1 : items().indexOf(acted.closest("[data-item]"));
});

// An item that was decided is gone after the swap; the one that took its place gets the focus. A new page gets it as a
// whole, so that a screen reader says which one it is, and Tab goes on from its beginning.
document.addEventListener("htmx:after:swap", () => {
  const main = document.getElementById("main");
  showControls();
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
