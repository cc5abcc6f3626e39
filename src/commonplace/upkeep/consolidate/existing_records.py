"""Existing records that a claim repeats or conflicts with, and how a conflict is resolved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import chain
from math import log

from msgspec import structs

from commonplace import truth
from commonplace.index import Index
from commonplace.language import text
from commonplace.language.text import hash_shingles, is_copied
from commonplace.model import Capture, Query, Record, Trust, least_trusted
from commonplace.retrieval.recall import recall
from commonplace.sync import read_record_statements
from commonplace.upkeep.agent_words import SessionWords, read_session_words
from commonplace.upkeep.consolidate.claim_record import ClaimRecord, words_key
from commonplace.upkeep.consolidate.duplicates import required_terms
from commonplace.upkeep.consolidate.file_edits import ENTITY_PAGES_PREFIX, STRIKETHROUGH, strip_line_decoration
from commonplace.upkeep.consolidate.history import LedgerHistory


def resolve_relation(claim: ClaimRecord, undated_since: str) -> ClaimRecord:
    """The claim with its effect on the `similar` records of which it gives another value, newest first.

    `is over`: it arrived late, and what holds since the first of the `conflicts` stays; `conflicts`: it contradicts
    these and cannot replace them; `supports`: it states what the first of them states. Of those of which it says all
    and more, it gathers the sources. A line without a date is older than what was said since `undated_since`.
    """
    by_effect: dict[truth.Effect, list[ClaimRecord]] = {}
    for other in sorted(claim.similar, key=lambda one: (one.time, one.id), reverse=True):
        if met := truth.compare_lines(claim.comparable, other.comparable, undated_since):
            by_effect.setdefault(met[0], []).append(other)
    thinner = [other for other in by_effect.get("enriches", ()) if other.trust_rank >= claim.trust_rank]
    gathered = dict.fromkeys(source for other in thinner for source in other.sources or (other.id,))
    claim = structs.replace(claim, gathered=tuple(gathered))
    effects: tuple[truth.Effect, ...] = ("conflicts", "is over", "replaces", "supports")
    if (same := by_effect.get("supports")) and same[0].trust_rank > claim.trust_rank:
        effects = ("supports",)
    effect = next(filter(by_effect.get, effects), None)
    others = by_effect[effect] if effect else []
    return structs.replace(claim, effect=effect, conflicts=tuple(others[::-1] if effect == "is over" else others))


MAX_SIMILAR_RECORDS = 16
DEFAULT_VOCABULARY = truth.Vocabulary()
RARITY_CAPTURES = 20  # as if there were so many more: in a small notebook no word is common
MIN_SAME_SHARE = 0.6  # of the words of a retelling; one with more other words says something else besides


class ExistingRecords:
    """Looks up the records and sources with which claims are compared, and the claims that the run itself keeps. A line
    that the claim at hand supersedes counts as if it were not: a run that was interrupted finds the same again."""

    def __init__(self, index: Index, history: LedgerHistory, vocabulary: truth.Vocabulary = DEFAULT_VOCABULARY) -> None:
        self.index, self._history, self.vocabulary = index, history, vocabulary
        self._run_words: dict[str, frozenset[str]] = {}  # of each claim of this run that holds
        self._run_ids_by_word: dict[str, dict[str, None]] = {}  # ids of these, also by signature
        self._claims_by_id: dict[str, ClaimRecord] = {}
        self._superseded_ids: set[str] = set()
        self._ended_by_words: dict[tuple[str, str], str] = {}  # ids of claims of this run, by words and scope
        self._statements_by_id: dict[str, tuple[truth.Statement, ...]] = {}
        self._session_words: dict[str, SessionWords] = {}
        self._capture_counts: dict[str, int] = {}  # by token

    def add(self, claim: ClaimRecord) -> None:
        """Add a claim that is kept, so that the next ones are compared with it."""
        self._claims_by_id[claim.id] = claim
        words = truth.content_tokens(claim.text)
        for word in (*words, *map(str, claim.signatures)):
            self._run_ids_by_word.setdefault(word, {})[claim.id] = None
        self._run_words[claim.id] = frozenset(words)

    def remove(self, record_id: str) -> None:
        """Remove a record that was superseded in this run."""
        self._superseded_ids.add(record_id)
        if claim := self._claims_by_id.pop(record_id, None):
            for word in (*self._run_words.pop(record_id), *map(str, claim.signatures)):
                self._run_ids_by_word[word].pop(record_id, None)
            self._ended_by_words[words_key(claim.text), claim.scope] = record_id

    def rarity(self, token: str, own_count: int) -> float:
        """Return how rare a token is in other captures than the `own_count` at hand: 1 if no other has it."""
        if token not in self._capture_counts:
            rows = len(self.index.matching_rows(token))
            self._capture_counts[token] = rows - len(self.index.records_with_tokens([token])) if rows else 0
        most = self.index.capture_count() + RARITY_CAPTURES
        return log(most / (max(self._capture_counts[token] - own_count, 0) + 1)) / log(most)

    def is_written(self, claim: ClaimRecord) -> bool:
        """Whether the line of a claim is in its file already."""
        record = self.index.find(claim.id)
        return record is not None and not record.source.path.startswith(truth.EXCLUDED_PATHS)

    def to_claim(self, record: Record) -> ClaimRecord:
        """An existing record in the form of a claim; its time is that of the ledger, if this has one."""
        statement = self._history.statement_by_record.get(record.id)
        if record.id not in self._statements_by_id:
            sources = [source for one in record.sources if (source := self.index.find(one)) is not None]
            is_talk = any(source.is_evidence and not truth.is_written_statement(source.text) for source in sources)
            statements = read_record_statements(structs.replace(record, sources=()), self.vocabulary)
            statements = tuple(structs.replace(one, is_talk=is_talk) for one in statements)
            self._statements_by_id[record.id] = statements
        return ClaimRecord(
            id=record.id,
            text=strip_line_decoration(record),
            category=record.category,
            trust=record.trust,
            time=(statement.time if statement else "") or record.time or record.recorded,
            scope=record.scope,
            entities=(*record.entities, *record.heading[-1:]),
            valid_from=record.valid_from,
            sources=record.sources,
            path=record.source.path,
            line_text=record.text,
            statements=self._statements_by_id[record.id],
        )

    def find_entity_page(self, entity: str) -> str:
        """Return the page of an entity, by any of its names; empty if it has none."""
        pages = self.index.pages_by_name((text.name_key(entity),))
        return next((path for _key, path in pages if path.startswith(ENTITY_PAGES_PREFIX)), "")

    def capture_trust(self, capture: Capture) -> Trust:
        """Return the trust of a capture: for an agent's, no higher than that of its least trusted source."""
        if capture.actor != "agent" or not capture.from_:
            return capture.origin
        basis = [record.trust for source in capture.from_ if (record := self.index.find(source)) is not None]
        return least_trusted(capture.origin, *basis)

    def is_held_back(self, claim: ClaimRecord, root: str) -> bool:
        """Whether an agent said it after it read untrusted text, and it is neither the owner's nor about a command."""
        words = self._session_words.get(claim.session) if claim.session else None
        words = words or read_session_words(root, self.index, claim.session, device="", now=claim.time)
        self._session_words[claim.session] = words
        return words.holds_back(claim.spoken, claim.time)

    def is_copied_from_untrusted(self, sentence: str) -> bool:
        """Whether a sentence was copied word for word from an untrusted text."""
        own = hash_shingles(sentence)
        return is_copied(own, len(self.index.find_tainted_shingles(own)))

    def find_similar(self, claim: ClaimRecord) -> tuple[ClaimRecord, ...]:
        """The records, and the claims of this run, that may repeat a claim or give another value, the nearest first, as
        far as they are visible in its scope. A repetition has every required word, so also one of the rarest."""
        words = truth.content_tokens(claim.text)
        required = sorted(required_terms(claim.text).intersection(words)) or words
        query = truth.NearQuery(words, required, claim.signatures, claim.scope)
        is_comparable = partial(self._is_comparable, claim=claim)
        # First the one with the same words, however many captures have them, and the one that a model names.
        ids = self._history.record_by_words.get(words_key(claim.text)), claim.related_id
        first = [record for one in ids if one and (record := self.index.find(one)) and is_comparable(record)]
        nearest = truth.find_nearest(self.index, query, is_comparable, MAX_SIMILAR_RECORDS)
        records = {record.id: record for record in (*first, *nearest)}
        return (*map(self.to_claim, records.values()), *self._find_similar_in_run(claim, query))

    def find_near_lines(self, texts: Iterable[str], query: Query, count: int) -> tuple[ClaimRecord, ...]:
        """The lines that a recall for each of some texts finds, at most so many, those that are near to several first;
        in place of an episode those that rest on the same captures."""
        probe = ClaimRecord(id="", text="", category="note", trust="trusted", scope=query.scope)
        times: Counter[str] = Counter()
        records: dict[str, Record] = {}
        for shown in texts:
            found = [hit.record for hit in recall(self.index, structs.replace(query, text=shown)).hits]
            retold = [source for record in found if record.form == "summary" for source in record.sources]
            lines = [row.record for row in self.index.fetch(self.index.rows_derived_from(retold)).values()]
            for record in {one.id: one for one in (*found, *lines)}.values():
                if self._is_comparable(record, probe):
                    times[record.id] += 1
                    records[record.id] = record
        return tuple(self.to_claim(records[record_id]) for record_id, _times in times.most_common(count))

    def _find_similar_in_run(self, claim: ClaimRecord, query: truth.NearQuery) -> list[ClaimRecord]:
        holders = sorted((self._run_ids_by_word.get(word, {}) for word in query.required), key=len)
        rarest = [ids for ids in holders if ids][: truth.MAX_RAREST_WORDS]
        are_many = query.required is not query.words and sum(map(len, rarest)) > truth.MANY_HOLDERS
        sharing = dict.fromkeys(chain(*(self._run_ids_by_word.get(str(one), ()) for one in claim.signatures)))
        near = [one for one in holders[0] if all(one in ids for ids in holders)] if are_many else chain(*rarest)
        similar = [
            other
            for other in map(self._claims_by_id.__getitem__, dict.fromkeys((*sharing, *near)))
            if other.id != claim.id and other.scope in ("", claim.scope)
        ]
        if len(similar) > MAX_SIMILAR_RECORDS:
            nearest = sorted(similar, key=lambda one: truth.dissimilarity_key(query, self._run_words[one.id]))
            newest = [one for one in similar if one.id in sharing][::-1][: MAX_SIMILAR_RECORDS // 2]
            similar = [*{one.id: one for one in (*newest, *nearest)}.values()]
        return similar[:MAX_SIMILAR_RECORDS]

    def _is_comparable(self, record: Record, claim: ClaimRecord) -> bool:
        """Whether a record is a line outside the queue and episodes, holds, and is visible in the claim's scope."""
        is_queued = record.is_evidence or record.source.path.startswith(truth.EXCLUDED_PATHS)
        by = record.superseded_by  # a capture that gives another value waits for consolidation itself
        holds = (by in ("", claim.id) or by.startswith("obs:")) and not record.text.startswith(STRIKETHROUGH)
        is_visible = record.scope in ("", claim.scope) and record.id not in (claim.id, *self._superseded_ids)
        return holds and is_visible and not is_queued

    def find_ended_value(self, claim: ClaimRecord) -> str:
        """The id of a record with the claim's words that no longer holds; empty if there is none."""
        words = words_key(claim.text)
        if ended := self._ended_by_words.get((words, claim.scope)):
            return ended
        record_id = self._history.record_by_words.get(words, "")
        record = self.index.find(record_id) if record_id else None
        return record.id if record and record.superseded_by and record.scope == claim.scope else ""

    def find_retellings(
        self,
        claim: ClaimRecord,
        repeating_captures: Iterable[str] = (),
        records_by_capture: Mapping[str, list[Record]] | None = None,
    ) -> tuple[str, ...]:
        """The ids of what says the same as a line, if it says hardly anything else: the captures that it is based on,
        those that repeat it (`repeating_captures` in this run), and the records made of these captures, before or in
        this run (`records_by_capture`)."""
        repeats = self._history.repeated_captures.get(claim.id, ())
        sources = tuple(dict.fromkeys((*claim.sources, *repeats, *repeating_captures)))
        derived = [row.record for row in self.index.fetch(self.index.rows_derived_from(sources)).values()]
        captures = [record for one in sources if (record := self.index.find(one)) is not None and record.is_evidence]
        new = [record for one in sources for record in (records_by_capture or {}).get(one, ())]
        line_words = set(truth.content_tokens(claim.line_text or claim.text))
        others = {record.id: record for record in (*derived, *captures, *new) if record.id != claim.id}.values()

        def is_retold(record: Record) -> bool:
            told = text.split_sentences(record.text) if record.form == "summary" else [strip_line_decoration(record)]
            parts = filter(None, map(truth.content_tokens, told))
            return any(sum(word in line_words for word in words) >= MIN_SAME_SHARE * len(words) for words in parts)

        return tuple(record.id for record in others if is_retold(record))
