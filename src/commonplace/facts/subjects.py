"""Tell whether the words that stand as what a claim is about name something, so that lines can stand below them."""

from __future__ import annotations

import re
from functools import cache

from commonplace.facts.languages.english_cues import NOT_NAMES

MOST_WORDS = 6
LONGEST = 60  # characters
_ARTICLES = ("the", "our")


def is_subject(name: str) -> bool:
    """Whether it is a name or a short noun phrase.

    What holds a pronoun or a sign of a clause, begins with `a` or another word that picks nothing out, ends with a
    word after which something must come, is a lone word that heads sentences (`The`) or the option of a command,
    names nothing.
    """
    words = name.split()
    low = [word.lower() for word in words]
    if not words or len(words) > MOST_WORDS or len(name) > LONGEST or _clausal().search(name.lower()):
        return False
    bare = low[1:] if low[0] in _ARTICLES else low
    return bool(bare) and not (bare[0] in NOT_NAMES or bare[0] in ("a", "an") or bare[-1] in _OPEN)


_OPEN_WORDS = """
    of to in on at for with from by about and or but that which who the a an my our your is are was were has have had
    do does did can could will would should may might must be been not really also just
"""
_OPEN = frozenset(_OPEN_WORDS.split())


@cache
def _clausal() -> re.Pattern[str]:
    """A pronoun, a joint of clauses, a sign of punctuation or of a program, an option."""
    return re.compile(
        r"\b(?:i|me|my|mine|myself|you|your|yours|we|us|he|she|it|they|them|this|these|those|who|that|which|when|while|"
        r"because|if|whether|than|how|what|why)\b|['’](?:m|ve|re|ll|d)\b|n['’]t\b|[,;:?!()=<>{}|\[\]]|(?:^|\s)--?\w"
    )
