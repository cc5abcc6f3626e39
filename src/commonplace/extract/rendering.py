"""Turn a draft into a claim: first person by name, relative times with their dates, validity, kind and entities."""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct

from commonplace.extract.claims import Claim, ClaimDraft, Statement
from commonplace.extract.key_registry import bare_value
from commonplace.extract.languages.english_verbs import AUXILIARIES, base_form
from commonplace.language import when
from commonplace.lazy import lazy_pattern
from commonplace.model import Kind

_THIRD_PERSON_VERBS = {
    "am": "is", "'m": " is", "have": "has", "'ve": " has", "'ll": " will", "do": "does", "don't": "doesn't",
    "haven't": "hasn't", "was": "was", "were": "was", "ain't": "isn't",
}  # fmt: skip
_QUOTES = ('"', "“")
_QUOTATION = lazy_pattern(r"(\"[^\"]{1,200}\"|“[^”]{1,200}”)")
# An auxiliary before the first person, or the first person as one of two: a name in its place reads wrongly
_INVERTED_I = lazy_pattern(
    r"\b(?:am|was|do|did|have|had|can|could|will|would|should|may|might|and|nor|or|than) [Ii]\b|\b[Ii] and\b"
)
_ADVERBS = (
    "just|recently|finally|also|really|actually|always|usually|still|already|only|even|currently|never|often|"
    "sometimes|both|now|absolutely|definitely|personally|officially|mostly|generally|typically|normally|"
    "honestly|truly"
)
_SUBJECT_I = lazy_pattern(
    rf"(?<![\w'’])[Ii](?=['’ ,;]|\.(?!\w)|$)(?P<short>['’](?:m|ve|ll|d)\b)?(?P<blank> )?(?P<adv>(?:(?:{_ADVERBS}) "
    rf")*)(?P<verb>[A-Za-z]+(?:['’]t)?)?(?![\w])"
)
_MY_AND_ME = lazy_pattern(r"\b(?:[Mm]y|me)\b(?!-)")
_OTHER_PRONOUN = lazy_pattern(r"\b(?:[Ww]e|[Uu]s|[Oo]ur|[Oo]urs|[Mm]yself|[Mm]ine|[Yy]ou|[Yy]our)\b(?!-)")
# A figure that belongs to the words before it: `turned 40 last week`
_NUMBER_BEFORE_TIME = lazy_pattern(r"\d+ (?:last|next|this)\b")
_SINCE = lazy_pattern(r"\b(?:since|from|as of|starting|seit|ab|depuis|dès|desde|a partir)\b|自|从|から")
_UNTIL = lazy_pattern(r"\b(?:until|till?|through|to|bis|jusqu\S*|hasta)\b|直到|まで")
_YEAR_DIGITS = lazy_pattern(r"\d{4}")


def rewrite_first_person(text: str, speaker: str, language: str) -> str:
    """The text in the third person if possible, else with the speaker's name before it."""
    if not speaker:
        return text
    if language != "en":
        return f"{speaker}: {text}" if _first_person_regex(language).search(text) else text
    if _OTHER_PRONOUN.search(text) or _INVERTED_I.search(text):
        return f"{speaker}: {text}"
    return "".join(
        part if part[:1] in _QUOTES else _replace_first_person(part, speaker) for part in _QUOTATION.split(text)
    )


def _replace_first_person(text: str, speaker: str) -> str:
    """A stretch outside quotation marks with the name for `I`, `my` and `me`; those inside are not the speaker's."""
    told = _SUBJECT_I.sub(lambda match: _third_person_match(match, speaker), text)
    return _MY_AND_ME.sub(lambda match: f"{speaker}'s" if match[0].lower() == "my" else speaker, told)


def _third_person_match(match: re.Match[str], speaker: str) -> str:
    contraction, blank, adverbs, verb = (match[name] or "" for name in ("short", "blank", "adv", "verb"))
    contraction = contraction.replace("’", "'").lower()
    if contraction:
        rest = f"{blank}{adverbs}{verb}"
        if contraction == "'d":
            had = base_form(verb)[1] in ("past", "participle") and verb != "read"
            return f"{speaker} {'had' if had else 'would'}{rest}"
        return speaker + _THIRD_PERSON_VERBS.get(contraction, contraction) + rest
    low = verb.lower().replace("’", "'")
    if low in _THIRD_PERSON_VERBS:
        verb = _THIRD_PERSON_VERBS[low]
    elif low not in AUXILIARIES and base_form(low)[1] == "base" and low:
        verb = _third_person_verb(verb)
    return f"{speaker}{blank}{adverbs}{verb}"


def _third_person_verb(verb: str) -> str:
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


@cache
def _first_person_regex(language: str) -> re.Pattern[str]:
    words = {
        "de": r"\b(?:ich|mir|mich|mein\w*|wir|uns\w*)\b",
        "fr": r"\b(?:je|moi|me|mon|ma|mes|nous|notre|nos)\b|\b[jm]['’]",
        "es": r"\b(?:yo|me|mi|mis|mí|nosotros|nos|nuestr\w+)\b|\b\w+(?:é|í|amos|imos)\b",
        "zh": "我|咱",
        "ja": "",
    }
    return re.compile(words.get(language, ""), re.IGNORECASE)


