"""The words of a question that say something: for floors and for peers that are asked with keywords."""

from __future__ import annotations

import re

STOP = re.compile(
    r"a|about|all|am|an|and|any|are|as|at|be|been|but|by|can|could|did|do|does|for|from|had|has|have|he|her|him|his|how"
    r"|i|if|in|is|it|its|me|my|of|on|or|our|s|she|should|so|some|t|than|that|the|their|them|then|there|these|they|this"
    r"|to|was|we|were|what|when|where|which|who|whom|whose|why|will|with|would|you|your"
)


def keywords(question: str) -> list[str]:
    """The words that are no stop words of English, in lower case; all of them where none is left."""
    asked = re.findall(r"\w+", question.lower())
    return [word for word in asked if not STOP.fullmatch(word)] or asked
