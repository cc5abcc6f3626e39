"""A sentence becomes a redacted, dated, attributed capture in the journal, and a line of today's log."""

from __future__ import annotations

from msgspec import Struct, structs, to_builtins

from commonplace import files
from commonplace.capture.events import TRUST_OF
from commonplace.capture.keeping import (
    TRIAL_ID,
    is_bare,
    origin,
    require_readable,
    require_short,
    require_text,
    trust_of,
)
from commonplace.capture.keys import Place, text_key, workspace_key
from commonplace.errors import BadArgument
from commonplace.journal import Journal, encode, unsealed
from commonplace.model import Actor, Record, Trust
from commonplace.redact import redact
from commonplace.redact.markers import has_marker
from commonplace.text import one_line
from commonplace.workspace import parse
from commonplace.workspace.annotations import interval_of, is_id
from commonplace.workspace.edits import append_under
from commonplace.workspace.render import one_line as unannotated
from commonplace.workspace.render import render_annotation, render_retain
from commonplace.workspace.retain import Prefix, prefix
from commonplace.workspace.times import moment
from commonplace.workspace.write import update

MOST_TEXT = 20_000  # characters of one sentence that is kept; what is longer belongs into a file of its own
RETAIN, LOG = "Retain", "Log"
MINUTE = len("2025-11-27T09:40")


class Saying(Struct, frozen=True):
    """What somebody says is to be kept, and what is said about it; `basis` is the trust of each of its sources."""

    text: str
    actor: Actor = "owner"
    scope: str = ""
    session: str = ""
    importance: float | None = None
    valid: str = ""
    sources: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    basis: tuple[Trust, ...] = ()

    @property
    def trust(self) -> Trust:
        """As far as its author is trusted; an agent as its least trusted source."""
        return trust_of(self.actor, self.basis)


class Kept(Struct, frozen=True):
    """What became of a saying: its record (None if it asked not to be kept), its capture, the secrets masked."""

    record: Record | None
    capture_id: str = ""
    redacted: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    asked: str = ""  # a question about it, not in its own words; empty where there is nothing to ask
    rank: int = 0  # at which that question finds it again; 0 if it does not


class _Clean(Struct, frozen=True):
    """A saying without its secrets, what its author allows, the kinds of what was masked, the heading it goes under."""

    saying: Saying
    heading: str
    private: bool
    export: bool
    masked: tuple[str, ...]


class _Promise(Struct, frozen=True):
    """What is about to be kept, and how far the journals went before."""

    device: str
    now: str
    clean: _Clean
    captured: str
    told: str


def retain(place: Place, saying: Saying) -> Kept:
    """Keep a sentence as a Retain bullet of today's log. Raises BadArgument.

    In Markdown its words stand on one line: blanks of any kind become one space, control characters go, `<!--` and
    `-->` are broken up. The journal has the text as it was said, secrets masked; one that holds what
    shows nothing loses it there too.
    """
    return _keep(place, saying, RETAIN)


def log(place: Place, saying: Saying) -> Kept:
    """Keep a sentence as a line of today's narrative: `10:05, …`, which names no speaker. Raises BadArgument."""
    return _keep(place, saying, LOG)


def _keep(place: Place, saying: Saying, heading: str) -> Kept:
    """Redact, capture, ledger, Markdown: in this order, so that what was acknowledged can always be told again."""
    place = structs.replace(place, now=_minute(place.now))
    _validate(saying)
    if has_marker(saying.text, "NOMEM"):  # before the key is made: not a byte is written
        return Kept(None)
    clean = _cleaned(place, saying, heading)
    if is_bare(clean.saying.text):
        return Kept(None, redacted=clean.masked)
    record, said = _record(place, heading, _line(place, clean, TRIAL_ID)), clean.saying
    require_readable(record, said.scope, said.sources, said.supersedes)
    journal = Journal(place.root, place.device)
    promise = _Promise(place.device, place.now, clean, journal.here("captures"), journal.here("ledger"))
    with files.doing(place.root, encode(to_builtins(promise))):
        capture_id = journal.append(_capture(place, clean), "captures").id
        return Kept(_settled(place, clean, capture_id), capture_id, clean.masked)


def finish(root: str, note: bytes) -> None:
    """Bring to its end what somebody began to keep and died: a capture that is in the journal gets its line.

    There is nothing to do where the capture never came to be, nor where the words stand in the log by now.
    """
    promise = unsealed(note, _Promise)
    if promise is None:
        return
    place, clean = Place(root, promise.device, promise.now), promise.clean
    journal, said = Journal(root, promise.device), _capture(place, clean)
    told = {entry.fields.get("capture") for entry in journal.read("ledger", promise.told).entries}
    for entry in journal.read("captures", promise.captured).entries:
        is_it = all(entry.fields.get(name) == value for name, value in said.items())
        if is_it and not _stands(place, clean):
            _settled(place, clean, entry.fields["id"], is_told=entry.fields["id"] in told)


def _settled(place: Place, clean: _Clean, capture_id: str, *, is_told: bool = False) -> Record:
    """The ledger's line of a capture, unless it is told there already, and its line of Markdown."""
    line = _line(place, clean, capture_id.removeprefix("obs:"))
    record = _record(place, clean.heading, line)
    if not is_told:
        Journal(place.root, place.device).append(origin(place, clean.saying, record, capture_id), "ledger")
    return _written(place, clean, line, record)


