"""Existing records that a claim repeats or conflicts with, and how a conflict is resolved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal

from msgspec import Struct

from commonplace.extract import extract_triples
from commonplace.index import Index
from commonplace.language import text
from commonplace.language.text.shingles import hash_shingles, is_copied
from commonplace.model import TRUSTS, Capture, Record, Trust, least_trusted
from commonplace.upkeep.consolidate.candidates import SimilarRecord
from commonplace.upkeep.consolidate.claims import RecordDraft
from commonplace.upkeep.consolidate.duplicates import required_terms
from commonplace.upkeep.consolidate.file_edits import ENTITY_PAGES_PREFIX, STRIKETHROUGH, strip_line_decoration
from commonplace.upkeep.consolidate.history import LedgerHistory, LedgerStatement, statement_key, value_key, words_key

ConflictOutcome = Literal["new", "same", "newer", "older", "conflict"]


class StatedValue(Struct, frozen=True):
    """What a record or draft states of an entity: the key of the value, when that was said, how far it is trusted.

    `time` is empty for a line without a date; `valid_from` is what the line says itself. `path` is empty for a draft.
    """

    id: str
    text: str
    value: str
    time: str
    trust: Trust
    sources: tuple[str, ...] = ()
    path: str = ""
    valid_from: str = ""


class ConflictResolution(Struct, frozen=True):
    """How a draft stands to what is stated already, and which of those it meets.

    `newer`: it replaces the `statements`; `older`: it came in late, and what holds now stays, since the first of the
    `statements`; `conflict`: it cannot replace what it contradicts; `same`: it says what the first of the `statements`
    says.
    """

    outcome: ConflictOutcome
    statements: tuple[StatedValue, ...] = ()


def resolve_conflict(draft: RecordDraft, conflicts: tuple[StatedValue, ...], recent_since: str) -> ConflictResolution:
    """The ruling on a draft by those that state the same attribute of the same entity.

    A line without a date was written before what was said `recent_since`, an ISO time, or after it; before what was
    said earlier than that, nobody can tell.
    """
    value = value_key(draft.value)
    same = tuple(
        rival for rival in conflicts if rival.value == value and _trust_rank(rival.trust) >= _trust_rank(draft.trust)
    )
    other = tuple(rival for rival in conflicts if rival.value != value)
    if same and (not other or _trust_rank(same[0].trust) > _trust_rank(draft.trust)):
        return ConflictResolution("same", same)
    stronger = tuple(rival for rival in other if _trust_rank(rival.trust) > _trust_rank(draft.trust))
    if stronger:
        return ConflictResolution("conflict", stronger)
    later = tuple(rival for rival in other if rival.time > draft.time)
    if later:
        return ConflictResolution("older", tuple(sorted(later, key=lambda rival: rival.time)))
    undated = tuple(rival for rival in other if not rival.time)
    if undated and draft.time < recent_since:
        return ConflictResolution("conflict", undated)
    return ConflictResolution("newer", conflicts) if conflicts else ConflictResolution("new")


def _trust_rank(trust: Trust) -> int:
    return TRUSTS.index(trust)


MAX_RAREST_WORDS = 3  # words of a draft by which neighbours are looked for
MANY_HOLDERS = 100  # lines that hold one of them; of so many those that hold all that a repetition must
MAX_SIMILAR_RECORDS = 16
MAX_RECORDS_PER_NAME = 200  # records that name an entity, the newest, of which what they state is read
EPISODES_PREFIX = "memory/episodes/"
EXCLUDED_PATHS = (".memory/", "memory/pending.md", "memory/working-buffer.md", EPISODES_PREFIX)
MIN_SAME_SHARE = 0.6  # of its words; what says more than that besides still tells something else

Triples = tuple[tuple[str, str, str], ...]


class ExistingRecords:
    """Looks up neighbours, rivals and sources; what the run itself keeps is put on it.

    A line that is superseded by the very draft that is looked at counts as if it were not: a run that was stopped
    finds again what it found at first.
    """

    def __init__(self, index: Index, history: LedgerHistory) -> None:
        self._index, self._history = index, history
        self._run_drafts: list[tuple[RecordDraft, list[str]]] = []  # the drafts that are kept, each with its words
        self._positions_by_word: dict[str, set[int]] = {}  # places in that list, by word
        self._holder_counts: dict[str, int] = {}
        self._drafts_by_id: dict[str, RecordDraft] = {}
        self._superseded_ids: set[str] = set()
        self._drafts_by_key: dict[str, dict[str, RecordDraft]] = {}  # those that hold, by what they are about
        self._ended_values: dict[tuple[str, str, str], str] = {}  # those that do not, by that, the value and the scope
        self._ledger_statements: dict[str, dict[str, list[tuple[Record, LedgerStatement]]]] = {}
        self._records_by_name: dict[str, list[Record]] = {}
        self._triples_by_id: dict[str, Triples] = {}

    def add(self, draft: RecordDraft) -> None:
        """Add a draft that is kept, so that the next one meets it."""
        self._drafts_by_id[draft.id] = draft
        words = _content_tokens(draft.text)
        for word in words:
            self._positions_by_word.setdefault(word, set()).add(len(self._run_drafts))
        self._run_drafts.append((draft, words))
        self._drafts_by_key.setdefault(statement_key(draft.entity, draft.attribute), {})[draft.id] = draft

    def remove(self, record_id: str) -> None:
        """Take off what was superseded in this run."""
        self._superseded_ids.add(record_id)
        draft = self._drafts_by_id.pop(record_id, None)
        if draft is not None:
            key = statement_key(draft.entity, draft.attribute)
            del self._drafts_by_key[key][record_id]
            self._ended_values.setdefault((key, value_key(draft.value), draft.scope), record_id)

    def find(self, record_id: str) -> Record | None:
        """The record or capture of this id, as the index knows it."""
        return self._index.find(record_id)

    def is_written(self, draft: RecordDraft) -> bool:
        """Whether the line of a draft stands in its home already."""
        record = self._index.find(draft.id)
        return record is not None and not record.source.path.startswith(EXCLUDED_PATHS)

    def stated_value(self, record: Record, value: str = "", time: str = "") -> StatedValue:
        """A record as what states something: the key of the value, and when it was said, if the ledger knows."""
        told = self._history.statement_by_record.get(record.id)
        when = time or (told.time if told else "") or record.time or record.valid_from
        path, start = record.source.path, record.valid_from
        return StatedValue(record.id, record.text, value, when, record.trust, record.sources, path, start)

    def find_entity_page(self, entity: str) -> str:
        """The page of an entity, by its name or another that it bears; empty if it has none."""
        found = self._index.pages_by_name((text.name_key(entity),))
        return next((path for _key, path in found if path.startswith(ENTITY_PAGES_PREFIX)), "")

    def capture_trust(self, capture: Capture) -> Trust:
        """How far a capture is trusted: what an agent says, no further than the least trusted of its sources."""
        if capture.actor != "agent" or not capture.from_:
            return capture.origin
        basis = [found.trust for source in capture.from_ if (found := self._index.find(source)) is not None]
        return least_trusted(capture.origin, *basis)

    def is_copied_from_untrusted(self, sentence: str) -> bool:
        """Whether a text was taken word for word from what cannot be trusted."""
        own = hash_shingles(sentence)
        return is_copied(own, len(self._index.find_tainted_shingles(own)))

    # what says the same

    def find_similar(self, draft: RecordDraft) -> tuple[SimilarRecord, ...]:
        """The records and drafts that may say what the draft says, of those that it can be seen with.

        What says the same holds every word that is needed to say it, so it is among those that hold the rarest of
        them. Of many those come first that hold the most of these words, and then the most alike.
        """
        words = _content_tokens(draft.text)
        telling = sorted(required_terms(draft.text).intersection(words)) or words
        kept = {
            one.id: one for one in (*self._find_same_words(draft), *self._find_similar_indexed(draft, words, telling))
        }
        mine = self._find_similar_drafts(draft, words, telling)
        return (
            *(_similar_from_record(one) for one in kept.values() if self._is_comparable_record(one, draft)),
            *(SimilarRecord(one.id, one.text, one.category, one.trust, one.entities) for one in mine),
        )

    def _find_same_words(self, draft: RecordDraft) -> Iterator[Record]:
        """The line that says these very words, however many captures hold them."""
        said = self._history.record_by_words.get(words_key(draft.text))
        record = self._index.find(said) if said else None
        if record is not None:
            yield record

    def _find_similar_indexed(
        self, draft: RecordDraft, words: list[str], required_words: list[str]
    ) -> Iterator[Record]:
        """The lines in their homes that hold one of the rarest telling words or, of very many, all of those words."""
        rarest = sorted(filter(self._count_holders, required_words), key=self._count_holders)[:MAX_RAREST_WORDS]
        asked = (
            [required_words]
            if _has_many_holders(map(self._count_holders, rarest), required_words, words)
            else [[word] for word in rarest]
        )
        few = {row_id for some in asked for row_id in self._index.records_with_tokens(some)}
        homes = [
            row_id for row_id, _id, path, _digest in self._index.outlines(few) if not path.startswith(EXCLUDED_PATHS)
        ]
        if len(homes) > MAX_SIMILAR_RECORDS:
            said = self._index.read_tokens(homes)
            homes.sort(key=lambda row: _dissimilarity_key(words, required_words, said[row][0].split()))
        found = (one for some in _chunk_row_ids(homes) for one in self._fetch_in_order(some))
        return islice((one for one in found if self._is_comparable_record(one, draft)), MAX_SIMILAR_RECORDS)

    def _count_holders(self, word: str) -> int:
        """How many records hold a word."""
        if word not in self._holder_counts:
            self._holder_counts[word] = len(self._index.records_with_tokens((word,)))
        return self._holder_counts[word]

    def _fetch_in_order(self, row_ids: Sequence[int]) -> list[Record]:
        """The records of rows, in the order of these."""
        found = self._index.fetch(row_ids)
        return [found[row_id].record for row_id in row_ids]

    def _find_similar_drafts(
        self, draft: RecordDraft, words: list[str], required_words: list[str]
    ) -> list[RecordDraft]:
        """The same among the drafts of this run."""
        holders = sorted((self._positions_by_word.get(word, set()) for word in required_words), key=len)
        rarest = [some for some in holders if some][:MAX_RAREST_WORDS]
        are_many = _has_many_holders(map(len, rarest), required_words, words)
        few = set.intersection(*holders) if are_many else set[int]().union(*rarest)
        seen = [place for place in sorted(few) if self._is_comparable_draft(self._run_drafts[place][0], draft)]
        if len(seen) > MAX_SIMILAR_RECORDS:
            seen.sort(key=lambda place: _dissimilarity_key(words, required_words, self._run_drafts[place][1]))
        return [self._run_drafts[place][0] for place in seen[:MAX_SIMILAR_RECORDS]]

    def _is_comparable_draft(self, earlier_draft: RecordDraft, draft: RecordDraft) -> bool:
        return (
            earlier_draft.id in self._drafts_by_id
            and earlier_draft.id != draft.id
            and earlier_draft.scope in ("", draft.scope)
        )

    def _is_comparable_record(self, record: Record, draft: RecordDraft) -> bool:
        """Whether a record is a line in its home that still holds, and can be seen where the draft can."""
        kept = not (
            record.is_evidence or record.source.path.startswith(EXCLUDED_PATHS) or record.text.startswith(STRIKETHROUGH)
        )
        holds = record.superseded_by in ("", draft.id) and record.id not in self._superseded_ids
        return kept and holds and record.id != draft.id and record.scope in ("", draft.scope)

    # what states the same attribute

    def find_conflicts(self, draft: RecordDraft) -> tuple[StatedValue, ...]:
        """What is stated already of the draft's attribute, where there can be but one value, in the same scope;
        newest first."""
        if not draft.is_single_valued:
            return ()
        key = statement_key(draft.entity, draft.attribute)
        found = {one.id: one for one in self._stated_in_run(draft, key)}
        known = self._stated_in_ledger(key)
        for record, said in (*known.get("", ()), *known.get(draft.id, ())):
            if self._can_conflict(record, draft):
                found.setdefault(record.id, self.stated_value(record, said.value, said.time))
        for record in self._find_naming_records(draft.entity):
            if self._can_conflict(record, draft):
                for entity, attribute, value in self._read_triples(record):
                    if (entity, attribute) == (text.name_key(draft.entity), draft.attribute):
                        found.setdefault(record.id, self.stated_value(record, value_key(value)))
        return tuple(sorted(found.values(), key=lambda stated: (stated.time, stated.id), reverse=True))

    def find_ended_value(self, draft: RecordDraft) -> str:
        """What states the draft's value already but holds no more; empty if nothing does."""
        key, value = statement_key(draft.entity, draft.attribute), value_key(draft.value)
        if over := self._ended_values.get((key, value, draft.scope)):
            return over
        for said in self._history.statements_by_key.get(key, {}).values():
            if said.value == value and said.record != draft.id:
                record = self._index.find(said.record)
                if record is not None and record.superseded_by and record.scope == draft.scope:
                    return record.id
        return ""

    def _stated_in_run(self, draft: RecordDraft, key: str) -> Iterator[StatedValue]:
        for one in self._drafts_by_key.get(key, {}).values():
            if one.scope == draft.scope and one.id != draft.id:
                yield StatedValue(one.id, one.text, value_key(one.value), one.time, one.trust, one.sources)

    def _stated_in_ledger(self, key: str) -> dict[str, list[tuple[Record, LedgerStatement]]]:
        """The lines that state this, as the ledger knows, and that nobody changed since; by what supersedes each."""
        if key not in self._ledger_statements:
            found = self._ledger_statements[key] = {}
            for record_id, said in self._history.statements_by_key.get(key, {}).items():
                record = self._index.find(record_id)
                if record is not None and self._history.has_current_statement(record):
                    found.setdefault(record.superseded_by, []).append((record, said))
        return self._ledger_statements[key]

    def _can_conflict(self, record: Record, draft: RecordDraft) -> bool:
        return self._is_comparable_record(record, draft) and record.scope == draft.scope

    def _find_naming_records(self, entity: str) -> list[Record]:
        """The newest lines whose words hold the name, and of which the ledger does not know what they state."""
        key = text.name_key(entity)
        if key not in self._records_by_name:
            outlines = self._index.outlines(self._index.records_with_tokens(_content_tokens(entity)))
            homes = (one for one in outlines if not one[2].startswith(EXCLUDED_PATHS))
            unknown = [
                row_id
                for row_id, record_id, _path, digest in homes
                if not self._history.has_statement(record_id, digest)
            ]
            self._records_by_name[key] = self._fetch_in_order(self._index.newest_of_rows(unknown, MAX_RECORDS_PER_NAME))
        return self._records_by_name[key]

    def _read_triples(self, record: Record) -> Triples:
        if record.id not in self._triples_by_id:
            self._triples_by_id[record.id] = extract_triples(
                strip_line_decoration(record), record.entities, record.heading, now=record.time
            )
        return self._triples_by_id[record.id]

    # what tells it besides

    def find_retellings(
        self,
        stated_value: StatedValue,
        repeating_captures: Iterable[str],
        records_by_capture: Mapping[str, list[Record]],
    ) -> tuple[str, ...]:
        """What else tells the same: the captures on which a statement rests, and `repeating_captures` that repeat it,
        if they say nothing else; and what was made of those, in this run (`records_by_capture`, by capture) or
        before."""
        sources = dict.fromkeys(
            (*stated_value.sources, *self._history.repeated_captures.get(stated_value.id, ()), *repeating_captures)
        )
        made = [
            indexed_record.record
            for indexed_record in self._index.fetch(self._index.rows_derived_from(tuple(sources))).values()
        ]
        said = [record for one in sources if (record := self._index.find(one)) is not None and record.is_evidence]
        new = [record for one in sources for record in records_by_capture.get(one, ())]
        return filter_retellings(stated_value, (*made, *said, *new))


