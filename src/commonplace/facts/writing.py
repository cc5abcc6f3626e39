"""Write a draft out as a claim: the first person by name, time words with their dates, the kind and the entities."""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct

from commonplace import when
from commonplace.facts.attributes import bare_value
from commonplace.facts.nouns import Claim, Draft, Statement
from commonplace.facts.person import named
from commonplace.model import Kind

_STATES = ("attribute", "correction", "remember", "preference", "decision", "commitment")
_DAYS_OF_THE_YEAR = ("birthday", "anniversary")
_FUTURE = ("commitment", "remember")
_AT_ALL_TIMES = ("preference", "opinion", "attribute", "relation")


class Told(Struct, frozen=True):
    """By whom, when and in which language a text was said."""

    speaker: str
    now: str
    language: str


def written(draft: Draft, said: Statement, told: Told) -> Claim:
    """The claim of a draft: its text rewritten minimally, its span in the source."""
    raw = said.text[draft.start : draft.end]
    quote = raw.strip().rstrip(" ,;:.-–—")
    start = said.start + draft.start + len(raw) - len(raw.lstrip())
    text, valid_from, valid_to = _dated(quote, draft, told.now)
    text = _related(draft, told) or named(text, told.speaker, told.language)
    if draft.end == len(said.text) and said.stop and text[-1:] not in ".!?…":
        text += said.stop
    if draft.sort == "dead_end":
        text = f"Did not work: {text}"
    both = (draft.value, draft.entity) if draft.sort == "relation" else (draft.entity,)
    entities = tuple(dict.fromkeys(filter(None, both)))
    value = bare_value(draft.value, draft.attribute) if draft.sort == "attribute" else draft.value
    return Claim(
        draft.sort, draft.category, _kind(draft, told.speaker), text, (start, start + len(quote)), draft.entity,
        draft.attribute, value, entities, draft.confidence, valid_from, valid_to, draft.corrects,
    )  # fmt: skip


def _related(draft: Draft, told: Told) -> str:
    """A relation as a sentence of its own: `Peter's sister is Ana.`; empty where nobody or no single one is named."""
    if draft.sort != "relation" or told.language != "en" or not (draft.entity and draft.value and draft.attribute):
        return ""
    plural = draft.attribute.endswith("s") or draft.attribute in ("engaged", "married") or not draft.value[:1].isupper()
    return "" if plural else f"{draft.entity}'s {draft.attribute} is {draft.value}."


def _kind(draft: Draft, speaker: str) -> Kind:
    if draft.sort in ("preference", "opinion"):
        return "opinion"
    if draft.sort in ("event", "error_fix", "dead_end") and draft.entity in ("", speaker):
        return "experience"
    return "world"


def _dated(quote: str, draft: Draft, now: str) -> tuple[str, str, str]:
    """The quote with the date of a relative time word behind it, and the interval as first and last day."""
    if not now or draft.attribute in _DAYS_OF_THE_YEAR:
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
    shown = first if first == last else last if not first else first if not last else f"{first} – {last}"
    text = quote if _is_told(phrase, draft) else f"{quote[: phrase.end]} ({shown}){quote[phrase.end :]}"
    return text, *_holds(draft, quote[: phrase.end], first, last)


def _is_told(phrase: when.TimePhrase, draft: Draft) -> bool:
    """Whether dates would add nothing to a phrase: it has its year, is a decade, or a feast as it comes every year."""
    if _absolute().search(phrase.phrase):
        return True
    return bool(phrase.name) and (draft.sort in _AT_ALL_TIMES or _years(phrase) > 1)


def _years(phrase: when.TimePhrase) -> int:
    """How many years lie between the ends; none if one is open."""
    start, end = phrase.interval.start[:4], phrase.interval.end[:4]
    return int(end) - int(start) if start and end else 0


def _holds(draft: Draft, until: str, first: str, last: str) -> tuple[str, str]:
    """The first and last day of a stretch in which something holds; the day of what is merely told is none."""
    if draft.sort not in _STATES:
        return "", ""
    opens, closes = _since().search(until.lower()), _until().search(until.lower())
    return first if opens else "", last if closes else ""


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
def _since() -> re.Pattern[str]:
    return re.compile(r"\b(?:since|from|as of|starting|seit|ab|depuis|dès|desde|a partir)\b|自|从|から")


@cache
def _until() -> re.Pattern[str]:
    return re.compile(r"\b(?:until|till?|through|to|bis|jusqu\S*|hasta)\b|直到|まで")


@cache
def _absolute() -> re.Pattern[str]:
    return re.compile(r"\d{4}")
