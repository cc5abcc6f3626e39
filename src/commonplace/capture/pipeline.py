"""The one path of an event into the journal: skip repeats, bound, redact, note quotes, lower the trust, append."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import cached_property
from typing import Any, Literal

from msgspec import Struct, structs

from commonplace.capture.events import TRUST_BY_ACTOR, Event, ImportDetail, validate_event
from commonplace.capture.write_context import WriteContext, workspace_key
from commonplace.language.text import sanitize_line
from commonplace.language.text.shingles import FRAME_HEAD, RECALLED_PLACEHOLDER, hash_shingles, strip_frames
from commonplace.model import Trust, least_trusted
from commonplace.redact import PRIVATE_PLACEHOLDER, has_marker, redact, redact_fields
from commonplace.shapes import repair_text
from commonplace.storage import files
from commonplace.storage.journal import Journal

MAX_DEPTH = 5  # levels
ELLIPSIS = "…"
MAX_INTEGER_BITS = 63  # of a whole number that any reader of JSON can read


class SizeLimits(Struct, frozen=True):
    """How much stays: characters of one text and of one name, characters and values of all together."""

    text_chars: int
    name_chars: int
    total_chars: int
    total_values: int


LIMITS_BEFORE_REDACTION = SizeLimits(
    64_000, 64_000, 256_000, 1_000
)  # before secrets are masked, so that few texts are cut then
JOURNAL_LIMITS = SizeLimits(2_000, 200, 16_000, 500)


def truncate_json(
    detail: dict[str, Any], limits: SizeLimits, transform_text: Callable[[str], str] = str
) -> dict[str, Any]:
    """A JSON object made small: no more than `limits`, five levels deep; `transform_text` is told every text, and gives
    it back.

    What JSON has no word for becomes a text. When all that may stay is used up, a text is left out as a whole: cut
    short it could hold half a secret, which nothing would know for one.
    """
    small: dict[str, Any] = _JsonTruncator(limits, transform_text).truncate(detail, 0)
    return small


class _JsonTruncator:
    def __init__(self, limits: SizeLimits, transform_text: Callable[[str], str]) -> None:
        self._limits, self._transform_text = limits, transform_text
        self._chars_left, self._values_left = limits.total_chars, limits.total_values

    def truncate(self, node: Any, depth: int) -> Any:
        self._values_left -= 1
        if node is None or isinstance(node, bool | float):
            return node
        if isinstance(node, int) and node.bit_length() <= MAX_INTEGER_BITS:
            return node
        if isinstance(node, dict):
            items = node.items() if depth < MAX_DEPTH else ()
            return {
                self._truncate_key(key): self.truncate(inner, depth + 1)
                for key, inner in items
                if self._values_left > 0
            }
        if isinstance(node, list | tuple):
            return (
                [self.truncate(inner, depth + 1) for inner in node if self._values_left > 0]
                if depth < MAX_DEPTH
                else []
            )
        return self._truncate_text(_stringify_scalar(node))

    def _truncate_text(self, text: str) -> str:
        text = self._transform_text(text)
        if min(len(text), self._limits.text_chars) > self._chars_left:
            return ELLIPSIS
        self._chars_left -= min(len(text), self._limits.text_chars)
        return text if len(text) <= self._limits.text_chars else text[: self._limits.text_chars] + ELLIPSIS

    def _truncate_key(self, key: Any) -> str:
        text = self._transform_text(_stringify_scalar(key))
        self._chars_left -= min(len(text), self._limits.name_chars)
        return text[: self._limits.name_chars] if self._chars_left > 0 else ELLIPSIS


def _stringify_scalar(scalar: Any) -> str:
    """A value that is no JSON as a text; of a whole number without end only how long it is."""
    if isinstance(scalar, str):
        return scalar
    if isinstance(scalar, bytes | bytearray):
        return scalar.decode("utf-8", "replace")
    if isinstance(scalar, int) and scalar.bit_length() > 16 * MAX_INTEGER_BITS:
        return f"a number of {scalar.bit_length()} bits"
    return str(scalar)


ARTIFACTS_FOLDER = ".memory/artifacts"
MAX_LINE_CHARS = 8_000  # characters of a journal line's text
ARTIFACT_HEAD_CHARS, ARTIFACT_TAIL_CHARS = 6_000, 1_500

ArtifactFields = dict[str, object]


def store_long_text(root: str, text: str) -> tuple[str, ArtifactFields]:
    """The text as its journal line has it, and the artifact that holds all of it; none for a text that is short."""
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


MAX_SCANNED_CHARS = (
    1 << 20
)  # characters of a text that are looked at; what is behind them is dropped, and the capture says so
CUT_MARGIN_CHARS = 4_096  # characters before a cut that go as well: there may be the beginning of a secret among them
RESERVED_DETAIL_KEYS = (
    "artifact",
    "cut",
    "echo",
    "import",
    "quoted",
    "shingles",
    "source",
)  # of a detail: said by us, whatever the event says
NAME_FIELDS = ("session", "agent", "scope")

Json = dict[str, Any]
CaptureOutcome = Literal["captured", "known", "not to be kept", "empty"]


class SanitizedEvent(Struct, frozen=True):
    """What an event became: the fields of its line if it is to be captured, all of its text if that was laid aside,
    the kinds of secrets that were masked."""

    outcome: CaptureOutcome
    fields: Json = {}
    full_text: str = ""
    masked: tuple[str, ...] = ()


class EventSanitizer:
    """Cleans the events of one write; a name that many of them share is cleaned once."""

    def __init__(self, context: WriteContext) -> None:
        self._context = context
        self._name_cache: dict[str, tuple[str, set[str]]] = {}
        self._secret_kinds: set[str] = set()  # of secrets in the event at hand
        self._markers: set[str] = set()  # that its detail bears

    @cached_property
    def _redaction_key(self) -> bytes:
        """Made at first use: an event that asks not to be kept leaves nothing behind, no key either."""
        return workspace_key(self._context.root)

    def sanitize(self, event: Event, journal_keys: Sequence[str]) -> SanitizedEvent:
        """The event as it may be kept; `journal_keys` are those under which its source knows it, as the journal has
        them."""
        self._secret_kinds, self._markers = set(), set()
        loose = truncate_json(event.detail, LIMITS_BEFORE_REDACTION, self._strip_detail_text) if event.detail else {}
        origin = least_trusted(TRUST_BY_ACTOR[event.actor], event.origin)
        is_low = origin in ("untrusted", "quarantined")
        unwanted = has_marker(event.text, "NOMEM")
        if (unwanted and not is_low) or "NOMEM" in self._markers:
            return SanitizedEvent("not to be kept")
        # A stranger's marks and frames hide nothing: what cannot be trusted is known again wherever it is written.
        said = event.text if is_low else strip_frames(event.text)
        redacted = redact(repair_text(said[:MAX_SCANNED_CHARS]), key=self._redaction_key, exact=self._context.exact)
        self._secret_kinds.update(found.kind for found in redacted.findings)
        is_cut = len(said) > MAX_SCANNED_CHARS
        whole = redacted.text[:-CUT_MARGIN_CHARS] if is_cut else redacted.text
        hidden = self._hidden_shingles(said) if is_low and (unwanted or PRIVATE_PLACEHOLDER in whole) else {}
        whole = PRIVATE_PLACEHOLDER if unwanted else whole
        if not _has_visible_text(whole):
            return SanitizedEvent("empty", masked=tuple(sorted(self._secret_kinds)))
        detail = self._sanitize_detail(loose) if loose else {}
        text, aside = store_long_text(self._context.root, whole)
        detail |= self._privacy_flags(said) | hidden
        detail |= {"private": True} if unwanted else {}
        detail |= ({"cut": True} if is_cut else {}) | ({"artifact": aside} if aside else {})
        if event.position:
            detail["source"] = {**structs.asdict(event.position), "name": self._sanitize_name(event.position.name)}
        if event.import_detail:
            detail["import"] = self._import_fields(event.import_detail)
        fields = {
            "ts": event.ts or self._context.now,
            "type": event.type,
            "actor": event.actor,
            "text": text,
            **{name: self._sanitize_name(getattr(event, name)) for name in NAME_FIELDS},
            "origin": origin,
            "detail": detail,
            "from": [self._sanitize_name(name) for name in event.from_],
        }
        if journal_keys:
            fields["keys"] = list(journal_keys)
        return SanitizedEvent("captured", fields, whole if aside else "", tuple(sorted(self._secret_kinds)))

    def _hidden_shingles(self, text: str) -> Json:
        """What a stranger does not want kept, as digests of its runs of four words: enough to know it again."""
        bare = re.sub(r"(?i)</?private\s*>|\[nomem\]", " ", text[:MAX_SCANNED_CHARS])
        return {
            "shingles": list(
                hash_shingles(redact(repair_text(bare), key=self._redaction_key, exact=self._context.exact).text)
            )
        }

    def _strip_detail_text(self, text: str) -> str:
        """A text of the detail less what came out of a pack; what its author asks for is noted."""
        self._markers.update(name for name in ("NOMEM", "PRIVATE", "NOEXPORT") if has_marker(text, name))
        return repair_text(strip_frames(text) if FRAME_HEAD in text else text)

    def _sanitize_detail(self, detail: Json) -> Json:
        """What is said besides, without its secrets, and small."""
        clean, findings = redact_fields(detail, key=self._redaction_key, exact=self._context.exact)
        self._secret_kinds.update(one.kind for one in findings)
        return {
            name: value
            for name, value in truncate_json(clean, JOURNAL_LIMITS).items()
            if name not in RESERVED_DETAIL_KEYS
        }

    def _privacy_flags(self, text: str) -> Json:
        """What the author of the text, or of anything said besides, does not want."""
        is_private = has_marker(text, "PRIVATE") or "PRIVATE" in self._markers
        stays_here = has_marker(text, "NOEXPORT") or "NOEXPORT" in self._markers
        return ({"private": True} if is_private else {}) | ({"export": False} if stays_here else {})

    def _import_fields(self, import_detail: ImportDetail) -> Json:
        """What an event was elsewhere, less what is not known, its names without secrets."""
        told = {
            name: value
            for name, value in structs.asdict(import_detail).items()
            if value not in ("", 0, False) and value is not None
        }
        return {name: self._sanitize_name(value) if isinstance(value, str) else value for name, value in told.items()}

    def _sanitize_name(self, name: str) -> str:
        """A name on one line, without the secrets in it."""
        if not name:
            return name
        if name not in self._name_cache:
            redacted = redact(sanitize_line(name), key=self._redaction_key, exact=self._context.exact)
            self._name_cache[name] = redacted.text, {found.kind for found in redacted.findings}
        text, kinds = self._name_cache[name]
        self._secret_kinds |= kinds
        return text


def _has_visible_text(text: str) -> bool:
    """Whether a person would see anything of it."""
    begin = text[:64].replace("\n", " ")
    if begin.isprintable() and any(map(str.isalnum, begin)) and RECALLED_PLACEHOLDER not in text:
        return True
    return bool(sanitize_line(text.replace(RECALLED_PLACEHOLDER, "")))


KEYS_LOCK = "captures-known"
JOURNAL_KEY_CHARS = 20
MAX_QUOTED_SPANS = 20_000  # stretches of one text that are noted

Span = tuple[int, int]


class CaptureLookups(Struct, frozen=True):
    """What was there before.

    `find_captured_keys` tells which of some keys are; `find_quoted_spans` which stretches of some texts, each with the
    trust of its capture, stand in memory; `find_trusts` how far those of some captures and records that there are can
    be trusted.
    """

    find_captured_keys: Callable[[Sequence[str]], frozenset[str]] = lambda _keys: frozenset()
    find_quoted_spans: Callable[[Sequence[tuple[str, Trust]]], Sequence[Sequence[Span]]] = lambda said: [
        () for _ in said
    ]
    find_trusts: Callable[[Sequence[str]], Sequence[Trust]] = lambda _ids: ()


class CaptureResult(Struct, frozen=True):
    """What became of an event: its capture's id (empty if there is none), and the kinds of secrets masked in it."""

    outcome: CaptureOutcome
    id: str = ""
    redacted: tuple[str, ...] = ()


