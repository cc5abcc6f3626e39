"""The one path of an event into the journal: skip repeats, bound, redact, note quotes, lower the trust, append."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from typing import Literal

from msgspec import Struct, structs

from commonplace.capture.events import TRUST_BY_ACTOR, Event, validate_event
from commonplace.capture.imports import SizeLimits, truncate_json
from commonplace.capture.write_context import TextMasker, WriteContext, is_off_record, read_off_periods
from commonplace.language.text import (
    FRAME_HEAD,
    RECALLED_PLACEHOLDER,
    find_copied_sentences,
    hash_shingles,
    hash_unquoted_shingles,
    sanitize_line,
    strip_frames,
)
from commonplace.model import Capture, Trust, least_trusted
from commonplace.redact import PRIVATE_PLACEHOLDER, RedactedText, has_marker
from commonplace.shapes import Json, capture_json, repair_text
from commonplace.storage import files
from commonplace.storage.journal import Journal
from commonplace.storage.tombstones import Tombstones, read_tombstones
from commonplace.storage.workspace import parse_timestamp

CaptureOutcome = Literal["captured", "known", "not to be kept", "forgotten", "empty"]
Span = tuple[int, int]

KEYS_LOCK = "captures-known"
JOURNAL_KEY_CHARS = 20


class CaptureLookups(Struct, frozen=True):
    """The lookups in memory that a capture needs.

    `find_captured_keys` returns those of some keys that were captured, `find_quoted_spans` the spans of some texts,
    each with the trust of its capture, that are in memory, `find_trusts` the trust of those captures and records of
    some ids that exist, `find_untrusted_shingles` those shingles that untrusted captures have and the owner has not, if
    there are any that `has_untrusted`.
    """

    find_captured_keys: Callable[[Sequence[str]], frozenset[str]] = lambda _keys: frozenset()
    find_quoted_spans: Callable[[Sequence[tuple[str, Trust]]], Sequence[Sequence[Span]]] = lambda texts: (
        [()] * len(texts)
    )
    find_trusts: Callable[[Sequence[str]], Sequence[Trust]] = lambda _ids: ()
    has_untrusted: Callable[[], bool] = lambda: False
    find_untrusted_shingles: Callable[[Collection[int]], Collection[int]] = lambda _shingles: ()


NO_LOOKUPS = CaptureLookups()


class CaptureResult(Struct, frozen=True):
    """The outcome of capturing an event, the id of its capture (empty without one), and the kinds of masked secrets."""

    outcome: CaptureOutcome
    id: str = ""
    redacted: tuple[str, ...] = ()


def capture_events(
    context: WriteContext, events: Sequence[Event], lookups: CaptureLookups = NO_LOOKUPS
) -> tuple[CaptureResult, ...]:
    """Capture events with one write and one fsync; when this returns, they are on disk. Raises BadArgument.

    An event is not captured again under a key that is known, nor if it asks not to be kept or was forgotten; a sentence
    that was forgotten is masked in a longer event. Frames of packs are taken out; what an agent or a tool repeats of
    memory is marked as quoted, what the owner repeats of a tool as pasted.
    """
    return capture_validated(context, [validate_event(event) for event in events], lookups)


def capture_validated(
    context: WriteContext, events: Sequence[Event], lookups: CaptureLookups
) -> tuple[CaptureResult, ...]:
    """Capture events that were validated one by one, so that a bad one among them did not stop the others."""
    sanitizer = EventSanitizer(context)
    sanitized = {at: sanitizer.sanitize(events[at], keys) for at, keys in _find_new_events(events, lookups).items()}
    captures = {at: lower_trust(one.capture, lookups) for at, one in sanitized.items() if one.capture}
    full_texts = {at: sanitized[at].full_text for at in captures}
    marked = mark_pastes(mark_quotes(captures, full_texts, lookups), full_texts, lookups)
    if marked:
        sanitizer.masker.save()
    ids = _append_captures(context, marked, lookups) if marked else {}
    return tuple(
        CaptureResult(one.outcome, ids.get(at, ""), one.masked)
        if (one := sanitized.get(at)) and (at in ids or not one.capture)
        else CaptureResult("known")
        for at in range(len(events))
    )


def journal_key(key: str) -> str:
    """Return the form of a key in the journal: a digest, for a source may put anything into the name of an event."""
    return files.text_digest(key)[:JOURNAL_KEY_CHARS]


def _find_new_events(events: Sequence[Event], lookups: CaptureLookups) -> dict[int, tuple[str, ...]]:
    """Return the positions of the events of which no key was captured before, with their keys in the journal."""
    keys_by_event = [tuple(map(journal_key, event.keys)) for event in events]
    keys = [key for own in keys_by_event for key in own]
    captured = set(lookups.find_captured_keys(keys)) if keys else set()
    new = {}
    for at, own in enumerate(keys_by_event):
        if captured.isdisjoint(own):
            new[at] = own
        captured.update(own)
    return new


def lower_trust(capture: Capture, lookups: CaptureLookups) -> Capture:
    """Return the capture, trusted no further than what it is based on, unless it is the owner's."""
    if capture.actor == "owner" or not capture.from_:
        return capture
    return structs.replace(capture, origin=least_trusted(capture.origin, *lookups.find_trusts(capture.from_)))


