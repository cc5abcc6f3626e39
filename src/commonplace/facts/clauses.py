"""Cut an English statement into clauses: who does it, and the verb they do it with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from msgspec import Struct

from commonplace.facts.cues import cue, filled
from commonplace.facts.languages.english import WORDS
from commonplace.facts.languages.english_cues import BOUNDARY, FRONT, NOT_NAMES, RELATIONS, SUBJECT
from commonplace.facts.nouns import Draft, Statement
from commonplace.facts.verbgroup import VerbGroup, verb_group

_ABSTRACT = ("ing", "tion", "ment", "ness", "ity", "ism", "ies", "ful", "able", "ly")


class Clause(Struct, frozen=True):
    """A subject and its verb in a statement: `start` where the clause begins, fronted words included, `end` where it
    ends; `who` is `I`, `we` or `person`, whose name (or relation to the speaker) is `name`."""

    start: int
    end: int
    who: str
    name: str
    verb: VerbGroup


def clauses(said: Statement, speaker: str) -> Iterator[Clause]:
    """The clauses of a statement that state something: none behind if, whether, wish and the like."""
    known = ""  # the last one named, whom `she` can mean
    starts = [match for match in _subjects(said) if not _is_blocked(said, match)]
    for number, match in enumerate(starts):
        end = starts[number + 1].start() if number + 1 < len(starts) else len(said.text)
        verb = verb_group(said.low, match.end())
        if verb is None or verb.start >= end or not _has_subject(match, speaker, known):
            continue
        name = known if match["pro"] else _name(match)
        known = name or known
        tail = cue("dangling").search(said.low, 0, end)
        end = tail.start() if tail and tail.start() > verb.at else end
        start = match.start("front") if match["front"] else match.start("sub")
        yield Clause(start, end, _who(match), name, verb)


def relations(said: Statement, speaker: str) -> Iterator[Draft]:
    """Names told with their relation: `my sister Ana`, `Ana is my sister`, `my boss is called Ingrid`."""
    for match in _relation().finditer(said.text):
        groups = {key.rstrip("234567"): word for key, word in match.groupdict().items() if word}
        name = re.sub(r"['’]s?$", "", groups["name"].strip())
        if not is_no_name(name):
            relation = _over(match) + groups["rel"].lower()
            yield Draft("relation", "person", *match.span(), groups.get("of", speaker), relation, name, 0.9)


def _over(match: re.Match[str]) -> str:
    """The word by which a relation is over, with a blank behind it: a `former manager` manages no more."""
    over = cue("over").search(match[0])
    return f"{over[0].lower()} " if over else ""


def first_word(name: str) -> str:
    """The first word of a name in lower case, without what is joined to it by an apostrophe."""
    return re.split(r"[\s'’]", name.strip(), maxsplit=1)[0].lower()


def is_no_name(name: str) -> bool:
    """Whether what stands as a name is a word that merely heads the sentence: a stop word, a gerund, an abstract."""
    first = first_word(name)
    return first in NOT_NAMES or (" " not in name and len(first) > 5 and first.endswith(_ABSTRACT))


def _subjects(said: Statement) -> Iterator[re.Match[str]]:
    """Where subjects stand; a left-out one takes the place of the verb that a name would be read into."""
    dropped = -1
    for match in _subject().finditer(said.text):
        if match.start("sub") != dropped:
            yield match
        dropped = match.start("sub") if match["drop"] is not None else -1


def _is_blocked(said: Statement, match: re.Match[str]) -> bool:
    return bool(cue("blocked").search(said.low[: match.start("sub")][-80:]))


def _has_subject(match: re.Match[str], speaker: str, known: str) -> bool:
    """Whether the subject is somebody: a left-out one only at the head of what a named speaker says."""
    if match["drop"] is not None:
        return bool(speaker) and match.start("sub") == 0
    if match["pro"]:
        return bool(known)
    front = match["front"]
    if front and "," not in front and len(front.split()) > 2 and not cue("dated").search(front.lower()):
        return False
    return not match["name"] or not is_no_name(match["name"])


def _who(match: re.Match[str]) -> str:
    if match["i"] or match["drop"] is not None:
        return "I"
    return "we" if match["we"] else "person"


def _name(match: re.Match[str]) -> str:
    name = match["name"] or match["rel"] or match["life"] or match["two"] or ""
    return re.sub(rf"^{WORDS['rel']},? (?=[A-Z])", "", name)


@cache
def _subject() -> re.Pattern[str]:
    return re.compile(filled(BOUNDARY + FRONT + SUBJECT))


@cache
def _relation() -> re.Pattern[str]:
    return re.compile(filled(RELATIONS))
