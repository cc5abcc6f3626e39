"""Draft a claim from an English clause by the tense of its verb: an event, a state, a habit, a plan, or nothing."""

from __future__ import annotations

import re

from msgspec import Struct

from commonplace.extract.claims import ClaimDraft, ClaimType, Statement
from commonplace.extract.clauses import Clause, VerbGroup, count_content_words
from commonplace.extract.languages.english_cues import cue_regex
from commonplace.extract.languages.english_verbs import (
    MUST_BEGIN,
    ONGOING_NAMES,
    PAST_NAMES,
    state_attribute,
    verb_list,
)
from commonplace.model import Category

_LIGHT_VERBS = ("have", "take", "get", "go", "make", "do")
_LIKING_VERBS = ("prefer", "love", "hate", "adore", "like", "enjoy", "dislike", "detest", "loathe")
_DISLIKING_VERBS = ("hate", "dislike", "detest", "loathe")
_CONSUMING_VERBS = (
    "eat", "drink", "have", "want", "tolerate", "take", "wear", "drive", "smoke", "digest", "stand", "bear",
    "touch",
)  # fmt: skip
_VERBS_WITH_WE = ("live", "own", "rent", "host", "foster", "keep", "use", "run", "reside")
_EVENTS_WITHOUT_OBJECT = ("die", "retire", "graduate", "emigrate", "elope")
_THINKING_WORDS = """
    think wonder mean feel want hope look wait say tell ask try know wish get see find need recommend suggest advise
    appreciate
"""
_THINKING_VERBS = frozenset(_THINKING_WORDS.split())

ClauseMeaning = tuple[ClaimType, Category, str]


class _ClauseText(Struct, frozen=True):
    """A clause, the text after its verb, and the whole clause, in lower case."""

    clause: Clause
    rest: str
    clause_lower: str

    @property
    def verb(self) -> VerbGroup:
        return self.clause.verb

    @property
    def category(self) -> Category:
        """The category of a fact about the subject."""
        return "person" if self.clause.who == "person" else "fact"

    @property
    def content_words(self) -> int:
        """The number of content words in the object."""
        return count_content_words(self.rest)

    def rest_starts_with(self, name: str) -> bool:
        """Whether what follows the verb begins like a cue."""
        return cue_regex(name).match(self.rest) is not None

    def has_cue(self, name: str) -> bool:
        """Whether the clause holds a cue."""
        return cue_regex(name).search(self.clause_lower) is not None

    @property
    def has_date(self) -> bool:
        return cue_regex("dated").search(self.rest) is not None


def draft_from_clause(statement: Statement, clause: Clause, speaker: str) -> ClaimDraft | None:
    """The draft of a claim from a clause, if it is worth storing."""
    verb = clause.verb
    text = _ClauseText(clause, statement.low[verb.rest_start : clause.end], statement.low[clause.start : clause.end])
    if text.has_cue("hedge") or text.has_cue("transient"):
        return None
    reader = _INTERPRETERS.get(verb.tense)
    told = reader(text) if reader else None
    if told is None:
        return None
    sort, category, attribute = told
    entity = speaker if clause.who in ("I", "we") else clause.name
    value = cue_regex("end_of_value").split(
        statement.text[verb.rest_start : clause.end].strip(" .,;:!-–—"), maxsplit=1
    )[0]
    if verb.base == "move" and (place := cue_regex("new_home").match(statement.text[verb.rest_start : clause.end])):
        attribute, value = "lives_in", place["place"]
    return ClaimDraft(sort, category, clause.start, clause.end, entity, attribute, value)


def _interpret_past(text: _ClauseText) -> ClauseMeaning | None:
    verb = text.verb
    if not verb.negated and (known := _interpret_past_state(text)):
        return known
    if verb.negated or (not text.rest.strip() and verb.base not in _EVENTS_WITHOUT_OBJECT):
        return None
    if verb.base in _EVENTS_WITHOUT_OBJECT:
        return ("event", "event", verb.base)
    if verb.base in _LIGHT_VERBS:
        return ("event", "event", verb.base) if _is_light_verb_event(text) else None
    if text.content_words < 1 or text.rest_starts_with("thin"):
        return None
    if text.clause.who == "person" and verb.base in ("go", "come", "pass") and text.rest_starts_with("left_home"):
        return ("event", "event", verb.base)
    specific = cue_regex("specific").search(text.rest) or text.has_cue("dated")
    if verb.base in verb_list("change") or (verb.base in verb_list("plain") and specific):
        return ("event", "event", verb.base)
    return None


