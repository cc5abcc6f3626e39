"""Find what else states a value that was replaced: answers of an agent, the output of a tool, other wordings of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby
from operator import itemgetter

from commonplace.index import AllOf, AnyOf, Index
from commonplace.language import text
from commonplace.language.text import FIRST_EAST_ASIAN_CHAR
from commonplace.model import Record
from commonplace.truth.nearest import content_tokens

MAX_ECHOES = 20
MAX_EXAMINED = 400  # records that have a word of the value
MIN_CODE_DIGITS = 4  # of a number that is hardly the value of anything else
MIN_SHARED = 0.5  # of the words that the old and the new sentence share, beside an ordinary word or a small number
MIN_STRETCH = 0.6  # of a stretch without blanks
MIN_RETOLD = 0.6  # of the words of a sentence that another line has too


class ReplacedValue:
    """What an old sentence says and the new text does not, and the words that they share.

    A name or a code is a value by itself: beside it one of the shared words is enough to say what it is the value of.
    """

    def __init__(self, old_sentence: str, new_text: str) -> None:
        old, new = frozenset(content_tokens(old_sentence)), frozenset(content_tokens(new_text))
        self.new = [
            tokens
            for word, tokens in _read_words(new_text, old_sentence)
            if _is_distinctive(word, 1) and not tokens <= old
        ]
        self.distinctive: list[frozenset[str]] = []
        self.ordinary: list[frozenset[str]] = []
        shared: set[str] = set()
        is_behind_number = False  # there is its unit
        for place, (word, tokens) in enumerate(_read_words(old_sentence, new_text)):
            is_value = not tokens <= new
            if is_value:
                (self.distinctive if _is_distinctive(word, place) else self.ordinary).append(tokens)
            elif not is_behind_number:
                shared |= tokens
            is_behind_number = is_value and any(map(str.isdigit, word))
        self.shared = frozenset(shared)
        self.is_given = bool(self.distinctive or self.ordinary) and bool(shared)

    @cached_property
    def query(self) -> AllOf:
        """What a record must have that may state it."""
        values = (AnyOf(tuple(sorted(one))) for one in (*self.distinctive, *self.ordinary))
        return AllOf((AnyOf(tuple(values)), AnyOf(tuple(sorted(self.shared)))))

    def is_stated_by(self, sentence: str) -> bool:
        """Whether a sentence gives this value to the same thing, and not the new one beside it."""
        tokens = frozenset(content_tokens(sentence))
        common = tokens & self.shared
        if any(_has_word(tokens, one) for one in self.new) or not common:
            return False
        is_named = len(common) > 1 or not any(map(_is_unspaced, common))
        if is_named and any(_has_word(tokens, one) for one in self.distinctive):
            return True
        is_same_thing = len(common) >= max(2, MIN_SHARED * len(self.shared))
        return is_same_thing and any(_has_word(tokens, one) for one in self.ordinary)


def find_echoes(index: Index, replaced: Sequence[Record], new_text: str) -> list[Record]:
    """The records and captures that state a value of `replaced` ones that a new text gives up, and nothing else that no
    other line says; in the order of the index."""
    known = {record.id for record in replaced}
    echoes: dict[str, Record] = {}
    for value in _values_of(replaced, new_text):
        rows = index.fetch(index.matching_rows(value.query, MAX_EXAMINED)).values()
        for record in (row.record for row in rows if row.record.id not in known and not row.record.superseded_by):
            sentences = text.split_sentences(record.text, loosely=True)
            rest = [one for one in sentences if not value.is_stated_by(one)]
            if len(rest) < len(sentences) and _is_said_elsewhere(index, record, rest):
                echoes[record.id] = record
    return list(echoes.values())[:MAX_ECHOES]


def _values_of(replaced: Sequence[Record], new_text: str) -> Iterator[ReplacedValue]:
    """What each of the replaced records gives up: in the sentence that shares most words with the new text."""
    new = frozenset(content_tokens(new_text))
    for record in replaced:
        sentences = text.split_sentences(record.text, loosely=True)
        value = ReplacedValue(max(sentences, key=lambda one: len(new.intersection(content_tokens(one)))), new_text)
        if value.is_given:
            yield value


def _is_said_elsewhere(index: Index, record: Record, sentences: Sequence[str]) -> bool:
    """Whether what else a record says is in lines that hold and were made of it."""
    wanted = [words for one in sentences if len(words := set(content_tokens(one))) > 1]
    if not wanted:
        return True
    lines = (row.record for row in index.fetch(index.rows_derived_from((record.id,))).values())
    told = [set(content_tokens(one.text)) for one in lines if not one.superseded_by]
    return all(any(len(words & own) >= MIN_RETOLD * len(words) for own in told) for words in wanted)


def _read_words(sentence: str, other_text: str) -> list[tuple[str, frozenset[str]]]:
    """The words as they are written, with their tokens, without stop words; of a script without blanks the stretches
    that another text has, and those that it lacks."""
    words = (piece for word in sentence.split() for piece in _split_unspaced(word, other_text))
    return [(word, tokens) for word in words if (tokens := frozenset(content_tokens(word)))]


def _split_unspaced(word: str, other_text: str) -> list[str]:
    if not _is_unspaced(word):
        return [word]
    pairs = enumerate(word[at : at + 2] in other_text for at in range(len(word) - 1))
    runs = ([at for at, _is_shared in run] for _is_shared, run in groupby(pairs, key=itemgetter(1)))
    return [word[run[0] : run[-1] + 2] for run in runs] or [word]


def _has_word(tokens: frozenset[str], word: frozenset[str]) -> bool:
    """Whether the tokens of a sentence have a word; of a stretch without blanks, most of it."""
    share = MIN_STRETCH if any(map(_is_unspaced, word)) else 1.0
    return len(tokens & word) >= share * len(word)


def _is_unspaced(word: str) -> bool:
    return max(word) >= FIRST_EAST_ASIAN_CHAR


def _is_distinctive(word: str, place: int) -> bool:
    """Whether a written word is a name or a code: it has a capital inside a sentence, letters with digits, or many
    digits that are no time of day."""
    digits, letters = sum(map(str.isdigit, word)), sum(map(str.isalpha, word))
    if _is_unspaced(word):
        return True
    if digits:
        return bool(letters) or (digits >= MIN_CODE_DIGITS and ":" not in word.strip(":"))
    return place > 0 and any(map(str.isupper, word[:2]))
