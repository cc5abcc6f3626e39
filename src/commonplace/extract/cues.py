"""Compile the named patterns of English at first use, their word lists written out."""

from __future__ import annotations

import re
from functools import cache

from commonplace.extract.languages.english import WORDS
from commonplace.extract.languages.english_cues import CUES, DOES, DROPPED, ITS, NAME


@cache
def cue_regex(name: str) -> re.Pattern[str]:
    """A pattern of the list by its name, compiled at first use."""
    return re.compile(expand_english_lists(CUES[name]))


def expand_english_lists(pattern: str) -> str:
    """A pattern with the lists it names written out: `<name>`; group names stay."""
    dropped = "|".join(f"[{word[0].upper()}{word[0]}]{word[1:]}" for word in DROPPED.split())
    lists = WORDS | {"name": NAME, "dropped": dropped, "does": DOES, "its": ITS}
    for _ in range(2):  # a list may name another
        pattern = re.sub(r"(?<!\?P)<([a-z]+)>", lambda match: lists[match[1]], pattern)
    return pattern
