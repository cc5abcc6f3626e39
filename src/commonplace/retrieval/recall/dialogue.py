"""The dialogue and proximity lanes: score a turn by what was said around it and by query terms close together."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from itertools import compress, count, repeat
from operator import add
from weakref import WeakKeyDictionary

from msgspec import Struct

from commonplace.index import Dialogue, Filter, Index, IndexedTurn
from commonplace.language.text import QueryTerm
from commonplace.retrieval.recall.lexical import Bm25Scorer
from commonplace.retrieval.recall.question_analysis import is_person_name
from commonplace.retrieval.recall.score_bounds import inverse_frequency
from commonplace.retrieval.shares import HALF, QUARTER, TENTH

DIALOGUE_PARTS = ("session", "near", "answers")  # of the score, that this lane feeds
MAX_DIALOGUES = 20  # dialogues, the most promising first
MIN_DIALOGUE_TURNS = 12  # of a shorter one, lines are understood by themselves
LINE_DECAY = HALF + TENTH  # the next best line of a dialogue says so much less of it than the one before
# BM25 of whole dialogues (Robertson & Zaragoza 2009) and of pairs of words: they differ more in length than lines.
LONG_K1, LONG_B = 1 + 2 * TENTH, 1 - QUARTER
SESSION_WEIGHT, BEST_LINE_WEIGHT = HALF, TENTH
NEARBY_WEIGHTS = (TENTH, 2 * TENTH, TENTH)  # of each line one, two and three turns away
RADIUS = len(NEARBY_WEIGHTS)
AFTER_QUESTION_WEIGHT = 1 - QUARTER  # of a turn with a question in it, for the turn that answers it
QUESTION_MARKS = "?？؟"
ROW_PADDING, TURN_PADDING = (0,) * RADIUS, (None,) * RADIUS
NO_POSITION = -1  # the place of a row of no dialogue that was read

# For as long as the index keeps a dialogue.
_shape_cache: WeakKeyDictionary[Dialogue, DialogueShape] = WeakKeyDictionary()


class DialogueShape(Struct, frozen=True, gc=False):
    """The properties of a dialogue that do not depend on the query, most of them by position (`rows` are 0 where a turn
    is left out). `is_talk`: people talk with each other, and long enough that lines are understood by those around."""

    rows: tuple[int, ...]
    length: int
    is_talk: bool
    is_between_people: bool
    follows_question: tuple[bool, ...]


class TurnScores(Struct, frozen=True, gc=False):
    """A turn, and what its dialogue adds to its score: as a whole, by the lines near it, by the question before it."""

    turn: IndexedTurn
    session: float = 0.0
    nearby_lines: float = 0.0
    after_question: float = 0.0
    is_between_people: bool = False


class DialogueScores(Mapping[int, TurnScores]):
    """Turns with what their dialogues add to them, which is put together when a turn is looked at. The dialogues stand
    one behind the other, so far apart that neither reaches into the other; `single_turns` are rows of no dialogue."""

    def __init__(self, scorer: Bm25Scorer, dialogues: Sequence[Dialogue], single_turns: dict[int, IndexedTurn]) -> None:
        self.scorer, self._dialogues = scorer, dialogues
        self._shapes = [dialogue_shape(dialogue) for dialogue in dialogues]
        self._single_turns = single_turns
        self._matches: dict[int, float] | None = None
        self._start_positions: list[int] = []
        self._rows, self._turns = [*ROW_PADDING], list[IndexedTurn | None](TURN_PADDING)
        for shape, dialogue in zip(self._shapes, dialogues, strict=True):
            self._start_positions.append(len(self._rows))
            self._rows += shape.rows + ROW_PADDING
            self._turns += dialogue.turns + TURN_PADDING
        self.positions = {row_id: at for at, row_id in enumerate(self._rows) if row_id}
        self._scores: list[float] = list(map(scorer.scores.get, self._rows, repeat(0.0)))
        self._nearby_lines, self._after_question = _score_nearby_lines(self._scores), self._score_after_questions()
        places = self.positions
        counts = [{places[row]: often for row, often in rows.items() if row in places} for rows in scorer.term_counts]
        self._sessions = self._score_sessions(counts)
        self._context_scores = self._sum_context_scores()
        self.positions |= dict.fromkeys(single_turns, NO_POSITION)

    def __getitem__(self, row_id: int) -> TurnScores:
        position = self.positions[row_id]
        if position == NO_POSITION:
            return TurnScores(self._single_turns[row_id])
        number = bisect_right(self._start_positions, position) - 1
        shape = self._shapes[number]
        return TurnScores(
            self.turn(row_id),
            session=self._sessions[number],
            nearby_lines=shape.is_talk * self._nearby_lines[position],
            after_question=shape.is_talk * self._after_question[position],
            is_between_people=shape.is_between_people,
        )

    def __iter__(self) -> Iterator[int]:
        return iter(self.positions)

    def __len__(self) -> int:
        return len(self.positions)

    def restrict_to(self, row_ids: set[int]) -> DialogueScores:
        """The same without what is not of these rows."""
        other = copy(self)
        other.positions = {row_id: at for row_id, at in self.positions.items() if row_id in row_ids}
        other._matches = None
        return other

    def matches(self) -> dict[int, float]:
        """The BM25 of those that match."""
        if self._matches is None:
            scores = zip(self.positions, map(self.scorer.scores.get, self.positions), strict=True)
            self._matches = {row_id: score for row_id, score in scores if score is not None}
        return self._matches

    def turn(self, row_id: int) -> IndexedTurn:
        """The turn itself."""
        position = self.positions[row_id]
        turn = self._single_turns[row_id] if position == NO_POSITION else self._turns[position]
        assert turn is not None, "where one is left out there is no position of a row"
        return turn

    def context_scores(self, row_ids: Iterable[int]) -> Iterator[float]:
        """All that its dialogue adds to each of the turns, but for rounding."""
        return map(self._context_scores.__getitem__, map(self.positions.__getitem__, row_ids))

    def bounds_by_dialogue(self) -> Iterator[tuple[float, Iterable[int]]]:
        """For each dialogue the most that it adds to a turn, but for rounding, and its rows (0: one that is left out);
        in the end the rows of no dialogue."""
        for start, shape in zip(self._start_positions, self._shapes, strict=True):
            if shape.rows:
                yield max(self._context_scores[start : start + len(shape.rows)]), shape.rows
        yield 0.0, self._single_turns

    def _sum_context_scores(self) -> list[float]:
        """By place all that a dialogue adds to a turn, but for rounding; in the end, where what is alone has its place,
        nothing."""
        nearby: list[float] = list(map(add, self._nearby_lines, self._after_question))
        totals = [0.0] * RADIUS
        for start, shape, session in zip(self._start_positions, self._shapes, self._sessions, strict=True):
            totals += [session + shape.is_talk * more for more in nearby[start : start + len(shape.rows)]]
            totals += [0.0] * RADIUS
        return totals

    def _score_after_questions(self) -> list[float]:
        """By place what a question of somebody else right before a turn adds to it."""
        scores = [0.0] * len(self._rows)
        follows_question = [*ROW_PADDING]
        for shape in self._shapes:
            follows_question += shape.follows_question + ROW_PADDING
        for at in compress(count(), self._scores):
            if follows_question[at + 1]:
                scores[at + 1] = AFTER_QUESTION_WEIGHT * self._scores[at]
        return scores

    def _score_sessions(self, counts: Sequence[dict[int, int]]) -> list[float]:
        """For each dialogue what it says as a whole, the less the shorter it is."""
        counts_by_dialogue: list[list[tuple[int, int]]] = [[] for _ in self._start_positions]
        for word, counts_by_position in enumerate(counts):
            sums: dict[int, int] = {}
            for at, often in counts_by_position.items():
                number = bisect_right(self._start_positions, at) - 1
                sums[number] = sums.get(number, 0) + often
            for number, often in sums.items():
                counts_by_dialogue[number].append((word, often))
        # Dialogues as documents of their own: how many there may be, how long they are, how rare a word is in them.
        average = max(sum(shape.length for shape in self._shapes) / max(len(self._shapes), 1), 1.0)
        turns = sum(dialogue.size for dialogue in self._dialogues) / max(len(self._dialogues), 1) or 1.0
        dialogue_count = max(self.scorer.record_count / turns, len(self._dialogues), 1.0)
        # Of n records with a word, spread by chance over N dialogues, N (1 - e^(-n/N)) dialogues have it.
        held = [dialogue_count * (1 - math.exp(-word.frequency / dialogue_count)) for word in self.scorer.terms]
        weighed = zip(held, self.scorer.terms, strict=True)
        idfs = [inverse_frequency(dialogue_count, often) * word.weight for often, word in weighed]
        sessions: list[float] = []
        for start, shape, words in zip(self._start_positions, self._shapes, counts_by_dialogue, strict=True):
            norm = LONG_K1 * (1 - LONG_B + LONG_B * shape.length / average)
            whole = sum([idfs[word] * often * (LONG_K1 + 1) / (often + norm) for word, often in words])
            best = max(self._scores[start : start + len(shape.rows)], default=0.0)
            sessions.append(shape.is_talk * (SESSION_WEIGHT * whole + BEST_LINE_WEIGHT * best))
        return sessions


def score_dialogues(
    index: Index, scorer: Bm25Scorer, promise_by_row: dict[int, float], record_filter: Filter
) -> DialogueScores:
    """The rows, and the turns of the dialogues that they promise most of, measured. What the filter hides is not there:
    it lends nothing to what is around it."""
    names = index.dialogue_names(promise_by_row)
    read = index.read_dialogues(_most_promising_dialogues(names, promise_by_row), names, record_filter)
    row_ids = set[int]().union(*[dialogue_shape(dialogue).rows for dialogue in read]) - {0}
    scorer.score_rows(index, row_ids, record_filter)
    turns = _read_single_turns(index, scorer, promise_by_row.keys() - row_ids, record_filter)
    return DialogueScores(scorer, read, turns)


def score_single_turns(
    index: Index, scorer: Bm25Scorer, row_ids: Collection[int], record_filter: Filter
) -> DialogueScores:
    """The rows that the filter lets through, measured each by itself: no dialogue is read."""
    return DialogueScores(scorer, (), _read_single_turns(index, scorer, row_ids, record_filter))


def _read_single_turns(
    index: Index, scorer: Bm25Scorer, row_ids: Collection[int], record_filter: Filter
) -> dict[int, IndexedTurn]:
    turns = {turn.row_id: turn for turn in index.read_turns(row_ids, record_filter)}
    scorer.score_rows(index, turns, record_filter)
    return turns


def _most_promising_dialogues(dialogue_by_row: dict[int, str], promise_by_row: dict[int, float]) -> list[str]:
    """The dialogues by their best lines, each counting less than the one before it; the most promising first."""
    lines: dict[str, list[float]] = {}
    for row_id, name in dialogue_by_row.items():
        lines.setdefault(name, []).append(promise_by_row[row_id])
    promise_by_name = {
        name: sum(score * LINE_DECAY**rank for rank, score in enumerate(sorted(promises, reverse=True)))
        for name, promises in lines.items()
    }
    return sorted(promise_by_name, key=lambda name: (-promise_by_name[name], name))[:MAX_DIALOGUES]


def dialogue_shape(dialogue: Dialogue) -> DialogueShape:
    """The properties of a dialogue that do not depend on the query; computed once for each dialogue that is read."""
    shape = _shape_cache.get(dialogue)
    if shape is None:
        shape = _shape_cache[dialogue] = _compute_dialogue_shape(dialogue)
    return shape


def _compute_dialogue_shape(dialogue: Dialogue) -> DialogueShape:
    turns = dialogue.turns
    between_people = is_between_people(turns)
    return DialogueShape(
        rows=tuple([turn.row_id if turn else 0 for turn in turns]),
        length=sum(turn.token_count for turn in turns if turn),
        is_talk=between_people and dialogue.size >= MIN_DIALOGUE_TURNS,
        is_between_people=between_people,
        follows_question=tuple([_follows_question(turns, place) for place in range(len(turns))]),
    )


def is_between_people(turns: Sequence[IndexedTurn | None]) -> bool:
    """Whether two people and more talk: who talks to an assistant says in each line all that it needs."""
    return sum(map(is_person_name, {turn.speaker for turn in turns if turn and turn.actor != "agent"})) > 1


def _score_nearby_lines(scores: list[float]) -> list[float]:
    """By place what the lines up to three turns away add to a turn."""
    reached = [*ROW_PADDING, *scores, *ROW_PADDING]
    nearby = [0.0] * len(scores)
    for away, weight in enumerate(NEARBY_WEIGHTS, 1):
        before, after = reached[RADIUS - away :], reached[RADIUS + away :]
        nearby = [total + weight * (one + other) for total, one, other in zip(nearby, before, after, strict=False)]
    return nearby


def _follows_question(turns: Sequence[IndexedTurn | None], position: int) -> bool:
    """Whether a turn comes right after one of somebody else with a question in it."""
    before, turn = turns[position - 1] if position else None, turns[position]
    if not before or not turn or (before.speaker, before.actor) == (turn.speaker, turn.actor):
        return False
    return any(sign in before.text for sign in QUESTION_MARKS)


MAX_QUERY_DISTANCE = 3  # words from one to the other, at most
MAX_LINE_DISTANCE = MAX_QUERY_DISTANCE + 1

TermPair = tuple[int, int]  # places in the measure's words


def score_proximity(
    scorer: Bm25Scorer, terms: Iterable[QueryTerm], dialogue_scores: DialogueScores
) -> dict[int, float]:
    """For each row a BM25 of pairs (Metzler & Croft 2005, unordered window): two words not further apart in the line
    than they nearly are in the question, as a term that n rows of those looked at hold."""
    number = {form: place for place, word in enumerate(scorer.terms) for form in word.forms}  # of two words the latter
    patterns = [
        [f" {form} " for form in word.occurring_forms if number[form] == place]
        for place, word in enumerate(scorer.terms)
    ]
    counts_by_pair: dict[TermPair, dict[int, int]] = {}
    positions_by_term: list[dict[int, list[int]]] = [{} for _ in patterns]
    for first, second in _query_term_pairs(scorer, terms):
        rows = scorer.term_counts[first].keys() & scorer.term_counts[second].keys() & dialogue_scores.positions.keys()
        for word in (first, second):
            for row_id in rows - positions_by_term[word].keys():
                tokens = dialogue_scores.turn(row_id).tokens
                positions_by_term[word][row_id] = token_positions(patterns[word], tokens)
        here, there = positions_by_term[first], positions_by_term[second]
        counts_by_pair[first, second] = {
            row_id: count for row_id in rows if (count := count_close(here[row_id], there[row_id]))
        }
    gains: dict[int, float] = {}
    for counts in counts_by_pair.values():
        idf = inverse_frequency(scorer.record_count, len(counts)) if counts else 0.0
        for row_id, count in counts.items():
            length = dialogue_scores.turn(row_id).token_count / scorer.average_length
            norm = LONG_K1 * (1 - LONG_B + LONG_B * length)
            gains[row_id] = gains.get(row_id, 0.0) + idf * count * (LONG_K1 + 1) / (count + norm)
    return gains


def _query_term_pairs(scorer: Bm25Scorer, terms: Iterable[QueryTerm]) -> list[TermPair]:
    """Pairs of words not far apart in the question, each once, by their places in the measure."""
    number = {word.forms: place for place, word in enumerate(scorer.terms)}
    order = [number[term.forms] for term in terms if term.forms in number]
    pairs = ((a, b) for at, a in enumerate(order) for b in order[at + 1 : at + 1 + MAX_QUERY_DISTANCE] if a != b)
    return sorted({(min(pair), max(pair)) for pair in pairs})


def count_close(here: Sequence[int], there: Sequence[int]) -> int:
    """How often two words are close together, by the positions of each, which ascend."""
    near = MAX_LINE_DISTANCE
    return sum([bisect_right(there, at + near) - bisect_left(there, at - near) for at in here])


def token_positions(patterns: Sequence[str], token_text: str) -> list[int]:
    """The positions of a word of the query among the tokens, each of which has a space on both sides."""
    positions: list[int] = []
    for pattern in patterns:
        spaces, before, at = 0, 0, token_text.find(pattern)
        while at >= 0:
            spaces += token_text.count(" ", before, at)
            positions.append(spaces // 2)
            before, at = at, token_text.find(pattern, at + 1)
    return sorted(positions)
