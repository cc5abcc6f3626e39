"""Files: the list, the lines of one, an edit with both versions where somebody else was faster, and its history."""

from __future__ import annotations

from html import escape
from typing import Any

from starlette.responses import Response

from commonplace.errors import BadArgument, CommonplaceError, NotFound, WriteConflict
from commonplace.serve.page.app import Visit, keep_newest, see_other
from commonplace.serve.page.views.paging import show_list
from commonplace.shapes import Json
from commonplace.storage.files import content_digest

FILES_SHOWN = 100
LINES_SHOWN = 200
BYTES_SHOWN = 40_000  # of text on a page, as HTML; the page of an edit may have it three times
MAX_CHAR_BYTES = 6  # of a character as HTML
WRITES_SHOWN, WRITES_READ = 20, 50  # the latter to know who wrote a line
MAX_DRAFTS = 8  # that are kept; the oldest goes


async def files(visit: Visit) -> Response:
    """The files of the workspace, those of which the path or title has some words."""
    return await show_list(visit, "files", "contains", FILES_SHOWN)


async def file(visit: Visit) -> Response:
    """Some lines of a file, those around `line`."""
    path, line = visit.require("path", "file"), visit.read_number("line") or 1
    first = (line - 1) // LINES_SHOWN * LINES_SHOWN + 1
    shown = await visit.ask("read_file", path=path, line_start=first, line_end=first + LINES_SHOWN - 1)
    part, here = _cut(shown, line), line if visit.read("line") else 0
    is_editable = not part["hidden"] and part["text"] in shown["text"]  # else a line is cut
    return visit.render("file.html", file=part, line=here, is_editable=is_editable, step=LINES_SHOWN)


def _cut(shown: Json, line: int) -> Json:
    """Fewer lines where they are long, from the one that is wanted on; of one that is longer than a page its start."""
    lines, first, size = shown["text"].split("\n"), shown["line_start"], 0
    if not _fits(shown["text"]):
        lines, first = lines[line - first :], line
    kept: list[str] = []
    for one in lines:
        size += _size(one)
        if kept and size > BYTES_SHOWN:
            break
        kept.append(one if _fits(one) else f"{one[: BYTES_SHOWN // MAX_CHAR_BYTES]}…")
    last = first + len(kept) - 1
    records = [one for one in shown["records"] if one["line_start"] <= last and one["line_end"] >= first]
    return {**shown, "line_start": first, "line_end": last, "text": "\n".join(kept), "records": records}


def _size(text: str) -> int:
    """How many bytes it has on a page."""
    return len(escape(text).encode())


def _fits(text: str) -> bool:
    return _size(text) <= BYTES_SHOWN


async def line(visit: Visit) -> Response:
    """A line as it is in its file: edited here, with what it had a part in; beside it what could not be saved, if the
    address names a draft."""
    path, number = visit.require("path", "file"), visit.read_number("line") or 1
    last = min(visit.read_number("last") or number, number + LINES_SHOWN - 1)
    name = visit.read("draft")
    if draft := visit.context.drafts.get(name):
        found = {**await _find_place(visit, draft), "draft": draft, "draft_name": name}
        return visit.render("line.html", **found, records=[], impact=None)
    shown = await visit.ask("read_file", path=path, line_start=number, line_end=last)
    records = [one for one in shown["records"] if one["form"] != "heading"] if last == number else []
    if records and last == number:
        extent = min(one["line_start"] for one in records), max(one["line_end"] for one in records)
        shown = await visit.ask("read_file", path=path, line_start=extent[0], line_end=extent[1])
    impact = await visit.ask("impact", reference=records[0]["id"]) if records else None
    writes = (await visit.ask("audit", path=path, at_most=WRITES_READ))["writes"] if records else []
    for one in records:
        one["by"] = list(
            dict.fromkeys(by for write in writes[::-1] if one["id"] in write["after"] for by in write["by"])
        )
        one["sources"] = await visit.find_sources(one["from"])
    common = {**_editor(shown), "draft": None, "is_lost": bool(name), "is_gone": False}
    return visit.render("line.html", **common, records=records, impact=impact)


