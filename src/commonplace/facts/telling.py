"""Decide what an English clause tells, by the tense of its verb: an event, a state, a habit, a plan, or nothing."""

from __future__ import annotations

import re

from msgspec import Struct

from commonplace.facts.clauses import Clause
from commonplace.facts.cues import cue
from commonplace.facts.languages.english_verbs import MUST_BEGIN, ONGOING_NAMES, PAST_NAMES, listed, state
from commonplace.facts.nouns import Draft, Sort, Statement
from commonplace.facts.verbgroup import VerbGroup, substance
from commonplace.model import Category

_LIGHT = ("have", "take", "get", "go", "make", "do")
_LIKING = ("prefer", "love", "hate", "adore", "like", "enjoy", "dislike", "detest", "loathe")
_DISLIKING = ("hate", "dislike", "detest", "loathe")
_CONSUMING = (
    "eat",
    "drink",
    "have",
    "want",
    "tolerate",
    "take",
    "wear",
    "drive",
    "smoke",
    "digest",
    "stand",
    "bear",
    "touch",
)
_OF_US = ("live", "own", "rent", "host", "foster", "keep", "use", "run", "reside")
_ENDS_IN_ITSELF = ("die", "retire", "graduate", "emigrate", "elope")
_THINKING_WORDS = """
    think wonder mean feel want hope look wait say tell ask try know wish get see find need recommend suggest advise
    appreciate
"""
_THINKING = frozenset(_THINKING_WORDS.split())

Told = tuple[Sort, Category, str]


class _Said(Struct, frozen=True):
    """A clause with what follows its verb, and the whole of it, in lower case."""

    clause: Clause
    rest: str
    whole: str

    @property
    def verb(self) -> VerbGroup:
        return self.clause.verb

    @property
    def of(self) -> Category:
        """Where a fact about the subject belongs."""
        return "person" if self.clause.who == "person" else "fact"

    @property
    def told(self) -> int:
        """How many words of the object say something."""
        return substance(self.rest)

    def begins(self, name: str) -> bool:
        """Whether what follows the verb begins like a cue."""
        return cue(name).match(self.rest) is not None

    def shows(self, name: str) -> bool:
        """Whether the clause holds a cue."""
        return cue(name).search(self.whole) is not None

    @property
    def dated(self) -> bool:
        return cue("dated").search(self.rest) is not None


def read(said: Statement, clause: Clause, speaker: str) -> Draft | None:
    """What a clause says, if it is worth keeping."""
    verb = clause.verb
    heard = _Said(clause, said.low[verb.at : clause.end], said.low[clause.start : clause.end])
    if heard.shows("hedge") or heard.shows("transient"):
        return None
    reader = _READERS.get(verb.tense)
    told = reader(heard) if reader else None
    if told is None:
        return None
    sort, category, attribute = told
    entity = speaker if clause.who in ("I", "we") else clause.name
    value = cue("end_of_value").split(said.text[verb.at : clause.end].strip(" .,;:!-–—"), maxsplit=1)[0]
    if verb.base == "move" and (place := cue("new_home").match(said.text[verb.at : clause.end])):
        attribute, value = "lives_in", place["place"]
    return Draft(sort, category, clause.start, clause.end, entity, attribute, value)


def _past(heard: _Said) -> Told | None:
    verb = heard.verb
    if not verb.negated and (known := _past_state(heard)):
        return known
    if verb.negated or (not heard.rest.strip() and verb.base not in _ENDS_IN_ITSELF):
        return None
    if verb.base in _ENDS_IN_ITSELF:
        return ("event", "event", verb.base)
    if verb.base in _LIGHT:
        return ("event", "event", verb.base) if _light(heard) else None
    if heard.told < 1 or heard.begins("thin"):
        return None
    if heard.clause.who == "person" and verb.base in ("go", "come", "pass") and heard.begins("left_home"):
        return ("event", "event", verb.base)
    specific = cue("specific").search(heard.rest) or heard.shows("dated")
    if verb.base in listed("change") or (verb.base in listed("plain") and specific):
        return ("event", "event", verb.base)
    return None


