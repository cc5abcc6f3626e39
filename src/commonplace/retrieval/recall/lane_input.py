"""The input of every lane of recall, and its result."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from commonplace.index import Index, name_marker
from commonplace.model import Query
from commonplace.retrieval.recall.dialogue import DialogueScores
from commonplace.retrieval.recall.entity_names import rows_on_entity_pages
from commonplace.retrieval.recall.lexical import Bm25Scorer
from commonplace.retrieval.recall.query import Mention, ParsedQuery, parse_query
from commonplace.retrieval.recall.question_analysis import narrow_to_intent
from commonplace.retrieval.shares import HALF

if TYPE_CHECKING:
    from commonplace.retrieval.vectors import QuestionSpace

Strengths = dict[int, float]  # row -> how strongly a lane favours it

MIN_SCORED = 30  # records scored in full for ten hits
OVERVIEW_ROWS_PER_DEPTH = 10  # of a name that very many have, times the depth: more than can be among the hits
MAX_LANE_ROWS = 2_000  # records of one stretch of time, of one sort, or of one name, newest first
EVENT_SHARE = 0.8  # of the time that is meant: a line that was written then comes before one that tells of it


class VectorSource(Struct, frozen=True):
    """How recall uses vectors: when (`mode`, and below how many lines found by words), and their source: `ask` takes
    the texts of a question and returns what lines are compared with (None: nothing now), and notes for the reader."""

    mode: str
    min_primary_results: int
    ask: Callable[[Index, tuple[str, ...]], tuple[QuestionSpace | None, tuple[str, ...]]]


class LaneResult(Struct, frozen=True):
    """The rows that a lane found with their strengths, and notes for the reader; of the lexical lane also the
    `best_rows` of each of several questions, of the dialogue lane `dialogue_scores`, of the vector lane `space`, by
    which other rows are measured later."""

    strengths: Strengths = {}
    notes: tuple[str, ...] = ()
    dialogue_scores: DialogueScores | None = None
    space: QuestionSpace | None = None
    best_rows: tuple[Collection[int], ...] = ()


class EntityMentions:
    """Which of the rows looked up so far name, or are spoken by, the entities of a query."""

    def __init__(self, index: Index, parsed: ParsedQuery) -> None:
        self._index, self._parsed = index, parsed
        self.mentions: list[Mention] = []
        # Whether it asks for everything about what so many mention that not all are looked up.
        frequencies = (index.document_frequency(name_marker(key)) for key in parsed.entity_names)
        self.is_cut = parsed.intent == "about" and sum(frequencies) > MAX_LANE_ROWS

    def look_up(self, row_ids: Iterable[int], *, newest: int = 0) -> None:
        """Look up more rows, and this many of the newest that mention an entity of the query; all if it asks for
        everything about an entity, and where these are very many, those that can be among the hits."""
        index, names = self._index, tuple(self._parsed.entity_names)
        if not names:
            return
        if self._parsed.intent == "about" and not self.is_cut:
            self.mentions = self.mentions or index.mentions(names)
            return
        looked_up = {*row_ids, *(self.newest_rows(newest) if newest else ())}
        self.mentions += index.mentions_in_rows(names, looked_up)

    def contacts(self) -> set[int]:
        """The newest cards of people that the query may see."""
        person = structs.replace(self._parsed.record_filter, categories=("person",))
        return set(self._index.newest_filtered_rows(person, MAX_LANE_ROWS))

    def _rows_of_overview(self, depth: int) -> set[int]:
        """The contacts, the pages of the entities, and the newest records that mention one: of several entities so many
        that those which mention most of them can be put first."""
        parsed, names = self._parsed, tuple(self._parsed.entity_names)
        is_ordered = len(names) == 1 and parsed.required_rows is None
        at_most = min(OVERVIEW_ROWS_PER_DEPTH * depth, MAX_LANE_ROWS) if is_ordered else MAX_LANE_ROWS
        newest = self._index.newest_mentioning_rows(names, parsed.record_filter, at_most)
        return self.contacts().union(newest, rows_on_entity_pages(self._index, names))

    def newest_rows(self, at_most: int) -> set[int]:
        """The newest records that mention an entity of the query: at most this many by speakers, and as many others; if
        it has nothing but names and cues, also the newest of the kind that it asks for."""
        parsed, row_ids = self._parsed, set[int]()
        if parsed.intent == "about":
            return self._rows_of_overview(at_most)
        spoken = [key for key, name in parsed.entity_names.items() if name in parsed.speakers]
        for keys in (spoken, [key for key in parsed.entity_names if key not in spoken]):
            row_ids.update(self._index.newest_mentioning_rows(keys, parsed.record_filter, at_most) if keys else ())
        only = narrow_to_intent(parsed.record_filter, parsed.intent) if parsed.has_only_cues else None
        return row_ids.union(self._index.newest_filtered_rows(only, MAX_LANE_ROWS) if only is not None else ())

    def speaker_rows(self) -> set[int]:
        """The rows that were said by a speaker whom the query names."""
        names, speakers = self._parsed.entity_names, self._parsed.speakers
        return {row_id for row_id, key, role in self.mentions if role == "speaker" and names[key] in speakers}


class Signals(Struct, frozen=True, gc=False):
    """The strengths of the lanes for one record, from 0 to 1; those measured by the best match may be greater.

    From `speaks` on they are features of the line: `speaks` is 1 if a speaker whom the question names said it, `length`
    is min(ln(1 + tokens) / 4, 1), `asks` 1 if it asks another person (0 where there is no `vector`, whose part alone
    reads it), `addresses` 1 if a speaker who is asked about has the words of the question only where he asks another or
    says `you`, `by_agent` 1 if an assistant said it, `holds` 1 if it may contain the answer. `retells` is 1 if its
    capture is a candidate too; `stands` is 1 if all these are the signals of that capture, which the record replaces.
    """

    lexical: float = 0.0
    entity: float = 0.0
    kind: float = 0.0
    time: float = 0.0
    event: float = 0.0
    about: float = 0.0
    session: float = 0.0
    near: float = 0.0
    answers: float = 0.0
    close: float = 0.0
    vector: float = 0.0
    order: float = 0.0
    speaks: float = 0.0
    length: float = 0.0
    asks: float = 0.0
    addresses: float = 0.0
    by_agent: float = 0.0
    holds: float = 0.0
    retells: float = 0.0
    stands: float = 0.0


class LaneInput(Struct, frozen=True, dict=True):
    """A query as every lane gets it, with the `results` of the lanes that ran before, by name; `depth` is how many
    records the lanes look for, at least."""

    index: Index
    query: Query
    languages: tuple[str, ...]
    vectors: VectorSource | None
    parsed: ParsedQuery
    scorer: Bm25Scorer
    mentions: EntityMentions
    depth: int
    results: dict[str, LaneResult]

    @property
    def matches(self) -> Strengths:
        """The BM25 of the records that match, those of the dialogues around included once they were read."""
        return (self.results.get("dialogue") or self.results["lexical"]).strengths

    @property
    def dialogue_scores(self) -> DialogueScores:
        """The turns that were read, and what their dialogues add to them."""
        scores = self.results["dialogue"].dialogue_scores
        assert scores is not None, "the dialogue lane always runs"
        return scores

    @cached_property
    def time_strengths(self) -> Strengths:
        """The records of the time that is meant: written then or holding then, and telling of it."""
        events = {row_id: EVENT_SHARE * share for row_id, share in self.results["event"].strengths.items()}
        return merge_strengths(self.results["time"].strengths, events)


def prepare_lanes(index: Index, query: Query, languages: tuple[str, ...], vectors: VectorSource | None) -> LaneInput:
    """The input of the first lane. Raises BadArgument for a time that cannot be read."""
    parsed = parse_query(index, query, languages)
    scorer, mentions = Bm25Scorer(index, parsed.terms), EntityMentions(index, parsed)
    if parsed.sessions.is_from_end:
        rows = index.rows_of_sessions(parsed.sessions.names, parsed.record_filter, MAX_LANE_ROWS)
        scorer.score_rows(index, rows, parsed.record_filter)
        said = sum(word.idf for word, counts in zip(scorer.terms, scorer.term_counts, strict=True) if counts)
        sessions = structs.replace(parsed.sessions, is_on_topic=said >= HALF * scorer.total_idf)
        parsed = structs.replace(parsed, sessions=sessions)
    return LaneInput(index, query, languages, vectors, parsed, scorer, mentions, MIN_SCORED, {})


def merge_strengths(strengths: Strengths, others: Strengths) -> Strengths:
    """The rows of both, each with its greater strength."""
    if not strengths or not others:
        return strengths or others
    return strengths | {row_id: max(strengths.get(row_id, 0.0), strength) for row_id, strength in others.items()}
