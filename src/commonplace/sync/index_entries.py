"""A parsed document as index entries: tokens, titles above each line, times and names."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from datetime import datetime
from functools import cache

from msgspec import Struct, structs

from commonplace.capture import text_key
from commonplace.index import (
    EVERY_YEAR,
    MAX_EVENT_DAYS,
    OPEN_END,
    OPEN_START,
    FileEntries,
    FileRow,
    IndexEntry,
    MentionRole,
)
from commonplace.language import text, when
from commonplace.model import CAPTURE_PREFIX, Document, Problem, Record
from commonplace.storage.workspace import is_conflict_copy, path_role
from commonplace.sync.relations import find_signatures
from commonplace.truth import NameTable, Vocabulary, has_personal_words

MAX_TIMES_PER_LINE = 6  # of one line, the first ones
MAX_CHARS_READ = 1_000  # characters of a text; what stands behind them is seldom what it is about
DAY_CHARS = len("2025-11-27")
MIN_SAME_DAY_DAYS = 1  # days; what is no wider and begins on the day of the line itself says nothing that is not known

TimeRange = tuple[str, str]


def find_event_times(record: Record) -> tuple[TimeRange, ...]:
    """The periods that a line tells of, as half-open pairs of ISO minutes.

    A date without its year is the nearest before and the nearest after the line was written, of a plan the next; of a
    line without a day it is kept in the year `EVERY_YEAR`.
    """
    direction: when.Direction = "future" if record.category == "plan" and len(record.time) >= DAY_CHARS else "past"
    found: list[TimeRange] = []
    said = record.text[:MAX_CHARS_READ]
    sentences = text.split_sentences(said) if when.may_name_other_day(said) else ()
    day = record.time if len(record.time) >= DAY_CHARS else ""  # `2025` and `2025-03` tell no day
    for sentence in filter(when.may_name_other_day, sentences):
        phrases = when.find_time_phrases(sentence, day or f"{EVERY_YEAR}-12-31", direction=direction)
        for phrase in (one for one in phrases if not one.is_attribute):
            is_yearly = phrase.repeats_in == "year"
            if not (day or phrase.stated or is_yearly):
                continue
            told = phrase.named if phrase.relation == "until" else phrase.interval  # a day by which something is due
            readings = (told, phrase.other) if day and is_yearly and direction == "past" else (told,)
            stretches = [(one.start, one.end) for one in readings if one and one.start and one.end]
            found += [one for one in stretches if one not in found and _tells_more(one, record)]
    return tuple(found[:MAX_TIMES_PER_LINE])


def _tells_more(stretch: TimeRange, record: Record) -> bool:
    """Whether a period tells more than the day of its line, and is no longer than may be indexed."""
    start, end = stretch
    days = (datetime.fromisoformat(end) - datetime.fromisoformat(start)).days
    return days <= MAX_EVENT_DAYS and (days > MIN_SAME_DAY_DAYS or start[:10] != record.time[:10])


EntryMention = tuple[str, MentionRole, str]


class PreparedDocument(Struct, frozen=True):
    """A parsed document before it is made ready line by line: the file without its entries, its records, what makes an
    entry of one of them, and how many others were left out because they were forgotten."""

    file: FileEntries
    records: tuple[Record, ...]
    make_entry: Callable[[Record], IndexEntry]
    forgotten_count: int = 0

    def to_file_entries(self) -> FileEntries:
        """The index entries of a file."""
        return structs.replace(self.file, entries=tuple(map(self.make_entry, self.records)))


def prepare_document(document: Document, file_row: FileRow, vocabulary: Vocabulary) -> PreparedDocument:
    """The index entry of one file."""

    @cache  # once a section
    def title_tokens(heading: tuple[str, ...]) -> str:
        titles = heading if document.title in heading else (document.title, *heading)
        return join_tokens(tokenize_text(" ".join(titles), vocabulary.language))

    page = page_names(document)
    entity = document.role == "entity"
    own: tuple[EntryMention, ...] = ((page[0][0], "page", page[0][1]),) if entity and page else ()
    problems = document.problems
    if is_conflict_copy(document.path):  # indexed, listed, never packed
        message = "a sync tool saved two versions of this file"
        hint = f"run `commonplace merge {shlex.quote(document.path)}`"
        problems += (Problem("conflict-copy", message, document.path, hint=hint),)
    file = FileEntries(file_row, (), page, entity, problems)
    return PreparedDocument(
        file,
        document.records,
        lambda record: make_record_entry(record, title_tokens(record.heading), own, vocabulary),
    )


def make_record_entry(
    record: Record, title_tokens: str, page_mentions: tuple[EntryMention, ...], vocabulary: Vocabulary
) -> IndexEntry:
    """A record as it is indexed, with the tokens of the titles above it and what its page is about."""
    tokens = tokenize_text(record.text, vocabulary.language)
    mentions = page_mentions
    if record.entities or record.links or record.speaker:
        links = (target.rsplit("/", 1)[-1].removesuffix(".md") for target in record.links)
        names = (*dict.fromkeys((*record.entities, record.speaker)), *links)
        keyed = ((key, name) for name in names if (key := text.name_key(name)))
        mentions += tuple((key, "speaker" if name == record.speaker else "mention", name) for key, name in keyed)
    if record.triggers:  # phrases that are to bring the line, less what it says itself
        spoken = text.detect_language(record.text) if vocabulary.language == "auto" else vocabulary.language
        triggers, own = text.tokenize(" ".join(record.triggers), spoken), set(tokens)
        title_tokens += join_tokens([token for token in triggers if token not in own])
    start, end = record.valid_from, record.valid_to
    return IndexEntry(
        record,
        join_tokens(tokens),
        title_tokens,
        len(tokens),
        text_key(record.text),
        start + "0000-01-01T00:00"[len(start) :] if start else OPEN_START if end else "",
        end + "9999-12-31T23:59"[len(end) :] if end else OPEN_END if start else "",
        mentions,
        find_event_times(record),
        find_signatures(record, vocabulary),
        grade_standing(record, vocabulary),
    )


INSTRUCTION_GRADE, PREFERENCE_GRADE = 2, 1  # how much a line must always be known; 0 if it is only to be found
MAX_STANDING_CHARS = 400  # characters of a line that is one instruction, and no text that contains one
MIN_STANDING_SHARE = 0.5  # of its characters: nothing else is to come with every request
STANDING_ROLES = ("core", "log", "warm", "bank", "entity")  # not the instructions of agents, nor documents beside notes
STANDING_FORMS = ("retain", "item", "keyvalue", "row", "paragraph", "capture")
TOPICAL_CATEGORIES = ("procedure", "lesson")  # rules for one occasion, which names it


def grade_standing(record: Record, vocabulary: Vocabulary) -> int:
    """The grade of an instruction for all later requests, by the owner where it was said, or of his preference."""
    from commonplace.extract.rules import standing_share

    is_home = record.actor == "owner" if record.is_evidence else path_role(record.source.path) in STANDING_ROLES
    if not is_home or record.form not in STANDING_FORMS or len(record.text) > MAX_STANDING_CHARS:
        return 0
    if record.category not in TOPICAL_CATEGORIES and standing_share(record.text) >= MIN_STANDING_SHARE:
        return INSTRUCTION_GRADE
    return PREFERENCE_GRADE if record.category == "preference" and _is_of_owner(record, vocabulary.names) else 0


def _is_of_owner(record: Record, names: NameTable) -> bool:
    """Whether a line names nobody but the owner; one made of talk must name him, or have a word for who speaks."""
    about = {names.resolve(name) for name in (record.speaker, *record.entities) if name}
    is_talk = any(source.startswith(CAPTURE_PREFIX) for source in record.sources)
    is_own = not is_talk or has_personal_words(record.text) or bool(names.owner and names.owner in record.text)
    return is_own and about <= {names.resolve("owner")}


def tokenize_text(written: str, language: str) -> list[str]:
    """The tokens of a text in a language; `auto` is that of the text."""
    return text.tokenize(written, text.detect_language(written) if language == "auto" else language)


def join_tokens(text_tokens: list[str]) -> str:
    """Tokens as they are stored: each between two spaces of its own, so that ` token ` is counted exactly."""
    return f" {'  '.join(text_tokens)} " if text_tokens else ""


def page_names(document: Document) -> tuple[tuple[str, str], ...]:
    """(folded name, name) of a page: title, file name, aliases; neither the date of a log nor an episode's title."""
    if document.role == "log":
        return ()
    stem = document.path.rsplit("/", 1)[-1].removesuffix(".md")
    title = () if document.role == "episode" else (document.title,)
    names = (*title, stem.replace("-", " "), *document.aliases)
    keyed = {text.name_key(name): name for name in reversed(names) if name}
    return tuple((key, name) for key, name in reversed(keyed.items()) if key)