def _interpret_past_state(text: _ClauseText) -> ClauseMeaning | None:
    """A draft from a past state: grew up, studied, worked at, `I've lived here for years`, `put me on pills`."""
    verb, rest = text.verb, text.rest
    if verb.base == "grow" and rest.startswith(" up in"):
        return ("attribute", text.category, "from")
    if verb.base == "put" and text.clause.who == "person" and text.rest_starts_with("on_me"):
        return ("event", "event", "health")
    if text.content_words < 2:
        return None
    if verb.tense == "perfect" and state_attribute(verb.base) and cue_regex("lasting").search(rest):
        return ("attribute", text.category, _clause_attribute(text))
    if verb.base in PAST_NAMES and cue_regex("somewhere").search(rest) and not text.rest_starts_with("somehow"):
        return ("attribute", text.category, PAST_NAMES[verb.base])
    return None


def _is_light_verb_event(text: _ClauseText) -> bool:
    """Whether have, take, get, go, make or do states an event, which depends on its object."""
    base, nouns = text.verb.base, frozenset(re.findall(r"[a-z][\w-]+", text.rest[:80]))
    if text.rest_starts_with("a_picture") or (base == "have" and text.verb.word == "got"):
        return False
    if base == "have":
        return bool(nouns & verb_list("have")) and not text.rest_starts_with("no_time")
    if base == "take":
        return bool(nouns & (verb_list("take") | verb_list("have"))) or text.rest_starts_with("takes_up")
    name = {"get": "gets", "go": "goes", "make": "makes", "do": "does"}[base]
    good = text.rest_starts_with(name) and text.content_words > 0 and not text.rest_starts_with(f"{name}_not")
    return good and (base in ("get", "go") or text.has_cue("dated") or bool(cue_regex("specific").search(text.rest)))


def _interpret_passive(text: _ClauseText) -> ClauseMeaning | None:
    verb = text.verb
    if verb.negated or verb.word in ("given", "asked", "involved", "raised", "hit", "stung", "interested"):
        return None
    if verb.word == "born":
        return ("attribute", text.category, "birthday")
    if verb.word in ("married", "divorced", "engaged") and text.has_cue("is"):
        return ("attribute", text.category, "marital_status")
    return ("event", "event", verb.word)


def _interpret_ongoing(text: _ClauseText) -> ClauseMeaning | None:
    """`I've been playing the violin for ten years`."""
    verb = text.verb
    if (
        verb.negated
        or text.content_words < 1
        or verb.base in _THINKING_VERBS
        or text.rest_starts_with("thin")
        or not text.has_cue("while_long")
    ):
        return None
    if not state_attribute(verb.base):
        return ("event", "event", verb.base)
    return None if text.rest_starts_with("lasting_at_once") else ("attribute", text.category, _clause_attribute(text))


def _interpret_present(text: _ClauseText) -> ClauseMeaning | None:
    verb, who = text.verb, text.clause.who
    if verb.base == "have" or (verb.word == "got" and text.has_cue("have_got")):
        return _interpret_possession(text)
    if verb.base in verb_list("plan") and text.has_date and who != "we":
        return ("commitment", "plan", verb.base) if who == "I" else ("event", "event", verb.base)
    if text.content_words < 1:
        return None
    if who == "person" and (verb.base in _LIKING_VERBS or (verb.negated and verb.base in _CONSUMING_VERBS)):
        return ("preference", "person", "dislikes" if verb.negated or verb.base in _DISLIKING_VERBS else "likes")
    if text.has_cue("no_longer") and state_attribute(verb.base):
        return ("event", "event", f"no_longer_{verb.base}")
    if verb.negated:
        return None
    return _interpret_state(text) or _interpret_habit(text)


def _interpret_state(text: _ClauseText) -> ClauseMeaning | None:
    """A draft from a present state: where somebody lives or works, what they own, play, speak, …; the object must fit
    the verb."""
    base = text.verb.base
    attribute = state_attribute(base)
    if not attribute or text.rest_starts_with("adverbial") or (text.clause.who == "we" and base not in _VERBS_WITH_WE):
        return None
    must = MUST_BEGIN.get(base)
    return (
        ("attribute", text.category, _clause_attribute(text)) if must is None or text.rest_starts_with(must) else None
    )


def _clause_attribute(text: _ClauseText) -> str:
    """The attribute of a verb of state; that of `works` depends on the next word."""
    if text.verb.base != "work":
        return state_attribute(text.verb.base)
    at = cue_regex("works_how").match(text.rest)
    return _WORK_ATTRIBUTES.get(at[1] if at else "", "works")


def _interpret_habit(text: _ClauseText) -> ClauseMeaning | None:
    verb = text.verb
    if text.clause.who != "I" or verb.base in _THINKING_VERBS or not text.has_cue("habit"):
        return None
    if {"always", "never"} & set(verb.adverbs):
        return ("preference", "preference", "habit")
    return ("attribute", "fact", "habit")


