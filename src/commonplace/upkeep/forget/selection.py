"""Find what a wish to forget concerns: what it names, what that rests on, what was made of it, and what repeats it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Literal

from msgspec import Struct, structs

from commonplace.errors import BadArgument, NotFound
from commonplace.index import AllOf, AnyOf, Filter, Index, TokenQuery
from commonplace.language import text
from commonplace.language.word_data import LANGUAGES
from commonplace.model import TRUSTS, Record
from commonplace.retrieval.recall import expand_aliases, find_cited, parse_line_reference
from commonplace.storage.journal import Journal
from commonplace.storage.workspace import QUEUE_PATH
from commonplace.sync import FORGOTTEN_OP, RESTORED_OP, split_reason
from commonplace.upkeep.consolidate import strip_line_decoration
from commonplace.upkeep.forget import mentions

ForgetReason = Literal["named", "source", "derived", "repeats", "quotes"]
MIN_REPEATED_WORDS = 4  # of a text that is looked for inside others; a shorter one must be all that they say
MIN_TAKEN_SHARE = 0.6  # of the words of a line that was made of several captures, which the forgotten ones have
MAX_SELECTED = 100_000
FETCHED_AT_ONCE = 1_000  # records


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
    """A record or capture that would be forgotten, and why; `concerned` are those sentences of its text for which. If
    others stay, `part` is the number of all, and then which of them (from 1) go."""

    record: Record
    reason: ForgetReason
    concerned: str
    part: tuple[int, ...] = ()

    @property
    def shown(self) -> Record:
        """The record with what would go of its text."""
        return structs.replace(self.record, text=self.concerned.strip()) if self.part else self.record


def select_records(index: Index, wish: ForgetWish) -> tuple[SelectedRecord, ...]:
    """What a wish concerns, each once. Raises NotFound for what is not there, BadArgument for a wish without parts."""
    with index.snapshot():
        spellings = _spellings_of(index, wish.entity) if wish.entity else mentions.NameSpellings(())
        find_concerned = _concerned_by(wish, spellings)
        named = _named_rows(index, wish, spellings)
        fetched = (row.record for row in index.fetch(named).values())
        records = {one.id: one for one in fetched if not split_reason(one)[1] or find_concerned(split_reason(one)[0])}
        selected = {one.id: _select(one, "named", find_concerned) for one in records.values()}
        concerned = {_phrase_of("".join(find_concerned(one.concerned))) for one in selected.values()}
        phrases = {*map(_phrase, records.values()), *concerned} - {_phrase_of("")}
        # Without the captures on which lines rest, these would be found again in what was said.
        sources = dict.fromkeys(source for record in records.values() for source in record.sources)
        for record in filter(None, map(index.find, sources)):
            selected.setdefault(record.id, _select(record, "source", find_concerned))
        for record in _repeating(index, phrases):
            selected.setdefault(record.id, _select(record, "repeats", find_concerned))
        is_about = bool(wish.entity or wish.query)
        for record in [*_derived_from(index, selected, concerned)]:
            if not is_about or find_concerned(record.text) or _shares_words(record, concerned):
                selected.setdefault(record.id, _select(record, "derived", find_concerned))
        for row, one in index.fetch(index.rows_of_file(QUEUE_PATH)).items():
            own, reason = split_reason(one.record)
            if reason and (row in named or not selected.keys().isdisjoint(reason.split())):
                part = (len(text.split_sentences(own, loosely=True)) + 1,) * 2
                selected.setdefault(one.record.id, SelectedRecord(one.record, "quotes", reason, part))
    return tuple(selected.values())


def find_short_forms(index: Index, wish: ForgetWish, selected: Sequence[SelectedRecord]) -> tuple[Record, ...]:
    """What was not selected, and has the end of the number that is to be forgotten, which may stand for it."""
    if (pattern := mentions.short_form_pattern(wish.query)) is None:
        return ()
    taken = {one.record.id for one in selected}
    with index.snapshot():
        records = (record for _row, record in _all_records(index) if record.id not in taken)
        return tuple(record for record in records if pattern.search(record.text))


def hide_records(journal: Journal, selected: Sequence[SelectedRecord], now: str) -> str:
    """Write the ledger line that hides records and captures, or sentences of them; returns its id, which undoes it."""
    parts = {one.record.id: one.part for one in selected if one.part}
    return hide_ids(journal, [one.record.id for one in selected], now, parts)


def hide_ids(
    journal: Journal, record_ids: Iterable[str], now: str, sentences: Mapping[str, tuple[int, ...]] | None = None
) -> str:
    """Write the ledger line that hides records and captures, of some only these sentences; returns its id."""
    line = {"op": FORGOTTEN_OP, "ts": now, "records": list(record_ids)}
    return journal.append(line | ({"sentences": sentences} if sentences else {}), "ledger").id


def show_again(journal: Journal, forgotten_id: str, now: str) -> str:
    """Take back what a ledger line hid; returns the path of the ledger. Raises NotFound, BadArgument for what was
    erased."""
    entries = (entry.fields for reading in journal.read_batches("ledger") for entry in reading.entries)
    lines = [one for one in entries if one.get("op") == FORGOTTEN_OP]
    hidden = next((set(one["records"]) for one in lines if one["id"] == forgotten_id), None)
    if hidden is None:
        raise NotFound("forget", forgotten_id)
    if any(one.get("erased") and hidden <= set(one["records"]) for one in lines):
        raise BadArgument(f"{forgotten_id} erased what it names, which cannot be undone", hint="restore a backup")
    return journal.append({"op": RESTORED_OP, "ts": now, "undone": [forgotten_id]}, "ledger").path


def _select(record: Record, reason: ForgetReason, find_concerned: mentions.ConcernedSentences) -> SelectedRecord:
    own, is_item = split_reason(record)[0], record.source.path == QUEUE_PATH
    whole = strip_line_decoration(structs.replace(record, text=own))
    sentences, concerned = text.split_sentences(own, loosely=True), find_concerned(own)
    part = (len(sentences), *(number for number, one in enumerate(sentences, 1) if one in concerned))
    rest = "".join(one for one in sentences if one not in concerned)
    is_whole = is_item or not concerned or not set(concerned) <= set(sentences) or not any(map(str.isalnum, rest))
    return SelectedRecord(record, reason, "".join(find_concerned(whole)) or whole, () if is_whole else part)


def _concerned_by(wish: ForgetWish, spellings: mentions.NameSpellings) -> mentions.ConcernedSentences:
    """What finds the sentences of a text that a wish concerns: those with its name or words; all, if it has none."""
    if wish.entity:
        return partial(mentions.find_named_sentences, spellings)
    if wish.query:
        return partial(_find_query_sentences, wish.query)
    return partial(text.split_sentences, loosely=True)


def _spellings_of(index: Index, name: str) -> mentions.NameSpellings:
    """How somebody or something is named in the whole notebook; lines that repeat a capture say nothing more."""
    names = (name, *expand_aliases(index, (text.name_key(text.sanitize_line(name)),)))
    rows = index.fetch(index.matching_rows(_words(names, AnyOf))).values()
    sources = (one.record.text for one in rows if not one.record.sources)
    sentences = (sentence for source in sources for sentence in text.split_sentences(source, loosely=True))
    return mentions.find_spellings(tuple(dict.fromkeys(names)), sentences)


def _find_query_sentences(query: str, message: str) -> list[str]:
    """The sentences with an identifier, or with all the words; those with one of them if all are in the text."""
    pattern = mentions.identifier_pattern(query)
    found = mentions.find_identifier_sentences(pattern, message) if pattern else []
    terms = [frozenset(term.forms) for term in text.query_terms(query, LANGUAGES)]
    sentences = [
        (one, frozenset(text.tokenize(one, text.detect_language(one))))
        for one in text.split_sentences(message, loosely=True)
    ]
    counts = [sum(not forms.isdisjoint(tokens) for forms in terms) for _sentence, tokens in sentences]
    if found or not all(any(not forms.isdisjoint(tokens) for _one, tokens in sentences) for forms in terms):
        return found
    fewest = len(terms) if max(counts, default=0) == len(terms) else 1
    texts = [sentence for sentence, _tokens in sentences]
    return mentions.with_dependents(texts, [count >= fewest for count in counts])


def _named_rows(index: Index, wish: ForgetWish, spellings: mentions.NameSpellings) -> list[int]:
    """The rows that fit all parts of a wish, in order."""
    parts: list[Collection[int]] = []
    if wish.references:
        parts.append({row for reference in wish.references for row in _referenced_rows(index, reference)})
    if wish.query:
        parts.append(_query_rows(index, wish.query))
    if wish.entity:
        parts.append(_entity_rows(index, wish.entity, spellings))
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


def _entity_rows(index: Index, name: str, spellings: mentions.NameSpellings) -> set[int]:
    """The rows that are marked with a name, or name its bearer."""
    rows = {row for row, _key, _role in index.mentions((text.name_key(text.sanitize_line(name)),))}
    names = (name, *(run[0] for run in spellings.runs if len(run) == 1))
    near = index.fetch(index.matching_rows(_words(names, AnyOf)))
    return rows | {row for row, one in near.items() if mentions.find_named_sentences(spellings, one.record.text)}


def _query_rows(index: Index, query: str) -> set[int]:
    """The rows that have all words of a query, or the identifier that it is, in whatever way that is written."""
    rows = set(index.matching_rows(_words((query,), AllOf)))
    if pattern := mentions.identifier_pattern(query):
        texts = ((row, record.text) for row, record in _all_records(index))
        rows.update(row for row, message in texts if mentions.find_identifier_sentences(pattern, message))
    return rows


def _all_records(index: Index) -> Iterator[tuple[int, Record]]:
    everything = index.filtered_rows(Filter(trusts=TRUSTS, history=True), MAX_SELECTED) or ()
    for start in range(0, len(everything), FETCHED_AT_ONCE):
        for row, one in index.fetch(everything[start : start + FETCHED_AT_ONCE]).items():
            yield row, one.record


def _words(wordings: Iterable[str], joined_by: type[AllOf | AnyOf]) -> TokenQuery:
    parts = tuple(AnyOf(term.forms) for one in wordings for term in text.query_terms(one, LANGUAGES))
    if not parts:
        raise BadArgument(f"{' '.join(wordings)!r} has no word to look for")
    return joined_by(parts)


def _phrase(record: Record) -> str:
    """The words of a record, folded, each between two blanks."""
    return _phrase_of(strip_line_decoration(structs.replace(record, text=split_reason(record)[0])))


def _phrase_of(words: str) -> str:
    return f" {' '.join(text.split_units(text.fold_name(words)))} "


def _repeating(index: Index, word_runs: Iterable[str]) -> Iterator[Record]:
    """What contains the words of a phrase in their order, or says nothing else."""
    for phrase in word_runs:
        words = phrase.split()
        if words:
            rows = index.matching_rows(_words((phrase,), AllOf))
            for one in index.fetch(rows).values():
                own = _phrase(one.record)
                if own == phrase or (len(words) >= MIN_REPEATED_WORDS and phrase in own):
                    yield one.record


def _derived_from(index: Index, selected: dict[str, SelectedRecord], word_runs: Collection[str]) -> Iterator[Record]:
    """What was made of the selected captures alone, or says mostly what they say."""
    for one in index.fetch(index.rows_derived_from([*selected])).values():
        record = one.record
        known = {source for source in record.sources if index.find(source) is not None}
        is_whole = all(source in selected and selected[source].reason == "named" for source in known)
        if is_whole or _shares_words(record, word_runs):
            yield record


def _shares_words(record: Record, word_runs: Iterable[str]) -> bool:
    """Whether most words of a record are in one of some runs of words."""
    own = set(_phrase(record).split())
    shares = max((len(own.intersection(run.split())) for run in word_runs), default=0)
    return bool(own) and shares >= MIN_TAKEN_SHARE * len(own)