def mark_quotes(
    captures: dict[int, Capture], full_texts: dict[int, str], lookups: CaptureLookups
) -> dict[int, Capture]:
    """Return the captures with marks on the spans that agents, tools and the system repeat from memory, because an echo
    is not news. `full_texts` are the texts that are in artifacts, else empty."""
    others = [at for at, capture in captures.items() if capture.actor != "owner"]
    texts = [(text, captures[at].origin) for at in others for text in (captures[at].text, full_texts[at]) if text]
    spans = iter(lookups.find_quoted_spans(texts) if texts else ())
    marked = {
        at: _mark_quoted_spans(captures[at], next(spans), full_texts[at], next(spans) if full_texts[at] else ())
        for at in others
    }
    return captures | marked


def mark_pastes(
    captures: dict[int, Capture], full_texts: dict[int, str], lookups: CaptureLookups
) -> dict[int, Capture]:
    """Return the captures with marks on the sentences of the owner that are from untrusted text captured before them,
    in this write or earlier. Runs of four words that the owner said first count for nothing."""
    is_heard = any(one.origin in ("untrusted", "quarantined") for one in captures.values())
    if not any(map(_is_owners_own, captures.values())) or not (lookups.has_untrusted() or is_heard):
        return captures
    texts = {at: one.text for at, one in captures.items() if _is_owners_own(one)}
    asked = {shingle for text in texts.values() for shingle in hash_shingles(text)}
    untrusted, owned = set(lookups.find_untrusted_shingles(asked)), set[int]()
    if not (untrusted or is_heard):
        return captures
    marked = dict(captures)
    for at, capture in captures.items():
        if at in texts:
            spans = find_copied_sentences(texts[at], untrusted) if untrusted else ()
            owned.update(hash_unquoted_shingles(texts[at], spans))
            if spans:
                marked[at] = structs.replace(capture, detail=capture.detail | {"pasted": spans})
        elif capture.origin in ("untrusted", "quarantined"):
            quoted = capture.detail.get("artifact", capture.detail).get("quoted", ())
            new = {*hash_unquoted_shingles(full_texts[at] or capture.text, quoted), *capture.detail.get("shingles", ())}
            untrusted |= (asked & new) - owned
    return marked


def _is_owners_own(capture: Capture) -> bool:
    return capture.actor == "owner" and capture.origin == "trusted"


LIMITS_BEFORE_REDACTION = SizeLimits(64_000, 64_000, 256_000, 1_000)  # generous, so that few secrets are cut in two
JOURNAL_LIMITS = SizeLimits(2_000, 200, 16_000, 500)


ARTIFACTS_FOLDER = ".memory/artifacts"
MAX_LINE_CHARS = 8_000  # characters of a journal line's text
ARTIFACT_HEAD_CHARS, ARTIFACT_TAIL_CHARS = 6_000, 1_500


def store_long_text(root: str, text: str) -> tuple[str, Json]:
    """Return a text as its journal line has it, and the fields of its artifact; a short text has none."""
    if len(text) <= MAX_LINE_CHARS:
        return text, {}
    from hashlib import sha256  # loads OpenSSL, which a short text does not need

    data = text.encode()
    name = sha256(data).hexdigest()
    with files.log_intent(root):
        files.create_file(root, f"{ARTIFACTS_FOLDER}/{name}", data)
    left_out = len(text) - ARTIFACT_HEAD_CHARS - ARTIFACT_TAIL_CHARS
    short = (
        f"{text[:ARTIFACT_HEAD_CHARS]}\n"
        f"… {left_out} characters are in {ARTIFACTS_FOLDER}/{name} …\n"
        f"{text[-ARTIFACT_TAIL_CHARS:]}"
    )
    return short, {"sha256": name, "bytes": len(data)}


