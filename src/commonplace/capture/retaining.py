"""Turn a sentence into a redacted, dated, attributed capture in the journal and a line of today's log."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct, structs, to_builtins

from commonplace.capture.events import MAX_LIST_ITEMS, MAX_NAME_CHARS, TRUST_BY_ACTOR
from commonplace.capture.write_context import TextMasker, WriteContext, require_on_record, text_key
from commonplace.errors import BadArgument
from commonplace.language.text import sanitize_line
from commonplace.model import CAPTURE_PREFIX, Actor, Capture, Record, Trust, least_trusted
from commonplace.redact import has_marker, placeholder_spans
from commonplace.shapes import capture_json
from commonplace.storage import files, workspace
from commonplace.storage.journal import Journal, decode_with_checksum, encode_journal_line, parse_capture
from commonplace.storage.tombstones import read_tombstones

TRIAL_ID = "trial"  # of a line that is rendered only to see how it is read


def require_text(text: str, max_chars: int, hint: str) -> None:
    """Refuse an empty or too long text. Raises BadArgument, which repeats nothing of it: it may hold a secret."""
    if not sanitize_line(text):
        raise BadArgument("the text is empty")
    if len(text) > max_chars:
        raise BadArgument(f"the text has {len(text)} characters, more than {max_chars}", hint=hint)


def require_short_names(names: Sequence[str], *lists: Sequence[str]) -> None:
    """Refuse long names and long lists. Raises BadArgument."""
    if max(map(len, names)) > MAX_NAME_CHARS or max(map(len, lists)) > MAX_LIST_ITEMS:
        raise BadArgument(
            f"a scope, session or source has at most {MAX_NAME_CHARS} characters, a list {MAX_LIST_ITEMS} items"
        )


def require_annotatable(record: Record, scope: str, sources: Sequence[str], supersedes: Sequence[str] = ()) -> None:
    """Refuse a scope or source that would be another one in the annotation of `record`, the line as the parser reads
    it. Raises BadArgument."""
    if (record.scope, record.sources, record.supersedes) != (scope, tuple(sources), tuple(supersedes)):
        message = "a scope or source holds signs that an annotation cannot keep"
        raise BadArgument(message, hint="leave out commas, `;`, `·`, `--` and line breaks")


def is_only_placeholders(text: str) -> bool:
    """Whether nothing but placeholders is left of a text."""
    for start, end in reversed(placeholder_spans(text)):
        text = text[:start] + text[end:]
    return not sanitize_line(text)


def origin_entry(
    context: WriteContext, record: Record, capture_id: str, *, actor: Actor, trust: Trust
) -> dict[str, object]:
    """Return the ledger entry about the origin of a record."""
    return {
        "op": "origin",
        "ts": context.now,
        "record": record.id,
        "digest": text_key(record.text),
        "trust": trust,
        "actor": actor,
        "capture": capture_id,
    }


MAX_SENTENCE_CHARS = 20_000  # characters of one sentence; a longer text belongs into a file of its own
RETAIN_HEADING, LOG_HEADING = "Retain", "Log"
MINUTE_CHARS = len("2025-11-27T09:40")
SUPPORTED_OP = "supported"  # a ledger entry: these sources say what a record says


class AuthoredText(Struct, frozen=True, kw_only=True):
    """A text, its author and where it belongs; `basis` is the trust of each of its sources. One that is `held` back is
    an agent's that may be a stranger's."""

    text: str
    actor: Actor = "owner"
    scope: str = ""
    session: str = ""
    sources: tuple[str, ...] = ()
    basis: tuple[Trust, ...] = ()
    held: bool = False

    @property
    def author_trust(self) -> Trust:
        """The trust of its author; of an agent, that of its least trusted source."""
        return least_trusted(*self.basis) if self.actor == "agent" and self.basis else TRUST_BY_ACTOR[self.actor]

    @property
    def trust(self) -> Trust:
        """The trust of its line."""
        return least_trusted(self.author_trust, "untrusted") if self.held else self.author_trust


class AttributedSentence(AuthoredText, frozen=True, kw_only=True):
    """A sentence to be kept, with its attributes."""

    importance: float | None = None
    valid: str = ""
    supersedes: tuple[str, ...] = ()


class MetLine(Struct, frozen=True):
    """A known line that a sentence repeats, ends, contradicts or gives another value for, the values that differ, and
    the id of the `pending` item that asks a person which of the two holds, if any."""

    record: Record
    effect: str  # an `Effect`
    reason: str
    old_value: str = ""
    new_value: str = ""
    pending: str = ""


class RetainResult(Struct, frozen=True):
    """The record of a sentence (None if it asked not to be kept; a known one if it says the same), its capture, the
    kinds of masked secrets, and the known lines that it met."""

    record: Record | None
    capture_id: str = ""
    redacted: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    asked: str = ""  # a question about it, not in its own words; empty where there is nothing to ask
    rank: int = 0  # at which recall returns it for that question; 0 if it does not
    met: tuple[MetLine, ...] = ()


class _RedactedSentence(Struct, frozen=True):
    """A sentence without secrets, its heading, what its author allows, and the kinds of masked secrets.

    `supports` is the id of the known line that says the same; then no line is written. `gathered` are the sources of
    the known lines of which the sentence says all and more.
    """

    saying: AttributedSentence
    heading: str
    private: bool
    export: bool
    masked: tuple[str, ...]
    supports: str = ""
    gathered: tuple[str, ...] = ()


class _RetainIntent(Struct, frozen=True):
    """A retain that is about to be written, and the positions of the journals before it."""

    device: str
    now: str
    clean: _RedactedSentence
    captured: str
    told: str


FindMetLines = Callable[[Record], tuple[MetLine, ...]]


def retain(
    context: WriteContext,
    sentence: AttributedSentence,
    find_met_lines: FindMetLines = lambda _record: (),
    *,
    heading: str = RETAIN_HEADING,
) -> RetainResult:
    """Keep a sentence as a Retain bullet of today's log, or below `LOG_HEADING` as a line of its narrative: `10:05, …`,
    which names no speaker. Raises BadArgument.

    Of the lines that `find_met_lines` returns it supersedes those that it replaces, and gains the sources of those that
    it says all of and more; where one says the same, that one gains support in the ledger, and no line is written.

    In Markdown its words are on one line, without control characters and marks of comments; the journal has the text as
    it was said, but for secrets and invisible characters. The journal comes first, then the ledger, then the Markdown:
    in this order nothing that was acknowledged can be lost.
    """
    minute = workspace.parse_timestamp(context.now)
    if len(minute) < MINUTE_CHARS:
        raise BadArgument("`now` is not an ISO minute", hint="say 2025-11-27T09:40")
    context = structs.replace(context, now=minute)
    _validate_sentence(sentence)
    require_on_record(context.root)
    if has_marker(sentence.text, "NOMEM"):  # before the key is made: not a byte is written
        return RetainResult(None)
    masker = TextMasker(context.root, context.exact)
    redacted = _redact_sentence(masker, sentence, heading)
    clean = redacted.saying
    if is_only_placeholders(clean.text):
        return RetainResult(None, redacted=redacted.masked)
    trial = _parse_log_line(context, heading, _render_log_line(context, redacted, TRIAL_ID))
    require_annotatable(trial, clean.scope, clean.sources, clean.supersedes)
    require_not_forgotten(context.root, (clean.text, trial.text))
    met = tuple(one for one in find_met_lines(trial) if one.record.id not in clean.supersedes)
    known = next((one.record for one in met if _is_repetition(redacted, trial, one)), None)
    replaced = (one.record.id for one in met if one.effect == "replaces" and known is None)
    clean = structs.replace(clean, supersedes=(*clean.supersedes, *replaced))
    ended = min((one.record.time[:10] for one in met if one.effect == "is over"), default="")
    clean = structs.replace(clean, valid=f"..{ended}" if ended and not clean.valid else clean.valid)
    enriched = (one.record for one in met if one.effect == "enriches")
    thinner = [record for record in enriched if least_trusted(record.trust, clean.trust) == clean.trust]
    gathered = dict.fromkeys(source for record in thinner for source in record.sources or (record.id,))
    redacted = structs.replace(redacted, saying=clean, supports=known.id if known else "", gathered=tuple(gathered))
    journal = Journal(context.root, context.device)
    positions = journal.end_position("captures"), journal.end_position("ledger")
    intent = _RetainIntent(context.device, context.now, redacted, *positions)
    masker.save()
    with files.log_intent(context.root, encode_journal_line(to_builtins(intent))):
        capture_id = journal.append(capture_json(_note_capture(context, redacted)), "captures").id
        record = _write_ledger_and_line(context, redacted, capture_id) or known
        return RetainResult(record, capture_id, redacted.masked, met=met)


def _is_repetition(redacted: _RedactedSentence, new_record: Record, met: MetLine) -> bool:
    """Whether a known line makes the line of a sentence superfluous: it says the same, and the sentence has no valid
    time or importance of its own. What somebody did or wrote into the log may have happened again on another day."""
    saying = redacted.saying
    is_plain = not saying.valid and saying.importance is None and not saying.supersedes
    is_diary = redacted.heading == LOG_HEADING or new_record.kind == "experience"
    is_same_place = met.record.source.path == new_record.source.path and met.record.kind == new_record.kind
    return met.effect == "supports" and is_plain and (is_same_place if is_diary else met.record.kind == new_record.kind)


def finish_retain(root: str, intent_bytes: bytes) -> str:
    """Finish an interrupted retain: write the line of a capture that is in the journal, unless its words are in the log
    by now; return the path of the log if it was written. Without a capture there is nothing to do."""
    intent = decode_with_checksum(intent_bytes, _RetainIntent)
    if intent is None:
        return ""
    path = ""
    context, redacted = WriteContext(root, intent.device, intent.now), intent.clean
    journal, capture = Journal(root, intent.device), _note_capture(context, redacted)
    entries = [entry.fields for entry in journal.read("ledger", intent.told).entries]
    in_ledger = {one for fields in entries for one in (fields.get("capture"), *(fields.get("sources") or ()))}
    for entry in journal.read("captures", intent.captured).entries:
        written = parse_capture(entry.fields)
        if structs.replace(written, id="") == capture and not _is_in_log(context, redacted):
            _write_ledger_and_line(context, redacted, written.id, is_in_ledger=written.id in in_ledger)
            path = context.log_path
    return path


def _write_ledger_and_line(
    context: WriteContext, redacted: _RedactedSentence, capture_id: str, *, is_in_ledger: bool = False
) -> Record | None:
    """Write the ledger entry, unless it is there, and the line, and return its record; no line where one says it."""
    if redacted.supports:
        if not is_in_ledger:
            supported = {"op": SUPPORTED_OP, "ts": context.now, "record": redacted.supports, "sources": [capture_id]}
            Journal(context.root, context.device).append(supported, "ledger")
        return None
    line = _render_log_line(context, redacted, capture_id.removeprefix("obs:"))
    record = _parse_log_line(context, redacted.heading, line)
    if not is_in_ledger:
        saying = redacted.saying
        entries = [origin_entry(context, record, capture_id, actor=saying.actor, trust=saying.trust)]
        if redacted.gathered:
            sources = list(redacted.gathered)
            entries.append({"op": SUPPORTED_OP, "ts": context.now, "record": record.id, "sources": sources})
        Journal(context.root, context.device).append_all(entries, "ledger")
    after = b""

    def add(data: bytes) -> bytes:
        nonlocal after
        after = workspace.append_under_heading(data or f"# {context.now[:10]}\n".encode(), redacted.heading, line)
        return after

    workspace.update_file(context.root, context.log_path, add, now=context.now)
    records = workspace.parse_document(context.log_path, after).records
    return next((one for one in records if one.id == record.id), record)


def _is_in_log(context: WriteContext, redacted: _RedactedSentence) -> bool:
    """Whether the words are in the log: the line was written after all, or somebody said them again since."""
    key = text_key(_parse_log_line(context, redacted.heading, _render_log_line(context, redacted, TRIAL_ID)).text)
    data = files.read_file_if_exists(context.root, context.log_path) or b""
    document = workspace.parse_document(context.log_path, data)
    return any(text_key(record.text) == key for record in document.records)


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
    if sentence.valid and not workspace.parse_interval(sentence.valid):
        raise BadArgument("`valid` is not a span of time", hint="say 2025-11-27..2025-12-01, either end open")
    if not all(workspace.is_valid_id(one.removeprefix(CAPTURE_PREFIX)) for one in sentence.supersedes):
        raise BadArgument(
            "`supersedes` takes the ids of records and captures", hint="`commonplace show PATH#L12` tells them"
        )
    require_short_names((sentence.scope, sentence.session, *sentence.sources), sentence.sources, sentence.supersedes)


def require_not_forgotten(root: str, texts: Sequence[str]) -> None:
    """Raise BadArgument, which names the tombstone, for a text that was forgotten."""
    tombstones = read_tombstones(root)
    for citation in filter(None, map(tombstones.find, texts)):
        path, line = citation.split("#L")
        message = f"this was forgotten, and {citation} keeps it from being stored again"
        raise BadArgument(message, path=path, line=int(line), hint="remove that line to allow it again")


def _redact_sentence(masker: TextMasker, sentence: AttributedSentence, heading: str) -> _RedactedSentence:
    lines = sentence.text.split("\n")
    # An invisible character within a secret hides it until it is removed.
    is_visible = all(line.replace("\t", " ").removesuffix("\r").isprintable() for line in lines)
    visible = sentence.text if is_visible else "\n".join(map(sanitize_line, lines))
    text = masker.redact(visible, sentence.session)
    flat = masker.redact(sanitize_line(text.text), sentence.session)  # as the log has it: `password:` and the next line
    given = (sentence.scope, sentence.session, *sentence.sources)
    names = [masker.redact(sanitize_line(name)) for name in given]
    scope, session, *sources = (name.text for name in names)
    masked = tuple(sorted({finding.kind for one in (text, flat, *names) for finding in one.findings}))
    words = flat.text if flat.findings else text.text
    clean = structs.replace(sentence, text=words, scope=scope, session=session, sources=tuple(sources))
    return _RedactedSentence(clean, heading, text.private, text.export, masked)


def _render_log_line(context: WriteContext, redacted: _RedactedSentence, record_id: str) -> str:
    """Return the line of Markdown: the words on one line, and their annotation."""
    sentence = redacted.saying
    words = sanitize_line(sentence.text)
    annotation: dict[str, str | float | tuple[str, ...]] = {
        "id": record_id,
        "valid": sentence.valid,
        "origin": "" if sentence.trust == "trusted" else sentence.trust,
        "from": sentence.sources,
        "project": sentence.scope,
        "supersedes": sentence.supersedes,
    }
    if sentence.importance is not None:
        annotation["importance"] = sentence.importance
    if redacted.heading == LOG_HEADING:  # a comma, for `10:05 Peter: …` would be dialogue
        return f"- {context.now[11:16]}, {workspace.join_lines(words)} {workspace.render_annotation(annotation)}"
    prefix = workspace.parse_retain_prefix(words) or workspace.RetainPrefix("world", 0)
    if prefix.problem:
        message = "the confidence of an opinion is a number from 0 to 1"
        raise BadArgument(message, hint="say `O(c=0.9) …`, or `W …` before words that only look like that")
    return workspace.render_retain(
        prefix.kind, words[prefix.start :], confidence=prefix.confidence, annotation=annotation
    )


def _parse_log_line(context: WriteContext, heading: str, line: str) -> Record:
    """Return the record of the line as the parser reads it, below the titles of the log."""
    page = f"# {context.now[:10]}\n\n## {heading}\n\n{line}\n"
    return workspace.parse_document(context.log_path, page.encode()).records[-1]


def _note_capture(context: WriteContext, redacted: _RedactedSentence) -> Capture:
    sentence = redacted.saying
    return Capture(
        id="",
        ts=context.now,
        type="note",
        actor=sentence.actor,
        text=sentence.text,
        session=sentence.session,
        scope=sentence.scope,
        origin=sentence.author_trust,  # its own words taint no line of the owner's
        detail={"private": redacted.private, "export": redacted.export, "kept": redacted.heading},
        from_=sentence.sources,
    )
