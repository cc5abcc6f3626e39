"""Whether two texts say the same: no word that carries content, number, name or time differs."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from commonplace.language.text import WORD_LIST_LANGUAGES, ends_in_question_mark, tokenize
from commonplace.language.word_data import SHARED, load_shared_words, load_word_table
from commonplace.model import Record

# Labels of words without which a sentence says something else, and so of no mere function words.
_DECISIVE_LABELS = ("strict ", "pole ")


def content_tokens(tokens: Iterable[str], language: str) -> tuple[str, ...]:
    """The tokens without function words of the language that change nothing."""
    ignored = _empty_tokens(language)
    return tuple([token for token in tokens if token not in ignored])


def is_same_content(record: Record, other_record: Record) -> bool:
    """Whether captures with equal content words say the same: by one speaker, both or neither a question, and of the
    same times, which words like `today` mean only on one day."""
    from commonplace.language.when import find_time_phrases

    pair = record, other_record
    one, other = ((one.speaker, one.actor, one.scope, one.trust, ends_in_question_mark(one.text)) for one in pair)
    if one != other:
        return False
    times, other_times = ([phrase.interval for phrase in find_time_phrases(one.text, one.time)] for one in pair)
    return record.time == other_record.time or times == other_times


@cache
def _empty_tokens(language: str) -> frozenset[str]:
    """The tokens of function words that change nothing: no pronouns, negations, or words with an opposite."""
    labels = load_word_table(language, "labelled_phrases").items() if language in WORD_LIST_LANGUAGES else ()
    decisive = [phrase for label, phrases in labels if label.startswith(_DECISIVE_LABELS) for phrase in phrases]
    decisive += [load_shared_words("second_person_words").get(language, "")]
    decisive += [
        word
        for kind in ("pointer", "pointer at times")
        for word in load_word_table(language, "deictic_words").get(kind, ())
    ]
    words = " ".join(load_word_table(SHARED, "function_words").get(language, ()))
    return frozenset(tokenize(words, language)).difference(tokenize(" ".join(decisive), language))
