"""Take a text out of a file: a stub in a journal, a line less in Markdown, a value less in JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from commonplace.shapes import Json
from commonplace.storage.files import content_digest
from commonplace.storage.journal import encode_journal_line, is_stub, parse_json_line
from commonplace.storage.stores import ErasableFile
from commonplace.storage.workspace import heading_level, parse_document, strip_annotation
from commonplace.sync import FORGOTTEN_OP
from commonplace.upkeep.forget.matching import ERASED_PLACEHOLDER, TextMatcher

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
        return erase_from_text(file.path, data, matcher)
    if file.kind == "values":
        return _erase_values(data, matcher)
    if file.kind == "whole":
        is_named = file.path.rpartition("/")[2] in matcher.ids
        return None if is_named or any(_match_line(one, matcher) for one in data.split(b"\n")) else data
    return data


def erase_journal_line(raw_line: bytes, matcher: TextMatcher, day: str) -> bytes | None:
    """A line of a chain, or the stub that takes its place: it keeps the digest, so that no chain breaks. One that is
    not whole, which is no part of the chain, goes."""
    fields = parse_json_line(raw_line)
    if isinstance(fields, str):
        return None if matcher.match(raw_line.decode("utf-8", "replace")) else raw_line
    if is_stub(fields) or fields.get("op") == FORGOTTEN_OP:
        return raw_line
    is_of_text = fields.get("op") in LEDGER_OPS_OF_TEXTS and fields.get("record") in matcher.ids
    if not (
        fields.get("id") in matcher.ids or is_of_text or _is_receipt_of(fields, matcher) or matcher.match_any(fields)
    ):
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


def _is_receipt_of(fields: Json, matcher: TextMatcher) -> bool:
    """Whether a pack had a line that is erased: its receipt has a digest of that."""
    considered = fields.get("considered")
    entries = considered if isinstance(considered, list) else ()
    return any(isinstance(one, dict) and one.get("included") and one.get("id") in matcher.ids for one in entries)


def erase_from_text(path: str, data: bytes, matcher: TextMatcher) -> bytes | None:
    """A text without the records that are erased, nor any other line that has an erased text: in front matter and
    headings a placeholder is in its place, so that the file stays what it is. None for a skill that has one, and for an
    episode of which nothing is left."""
    if path.startswith(SKILL_FOLDER) and path.endswith(".json"):
        return None if matcher.contains(data.decode("utf-8", "replace")) or _match_line(data, matcher) else data
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
        return [without_texts(one, matcher) for one in value if not _is_erased_item(one, matcher)]
    if isinstance(value, dict):
        return {key: without_texts(one, matcher) for key, one in value.items() if not matcher.match(str(key))}
    return value


def _is_erased_item(value: Any, matcher: TextMatcher) -> bool:
    """Whether an item of a list is such a text, or an object that has one as a value of its own."""
    own = value.values() if isinstance(value, dict) else (value,)
    return any(isinstance(one, str) and matcher.match(one) for one in own)
