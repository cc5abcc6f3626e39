"""The dialogue lane: a turn is found also by what was said around it, and by the session it stands in."""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import lru_cache
from itertools import accumulate, compress, count, repeat
from operator import add, sub
from weakref import WeakKeyDictionary

from msgspec import Struct

from commonplace.index import Dialogue, Filter, Index, Turn
from commonplace.recall.intents import is_person
from commonplace.recall.lexical import Measure
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
ROOM, NOBODY = (0,) * BESIDE, (None,) * BESIDE
ALONE = -1  # the place of a row of no dialogue that was read

_shapes: WeakKeyDictionary[Dialogue, Shape] = WeakKeyDictionary()  # for as long as the index keeps a dialogue

People = Sequence[Collection[str]]  # for each the tokens by which lines name them


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
    """A turn, whether it matches itself, and what its dialogue adds to that: as a whole, by the lines near it, by the
    lines around it as one text, by the question before it.

    `between` says whether people talk among themselves, `absent` how large a share of those the question names has no
    part in it. `rows` are those of its dialogue in order, with its own at `place`, and `share` says how much a dialogue
    of this size says as a whole.
    """

    turn: Turn
    holds: bool = False
    session: float = 0.0
    near: float = 0.0
    window: float = 0.0
    answers: float = 0.0
    between: bool = False
    absent: float = 0.0
    rows: tuple[int, ...] = ()  # 0 where a turn is left out
    place: int = 0
    share: float = 0.0


class Around(Mapping[int, Heard]):
    """Rows as measured; what is said of one of them is put together when it is asked for."""

    def __init__(self, strip: Strip, alone: dict[int, Turn]) -> None:
        self._strip, self._alone, self._scores = strip, alone, strip.measure.scores
        self.places = strip.places | dict.fromkeys(alone, ALONE)  # in the strip, by row
        self._matches: dict[int, float] | None = None

    def __getitem__(self, row: int) -> Heard:
        at, holds = self.places[row], row in self._scores
        return Heard(self._alone[row], holds) if at == ALONE else self._strip.heard(at, holds=holds)

    def __iter__(self) -> Iterator[int]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def among(self, rows: set[int]) -> Around:
        """The same less what is not of these rows."""
        other = copy(self)
        other.places = {row: at for row, at in self.places.items() if row in rows}
        other._matches = None
        return other

    def matches(self) -> dict[int, float]:
        """The BM25 of those that match."""
        if self._matches is None:
            scores = zip(self.places, map(self._scores.get, self.places), strict=True)
            self._matches = {row: score for row, score in scores if score is not None}
        return self._matches

    def turn(self, row: int) -> Turn:
        """The turn itself."""
        at = self.places[row]
        return self._alone[row] if at == ALONE else self._strip.turn(at)

    def lent(self, rows: Iterable[int]) -> Iterator[float]:
        """All that its dialogue adds to each of the turns, but for rounding."""
        return map(self._strip.lent.__getitem__, map(self.places.__getitem__, rows))

    def together(self) -> Iterator[tuple[float, Iterable[int]]]:
        """The rows by dialogue, and some that are not there beside them, each time with the most that the dialogue
        adds to one of them, but for rounding; in the end those of no dialogue."""
        yield from self._strip.dialogues()
        yield 0.0, self._alone


def heard(index: Index, measure: Measure, promise: dict[int, float], only: Filter, *, people: People = ()) -> Around:
    """The rows, and the turns of the dialogues that they promise most of, measured; `promise` is a BM25 or so.

    What the filter hides is not there: it lends nothing to what is around it.
    """
    names = index.dialogues(promise)
    read = index.read_dialogues(_promising(names, promise), names, only)
    shapes = [shape_of(dialogue) for dialogue in read]
    rows = set[int]().union(*[shape.rows for shape in shapes]) - {0}
    measure.learn(index, rows, only)
    turns = _alone(index, measure, promise.keys() - rows, only)
    return Around(Strip(measure, read, shapes, people=people), turns)


def alone(index: Index, measure: Measure, rows: Collection[int], only: Filter) -> Around:
    """The rows that the filter lets through, measured each by itself: no dialogue is read."""
    return Around(Strip(measure, (), ()), _alone(index, measure, rows, only))


