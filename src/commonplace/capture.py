"""A sentence becomes a redacted, dated, attributed capture in the journal, and a line of today's log."""

from __future__ import annotations

import os

from msgspec import Struct

from commonplace import files
from commonplace.errors import BadArgument
from commonplace.journal import Journal
from commonplace.model import Actor, Record, Trust
from commonplace.redact import Redacted, redact
from commonplace.text import one_line
from commonplace.workspace import parse
from commonplace.workspace.edits import append_under
from commonplace.workspace.render import render_annotation, render_retain
from commonplace.workspace.retain import Prefix, prefix
from commonplace.workspace.write import update

TRUST_OF: dict[Actor, Trust] = {"owner": "trusted", "agent": "unknown", "tool": "untrusted", "system": "unknown"}
MOST_TEXT = 20_000  # characters of one sentence that is kept; what is longer belongs into a file of its own
KEY = ".memory/key"
RETAIN, LOG = "Retain", "Log"


class Saying(Struct, frozen=True):
    """What somebody says is to be kept, and what is said about it."""

    text: str
    actor: Actor = "owner"
    scope: str = ""
    session: str = ""
    importance: float | None = None
    valid: str = ""
    sources: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()


class Kept(Struct, frozen=True):
    """What became of a saying: its record (None if it asked not to be kept), its capture, the secrets masked."""

    record: Record | None
    capture_id: str = ""
    redacted: tuple[str, ...] = ()


class Place(Struct, frozen=True):
    """Where and when something is kept: the workspace, the device that writes, the ISO minute."""

    root: str
    device: str
    now: str


def retain(place: Place, saying: Saying) -> Kept:
    """Keep a sentence as a Retain bullet of today's log. Raises BadArgument."""
    return _keep(place, saying, RETAIN)


def log(place: Place, saying: Saying) -> Kept:
    """Keep a sentence as a line of today's narrative. Raises BadArgument."""
    return _keep(place, saying, LOG)


def text_key(written: str) -> str:
    """The key under which the ledger knows a text wherever it stands: a digest, white space aside."""
    return "t:" + files.digest(" ".join(written.split()).encode("utf-8", "surrogatepass"))


def _keep(place: Place, saying: Saying, heading: str) -> Kept:
    """Redact, capture, ledger, Markdown: in this order, so that what was acknowledged can always be told again."""
    _validate(saying)
    clean = redact(saying.text, key=_key(place.root))
    masked = tuple(sorted({found.kind for found in clean.found}))
    if not clean.keep or not one_line(clean.text):
        return Kept(None, redacted=masked)
    journal = Journal(place.root, place.device)
    capture_id = journal.append(_capture(place, saying, clean), "captures").id
    line = _line(place, saying, clean, capture_id, heading)
    record = _read_back(place, heading, line)
    journal.append(_origin(place, saying, record, capture_id), "ledger")
    fresh = f"# {place.now[:10]}\n".encode()
    update(place.root, record.source.path, lambda data: append_under(data or fresh, heading, line), now=place.now)
    return Kept(record, capture_id, masked)


def _validate(saying: Saying) -> None:
    if saying.actor == "system":
        raise BadArgument("what the system says is never learned", hint="retain as owner, agent or tool")
    if not one_line(saying.text):
        raise BadArgument("there is no text to keep")
    if len(saying.text) > MOST_TEXT:
        message = f"the text has {len(saying.text)} characters, more than {MOST_TEXT}"
        raise BadArgument(message, hint="put it into a Markdown file of its own; it will be read from there")
    if saying.importance is not None and not 0 <= saying.importance <= 1:
        raise BadArgument(f"importance must lie between 0 and 1, not {saying.importance}")
    if saying.valid and not _is_span(saying.valid):
        raise BadArgument(f"cannot read {saying.valid!r} as a span", hint="say 2025-11-27..2025-12-01, either end open")


def _is_span(written: str) -> bool:
    from datetime import datetime

    start, dots, end = written.partition("..")
    try:
        ends = [datetime.fromisoformat(edge) for edge in (start, end) if edge]
    except ValueError:
        return False
    return bool(dots and ends) and ends == sorted(ends)


def _key(root: str) -> bytes:
    """The workspace's own key for the suffixes of placeholders, made at first use; it never leaves `.memory`."""
    found = files.find(root, KEY)
    if found is None:
        files.create(root, KEY, os.urandom(32))
        found = files.read(root, KEY)
    return found


def _capture(place: Place, saying: Saying, clean: Redacted) -> dict[str, object]:
    return {
        "ts": place.now,
        "type": "note",
        "actor": saying.actor,
        "text": clean.text,
        "session": saying.session,
        "agent": "",
        "scope": saying.scope,
        "origin": TRUST_OF[saying.actor],
        "detail": {"private": clean.private, "export": clean.export},
        "from": list(saying.sources),
    }


def _line(place: Place, saying: Saying, clean: Redacted, capture_id: str, heading: str) -> str:
    """The line as it will stand: what was said on one line, and an annotation with what there is to say about it."""
    said = one_line(clean.text)
    annotation = _annotation(saying, capture_id)
    if heading == LOG:
        quoted = said.replace("<!--", "< !--").replace("-->", "-- >")
        return f"- {' '.join((place.now[11:16], quoted, render_annotation(annotation))).strip()}"
    found = prefix(said) or Prefix("world", 0)
    if found.complaint:
        raise BadArgument(found.complaint, hint="say `O(c=0.9) …`")
    return render_retain(found.kind, said[found.start :], confidence=found.confidence, annotation=annotation)


def _annotation(saying: Saying, capture_id: str) -> dict[str, str | float | tuple[str, ...]]:
    trust = TRUST_OF[saying.actor]
    said: dict[str, str | float | tuple[str, ...] | None] = {
        "id": capture_id.removeprefix("obs:"),
        "importance": saying.importance,
        "valid": saying.valid,
        "origin": "" if trust == "trusted" else trust,
        "from": saying.sources,
        "project": saying.scope,
        "supersedes": saying.supersedes,
    }
    return {key: value for key, value in said.items() if value is not None}


def _read_back(place: Place, heading: str, line: str) -> Record:
    """The record that the line will be, as the parser reads it."""
    path = f"memory/{place.now[:10]}.md"
    return parse(path, f"## {heading}\n\n{line}\n".encode()).records[0]


def _origin(place: Place, saying: Saying, record: Record, capture_id: str) -> dict[str, object]:
    return {
        "op": "origin",
        "ts": place.now,
        "record": record.id,
        "digest": text_key(record.text),
        "trust": TRUST_OF[saying.actor],
        "actor": saying.actor,
        "capture": capture_id,
    }
