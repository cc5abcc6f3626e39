"""What a statement shows of itself, as names: its words and signs, the rules that fit it, and what they made of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations, pairwise

from commonplace.facts.languages import grammar, signs
from commonplace.facts.nouns import Draft, Statement
from commonplace.facts.rules import expand, rules

LONG = (20, 40, 80)  # characters
STEM = 5  # letters that a longer word shares with its other forms
_LISTS = ("when", "tech", "rel", "pet", "did")


def features(said: Statement, draft: Draft | None, speaker: str, language: str) -> list[str]:
    """The features of what a draft takes of a statement, or of all of it where no rule fits; each once, in order."""
    start, end = (draft.start, draft.end) if draft else (0, len(said.low))
    low = said.low[start:end]
    words = _pieces(low, language) if grammar(language).spaced else _characters(low, language)
    found = [*_of_rules(said, draft, speaker, language), *_of_signs(low, language), *_of_shape(low, language), *words]
    return list(dict.fromkeys(feature.replace(" ", "_") for feature in found))


def _of_rules(said: Statement, draft: Draft | None, speaker: str, language: str) -> Iterator[str]:
    if speaker:
        yield "named"
    if draft is None:
        yield "unread"
        return  # no rule fits
    if draft.sort == "remember":
        yield "read=remember"  # the rules tell that it is to be kept, hardly what it is about
    else:
        yield from (f"read={draft.sort}/{draft.category}", f"filed={draft.category}", f"side={draft.attribute}")
        yield f"{language}.filed={draft.category}"
    about = "thing" if not draft.entity[:1].isupper() else "speaker" if draft.entity == speaker else "name"
    yield f"about={about if draft.entity else 'none'}"
    for rule in rules(language):
        if rule.pattern.match(said.text if rule.about == "name" else said.low):
            yield f"fits={rule.sort}/{rule.category}"
            yield f"{language}.fits={rule.sort}/{rule.category}/{rule.attribute}"


def _of_signs(low: str, language: str) -> Iterator[str]:
    shown = []
    for sign, pattern in _signs(language):
        hits = {match[0] for match in pattern.finditer(low)}
        if hits:
            shown.append(sign)
            yield f"sign={sign}"
            if len(hits) > 1:
                yield f"signs={sign}"
            if pattern.match(low):
                yield f"opens={sign}"
    yield from (f"sign={one}+{other}" for one, other in combinations(shown, 2))


def _of_shape(low: str, language: str) -> Iterator[str]:
    yield f"length={sum(len(low) >= least for least in LONG)}"
    if any(map(str.isdigit, low)):
        yield "digit"
    if _exact().search(low):
        yield "exact"
    for name in _LISTS:
        pattern = _listed(name, language)
        if pattern is not None and pattern.search(low):
            yield f"has={name}"


def _pieces(low: str, language: str) -> Iterator[str]:
    """Words, pairs of them, the first and the last, and the stems of long ones; a figure is `#`."""
    words = ["#" if word[0].isdigit() else word for word in _words().findall(low)]
    for word in words:
        yield f"{language}.{word}"
        if len(word) > STEM:
            yield f"{language}.{word[:STEM]}*"
    yield from (f"{language}.{one}_{other}" for one, other in pairwise(words))
    if words:
        yield from (f"{language}^{words[0]}", f"{language}^{'_'.join(words[:2])}", f"{language}${words[-1]}")


def _characters(low: str, language: str) -> Iterator[str]:
    """Runs of one to three characters, and what opens and ends; a figure is `#`."""
    text = "".join(_digits().sub("#", low).split())
    for size in (1, 2, 3):
        yield from (f"{language}.{text[at : at + size]}" for at in range(len(text) - size + 1))
    yield from (f"{language}^{text[:1]}", f"{language}^{text[:2]}")
    yield from (f"{language}${text[-2:]}", f"{language}${text[-3:]}")


@cache
def _signs(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    spaced, made = grammar(language).spaced, []
    for sign, words in signs(language).items():
        told = (re.escape(word.replace("_", " ")) for word in sorted(words.split(), key=len, reverse=True))
        pattern = "|".join(word.replace(r"\*", r"\w*") for word in told)
        made.append((sign, re.compile(rf"(?<!\w)(?:{pattern})(?!\w)" if spaced else pattern)))
    return tuple(made)


@cache
def _listed(name: str, language: str) -> re.Pattern[str] | None:
    words = grammar(language).words.get(name)
    return re.compile(expand(words, language)) if words else None


@cache
def _words() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+")


@cache
def _digits() -> re.Pattern[str]:
    return re.compile(r"\d+")


@cache
def _exact() -> re.Pattern[str]:
    """A path, host, address, version or size."""
    return re.compile(
        r"(?:/[\w.-]+)+|\w[\w-]*\.[a-z]{2,8}\b[\w./:-]*|\d{1,3}(?:\.\d{1,3}){3}|:\d{2,5}\b|v?\d+\.\d+|"
        r"\d+ ?(?:[kmgt]b|ms|rps)\b|\w+_\w+|[a-z]+-\d+"
    )
