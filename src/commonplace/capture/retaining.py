"""Turns a sentence into a redacted, dated, attributed capture in the journal and a line of today's log."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from msgspec import Struct, structs, to_builtins

from commonplace.capture.events import MAX_LIST_ITEMS, MAX_NAME_CHARS, TRUST_BY_ACTOR
from commonplace.capture.write_context import WriteContext, text_key, workspace_key
from commonplace.errors import BadArgument
from commonplace.language.text import sanitize_line
from commonplace.model import Actor, Record, Trust, least_trusted
from commonplace.redact import has_marker, placeholder_spans, redact
from commonplace.storage import files
from commonplace.storage.journal import Journal, decode_with_checksum, encode_journal_line
from commonplace.storage.workspace import (
    RetainPrefix,
    append_under_heading,
    is_valid_id,
    parse_document,
    parse_interval,
    parse_retain_prefix,
    parse_timestamp,
    render_annotation,
    render_retain,
    update_file,
)
from commonplace.storage.workspace import join_lines as unannotated

TRIAL_ID = "trial"  # of a line that is only read to see what it would say


class HasAttribution(Protocol):
    """What somebody said, and how far it is trusted."""

    @property
    def actor(self) -> Actor: ...
    @property
    def trust(self) -> Trust: ...


def trust_for_actor(actor: Actor, source_trusts: Collection[Trust]) -> Trust:
    """An owner is trusted, a tool is not, an agent is as its least trusted source; nobody is for being cited."""
    return least_trusted(*source_trusts) if actor == "agent" and source_trusts else TRUST_BY_ACTOR[actor]


def require_text(text: str, max_chars: int, hint: str) -> None:
    """Refuse what says nothing, or too much. Raises BadArgument, which repeats nothing: that may hold a secret."""
    if not sanitize_line(text):
        raise BadArgument("there is no text to keep")
    if len(text) > max_chars:
        raise BadArgument(f"the text has {len(text)} characters, more than {max_chars}", hint=hint)


def require_short_names(names: Sequence[str], *lists: Sequence[str]) -> None:
    """Refuse names that are too long, and lists of too many. Raises BadArgument."""
    if max(map(len, names)) > MAX_NAME_CHARS or max(map(len, lists)) > MAX_LIST_ITEMS:
        raise BadArgument(
            f"a scope, session or source has at most {MAX_NAME_CHARS} characters, a list {MAX_LIST_ITEMS} items"
        )


def require_annotatable(record: Record, scope: str, sources: Sequence[str], supersedes: Sequence[str] = ()) -> None:
    """Refuse a scope or source that its annotation cannot hold: it would be another one when it is read.

    `record` is what the line would be. Raises BadArgument.
    """
    if (record.scope, record.sources, record.supersedes) != (scope, tuple(sources), tuple(supersedes)):
        message = "a scope or source holds signs that an annotation cannot keep"
        raise BadArgument(message, hint="leave out commas, `;`, `·`, `--` and line breaks")


def is_only_placeholders(text: str) -> bool:
    """Whether nothing is left but placeholders."""
    for start, end in reversed(placeholder_spans(text)):
        text = text[:start] + text[end:]
    return not sanitize_line(text)


def origin_entry(
    context: WriteContext, attributed: HasAttribution, record: Record, capture_id: str
) -> dict[str, object]:
    """The line of the ledger that says whose word a record is."""
    return {
        "op": "origin",
        "ts": context.now,
        "record": record.id,
        "digest": text_key(record.text),
        "trust": attributed.trust,
        "actor": attributed.actor,
        "capture": capture_id,
    }


MAX_SENTENCE_CHARS = 20_000  # characters of one sentence that is kept; what is longer belongs into a file of its own
RETAIN_HEADING, LOG_HEADING = "Retain", "Log"
MINUTE_CHARS = len("2025-11-27T09:40")


class AttributedSentence(Struct, frozen=True):
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
        return trust_for_actor(self.actor, self.basis)


class RetainResult(Struct, frozen=True):
    """What became of a saying: its record (None if it asked not to be kept), its capture, the secrets masked."""

    record: Record | None
    capture_id: str = ""
    redacted: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    asked: str = ""  # a question about it, not in its own words; empty where there is nothing to ask
    rank: int = 0  # at which that question finds it again; 0 if it does not


class _RedactedSentence(Struct, frozen=True):
    """A saying without its secrets, what its author allows, the kinds of what was masked, the heading it goes under."""

    saying: AttributedSentence
    heading: str
    private: bool
    export: bool
    masked: tuple[str, ...]


class _RetainIntent(Struct, frozen=True):
    """What is about to be kept, and how far the journals went before."""

    device: str
    now: str
    clean: _RedactedSentence
    captured: str
    told: str


def retain(context: WriteContext, sentence: AttributedSentence) -> RetainResult:
    """Keep a sentence as a Retain bullet of today's log. Raises BadArgument.

    In Markdown its words stand on one line: blanks of any kind become one space, control characters go, `<!--` and
    `-->` are broken up. The journal has the text as it was said, secrets masked; one that holds what
    shows nothing loses it there too.
    """
    return _retain_under_heading(context, sentence, RETAIN_HEADING)


def log_sentence(context: WriteContext, sentence: AttributedSentence) -> RetainResult:
    """Keep a sentence as a line of today's narrative: `10:05, …`, which names no speaker. Raises BadArgument."""
    return _retain_under_heading(context, sentence, LOG_HEADING)