NO_LOOKUPS = CaptureLookups()


def capture_events(
    context: WriteContext, events: Sequence[Event], lookups: CaptureLookups = NO_LOOKUPS
) -> tuple[CaptureResult, ...]:
    """Capture events with one write and one fsync; when this returns, they are on disk. Raises BadArgument.

    An event that its source knows under a known key is not captured again; nor is one that asks not to be kept.
    What stands in a pack's frame is taken out; what an agent or a tool repeats of memory is noted as quoted.
    """
    return capture_validated(context, [validate_event(event) for event in events], lookups)


def capture_validated(
    context: WriteContext, events: Sequence[Event], lookups: CaptureLookups
) -> tuple[CaptureResult, ...]:
    """The same for events that were checked one by one, so that a bad one among them did not stop the rest."""
    keys = [tuple(map(journal_key, event.keys)) for event in events]
    cleaner = EventSanitizer(context)
    cleaned = {at: cleaner.sanitize(events[at], keys[at]) for at in _find_new_events(keys, lookups)}
    new = {at: one for at, one in cleaned.items() if one.outcome == "captured"}
    _lower_trust_and_mark_quotes(list(new.values()), lookups)
    ids = _append_captures(context, {at: one.fields for at, one in new.items()}, lookups) if new else {}
    return tuple(_capture_result(cleaned.get(at), ids.get(at, "")) for at in range(len(events)))


