// What htmx does not do: the live feed, which reloads the part of the page that shows what came in.
"use strict";

function listen() {
  const part = document.querySelector("[data-feed]");
  if (!part || part.source) return;
  part.source = new EventSource(part.dataset.feed);
  part.source.addEventListener("changed", async () => {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(part.id);
    if (fresh) part.replaceChildren(...fresh.childNodes);
  });
}

document.addEventListener("DOMContentLoaded", listen);

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