def _retain_under_heading(context: WriteContext, sentence: AttributedSentence, heading: str) -> RetainResult:
    """Redact, capture, ledger, Markdown: in this order, so that what was acknowledged can always be told again."""
    context = structs.replace(context, now=_require_minute(context.now))
    _validate_sentence(sentence)
    if has_marker(sentence.text, "NOMEM"):  # before the key is made: not a byte is written
        return RetainResult(None)
    redacted = _redact_sentence(context, sentence, heading)
    if is_only_placeholders(redacted.saying.text):
        return RetainResult(None, redacted=redacted.masked)
    record, said = _parse_log_line(context, heading, _render_log_line(context, redacted, TRIAL_ID)), redacted.saying
    require_annotatable(record, said.scope, said.sources, said.supersedes)
    journal = Journal(context.root, context.device)
    intent = _RetainIntent(
        context.device, context.now, redacted, journal.end_position("captures"), journal.end_position("ledger")
    )
    with files.log_intent(context.root, encode_journal_line(to_builtins(intent))):
        capture_id = journal.append(_capture_fields(context, redacted), "captures").id
        return RetainResult(_write_ledger_and_line(context, redacted, capture_id), capture_id, redacted.masked)


def finish_retain(root: str, intent_bytes: bytes) -> None:
    """Bring to its end what somebody began to keep and died: a capture that is in the journal gets its line.

    There is nothing to do where the capture never came to be, nor where the words stand in the log by now.
    """
    promise = decode_with_checksum(intent_bytes, _RetainIntent)
    if promise is None:
        return
    context, redacted = WriteContext(root, promise.device, promise.now), promise.clean
    journal, said = Journal(root, promise.device), _capture_fields(context, redacted)
    told = {entry.fields.get("capture") for entry in journal.read("ledger", promise.told).entries}
    for entry in journal.read("captures", promise.captured).entries:
        is_it = all(entry.fields.get(name) == value for name, value in said.items())
        if is_it and not _is_in_log(context, redacted):
            _write_ledger_and_line(context, redacted, entry.fields["id"], is_in_ledger=entry.fields["id"] in told)


def _write_ledger_and_line(
    context: WriteContext, redacted: _RedactedSentence, capture_id: str, *, is_in_ledger: bool = False
) -> Record:
    """The ledger's line of a capture, unless it is told there already, and its line of Markdown."""
    line = _render_log_line(context, redacted, capture_id.removeprefix("obs:"))
    record = _parse_log_line(context, redacted.heading, line)
    if not is_in_ledger:
        Journal(context.root, context.device).append(
            origin_entry(context, redacted.saying, record, capture_id), "ledger"
        )
    return _append_to_log(context, redacted, line, record)


def _is_in_log(context: WriteContext, redacted: _RedactedSentence) -> bool:
    """Whether the words are in the log: it was written after all, or said again since."""
    key = text_key(_parse_log_line(context, redacted.heading, _render_log_line(context, redacted, TRIAL_ID)).text)
    there = parse_document(context.log_path, files.read_file_if_exists(context.root, context.log_path) or b"")
    return any(text_key(record.text) == key for record in there.records)


def _require_minute(now: str) -> str:
    minute = parse_timestamp(now)
    if len(minute) < MINUTE_CHARS:
        raise BadArgument("`now` is not an ISO minute", hint="say 2025-11-27T09:40")
    return minute


