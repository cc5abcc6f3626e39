"""The dialogue lane: a turn is found also by what was said around it, and by the session it stands in."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, count, repeat
from operator import sub
from typing import cast
from weakref import WeakKeyDictionary

from msgspec import Struct

from commonplace.index import Dialogue, Filter, Index, Turn
from commonplace.recall.intents import is_person
from commonplace.recall.lexical import Measure, Measured
from commonplace.text import name_key

PARTS = ("session", "near", "window", "answers")  # of the score, that this lane feeds
MOST_READ = 20  # dialogues, the most promising first
FADING = 0.6  # the next best line of a dialogue says so much less of it than the one before
SHORT, LONG = 12, 15  # turns; a shorter dialogue says nothing as a whole, a longer one all it can
K1, B = 1.2, 0.75  # of BM25 over whole dialogues (Robertson & Zaragoza 2009): they are long and differ in length
SESSION, BEST_LINE = 0.47, 0.05
AT_TWO, AT_THREE = 0.2, 0.08  # of each line two and three turns away
WINDOW, BESIDE = 0.2, 3  # of the lines around, so many to either side, taken as one text
ASKED = 0.64  # of a turn with a question in it, for the turn that answers it
ASKING = "?？؟"

_shapes: WeakKeyDictionary[Dialogue, Shape] = WeakKeyDictionary()  # for as long as the index keeps a dialogue

People = Sequence[Collection[str]]  # for each the tokens by which lines name them
Counts = list[tuple[int, dict[int, int]]]  # of each word that stands in a dialogue how often it does, by place


class Shape(Struct, frozen=True, gc=False):
    """What is known of a dialogue whatever is asked, most of it by place.

    `rows` are 0 where a turn is left out, `spans` the tokens of a turn and the lines to either side, `answers` says
    which turns come right after a question of somebody else; `speakers` are the words of their names. `share` says how
    much a dialogue of this size says as a whole, `between` whether people talk among themselves: without that there
    are no `spans`.
    """

    rows: tuple[int, ...]
    length: int
    share: float
    between: bool
    spans: tuple[int, ...]
    answers: tuple[bool, ...]
    speakers: frozenset[str]


class Heard(Struct, frozen=True, gc=False):
    """A turn as measured: its own match, and what its dialogue adds to that: as a whole, by the lines near it, by the
    lines around it as one text, by the question before it.

    `between` says whether people talk among themselves, `absent` how large a share of those the question names has no
    part in it. `rows` are those of its dialogue in order, with its own at `place`, and `share` says how much a dialogue
    of this size says as a whole.
    """

    turn: Turn
    match: Measured
    session: float = 0.0
    near: float = 0.0
    window: float = 0.0
    answers: float = 0.0
    between: bool = False
    absent: float = 0.0
    rows: tuple[int, ...] = ()  # 0 where a turn is left out
    place: int = 0
    share: float = 0.0

    @property
    def lent(self) -> float:
        """All that its dialogue adds."""
        return self.session + self.near + self.window + self.answers


def heard(
    index: Index, measure: Measure, promise: dict[int, float], only: Filter, *, people: People = ()
) -> dict[int, Heard]:
    """The rows, and the turns of the dialogues that they promise most of, measured; `promise` is a BM25 or so.

    What the filter hides is not there: it lends nothing to what is around it.
    """
    names = index.dialogues(promise)
    read = index.read_dialogues(_promising(names, promise), names, only)
    measure.learn(index, [turn for dialogue in read for turn in dialogue.turns if turn])
    whole = _Wholes(measure, read, people)
    found: dict[int, Heard] = {}
    for dialogue in read:
        found |= whole.measured(dialogue)
    return found | alone(index, measure, [row for row in promise if row not in found], only)


def alone(index: Index, measure: Measure, rows: Collection[int], only: Filter) -> dict[int, Heard]:
    """The rows that the filter lets through, measured each by itself: no dialogue is read."""
    read = index.turns(rows, only)
    measure.learn(index, read)
    return {turn.row: Heard(turn, measure.known[turn.row]) for turn in read}


def _promising(names: dict[int, str], promise: dict[int, float]) -> list[str]:
    """The dialogues by their best lines, each counting less than the one before it; the most promising first."""
    lines: dict[str, list[float]] = {}
    for row, name in names.items():
        lines.setdefault(name, []).append(promise[row])
    whole = {
        name: sum(score * FADING**place for place, score in enumerate(sorted(found, reverse=True)))
        for name, found in lines.items()
    }
    return sorted(whole, key=lambda name: (-whole[name], name))[:MOST_READ]


class _Wholes:
    """Dialogues as documents of their own: how many there may be, how long they are, how rare a word is in them."""

    def __init__(self, measure: Measure, read: Sequence[Dialogue], people: People) -> None:
        self._measure, self._people = measure, people
        sizes = [shape_of(dialogue).length for dialogue in read]
        self._average = max(sum(sizes) / max(len(sizes), 1), 1.0)
        turns = sum(dialogue.size for dialogue in read) / max(len(read), 1) or 1.0
        count = max(measure.records / turns, len(read), 1.0)
        # Of n records with a word, spread by chance over N dialogues, N (1 - e^(-n/N)) dialogues have it.
        holding = [count * (1 - math.exp(-word.frequency / count)) for word in measure.words]
        self._idf = [
            math.log(1 + (count - held + 0.5) / (held + 0.5)) * word.weight
            for held, word in zip(holding, measure.words, strict=True)
        ]

    def measured(self, dialogue: Dialogue) -> dict[int, Heard]:
        """Each turn with its own match and what the dialogue adds to it, the less the shorter the dialogue is."""
        shape = shape_of(dialogue)
        rows, share, size = shape.rows, shape.share, len(shape.rows)
        known, nothing = self._measure.known, self._measure.nothing
        own = [known[row] if row else nothing for row in rows]
        scores = [match.score for match in own]
        counts = _by_word(own)
        best = max(scores, default=0.0)
        whole = share * (SESSION * self._score(shape.length, counts) + BEST_LINE * best) if share else 0.0
        windows = self._windows(shape.spans, counts) if shape.between and share and counts else [0.0] * size
        near = [share * beside for beside in _near(scores)]
        answers = [0.0] * size
        for place, question in _asked(shape.answers, scores).items():
            answers[place] = share * question
        absent = self._absent(dialogue) if shape.between else 0.0
        there = cast("Sequence[Turn]", dialogue.turns)  # what is left out is passed over below
        lent = (repeat(whole), near, [share * window for window in windows], answers)
        found = map(
            Heard, there, own, *lent, repeat(shape.between), repeat(absent), repeat(rows), count(), repeat(share)
        )
        return {row: one for row, one in zip(rows, found, strict=True) if row}

    def _score(self, length: int, counts: Counts) -> float:
        """BM25 of a dialogue of so many tokens as one document."""
        norm = K1 * (1 - B + B * length / self._average)
        whole = [(self._idf[word], sum(held.values())) for word, held in counts]
        return sum(idf * tf * (K1 + 1) / (tf + norm) for idf, tf in whole)

    def _absent(self, dialogue: Dialogue) -> float:
        """The share of the people who neither speak nor are named; 0 where only a part of the dialogue was read."""
        turns, people = dialogue.turns, self._people
        if not people or len(turns) != dialogue.size:
            return 0.0
        silent = [one for one in people if shape_of(dialogue).speakers.isdisjoint(one)]
        if not silent:
            return 0.0
        said = "".join([turn.tokens for turn in turns if turn]) + "".join({turn.context for turn in turns if turn})
        return sum(not any(f" {token} " in said for token in one) for one in silent) / len(people)

    def _windows(self, spans: Sequence[int], counts: Counts) -> list[float]:
        """By place what the lines around a turn add to the BM25 of all of them as one text of so many average lines.

        The BM25 of passages that overlap (Callan 1994): words of a question that stand in lines side by side count
        together, and what the line has itself counts for no more.
        """
        slope = K1 * B / (self._measure.average * (2 * BESIDE + 1))
        norms = [K1 * (1 - B) + slope * length for length in spans]
        gained = [0.0] * len(spans)
        for word, held in counts:
            most = self._measure.words[word].idf * (K1 + 1)
            for place, more in _in_reach(held, len(spans)).items():
                some, norm = held.get(place, 0), norms[place]
                if more > some:
                    gained[place] += most * (more / (more + norm) - (some / (some + norm) if some else 0.0))
        return [WINDOW * gain for gain in gained]


def shape_of(dialogue: Dialogue) -> Shape:
    """What is known of a dialogue whatever is asked; made once for each that is read."""
    shape = _shapes.get(dialogue)
    if shape is None:
        shape = _shapes[dialogue] = _shape(dialogue)
    return shape


def _shape(dialogue: Dialogue) -> Shape:
    turns = dialogue.turns
    lengths = [turn.length if turn else 0 for turn in turns]
    between = between_people(turns)
    return Shape(
        rows=tuple([turn.row if turn else 0 for turn in turns]),
        length=sum(lengths),
        share=min(max((dialogue.size - SHORT) / (LONG - SHORT), 0.0), 1.0),
        between=between,
        spans=tuple(_in_windows(lengths)) if between else (),
        answers=tuple([_answers(turns, place) for place in range(len(turns))]),
        speakers=frozenset[str]().union(*map(_words, {turn.speaker for turn in turns if turn})),
    )


def _by_word(own: Sequence[Measured]) -> Counts:
    counts: dict[int, dict[int, int]] = {}
    for place, held in [(place, match.held) for place, match in enumerate(own) if match.held]:
        for word, often in held.items():
            counts.setdefault(word, {})[place] = often
    return sorted(counts.items())


def _in_reach(held: dict[int, int], size: int) -> dict[int, int]:
    """By place how often a word stands there and in so many lines to either side, as far as it does."""
    if len(held) == 1:
        ((at, often),) = held.items()
        return dict.fromkeys(range(max(at - BESIDE, 0), min(at + BESIDE + 1, size)), often)
    sums: dict[int, int] = {}
    for at, often in held.items():
        for place in range(max(at - BESIDE, 0), min(at + BESIDE + 1, size)):
            sums[place] = sums.get(place, 0) + often
    return sums


def _in_windows(numbers: Sequence[int]) -> list[int]:
    """By place the sum of the numbers there and so many to either side."""
    sums = [0, *accumulate(numbers)]
    sums = [0] * BESIDE + sums + sums[-1:] * BESIDE
    return list(map(sub, sums[2 * BESIDE + 1 :], sums))


def between_people(turns: Sequence[Turn | None]) -> bool:
    """Whether two people and more talk, and no assistant: only there one line leads to the next.

    Who talks to an assistant says in each line all that it needs, and gets long answers that repeat it.
    """
    return sum(map(is_person, {turn.speaker for turn in turns if turn and turn.actor != "agent"})) > 1


@lru_cache(256)
def _words(name: str) -> frozenset[str]:
    return frozenset(name_key(name).split())


def _near(scores: list[float]) -> list[float]:
    """By place what the lines two and three turns away add to a turn."""
    reached = [0.0, 0.0, 0.0, *scores, 0.0, 0.0, 0.0]
    return [
        AT_TWO * (two + too) + AT_THREE * (three + third)
        for three, two, too, third in zip(reached, reached[1:], reached[5:], reached[6:], strict=False)
    ]


def _asked(answers: Sequence[bool], scores: list[float]) -> dict[int, float]:
    """By place what a question of somebody else right before a turn adds to it."""
    return {at: ASKED * score for at, score in enumerate(scores[:-1], 1) if score and answers[at]}


def _answers(turns: Sequence[Turn | None], place: int) -> bool:
    """Whether a turn comes right after one of somebody else with a question in it."""
    before, turn = turns[place - 1] if place else None, turns[place]
    if not before or not turn or (before.speaker, before.actor) == (turn.speaker, turn.actor):
        return False
    return any(sign in before.text for sign in ASKING)


def best_of(found: Iterable[Heard]) -> float:
    """The best BM25 among the turns: what the strengths of the lexical lane are measured by."""
    return max([one.match.score for one in found], default=0.0) or 1.0
