"""Read the verb of an English clause: its auxiliaries, its base and form, and what follows it."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from msgspec import Struct

from commonplace.facts.cues import cue
from commonplace.facts.languages.english_verbs import ADVERBS, AUXILIARIES, VAGUE, base_of, listed

Tense = Literal["present", "past", "perfect", "progressive", "ongoing", "future", "modal", "copula", "passive", "was"]

_HAVES = frozenset(("have", "has", "'ve", "had"))
_BES = frozenset(("am", "is", "are", "'m", "'re", "'s", "be", "been", "being"))
_WAS = frozenset(("was", "were"))
_WILL = frozenset(("will", "'ll", "gonna"))
_FULL = {"wo": "will", "ca": "can"}  # what is left of won't and can't
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
        elif word in AUXILIARIES and not _is_main(low, match):
            auxiliaries.append(word)
        elif not word[-1].isalpha():
            return _copula(auxiliaries, adverbs, match.start()) if auxiliaries else None
        else:
            return _group(low, match, auxiliaries, adverbs)
    return None


def substance(rest: str) -> int:
    """How many words of an object say something of their own."""
    if cue("pronoun").match(rest):
        return 0
    words = [word for word in _words().findall(rest[:120]) if word not in VAGUE and word not in ADVERBS]
    return sum(len(word) > 2 or word.isdigit() for word in words)


def _is_main(low: str, match: re.Match[str]) -> bool:
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


class _Heard(Struct, frozen=True):
    """The main verb where it stands, and the auxiliaries and adverbs before it."""

    low: str
    match: re.Match[str]
    heads: frozenset[str]
    adverbs: tuple[str, ...]
    negated: bool

    @property
    def word(self) -> str:
        return self.match[0]

    def made(self, tense: Tense, base: str = "", at: int = 0) -> VerbGroup:
        """The verb group; without a base that of the word, without a place the end of the word."""
        base, at = base or base_of(self.word)[0], at or self.match.end()
        return VerbGroup(tense, base, self.word, self.negated, self.adverbs, self.match.start(), at)

    def being(self, tense: Tense) -> VerbGroup:
        """A form of be whose complement begins here."""
        return VerbGroup(tense, "be", self.word, self.negated, self.adverbs, self.match.start(), self.match.start())


def _group(low: str, match: re.Match[str], auxiliaries: list[str], adverbs: list[str]) -> VerbGroup | None:
    negated = any(word.endswith("n't") or word == "cannot" for word in auxiliaries)
    heads = frozenset(_FULL.get(word, word) for word in (word.removesuffix("n't") for word in auxiliaries))
    heard = _Heard(low, match, heads, tuple(adverbs), negated or not {"not", "never"}.isdisjoint(adverbs))
    if "'d" in heads and match[0] == "been":
        return None
    if heads & _MODALS and not heads & _WILL:
        return heard.made("modal")
    if heads & _WILL:
        return _future(heard)
    intent = cue("intent").match(low, match.start())
    if intent and (heads & (_BES | _WAS | _HAVES) or not heads):
        past = heads & _WAS or intent["lead"].startswith("used")
        return heard.made("was" if past else "future", base_of(intent["verb"])[0], intent.end())
    if heads & _HAVES:
        return _perfect(heard)
    if heads & (_WAS | _BES):
        return _being(heard, past=bool(heads & _WAS))
    return _finite(heard)


def _future(heard: _Heard) -> VerbGroup:
    """`will do`, `will be doing`."""
    later = _later().match(heard.low, heard.match.end()) if heard.word == "be" else None
    return heard.made("future", base_of(later[1])[0], later.end()) if later else heard.made("future")


def _perfect(heard: _Heard) -> VerbGroup | None:
    form = base_of(heard.word)[1]
    if "been" not in heard.heads:
        return heard.made("perfect") if form in ("past", "participle") else None
    if form == "ing":
        return heard.made("ongoing")
    return heard.made("passive") if heard.word in listed("passive") else heard.being("perfect")


def _being(heard: _Heard, *, past: bool) -> VerbGroup:
    if base_of(heard.word)[1] == "ing":
        return heard.made("was" if past else "progressive")
    if heard.word in listed("passive"):
        return heard.made("passive")
    return heard.being("was" if past else "copula")


def _finite(heard: _Heard) -> VerbGroup:
    got = _got_passive().match(heard.low, heard.match.end()) if heard.word == "got" else None
    if got:
        return VerbGroup(
            "passive", base_of(got[1])[0], got[1], heard.negated, heard.adverbs, heard.match.start(), got.end()
        )
    return heard.made("past" if "did" in heard.heads or base_of(heard.word)[1] == "past" else "present")


def _copula(auxiliaries: list[str], adverbs: list[str], at: int) -> VerbGroup | None:
    if not set(auxiliaries) & (_BES | {"isn't", "aren't"}):
        return None
    negated = "not" in adverbs or any(aux.endswith("n't") for aux in auxiliaries)
    return VerbGroup("copula", "be", "", negated, tuple(adverbs), at, at)


@cache
def _words() -> re.Pattern[str]:
    return re.compile(r"'(?:m|re|ve|ll|d|s)\b|[^\W_][\w-]*(?:n't\b|'t\b)?|[$€£\"#@(*/`]")


@cache
def _later() -> re.Pattern[str]:
    return re.compile(r" ([a-z]+ing)\b")


@cache
def _got_passive() -> re.Pattern[str]:
    return re.compile(
        r" (?:just |recently |finally )?((?:" + "|".join(sorted(listed("passive") - {"involved", "asked"})) + r"))\b"
    )