def _stands(place: Place, clean: _Clean) -> bool:
    """Whether the words are in the log: it was written after all, or said again since."""
    key = text_key(_record(place, clean.heading, _line(place, clean, TRIAL_ID)).text)
    there = parse(place.log, files.find(place.root, place.log) or b"")
    return any(text_key(record.text) == key for record in there.records)


def _minute(now: str) -> str:
    minute = moment(now)
    if len(minute) < MINUTE:
        raise BadArgument("`now` is not an ISO minute", hint="say 2025-11-27T09:40")
    return minute


def _validate(saying: Saying) -> None:
    """Refuse what cannot be kept; the message repeats nothing that was given, for that may hold a secret."""
    if saying.actor == "system":
        raise BadArgument("what the system says is never learned", hint="retain as owner, agent or tool")
    if saying.actor not in TRUST_OF:
        raise BadArgument(f"the actor must be one of {', '.join(TRUST_OF)}")
    require_text(saying.text, MOST_TEXT, "put it into a Markdown file of its own; it will be read from there")
    if saying.importance is not None and not 0 <= saying.importance <= 1:
        raise BadArgument(f"importance must lie between 0 and 1, not {saying.importance}")
    if saying.valid and not interval_of(saying.valid):
        raise BadArgument("`valid` is not a span of time", hint="say 2025-11-27..2025-12-01, either end open")
    if not all(map(is_id, saying.supersedes)):
        raise BadArgument("`supersedes` takes the ids of records", hint="`commonplace show PATH#L12` tells them")
    require_short((saying.scope, saying.session, *saying.sources), saying.sources, saying.supersedes)


def _cleaned(place: Place, saying: Saying, heading: str) -> _Clean:
    key, exact = workspace_key(place.root), place.exact
    text = redact(_shown(saying.text), key=key, exact=exact)
    flat = redact(
        one_line(text.text), key=key, exact=exact
    )  # as the log will have it: `password:` and a line below it, say
    names = [redact(one_line(name), key=key, exact=exact) for name in (saying.scope, saying.session, *saying.sources)]
    scope, session, *sources = (name.text for name in names)
    masked = tuple(sorted({found.kind for one in (text, flat, *names) for found in one.found}))
    said = flat.text if flat.found else text.text
    clean = structs.replace(saying, text=said, scope=scope, session=session, sources=tuple(sources))
    return _Clean(clean, heading, text.private, text.export, masked)


def _shown(text: str) -> str:
    """The text without what shows nothing: a control character within a secret hides it until it is taken out."""
    lines = text.split("\n")
    if all(line.replace("\t", " ").removesuffix("\r").isprintable() for line in lines):
        return text
    return "\n".join(map(one_line, lines))


def _line(place: Place, clean: _Clean, record_id: str) -> str:
    """The line as it will stand: what was said on one line, and an annotation with what there is to say about it."""
    said = one_line(clean.saying.text)
    annotation = _annotation(clean.saying, record_id)
    if clean.heading == LOG:  # a comma, for `10:05 Peter: …` would be dialogue
        return f"- {place.now[11:16]}, {unannotated(said)} {render_annotation(annotation)}"
    found = prefix(said) or Prefix("world", 0)
    if found.complaint:
        message = "the confidence of an opinion is a number from 0 to 1"
        raise BadArgument(message, hint="say `O(c=0.9) …`, or `W …` before words that only look like that")
    return render_retain(found.kind, said[found.start :], confidence=found.confidence, annotation=annotation)


def _annotation(saying: Saying, record_id: str) -> dict[str, str | float | tuple[str, ...]]:
    said: dict[str, str | float | tuple[str, ...] | None] = {
        "id": record_id,
        "importance": saying.importance,
        "valid": saying.valid,
        "origin": "" if saying.trust == "trusted" else saying.trust,
        "from": saying.sources,
        "project": saying.scope,
        "supersedes": saying.supersedes,
    }
    return {key: value for key, value in said.items() if value is not None}


def _record(place: Place, heading: str, line: str) -> Record:
    """The record that the line will be, as the parser reads it."""
    return parse(place.log, f"## {heading}\n\n{line}\n".encode()).records[0]


def _capture(place: Place, clean: _Clean) -> dict[str, object]:
    saying = clean.saying
    return {
        "ts": place.now,
        "type": "note",
        "actor": saying.actor,
        "text": saying.text,
        "session": saying.session,
        "agent": "",
        "scope": saying.scope,
        "origin": saying.trust,
        "detail": {"private": clean.private, "export": clean.export, "kept": clean.heading},
        "from": list(saying.sources),
    }


def _written(place: Place, clean: _Clean, line: str, record: Record) -> Record:
    """Write the line to the day's log; the record with the lines on which it stands there."""
    after = b""

    def add(data: bytes) -> bytes:
        nonlocal after
        after = append_under(data or f"# {place.now[:10]}\n".encode(), clean.heading, line)
        return after

    update(place.root, place.log, add, now=place.now)
    return next((found for found in parse(place.log, after).records if found.id == record.id), record)
