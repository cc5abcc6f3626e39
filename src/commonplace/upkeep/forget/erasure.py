"""Recognise what is to be erased, by digests alone: what broke off can be finished; and take it out of a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from commonplace.language.text import fold_name, split_units
from commonplace.lazy import lazy_pattern
from commonplace.shapes import Json, iter_texts
from commonplace.storage.files import content_digest
from commonplace.storage.journal import encode_journal_line, is_stub, parse_json_line
from commonplace.storage.stores import ErasableFile
from commonplace.storage.tombstones import decode_tombstones, encode_tombstones
from commonplace.storage.workspace import QUEUE_PATH, REASON_MARK, heading_level, parse_document, strip_annotation
from commonplace.sync import FORGOTTEN_OP, artifact_name, detail_of

DIGEST_BYTES = 8
_REASON, _QUOTATION = lazy_pattern(r" \(why: [^()\n]*\)"), lazy_pattern(r"“[^”\n]*”")
ERASED_PLACEHOLDER = "(forgotten)"  # as a value of front matter it is a plain text


class ErasedTexts(Struct, frozen=True):
    """What is to be erased, as digests under a salt (hex).

    `tombstones` are lines as in the files of tombstones, one for each text; `word_sets` the digests of words of which a
    text that has them all is to be erased too; `ids` those of the records and captures.
    """

    salt: str
    tombstones: tuple[Json, ...]
    word_sets: tuple[tuple[str, ...], ...]
    ids: tuple[str, ...]


class TextMatcher:
    """Recognises what is to be erased by its digests.

    `texts`, if they are at hand, save the digests of what shares no rare word with them.
    """

    def __init__(self, erased: ErasedTexts, texts: Iterable[str] = ()) -> None:
        self.erased = erased
        self.ids = frozenset(erased.ids)
        self._salt = erased.salt
        self._tombstones = decode_tombstones(erased.salt, erased.tombstones)
        self._word_sets = [frozenset(one) for one in erased.word_sets if one]
        words_by_text = [words for text in texts if (words := split_units(fold_name(text)))]
        self._words = {word for words in words_by_text for word in words}
        self._anchors = {max(words, key=len) for words in words_by_text}
        self._digests: dict[str, str] = {}

    def match(self, text: str) -> bool:
        """Whether a text is one of them, contains one, is a part of one, or has all words of a set."""
        words = split_units(fold_name(text))
        return self._has_word_set(words) or (self._may_match(words) and self._tombstones.find(text) is not None)

    def contains(self, text: str) -> bool:
        """Whether a text of any length has one of them in it, also over several lines."""
        return self._may_match(split_units(fold_name(text))) and self._tombstones.find(text) is not None

    def match_any(self, value: Any) -> bool:
        """Whether a JSON value has such a text in it, as a value or as a key."""
        return any(map(self.match, iter_texts(value)))

    def _may_match(self, text_words: Sequence[str]) -> bool:
        """Whether words have the longest word of a text, or are all of some text; always if no text is at hand."""
        return not self._anchors or not self._anchors.isdisjoint(text_words) or self._words.issuperset(text_words)

    def _has_word_set(self, text_words: Sequence[str]) -> bool:
        if not self._word_sets:
            return False
        new = [word for word in set(text_words) if word not in self._digests]
        self._digests.update(zip(new, digest_words(new, self._salt), strict=True))
        own = {self._digests[word] for word in text_words}
        return any(one <= own for one in self._word_sets)


def describe_texts(texts: Sequence[str], wordings: Iterable[str], ids: Iterable[str], salt: str) -> TextMatcher:
    """What is to be erased: texts, what has all words of a wording, and the records and captures with these ids."""
    encoded = encode_tombstones(texts, salt, "")
    worded = (split_units(fold_name(wording)) for wording in wordings)
    word_sets = (tuple(sorted(set(digest_words(words, salt)))) for words in worded if words)
    return TextMatcher(ErasedTexts(salt, tuple(encoded), tuple(word_sets), tuple(ids)), texts)


def digest_words(text_words: Iterable[str], salt: str) -> Iterator[str]:
    """The digest of each word, in hex."""
    from hashlib import blake2b

    keyed = blake2b(key=bytes.fromhex(salt), digest_size=DIGEST_BYTES)
    for word in text_words:
        own = keyed.copy()
        own.update(word.encode("utf-8", "surrogatepass"))
        yield own.hexdigest()


LEDGER_OPS_OF_TEXTS = ("origin", "stated")  # they hold digests of a text of the record
SKILL_FOLDER, EPISODE_FOLDER = "memory/skills/", "memory/episodes/"
MONTH_CHARS = len("YYYY-MM")


def erase_from_file(file: ErasableFile, data: bytes, matcher: TextMatcher, day: str) -> bytes | None:
    """The bytes of a file without what is erased; None for a file that goes as a whole. All other bytes stay."""
    if file.kind == "chain":
        return _map_lines(data, lambda raw_line: erase_journal_line(raw_line, matcher, day))
    if file.kind == "lines":
        return _map_lines(data, lambda raw_line: None if _match_line(raw_line, matcher) else raw_line)
    if file.kind == "text":
        return data if b"\0" in data else erase_from_text(file.path, data, matcher)
    if file.kind == "values":
        return _erase_values(data, matcher)
    if file.kind == "whole":
        is_named = file.path.rpartition("/")[2] in matcher.ids
        return None if is_named or any(_match_line(one, matcher) for one in data.split(b"\n")) else data
    return data


def erase_journal_line(raw_line: bytes, matcher: TextMatcher, day: str) -> bytes | None:
    """A line of a chain, or the stub in its place, which keeps the digest; None for a torn one that has a text."""
    fields = parse_json_line(raw_line)
    if isinstance(fields, str):
        return None if matcher.match(raw_line.decode("utf-8", "replace")) else raw_line
    if is_stub(fields) or fields.get("op") == FORGOTTEN_OP:
        return raw_line
    names = [fields.get("id"), fields.get("record") if fields.get("op") in LEDGER_OPS_OF_TEXTS else None]
    names.append(artifact_name(detail_of(fields)))
    considered = fields.get("considered")
    for one in considered if isinstance(considered, list) else ():  # a receipt has digests of the lines of its pack
        names += [one.get("id")] if isinstance(one, dict) and one.get("included") else []
    if matcher.ids.isdisjoint(map(str, names)) and not matcher.match_any(fields):
        return raw_line
    return encode_journal_line(
        {
            "v": fields.get("v", 1),
            "ts": str(fields.get("ts") or "")[:MONTH_CHARS],
            "digest": content_digest(raw_line),
            "prev": fields.get("prev", ""),
            "forgotten": day,
        }
    )


def erase_from_text(path: str, data: bytes, matcher: TextMatcher) -> bytes | None:
    """A text without the records and other lines that are erased; front matter and headings have a placeholder instead.
    None for a skill that has one, and for an episode of which nothing is left."""
    if path.startswith(SKILL_FOLDER) and path.endswith(".json"):
        return None if matcher.contains(data.decode("utf-8", "replace")) or _match_line(data, matcher) else data
    data = cut_reasons(data, matcher) if path == QUEUE_PATH else data
    gone: set[int] = set()
    for record in parse_document(path, data).records:
        if record.id in matcher.ids or matcher.match(record.text):
            gone.update(range(record.source.line_start, record.source.line_end + 1))
    lines = data.split(b"\n")
    kept = [_erase_line(line, matcher) if number not in gone else None for number, line in enumerate(lines, 1)]
    _drop_emptied_sections(lines, kept)
    edited = b"\n".join(line for line in kept if line is not None)
    is_empty = edited != data and path.startswith(EPISODE_FOLDER) and not parse_document(path, edited).records
    return None if is_empty else edited


def cut_reasons(data: bytes, matcher: TextMatcher) -> bytes:
    """The queue without what the reasons of its items quote of such texts, and of the records with such ids."""

    def cut(reason_match: re.Match[str]) -> str:
        is_named = not matcher.ids.isdisjoint(reason_match[0].split())
        reason = _QUOTATION.sub(lambda one: "“…”" if is_named or matcher.match(one[0]) else one[0], reason_match[0])
        return f"{REASON_MARK}…)" if matcher.match(reason) else reason

    return _REASON.sub(cut, data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _drop_emptied_sections(raw_lines: Sequence[bytes], edited_lines: list[bytes | None]) -> None:
    """Drop the headings, but for titles, of sections of which nothing is left, with their blank lines."""
    levels = [heading_level(line.decode("utf-8", "replace").rstrip()) for line in raw_lines]
    for number in reversed([number for number, level in enumerate(levels) if level > 1]):
        ends = (at for at in range(number + 1, len(raw_lines)) if 0 < levels[at] <= levels[number])
        section = range(number + 1, next(ends, len(raw_lines)))
        rest = [at for at in section if (edited_lines[at] or b"").strip()]
        if not rest and any(edited_lines[at] is None for at in section):
            end = section.stop - (section.stop == len(raw_lines))  # the file ends as it did
            edited_lines[number:end] = [None] * (end - number)


def _erase_line(line: bytes, matcher: TextMatcher) -> bytes | None:
    """A line of a text; with a placeholder where it is a heading or a value of front matter, None where it goes."""
    text = line.decode("utf-8", "replace")
    if not (text.strip() and (matcher.match(strip_annotation(text)) or matcher.match(text))):
        return line
    head, mark, _rest = text.partition(": ") if not text.startswith("#") else text.partition(" ")
    is_named = mark and (text.startswith("#") or head.isidentifier())
    return f"{head}{mark}{ERASED_PLACEHOLDER}".encode() if is_named else None


def _map_lines(data: bytes, edit: Callable[[bytes], bytes | None]) -> bytes:
    *lines, torn = data.split(b"\n")
    edited = (edit(raw_line) if raw_line else raw_line for raw_line in lines)
    return b"".join(line + b"\n" for line in edited if line is not None) + ((edit(torn) if torn else None) or b"")


def _match_line(raw_line: bytes, matcher: TextMatcher) -> bool:
    """Whether a line, JSON or not, has an erased text in it."""
    fields = parse_json_line(raw_line) if raw_line else ""
    return matcher.match(raw_line.decode("utf-8", "replace")) if isinstance(fields, str) else matcher.match_any(fields)


def _erase_values(data: bytes, matcher: TextMatcher) -> bytes | None:
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None if matcher.match(data.decode("utf-8", "replace")) else data
    return msgspec.json.encode(without_texts(value, matcher)) if matcher.match_any(value) else data


def without_texts(value: Any, matcher: TextMatcher) -> Any:
    """A JSON value without the texts: an item of a list goes, as does a key; another value is empty."""
    if isinstance(value, str):
        return "" if matcher.match(value) else value
    if isinstance(value, list):
        owns = ((one, one.values() if isinstance(one, dict) else (one,)) for one in value)
        return [
            without_texts(one, matcher)
            for one, own in owns
            if not any(isinstance(text, str) and matcher.match(text) for text in own)
        ]
    if isinstance(value, dict):
        return {key: without_texts(one, matcher) for key, one in value.items() if not matcher.match(str(key))}
    return value
