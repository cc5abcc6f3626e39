"""Classify drafts by category with learned weights over their statements, and drop those that are too uncertain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations, pairwise
from math import exp
from typing import cast

from msgspec import structs

from commonplace.extract.claims import ClaimDraft, Statement, claim_type_of_category
from commonplace.extract.languages import load_grammar
from commonplace.extract.languages.english_cues import cue_regex
from commonplace.extract.rules import expand_word_lists, grammar_rules
from commonplace.language.word_data import load_claim_signs, load_claim_weights
from commonplace.lazy import lazy_pattern
from commonplace.model import Category

LENGTH_STEPS = (20, 40, 80)  # characters
STEM_LETTERS = 5  # letters that a longer word shares with its other forms
_LIST_FEATURES = ("when", "tech", "rel", "pet", "did")
_WORD_OR_NUMBER = lazy_pattern(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+")
_DIGITS = lazy_pattern(r"\d+")
# A path, host, address, version or size
_EXACT_VALUE = lazy_pattern(
    r"(?:/[\w.-]+)+|\w[\w-]*\.[a-z]{2,8}\b[\w./:-]*|\d{1,3}(?:\.\d{1,3}){3}|:\d{2,5}\b|v?\d+\.\d+|"
    r"\d+ ?(?:[kmgt]b|ms|rps)\b|\w+_\w+|[a-z]+-\d+"
)


def statement_features(statement: Statement, draft: ClaimDraft | None, speaker: str, language: str) -> list[str]:
    """The features of what a draft takes of a statement, or of all of it where no rule fits; each once, in order."""
    start, end = (draft.start, draft.end) if draft else (0, len(statement.low))
    low = statement.low[start:end]
    words = _word_features(low, language) if load_grammar(language).spaced else _character_features(low, language)
    found = [
        *_rule_features(statement, draft, speaker, language),
        *_sign_features(low, language),
        *_shape_features(low, language),
        *words,
    ]
    return list(dict.fromkeys(feature.replace(" ", "_") for feature in found))


def _rule_features(statement: Statement, draft: ClaimDraft | None, speaker: str, language: str) -> Iterator[str]:
    if speaker:
        yield "named"
    if draft is None:
        yield "unread"
        return  # no rule fits
    if draft.claim_type == "remember":
        yield "read=remember"  # the rules tell that it is to be kept, hardly what it is about
    else:
        yield from (f"read={draft.claim_type}/{draft.category}", f"filed={draft.category}", f"side={draft.attribute}")
        yield f"{language}.filed={draft.category}"
    about = "thing" if not draft.entity[:1].isupper() else "speaker" if draft.entity == speaker else "name"
    yield f"about={about if draft.entity else 'none'}"
    for rule in grammar_rules(language):
        if rule.pattern.match(statement.text if rule.about == "name" else statement.low):
            yield f"fits={rule.claim_type}/{rule.category}"
            yield f"{language}.fits={rule.claim_type}/{rule.category}/{rule.attribute}"


def _sign_features(low: str, language: str) -> Iterator[str]:
    shown = []
    for sign, pattern in _sign_regexes(language):
        hits = {match[0] for match in pattern.finditer(low)}
        if hits:
            shown.append(sign)
            yield f"sign={sign}"
            if len(hits) > 1:
                yield f"signs={sign}"
            if pattern.match(low):
                yield f"opens={sign}"
    yield from (f"sign={one}+{other}" for one, other in combinations(shown, 2))


def _shape_features(low: str, language: str) -> Iterator[str]:
    yield f"length={sum(len(low) >= least for least in LENGTH_STEPS)}"
    if any(map(str.isdigit, low)):
        yield "digit"
    if _EXACT_VALUE.search(low):
        yield "exact"
    for name in _LIST_FEATURES:
        pattern = _word_list_regex(name, language)
        if pattern is not None and pattern.search(low):
            yield f"has={name}"


def _word_features(low: str, language: str) -> Iterator[str]:
    """The features of a text: its words, pairs of words, the first and the last word, and the stems of long words; a
    number becomes `#`."""
    words = ["#" if word[0].isdigit() else word for word in _WORD_OR_NUMBER.findall(low)]
    for word in words:
        yield f"{language}.{word}"
        if len(word) > STEM_LETTERS:
            yield f"{language}.{word[:STEM_LETTERS]}*"
    yield from (f"{language}.{one}_{other}" for one, other in pairwise(words))
    if words:
        yield from (f"{language}^{words[0]}", f"{language}^{'_'.join(words[:2])}", f"{language}${words[-1]}")


def _character_features(low: str, language: str) -> Iterator[str]:
    """Runs of one to three characters, and what opens and ends; a figure is `#`."""
    text = "".join(_DIGITS.sub("#", low).split())
    for size in (1, 2, 3):
        yield from (f"{language}.{text[at : at + size]}" for at in range(len(text) - size + 1))
    yield from (f"{language}^{text[:1]}", f"{language}^{text[:2]}")
    yield from (f"{language}${text[-2:]}", f"{language}${text[-3:]}")


@cache
def _sign_regexes(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    spaced, made = load_grammar(language).spaced, []
    for sign, words in load_claim_signs(language).items():
        escaped = (re.escape(word.replace("_", " ")) for word in sorted(words, key=len, reverse=True))
        pattern = "|".join(word.replace(r"\*", r"\w*") for word in escaped)
        made.append((sign, re.compile(rf"(?<!\w)(?:{pattern})(?!\w)" if spaced else pattern)))
    return tuple(made)


@cache
def _word_list_regex(name: str, language: str) -> re.Pattern[str] | None:
    words = load_grammar(language).words.get(name)
    return re.compile(expand_word_lists(words, language)) if words else None


# Chosen by cross-validation (bench/weights.py): how probable it may be that what a rule reads is nothing worth keeping,
# the least probability of its category among the others, and the least of a category where no rule reads anything.
MAX_NO_CLAIM_PROBABILITY, MIN_CATEGORY_PROBABILITY, MIN_UNMATCHED_PROBABILITY = 0.5, 0.5, 0.7
WEIGHT_SCALE = 10  # weights are stored as tenths
NO_CLAIM = "none"
BIAS = "bias"
_FRAMING_TYPES = ("remember", "correction", "relation")  # sorts that say nothing of the category


def classify_draft(draft: ClaimDraft | None, statement: Statement, speaker: str, language: str) -> ClaimDraft | None:
    """A draft, or all of a statement that no rule reads, under its likeliest category; None if that is unsure.

    What somebody asks to remember is kept in any case.
    """
    if draft is None:
        return _classify_unmatched(statement, language)
    if draft.claim_type == "relation":
        return draft
    ranks = category_probabilities(statement_features(statement, draft, speaker, language))
    empty = ranks.pop(NO_CLAIM)
    category = _likeliest_category(ranks)
    told = language == "en" and _is_category_overruled(draft, category, statement, speaker)
    sure = ranks[category] >= MIN_CATEGORY_PROBABILITY * (1 - empty) or (told and draft.entity == speaker)
    if draft.claim_type != "remember" and (empty > MAX_NO_CLAIM_PROBABILITY or not sure):
        return None
    return draft if told else _with_category(draft, category)


def _is_category_overruled(draft: ClaimDraft, category: Category, statement: Statement, speaker: str) -> bool:
    """Whether what a sentence was read to do outweighs what its words are like.

    What somebody does, did or plans is no taste or choice of theirs where no word of liking or choosing is in it, nor
    is a lesson; and what they tell of themselves is of another person only where it names one.
    """
    if draft.claim_type in _FRAMING_TYPES or draft.category == category:
        return False
    of_speaker = bool(speaker) and draft.entity == speaker
    if category == "person":
        return of_speaker and not cue_regex("acquaintance").search(statement.text, draft.start, draft.end)
    told = of_speaker or draft.category == "lesson"
    return (
        told
        and category in ("preference", "decision")
        and not cue_regex(category).search(statement.low, draft.start, draft.end)
    )


def category_probabilities(feature_names: list[str]) -> dict[str, float]:
    """The probability of each category, and of nothing worth keeping, by the features of a statement."""
    weights = weights_by_feature()
    scores = dict(weights[BIAS])
    for feature in feature_names:
        for category, weight in weights.get(feature, ()):
            scores[category] += weight
    most = max(scores.values())
    heights = {category: exp((score - most) / WEIGHT_SCALE) for category, score in scores.items()}
    whole = sum(heights.values())
    return {category: height / whole for category, height in heights.items()}


def _classify_unmatched(statement: Statement, language: str) -> ClaimDraft | None:
    """The whole of a statement that no rule reads, where its words alone are sure."""
    ranks = category_probabilities(statement_features(statement, None, "", language))
    del ranks[NO_CLAIM]
    category = _likeliest_category(ranks)
    if ranks[category] < MIN_UNMATCHED_PROBABILITY:
        return None
    return ClaimDraft(claim_type_of_category(category), category, 0, len(statement.text), confidence=0.6)


def _likeliest_category(probabilities: dict[str, float]) -> Category:
    """The category that leads; beside categories the tables name only `none`, which the caller has taken out."""
    return cast("Category", max(probabilities, key=probabilities.__getitem__))


def _with_category(draft: ClaimDraft, category: Category) -> ClaimDraft:
    if category == draft.category:
        return draft
    sort = draft.claim_type if draft.claim_type in _FRAMING_TYPES else claim_type_of_category(category)
    return structs.replace(draft, category=category, claim_type=sort)


@cache
def weights_by_feature() -> dict[str, list[tuple[str, int]]]:
    """For each feature, what it adds to which categories."""
    found: dict[str, list[tuple[str, int]]] = {}
    for language, lines in load_claim_weights().items():
        for category, line in lines.items():
            for entry in line.split():
                feature, _, weight = entry.rpartition(":")
                found.setdefault(language + feature, []).append((category, int(weight)))
    return found
