"""Classify a question by its words: intent, expected answer type, temporal order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Literal

from msgspec import structs

from commonplace.index import Filter
from commonplace.language import text
from commonplace.language.text import fold_name
from commonplace.language.word_data import load_word_list, load_word_table
from commonplace.lazy import lazy_pattern
from commonplace.model import Record

Intent = Literal["any", "about", "opinion", "decision", "procedure"]
AnswerType = Literal["any", "time", "count", "name", "place"]

# The words that tell the sort; an earlier sort wins.
_INTENT_CUES: dict[Intent, str] = {
    "decision": r"\b(?:decid(?:e|es|ed|ing)|decisions?|agreed|settled on)\b",
    "procedure": r"\bhow (?:do|can|should|must) (?:i|we|you|one)\b|\bhow to\b|\b(?:steps|procedures?|instructions)\b",
    "opinion": (
        r"\b(?:opinions?|thinks?|thought of|feels?|prefer\w*|favou?rites?|likes?|believes?|views? on|attitude)\b"
    ),
}
_YOU_SAY = (
    r"\byou (?:\w+ ){0,2}?(?:said|told|suggest|recommend|advis|propos|mention|provid|gave|list|shar|explain|wrote|"
    r"ma[dk]e|came up)"
)
_NOT_A_REQUEST = "".join(rf"(?<!\b{word} )" for word in ("can", "could", "do", "may", "should", "will", "would"))
_YOU_SAID = rf"{_NOT_A_REQUEST}{_YOU_SAY}"  # `can you suggest` and `do you have suggestions` ask for something new
_AGENT_CUES = (
    rf"{_YOU_SAID}|\bdid you\b|\bremind me\b|\b(?:our|previous|earlier|last) (?:chat|conversation|discussion)\b"
)
_WHEN_CUES = r"\bwhen\b|\bwhat (?:date|day|month|year|time)\b|\bhow long\b"
_COUNT_CUES = (
    r"\bhow (?:many|much|old|far|often)\b|\bwhat (?:(?:is|was|are|were) the (?:\w+ ){0,2}?)?"
    r"(?:percentage|number|amount|total|sum|distance|price|cost|age|size|weight|height|average)\b"
)
_NAME_CUES = (
    r"\b(?:who|whom|whose)\b|\b(?:which|what) (?:is the name|(?:\w+ ){0,2}?(?:names?|named|called|"
    r"city|cities|country|countries|states?|towns?|places?|museums?|parks?|universit\w+|colleges?|schools?|"
    r"stores?|shops?|restaurants?|brands?|company|companies|airlines?|services?|apps?|teams?|"
    r"books?|novels?|authors?|movies?|films?|shows?|series|songs?|bands?|artists?|singers?|games?))\b"
)
_WHERE_CUES = r"\bwhere\b"
_CALENDAR_WORDS = (
    "yesterday|today|tonight|tomorrow|last|next|ago|week|weeks|weekend|month|months|year|years|day|days|morning|january|"
    "february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|"
    "friday|saturday|sunday"
)
_CALENDAR_NAMES = frozenset(_CALENDAR_WORDS.split("|"))
_TIME_WORDS = _CALENDAR_WORDS + r"|\p{Nd}{4}|\p{Nd}+(?:st|nd|rd|th)"
_NUMBER_WORDS = (
    r"\p{Nd}+|one|two|three|four|five|six|seven|eight|nine|ten|dozen|couple|first|second|third|once|twice|half|several"
)
MAX_DIVISIONS = 2  # of a text into questions
_CONTINUATION_SIGNS = tuple(",;'\"(")
_AGENT_NAMES = frozenset(("agent", "ai", "assistant", "bot"))
_ROLE_NAMES = _AGENT_NAMES | {"human", "me", "owner", "user"}
_LATER_WORD = lazy_pattern(r" [\"'(“‘]?([^\Wa-z]\w+)")
_PLACE_NAME = lazy_pattern(r"\b(?:in|at|to|from|near|around|visit(?:ed|ing)?) (?:the )?[\"'(“‘]?([^\Wa-z]\w+)")


def classify_intent(query_text: str) -> Intent:
    """The first sort of memory that the words of a question call for."""
    return next((intent for intent, cues in _INTENT_CUES.items() if _cue_pattern(cues).search(query_text)), "any")


def remove_intent_cues(query_text: str, intent: Intent) -> str:
    """The question without the words that express its intent."""
    return _cue_pattern(_INTENT_CUES[intent]).sub(" ", query_text) if intent in _INTENT_CUES else query_text


def matches_intent(record: Record, intent: Intent) -> bool:
    """Whether a record is of the sort that is asked for."""
    if intent == "opinion":
        return record.kind == "opinion" or record.category == "preference"
    if intent == "decision":
        return record.category == "decision" or _cue_pattern(_INTENT_CUES["decision"]).search(record.text) is not None
    return intent == "procedure" and record.category in ("procedure", "lesson")


def narrow_to_intent(record_filter: Filter, intent: Intent) -> Filter | None:
    """The filter for records that are kept as the sort that is asked for; None if no sort is, or it is shut out."""
    if intent == "opinion":
        allowed = not record_filter.kinds or "opinion" in record_filter.kinds
        return structs.replace(record_filter, kinds=("opinion",)) if allowed else None
    if intent not in ("decision", "procedure") or intent not in (record_filter.categories or (intent,)):
        return None
    return structs.replace(record_filter, categories=(intent,))


def asks_about_agent(query_text: str) -> bool:
    """Whether a question is about what the agent itself said before."""
    return _cue_pattern(_AGENT_CUES).search(query_text) is not None or "agent" in find_question_cues(query_text)


def agent_cue_words(query_text: str) -> frozenset[str]:
    """The folded words of cues like `you suggest` in a question to the agent: they are not what it is about."""
    return _folded_cue_words(rf"{_YOU_SAY}\w*", query_text)


def classify_answer_type(query_text: str) -> AnswerType:
    """The kind of answer that a question asks for: `how old was I when Ada was born` asks for a number, not a time."""
    if _cue_pattern(_COUNT_CUES).search(query_text):
        return "count"
    if _cue_pattern(_WHEN_CUES).search(query_text):
        return "time"
    if _cue_pattern(_WHERE_CUES).search(query_text):
        return "place"
    return "name" if _cue_pattern(_NAME_CUES).search(query_text) else "any"


def may_contain_answer(line_text: str, answer_type: AnswerType) -> bool:
    """Whether a text has what may be such an answer: words of time, a number, a name inside a sentence (not that of a
    month or a day), one of a place."""
    if answer_type in ("name", "place"):
        return any(name.casefold() not in _CALENDAR_NAMES for name in _capitalised_names(line_text, answer_type))
    words = _TIME_WORDS if answer_type == "time" else _NUMBER_WORDS
    return answer_type != "any" and _whole_word_pattern(words).search(line_text) is not None


def is_agent_name(speaker: str) -> bool:
    """Whether the name of a speaker says that no person spoke."""
    return speaker.casefold() in _AGENT_NAMES


def is_person_name(speaker: str) -> bool:
    """Whether the name of a speaker is that of somebody, and not of a part in a talk with an assistant."""
    return bool(speaker) and speaker.casefold() not in _ROLE_NAMES


@cache
def _cue_pattern(cues: str) -> re.Pattern[str]:
    return re.compile(cues, re.IGNORECASE)


@cache
def _whole_word_pattern(alternatives: str) -> Any:
    """Whole words, in RE2: hundreds of lines are looked at for one question, and it takes a fifth of the time."""
    import re2

    return re2.compile(rf"(?i)(?:\A|[^\pL\pN_])(?:{alternatives})(?:\z|[^\pL\pN_])")


def _capitalised_names(line_text: str, answer_type: AnswerType) -> Iterator[str]:
    """Capitalised words that do not begin a sentence, perhaps in quotes; those of places stand behind a word like
    `in`."""
    pattern = _PLACE_NAME if answer_type == "place" else _LATER_WORD
    for match in pattern.finditer(line_text):
        before = line_text[match.start() - 1 : match.start()]
        continues_sentence = before.islower() or before.isdecimal() or before in _CONTINUATION_SIGNS
        if match[1][0].isupper() and (continues_sentence or answer_type == "place"):
            yield match[1]


TemporalOrder = Literal["", "last", "first"]

_LAST_CUES = (
    r"\b(?:last|latest|newest|lately|most recent(?:ly)?|zuletzt|(?:letzte|neueste|jüngste)[nrsm]?|derni(?:er|ère)s?|"
    r"(?:plus|más|mais|più) r[eé]cente?s?|[úu]ltim[aoei]s?|laatste?|meest recente|senaste?|последн\w+)\b(?! names?\b)|"
    r"上次|上一次|最后一次|最後一次|最近一次|最新|最後に|前回"
)
_FIRST_CUES = (
    r"\bfirst (?:time|ever)\b|\b(?:i|we|you|he|she|it|they|my|our|your|his|her|its|their|did \w+) first (?!names?\b)\w|"
    r"\b(?:ersten? mal|zuerst|première fois|primera vez|primeira vez|prima volta|eerste keer|första gången|впервые|"
    r"первый раз)\b|第一次|首次|初めて|最初に"
)
_DURATION_CUES = r"\bhow long\b|\bat last\b|\blast (?:long|for|until|till)\b"


def classify_temporal_order(query_text: str) -> TemporalOrder:
    """Whether a question, less its times, is for the last or the first of its like."""
    patterns = map(_cue_pattern, (_LAST_CUES, _FIRST_CUES, _DURATION_CUES))
    last, first, lasts = (bool(pattern.search(query_text)) for pattern in patterns)
    last = last and not lasts
    return "" if last == first else "last" if last else "first"


def find_question_cues(query_text: str) -> list[str]:
    """What a question asks for: `first` or `previous` value, `duration`, what was `asked`, or said by the `agent`."""
    language, folded = text.detect_language(query_text), text.name_key(query_text)
    mark = "" if language in text.UNSPACED_WORD_LISTS else " "
    words = f"{mark}{folded}{mark}${mark}"
    cues = load_word_table(language, "question_cues")
    return [cue for cue, phrases in cues.items() if any(f"{mark}{phrase}{mark}" in words for phrase in phrases)]


def split_questions(query_text: str) -> list[str]:
    """The questions of a text, at most three, each opened by a question word of its language, behind a mark or an
    `and`; only the text itself if it asks one thing."""
    openings, joints = _question_words(text.detect_language(query_text))
    words = query_text.split()
    opened = [at for at, word in enumerate(words) if text.name_key(word).split(" ")[0] in openings]
    starts = [at for at in opened if not at or words[at - 1][-1] in ",;?" or words[at - 1].lower() in joints]
    if len(starts) < 2 or starts[0]:
        return [query_text]
    ends = (*starts[1 : MAX_DIVISIONS + 1], len(words))
    return [" ".join(words[at:end]) for at, end in zip(starts, ends, strict=False)]


@cache
def _question_words(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words that open a question in a language, folded, and those that join two."""
    openings = map(text.name_key, load_word_list(language, "question_words"))
    joints = "|".join(load_word_table(language, "change_words").get("and", ()))
    return frozenset(" ".join(openings).split(" ")), frozenset(joints.split("|"))


def asks_what_was_asked(query_text: str) -> bool:
    """Whether a question is about what somebody asked or requested before."""
    return "asked" in find_question_cues(query_text)


def order_cue_words(query_text: str) -> frozenset[str]:
    """The folded words of cues like `last` and `zuletzt` in a question for the last of its like."""
    order = classify_temporal_order(query_text)
    return _folded_cue_words(_LAST_CUES if order == "last" else _FIRST_CUES, query_text) if order else frozenset()


def _folded_cue_words(cues: str, query_text: str) -> frozenset[str]:
    return frozenset(word for cue in _cue_pattern(cues).finditer(query_text) for word in fold_name(cue[0]).split())
