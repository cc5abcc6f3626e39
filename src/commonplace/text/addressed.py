"""What of a line is said to whom it speaks to: the sentences that ask, and those that say `you`."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import cache, lru_cache
from itertools import pairwise

from commonplace.text.sentence import ASKING, asks
from commonplace.text.tokenize import form, tokens

LINES = 1_024  # that are kept, for the next question looks at many of them again

# Left out is what is a common word of another language, or has its stem or a sign in common with one: German and
# French `du`, French and Dutch `te`; `eure` beside EUR, `dina` beside Dina, Korean `너` in `너무`.
_WORDS = {
    "en": "you your yours yourself yourselves youre youve youll youd",
    "de": "dich dir dein deine deinen deinem deiner deines euch euer",
    "fr": "tu toi vous votre vos",
    "es": "tú tus ti contigo usted ustedes vosotros",
    "pt": "você vocês contigo",
    "it": "tuo tua tuoi voi vostro vostra",
    "nl": "jij jou jouw jullie",
    "ru": "ты тебя тебе тобой твой твоя твои вы вас вам вами ваш ваша ваши",
    "sv": "ditt",
    "zh": "你 妳 您",
    "ko": "당신",
}
# Ends of sentences, found in a quarter of the time that it takes to know them from abbreviations.
_ENDS = r"[.!?…؟][\"'’”»)]*\s+|[。！？]|\n|\Z"


def addresses(line: str, held: Sequence[str], words: Set[str]) -> bool:
    """Whether what a line has of some words stands only where it asks or says `you`; `held` are its tokens, in order.

    Each sentence has as many tokens in one language as in another; so theirs are those in the same places.
    """
    you = _you()
    if you.isdisjoint(held) and not any(sign in line for sign in ASKING):
        return False
    first = 0
    for size, is_question in _sizes(line):
        here = held[first : first + size]
        if not is_question and you.isdisjoint(here) and not words.isdisjoint(here):
            return False
        first += size
    return first == len(held)


@lru_cache(LINES)
def _sizes(line: str) -> tuple[tuple[int, bool], ...]:
    """How many tokens each sentence has, and whether it asks."""
    ends = [match.end() for match in _ends().finditer(line)]
    cut = [line[start:end] for start, end in pairwise((0, *ends))]
    return tuple((len(tokens(sentence)), asks(sentence)) for sentence in cut)


@cache
def _you() -> frozenset[str]:
    return frozenset(form(word, language) for language, words in _WORDS.items() for word in words.split())


@cache
def _ends() -> re.Pattern[str]:
    return re.compile(_ENDS)