MAX_SCANNED_CHARS = 1 << 20  # characters of a text that are scanned; what follows is dropped, and the capture says so
CUT_MARGIN_CHARS = 4_096  # characters dropped before such a cut: there may be the beginning of a secret among them
RESERVED_DETAIL_KEYS = ("artifact", "cut", "echo", "import", "pasted", "quoted", "shingles", "source")  # set here only


class SanitizedEvent(Struct, frozen=True):
    """The outcome of an event so far, its capture if any, its text if in an artifact, and the kinds of secrets."""

    outcome: CaptureOutcome
    capture: Capture | None = None
    full_text: str = ""
    masked: tuple[str, ...] = ()


class EventSanitizer:
    """Sanitizes the events of one write; a name that many of them share is redacted once."""

    def __init__(self, context: WriteContext) -> None:
        self._context, self._off_periods = context, read_off_periods(context.root)
        self._tombstones = read_tombstones(context.root)
        self.masker = TextMasker(context.root, context.exact)
        self._session = ""  # of the event at hand
        self._name_cache: dict[str, tuple[str, set[str]]] = {}
        self._secret_kinds: set[str] = set()  # of secrets in the event at hand
        self._markers: set[str] = set()  # in its detail

    def sanitize(self, event: Event, journal_keys: tuple[str, ...]) -> SanitizedEvent:
        """Return the event as it may be kept: within the limits, without frames and secrets."""
        if is_off_record(self._off_periods, event.ts):
            return SanitizedEvent("not to be kept")
        self._secret_kinds, self._markers, self._session = set(), set(), event.session
        self.masker.start_event()
        loose = truncate_json(event.detail, LIMITS_BEFORE_REDACTION, self._strip_detail_text) if event.detail else {}
        origin = least_trusted(TRUST_BY_ACTOR[event.actor], event.origin)
        is_low = origin in ("untrusted", "quarantined")
        unwanted = has_marker(event.text, "NOMEM")
        if (unwanted and not is_low) or "NOMEM" in self._markers:
            return SanitizedEvent("not to be kept")
        # A stranger's marks and frames hide nothing: untrusted text must be recognised wherever it turns up.
        stripped = event.text if is_low else strip_frames(event.text)
        clean = self._redact_detail(loose) if loose else {}  # first: the text may repeat a secret of it
        redacted = self._redact(stripped[:MAX_SCANNED_CHARS])
        clean = self._redact_detail(loose) if loose and redacted.findings else clean
        self._secret_kinds.update(finding.kind for finding in redacted.findings)
        is_cut = len(stripped) > MAX_SCANNED_CHARS
        whole = redacted.text[:-CUT_MARGIN_CHARS] if is_cut else redacted.text
        is_hidden = is_low and (unwanted or PRIVATE_PLACEHOLDER in whole)
        whole = PRIVATE_PLACEHOLDER if unwanted else whole
        if not _has_visible_text(whole):
            return SanitizedEvent("empty", masked=tuple(sorted(self._secret_kinds)))
        bounded = mask_forgotten(self._tombstones, whole, clean)
        if bounded is None:
            return SanitizedEvent("forgotten", masked=tuple(sorted(self._secret_kinds)))
        whole, small = bounded
        detail = {name: value for name, value in small.items() if name not in RESERVED_DETAIL_KEYS}
        text, artifact = store_long_text(self._context.root, whole)
        detail |= self._privacy_flags(stripped)
        if is_hidden:
            detail["shingles"] = self._hidden_shingles(stripped)
        if unwanted:
            detail["private"] = True
        detail |= ({"cut": True} if is_cut else {}) | ({"artifact": artifact} if artifact else {})
        if event.position:
            detail["source"] = {**structs.asdict(event.position), "name": self._sanitize_name(event.position.name)}
        if event.import_detail:
            detail["import"] = self._import_fields(event.import_detail)
        ts = event.ts or self._context.now
        capture = Capture(
            id="",
            ts=ts,
            type=event.type,
            actor=event.actor,
            text=text,
            session=self._sanitize_name(event.session),
            agent=self._sanitize_name(event.agent),
            scope=self._sanitize_name(event.scope),
            origin=origin,
            detail=detail,
            from_=tuple(map(self._sanitize_name, event.from_)),
            keys=journal_keys,
            recorded=self._context.now if parse_timestamp(ts) != parse_timestamp(self._context.now) else "",
        )
        return SanitizedEvent("captured", capture, whole if artifact else "", tuple(sorted(self._secret_kinds)))

    def _redact(self, text: str) -> RedactedText:
        return self.masker.redact(repair_text(text), self._session)

    def _hidden_shingles(self, text: str) -> list[int]:
        """Return the digests of the runs of four words of a text that is to be hidden: enough to recognise it."""
        bare = re.sub(r"(?i)</?private\s*>|\[nomem\]", " ", text[:MAX_SCANNED_CHARS])
        return list(hash_shingles(self._redact(bare).text))

    def _strip_detail_text(self, text: str) -> str:
        """Return a text of the detail without frames of packs; its markers are recorded."""
        self._markers.update(name for name in ("NOMEM", "PRIVATE", "NOEXPORT") if has_marker(text, name))
        return repair_text(strip_frames(text) if FRAME_HEAD in text else text)

    def _redact_detail(self, detail: Json) -> Json:
        clean, findings = self.masker.redact_fields(detail, self._session)
        self._secret_kinds.update(finding.kind for finding in findings)
        return dict(clean)

    def _privacy_flags(self, text: str) -> Json:
        """Return the flags that the markers in the text and in the detail ask for."""
        is_private = has_marker(text, "PRIVATE") or "PRIVATE" in self._markers
        stays_here = has_marker(text, "NOEXPORT") or "NOEXPORT" in self._markers
        return ({"private": True} if is_private else {}) | ({"export": False} if stays_here else {})

    def _import_fields(self, import_detail: Json) -> Json:
        """Return the non-empty fields of an event in another memory, with names redacted."""
        return {
            name: self._sanitize_name(value) if isinstance(value, str) else value
            for name, value in import_detail.items()
            if value not in ("", 0, False) and value is not None
        }

    def _sanitize_name(self, name: str) -> str:
        """Return a name on one line, with secrets masked."""
        if not name:
            return name
        if name not in self._name_cache:
            redacted = self.masker.redact(sanitize_line(name))
            self._name_cache[name] = redacted.text, {finding.kind for finding in redacted.findings}
        text, kinds = self._name_cache[name]
        self._secret_kinds |= kinds
        return text