def journal_key(key: str) -> str:
    """A key as the journal has it: a digest, for a source may put anything into the name of an event."""
    return files.content_digest(key.encode("utf-8", "surrogatepass"))[:JOURNAL_KEY_CHARS]


def _find_new_events(keys_by_event: Sequence[tuple[str, ...]], lookups: CaptureLookups) -> list[int]:
    """The events that no key says were captured before, nor an earlier one of these."""
    known = (
        set(lookups.find_captured_keys([key for own in keys_by_event for key in own])) if any(keys_by_event) else set()
    )
    fresh = []
    for at, own in enumerate(keys_by_event):
        if known.isdisjoint(own):
            fresh.append(at)
        known.update(own)
    return fresh


def _lower_trust_and_mark_quotes(sanitized_events: Sequence[SanitizedEvent], lookups: CaptureLookups) -> None:
    """Note what of the words of agents, tools and the system stands in memory already, for an echo is no news; and
    lower the trust of what they say to that of what it rests on."""
    heard = [one for one in sanitized_events if one.fields["actor"] != "owner"]
    for fields in (one.fields for one in heard if one.fields["from"]):
        fields["origin"] = least_trusted(fields["origin"], *lookups.find_trusts(fields["from"]))
    said = [(text, one.fields["origin"]) for one in heard for text in (one.fields["text"], one.full_text) if text]
    quotes = iter(lookups.find_quoted_spans(said) if said else ())
    for one in heard:
        _mark_quoted_spans(one, next(quotes), next(quotes) if one.full_text else ())