_TYPES_WITH_VALIDITY = ("attribute", "correction", "remember", "preference", "decision", "commitment")
_YEARLY_ATTRIBUTES = ("birthday", "anniversary")
_FUTURE_TYPES = ("commitment", "remember")
_TIMELESS_TYPES = ("preference", "opinion", "attribute", "relation")


class UtteranceContext(Struct, frozen=True):
    """By whom, when and in which language a text was said."""

    speaker: str
    now: str
    language: str


def render_claim(draft: ClaimDraft, statement: Statement, utterance: UtteranceContext) -> Claim:
    """The claim of a draft: its text rewritten minimally, its span in the source."""
    raw = statement.text[draft.start : draft.end]
    quote = raw.strip().rstrip(" ,;:.-–—")
    start = statement.start + draft.start + len(raw) - len(raw.lstrip())
    text, valid_from, valid_to = _resolve_dates(quote, draft, utterance.now)
    text = _relation_sentence(draft, utterance) or rewrite_first_person(text, utterance.speaker, utterance.language)
    if draft.end == len(statement.text) and statement.stop and text[-1:] not in ".!?…":
        text += statement.stop
    if draft.claim_type == "dead_end":
        text = f"Did not work: {text}"
    both = (draft.value, draft.entity) if draft.claim_type == "relation" else (draft.entity,)
    entities = tuple(dict.fromkeys(filter(None, both)))
    value = bare_value(draft.value, draft.attribute) if draft.claim_type == "attribute" else draft.value
    return Claim(
        draft.claim_type, draft.category, _claim_kind(draft, utterance.speaker), text, (start, start + len(quote)),
        draft.entity, draft.attribute, value, entities, draft.confidence, valid_from, valid_to, draft.corrects,
    )  # fmt: skip


def _relation_sentence(draft: ClaimDraft, utterance: UtteranceContext) -> str:
    """A relation as a sentence of its own: `Peter's sister is Ana.`; empty if nobody or no single one is named."""
    if (
        draft.claim_type != "relation"
        or utterance.language != "en"
        or not (draft.entity and draft.value and draft.attribute)
    ):
        return ""
    plural = draft.attribute.endswith("s") or draft.attribute in ("engaged", "married") or not draft.value[:1].isupper()
    return "" if plural else f"{draft.entity}'s {draft.attribute} is {draft.value}."


def _claim_kind(draft: ClaimDraft, speaker: str) -> Kind:
    if draft.claim_type in ("preference", "opinion"):
        return "opinion"
    if draft.claim_type in ("event", "error_fix", "dead_end") and draft.entity in ("", speaker):
        return "experience"
    return "world"


def _resolve_dates(quote: str, draft: ClaimDraft, now: str) -> tuple[str, str, str]:
    """The quote with the date of a relative time word behind it, and the interval as first and last day."""
    if not now or draft.attribute in _YEARLY_ATTRIBUTES:
        return quote, "", ""
    direction: when.Direction = "future" if draft.claim_type in _FUTURE_TYPES or draft.category == "plan" else "past"
    try:
        phrases = when.find_time_phrases(quote, now, direction=direction)
    except ValueError:  # `now` is no date: nothing can be resolved
        return quote, "", ""
    phrases = tuple(phrase for phrase in phrases if not _NUMBER_BEFORE_TIME.match(phrase.phrase))
    if not phrases:
        return quote, "", ""
    phrase = phrases[0]
    first, last = phrase.interval.start[:10], phrase.interval.last_day
    shown = first if first == last else last if not first else first if not last else f"{first} – {last}"
    text = quote if _states_own_date(phrase, draft) else f"{quote[: phrase.end]} ({shown}){quote[phrase.end :]}"
    return text, *_validity_days(draft, quote[: phrase.end], first, last)


def _states_own_date(phrase: when.TimePhrase, draft: ClaimDraft) -> bool:
    """Whether dates would add nothing to a phrase: it has its year, is a decade, or a feast as it comes every year."""
    if _YEAR_DIGITS.search(phrase.phrase):
        return True
    start, end = phrase.interval.start[:4], phrase.interval.end[:4]
    spans_years = bool(start and end) and int(end) - int(start) > 1
    return bool(phrase.name) and (draft.claim_type in _TIMELESS_TYPES or spans_years)


def _validity_days(draft: ClaimDraft, leading_text: str, first_day: str, last_day: str) -> tuple[str, str]:
    """The first and last day of a period of validity; none for the day of a single event."""
    if draft.claim_type not in _TYPES_WITH_VALIDITY:
        return "", ""
    opens, closes = _SINCE.search(leading_text.lower()), _UNTIL.search(leading_text.lower())
    return first_day if opens else "", last_day if closes else ""
