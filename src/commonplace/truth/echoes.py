"""Find what else states a value that was replaced: answers of an agent, the output of a tool, other wordings of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
MIN_TOLD = 0.6  # of the words of a sentence that another line has too, and of a stretch without blanks


class ReplacedValue:
    """The names and codes that an old sentence has and the new text lacks, and the words that they share, of which one
    is enough to say whose value such a name or code is; `query` is what a record must have that may state it."""

    def __init__(self, old_sentence: str, new_text: str) -> None:
        old, new = frozenset(content_tokens(old_sentence)), frozenset(content_tokens(new_text))
        fresh = (tokens for word, tokens in _read_words(new_text, old_sentence) if _is_distinctive(word, 1))
        self.new = [tokens for tokens in fresh if not tokens <= old]
        self.values: list[frozenset[str]] = []
        shared: set[str] = set()
        number_before = False  # what is behind it is its unit
        for position, (word, tokens) in enumerate(_read_words(old_sentence, new_text)):
            if tokens <= new:
                shared |= set() if number_before else tokens
            elif _is_distinctive(word, position):
                self.values.append(tokens)
            number_before = not tokens <= new and any(map(str.isdigit, word))
        self.shared = frozenset(shared)
        self.query = AllOf((AnyOf(tuple(sorted(frozenset().union(*self.values)))), AnyOf(tuple(sorted(shared)))))

    def is_stated_by(self, sentence: str) -> bool:
        """Whether a sentence gives this value to the same thing, and not the new one beside it."""
        tokens = frozenset(content_tokens(sentence))
        common = tokens & self.shared
        if len(common) <= any(map(_is_unspaced, common)) or any(_has_word(tokens, one) for one in self.new):
            return False
        return any(_has_word(tokens, one) for one in self.values)


def find_echoes(index: Index, replaced: Sequence[Record], new_text: str) -> list[Record]:
    """The records and captures that state a value of `replaced` ones that a new text gives up, and nothing else that no
    other line says; with a capture the lines that rest on such alone and share a word with the text."""
    known, new = {record.id for record in replaced}, frozenset(content_tokens(new_text))
    derived = (row.record for row in index.fetch(index.rows_derived_from([*known])).values())
    echoes = {one.id: one for one in derived if known.issuperset(one.sources) and new & {*content_tokens(one.text)}}
    for old in replaced:
        sentences = text.split_sentences(old.text, loosely=True)
        nearest = max(sentences, key=lambda one: len(new.intersection(content_tokens(one))), default="")
        value = ReplacedValue(nearest, new_text)
        rows = index.matching_rows(value.query, MAX_EXAMINED) if value.values and value.shared else ()
        for record in (row.record for row in index.fetch(rows).values() if not row.record.superseded_by):
            sentences = text.split_sentences(record.text, loosely=True)
            rest = [one for one in sentences if not value.is_stated_by(one)]
            if len(rest) < len(sentences) and _is_said_elsewhere(index, record, rest):
                echoes[record.id] = record
    return [one for record_id, one in echoes.items() if record_id not in known][:MAX_ECHOES]


def _is_said_elsewhere(index: Index, record: Record, sentences: Sequence[str]) -> bool:
    """Whether what else a record says is in lines that hold and were made of it, or the lesser part of what an agent or
    a tool says."""
    wanted = [words for one in sentences if len(words := frozenset(content_tokens(one))) > 1]
    if record.actor in ("agent", "tool") and 2 * sum(map(len, wanted)) < len(content_tokens(record.text)):
        return True
    lines = (row.record for row in index.fetch(index.rows_derived_from((record.id,))).values())
    told = [frozenset(content_tokens(one.text)) for one in lines if not one.superseded_by]
    return all(any(len(words & own) >= MIN_TOLD * len(words) for own in told) for words in wanted)


def _read_words(sentence: str, other_text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """The words as written, with tokens; of a script without blanks the stretches that another text has or lacks."""
    language = text.detect_language(sentence)
    for word in sentence.split():
        pairs = enumerate(word[at : at + 2] in other_text for at in range(len(word) - 1))
        runs = ([at for at, _is_shared in run] for _is_shared, run in groupby(pairs, key=itemgetter(1)))
        for part in [word[run[0] : run[-1] + 2] for run in runs] if _is_unspaced(word) and word[1:] else [word]:
            stems = text.tokenize(part, language)
            if tokens := frozenset(one for one in stems if not text.is_stop_word(one, language)):
                yield part, tokens


def _has_word(sentence_tokens: frozenset[str], word_tokens: frozenset[str]) -> bool:
    """Whether the tokens of a sentence have a word; of a stretch without blanks, most of it."""
    least = len(word_tokens) * (MIN_TOLD if any(map(_is_unspaced, word_tokens)) else 1)
    return len(sentence_tokens & word_tokens) >= least


def _is_unspaced(word: str) -> bool:
    return max(word) >= FIRST_EAST_ASIAN_CHAR


def _is_distinctive(word: str, position: int) -> bool:
    """Whether a written word is a name (with a capital inside a sentence) or a code (with many digits, or letters)."""
    if digits := sum(map(str.isdigit, word)):
        return any(map(str.isalpha, word)) or (digits >= MIN_CODE_DIGITS and ":" not in word[:-1])
    return _is_unspaced(word) or (position > 0 and any(map(str.isupper, word[:2])))
