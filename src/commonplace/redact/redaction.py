"""Replace secrets and private stretches by typed, keyed placeholders before a text is stored anywhere."""

from __future__ import annotations

from functools import lru_cache

from commonplace.redact.found import Found, Hit, Redacted
from commonplace.redact.gate import may_hold_secret, unbroken
from commonplace.redact.markers import (
    PRIVATE_PLACEHOLDER,
    has_marker,
    mention_spans,
    placeholder_spans,
    private_spans,
)

LEAST_VALUE = 8  # shorter registered values would blank out ordinary words
_MOST_ROUNDS = 8

Span = tuple[int, int]


def redact(text: str, *, key: bytes, values: tuple[str, ...] = ()) -> Redacted:
    """The text with every finding replaced; pure, and the same again when applied to its own result.

    `values` are exact secrets that the caller knows (environment, `.env`); those under eight characters are ignored.
    `key` makes the suffix of a placeholder: equal secrets get equal suffixes, and nobody without the key can test a
    guess. It must not leave the workspace's own state.
    """
    private = private_spans(text)
    hits = _find_all(text, [*private, *placeholder_spans(text), *mention_spans(text)], values)
    found = [Found(hit.kind, hit.start, hit.end, _placeholder(text, hit, key)) for hit in hits]
    if not _is_whole(text, hits):
        found += [Found("private", *span, PRIVATE_PLACEHOLDER) for span in private]
    found.sort(key=lambda item: item.start)
    return Redacted(
        text=_replace(text, found),
        found=tuple(found),
        keep=not has_marker(text, "NOMEM"),
        private=has_marker(text, "PRIVATE"),
        export=not has_marker(text, "NOEXPORT"),
    )


def scan(text: str) -> tuple[Found, ...]:
    """The secrets in a text, first to last; nothing is replaced and no placeholder made."""
    hits = _find_all(text, placeholder_spans(text), ())
    return tuple(Found(hit.kind, hit.start, hit.end) for hit in hits)


def _find_all(text: str, masked: list[Span], values: tuple[str, ...]) -> list[Hit]:
    """Findings until there are no more: what was found is masked as its placeholder will be, and may bare an edge.

    A text that never settles is taken as one secret.
    """
    data = _mask(text.encode("latin-1", "replace"), masked)
    hits = _find_foreign(text, data, values)
    data = _mask(data, [(hit.start, hit.end) for hit in hits])
    known = _as_bytes(values)
    for _ in range(_MOST_ROUNDS):
        new = _find_once(data, known)
        if not new:
            return sorted(hits, key=lambda hit: hit.start)
        hits += new
        data = _mask(data, [(hit.start, hit.end) for hit in new])
    return [Hit("token", 0, len(text), text.encode("utf-8", "surrogatepass"), 2)]


def _find_foreign(text: str, data: bytes, values: tuple[str, ...]) -> list[Hit]:
    """Registered values in scripts that Latin-1 has no letters for: there one byte is not one character."""
    hits, last = [], 0
    foreign = [value for value in values if len(value) >= LEAST_VALUE and max(value) > "\xff" and value in text]
    places = sorted((start, value) for value in foreign for start in _places(text, value))
    for start, value in places:
        end = start + len(value)
        if start >= last and b"\x00" not in data[start:end]:
            hits.append(Hit("registered", start, end, value.encode("utf-8", "surrogatepass"), 0))
            last = end
    return hits


def _places(text: str, value: str) -> list[int]:
    places, start = [], text.find(value)
    while start >= 0:
        places.append(start)
        start = text.find(value, start + len(value))
    return places


@lru_cache(maxsize=4)
def _as_bytes(values: tuple[str, ...]) -> tuple[bytes, ...]:
    """Registered values as they stand in Latin-1 and, for decoded text, in UTF-8; the longest first."""
    long_enough = [value for value in values if len(value) >= LEAST_VALUE]
    forms = {value.encode("utf-8", "surrogatepass") for value in long_enough}
    forms |= {value.encode("latin-1") for value in long_enough if max(value) <= "\xff"}
    return tuple(sorted(forms, key=lambda form: (-len(form), form)))


def _find_once(data: bytes, values: tuple[bytes, ...]) -> list[Hit]:
    if not (may_hold_secret(data) or _holds_value(data, values)):
        return []
    from commonplace.redact.scanner import find

    return find(data, values)


def _holds_value(data: bytes, values: tuple[bytes, ...]) -> bool:
    if not values:
        return False
    whole = unbroken(data) if b"\n" in data else data
    return any(value in data or value in whole for value in values)


def _mask(data: bytes, spans: list[Span]) -> bytes:
    if not spans:
        return data
    masked = bytearray(data)
    for start, end in spans:
        masked[start:end] = b"\x00" * (end - start)
    return bytes(masked)


def _is_whole(text: str, hits: list[Hit]) -> bool:
    return len(hits) == 1 and hits[0].end - hits[0].start == len(text)


def _placeholder(text: str, hit: Hit, key: bytes) -> str:
    from hashlib import blake2b

    shown = text[hit.start : hit.end]
    secret = shown.encode("utf-8", "surrogatepass") if hit.secret == shown.encode("latin-1", "replace") else hit.secret
    suffix = blake2b(secret, key=key[:64], digest_size=8).hexdigest()[:4]
    return f"⟦secret:{hit.kind}:{suffix}⟧"


def _replace(text: str, found: list[Found]) -> str:
    pieces, last = [], 0
    for item in found:
        pieces += [text[last : item.start], item.placeholder]
        last = item.end
    return "".join([*pieces, text[last:]])
