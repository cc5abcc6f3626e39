// Runs in every document before its own scripts: tells of calls, fires events, and looks for what the page does not make.
"use strict";

for (const name of ["alert", "confirm", "prompt", "print", "open"]) {
  window[name] = (...given) => void window.__ran(name, String(given[0]));
}

const TAGS = new Set(
  (
    "a article b blockquote body br button canvas caption code dd del details div dl dt em footer form h1 h2 h3 h4 h5 h6 " +
    "head header hr html input ins label li link main meta meter nav ol option output p pre script section select small " +
    "span strong s summary table tbody td textarea th thead time title tr ul"
  ).split(" "),
);
const EVENTS = ["mouseover", "mouseenter", "pointerover", "focus", "blur", "dblclick", "toggle", "animationend", "load", "error"];
const OF_GRAPH = /^\s*\.(force-graph|float-tooltip|graph-)[^<]*$/; // what the library of the graph adds by itself
const RAW = /[\0-\x08\x0b\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/u;
const OWN_FILES = /<script src="\/static\/[\w.-]+" defer><\/script>|<link rel="(?:stylesheet|icon)" href="\/static\/[\w.-]+">/g;

function judge(one, origin) {
  const tag = one.localName;
  if (tag === "style" && one.parentNode === document.head && OF_GRAPH.test(one.textContent)) return "";
  if (!TAGS.has(tag) || (tag === "script" && !(one.src?.startsWith(`${origin}/static/`) && !one.text))) return `<${tag}>`;
  for (const { name, value } of one.attributes) {
    if (name.startsWith("on") || ["srcdoc", "formaction", "http-equiv", "background"].includes(name)) return `<${tag} ${name}>`;
    if (name === "style" && !one.closest(".plot, .graph")) return `<${tag} style>`;
    if (!["href", "src", "action"].includes(name)) continue;
    const address = new URL(value, origin + location.pathname);
    const isOutside = tag === "a" && /^https?:$/.test(address.protocol) && one.closest(".lines");
    if (address.origin !== origin && !isOutside) return `<${tag} ${name}="${value.slice(0, 40)}">`;
  }
  return "";
}

function fire(all) {
  for (const one of all) {
    const own = [...one.attributes].filter(({ name }) => name.startsWith("on")).map(({ name }) => name.slice(2));
    const isOurs = one.closest("a, button, form, summary") !== null; // which do something when they are clicked
    for (const name of [...EVENTS, ...own, ...(isOurs ? [] : ["click"])]) one.dispatchEvent(new Event(name));
    if (/^\s*javascript:/i.test(one.getAttribute("href") ?? "")) one.click?.();
  }
}

function readShown(doc) {
  const names = ["title", "aria-label", "placeholder", "alt"];
  const attributes = [...doc.querySelectorAll("*")].flatMap((one) => names.map((name) => one.getAttribute(name) ?? ""));
  const walker = doc.createTreeWalker(doc, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) if (walker.currentNode.parentNode.localName !== "textarea") attributes.push(walker.currentNode.data);
  return attributes;
}

window.__look = (doc) => {
  const all = [...doc.querySelectorAll("*")];
  const markup = all.map((one) => judge(one, location.origin)).filter(Boolean);
  const raw = readShown(doc).filter((text) => RAW.test(text));
  const own = [...doc.querySelectorAll("a[href]")].filter((one) => new URL(one.href, location).origin === location.origin);
  const links = own.map((one) => [new URL(one.getAttribute("href"), new URL(doc.at ?? location.href, location)), one.rel === "next"]);
  fire(all);
  return { markup, raw, links: links.map(([url, isNext]) => [url.pathname + url.search, isNext]) };
};

async function lookAt(given, token) {
  const isForm = given.startsWith("post ");
  const [path, query] = given.replace(/^post /, "").split(/\?(.*)/s);
  const body = new URLSearchParams(`${query}&token=${token}`);
  const answer = await (isForm ? fetch(path, { method: "POST", body }) : fetch(given));
  const frame = document.createElement("iframe");
  frame.srcdoc = (await answer.text()).replace(OWN_FILES, "");
  await new Promise((done) => {
    frame.onload = done;
    setTimeout(done, 10_000);
    document.body.append(frame);
  });
  const doc = frame.contentDocument;
  if (doc) doc.at = answer.url;
  const look = doc ? __look(doc) : { markup: ["a frame that left"], raw: [], links: [] };
  frame.remove();
  return { status: answer.status, ...look };
}

window.__lookAt = (addresses, token) => Promise.all(addresses.map((given) => lookAt(given, token)));
