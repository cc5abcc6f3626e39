"""An event without its secrets, bounded, as its line in the journal will be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

from msgspec import Struct, structs

from commonplace.capture.artifacts import laid_aside
from commonplace.capture.bounds import KEPT, LOOSE, bounded
from commonplace.capture.events import TRUST_OF, Brought, Event
from commonplace.capture.keys import Place, workspace_key
from commonplace.model import least_trusted
from commonplace.redact import redact, redact_fields
from commonplace.redact.markers import PRIVATE_PLACEHOLDER, has_marker
from commonplace.text import one_line
from commonplace.text.frames import HEAD, RECALLED, unframed
from commonplace.text.shingles import shingles

MOST_TEXT = 1 << 20  # characters of a text that are looked at; what is behind them is dropped, and the capture says so
EDGE = 4_096  # characters before a cut that go as well: there may be the beginning of a secret among them
OURS = (
    "artifact",
    "cut",
    "echo",
    "import",
    "quoted",
    "shingles",
    "source",
)  # of a detail: said by us, whatever the event says
NAMES = ("session", "agent", "scope")

Json = dict[str, Any]
Outcome = Literal["captured", "known", "not to be kept", "empty"]


class Cleaned(Struct, frozen=True):
    """What an event became: the fields of its line if it is to be captured, all of its text if that was laid aside,
    the kinds of secrets that were masked."""

    outcome: Outcome
    fields: Json = {}
    whole: str = ""
    masked: tuple[str, ...] = ()


class Cleaner:
    """Cleans the events of one write; a name that many of them share is cleaned once."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._names: dict[str, tuple[str, set[str]]] = {}
        self._kinds: set[str] = set()  # of secrets in the event at hand
        self._markers: set[str] = set()  # that its detail bears

    @cached_property
    def _key(self) -> bytes:
        """Made at first use: an event that asks not to be kept leaves nothing behind, no key either."""
        return workspace_key(self._place.root)

    def cleaned(self, event: Event, keys: Sequence[str]) -> Cleaned:
        """The event as it may be kept; `keys` are those under which its source knows it, as the journal has them."""
        self._kinds, self._markers = set(), set()
        loose = bounded(event.detail, LOOSE, self._heard) if event.detail else {}
        origin = least_trusted(TRUST_OF[event.actor], event.origin)
        is_low = origin in ("untrusted", "quarantined")
        unwanted = has_marker(event.text, "NOMEM")
        if (unwanted and not is_low) or "NOMEM" in self._markers:
            return Cleaned("not to be kept")
        # A stranger's marks and frames hide nothing: what cannot be trusted is known again wherever it is written.
        said = event.text if is_low else unframed(event.text)
        redacted = redact(_encodable(said[:MOST_TEXT]), key=self._key, exact=self._place.exact)
        self._kinds.update(found.kind for found in redacted.found)
        is_cut = len(said) > MOST_TEXT
        whole = redacted.text[:-EDGE] if is_cut else redacted.text
        hidden = self._hidden(said) if is_low and (unwanted or PRIVATE_PLACEHOLDER in whole) else {}
        whole = PRIVATE_PLACEHOLDER if unwanted else whole
        if not _shows(whole):
            return Cleaned("empty", masked=tuple(sorted(self._kinds)))
        detail = self._detail(loose) if loose else {}
        text, aside = laid_aside(self._place.root, whole)
        detail |= self._flags(said) | hidden
        detail |= {"private": True} if unwanted else {}
        detail |= ({"cut": True} if is_cut else {}) | ({"artifact": aside} if aside else {})
        if event.stood:
            detail["source"] = {**structs.asdict(event.stood), "name": self._name(event.stood.name)}
        if event.brought:
            detail["import"] = self._brought(event.brought)
        fields = {
            "ts": event.ts or self._place.now,
            "type": event.type,
            "actor": event.actor,
            "text": text,
            **{name: self._name(getattr(event, name)) for name in NAMES},
            "origin": origin,
            "detail": detail,
            "from": [self._name(name) for name in event.from_],
        }
        if keys:
            fields["keys"] = list(keys)
        return Cleaned("captured", fields, whole if aside else "", tuple(sorted(self._kinds)))

    def _hidden(self, said: str) -> Json:
        """What a stranger does not want kept, as digests of its runs of four words: enough to know it again."""
        bare = re.sub(r"(?i)</?private\s*>|\[nomem\]", " ", said[:MOST_TEXT])
        return {"shingles": list(shingles(redact(_encodable(bare), key=self._key, exact=self._place.exact).text))}

    def _heard(self, text: str) -> str:
        """A text of the detail less what came out of a pack; what its author asks for is noted."""
        self._markers.update(name for name in ("NOMEM", "PRIVATE", "NOEXPORT") if has_marker(text, name))
        return _encodable(unframed(text) if HEAD in text else text)

    def _detail(self, loose: Json) -> Json:
        """What is said besides, without its secrets, and small."""
        clean, found = redact_fields(loose, key=self._key, exact=self._place.exact)
        self._kinds.update(one.kind for one in found)
        return {name: value for name, value in bounded(clean, KEPT).items() if name not in OURS}

    def _flags(self, said: str) -> Json:
        """What the author of the text, or of anything said besides, does not want."""
        is_private = has_marker(said, "PRIVATE") or "PRIVATE" in self._markers
        stays_here = has_marker(said, "NOEXPORT") or "NOEXPORT" in self._markers
        return ({"private": True} if is_private else {}) | ({"export": False} if stays_here else {})

    def _brought(self, brought: Brought) -> Json:
        """What an event was elsewhere, less what is not known, its names without secrets."""
        told = {
            name: value
            for name, value in structs.asdict(brought).items()
            if value not in ("", 0, False) and value is not None
        }
        return {name: self._name(value) if isinstance(value, str) else value for name, value in told.items()}

    def _name(self, name: str) -> str:
        """A name on one line, without the secrets in it."""
        if not name:
            return name
        if name not in self._names:
            redacted = redact(one_line(name), key=self._key, exact=self._place.exact)
            self._names[name] = redacted.text, {found.kind for found in redacted.found}
        text, kinds = self._names[name]
        self._kinds |= kinds
        return text


def _shows(text: str) -> bool:
    """Whether a person would see anything of it."""
    begin = text[:64].replace("\n", " ")
    if begin.isprintable() and any(map(str.isalnum, begin)) and RECALLED not in text:
        return True
    return bool(one_line(text.replace(RECALLED, "")))


def _encodable(text: str) -> str:
    """The text with U+FFFD for halves of characters, which no file can hold."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
