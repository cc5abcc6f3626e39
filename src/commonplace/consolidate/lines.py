"""A draft as a line of Markdown, a Retain bullet in a log, a plain item elsewhere; and what such a line says."""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct

from commonplace.consolidate.drafts import Draft
from commonplace.consolidate.routing import HISTORY, Home
from commonplace.model import Record
from commonplace.workspace import parse
from commonplace.workspace.annotations import KEYS
from commonplace.workspace.render import one_line, render_annotation, render_retain

Annotation = dict[str, str | float | tuple[str, ...]]

STRUCK = "~~"
DATED = ("decision", "lesson")  # of which the day is worth reading, and has no other place
MARKS = "#>|*+-=~`_.) \t0123456789"  # with which Markdown begins something else


class Line(Struct, frozen=True):
    """A line of Markdown, and the record that it will be, as the parser reads it."""

    written: str
    record: Record


def line_of(draft: Draft, home: Home) -> Line:
    """The line as it will stand in its home."""
    annotation = annotation_of(draft, home)
    if home.is_log:
        confidence = draft.confidence if draft.kind == "opinion" else None
        said = f"{draft.text} #routing-note: {home.note}" if home.note else draft.text
        names = draft.entities
        line = render_retain(draft.kind, said, entities=names, confidence=confidence, annotation=annotation)
        return Line(line, _read(line, home))
    said = f"{draft.time[:10]}, {draft.text}" if draft.category in DATED else draft.text
    return plain_line(said, annotation, home)


def plain_line(said: str, annotation: Annotation, home: Home) -> Line:
    """An item of a list; what Markdown would read as something else loses the marks at its beginning, and what is
    nothing but marks is put between backticks."""
    words, behind = one_line(said), render_annotation(annotation)
    bare = words.lstrip(MARKS) or f"`{words}`"
    tried = (f"- {words} {behind}", f"- W {words} {behind}", f"- {bare} {behind}")
    texts = (words, words, bare)
    for line, text in zip(tried, texts, strict=True):
        read = parse(home.path, _page(line, home))
        if len(read.records) == 1 and read.records[0].text == text and read.records[0].id == annotation["id"]:
            return Line(line, read.records[0])
    return Line(tried[-1], _read(tried[-1], home))


def struck(line: Line, home: Home, valid: str) -> Line:
    """The same line struck out, with the time for which it held."""
    written = struck_out(line.written, line.record.text, valid)
    where = home if home.is_log else Home(home.path, HISTORY)
    return Line(written, _read(written, where))


def struck_out(written: str, text: str, valid: str) -> str:
    """A line of ours with its text struck out; its annotation says for which time it held, and else what it said."""
    head, _, behind = written.partition(text)
    return f"{head}{STRUCK}{text}{STRUCK}{reannotated(behind, valid=valid)}"


def reannotated(behind: str, **changed: str) -> str:
    """What stands behind the text of a line, with other values for some keys of its annotation."""
    start = behind.rfind("<!--")
    if start < 0:
        return behind
    inner = behind[start + len("<!--") : behind.rfind("-->")]
    parts = {key.strip(): value.strip() for key, _, value in (part.partition(":") for part in inner.split("·"))}
    said = {key: value for key in KEYS if (value := changed.get(key) or parts.get(key))}
    return behind[:start] + "<!-- " + " · ".join(f"{key}: {value}" for key, value in said.items()) + " -->"


def annotation_of(draft: Draft, home: Home) -> Annotation:
    """What the line says about itself."""
    valid = f"{draft.valid_from}..{draft.valid_to}" if draft.valid_from or draft.valid_to else ""
    said: dict[str, str | float | tuple[str, ...] | None] = {
        "id": draft.id,
        "importance": draft.importance,
        "valid": valid,
        "origin": "" if draft.trust == "trusted" else draft.trust,
        "from": draft.sources,
        "project": draft.scope,
        "supersedes": draft.supersedes,
        "category": draft.category if home.is_log else "",
    }
    return {key: value for key, value in said.items() if value not in (None, "", ())}


def said_by(record: Record) -> str:
    """What a line says, without what was put around it: names before it, its day, a routing note."""
    found = _around().match(record.text)
    text = record.text[found.end() :] if found else record.text
    return text.partition(" #routing-note:")[0]


def _read(line: str, home: Home) -> Record:
    return parse(home.path, _page(line, home)).records[-1]


def _page(line: str, home: Home) -> bytes:
    return f"## {home.heading}\n\n{line}\n".encode()


@cache
def _around() -> re.Pattern[str]:
    return re.compile(r"""(?:@(?:"[^"\n]{1,120}"|[\w.-]+) ?)+: |\d{4}-\d\d-\d\d, """)
