// What htmx does not do: the live feed, controls that send their form, and a word when the daemon is gone.
"use strict";

const PAUSE_MS = 500; // between a change and the look at it: changes come in bursts
const RETRY_MS = 2000;
const GONE = "The daemon does not answer; this is what was known before. `commonplace page` starts it again.";
const LOCKED = "The daemon was started anew and does not know this browser: open a link of `commonplace page`, and this page goes on.";
const AGAIN = "What you sent did not arrive; the daemon is here again. Send it once more.";
let feed = null; // the source of events, and the part of the page that it keeps up to date
let waiting = 0;
let sending = 0;
let reaching = false; // whether `reach` runs

// Browsers open six connections to a host, so a tab that nobody sees has none.
function follow() {
  const part = document.hidden ? null : document.querySelector("[data-feed]");
  if (feed?.part === part) return;
  feed?.source.close();
  feed = part && { part, source: new EventSource(part.dataset.feed) };
  feed?.source.addEventListener("changed", refresh);
  feed?.source.addEventListener("error", () => reach());
}

function refresh() {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    if (!feed) return;
    const target = `#${feed.part.id}`;
    htmx.ajax("GET", location.pathname + location.search, { target, select: target, swap: "outerMorph", push: "false" });
  }, PAUSE_MS);
}

function catchUp() {
  follow();
  refresh();
}

// Ask until the daemon answers and lets this browser in, and say meanwhile what is wrong. A daemon that was started anew
// takes no forms of before, so those that are open get its token, and keep what was written into them.
async function reach(said = "") {
  if (reaching) return;
  reaching = true;
  for (;;) {
    const answer = await fetch("/ask").catch(() => null);
    if (answer?.ok) {
      const { content } = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[name=form-token]");
      for (const field of document.querySelectorAll("input[name=token]")) field.value = content;
      break;
    }
    tell(answer ? LOCKED : GONE);
    await new Promise((done) => setTimeout(done, RETRY_MS));
  }
  reaching = false;
  tell(said);
  feed?.source.close();
  feed = null;
  catchUp();
}

function tell(words) {
  const told = document.getElementById("offline");
  if (!words) return told?.remove();
  const note = told ?? Object.assign(document.createElement("p"), { id: "offline", className: "note" });
  if (note.textContent !== words) note.textContent = words;
  if (!told) (document.getElementById("notice") ?? document.body).prepend(note);
  return undefined;
}

document.addEventListener("DOMContentLoaded", follow);
document.addEventListener("htmx:after:settle", follow);
document.addEventListener("visibilitychange", catchUp);
window.addEventListener("pageshow", ({ persisted }) => persisted && catchUp());
document.addEventListener("htmx:error", ({ detail: { ctx } }) => reach(ctx?.request.method === "POST" ? AGAIN : ""));
// No page that says no takes the place of a form with what a person wrote, unless it has the words as well.
document.addEventListener("htmx:after:request", (event) => {
  const { response, request, sourceElement, text } = event.detail.ctx;
  const isLocked = response.status === 401 || response.status === 403;
  const answer = new DOMParser().parseFromString(response.status < 400 ? "" : text, "text/html");
  if (!isLocked && (response.status < 400 || !sourceElement.querySelector("textarea") || answer.querySelector("textarea"))) return;
  event.preventDefault();
  if (isLocked) reach(request.method === "POST" ? AGAIN : "");
  else tell([...answer.querySelectorAll("h1, main p:not(:has(a))")].map((one) => one.textContent).join(": "));
});

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

// The search of the header has what Ask was asked, and elsewhere nothing: a swap leaves what was typed before.
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  const search = document.getElementById("search");
  if (ctx.target === document.body) search.value = search.defaultValue;
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
