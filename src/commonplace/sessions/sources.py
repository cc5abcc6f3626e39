"""What a restarted agent should read, in its order: lines as they stand in files, less those it must not be given."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, structs

from commonplace import files
from commonplace.capture.keys import Place
from commonplace.index import Index
from commonplace.model import Record
from commonplace.sessions import store
from commonplace.sessions.buffer import BUFFER, read_buffer
from commonplace.sessions.working import MOST, Working, render
from commonplace.text import one_line
from commonplace.workspace import parse
from commonplace.workspace.annotations import without_annotation
from commonplace.workspace.lines import read_page
from commonplace.workspace.roles import file_date
from commonplace.workspace.starts import heading_level

CORE = "MEMORY.md"
PENDING = "memory/pending.md"
LEARNINGS = ".learnings"
LEARNED_LINES = 20  # of each file of learnings
LINE_CHARS = 600  # of one line; the rest is left to `show`
NEWEST, NEWEST_LOOKED_AT = 6, 60  # captures of the session: shown, and looked at for those that may be
MOST_INDENT = 8
MOST_SESSIONS = 5  # that are named where nobody said which
GAP = "…"
BEHIND = "the index is behind; which lines are trusted is taken from the lines themselves"


class Shelf(Struct, frozen=True):
    """Where to read: workspace and clock, the index, the session (empty: none named), the scopes (None: all)."""

    place: Place
    index: Index
    session: str = ""
    scopes: tuple[str, ...] | None = None
    most_bytes: int = files.MOST_BYTES


class Line(Struct, frozen=True):
    """One line to be read; `number` is 0 where it has none."""

    number: int
    text: str


class Part(Struct, frozen=True):
    """One source: its title, its path, its lines, how many were withheld, and why as a few words.

    `share` is the part of the budget that it may take before the others had theirs; of a part that does not fit the
    first lines are kept, or the last ones (`tail`).
    """

    name: str
    title: str
    path: str
    lines: tuple[Line, ...]
    share: float
    tail: bool = False
    withheld: int = 0
    note: str = ""


def parts(shelf: Shelf) -> list[Part]:
    """Core, buffer, working memory, pending items, today's and yesterday's logs, learnings, the newest that was said;
    without the empty ones. What changes most stands last, so that prompt caches keep what comes before it."""
    found = [_markdown(shelf, "core", "Core", path=CORE, share=0.25)]
    found.append(_buffer(shelf))
    found += _working(shelf)
    found.append(_pending(shelf))
    found += _logs(shelf)
    found += _learnings(shelf)
    found.append(_newest(shelf))
    return [part for part in found if part is not None and (part.lines or part.withheld)]


def _markdown(shelf: Shelf, name: str, title: str, *, path: str, share: float, tail: bool = False) -> Part | None:
    """A Markdown file: its headings and records, less those that an agent is not given unasked."""
    data = files.find(shelf.place.root, path, shelf.most_bytes)
    if data is None or path in shelf.index.conflicts():
        return None
    records, note = _records(shelf, path, data)
    refused = [record for record in records if _is_refused(shelf, record)]
    hidden = {number for record in refused for number in _numbers(record)}
    said = {number for record in records for number in _numbers(record)} - hidden
    lines = [
        Line(number, _shown(text))
        for number, text in enumerate(read_page(path, data).lines, 1)
        if number in said or (number not in hidden and _level(text))
    ]
    told = tuple(line for line in _without_bare_titles(lines, said) if line.text)
    return Part(name, title, path, told, share, tail, len(refused), note)


def _records(shelf: Shelf, path: str, data: bytes) -> tuple[list[Record], str]:
    """The records of a file as the index judges them; where it knows other bytes, as the lines say themselves."""
    row = shelf.index.files().get(path)
    if row is not None and row.digest == files.digest(data):
        kept = shelf.index.fetch(shelf.index.rows_of(path))
        return [found.record for found in kept.values()], ""
    return list(parse(path, data).records), BEHIND


def _is_refused(shelf: Shelf, record: Record) -> bool:
    """Whether a record is untrusted, replaced by a later one, or of another project."""
    if record.trust in ("untrusted", "quarantined") or record.superseded_by:
        return True
    return shelf.scopes is not None and record.scope not in shelf.scopes


def _numbers(record: Record) -> range:
    return range(record.source.line_start, record.source.line_end + 1)


def _shown(text: str) -> str:
    """A line without its annotation, harmless on its own; the blanks in front of a nested item stay."""
    body = one_line(without_annotation(text.strip()))
    indent = min(len(text) - len(text.lstrip(" \t")), MOST_INDENT)
    return "" if not body else " " * indent + (body if len(body) <= LINE_CHARS else body[:LINE_CHARS].rstrip() + GAP)


def _level(text: str) -> int:
    body = text.strip()
    return heading_level(body) if body.startswith("#") else 0


def _without_bare_titles(lines: list[Line], said: set[int]) -> list[Line]:
    """Titles are told only where something is told below them."""
    kept: list[Line] = []
    below = 0  # the level of the title that comes next, 7 for a line of text, 0 for the end
    for line in reversed(lines):
        level = 7 if line.number in said else _level(line.text)
        if level == 7 or below > level:
            kept.append(line)
            below = level
    return kept[::-1]


def _buffer(shelf: Shelf) -> Part | None:
    data = files.find(shelf.place.root, BUFFER, shelf.most_bytes)
    buffer = read_buffer(data or b"")
    title = "Working buffer"
    if buffer.is_stale(shelf.place.now):
        title = f"Working buffer, not touched since {buffer.last_active or 'nobody knows when'}: pending work"
    return _markdown(shelf, "buffer", title, path=BUFFER, share=0.2, tail=True)


def _working(shelf: Shelf) -> Iterator[Part | None]:
    """The session that was named; else the only one under way, or the names of all."""
    if shelf.session:
        known = store.find(shelf.place, shelf.session)
        if known:
            yield _session(known)
        return
    under_way = store.sessions(shelf.place.root)
    if len(under_way) == 1:
        yield _session(under_way[0])
    elif under_way:
        lines = tuple(Line(0, f"{known.session} (last at work {known.updated})") for known in under_way[:MOST_SESSIONS])
        title = f"{len(under_way)} sessions are under way; name one with --session"
        yield Part("sessions", title, store.FOLDER, lines, 0.05)


def _session(known: Working) -> Part:
    lines = tuple(Line(0, one_line(text)) for text in render(known, most=MOST).split("\n") if text)
    return Part("session", f"Working memory of the session {known.session}", store.path_of(known.session), lines, 0.2)


def _pending(shelf: Shelf) -> Part | None:
    """How many items wait for review, and the first that may be told."""
    part = _markdown(shelf, "pending", "", path=PENDING, share=0.05)
    if part is None:
        return None
    data = files.find(shelf.place.root, PENDING, shelf.most_bytes) or b""
    waiting = sum(line.startswith(("- ", "* ")) for line in data.decode("utf-8", "replace").split("\n"))
    first = tuple(line for line in part.lines if line.text.startswith(("- ", "* ")))[:1]
    title = f"{waiting} pending item{'' if waiting == 1 else 's'}, the first one"
    return structs.replace(part, title=title, lines=first) if waiting else None


def _logs(shelf: Shelf) -> Iterator[Part | None]:
    """The logs of today and yesterday."""
    today = shelf.place.now[:10]
    for name, day, share in (("today", today, 0.15), ("yesterday", _day_before(today), 0.05)):
        paths = [path for path, row in shelf.index.files().items() if row.role == "log" and file_date(path) == day]
        for path in sorted(paths):
            title = f"Log of {name}"
            yield _markdown(shelf, name, title, path=path, share=share / len(paths), tail=True)


def _day_before(day: str) -> str:
    from datetime import date, timedelta

    return (date.fromisoformat(day) - timedelta(days=1)).isoformat()


def _newest(shelf: Shelf) -> Part | None:
    """The last that was said in the session, which nobody wrote down yet; of one journal."""
    under_way = store.sessions(shelf.place.root)
    session = shelf.session or (under_way[0].session if len(under_way) == 1 else "")
    rows = shelf.index.session(session)[-NEWEST_LOOKED_AT:] if session else []
    records = [found.record for found in shelf.index.fetch(rows).values()]
    told = [record for record in records if not _is_refused(shelf, record)][-NEWEST:]
    if not told:
        return None
    path = told[-1].source.path
    lines = [Line(one.source.line_start, _said(one)) for one in told if one.source.path == path]
    return Part("newest", f"Newest of the session {session}", path, tuple(lines), 0.1, tail=True)


def _said(record: Record) -> str:
    return f"{one_line(record.speaker) or record.actor}: {_shown(one_line(record.text))}"


def _learnings(shelf: Shelf) -> Iterator[Part]:
    """The last lines of each file of learnings; they are in no index, so nothing vouches for them."""
    for name, size in files.sizes(shelf.place.root, LEARNINGS).items():
        if not name.endswith(".md") or size > shelf.most_bytes:
            continue
        path = f"{LEARNINGS}/{name}"
        text = files.read(shelf.place.root, path, shelf.most_bytes).decode("utf-8", "replace")
        lines = [Line(number, shown) for number, line in enumerate(text.split("\n"), 1) if (shown := _shown(line))]
        title = f"Learnings: {one_line(name.removesuffix('.md'))}, unverified"
        yield Part("learnings", title, path, tuple(lines[-LEARNED_LINES:]), 0.1 / 3, tail=True)
