"""A parsed document made ready for the index: tokens, titles above, stretches of time, names."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, structs

from commonplace import text
from commonplace.capture.keys import text_key
from commonplace.index import OPEN_END, OPEN_START, Entry, FileEntries, FileRow, MentionRole
from commonplace.model import Document, Problem, Record
from commonplace.sync.events import told
from commonplace.workspace import is_conflict_copy

Mention = tuple[str, MentionRole, str]


class Outline(Struct, frozen=True):
    """A parsed document before it is made ready line by line: the file without its entries, its records, and what
    makes an entry of one of them."""

    file: FileEntries
    records: tuple[Record, ...]
    entry: Callable[[Record], Entry]

    def whole(self) -> FileEntries:
        """All that the index keeps of the file."""
        return structs.replace(self.file, entries=tuple(map(self.entry, self.records)))


def outline(document: Document, row: FileRow, language: str) -> Outline:
    """What the index keeps of one file. `language` is a code for every line, or `auto` to detect it."""
    titles = _Titles(document.title, language)
    page = _page_names(document)
    entity = document.role == "entity"
    own: tuple[Mention, ...] = ((page[0][0], "page", page[0][1]),) if entity and page else ()
    file = FileEntries(row, (), page, entity, document.problems + _conflict(document.path))
    return Outline(file, document.records, lambda record: _entry(record, titles, own, language))


def _conflict(path: str) -> tuple[Problem, ...]:
    """A copy that a sync tool kept of a file that two machines changed: indexed, listed, never packed."""
    if not is_conflict_copy(path):
        return ()
    message = "a sync tool kept two versions of this file"
    return (Problem("conflict-copy", message, path, hint="merge it and remove the copy"),)


def _entry(record: Record, titles: _Titles, own: tuple[Mention, ...], language: str) -> Entry:
    spoken = text.language(record.text) if language == "auto" else language
    tokens = text.tokens(record.text, spoken)
    mentions = own
    if record.entities or record.links:
        mentions = (*own, *_mentions(record))
    return Entry(
        record,
        spaced(tokens),
        titles.tokens(record.heading) + (_brings(record, tokens, spoken) if record.triggers else ""),
        len(tokens),
        text_key(record.text),
        _first_minute(record.valid_from, record.valid_to),
        _last_minute(record.valid_from, record.valid_to),
        mentions,
        told(record),
    )


def _brings(record: Record, tokens: list[str], spoken: str) -> str:
    """Tokens of the phrases that are to bring a line, less those that it says itself."""
    own = set(tokens)
    return spaced([one for one in text.tokens(" ".join(record.triggers), spoken) if one not in own])


def spaced(tokens: list[str]) -> str:
    """Tokens as they are stored: each between two spaces of its own, so that ` token ` is counted exactly."""
    return f" {'  '.join(tokens)} " if tokens else ""


class _Titles:
    """Tokens of the titles above a line, made once per section."""

    def __init__(self, title: str, language: str) -> None:
        self._title, self._language = title, language
        self._made: dict[tuple[str, ...], str] = {}

    def tokens(self, heading: tuple[str, ...]) -> str:
        made = self._made.get(heading)
        if made is None:
            titles = heading if self._title in heading else (self._title, *heading)
            written = " ".join(titles)
            spoken = text.language(written) if self._language == "auto" else self._language
            made = self._made[heading] = spaced(text.tokens(written, spoken))
        return made


def _mentions(record: Record) -> list[Mention]:
    speaker = record.speaker
    found: list[Mention] = [
        (text.name_key(name), "speaker" if name == speaker else "mention", name) for name in record.entities
    ]
    for target in record.links:
        name = target.rsplit("/", 1)[-1].removesuffix(".md")
        found.append((text.name_key(name), "mention", name))
    return [mention for mention in found if mention[0]]


def _page_names(document: Document) -> tuple[tuple[str, str], ...]:
    """(folded name, name) of a page: its title, its file's name, its aliases; a log's date is no name."""
    if document.role == "log":
        return ()
    stem = document.path.rsplit("/", 1)[-1].removesuffix(".md")
    names = (document.title, stem.replace("-", " "), *document.aliases)
    keyed = {text.name_key(name): name for name in reversed(names) if name}
    return tuple((key, name) for key, name in reversed(keyed.items()) if key)


def _first_minute(start: str, end: str) -> str:
    if not start:
        return OPEN_START if end else ""
    return start + "0000-01-01T00:00"[len(start) :]


def _last_minute(start: str, end: str) -> str:
    if not end:
        return OPEN_END if start else ""
    return end + "9999-12-31T23:59"[len(end) :]
