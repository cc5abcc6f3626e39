"""Existing records that a claim repeats or conflicts with, and how a conflict is resolved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from msgspec import structs

from commonplace.capture import text_key
from commonplace.extract import extract_triples
from commonplace.index import Index
from commonplace.language import text
from commonplace.language.text import hash_shingles, is_copied
from commonplace.model import Capture, Record, Trust, least_trusted
from commonplace.upkeep.consolidate.claim_record import ClaimRecord, LedgerStatement, value_key, words_key
from commonplace.upkeep.consolidate.duplicates import required_terms
from commonplace.upkeep.consolidate.file_edits import ENTITY_PAGES_PREFIX, STRIKETHROUGH, strip_line_decoration
from commonplace.upkeep.consolidate.history import LedgerHistory


def resolve_conflict(claim: ClaimRecord, conflicts: tuple[ClaimRecord, ...], recent_since: str) -> ClaimRecord:
    """Return the claim with its relation to those that state the same attribute of the same entity, newest first.

    `newer`: it replaces them; `older`: it arrived late, and what holds since the first of the `conflicts` stays;
    `conflict`: it contradicts these and cannot replace them; `same`: it states what the first of them states.
    A line without a date is older than what was said since `recent_since`, an ISO time; whether it is older than
    what was said before that, nobody can tell.
    """
    value, same, others = claim.value_key, list[ClaimRecord](), list[ClaimRecord]()
    for other in conflicts:
        if other.value_key != value:
            others.append(other)
        elif other.trust_rank >= claim.trust_rank:
            same.append(other)
    stronger = [other for other in others if other.trust_rank > claim.trust_rank]
    later = sorted((other for other in others if other.time > claim.time), key=lambda other: other.time)
    undated = [other for other in others if not other.time]
    if same and (not others or same[0].trust_rank > claim.trust_rank):
        return structs.replace(claim, relation="same", conflicts=tuple(same))
    if stronger:
        return structs.replace(claim, relation="conflict", conflicts=tuple(stronger))
    if later:
        return structs.replace(claim, relation="older", conflicts=tuple(later))
    if undated and claim.time < recent_since:
        return structs.replace(claim, relation="conflict", conflicts=tuple(undated))
    return structs.replace(claim, relation="newer" if conflicts else "new", conflicts=conflicts)


MAX_RAREST_WORDS = 3  # words of a claim by which similar records are looked up
MANY_HOLDERS = 100  # records that have one of them; of so many only those are read that have all required words
MAX_SIMILAR_RECORDS = 16
MAX_RECORDS_PER_NAME = 200  # records that name an entity, the newest, whose statements are extracted
EPISODES_PREFIX = "memory/episodes/"
EXCLUDED_PATHS = (".memory/", "memory/pending.md", "memory/working-buffer.md", EPISODES_PREFIX)
MIN_SAME_SHARE = 0.6  # of the words of a retelling; one with more other words says something else besides

Triples = tuple[tuple[str, str, str], ...]


class ExistingRecords:
    """Looks up the records and sources with which claims are compared, and the claims that the run itself keeps.

    A line that is superseded by the claim at hand counts as if it were not: a run that was interrupted finds the
    same again.
    """

    def __init__(self, index: Index, history: LedgerHistory) -> None:
        self._index, self._history = index, history
        self._run_claims: list[tuple[ClaimRecord, list[str]]] = []  # the claims that are kept, each with its words
        self._positions_by_word: dict[str, set[int]] = {}  # in that list
        self._holder_counts: dict[str, int] = {}
        self._claims_by_id: dict[str, ClaimRecord] = {}
        self._superseded_ids: set[str] = set()
        self._claims_by_key: dict[str, dict[str, ClaimRecord]] = {}  # those that hold, by statement key
        self._ended_values: dict[tuple[str, str, str], str] = {}  # ids of the others by statement key, value and scope
        self._ledger_statements: dict[str, dict[str, list[tuple[Record, LedgerStatement]]]] = {}
        self._records_by_name: dict[str, list[Record]] = {}
        self._triples_by_id: dict[str, Triples] = {}

    def add(self, claim: ClaimRecord) -> None:
        """Add a claim that is kept, so that the next ones are compared with it."""
        self._claims_by_id[claim.id] = claim
        words = _content_tokens(claim.text)
        for word in words:
            self._positions_by_word.setdefault(word, set()).add(len(self._run_claims))
        self._run_claims.append((claim, words))
        self._claims_by_key.setdefault(claim.statement_key, {})[claim.id] = claim

    def remove(self, record_id: str) -> None:
        """Remove a record that was superseded in this run."""
        self._superseded_ids.add(record_id)
        claim = self._claims_by_id.pop(record_id, None)
        if claim is not None:
            del self._claims_by_key[claim.statement_key][record_id]
            self._ended_values.setdefault((claim.statement_key, claim.value_key, claim.scope), record_id)

    def find(self, record_id: str) -> Record | None:
        """Return the record or capture of this id in the index."""
        return self._index.find(record_id)

    def is_written(self, claim: ClaimRecord) -> bool:
        """Whether the line of a claim is in its file already."""
        record = self._index.find(claim.id)
        return record is not None and not record.source.path.startswith(EXCLUDED_PATHS)

    def to_claim(self, record: Record, value_digest: str = "", time: str = "") -> ClaimRecord:
        """Return an existing record in the form of a claim; its time is that of the ledger, if this has one."""
        statement = self._history.statement_by_record.get(record.id)
        return ClaimRecord(
            id=record.id,
            text=strip_line_decoration(record),
            category=record.category,
            trust=record.trust,
            time=time or (statement.time if statement else "") or record.time or record.valid_from,
            scope=record.scope,
            entities=(*record.entities, *record.heading[-1:]),
            valid_from=record.valid_from,
            sources=record.sources,
            path=record.source.path,
            line_text=record.text,
            value_digest=value_digest,
        )

    def find_entity_page(self, entity: str) -> str:
        """Return the page of an entity, by any of its names; empty if it has none."""
        pages = self._index.pages_by_name((text.name_key(entity),))
        return next((path for _key, path in pages if path.startswith(ENTITY_PAGES_PREFIX)), "")

    def capture_trust(self, capture: Capture) -> Trust:
        """Return the trust of a capture: for an agent's, no higher than that of its least trusted source."""
        if capture.actor != "agent" or not capture.from_:
            return capture.origin
        basis = [record.trust for source in capture.from_ if (record := self._index.find(source)) is not None]
        return least_trusted(capture.origin, *basis)

    def is_copied_from_untrusted(self, sentence: str) -> bool:
        """Whether a sentence was copied word for word from an untrusted text."""
        own = hash_shingles(sentence)
        return is_copied(own, len(self._index.find_tainted_shingles(own)))

    # what says the same

    def find_similar(self, claim: ClaimRecord) -> tuple[ClaimRecord, ...]:
        """Return the records, and the claims of this run, that may repeat a claim and are visible in its scope.

        A repetition has every required word, so it is among the records that have one of the rarest of them. Of many
        those come first that have the most of these words, and then the most similar.
        """
        words = _content_tokens(claim.text)
        required = sorted(required_terms(claim.text).intersection(words)) or words
        same_id = self._history.record_by_words.get(words_key(claim.text))
        same_words = self._index.find(same_id) if same_id else None  # however many captures have these words
        indexed = self._find_similar_indexed(claim, words, required)
        records = {
            record.id: record
            for record in (*((same_words,) if same_words else ()), *indexed)
            if self._is_comparable(record, claim)
        }
        return (*map(self.to_claim, records.values()), *self._find_similar_in_run(claim, words, required))

    def _find_similar_indexed(self, claim: ClaimRecord, words: list[str], required: list[str]) -> Iterator[Record]:
        """The indexed lines that have one of the rarest required words or, of very many, all required words."""
        for word in required:
            if word not in self._holder_counts:
                self._holder_counts[word] = len(self._index.records_with_tokens((word,)))
        counts = self._holder_counts
        rarest = sorted((word for word in required if counts[word]), key=counts.__getitem__)[:MAX_RAREST_WORDS]
        are_many = required is not words and sum(counts[word] for word in rarest) > MANY_HOLDERS
        lookups = [required] if are_many else [[word] for word in rarest]
        rows = {row_id for tokens in lookups for row_id in self._index.records_with_tokens(tokens)}
        lines = [row_id for row_id, _id, path, _digest in self._index.outlines(rows) if not _is_excluded(path)]
        if len(lines) > MAX_SIMILAR_RECORDS:
            tokens_by_row = self._index.read_tokens(lines)
            lines.sort(key=lambda row: _dissimilarity_key(words, required, tokens_by_row[row][0].split()))
        chunks = (lines[start : start + MAX_SIMILAR_RECORDS] for start in range(0, len(lines), MAX_SIMILAR_RECORDS))
        records = (record for chunk in chunks for record in self._fetch_in_order(chunk))
        return islice((record for record in records if self._is_comparable(record, claim)), MAX_SIMILAR_RECORDS)

    def _fetch_in_order(self, row_ids: Sequence[int]) -> list[Record]:
        """Return the records of rows, in the order of these."""
        fetched = self._index.fetch(row_ids)
        return [fetched[row_id].record for row_id in row_ids]

    def _find_similar_in_run(self, claim: ClaimRecord, words: list[str], required: list[str]) -> list[ClaimRecord]:
        """Return the same among the claims of this run."""
        holders = sorted((self._positions_by_word.get(word, set()) for word in required), key=len)
        rarest = [positions for positions in holders if positions][:MAX_RAREST_WORDS]
        are_many = required is not words and sum(map(len, rarest)) > MANY_HOLDERS
        positions = set.intersection(*holders) if are_many else set[int]().union(*rarest)
        similar = [
            (other, other_words)
            for other, other_words in map(self._run_claims.__getitem__, sorted(positions))
            if other.id in self._claims_by_id and other.id != claim.id and other.scope in ("", claim.scope)
        ]
        if len(similar) > MAX_SIMILAR_RECORDS:
            similar.sort(key=lambda pair: _dissimilarity_key(words, required, pair[1]))
        return [other for other, _words in similar[:MAX_SIMILAR_RECORDS]]

    def _is_comparable(self, record: Record, claim: ClaimRecord) -> bool:
        """Whether a record is a line outside the queue and episodes, holds, and is visible in the claim's scope."""
        is_line = not (record.is_evidence or _is_excluded(record.source.path) or record.text.startswith(STRIKETHROUGH))
        holds = record.superseded_by in ("", claim.id) and record.id not in self._superseded_ids
        return is_line and holds and record.id != claim.id and record.scope in ("", claim.scope)

    # what states the same attribute

    def find_conflicts(self, claim: ClaimRecord) -> tuple[ClaimRecord, ...]:
        """Return what is stated already of the claim's attribute in the same scope, newest first; nothing if an
        attribute may have several values."""
        if not claim.is_single_valued:
            return ()
        key, name = claim.statement_key, text.name_key(claim.entity)
        stated = {
            other.id: other
            for other in self._claims_by_key.get(key, {}).values()
            if other.scope == claim.scope and other.id != claim.id
        }
        in_ledger = self._stated_in_ledger(key)
        for record, statement in (*in_ledger.get("", ()), *in_ledger.get(claim.id, ())):
            if self._can_conflict(record, claim):
                stated.setdefault(record.id, self.to_claim(record, statement.value, statement.time))
        for record in self._find_naming_records(claim.entity):
            if self._can_conflict(record, claim):
                if record.id not in self._triples_by_id:
                    self._triples_by_id[record.id] = extract_triples(
                        strip_line_decoration(record), record.entities, record.heading, now=record.time
                    )
                for entity, attribute, value in self._triples_by_id[record.id]:
                    if (entity, attribute) == (name, claim.attribute):
                        stated.setdefault(record.id, self.to_claim(record, value_key(value)))
        return tuple(sorted(stated.values(), key=lambda other: (other.time, other.id), reverse=True))

    def find_ended_value(self, claim: ClaimRecord) -> str:
        """Return the id of a record with the claim's value that no longer holds; empty if there is none."""
        key, value = claim.statement_key, claim.value_key
        if ended := self._ended_values.get((key, value, claim.scope)):
            return ended
        for statement in self._history.statements_by_key.get(key, {}).values():
            if statement.value == value and statement.record != claim.id:
                record = self._index.find(statement.record)
                if record is not None and record.superseded_by and record.scope == claim.scope:
                    return record.id
        return ""

    def _stated_in_ledger(self, key: str) -> dict[str, list[tuple[Record, LedgerStatement]]]:
        """Return the unchanged lines that state this according to the ledger, by the id that supersedes them."""
        if key not in self._ledger_statements:
            lines = self._ledger_statements[key] = {}
            for record_id, statement in self._history.statements_by_key.get(key, {}).items():
                record = self._index.find(record_id)
                if record is not None and self._history.has_statement(record.id, text_key(record.text)):
                    lines.setdefault(record.superseded_by, []).append((record, statement))
        return self._ledger_statements[key]

    def _can_conflict(self, record: Record, claim: ClaimRecord) -> bool:
        return self._is_comparable(record, claim) and record.scope == claim.scope

    def _find_naming_records(self, entity: str) -> list[Record]:
        """Return the newest lines that name an entity and whose statements are not in the ledger."""
        key = text.name_key(entity)
        if key not in self._records_by_name:
            outlines = self._index.outlines(self._index.records_with_tokens(_content_tokens(entity)))
            rows = [
                row_id
                for row_id, record_id, path, digest in outlines
                if not _is_excluded(path) and not self._history.has_statement(record_id, digest)
            ]
            self._records_by_name[key] = self._fetch_in_order(self._index.newest_of_rows(rows, MAX_RECORDS_PER_NAME))
        return self._records_by_name[key]

    # what retells it

    def find_retellings(
        self,
        claim: ClaimRecord,
        repeating_captures: Iterable[str] = (),
        records_by_capture: Mapping[str, list[Record]] | None = None,
    ) -> tuple[str, ...]:
        """Return the ids of what says the same as a line: the captures that it is based on, and those that repeat it
        (`repeating_captures` in this run), if they say hardly anything else; and the records that were made of these
        captures, before or in this run (`records_by_capture`)."""
        repeats = self._history.repeated_captures.get(claim.id, ())
        sources = tuple(dict.fromkeys((*claim.sources, *repeats, *repeating_captures)))
        derived = [row.record for row in self._index.fetch(self._index.rows_derived_from(sources)).values()]
        captures = [record for one in sources if (record := self._index.find(one)) is not None and record.is_evidence]
        new = [record for one in sources for record in (records_by_capture or {}).get(one, ())]
        line_words = set(_content_tokens(claim.line_text or claim.text))
        others = {record.id: record for record in (*derived, *captures, *new) if record.id != claim.id}.values()
        same = []
        for record in others:
            words = _content_tokens(strip_line_decoration(record)) if record.form != "summary" else []
            if words and sum(word in line_words for word in words) >= MIN_SAME_SHARE * len(words):
                same.append(record)
        # The summary of an episode says nothing that its details do not.
        paths = {record.source.path for record in same}
        summaries = [record for record in others if record.form == "summary" and record.source.path in paths]
        return tuple(record.id for record in (*same, *summaries))


def _is_excluded(path: str) -> bool:
    return path.startswith(EXCLUDED_PATHS)


def _dissimilarity_key(words: list[str], required: list[str], other_words: list[str]) -> tuple[int, float]:
    """The key to sort by: how many required words the others lack, then how few of all words they share."""
    others = set(other_words)
    return sum(word not in others for word in required), -text.jaccard_similarity(words, other_words)


def _content_tokens(sentence: str) -> list[str]:
    own = text.detect_language(sentence)
    return list(dict.fromkeys(word for word in text.tokenize(sentence, own) if not text.is_stop_word(word, own)))
