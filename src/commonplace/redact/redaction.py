"""Read the markers of a text, and replace secrets and private spans by keyed placeholders, also in a JSON value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from commonplace.redact.exact_secrets import (
    NO_MASKED_VALUES,
    NO_SPELLINGS,
    MaskedValues,
    SecretSpellings,
    contains_exact_secret,
    digest_masked_values,
    find_exact_secrets,
    find_masked_values,
    group_masked_values,
    is_strong_value,
    make_spellings,
    spell_secrets,
)
from commonplace.redact.findings import KnownSecret, RedactedText, SecretFinding, SecretMatch
from commonplace.redact.normalization import (
    join_wrapped_lines,
    mark_hidden_characters,
    may_hold_secret,
    translate_password_words,
)
from commonplace.redact.patterns import compile_re

if TYPE_CHECKING:
    from commonplace.errors import CommonplaceError

PRIVATE_PLACEHOLDER = "⟦private⟧"
_PRIVATE_TAG = r"(?i)<(/?)private\s*>"
_MAX_ROUNDS = 8

Span = tuple[int, int]


def has_marker(text: str, name: str) -> bool:
    """Whether the text contains `[NAME]`, in any case."""
    return "[" in text and compile_re(rf"(?i)\[{name}\]").search(text) is not None


def private_spans(text: str) -> list[tuple[int, int]]:
    """The outermost `<private>…</private>` spans, tags included; one that is never closed runs to the end."""
    if "<" not in text:
        return []
    spans, depth, begin = [], 0, 0
    for tag in compile_re(_PRIVATE_TAG).finditer(text):
        if _is_mention(text, *tag.span()):
            continue
        if not tag.group(1):
            begin = begin if depth else tag.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                spans.append((begin, tag.end()))
    return [*spans, (begin, len(text))] if depth else spans


def mention_spans(text: str) -> list[tuple[int, int]]:
    """Tags that are only mentioned: alone between backticks."""
    if "`<" not in text:
        return []
    tags = [tag.span() for tag in compile_re(_PRIVATE_TAG).finditer(text)]
    return [(start - 1, end + 1) for start, end in tags if _is_mention(text, start, end)]


def placeholder_spans(text: str) -> list[tuple[int, int]]:
    """The spans of existing placeholders; only with a kind of ours, so that no secret can hide in their form."""
    if "⟦" not in text:
        return []
    found = compile_re(r"⟦(?:private|secret:([a-z0-9-]{1,60}):[0-9a-f]{4})⟧").finditer(text)
    return [match.span() for match in found if match[1] is None or match[1] in secret_kinds()]


def _is_mention(text: str, start: int, end: int) -> bool:
    return text[max(0, start - 1) : start] == "`" == text[end : end + 1]


@cache
def secret_kinds() -> frozenset[str]:
    """The closed set of kinds: published formats, services known by name, and the generic ones."""
    from commonplace.redact.patterns import GENERIC_KINDS, key_formats, service_names

    services = (f"{name}-key" for name in service_names())
    return frozenset({*(row.kind for row in key_formats()), *services, *GENERIC_KINDS})


def redact(
    text: str, *, key: bytes, exact: tuple[KnownSecret, ...] = (), masked: MaskedValues = NO_MASKED_VALUES
) -> RedactedText:
    """The text with every finding replaced; pure, and the same again when applied to its own result.

    `exact` are secrets that the caller knows word for word (see `known_secrets`), `masked` values that were masked
    before with the same `key`, by which equal secrets get equal suffixes that nobody without it can test.
    """
    private = private_spans(text)
    blanks = [*private, *placeholder_spans(text), *mention_spans(text)]
    findings = list(_SecretSearch(text, key, exact, masked).find(blanks))
    if not (len(findings) == 1 and findings[0].end - findings[0].start == len(text)):
        findings += [SecretFinding("private", *span, PRIVATE_PLACEHOLDER) for span in private]
    findings.sort(key=lambda item: item.start)
    return RedactedText(
        text=replace_findings(text, findings),
        findings=tuple(findings),
        keep=not has_marker(text, "NOMEM"),
        private=has_marker(text, "PRIVATE"),
        export=not has_marker(text, "NOEXPORT"),
    )


def find_secrets(
    text: str, *, key: bytes = b"", exact: tuple[KnownSecret, ...] = (), masked: MaskedValues = NO_MASKED_VALUES
) -> tuple[SecretFinding, ...]:
    """The secrets in a text, first to last, also those in private stretches, with the placeholders of `redact` if there
    is a `key`; nothing is replaced."""
    return tuple(_SecretSearch(text, key, exact, masked).find(placeholder_spans(text)))


_MAX_SPELLED_VALUES = 32  # values of one text that are looked for in base64 and hex too


class _SecretSearch(Struct, frozen=True):
    """What is known before a text is searched; a repeated value is found because it was found once."""

    text: str
    key: bytes
    exact: tuple[KnownSecret, ...]
    masked: MaskedValues

    def find(self, blanks: list[Span]) -> Iterator[SecretFinding]:
        """The secrets in order; without a key they have no placeholders and no digests."""
        data = translate_password_words(mark_hidden_characters(self.text)).encode("latin-1", "replace")
        for hit in self._find_matches(_zero_spans(data, blanks)):
            placeholder = _secret_placeholder(self.text, hit, self.key) if self.key else ""
            values = digest_masked_values(self._spellings_of(hit), hit.kind, self.key) if self.key else ()
            yield SecretFinding(hit.kind, hit.start, hit.end, placeholder, values)

    def _find_matches(self, data: bytes) -> list[SecretMatch]:
        """Findings until there are no more, for masking one may bare another; all of a text that never settles."""
        spellings = spell_secrets(self.exact) if self.exact else NO_SPELLINGS
        matches = new = _find_non_latin_secrets(self.text, data, spellings.non_latin)
        if self.masked.by_run:
            from commonplace.redact.scanner import merge_matches

            matches = new = merge_matches([*new, *find_masked_values(self.text, data, self.masked, self.key)])
        for _ in range(_MAX_ROUNDS):
            data = _zero_spans(data, [(hit.start, hit.end) for hit in new])
            if not (may_hold_secret(data) or _may_hold_exact_secret(data, spellings)):
                break
            from commonplace.redact.scanner import merge_matches, scan_bytes

            new = scan_bytes(data, spellings)
            if not new:
                break
            new = merge_matches([*new, *self._find_repeats(data, new)])
            matches = matches + new
        else:
            return [SecretMatch("token", 0, len(self.text), self.text.encode("utf-8", "surrogatepass"), 2)]
        return sorted(matches, key=lambda hit: hit.start)

    def _find_repeats(self, data: bytes, matches: list[SecretMatch]) -> list[SecretMatch]:
        """The other occurrences of what was found, where they are few also encoded."""
        data = _zero_spans(data, [(hit.start, hit.end) for hit in matches])
        kinds = {value: hit.kind for hit in matches for value in self._spellings_of(hit)}
        digests = (one for value, kind in kinds.items() for one in digest_masked_values((value,), kind, self.key))
        repeats = find_masked_values(self.text, data, group_masked_values(digests), self.key)
        strong = [KnownSecret(value, kind) for value, kind in kinds.items() if is_strong_value(value)]
        if strong and len(strong) <= _MAX_SPELLED_VALUES:
            spellings = make_spellings(strong)
            repeats += find_exact_secrets(data, spellings)
            repeats += _find_non_latin_secrets(self.text, data, spellings.non_latin)
        return repeats

    def _spellings_of(self, hit: SecretMatch) -> tuple[str, ...]:
        """A finding as it is shown, and decoded where it is encoded."""
        shown = self.text[hit.start : hit.end]
        if hit.secret == shown.encode("latin-1", "replace"):
            return (shown,)
        return shown, hit.secret.decode("utf-8", "replace")


def _find_non_latin_secrets(text: str, data: bytes, exact: tuple[KnownSecret, ...]) -> list[SecretMatch]:
    """Known secrets in scripts that Latin-1 has no letters for: there one byte is not one character."""
    hits, last = [], 0
    spans = [(match.start(), one) for one in exact for match in re.finditer(re.escape(one.value), text)]
    places = sorted((start, one.value, one.kind) for start, one in spans)
    for start, value, kind in places:
        end = start + len(value)
        if start >= last and b"\x00" not in data[start:end]:
            hits.append(SecretMatch(kind, start, end, value.encode("utf-8", "surrogatepass"), 0))
            last = end
    return hits


def _may_hold_exact_secret(data: bytes, spellings: SecretSpellings) -> bool:
    """Whether the text contains an exact secret, on one line or broken, or an escape that could encode one."""
    if b"%" in data or contains_exact_secret(data, spellings):
        return bool(spellings.all)
    return b"\n" in data and contains_exact_secret(join_wrapped_lines(data), spellings)


def _zero_spans(data: bytes, spans: list[Span]) -> bytes:
    if not spans:
        return data
    masked = bytearray(data)
    for start, end in spans:
        masked[start:end] = b"\x00" * (end - start)
    return bytes(masked)


def _secret_placeholder(text: str, secret_match: SecretMatch, key: bytes) -> str:
    from hashlib import blake2b

    shown, secret = text[secret_match.start : secret_match.end], secret_match.secret
    if secret == shown.encode("latin-1", "replace"):
        secret = shown.encode("utf-8", "surrogatepass")
    suffix = blake2b(secret, key=key[:64], digest_size=8).hexdigest()[:4]
    return f"⟦secret:{secret_match.kind}:{suffix}⟧"


def replace_findings(text: str, findings: Iterable[SecretFinding]) -> str:
    """The text with the placeholder of each finding, first to last, in its stead."""
    pieces, last = [], 0
    for item in findings:
        pieces += [text[last : item.start], item.placeholder]
        last = item.end
    return "".join([*pieces, text[last:]])


_MESSAGE_BREAK = "\n\0\n"  # which no secret crosses


def mask_error(error: CommonplaceError, typed: str) -> None:
    """Replace in an error each secret in it, also one that only what was typed shows to be a secret, by its kind."""
    error.message, error.path, error.hint = mask_messages((error.message, error.path, error.hint), typed)


def mask_messages(error_texts: tuple[str, ...], typed: str) -> list[str]:
    """Return texts of errors without the secrets in them and in what was typed."""
    whole = _MESSAGE_BREAK.join((typed.replace("\0", " "), *(one.replace("\0", " ") for one in error_texts)))
    findings = [structs.replace(one, placeholder=f"‹{one.kind}›") for one in find_secrets(whole)]
    return replace_findings(whole, findings).split(_MESSAGE_BREAK)[1:]


MAX_JSON_DEPTH = 64  # what is nested deeper is not looked into; readers of JSON refuse it anyway
_MAX_NAMED_VALUE_CHARS = 512  # characters of a value that a name beside it can give away


def redact_fields(
    json_value: Any, *, key: bytes, exact: tuple[KnownSecret, ...] = (), masked: MaskedValues = NO_MASKED_VALUES
) -> tuple[Any, tuple[SecretFinding, ...]]:
    """A JSON value (objects, lists, texts) with every secret replaced, and what was found, with spans in the single
    texts. `{"password": "…"}` and `["--token", "…"]` are seen as the assignments that they are."""
    done = _FieldRedactor(key, exact, masked, [])
    return done.redact_value(json_value, "", 0), tuple(done.findings)


class _FieldRedactor(Struct, frozen=True):
    key: bytes
    exact: tuple[KnownSecret, ...]
    masked: MaskedValues
    findings: list[SecretFinding]

    def redact_value(self, json_value: Any, name: str, depth: int) -> Any:
        if isinstance(json_value, str):
            return self.redact_text(json_value, name)
        if depth >= MAX_JSON_DEPTH:
            return json_value
        if isinstance(json_value, dict):
            named = ((str(key), inner) for key, inner in json_value.items())
            return {self.redact_text(key, ""): self.redact_value(inner, key, depth + 1) for key, inner in named}
        if isinstance(json_value, list | tuple):
            flags = ["", *(item if isinstance(item, str) and item[:1] == "-" else "" for item in json_value)]
            return [self.redact_value(it, flag or name, depth + 1) for it, flag in zip(json_value, flags, strict=False)]
        return json_value

    def redact_text(self, text: str, name: str) -> str:
        """A text by itself; where nothing is found, as `"name": "text"` or `--name text` would have it."""
        done = redact(text, key=self.key, exact=self.exact, masked=self.masked)
        self.findings.extend(done.findings)
        if not name or done.findings or not (4 if "pin" in name.lower() else 8) <= len(text) <= _MAX_NAMED_VALUE_CHARS:
            return done.text
        before = f"{name} " if name[0] == "-" else f'"{name}": "'
        beside = redact(f'{before}{text}"', key=self.key, exact=self.exact, masked=self.masked)
        last = len(before) + len(text)
        if not beside.findings or any(one.start < len(before) or one.end > last for one in beside.findings):
            return done.text
        self.findings.extend(beside.findings)
        return beside.text[len(before) : -1]
