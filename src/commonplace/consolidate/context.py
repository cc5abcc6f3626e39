"""Take with a claim as much of what was said around it as it needs to be understood by itself."""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct

from commonplace import text
from commonplace.consolidate.noise import is_acknowledgement
from commonplace.facts import Claim, Sort
from commonplace.facts.clarity import is_unclear, telling

MOST = 300  # characters of a line that holds more than its claim
FEWEST_TOLD = 3  # words: an event told in fewer is told by the whole sentence, if that tells so many more:
MORE_TOLD = 2
SHORT = 6  # words
ASKING = ("?", "？")
AS_CLAIMED: tuple[Sort, ...] = ("relation", "dead_end", "remember")  # these have a form of their own


class Passage(Struct, frozen=True):
    """A stretch of what was said as a line: its words, and its place in the source."""

    text: str
    start: int
    end: int


def passage(said: str, claim: Claim, speaker: str) -> Passage:
    """The claim as it is, or its whole sentence, or that with the one before: the first that is clear by itself."""
    own = Passage(claim.text, *claim.span)
    names = (speaker,) if speaker else ()
    if claim.sort in AS_CLAIMED:
        return own
    known = {claim.entity, *claim.entities} - {speaker, ""}
    unclear = not known and is_unclear(claim.text, names)
    if not (unclear or _is_cut(said, claim) or _is_thin(said, claim, names)):
        return own
    around = [one for one in sentences_around(said, claim.span) if not said[slice(*one)].rstrip().endswith(ASKING)]
    wider = (_worded(said, stretch, claim, speaker) for stretch in around)
    fits = (one for one in wider if len(one.text) <= MOST and not is_unclear(one.text, names))
    return next(fits, own)


def sentence_of(said: str, span: tuple[int, int]) -> str:
    """The sentence in which a stretch stands, on one line."""
    start, end = next(iter(sentences_around(said, span)), span)
    return text.one_line(said[start:end])


def sentences_around(said: str, span: tuple[int, int]) -> list[tuple[int, int]]:
    """The stretch of the sentences that a span touches, then the same with the sentence before it, if there is one.

    A sentence that merely acknowledges does not count, and a question makes no line.
    """
    start, places = 0, list[tuple[int, int]]()
    for sentence in text.sentences(said):
        places.append((start, start + len(sentence)))
        start += len(sentence)
    touched = [at for at, (first, last) in enumerate(places) if first < span[1] and span[0] < last]
    if not touched:
        return []
    first, end = touched[0], places[touched[-1]][1]
    found = [(places[first][0], end)]
    if first and not is_acknowledgement(said[slice(*places[first - 1])]):
        found.append((places[first - 1][0], end))
    return found


def _worded(said: str, stretch: tuple[int, int], claim: Claim, speaker: str) -> Passage:
    """What was said, with who said it before it, and behind it the date that the claim resolves."""
    words = text.one_line(said[slice(*stretch)])
    date = _date().search(claim.text)
    lead, tail = f"{speaker}: " if speaker else "", date[0] if date else ""
    return Passage(lead + words + tail, *stretch)


def _is_cut(said: str, claim: Claim) -> bool:
    """Whether the claim is a subordinate clause without what it hangs on, or breaks off before its sentence ends."""
    before, after = said[: claim.span[0]].rstrip(), said[claim.span[1] :].lstrip(" \t")
    broken = bool(after[:1].isalnum() and _open().search(claim.text)) or _given(claim, after)
    hangs = bool(_noun_that().search(before) and _objectless().match(said[slice(*claim.span)]))
    return hangs or broken or bool(_relative().search(before) or _unquoted().search(claim.text))


def _given(claim: Claim, after: str) -> bool:
    """Whether a short claim ends before what it gives: `gave my neighbour, Mrs. Hill | , a few cuttings`."""
    return len(claim.text.split()) <= SHORT and bool(_article().match(after))


def _is_thin(said: str, claim: Claim, names: tuple[str, ...]) -> bool:
    told = len(telling(claim.text, names))
    is_short = claim.sort == "event" and told < FEWEST_TOLD
    return is_short and len(telling(sentence_of(said, claim.span), names)) >= told + MORE_TOLD


@cache
def _relative() -> re.Pattern[str]:
    return re.compile(r"\b(?:which|who|whom|whose|where|dont|qui|lequel|quien|cuyo)$", re.IGNORECASE)


@cache
def _noun_that() -> re.Pattern[str]:
    """What stands before a clause that hangs on a noun: `headphones that | I use`; not a verb of telling."""
    telling = (
        r"(?:say|says|said|saying|tell|told|think|thinks|thought|know|known|knew|believe|feel|felt|hope|guess|see|saw|"
        r"seen|find|found|hear|heard|notice|noticed|reali[sz]ed?|learn|learned|learnt|decided?|mention|mentioned|"
        r"report|mean|means|meant|remember|share|add|admit|agreed?|discover|discovered|ensure|sure|glad|happy|sad|"
        r"sorry|proud|afraid|aware|lucky|excited|grateful|thankful|now|so|such|is|was|fact|given|"
        r"me|you|us|him|her|them|it)"
    )
    return re.compile(rf"(?<!\w)(?!{telling} )[^\W\d_]{{3,}} that$", re.IGNORECASE)


@cache
def _objectless() -> re.Pattern[str]:
    """A verb of the speaker's with nothing behind it, or what cannot be its object: `I use for …`."""
    adverbs = r"(?:(?:\w+ly|just|also|have|had|always|often) )*"
    behind = "for|with|in|at|from|on|during|every|when|as|and"
    return re.compile(rf"I(?:['’](?:ve|d|m))? {adverbs}\w+(?:$|[,.]| (?:{behind})\b)")


@cache
def _unquoted() -> re.Pattern[str]:
    """A title whose quotation marks do not close."""
    return re.compile(r"^[^\"]*\"(?:[^\"]*\"[^\"]*\")*[^\"]*$|(?<!\w)['‘][A-Z][^'’]*$")


@cache
def _open() -> re.Pattern[str]:
    """A last word after which something must come."""
    english = "and|but|or|so|because|of|to|with|now|speaking|for|that's|that|which|who|a|an|the|my|is|are"
    words = f"{english}|et|mais|ou|und|aber|oder|y|pero|o"
    return re.compile(rf"\b(?:{words})[,;]?$", re.IGNORECASE)


@cache
def _article() -> re.Pattern[str]:
    return re.compile(r", (?:an?|some|the|my|our|\d+)\b")


@cache
def _date() -> re.Pattern[str]:
    return re.compile(r" \(\d{4}-\d\d[^)]*\)")