def _editor(shown: Json) -> dict[str, Any]:
    """What the form of an edit needs; no form for lines that are hidden or too many."""
    return {"file": shown, "is_editable": not shown["hidden"] and _fits(shown["text"])}


async def save_lines(visit: Visit) -> Response:
    """Write the lines of the form; where they cannot be, as when the file is another one by now, nothing is written,
    and what was sent is shown beside what is in the file."""
    path, text, before = visit.sent("path"), _unix(visit.sent("text")), _unix(visit.sent("before"))
    first, last = (_sent_number(visit, name) for name in ("line_start", "line_end"))
    extent = {"line_start": first, "line_end": last}
    drafts, number = visit.context.drafts, str(max(first, 1))
    try:
        done = await visit.ask("edit_file", path=path, text=text, digest=visit.sent("digest"), **extent)
    except CommonplaceError as error:
        told = {"message": error.message, "hint": error.hint, "is_conflict": isinstance(error, WriteConflict)}
        name = content_digest(f"{path} {first} {last} {text}".encode())
        draft = {"path": path, "text": text, "before": before, **extent, **told}
        keep_newest(drafts, name, draft, MAX_DRAFTS)
        return see_other("/line", path=path, line=number, last=str(last), draft=name)
    drafts.pop(visit.form.get("draft", [""])[-1], None)
    masked = f"; masked: {', '.join(done['redacted'])}" if done["redacted"] else ""
    notice = f"Saved{masked}" if done["change"] else "Nothing was changed"
    return visit.go_on("/file", notice, done["change"], path=path, line=number)


async def _find_place(visit: Visit, draft: Json) -> dict[str, Any]:
    """The lines that a person edited, where they are now, and whether they are as they were; no file if it is gone."""
    first, last, old = draft["line_start"], draft["line_end"], draft["before"].split("\n")
    try:
        whole = await visit.ask("read_file", path=draft["path"])
    except NotFound:
        return {"file": {"path": draft["path"], **draft}, "is_gone": True, "is_editable": False}
    lines = whole["text"].split("\n")
    places = [at for at in range(len(lines)) if lines[at : at + len(old)] == old]
    if len(places) == 1:
        first, last = places[0] + 1, places[0] + len(old)
    first = min(max(first, 1), len(lines))
    last = max(min(last, len(lines)), first)
    now = await visit.ask("read_file", path=draft["path"], line_start=first, line_end=last)
    return {**_editor(now), "is_gone": False, "is_same": len(places) == 1}


def _unix(text: str) -> str:
    """The text of a form, in which browsers end each line with two characters."""
    return text.replace("\r\n", "\n")


def _sent_number(visit: Visit, name: str) -> int:
    given = visit.sent(name)
    if not given.isdecimal() or len(given) >= 10:
        raise BadArgument(f"the form has no number in {name!r}", hint="reload the page and try again")
    return int(given)


async def capture(visit: Visit) -> Response:
    """What was captured: the words of a line of a journal, or of the captures that an id may mean."""
    shown = await visit.ask("show", reference=visit.require("id", "capture"))
    captures = [one for one in shown["records"] if one["evidence"]]
    if not captures:
        raise NotFound("capture", visit.read("id"))
    return visit.render("capture.html", captures=captures)


async def history(visit: Visit) -> Response:
    """The writes to a file that can still be undone, newest first."""
    path, skip = visit.require("path", "file"), (visit.page - 1) * WRITES_SHOWN
    found = (await visit.ask("audit", path=path, skip=skip, at_most=WRITES_SHOWN + 1))["writes"]
    writes, has_more = found[:WRITES_SHOWN], len(found) > WRITES_SHOWN
    return visit.render("history.html", path=path, writes=writes, page=visit.page, has_more=has_more)
