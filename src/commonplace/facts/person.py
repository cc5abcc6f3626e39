"""Rewrite the first person of a quotation with the speaker's name, so that the sentence stands by itself."""

from __future__ import annotations

import re
from functools import cache

from commonplace.facts.languages.english_verbs import AUXILIARIES, base_of

_VERBS = {
    "am": "is",
    "'m": " is",
    "have": "has",
    "'ve": " has",
    "'ll": " will",
    "do": "does",
    "don't": "doesn't",
    "haven't": "hasn't",
    "was": "was",
    "were": "was",
    "ain't": "isn't",
}
_QUOTES = ('"', "“")


def named(text: str, speaker: str, language: str) -> str:
    """The text in the third person if it can be told cleanly, else with the speaker's name before it."""
    if not speaker:
        return text
    if language != "en":
        return f"{speaker}: {text}" if _first(language).search(text) else text
    if _we().search(text) or _unsafe().search(text):
        return f"{speaker}: {text}"
    return "".join(part if part[:1] in _QUOTES else _without_i(part, speaker) for part in _quoted().split(text))


def _without_i(text: str, speaker: str) -> str:
    """A stretch outside quotation marks with the name for `I`, `my` and `me`; those inside are not the speaker's."""
    told = _i().sub(lambda match: _third(match, speaker), text)
    return _my().sub(lambda match: f"{speaker}'s" if match[0].lower() == "my" else speaker, told)


def _third(match: re.Match[str], speaker: str) -> str:
    contraction, blank, adverbs, verb = (match[name] or "" for name in ("short", "blank", "adv", "verb"))
    contraction = contraction.replace("’", "'").lower()
    if contraction:
        rest = f"{blank}{adverbs}{verb}"
        if contraction == "'d":
            had = base_of(verb)[1] in ("past", "participle") and verb != "read"
            return f"{speaker} {'had' if had else 'would'}{rest}"
        return speaker + _VERBS.get(contraction, contraction) + rest
    low = verb.lower().replace("’", "'")
    if low in _VERBS:
        verb = _VERBS[low]
    elif low not in AUXILIARIES and base_of(low)[1] == "base" and low:
        verb = _with_s(verb)
    return f"{speaker}{blank}{adverbs}{verb}"


def _with_s(verb: str) -> str:
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


@cache
def _quoted() -> re.Pattern[str]:
    return re.compile(r"(\"[^\"]{1,200}\"|“[^”]{1,200}”)")


@cache
def _i() -> re.Pattern[str]:
    adverbs = (
        "just|recently|finally|also|really|actually|always|usually|still|already|only|even|currently|never|often|"
        "sometimes|both|now|absolutely|definitely|personally|officially|mostly|generally|typically|normally|"
        "honestly|truly"
    )
    return re.compile(
        rf"(?<![\w'’])[Ii](?=['’ ,;]|\.(?!\w)|$)(?P<short>['’](?:m|ve|ll|d)\b)?(?P<blank> )?(?P<adv>(?:(?:{adverbs}) "
        rf")*)(?P<verb>[A-Za-z]+(?:['’]t)?)?(?![\w])"
    )


@cache
def _unsafe() -> re.Pattern[str]:
    """An auxiliary before the first person, or the first person as one of two: a name in its place reads wrongly."""
    return re.compile(
        r"\b(?:am|was|do|did|have|had|can|could|will|would|should|may|might|and|nor|or|than) [Ii]\b|\b[Ii] and\b"
    )


@cache
def _my() -> re.Pattern[str]:
    return re.compile(r"\b(?:[Mm]y|me)\b(?!-)")


@cache
def _we() -> re.Pattern[str]:
    return re.compile(r"\b(?:[Ww]e|[Uu]s|[Oo]ur|[Oo]urs|[Mm]yself|[Mm]ine|[Yy]ou|[Yy]our)\b(?!-)")


@cache
def _first(language: str) -> re.Pattern[str]:
    words = {
        "de": r"\b(?:ich|mir|mich|mein\w*|wir|uns\w*)\b",
        "fr": r"\b(?:je|moi|me|mon|ma|mes|nous|notre|nos)\b|\b[jm]['’]",
        "es": r"\b(?:yo|me|mi|mis|mí|nosotros|nos|nuestr\w+)\b|\b\w+(?:é|í|amos|imos)\b",
        "zh": "我|咱",
        "ja": "",
    }
    return re.compile(words.get(language, ""), re.IGNORECASE)