def _mark_quoted_spans(
    sanitized: SanitizedEvent, quoted_spans: Sequence[Span], full_text_spans: Sequence[Span]
) -> None:
    """Note them in the detail: those of the text as the line has it, and of all of it where that lies in a file."""
    detail = sanitized.fields["detail"]
    if sanitized.full_text:
        detail["artifact"]["quoted"] = full_text_spans[:MAX_QUOTED_SPANS]
    if not quoted_spans and not full_text_spans:
        return
    from commonplace.language.text.shingles import is_mostly_quoted

    detail["quoted"] = quoted_spans[:MAX_QUOTED_SPANS]
    if (
        is_mostly_quoted(sanitized.full_text, full_text_spans)
        if sanitized.full_text
        else is_mostly_quoted(sanitized.fields["text"], quoted_spans)
    ):
        detail["echo"] = True


def _append_captures(
    context: WriteContext, fields_by_index: dict[int, dict[str, Any]], lookups: CaptureLookups
) -> dict[int, str]:
    """Write what nobody captured meanwhile: of two that bring the same event at once the second is told so."""
    keys = [key for fields in fields_by_index.values() for key in fields.get("keys", ())]
    with files.hold_workspace_lock(context.root, KEYS_LOCK) if keys else nullcontext():
        known = lookups.find_captured_keys(keys) if keys else frozenset()
        left = {at: fields for at, fields in fields_by_index.items() if known.isdisjoint(fields.get("keys", ()))}
        places = Journal(context.root, context.device).append_all(list(left.values()), "captures")
    return {at: one.id for at, one in zip(left, places, strict=True)}


def _capture_result(sanitized: SanitizedEvent | None, capture_id: str) -> CaptureResult:
    if sanitized is None or (sanitized.outcome == "captured" and not capture_id):
        return CaptureResult("known")
    return CaptureResult(sanitized.outcome, capture_id, sanitized.masked)
