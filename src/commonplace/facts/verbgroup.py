"""Read the verb of an English clause: its auxiliaries, its base and form, and what follows it."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from msgspec import Struct

from commonplace.facts.languages.english_verbs import ADVERBS, AUXILIARIES, VAGUE, base_of, listed

Tense = Literal["present", "past", "perfect", "progressive", "ongoing", "future", "modal", "copula", "passive", "was"]

_HAVES = frozenset(("have", "has", "'ve", "had"))
_BES = frozenset(("am", "is", "are", "'m", "'re", "'s", "be", "been", "being"))
_MODALS = frozenset(("would", "could", "should", "might", "may", "must", "shall", "'d", "can", "cannot"))


class VerbGroup(Struct, frozen=True):
    """`at` is where the rest begins after the verb; a copula has its complement as rest and `be` as base."""

    tense: Tense
    base: str
    word: str
    negated: bool
    adverbs: tuple[str, ...]
    start: int
    at: int


def verb_group(low: str, at: int) -> VerbGroup | None:
    """The verb group that begins at a place of a clause in lower case; None where no verb stands there."""
    auxiliaries: list[str] = []
    adverbs: list[str] = []
    for match in _words().finditer(low, at):
        word = match[0]
        if word in ADVERBS:
            adverbs.append(word)
        elif word in AUXILIARIES and not _is_main(low, match, auxiliaries):
            auxiliaries.append(word)
        elif not word[-1].isalpha():
            return _copula(auxiliaries, adverbs, match.start()) if auxiliaries else None
        else:
            return _group(low, match, auxiliaries, adverbs)
    return None


def substance(rest: str) -> int:
    """How many words of an object say something of their own."""
    if _pronoun().match(rest):
        return 0
    words = [word for word in _words().findall(rest[:120]) if word not in VAGUE and word not in ADVERBS]
    return sum(len(word) > 2 or word.isdigit() for word in words)


def _is_main(low: str, match: re.Match[str], auxiliaries: list[str]) -> bool:
    """Whether have, has, had, do or did is the verb itself: a noun follows it, not a participle."""
    word = match[0]
    if word not in ("have", "has", "had", "do", "did"):
        return False
    after = next((m[0] for m in _words().finditer(low, match.end()) if m[0] not in ADVERBS), "")
    if word in ("do", "did"):
        return after in ("a", "an", "the", "my", "some", "our", "two", "three", "another", "it")
    if after in (
        "a",
        "an",
        "the",
        "my",
        "two",
        "three",
        "to",
        "some",
        "no",
        "our",
        "another",
        "lunch",
        "dinner",
        "surgery",
    ):
        return True
    form = base_of(after)[1]
    return after != "been" and not (form in ("past", "participle") and after not in ("left", "cut", "hurt"))


def _group(low: str, match: re.Match[str], auxiliaries: list[str], adverbs: list[str]) -> VerbGroup | None:
    word = match[0]
    base, form = base_of(word)
    negated = any(aux.endswith("n't") or aux == "cannot" for aux in auxiliaries) or bool(
        {"not", "never"} & set(adverbs)
    )
    heads = {aux.removesuffix("n't") for aux in auxiliaries}
    heads = {"will" if head == "wo" else "can" if head == "ca" else head for head in heads}

    def made(tense: Tense, verb: str = base, at: int = match.end()) -> VerbGroup:
        return VerbGroup(tense, verb, word, negated, tuple(adverbs), match.start(), at)

    intent = _intent().match(low, match.start())
    if "'d" in heads and word == "been":
        return None
    if heads & _MODALS and not heads & {"will", "'ll"}:
        return made("modal")
    if heads & {"will", "'ll", "gonna"}:
        if word == "be":
            later = _later().match(low, match.end())
            return made("future", base_of(later[1])[0], later.end()) if later else made("future", "be")
        return made("future")
    if intent and (heads & (_BES | {"was", "were"}) or heads & _HAVES or not heads):
        lead = base_of(intent["verb"])[0]
        tense: Tense = "future" if not heads & {"was", "were"} and intent["lead"][:4] != "used" else "was"
        return made(tense, lead, intent.end())
    if heads & _HAVES:
        if "been" in heads:
            return (
                made("ongoing")
                if form == "ing"
                else made("passive")
                if _passive(word, form)
                else made("perfect", "be", match.start())
            )
        return made("perfect") if form in ("past", "participle") else None
    if heads & {"was", "were"}:
        return (
            made("was")
            if form == "ing"
            else made("passive")
            if _passive(word, form)
            else made("was", "be", match.start())
        )
    if heads & _BES:
        if form == "ing":
            return made("progressive")
        return made("passive") if _passive(word, form) else made("copula", "be", match.start())
    if word == "got" and (got := _got_passive().match(low, match.end())):
        return made("passive", base_of(got[1])[0], got.end())
    if heads & {"did"}:
        return made("past")
    return made("past" if form == "past" else "present")


def _copula(auxiliaries: list[str], adverbs: list[str], at: int) -> VerbGroup | None:
    if not set(auxiliaries) & (_BES | {"isn't", "aren't"}):
        return None
    negated = "not" in adverbs or any(aux.endswith("n't") for aux in auxiliaries)
    return VerbGroup("copula", "be", "", negated, tuple(adverbs), at, at)


def _passive(word: str, form: str) -> bool:
    return word in listed("passive") and form in ("past", "participle", "base")


@cache
def _words() -> re.Pattern[str]:
    return re.compile(r"'(?:m|re|ve|ll|d|s)\b|[^\W_][\w-]*(?:n't\b|'t\b)?|[$€£\"#@(*/`]")


@cache
def _pronoun() -> re.Pattern[str]:
    return re.compile(
        r" *(?:(?:doing|using|seeing|making|having|to do|to see) )?(?:it|that|this|them|these|those|you|him|her|"
        r"me|us|so|how|what|why|if|your|yours|like|to it|at it|about it|on it|with it|with that|for you|to you|"
        r"about that|on this|on that|the taste of (?:this|these|that))(?![\w-])(?! \w+(?:ed|er)? (?:to|for|in|"
        r"from|at|as)\b)"
    )


@cache
def _intent() -> re.Pattern[str]:
    return re.compile(
        r"(?P<lead>going to|planning (?:on|to)|hoping to|aiming to|supposed to|have to|has to|need to|needs to|"
        r"must|used to|about to|scheduled to|"
        r"set to|due to|plan (?:on|to)|plans (?:on|to)|intend to|want to|wants to|hope to|got to|expected to) "
        r"(?:be )?(?!the\b|a\b|my\b|an\b|our\b|see how)(?P<verb>[a-z]+)"
    )


@cache
def _later() -> re.Pattern[str]:
    return re.compile(r" ([a-z]+ing)\b")


@cache
def _got_passive() -> re.Pattern[str]:
    return re.compile(
        r" (?:just |recently |finally )?((?:" + "|".join(sorted(listed("passive") - {"involved", "asked"})) + r"))\b"
    )
