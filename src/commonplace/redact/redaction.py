"""Replace secrets and private stretches by typed, keyed placeholders before a text is stored anywhere."""

from __future__ import annotations

from commonplace.redact.found import Found, Hit, Redacted
from commonplace.redact.gate import may_hold_secret
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
    found = [Found(hit.kind, hit.start, hit.end, _placeholder(hit, key)) for hit in hits]
    found += [Found("private", *span, PRIVATE_PLACEHOLDER) for span in private if not _overlaps(span, hits)]
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
    hits: list[Hit] = []
    known = tuple(sorted({v.encode("latin-1", "replace") for v in values if len(v) >= LEAST_VALUE}, key=len)[::-1])
    for _ in range(_MOST_ROUNDS):
        new = _find_once(data, known)
        if not new:
            return sorted(hits, key=lambda hit: hit.start)
        hits += new
        data = _mask(data, [(hit.start, hit.end) for hit in new])
    return [Hit("token", 0, len(text), text.encode("utf-8", "surrogatepass"), 2)]


def _find_once(data: bytes, values: tuple[bytes, ...]) -> list[Hit]:
    broken_value = bool(values) and b"\n" in data
    if not (may_hold_secret(data) or broken_value or any(value in data for value in values)):
        return []
    from commonplace.redact.scanner import find

    return find(data, values)


def _mask(data: bytes, spans: list[Span]) -> bytes:
    if not spans:
        return data
    masked = bytearray(data)
    for start, end in spans:
        masked[start:end] = b"\x00" * (end - start)
    return bytes(masked)


def _overlaps(span: Span, hits: list[Hit]) -> bool:
    return any(hit.start < span[1] and span[0] < hit.end for hit in hits)


def _placeholder(hit: Hit, key: bytes) -> str:
    from hashlib import blake2b

    suffix = blake2b(hit.secret, key=key[:64], digest_size=8).hexdigest()[:4]
    return f"⟦secret:{hit.kind}:{suffix}⟧"


def _replace(text: str, found: list[Found]) -> str:
    pieces, last = [], 0
    for item in found:
        pieces += [text[last : item.start], item.placeholder]
        last = item.end
    return "".join([*pieces, text[last:]])