def mask_forgotten(tombstones: Tombstones, text: str, detail: Json) -> tuple[str, Json] | None:
    """Return a text, and its detail as a line has it, with forgotten sentences masked; None if a text was forgotten."""
    texts: list[str | None] = []

    def mask(part: str) -> str:
        texts.append(tombstones.mask(part))
        return texts[-1] or part

    masked = mask(text), truncate_json(detail, JOURNAL_LIMITS, mask)
    return None if None in texts else masked


def _has_visible_text(text: str) -> bool:
    """Whether a person would see anything of a text."""
    begin = text[:64].replace("\n", " ")
    if begin.isprintable() and any(map(str.isalnum, begin)) and RECALLED_PLACEHOLDER not in text:
        return True
    return bool(sanitize_line(text.replace(RECALLED_PLACEHOLDER, "")))


MAX_QUOTED_SPANS = 20_000  # spans of one text that are recorded


def _mark_quoted_spans(capture: Capture, spans: Sequence[Span], full_text: str, whole_spans: Sequence[Span]) -> Capture:
    """Return the capture with the quoted spans of its text and its artifact, and whether it is an echo as a whole."""
    marks: Json = {}
    if full_text:
        marks["artifact"] = {**capture.detail["artifact"], "quoted": whole_spans[:MAX_QUOTED_SPANS]}
    if spans or whole_spans:
        from commonplace.language.text import is_mostly_quoted

        marks["quoted"] = spans[:MAX_QUOTED_SPANS]
        if is_mostly_quoted(full_text or capture.text, whole_spans if full_text else spans):
            marks["echo"] = True
    return structs.replace(capture, detail=capture.detail | marks) if marks else capture


def _append_captures(context: WriteContext, captures: dict[int, Capture], lookups: CaptureLookups) -> dict[int, str]:
    """Write what nobody captured meanwhile: of two that bring the same event at once, the second is left out."""
    keys = [key for capture in captures.values() for key in capture.keys]
    with files.hold_workspace_lock(context.root, KEYS_LOCK) if keys else nullcontext():
        captured = lookups.find_captured_keys(keys) if keys else frozenset()
        new = {at: capture for at, capture in captures.items() if captured.isdisjoint(capture.keys)}
        entries = Journal(context.root, context.device).append_all(list(map(capture_json, new.values())), "captures")
    return {at: entry.id for at, entry in zip(new, entries, strict=True)}