def _validate_sentence(sentence: AttributedSentence) -> None:
    """Refuse what cannot be kept; the message repeats nothing that was given, for that may hold a secret."""
    if sentence.actor == "system":
        raise BadArgument("what the system says is never learned", hint="retain as owner, agent or tool")
    if sentence.actor not in TRUST_BY_ACTOR:
        raise BadArgument(f"the actor must be one of {', '.join(TRUST_BY_ACTOR)}")
    require_text(
        sentence.text, MAX_SENTENCE_CHARS, "put it into a Markdown file of its own; it will be read from there"
    )
    if sentence.importance is not None and not 0 <= sentence.importance <= 1:
        raise BadArgument(f"importance must lie between 0 and 1, not {sentence.importance}")
    if sentence.valid and not parse_interval(sentence.valid):
        raise BadArgument("`valid` is not a span of time", hint="say 2025-11-27..2025-12-01, either end open")
    if not all(map(is_valid_id, sentence.supersedes)):
        raise BadArgument("`supersedes` takes the ids of records", hint="`commonplace show PATH#L12` tells them")
    require_short_names((sentence.scope, sentence.session, *sentence.sources), sentence.sources, sentence.supersedes)


def _redact_sentence(context: WriteContext, sentence: AttributedSentence, heading: str) -> _RedactedSentence:
    key, exact = workspace_key(context.root), context.exact
    text = redact(_strip_invisible_characters(sentence.text), key=key, exact=exact)
    flat = redact(
        sanitize_line(text.text), key=key, exact=exact
    )  # as the log will have it: `password:` and a line below it, say
    names = [
        redact(sanitize_line(name), key=key, exact=exact)
        for name in (sentence.scope, sentence.session, *sentence.sources)
    ]
    scope, session, *sources = (name.text for name in names)
    masked = tuple(sorted({found.kind for one in (text, flat, *names) for found in one.findings}))
    said = flat.text if flat.findings else text.text
    clean = structs.replace(sentence, text=said, scope=scope, session=session, sources=tuple(sources))
    return _RedactedSentence(clean, heading, text.private, text.export, masked)


def _strip_invisible_characters(text: str) -> str:
    """The text without what shows nothing: a control character within a secret hides it until it is taken out."""
    lines = text.split("\n")
    if all(line.replace("\t", " ").removesuffix("\r").isprintable() for line in lines):
        return text
    return "\n".join(map(sanitize_line, lines))


def _render_log_line(context: WriteContext, redacted: _RedactedSentence, record_id: str) -> str:
    """The line as it will stand: what was said on one line, and an annotation with what there is to say about it."""
    said = sanitize_line(redacted.saying.text)
    annotation = _sentence_annotation(redacted.saying, record_id)
    if redacted.heading == LOG_HEADING:  # a comma, for `10:05 Peter: …` would be dialogue
        return f"- {context.now[11:16]}, {unannotated(said)} {render_annotation(annotation)}"
    found = parse_retain_prefix(said) or RetainPrefix("world", 0)
    if found.problem:
        message = "the confidence of an opinion is a number from 0 to 1"
        raise BadArgument(message, hint="say `O(c=0.9) …`, or `W …` before words that only look like that")
    return render_retain(found.kind, said[found.start :], confidence=found.confidence, annotation=annotation)


def _sentence_annotation(sentence: AttributedSentence, record_id: str) -> dict[str, str | float | tuple[str, ...]]:
    said: dict[str, str | float | tuple[str, ...] | None] = {
        "id": record_id,
        "importance": sentence.importance,
        "valid": sentence.valid,
        "origin": "" if sentence.trust == "trusted" else sentence.trust,
        "from": sentence.sources,
        "project": sentence.scope,
        "supersedes": sentence.supersedes,
    }
    return {key: value for key, value in said.items() if value is not None}


def _parse_log_line(context: WriteContext, heading: str, line: str) -> Record:
    """The record that the line will be, as the parser reads it."""
    return parse_document(context.log_path, f"## {heading}\n\n{line}\n".encode()).records[0]


def _capture_fields(context: WriteContext, redacted: _RedactedSentence) -> dict[str, object]:
    sentence = redacted.saying
    return {
        "ts": context.now,
        "type": "note",
        "actor": sentence.actor,
        "text": sentence.text,
        "session": sentence.session,
        "agent": "",
        "scope": sentence.scope,
        "origin": sentence.trust,
        "detail": {"private": redacted.private, "export": redacted.export, "kept": redacted.heading},
        "from": list(sentence.sources),
    }


def _append_to_log(context: WriteContext, redacted: _RedactedSentence, line: str, record: Record) -> Record:
    """Write the line to the day's log; the record with the lines on which it stands there."""
    after = b""

    def add(data: bytes) -> bytes:
        nonlocal after
        after = append_under_heading(data or f"# {context.now[:10]}\n".encode(), redacted.heading, line)
        return after

    update_file(context.root, context.log_path, add, now=context.now)
    return next((found for found in parse_document(context.log_path, after).records if found.id == record.id), record)