def filter_retellings(stated_value: StatedValue, records: Iterable[Record]) -> tuple[str, ...]:
    """Those of the records that tell what was stated, and hardly anything else; of an episode that does so in a
    detail also the summary, which says nothing that its details do not."""
    other = {one.id: one for one in records if one.id != stated_value.id}.values()
    told = [
        one for one in other if one.form != "summary" and is_mostly_same(strip_line_decoration(one), stated_value.text)
    ]
    paths = {one.source.path for one in told}
    summaries = [one for one in other if one.form == "summary" and one.source.path in paths]
    return tuple(one.id for one in (*told, *summaries))


def is_mostly_same(sentence: str, record_text: str) -> bool:
    """Whether most of what a text says is what a record keeps of it."""
    words, known = _content_tokens(sentence), set(_content_tokens(record_text))
    return bool(words) and sum(word in known for word in words) >= MIN_SAME_SHARE * len(words)


def _similar_from_record(record: Record) -> SimilarRecord:
    named = (*record.entities, *record.heading[-1:])
    return SimilarRecord(record.id, strip_line_decoration(record), record.category, record.trust, named)


def _has_many_holders(counts: Iterable[int], required_words: list[str], words: list[str]) -> bool:
    """Whether so many hold one of the rarest words that only those that hold all are looked at; where none of the words
    is needed, all of them are."""
    return sum(counts) > MANY_HOLDERS and required_words is not words


def _dissimilarity_key(words: list[str], required_words: list[str], other_words: list[str]) -> tuple[int, float]:
    """To sort by: how many of the telling words the others lack, then how little they share with all the words."""
    held = set(other_words)
    return sum(word not in held for word in required_words), -text.jaccard_similarity(words, other_words)


def _chunk_row_ids(row_ids: Sequence[int]) -> Iterator[Sequence[int]]:
    return (row_ids[start : start + MAX_SIMILAR_RECORDS] for start in range(0, len(row_ids), MAX_SIMILAR_RECORDS))


def _content_tokens(sentence: str) -> list[str]:
    own = text.detect_language(sentence)
    return list(dict.fromkeys(word for word in text.tokenize(sentence, own) if not text.is_stop_word(word, own)))
