"""The addresses of the page in the browser at which tests and benches look: those of the table, and examples."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from bench.running_daemon import Running
from commonplace.serve.page.views import PAGES

SILENT = ("/feed",)  # addresses that are no pages for people
# The addresses at which a page is looked at, besides its own: {...} is filled with what the notebook has, and where it
# has none of it, the address is left out. Whoever adds a page adds what it needs here.
EXAMPLES: dict[str, tuple[str, ...]] = {
    "/ask": ("/ask?q=where+is+the+key", "/ask?q=xyzzy", "/ask?q={entity}"),
    "/file": ("/file?path={path}", "/file?path={path}&page=2", "/file?path=nowhere.md"),
    "/entity": ("/entity?name={entity}", "/entity?name=Nobody"),
    "/receipt": ("/receipt?id={receipt}", "/receipt?id=r-nowhere"),
    "/health": ("/health?check=1",),
}
NAMES = ("path", "id", "entity", "receipt")


def list_addresses(daemon: Running) -> list[str]:
    """Every address at which the table of pages has something to see in the notebook that a daemon serves."""
    known = _find_examples(daemon)
    wanted = [at for page in PAGES if page not in SILENT for at in (page, *EXAMPLES.get(page, ()))]
    return [at.format(**known) for at in wanted if all(f"{{{name}}}" not in at or name in known for name in NAMES)]


def _find_examples(daemon: Running) -> dict[str, str]:
    """What the notebook has, for the parameters of addresses."""
    records = _ask(daemon, "timeline", evidence="none", at_most=1)["records"]
    entities = _ask(daemon, "entities")["entities"]
    receipt = _ask(daemon, "why", receipt="last").get("id", "")
    found = {"receipt": receipt, "entity": entities[0]["name"] if entities else ""}
    found |= {name: records[0][name] if records else "" for name in ("path", "id")}
    return {name: quote(value) for name, value in found.items() if value}


def _ask(daemon: Running, operation: str, **given: Any) -> Any:
    """An answer over a connection of its own, because one that is kept may have been ended in the meantime."""
    return daemon.send("POST", f"/v1/{operation}", json.dumps(given).encode(), daemon.allowed()).json