def _alone(index: Index, measure: Measure, rows: Collection[int], only: Filter) -> dict[int, Turn]:
    turns = {turn.row: turn for turn in index.turns(rows, only)}
    measure.learn(index, turns, only)
    return turns


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


class Strip:
    """Dialogues one behind the other, so that all of their turns are measured at once; between two of them there is so
    much room that neither reaches into the other."""

    def __init__(
        self, measure: Measure, read: Sequence[Dialogue], shapes: Sequence[Shape], *, people: People = ()
    ) -> None:
        self.measure, self._people, self._read, self._shapes = measure, people, read, shapes
        self._silent: dict[int, float] = {}  # what is known of who is absent, by dialogue
        self._starts: list[int] = []
        self._rows, self._turns = [*ROOM], list[Turn | None](NOBODY)
        for shape, dialogue in zip(self._shapes, read, strict=True):
            self._starts.append(len(self._rows))
            self._rows += shape.rows + ROOM
            self._turns += dialogue.turns + NOBODY
        self.places = {row: at for at, row in enumerate(self._rows) if row}
        self._scores: list[float] = list(map(measure.scores.get, self._rows, repeat(0.0)))
        self._near, self._answers = _near(self._scores), self._asked()
        counts = [self._placed(found) for found in measure.counts]
        self._sessions, self._windows = self._wholes(counts), self._in_windows(counts)
        self.lent = self._all_lent()

    def turn(self, at: int) -> Turn:
        """The turn that stands there."""
        turn = self._turns[at]
        assert turn is not None, "where one is left out there is no place of a row"
        return turn

    def dialogues(self) -> Iterator[tuple[float, tuple[int, ...]]]:
        """For each dialogue the most that it adds to one of its turns, but for rounding, and its rows."""
        for start, shape in zip(self._starts, self._shapes, strict=True):
            if shape.rows:
                yield max(self.lent[start : start + len(shape.rows)]), shape.rows

    def heard(self, at: int, *, holds: bool) -> Heard:
        """The turn that stands there, and what its dialogue adds to it, the less the shorter the dialogue is."""
        number = bisect(self._starts, at) - 1
        shape, session, share = self._shapes[number], self._sessions[number], self._shapes[number].share
        lent = (session, share * self._near[at], share * self._windows[at], share * self._answers[at])
        place = at - self._starts[number]
        return Heard(
            self.turn(at), holds, *lent, shape.between, self._absent(number), rows=shape.rows, place=place, share=share
        )

    def _all_lent(self) -> list[float]:
        """By place all that a dialogue adds to a turn, but for rounding; in the end, where what is alone has its place,
        nothing."""
        beside: list[float] = list(map(add, map(add, self._near, self._windows), self._answers))
        lent = [0.0] * BESIDE
        for start, shape, session in zip(self._starts, self._shapes, self._sessions, strict=True):
            share = shape.share
            lent += [session + share * more for more in beside[start : start + len(shape.rows)]] + [0.0] * BESIDE
        return lent

    def _asked(self) -> list[float]:
        """By place what a question of somebody else right before a turn adds to it."""
        found = [0.0] * len(self._rows)
        answers = [*ROOM]
        for shape in self._shapes:
            answers += shape.answers + ROOM
        for at in compress(count(), self._scores):
            if answers[at + 1]:
                found[at + 1] = ASKED * self._scores[at]
        return found

    def _placed(self, counts: dict[int, int]) -> dict[int, int]:
        """How often a word stands there, by place."""
        places = self.places
        return {places[row]: often for row, often in counts.items() if row in places}

    def _wholes(self, counts: Sequence[dict[int, int]]) -> list[float]:
        """For each dialogue what it says as a whole, the less the shorter it is."""
        found: list[list[tuple[int, int]]] = [[] for _ in self._starts]
        for word, held in enumerate(counts):
            sums: dict[int, int] = {}
            for at, often in held.items():
                number = bisect(self._starts, at) - 1
                sums[number] = sums.get(number, 0) + often
            for number, often in sums.items():
                found[number].append((word, often))
        wholes = _Wholes(self.measure, self._shapes, self._read)
        sessions: list[float] = []
        for start, shape, words in zip(self._starts, self._shapes, found, strict=True):
            best = max(self._scores[start : start + len(shape.rows)], default=0.0)
            whole = SESSION * wholes.score(shape.length, words) + BEST_LINE * best
            sessions.append(shape.share * whole if shape.share else 0.0)
        return sessions

    def _in_windows(self, counts: Sequence[dict[int, int]]) -> list[float]:
        """By place what the lines around a turn add to the BM25 of all of them as one text of so many average lines.

        The BM25 of passages that overlap (Callan 1994): words of a question that stand in lines side by side count
        together, and what the line has itself counts for no more.
        """
        slope = K1 * B / (self.measure.average * (2 * BESIDE + 1))
        norms = [math.inf] * BESIDE
        for shape in self._shapes:
            if shape.between and shape.share:
                norms += [K1 * (1 - B) + slope * length for length in shape.spans]
            else:
                norms += [math.inf] * len(shape.rows)
            norms += [math.inf] * BESIDE
        gained = [0.0] * len(norms)
        for word, held in zip(self.measure.words, counts, strict=True):
            most = word.idf * (K1 + 1)
            for at, more in _in_reach(held).items():
                norm, some = norms[at], held.get(at, 0)
                if more > some:
                    gained[at] += most * (more / (more + norm) - (some / (some + norm) if some else 0.0))
        return [WINDOW * gain for gain in gained]

    def _absent(self, number: int) -> float:
        """The share of the people who neither speak in a dialogue nor are named; 0 where only a part of it was read."""
        if number not in self._silent:
            self._silent[number] = self._share_absent(self._read[number], self._shapes[number])
        return self._silent[number]

    def _share_absent(self, dialogue: Dialogue, shape: Shape) -> float:
        if not self._people or not shape.between or len(dialogue.turns) != dialogue.size:
            return 0.0
        silent = [one for one in self._people if shape.speakers.isdisjoint(one)]
        if not silent:
            return 0.0
        turns = [turn for turn in dialogue.turns if turn]
        said = "".join([turn.tokens for turn in turns] + list({turn.context for turn in turns}))
        return sum(not any(f" {token} " in said for token in one) for one in silent) / len(self._people)