def _past_state(heard: _Said) -> Told | None:
    """What was so or has been so: grew up, studied, worked at, `I've lived here for years`, `put me on pills`."""
    verb, rest = heard.verb, heard.rest
    if verb.base == "grow" and rest.startswith(" up in"):
        return ("attribute", heard.of, "from")
    if verb.base == "put" and heard.clause.who == "person" and heard.begins("on_me"):
        return ("event", "event", "health")
    if heard.told < 2:
        return None
    if verb.tense == "perfect" and state(verb.base) and cue("lasting").search(rest):
        return ("attribute", heard.of, _attribute(heard))
    if verb.base in PAST_NAMES and cue("somewhere").search(rest) and not heard.begins("somehow"):
        return ("attribute", heard.of, PAST_NAMES[verb.base])
    return None


def _light(heard: _Said) -> bool:
    """Whether have, take, get, go, make or do tells an event: its object must carry it."""
    base, nouns = heard.verb.base, frozenset(re.findall(r"[a-z][\w-]+", heard.rest[:80]))
    if heard.begins("a_picture") or (base == "have" and heard.verb.word == "got"):
        return False
    if base == "have":
        return bool(nouns & listed("have")) and not heard.begins("no_time")
    if base == "take":
        return bool(nouns & (listed("take") | listed("have"))) or heard.begins("takes_up")
    name = {"get": "gets", "go": "goes", "make": "makes", "do": "does"}[base]
    good = heard.begins(name) and heard.told > 0 and not heard.begins(f"{name}_not")
    return good and (base in ("get", "go") or heard.shows("dated") or bool(cue("specific").search(heard.rest)))


def _passive(heard: _Said) -> Told | None:
    verb = heard.verb
    if verb.negated or verb.word in ("given", "asked", "involved", "raised", "hit", "stung", "interested"):
        return None
    if verb.word == "born":
        return ("attribute", heard.of, "birthday")
    if verb.word in ("married", "divorced", "engaged") and heard.shows("is"):
        return ("attribute", heard.of, "marital_status")
    return ("event", "event", verb.word)


def _ongoing(heard: _Said) -> Told | None:
    """`I've been playing the violin for ten years`."""
    verb = heard.verb
    if (
        verb.negated
        or heard.told < 1
        or verb.base in _THINKING
        or heard.begins("thin")
        or not heard.shows("while_long")
    ):
        return None
    if not state(verb.base):
        return ("event", "event", verb.base)
    return None if heard.begins("lasting_at_once") else ("attribute", heard.of, _attribute(heard))


def _present(heard: _Said) -> Told | None:
    verb, who = heard.verb, heard.clause.who
    if verb.base == "have" or (verb.word == "got" and heard.shows("have_got")):
        return _having(heard)
    if verb.base in listed("plan") and heard.dated and who != "we":
        return ("commitment", "plan", verb.base) if who == "I" else ("event", "event", verb.base)
    if heard.told < 1:
        return None
    if who == "person" and (verb.base in _LIKING or (verb.negated and verb.base in _CONSUMING)):
        return ("preference", "person", "dislikes" if verb.negated or verb.base in _DISLIKING else "likes")
    if heard.shows("no_longer") and state(verb.base):
        return ("event", "event", f"no_longer_{verb.base}")
    if verb.negated:
        return None
    return _state_of(heard) or _habit(heard)


def _state_of(heard: _Said) -> Told | None:
    """Where somebody lives, works, what they own, play, speak, …: the verb's object must be of its kind."""
    base = heard.verb.base
    attribute = state(base)
    if not attribute or heard.begins("adverbial") or (heard.clause.who == "we" and base not in _OF_US):
        return None
    must = MUST_BEGIN.get(base)
    return ("attribute", heard.of, _attribute(heard)) if must is None or heard.begins(must) else None


def _attribute(heard: _Said) -> str:
    """The attribute of a verb of state; what `works` tells depends on the word behind it."""
    if heard.verb.base != "work":
        return state(heard.verb.base)
    at = cue("works_how").match(heard.rest)
    return _WORKS.get(at[1] if at else "", "works")


def _habit(heard: _Said) -> Told | None:
    verb = heard.verb
    if heard.clause.who != "I" or verb.base in _THINKING or not heard.shows("habit"):
        return None
    if {"always", "never"} & set(verb.adverbs):
        return ("preference", "preference", "habit")
    return ("attribute", "fact", "habit")


