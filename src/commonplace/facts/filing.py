"""Decide under which category a claim is filed, by learned weights, and whether that is sure enough to keep it."""

from __future__ import annotations

from math import exp
from typing import cast

from msgspec import structs

from commonplace.facts.cues import cue
from commonplace.facts.features import features
from commonplace.facts.languages import LANGUAGES
from commonplace.facts.nouns import Draft, Sort, Statement
from commonplace.model import Category

# Chosen by cross-validation (bench/weights.py): how probable it may be that what a rule reads is nothing worth keeping,
# the least probability of its category among the others, and the least of a category where no rule reads anything.
EMPTY, SURE, FOUND = 0.5, 0.5, 0.7
SCALE = 10  # weights are stored as tenths
NOTHING = "none"
BIAS = "bias"
_SORTS: dict[Category, Sort] = {
    "lesson": "error_fix", "decision": "decision", "plan": "commitment", "preference": "preference", "event": "event",
}  # fmt: skip
_OF_A_LANGUAGE = (".", "^", "$")
_table: dict[str, list[tuple[str, int]]] = {}
_FRAMES = ("remember", "correction", "relation")  # sorts that say nothing of the category


def filed(draft: Draft | None, said: Statement, speaker: str, language: str) -> Draft | None:
    """A draft, or all of a statement that no rule reads, under its likeliest category; None where that is unsure.

    What somebody asks to remember is kept in any case.
    """
    if draft is None:
        return _unread(said, language)
    if draft.sort == "relation":
        return draft
    ranks = likely(features(said, draft, speaker, language))
    empty = ranks.pop(NOTHING)
    category = _likeliest(ranks)
    told = language == "en" and _is_overruled(draft, category, said, speaker)
    sure = ranks[category] >= SURE * (1 - empty) or (told and draft.entity == speaker)
    if draft.sort != "remember" and (empty > EMPTY or not sure):
        return None
    return draft if told else _under(draft, category)


def _is_overruled(draft: Draft, category: Category, said: Statement, speaker: str) -> bool:
    """Whether what a sentence was read to do outweighs what its words are like.

    What somebody does, did or plans is no taste or choice of theirs where no word of liking or choosing stands in it,
    nor is a lesson; and what they tell of themselves is of another person only where it names one.
    """
    if draft.sort in _FRAMES or draft.category == category:
        return False
    of_speaker = bool(speaker) and draft.entity == speaker
    if category == "person":
        return of_speaker and not cue("acquaintance").search(said.text, draft.start, draft.end)
    told = of_speaker or draft.category == "lesson"
    return (
        told and category in ("preference", "decision") and not cue(category).search(said.low, draft.start, draft.end)
    )


def likely(found: list[str]) -> dict[str, float]:
    """The probability of each category, and of nothing worth keeping, by the features of a statement."""
    weights = _weights()
    scores = dict(weights[BIAS])
    for feature in found:
        for category, weight in weights.get(feature, ()):
            scores[category] += weight
    most = max(scores.values())
    heights = {category: exp((score - most) / SCALE) for category, score in scores.items()}
    whole = sum(heights.values())
    return {category: height / whole for category, height in heights.items()}


def _unread(said: Statement, language: str) -> Draft | None:
    """The whole of a statement that no rule reads, where its words alone are sure."""
    ranks = likely(features(said, None, "", language))
    del ranks[NOTHING]
    category = _likeliest(ranks)
    if ranks[category] < FOUND:
        return None
    return Draft(_sort(category), category, 0, len(said.text), confidence=0.6)


def _likeliest(ranks: dict[str, float]) -> Category:
    """The category that leads; beside categories the tables name only `none`, which the caller has taken out."""
    return cast("Category", max(ranks, key=ranks.__getitem__))


def _sort(category: Category) -> Sort:
    """The sort of a claim of which only the category is known."""
    return _SORTS.get(category, "attribute")


def _under(draft: Draft, category: Category) -> Draft:
    if category == draft.category:
        return draft
    sort = draft.sort if draft.sort in _FRAMES else _sort(category)
    return structs.replace(draft, category=category, sort=sort)


def parted(feature: str) -> tuple[str, str]:
    """The language of a feature, empty for what all share, and the rest."""
    own = feature[2:3] in _OF_A_LANGUAGE and feature[:2] in LANGUAGES
    return (feature[:2], feature[2:]) if own else ("", feature)


def replace_weights(stored: dict[str, dict[str, str]]) -> None:
    """File by other weights from now on; for measuring them."""
    _table.clear()
    _table.update(_read(stored))


def _weights() -> dict[str, list[tuple[str, int]]]:
    """For each feature, what it adds to which categories; read at first use."""
    if not _table:
        from commonplace.facts.languages import learned_english, learned_others

        replace_weights(learned_english.WEIGHTS | learned_others.WEIGHTS)
    return _table


def _read(stored: dict[str, dict[str, str]]) -> dict[str, list[tuple[str, int]]]:
    found: dict[str, list[tuple[str, int]]] = {}
    for language, lines in stored.items():
        for category, line in lines.items():
            for entry in line.split():
                feature, _, weight = entry.rpartition(":")
                found.setdefault(language + feature, []).append((category, int(weight)))
    return found
