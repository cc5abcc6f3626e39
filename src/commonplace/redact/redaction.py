"""Replace secrets and private stretches by typed, keyed placeholders before a text is stored anywhere."""

from __future__ import annotations

from commonplace.redact.forms import NONE, Forms, forms_of, holds
from commonplace.redact.found import Found, Hit, Known, Redacted
from commonplace.redact.gate import may_hold_secret, unbroken
from commonplace.redact.hidden import signed
from commonplace.redact.markers import (
    PRIVATE_PLACEHOLDER,
    has_marker,
    mention_spans,
    placeholder_spans,
    private_spans,
)
from commonplace.redact.spoken import understood

_MOST_ROUNDS = 8

Span = tuple[int, int]


def redact(text: str, *, key: bytes, values: tuple[str, ...] = (), exact: tuple[Known, ...] = ()) -> Redacted:
    """The text with every finding replaced; pure, and the same again when applied to its own result.

    `exact` are secrets that the caller knows word for word (see `known_secrets`), `values` such of no known kind;
    those under eight characters are ignored. `key` makes the suffix of a placeholder: equal secrets get equal
    suffixes, and nobody without the key can test a guess. It must not leave the workspace's own state.
    """
    private = private_spans(text)
    hits = _find_all(text, [*private, *placeholder_spans(text), *mention_spans(text)], _known(values, exact))
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


def scan(text: str, *, key: bytes = b"", exact: tuple[Known, ...] = ()) -> tuple[Found, ...]:
    """The secrets in a text, first to last, also those in private stretches; nothing is replaced.

    With a `key` each has the placeholder that `redact` would put in its place.
    """
    hits = _find_all(text, placeholder_spans(text), exact)
    return tuple(Found(hit.kind, hit.start, hit.end, _placeholder(text, hit, key) if key else "") for hit in hits)


def _known(values: tuple[str, ...], exact: tuple[Known, ...]) -> tuple[Known, ...]:
    return (*exact, *map(Known, values)) if values else exact


def _find_all(text: str, masked: list[Span], known: tuple[Known, ...]) -> list[Hit]:
    """Findings until there are no more: what was found is masked as its placeholder will be, and may bare an edge.

    A text that never settles is taken as one secret.
    """
    data = _mask(understood(signed(text)).encode("latin-1", "replace"), masked)
    forms = forms_of(known) if known else NONE
    hits: list[Hit] = []
    if forms.foreign:
        hits = _find_foreign(text, data, forms.foreign)
        data = _mask(data, [(hit.start, hit.end) for hit in hits])
    for _ in range(_MOST_ROUNDS):
        new = _find_once(data, forms)
        if not new:
            return sorted(hits, key=lambda hit: hit.start)
        hits += new
        data = _mask(data, [(hit.start, hit.end) for hit in new])
    return [Hit("token", 0, len(text), text.encode("utf-8", "surrogatepass"), 2)]


def _find_foreign(text: str, data: bytes, known: tuple[Known, ...]) -> list[Hit]:
    """Known secrets in scripts that Latin-1 has no letters for: there one byte is not one character."""
    hits, last = [], 0
    places = sorted((start, one.value, one.kind) for one in known for start in _places(text, one.value))
    for start, value, kind in places:
        end = start + len(value)
        if start >= last and b"\x00" not in data[start:end]:
            hits.append(Hit(kind, start, end, value.encode("utf-8", "surrogatepass"), 0))
            last = end
    return hits


def _places(text: str, value: str) -> list[int]:
    places, start = [], text.find(value)
    while start >= 0:
        places.append(start)
        start = text.find(value, start + len(value))
    return places


def _find_once(data: bytes, forms: Forms) -> list[Hit]:
    if not (may_hold_secret(data) or _holds_form(data, forms)):
        return []
    from commonplace.redact.scanner import find

    return find(data, forms)


def _holds_form(data: bytes, forms: Forms) -> bool:
    """Whether a known secret stands in the text, on one line or broken, or an escape that could spell one."""
    if not forms.all:
        return False
    return b"%" in data or holds(data, forms) or (b"\n" in data and holds(unbroken(data), forms))


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
