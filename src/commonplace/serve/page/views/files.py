"""Files: the list, the lines of one, an edit with both versions where somebody else was faster, and its history."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from commonplace.errors import BadArgument, WriteConflict
from commonplace.serve.page.app import Visit, see_other
from commonplace.serve.page.views.paging import page_links, read_page
from commonplace.shapes import Json

FILES_SHOWN = 100
LINES_SHOWN = 200
CHARS_SHOWN = 40_000
CHARS_EDITED = 30_000
WRITES_SHOWN = 20
CHARS_OF_WRITE = 2_000


def read_number(visit: Visit, name: str, default: int = 1) -> int:
    """A number of the address, from 1; the default where there is none."""
    given = visit.read(name)
    return max(int(given), 1) if given.isdecimal() and len(given) < 10 else default


async def files(visit: Visit) -> Response:
    """The files of the workspace, those of which the path or title has some words."""
    wanted, page = visit.read("contains"), read_page(visit)
    listed = await visit.ask("files", contains=wanted, skip=(page - 1) * FILES_SHOWN, at_most=FILES_SHOWN + 1)
    paging = page_links(visit, page, has_more=len(listed["files"]) > FILES_SHOWN)
    return visit.render("files.html", files=listed["files"][:FILES_SHOWN], contains=wanted, paging=paging)


async def file(visit: Visit) -> Response:
    """Some lines of a file, those around `line`."""
    path, line = visit.require("path", "file"), read_number(visit, "line")
    first = (line - 1) // LINES_SHOWN * LINES_SHOWN + 1
    shown = await visit.ask("read_file", path=path, line_start=first, line_end=first + LINES_SHOWN - 1)
    return visit.render("file.html", file=_cut(shown, line), line=line if visit.read("line") else 0, step=LINES_SHOWN)


def _cut(shown: Json, line: int) -> Json:
    """Fewer lines where they are long, from the one that is wanted on; of one that is longer than a page its start."""
    lines, first, chars = shown["text"].split("\n"), shown["line_start"], 0
    if len(shown["text"]) > CHARS_SHOWN:
        lines, first = lines[line - first :], line
    kept: list[str] = []
    for one in lines:
        chars += len(one)
        if kept and chars > CHARS_SHOWN:
            break
        kept.append(one if len(one) <= CHARS_SHOWN else f"{one[:CHARS_SHOWN]}…")
    last = first + len(kept) - 1
    records = [one for one in shown["records"] if one["line_start"] <= last and one["line_end"] >= first]
    return {**shown, "line_start": first, "line_end": last, "text": "\n".join(kept), "records": records}


async def line(visit: Visit) -> Response:
    """A line as it is in its file: edited here, with what it took part in."""
    path, number = visit.require("path", "file"), read_number(visit, "line")
    last = read_number(visit, "last", number)
    shown = await visit.ask("read_file", path=path, line_start=number, line_end=last)
    records = [one for one in shown["records"] if one["form"] != "heading"] if last == number else []
    if records and last == number:
        extent = min(one["line_start"] for one in records), max(one["line_end"] for one in records)
        shown = await visit.ask("read_file", path=path, line_start=extent[0], line_end=extent[1])
    impact = await visit.ask("impact", reference=records[0]["id"]) if records else None
    return visit.render("line.html", **_editor(shown), records=records, impact=impact)


def _editor(shown: Json) -> dict[str, Any]:
    """What the form of an edit needs; no form for lines that are hidden or too many."""
    is_editable = not shown["hidden"] and len(shown["text"]) <= CHARS_EDITED
    return {"file": shown, "is_editable": is_editable, "theirs": None, "text": shown["text"], "is_same": True}


async def save_lines(visit: Visit) -> Response:
    """Write the lines of the form; where the file is another one by now, both versions are shown, and nothing is
    written."""
    path, text, before = visit.sent("path"), _unix(visit.sent("text")), _unix(visit.sent("before"))
    first, last = (_sent_number(visit, name) for name in ("line_start", "line_end"))
    extent = {"line_start": first, "line_end": last}
    try:
        done = await visit.ask("edit_file", path=path, text=text, digest=visit.sent("digest"), **extent)
    except WriteConflict:
        return await _show_both(visit, path, text, before)
    masked = f"; masked: {', '.join(done['redacted'])}" if done["redacted"] else ""
    notice = f"Saved{masked}" if done["change"] else "Nothing was changed"
    return see_other("/file", path=path, line=str(max(first, 1)), notice=notice, undo=done["change"])


async def _show_both(visit: Visit, path: str, text: str, before: str) -> Response:
    """The lines that a person edited, where they are now, beside what the person wrote."""
    first, last = (_sent_number(visit, name) for name in ("line_start", "line_end"))
    whole = await visit.ask("read_file", path=path)
    lines, old = whole["text"].split("\n"), before.split("\n")
    places = [at for at in range(len(lines)) if lines[at : at + len(old)] == old]
    if len(places) == 1:
        first, last = places[0] + 1, places[0] + len(old)
    first = min(first, len(lines))
    now = await visit.ask("read_file", path=path, line_start=first, line_end=max(min(last, len(lines)), first))
    shown = {**_editor(now), "text": text, "theirs": now["text"], "is_same": len(places) == 1}
    return visit.render("line.html", status=409, **shown, records=[], impact=None)


def _unix(text: str) -> str:
    """The text of a form, in which browsers end each line with two characters."""
    return text.replace("\r\n", "\n")


def _sent_number(visit: Visit, name: str) -> int:
    given = visit.sent(name)
    if not given.isdecimal() or len(given) >= 10:
        raise BadArgument(f"the form has no number in {name!r}", hint="reload the page and try again")
    return int(given)


async def history(visit: Visit) -> Response:
    """The writes to a file that can still be undone, newest first."""
    path, page = visit.require("path", "file"), read_page(visit)
    found = await visit.ask("audit", path=path, skip=(page - 1) * WRITES_SHOWN, at_most=WRITES_SHOWN + 1)
    paging = page_links(visit, page, has_more=len(found["writes"]) > WRITES_SHOWN)
    return visit.render(
        "history.html", path=path, writes=list(map(_shorten, found["writes"][:WRITES_SHOWN])), paging=paging
    )


def _shorten(write: Json) -> Json:
    """The write with the beginnings of long texts."""
    texts = {name: write[name] for name in ("before", "after")}
    return write | {name: f"{one[:CHARS_OF_WRITE]}…" for name, one in texts.items() if len(one) > CHARS_OF_WRITE}
