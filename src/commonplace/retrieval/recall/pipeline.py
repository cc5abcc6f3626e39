"""The stages of a recall: parse the query, run the lanes, select candidates, score them, choose the hits.

Each stage leaves its result in a `RecallTrace`; the answer, `--explain` and `why-not` all read that.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct, structs

from commonplace.index import Index, IndexedRecord
from commonplace.model import Hit, Hits, Query
from commonplace.retrieval.recall.candidates import (
    CandidateSet,
    adjust_for_captures,
    combine_lanes,
    select_candidates,
    source_ids,
)
from commonplace.retrieval.recall.lane_input import LaneInput, Signals, VectorSource, prepare_lanes
from commonplace.retrieval.recall.lanes import measure_candidates, run_lanes
from commonplace.retrieval.recall.lexical import Bm25Scorer
from commonplace.retrieval.recall.query import ParsedQuery
from commonplace.retrieval.recall.scoring import MIN_CONFIDENCE, estimate_confidence, query_coverage

REPEATED_WORD_SHARE = 0.6  # of its words: a hit with so many in better hits of the same captures is a duplicate


class ScoredCandidate(Struct, frozen=True, gc=False):
    """A record that was scored in full: as the index has it, its signals, and the hit that it is."""

    indexed_record: IndexedRecord
    signals: Signals
    hit: Hit

    @property
    def row_id(self) -> int:
        """Its row in the index."""
        return self.indexed_record.row_id


class Choice(Struct, frozen=True):
    """The ranking without duplicates, and by row for each duplicate the better hits that rest on the same captures."""

    ranked: list[ScoredCandidate]
    duplicates: dict[int, list[ScoredCandidate]]


class RecallTrace(Struct, frozen=True):
    """The stages of a recall: the lanes with their results, the candidates with their signals, those that were read and
    scored in full, best first (`read_rows` counts those whose score is 0 too), and the choice of hits."""

    lane_input: LaneInput
    candidates: CandidateSet
    read_rows: frozenset[int]
    scored: list[ScoredCandidate]
    choice: Choice

    @property
    def query(self) -> Query:
        """The query."""
        return self.lane_input.query

    @property
    def parsed(self) -> ParsedQuery:
        """The query taken apart."""
        return self.lane_input.parsed

    @property
    def scorer(self) -> Bm25Scorer:
        """The scorer for the words of the query, with their statistics in the index."""
        return self.lane_input.scorer

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the reader: about the query, then about lanes that could not work completely."""
        return self.parsed.notes + tuple(note for result in self.lane_input.results.values() for note in result.notes)

    @property
    def hits(self) -> Hits:
        """The answer: the k best hits, and those ranked below them."""
        chosen, k = self.choice.ranked, self.query.k
        sure = 0.0
        if chosen:  # how likely the first hit answers; the order of what only a name or a time finds says nothing
            row_id = chosen[0].row_id
            covered = match_coverage(self.lane_input, row_id)
            share = query_coverage(self.parsed, self.scorer, covered, self.candidates[row_id])
            compared = chosen[:1] if self.parsed.has_only_cues else chosen
            sure = estimate_confidence(share, [scored.hit.score for scored in compared])
        hits = tuple([scored.hit for scored in chosen])
        rest = hits[k : self.lane_input.depth]
        return Hits(self.query, hits[:k], sure >= MIN_CONFIDENCE, self.notes, rest, sure)

    def retrace(self, **changes: Any) -> RecallTrace:
        """The trace of the same recall with other arguments, which are fields of `Query`."""
        query = structs.replace(self.query, **changes)
        return trace_recall(self.lane_input.index, query, self.lane_input.languages, vectors=self.lane_input.vectors)


def recall(
    index: Index, query: Query, languages: tuple[str, ...] = ("en",), *, vectors: VectorSource | None = None
) -> Hits:
    """The k best hits for a query, best first. Any text is a query; raises BadArgument for unreadable times."""
    return trace_recall(index, query, languages, vectors=vectors).hits


def trace_recall(
    index: Index, query: Query, languages: tuple[str, ...] = ("en",), *, vectors: VectorSource | None = None
) -> RecallTrace:
    """The same recall with the result of each stage. Raises BadArgument for unreadable times."""
    lane_input = prepare_lanes(index, query, languages, vectors)
    run_lanes(lane_input)
    candidates = gather_candidates(lane_input)
    rows_by_id = index.fetch(select_candidates(index, candidates, lane_input.depth))
    adjust_for_captures(index, candidates, rows_by_id, lambda row_id: match_coverage(lane_input, row_id))
    scored = score_candidates(rows_by_id, candidates)
    return RecallTrace(lane_input, candidates, frozenset(rows_by_id), scored, deduplicate_candidates(scored))


def gather_candidates(lane_input: LaneInput) -> CandidateSet:
    """The rows that the lanes found and that the filters let through."""
    row_ids, strengths = measure_candidates(lane_input)
    return CandidateSet(
        lane_input.parsed,
        combine_lanes(row_ids, strengths),
        dialogue_scores=lane_input.dialogue_scores,
        proximity=lane_input.results["proximity"].strengths,
        speaker_rows=lane_input.mentions.speaker_rows(),
    )


def score_candidates(rows_by_id: dict[int, IndexedRecord], candidates: CandidateSet) -> list[ScoredCandidate]:
    """The records with a score, best first; ties by path and line, so that equal files rank equally."""
    scored: list[ScoredCandidate] = []
    for indexed_record in rows_by_id.values():
        signals = candidates.complete(indexed_record)
        total, reasons = candidates.formula.score(indexed_record.record, signals)
        if total > 0:
            scored.append(ScoredCandidate(indexed_record, signals, Hit(indexed_record.record, total, reasons)))
    scored.sort(key=_rank_key)
    return scored


def deduplicate_candidates(scored: list[ScoredCandidate]) -> Choice:
    """The ranking without duplicates: candidates most of whose words are in better ones of the same captures."""
    better_by_source: dict[str, list[ScoredCandidate]] = {}
    choice = Choice([], {})
    for candidate in scored:
        sources = source_ids(candidate.hit.record)
        if sources:
            better = list({one.row_id: one for source in sources for one in better_by_source.get(source, ())}.values())
            if is_repeated(candidate, better):
                choice.duplicates[candidate.row_id] = better
                continue
            for source in sources:
                better_by_source.setdefault(source, []).append(candidate)
        choice.ranked.append(candidate)
    return choice


def is_repeated(candidate: ScoredCandidate, better: list[ScoredCandidate]) -> bool:
    """Whether most words of a candidate occur in the others."""
    repeated = set[str]().union(*(one.indexed_record.tokens.split() for one in better))
    words = candidate.indexed_record.tokens.split() if repeated else ()
    return bool(repeated) and sum(word in repeated for word in words) >= REPEATED_WORD_SHARE * len(words)


def _rank_key(candidate: ScoredCandidate) -> tuple[float, str, int, int, str]:
    hit, source = candidate.hit, candidate.hit.record.source
    return -hit.score, source.path, source.line_start, source.byte_start, hit.record.id


def match_coverage(lane_input: LaneInput, row_id: int) -> float:
    """The share of the question's weight that a record has by its words, if it matched."""
    return lane_input.scorer.coverage(row_id) if row_id in lane_input.matches else 0.0