class _Wholes:
    """Dialogues as documents of their own: how many there may be, how long they are, how rare a word is in them."""

    def __init__(self, measure: Measure, shapes: Sequence[Shape], read: Sequence[Dialogue]) -> None:
        sizes = [shape.length for shape in shapes]
        self._average = max(sum(sizes) / max(len(sizes), 1), 1.0)
        turns = sum(dialogue.size for dialogue in read) / max(len(read), 1) or 1.0
        count = max(measure.records / turns, len(read), 1.0)
        # Of n records with a word, spread by chance over N dialogues, N (1 - e^(-n/N)) dialogues have it.
        holding = [count * (1 - math.exp(-word.frequency / count)) for word in measure.words]
        self._idf = [
            math.log(1 + (count - held + 0.5) / (held + 0.5)) * word.weight
            for held, word in zip(holding, measure.words, strict=True)
        ]

    def score(self, length: int, words: Iterable[tuple[int, int]]) -> float:
        """BM25 of a dialogue of so many tokens as one document, in which words stand so often."""
        norm = K1 * (1 - B + B * length / self._average)
        return sum([self._idf[word] * often * (K1 + 1) / (often + norm) for word, often in words])


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


def _in_reach(held: dict[int, int]) -> dict[int, int]:
    """By place how often a word stands there and in so many lines to either side, as far as it does."""
    if len(held) == 1:
        ((at, often),) = held.items()
        return dict.fromkeys(range(at - BESIDE, at + BESIDE + 1), often)
    sums: dict[int, int] = {}
    for at, often in held.items():
        for place in range(at - BESIDE, at + BESIDE + 1):
            sums[place] = sums[place] + often if place in sums else often
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


def _answers(turns: Sequence[Turn | None], place: int) -> bool:
    """Whether a turn comes right after one of somebody else with a question in it."""
    before, turn = turns[place - 1] if place else None, turns[place]
    if not before or not turn or (before.speaker, before.actor) == (turn.speaker, turn.actor):
        return False
    return any(sign in before.text for sign in ASKING)
