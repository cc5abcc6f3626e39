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
