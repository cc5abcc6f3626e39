// What htmx does not do: the live feed, controls that send their form, and a word when the daemon is gone.
"use strict";

const PAUSE_MS = 500; // between a change and the look at it: changes come in bursts
let feed = null; // the source of events, and the part of the page that it keeps up to date
let waiting = 0;
let sending = 0;

function follow() {
  const part = document.querySelector("[data-feed]");
  if (feed?.part === part) return;
  feed?.source.close();
  feed = part && { part, source: new EventSource(part.dataset.feed) };
  feed?.source.addEventListener("changed", refresh);
  feed?.source.addEventListener("error", () => tellOffline(true));
  feed?.source.addEventListener("open", () => tellOffline(false));
}

function refresh() {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    if (!feed || document.hidden) return;
    const target = `#${feed.part.id}`;
    htmx.ajax("GET", location.pathname + location.search, { target, select: target, swap: "outerMorph", push: "false" });
  }, PAUSE_MS);
}

function tellOffline(isOffline) {
  const told = document.getElementById("offline");
  if (!isOffline) return told?.remove();
  if (told) return undefined;
  const note = Object.assign(document.createElement("p"), { id: "offline", className: "note", role: "status" });
  note.textContent = "The daemon does not answer; this is what was known before. `commonplace page` starts it again.";
  document.querySelector("main").prepend(note);
  return undefined;
}

document.addEventListener("DOMContentLoaded", follow);
document.addEventListener("htmx:after:settle", follow);
document.addEventListener("htmx:error", () => tellOffline(true));
document.addEventListener("visibilitychange", () => document.hidden || refresh());

// What takes longer is shown as busy; a form that writes is sent once, however often its button is pressed.
const BUSY_MS = 200;
const underway = new Set(); // forms
let busy = 0;

document.addEventListener("htmx:before:request", () => {
  clearTimeout(busy);
  busy = setTimeout(() => document.body.setAttribute("aria-busy", "true"), BUSY_MS);
});
document.addEventListener("htmx:finally:request", () => {
  clearTimeout(busy);
  document.body.removeAttribute("aria-busy");
  underway.clear();
});
document.addEventListener("submit", (event) => {
  if (event.target.method !== "post") return;
  if (underway.has(event.target)) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
  underway.add(event.target);
}, true);

document.addEventListener("formdata", ({ target, formData }) => { // what is empty asks for nothing
  if (target.method === "get") for (const [name, value] of [...formData]) if (value === "") formData.delete(name);
});
document.addEventListener("input", (event) => {
  const shown = event.target.matches("input[type=range]") && event.target.parentElement.querySelector("output");
  if (shown) shown.value = `${Number(event.target.value).toLocaleString("en")} tokens`;
});
document.addEventListener("change", ({ target }) => {
  if (!target.matches("[data-sends]") || !target.form.elements.q?.value) return;
  clearTimeout(sending);
  sending = setTimeout(() => target.form.requestSubmit(), PAUSE_MS);
});

// Scripts that one page needs are loaded when it is opened: a part names its own in `data-script`.
function load() {
  for (const part of document.querySelectorAll("[data-script]")) {
    if (document.querySelector(`script[src="${part.dataset.script}"]`)) continue;
    const script = document.createElement("script");
    script.src = part.dataset.script;
    document.head.append(script);
  }
}

// A citation names a line of a file, and its page is another where the file is long.
function jump() {
  if (!location.hash) document.querySelector(".line.here")?.scrollIntoView({ block: "center" });
  const found = /^#L(\d+)$/.exec(location.hash);
  if (!found || location.pathname !== "/file" || document.getElementById(found[0].slice(1))) return;
  const address = new URL(location.href);
  if (address.searchParams.get("line") === found[1]) return;
  address.searchParams.set("line", found[1]);
  location.replace(address);
}

for (const happened of ["DOMContentLoaded", "htmx:after:swap"]) document.addEventListener(happened, () => (load(), jump()));