def _interpret_possession(text: _ClauseText) -> ClauseMeaning | None:
    if text.verb.negated or not text.rest_starts_with("counted") or text.rest_starts_with("vague_having"):
        return None
    if cue_regex("event").search(text.rest):
        return ("commitment", "plan", "appointment") if text.has_date else None
    if text.content_words < 1:
        return None
    if text.rest_starts_with("kin"):
        return ("relation", "person", "family")
    if text.rest_starts_with("animal"):
        return ("attribute", text.category, "pet")
    if text.clause.who != "we" and cue_regex("owned").search(text.rest):
        return ("attribute", text.category, "has")
    return None


_WORK_ATTRIBUTES = {"at": "employer", "for": "employer", "in": "employer", "as": "occupation", "on": "working_on"}
_COPULA_ATTRIBUTES = {
    "from": "from",
    "originally from": "from",
    "based in": "lives_in",
    "in charge of": "role",
    "responsible for": "role",
}


def _interpret_copula(text: _ClauseText) -> ClauseMeaning | None:
    if text.clause.who == "we" or text.verb.negated:
        return None
    being = cue_regex("being").match(text.rest)
    if being:
        return (
            ("attribute", text.category, _COPULA_ATTRIBUTES.get(being["what"], "status"))
            if text.content_words > 0
            else None
        )
    if text.rest_starts_with("aged"):
        return ("attribute", text.category, "age")
    if text.rest_starts_with("article") and cue_regex("occupation").search(text.rest):
        return ("attribute", text.category, "occupation")
    if text.clause.who != "person":
        return None
    for name, told in _MEANINGS_OF_OTHERS.items():
        if text.rest_starts_with(name):
            return told
    return None


_MEANINGS_OF_OTHERS: dict[str, ClauseMeaning] = {
    "allergic": ("preference", "person", "allergy"),
    "diet": ("preference", "person", "diet"),
    "condition": ("attribute", "person", "status"),
}


def _interpret_progressive(text: _ClauseText) -> ClauseMeaning | None:
    verb, who = text.verb, text.clause.who
    if verb.negated or text.content_words < 1:
        return None
    if verb.base == "go" and text.rest_starts_with("bound"):
        return _plan_or_event(text, "going") if text.has_date or text.content_words > 1 else None
    if verb.base in ("live", "rent", "stay") and who != "we":
        return ("attribute", text.category, "lives_in") if text.rest_starts_with("stays") else None
    if verb.base == "get":
        return _plan_or_event(text, "wedding") if text.rest_starts_with("wedding") else None
    settled = verb.base in verb_list("settled") and text.rest_starts_with("toward")
    if verb.base in verb_list("plan") and (text.has_date or settled):
        return _plan_or_event(text, verb.base)
    if (
        who == "I"
        and verb.base in verb_list("ongoing")
        and (cue_regex("specific").search(text.rest) or text.rest_starts_with("practises"))
    ):
        return ("attribute", "fact", ONGOING_NAMES.get(verb.base) or _clause_attribute(text) or verb.base)
    return None


def _interpret_future(text: _ClauseText) -> ClauseMeaning | None:
    verb = text.verb
    known = verb.base in verb_list("plan") or verb.base in verb_list("change")
    if verb.negated or not (known or verb.base in verb_list("promise")):
        return None
    if text.has_cue("dated") and not text.rest_starts_with("idle_future"):
        return _plan_or_event(text, verb.base)
    if known and text.clause.who != "person" and text.content_words > 1 and text.has_cue("intends"):
        return ("commitment", "plan", verb.base)
    return None


def _interpret_modal(text: _ClauseText) -> ClauseMeaning | None:
    """`Liam can't have shellfish`, `I can speak Dutch`."""
    verb, who = text.verb, text.clause.who
    if who == "we" or text.content_words < 1:
        return None
    if verb.negated and verb.base in _CONSUMING_VERBS and text.has_cue("cannot"):
        return ("preference", "person" if who == "person" else "preference", "dislikes")
    if not verb.negated and verb.base in ("speak", "play") and text.has_cue("can"):
        return ("attribute", text.category, state_attribute(verb.base))
    return None


def _plan_or_event(text: _ClauseText, attribute: str) -> ClauseMeaning:
    """The category of something planned: a plan if it is the speaker's, an event if it is somebody else's."""
    return ("event", "event", attribute) if text.clause.who == "person" else ("commitment", "plan", attribute)


_INTERPRETERS = {
    "past": _interpret_past,
    "perfect": _interpret_past,
    "passive": _interpret_passive,
    "ongoing": _interpret_ongoing,
    "present": _interpret_present,
    "copula": _interpret_copula,
    "progressive": _interpret_progressive,
    "future": _interpret_future,
    "modal": _interpret_modal,
}