def _having(heard: _Said) -> Told | None:
    if heard.verb.negated or not heard.begins("counted") or heard.begins("vague_having"):
        return None
    if cue("event").search(heard.rest):
        return ("commitment", "plan", "appointment") if heard.dated else None
    if heard.told < 1:
        return None
    if heard.begins("kin"):
        return ("relation", "person", "family")
    if heard.begins("animal"):
        return ("attribute", heard.of, "pet")
    if heard.clause.who != "we" and cue("owned").search(heard.rest):
        return ("attribute", heard.of, "has")
    return None


_WORKS = {"at": "employer", "for": "employer", "in": "employer", "as": "occupation", "on": "working_on"}
_BEING = {
    "from": "from",
    "originally from": "from",
    "based in": "lives_in",
    "in charge of": "role",
    "responsible for": "role",
}


def _copula(heard: _Said) -> Told | None:
    if heard.clause.who == "we" or heard.verb.negated:
        return None
    being = cue("being").match(heard.rest)
    if being:
        return ("attribute", heard.of, _BEING.get(being["what"], "status")) if heard.told > 0 else None
    if heard.begins("aged"):
        return ("attribute", heard.of, "age")
    if heard.begins("article") and cue("occupation").search(heard.rest):
        return ("attribute", heard.of, "occupation")
    if heard.clause.who != "person":
        return None
    for name, told in _OF_OTHERS.items():
        if heard.begins(name):
            return told
    return None


_OF_OTHERS: dict[str, Told] = {
    "allergic": ("preference", "person", "allergy"),
    "diet": ("preference", "person", "diet"),
    "condition": ("attribute", "person", "status"),
}


def _progressive(heard: _Said) -> Told | None:
    verb, who = heard.verb, heard.clause.who
    if verb.negated or heard.told < 1:
        return None
    if verb.base == "go" and heard.begins("bound"):
        return _planned(heard, "going") if heard.dated or heard.told > 1 else None
    if verb.base in ("live", "rent", "stay") and who != "we":
        return ("attribute", heard.of, "lives_in") if heard.begins("stays") else None
    if verb.base == "get":
        return _planned(heard, "wedding") if heard.begins("wedding") else None
    settled = verb.base in listed("settled") and heard.begins("toward")
    if verb.base in listed("plan") and (heard.dated or settled):
        return _planned(heard, verb.base)
    if (
        who == "I"
        and verb.base in listed("ongoing")
        and (cue("specific").search(heard.rest) or heard.begins("practises"))
    ):
        return ("attribute", "fact", ONGOING_NAMES.get(verb.base) or _attribute(heard) or verb.base)
    return None


def _future(heard: _Said) -> Told | None:
    verb = heard.verb
    known = verb.base in listed("plan") or verb.base in listed("change")
    if verb.negated or not (known or verb.base in listed("promise")):
        return None
    if heard.shows("dated") and not heard.begins("idle_future"):
        return _planned(heard, verb.base)
    if known and heard.clause.who != "person" and heard.told > 1 and heard.shows("intends"):
        return ("commitment", "plan", verb.base)
    return None


def _modal(heard: _Said) -> Told | None:
    """`Liam can't have shellfish`, `I can speak Dutch`."""
    verb, who = heard.verb, heard.clause.who
    if who == "we" or heard.told < 1:
        return None
    if verb.negated and verb.base in _CONSUMING and heard.shows("cannot"):
        return ("preference", "person" if who == "person" else "preference", "dislikes")
    if not verb.negated and verb.base in ("speak", "play") and heard.shows("can"):
        return ("attribute", heard.of, state(verb.base))
    return None


def _planned(heard: _Said, attribute: str) -> Told:
    """What the speaker plans is a plan, what others plan an event."""
    return ("event", "event", attribute) if heard.clause.who == "person" else ("commitment", "plan", attribute)


_READERS = {
    "past": _past,
    "perfect": _past,
    "passive": _passive,
    "ongoing": _ongoing,
    "present": _present,
    "copula": _copula,
    "progressive": _progressive,
    "future": _future,
    "modal": _modal,
}
