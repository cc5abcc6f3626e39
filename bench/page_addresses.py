"""The addresses of the page in the browser at which tests and benches look: those of the table, and examples."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote, quote_plus

from bench.running_daemon import Running
from commonplace.serve.page.views import PAGES

PACKED = "the key"  # the question of the pack whose receipt is looked at
SILENT = ("/feed",)  # addresses that are no pages for people
# The addresses at which a page is looked at, besides its own: {...} is filled with what the notebook has, and where it
# has none of it, the address is left out; "nowhere" is what it never has. Whoever adds a page adds what it needs here.
EXAMPLES: dict[str, tuple[str, ...]] = {
    "/today": ("/today?day={day}",),
    "/ask": ("/ask?q=where+is+the+key", "/ask?q=xyzzy", "/ask?q={entity}"),
    "/ask/pack": ("/ask/pack?q=the+key&budget=400",),
    "/ask/why-not": ("/ask/why-not?q=the+key&line={path}%23L{line}",),
    "/audit/receipt": ("/audit/receipt?id={receipt}", "/audit/receipt?id=r-nowhere"),
    "/audit/replay": (f"/audit/replay?id={{receipt}}&q={quote_plus(PACKED)}",),
    "/audit/forget": ("/audit/forget?query=key",),
    "/health": ("/health?check=1",),
    "/file": ("/file?path={path}", "/file?path={path}&line={line}", "/file?path=nowhere.md"),
    "/line": ("/line?path={path}&line={line}",),
    "/capture": ("/capture?id={capture}",),
    "/history": ("/history?path={path}",),
    "/entities": ("/entities?begins=r",),
    "/entity": ("/entity?name={entity}", "/entity?name=nowhere"),
}
NAMES = ("capture", "path", "line", "day", "entity", "receipt")


def list_addresses(daemon: Running) -> list[str]:
    """Every address at which the table of pages has something to see in the notebook that a daemon serves."""
    return list(addresses_by_pattern(daemon).values())


def addresses_by_pattern(daemon: Running) -> dict[str, str]:
    """The same by what they are examples of, so that those of two notebooks can be told to be of one page."""
    known = _find_examples(daemon)
    wanted = [at for page in PAGES if page not in SILENT for at in (page, *EXAMPLES.get(page, ()))]
    return {at: at.format(**known) for at in wanted if all(f"{{{name}}}" not in at or name in known for name in NAMES)}


def _find_examples(daemon: Running) -> dict[str, str]:
    """What the notebook has, for the parameters of addresses."""
    records = _ask(daemon, "timeline", evidence="none", at_most=1)["records"]
    entities = _ask(daemon, "entities")["entities"]
    receipt = _ask(daemon, "pack", text=PACKED, receipt=True)["receipt"]  # the last one may be of another question
    captures = _ask(daemon, "timeline", evidence="only", at_most=1)["records"]
    found = {
        "capture": captures[0]["id"] if captures else "",
        "receipt": receipt,
        "entity": entities[0]["name"] if entities else "",
    }
    found |= (
        {"path": records[0]["path"], "line": str(records[0]["line_start"]), "day": records[0]["time"][:10]}
        if records
        else {}
    )
    return {name: quote(value) for name, value in found.items() if value}


def _ask(daemon: Running, operation: str, **given: Any) -> Any:
    """An answer over a connection of its own, because one that is kept may have been ended in the meantime."""
    return daemon.send("POST", f"/v1/{operation}", json.dumps(given).encode(), daemon.allowed()).json
