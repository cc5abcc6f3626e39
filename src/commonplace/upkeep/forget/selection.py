"""Find what a wish to forget concerns: what it names, what that rests on, what was made of it, and what repeats it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Literal

from msgspec import Struct

from commonplace.errors import BadArgument, NotFound
from commonplace.index import AllOf, AnyOf, Filter, Index, TokenQuery
from commonplace.language import text
from commonplace.language.word_data import LANGUAGES
from commonplace.model import TRUSTS, Record
from commonplace.retrieval.recall import find_cited, parse_line_reference
from commonplace.storage.journal import Journal
from commonplace.sync import FORGOTTEN_OP, RESTORED_OP
from commonplace.upkeep.consolidate import strip_line_decoration

ForgetReason = Literal["named", "source", "derived", "repeats"]
MIN_REPEATED_WORDS = 4  # of a text that is looked for inside others; a shorter one must be all that they say
MIN_TAKEN_SHARE = 0.6  # of the words of a line that was made of several captures, which the forgotten ones have
MAX_SELECTED = 100_000


class ForgetWish(Struct, frozen=True):
    """What is to be forgotten: everything that all of the given parts fit.

    `references` are ids, citations and paths, of which one must fit; `query` are words that all must occur; `entity` a
    name; `since` (inclusive) and `until` (exclusive) ISO minutes.
    """

    references: tuple[str, ...] = ()
    query: str = ""
    entity: str = ""
    session: str = ""
    scope: str = ""
    since: str = ""
    until: str = ""


class SelectedRecord(Struct, frozen=True):
    """A record or capture that would be forgotten, and why."""

    record: Record
    reason: ForgetReason


def select_records(index: Index, wish: ForgetWish) -> tuple[SelectedRecord, ...]:
    """What a wish concerns, each once. Raises NotFound for what is not there, BadArgument for a wish without parts."""
    with index.snapshot():
        named = _named_rows(index, wish)
        records = {row.record.id: row.record for row in index.fetch(named).values()}
        selected = {one.id: SelectedRecord(one, "named") for one in records.values()}
        phrases = {_phrase(one) for one in records.values()} - {""}
        for record in _sources_of(index, records.values()):
            selected.setdefault(record.id, SelectedRecord(record, "source"))
        for record in _repeating(index, phrases):
            selected.setdefault(record.id, SelectedRecord(record, "repeats"))
        for record in [*_derived_from(index, selected, phrases)]:
            selected.setdefault(record.id, SelectedRecord(record, "derived"))
    return tuple(selected.values())


def hide_records(journal: Journal, selected: Iterable[SelectedRecord], now: str, *, is_erased: bool = False) -> str:
    """Write the ledger line that hides records from every answer; its id undoes it, unless they are erased too."""
    ids = [one.record.id for one in selected]
    line = {"op": FORGOTTEN_OP, "ts": now, "records": ids} | ({"erased": True} if is_erased else {})
    return journal.append(line, "ledger").id


def show_again(journal: Journal, forgotten_id: str, now: str) -> str:
    """Take back what a ledger line hid; returns the path of the ledger. Raises NotFound, BadArgument for what was
    erased."""
    lines = (entry.fields for reading in journal.read_batches("ledger") for entry in reading.entries)
    line = next((one for one in lines if one["id"] == forgotten_id and one.get("op") == FORGOTTEN_OP), None)
    if line is None:
        raise NotFound("forget", forgotten_id)
    if line.get("erased"):
        raise BadArgument(f"{forgotten_id} erased what it names, which cannot be undone", hint="restore a backup")
    return journal.append({"op": RESTORED_OP, "ts": now, "undone": [forgotten_id]}, "ledger").path


def _named_rows(index: Index, wish: ForgetWish) -> list[int]:
    """The rows that fit all parts of a wish, in order."""
    parts: list[Collection[int]] = []
    if wish.references:
        parts.append({row for reference in wish.references for row in _referenced_rows(index, reference)})
    if wish.query:
        parts.append(index.matching_rows(_all_words(wish.query)))
    if wish.entity:
        parts.append(_entity_rows(index, wish.entity))
    if wish.session:
        parts.append(index.rows_of_session(wish.session))
    if wish.scope or wish.since or wish.until:
        scopes = (wish.scope,) if wish.scope else None
        narrowed = Filter(scopes=scopes, trusts=TRUSTS, since=wish.since, until=wish.until, history=True)
        parts.append(index.filtered_rows(narrowed, MAX_SELECTED) or ())
    if not parts:
        raise BadArgument(
            "nothing is named that should be forgotten", hint="give an id, --query, --entity, --session …"
        )
    return sorted(set[int](parts[0]).intersection(*parts[1:]))


def _referenced_rows(index: Index, reference: str) -> list[int]:
    if cited := find_cited(index, reference):
        return index.rows_with_ids(one.id for one in cited)
    path, first, last = parse_line_reference(reference)
    rows = index.rows_of_file(path)
    if not rows:
        raise NotFound("record or file", reference)
    places = ((row, one.record.source) for row, one in index.fetch(rows).items())
    return [row for row, place in places if not first or (place.line_start <= last and place.line_end >= first)]


def _entity_rows(index: Index, name: str) -> set[int]:
    key = text.name_key(text.sanitize_line(name))
    rows = {row for row, _key, _role in index.mentions((key,))}
    return rows | set(index.matching_rows(_all_words(name)))


def _all_words(words: str) -> TokenQuery:
    parts = tuple(AnyOf(term.forms) for term in text.query_terms(words, LANGUAGES))
    if not parts:
        raise BadArgument(f"{words!r} has no word to look for")
    return AllOf(parts)


def _phrase(record: Record) -> str:
    """The words of a record, folded, each between two blanks."""
    return f" {' '.join(text.split_units(text.fold_name(strip_line_decoration(record))))} "


def _sources_of(index: Index, records: Iterable[Record]) -> list[Record]:
    """The captures on which lines rest; without them the lines would be found again in what was said."""
    ids = dict.fromkeys(source for record in records for source in record.sources)
    return [record for one in ids if (record := index.find(one)) is not None]


def _repeating(index: Index, word_runs: Iterable[str]) -> Iterator[Record]:
    """What contains the words of a phrase in their order, or says nothing else."""
    for phrase in word_runs:
        words = phrase.split()
        if words:
            rows = index.matching_rows(_all_words(phrase))
            for one in index.fetch(rows).values():
                own = _phrase(one.record)
                if own == phrase or (len(words) >= MIN_REPEATED_WORDS and phrase in own):
                    yield one.record


def _derived_from(index: Index, selected: dict[str, SelectedRecord], word_runs: Iterable[str]) -> Iterator[Record]:
    """What was made of the selected captures alone, or says mostly what they say."""
    forgotten = [set(phrase.split()) for phrase in word_runs]
    for one in index.fetch(index.rows_derived_from([*selected])).values():
        record = one.record
        known = {source for source in record.sources if index.find(source) is not None}
        is_whole = all(source in selected and selected[source].reason == "named" for source in known)
        own = set(_phrase(record).split())
        shares = max((len(own & words) for words in forgotten), default=0)
        if is_whole or (own and shares >= MIN_TAKEN_SHARE * len(own)):
            yield record
