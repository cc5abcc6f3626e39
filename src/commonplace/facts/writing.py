"""Write a draft out as a claim: the first person by name, time words with their dates, the kind and the entities."""

from __future__ import annotations

import re
from functools import cache

from commonplace import when
from commonplace.facts.nouns import Claim, Draft, Statement
from commonplace.facts.person import named
from commonplace.model import Kind

_FUTURE = ("commitment", "remember")


def written(draft: Draft, said: Statement, speaker: str, now: str, language: str) -> Claim:
    """The claim of a draft: its text rewritten minimally, its span in the source."""
    quote = said.text[draft.start : draft.end].strip().rstrip(" ,;:.-–—")
    start = (
        said.start
        + draft.start
        + (len(said.text[draft.start : draft.end]) - len(said.text[draft.start : draft.end].lstrip()))
    )
    text, valid_from, valid_to = _dated(quote, draft, now)
    text = named(text, speaker, language)
    if draft.sort == "dead_end":
        text = f"Did not work: {text}"
    entities = tuple(dict.fromkeys(filter(None, (draft.entity, *([draft.value] if draft.sort == "relation" else ())))))
    return Claim(
        draft.sort, draft.category, _kind(draft, speaker), text, (start, start + len(quote)), draft.entity, draft.attribute,
        draft.value, entities, draft.confidence, valid_from, valid_to, draft.corrects,
    )  # fmt: skip


def _kind(draft: Draft, speaker: str) -> Kind:
    if draft.sort in ("preference", "opinion"):
        return "opinion"
    if draft.sort in ("event", "error_fix", "dead_end") and draft.entity in ("", speaker):
        return "experience"
    return "world"


def _dated(quote: str, draft: Draft, now: str) -> tuple[str, str, str]:
    """The quote with the date of a relative time word behind it, and the interval as first and last day."""
    if not now:
        return quote, "", ""
    direction: when.Direction = "future" if draft.sort in _FUTURE or draft.category == "plan" else "past"
    try:
        phrases = when.find(quote, now, direction=direction)
    except ValueError:  # `now` is no date: nothing can be resolved
        return quote, "", ""
    phrases = tuple(phrase for phrase in phrases if not _counted().match(phrase.phrase))
    if not phrases:
        return quote, "", ""
    phrase = phrases[0]
    first, last = phrase.interval.start[:10], _last_day(phrase.interval.end)
    if _absolute().search(phrase.phrase):
        return quote, first, last
    shown = first if first == last else last if not first else first if not last else f"{first} – {last}"
    return f"{quote[: phrase.end]} ({shown}){quote[phrase.end :]}", first, last


def _last_day(end: str) -> str:
    """The last day of a half-open interval's end: midnight belongs to the day before."""
    if not end:
        return ""
    from datetime import datetime, timedelta

    return (datetime.fromisoformat(end) - timedelta(minutes=1)).date().isoformat()


@cache
def _counted() -> re.Pattern[str]:
    """A figure that belongs to the words before it: `turned 40 last week`."""
    return re.compile(r"\d+ (?:last|next|this)\b")


@cache
def _absolute() -> re.Pattern[str]:
    return re.compile(r"\d{4}")
