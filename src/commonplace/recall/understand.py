"""What a query asks for, without a model: its words, the names it says, the time it means, its intent, its scope."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache
from itertools import accumulate
from typing import TypeVar

from msgspec import Struct, structs

from commonplace import text, when
from commonplace.errors import BadArgument
from commonplace.index import Filter, Index
from commonplace.model import Interval, Query
from commonplace.recall.intents import (
    Answer,
    Intent,
    answer_of,
    asks_for_advice,
    asks_the_agent,
    intent_of,
    to_the_agent,
    without_cues,
)
from commonplace.recall.meant import widened
from commonplace.recall.names import Names, rows_bearing, spoken_names, unknown_name, with_aliases
from commonplace.recall.order import Order, order_of, to_the_order
from commonplace.recall.sides import Side, sides
from commonplace.when import Ordinals, TimePhrase

MOST_ASKED = 2  # sentences of a question; who says more tells something
LIGHT = 0.25  # the weight of a word that a question is made with, and few answers turn on
MEMBERS = 0.3  # the weight of what is of a sort that the question names, against a word that was said
LATEST = 0.3  # more for a word of the last of several sentences: what a story came to tells most of what is meant
EMPHASIS = 1.6  # the weight of a word written as a name, a figure or between quotes, against another
LONGEST_QUERY = 20_000  # characters; what comes behind them is not looked at
WHERE = "where"  # goes for the name of every sort of place
_BEHIND = r"(?:(?<=[a-z,;:(] )|(?<=[a-z,;:(]['\"] ))"  # another word of the same sentence
_ENDS = ".!?…。！？"  # what is between quotes and ends so was spoken; it is the name of nothing

Terms = tuple[text.Term, ...]
Mention = tuple[int, str, str]  # row, folded name, role
Spoken = TypeVar("Spoken", TimePhrase, Ordinals)


class Window(Struct, frozen=True):
    """A stretch of time that a query means; with `near`, the nearer to its middle the better.

    With `about` the day in its middle is the likeliest, and all of it is meant: `two weeks ago`.
    """

    interval: Interval
    near: bool = False
    about: bool = False


class Sessions(Struct, frozen=True):
    """The sessions that a query means: their places from 1 on, among how many, and their names."""

    places: tuple[int, ...] = ()
    count: int = 0
    names: frozenset[str] = frozenset()


class Understood(Struct, frozen=True, kw_only=True):
    """A query taken apart.

    `terms` are the words to search; `names` the folded names to look for, each with the one of the query that it
    stands for; `mentions` what of the rows looked at bears them; `speakers` those of the query that speak in dialogue,
    and `people` the tokens by which lines name each of them;
    `sides` are the two things that it is about, if it names two to choose or to reckon between;
    `windows` the stretches of time it means, `sessions` those that it names by their order; `only` the hard filter, and
    `among` the rows that bear an entity that was asked for (None: none was); `at` the minute at which things hold or
    have ended. `bare`: it says names, times and words that tell the intent, and nothing else. `of_agent`: it asks what
    the agent itself said. `of_advice`: it asks what somebody advised another.
    `order`: it asks for the last, or the first, of its like. `without`: what is switched off.
    """

    terms: Terms
    names: Names
    mentions: list[Mention]
    speakers: frozenset[str]
    windows: tuple[Window, ...]
    sessions: Sessions
    only: Filter
    among: set[int] | None
    at: str
    intent: Intent
    bare: bool
    of_agent: bool
    of_advice: bool
    answer: Answer
    notes: tuple[str, ...]
    without: frozenset[str] = frozenset()
    order: Order = ""
    people: tuple[frozenset[str], ...] = ()
    sides: tuple[Side, ...] = ()


def understand(index: Index, query: Query, languages: tuple[str, ...] = ("en",)) -> Understood:
    """Take a query apart. Raises BadArgument for a time that cannot be read."""
    only = visible(query)
    written = text.one_line(query.text[:LONGEST_QUERY])
    phrases = when.find(written, query.now)
    meant = (Window(one.interval, one.relation == "around", one.about) for one in _asked_times(written, phrases))
    windows = (*meant, *_around(query))
    numbered, sessions = _sessions(index, only, _asked_times(written, when.sessions(written)))
    untimed = _without(written, (*phrases, *numbered))
    searched = _without(written, (*phrases, *numbered), keep_names=True)
    asked_for, notes = _asked_for(index, query.entities)
    said = _outside(spoken_names(index, written), untimed) | asked_for
    speakers = frozenset(said[key] for key in index.speaking(tuple(said))) if said else frozenset()
    without = frozenset(query.without)
    spoken = (*languages, text.language(untimed))
    words = _Words(searched, untimed, languages, said, timed=bool(windows or numbered))
    terms = _without_names(words.telling, speakers) or (words.of_names if said else ())
    terms = terms or (() if said or windows or numbered else text.query_terms(written, languages))
    terms = _weighed(index, _lightened(terms, written, spoken, without), written, spoken=spoken, without=without)
    answer = answer_of(written)
    terms = terms if "members" in without else _with_members(index, terms, answer, spoken, said=said)
    return Understood(
        terms=terms,
        sides=() if "sides" in without else sides(written, terms, languages),
        names=said,
        mentions=[],
        speakers=speakers,
        people=_people(said, speakers, spoken),
        windows=windows,
        sessions=sessions,
        only=only,
        among=rows_bearing(index, asked_for) if query.entities else None,
        at=only.as_of or query.now,
        intent="any" if words.intent in without else words.intent,
        bare=words.bare and bool(said or windows or numbered or words.intent != "any"),
        of_agent=asks_the_agent(written),
        of_advice=asks_for_advice(written),
        answer=answer,
        order="" if "order" in without else order_of(untimed),
        notes=(*notes, *_scope_notes(index, query), *_time_notes(only)),
        without=without,
    )


def visible(query: Query) -> Filter:
    """The hard filter of a query. Raises BadArgument for a time that cannot be read.

    A query that lets nothing untrusted through takes of captures only those that are trusted.
    """
    since = _edge("since", query.since, query.now)
    until = _edge("until", query.until, query.now)
    as_of = _edge("as_of", query.as_of, query.now)
    return Filter(
        kinds=tuple(query.kinds),  # who calls from Python may give a list
        categories=tuple(query.categories),
        scopes=None if query.all_scopes else tuple(dict.fromkeys(("", query.scope))),
        trusts=tuple(query.trust),
        since=since.start if since else "",
        until=(until.end or until.start) if until else "",
        as_of=(as_of.end or as_of.start) if as_of else "",
        history=query.history,
        evidence=query.evidence,
        vouched="untrusted" not in query.trust,
    )


def _asked_times(written: str, phrases: tuple[Spoken, ...]) -> tuple[Spoken, ...]:
    """The times that are asked for: in a text of more than two sentences those in its questions, if any at all.

    Who tells a story (`Today we played. It rained. Tom won.`) names the times of the story.
    """
    said = text.sentences(written) if phrases else []
    if len(said) <= MOST_ASKED:
        return phrases
    ends = tuple(accumulate(map(len, said)))
    return tuple(one for one in phrases if text.asks(said[bisect_right(ends, one.start)]))


def _edge(name: str, written: str, now: str) -> Interval | None:
    if not written:
        return None
    interval = when.resolve(written, now)
    if interval is None:
        message = f"{name}: cannot read {written!r} as a time"
        raise BadArgument(message, hint="say 2025-11-27, `last week`, `3 days ago` …")
    return interval


def _people(said: Names, speakers: Iterable[str], languages: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    """For each who speaks the tokens of all names that stand for them."""
    every = (" ".join(key for key, name in said.items() if name == one) for one in sorted(speakers))
    return tuple(frozenset((*names.split(), *_forms(names, languages))) for names in every)


def _forms(written: str, languages: tuple[str, ...]) -> Iterable[str]:
    return (form for term in text.query_terms(written, languages) for form in term.forms)


def _around(query: Query) -> tuple[Window, ...]:
    interval = _edge("around", query.around, query.now)
    return (Window(interval, bool(interval.start and interval.end)),) if interval else ()


def _asked_for(index: Index, entities: tuple[str, ...]) -> tuple[Names, tuple[str, ...]]:
    """The entities that records are to bear, and a note for each name that nothing bears."""
    asked = {text.name_key(text.one_line(name)): text.one_line(name) for name in entities}
    known = index.known(tuple(asked)) if asked else ()
    notes = tuple(unknown_name(index, name) for key, name in asked.items() if key not in known)
    return with_aliases(index, known), notes


def _sessions(index: Index, only: Filter, named: tuple[Ordinals, ...]) -> tuple[tuple[Ordinals, ...], Sessions]:
    """Which of the phrases mean sessions that there are, of those the query may see, and these sessions."""
    if not named:
        return (), Sessions()
    order = index.sessions(Filter(scopes=only.scopes, evidence=only.evidence, history=True))
    meant = tuple(one for one in named if one.among(len(order)))
    places = sorted({place for one in meant for place in one.among(len(order))})
    return meant, Sessions(
        tuple(place + 1 for place in places), len(order), frozenset(order[place] for place in places)
    )


def _without(written: str, phrases: Iterable[TimePhrase | Ordinals], *, keep_names: bool = False) -> str:
    """The text less the phrases; of a time that goes by a name, the name may stay."""
    kept, place = "", 0
    for phrase in sorted(phrases, key=lambda phrase: phrase.start):
        name = phrase.name if keep_names and isinstance(phrase, TimePhrase) else ""
        kept += f"{written[place : phrase.start]} {name} "
        place = max(place, phrase.end)
    return kept + written[place:]


def _outside(said: Names, untimed: str) -> Names:
    """The names less those that are but a word of a time: `in May` is not about May."""
    words = text.name_key(untimed).split(" ")
    return {key: name for key, name in said.items() if " " in name or name in words}


class _Words:
    """The words of a query: what they tell of its intent, and which of them are left to search.

    `written` is what is searched, less the times; of these the names of feasts and decades are left, for lines have
    them too. `untimed` is it without those. `timed`: a time was named; then not all that is known is asked for.
    """

    def __init__(self, written: str, untimed: str, languages: tuple[str, ...], said: Names, *, timed: bool) -> None:
        intent = intent_of(untimed)
        every = _telling(written, languages)
        other = every if intent == "any" else _telling(without_cues(written, intent), languages)
        without_times = every if untimed == written else _telling(untimed, languages)
        times = {term.word for term in other} - {term.word for term in without_times}
        self.bare = not _without_names(other, (*said.values(), *map(text.fold, times)))
        self.intent: Intent = "about" if self.bare and said and intent == "any" and not timed else intent
        # Lines that hold an opinion say `prefers`; those that hold a decision or a procedure do not say that they do.
        self.telling = every if intent == "opinion" else other
        self.of_names = tuple(term for term in every if not _without_names((term,), said.values()))


def _telling(written: str, languages: tuple[str, ...]) -> Terms:
    """The words of a text less its function words, also where it has no others."""
    spoken = (*languages, text.language(written))
    terms = text.query_terms(written, languages)
    return tuple(term for term in terms if not any(text.is_stop(term.word, name) for name in spoken))


def _weighed(index: Index, terms: Terms, written: str, *, spoken: tuple[str, ...], without: frozenset[str]) -> Terms:
    """The words as they are to be searched: some weigh more, and some stand with what they may mean."""
    weighed = terms if "latest" in without else _rising(terms, written)
    weighed = weighed if "emphasis" in without else _emphasised(weighed, written)
    return weighed if "spellings" in without else widened(index, weighed, written, spoken)


def _lightened(terms: Terms, written: str, spoken: tuple[str, ...], without: frozenset[str]) -> Terms:
    """The words, with .25 of the weight for light ones, `suggest` in `what did you suggest` and `last` in `when last`,
    beside others."""
    cues = to_the_agent(written) | (frozenset() if "order" in without else to_the_order(written))
    light = {one for one in terms if one.word in cues or any(text.is_light(one.word, name) for name in spoken)}
    light = set() if "light" in without else light
    if len(light) == len(terms):
        return terms
    return tuple(structs.replace(one, weight=one.weight * LIGHT) if one in light else one for one in terms)


def _rising(terms: Terms, written: str) -> Terms:
    """The words of a text of more than two sentences weigh the more the later they are said, by .3 at the most."""
    said = text.sentences(written)
    if len(said) <= MOST_ASKED:
        return terms
    places = {text.fold(word): place for place, sentence in enumerate(said) for word in _word().findall(sentence)}
    shares = {term: places.get(text.fold(term.word), 0) / (len(said) - 1) for term in terms}
    return tuple(structs.replace(term, weight=term.weight * (1 + LATEST * share)) for term, share in shares.items())


def _emphasised(terms: Terms, written: str) -> Terms:
    """The words, with 1.6 times the weight for those written as names, figures or between quotes."""
    marked = {text.fold(word) for match in _marked().finditer(written) for word in _word().findall(match[0])}
    return tuple(
        structs.replace(term, weight=term.weight * EMPHASIS) if text.fold(term.word) in marked else term
        for term in terms
    )


def _with_members(index: Index, terms: Terms, answer: Answer, languages: tuple[str, ...], *, said: Names) -> Terms:
    """The words; behind them what is of each sort that they name, with .3 of the weight of a word: a line that answers
    `which pets?` says `dog`. Who asks where, beside words that are known, asks for places.

    What is a word of the question itself, or a name in it, stays that.
    """
    own = {form for term in terms for form in term.forms}
    words = dict.fromkeys(term.word for term in terms)
    if answer == "place" and any(map(index.frequency, own)):
        words[WHERE] = None
    known = own.union(*(_forms(name, languages) for name in said))
    found: list[text.Term] = []
    for word in words:
        forms = dict.fromkeys(form for name in dict.fromkeys(languages) for form in text.members(word, name))
        fresh = tuple(form for form in forms if form not in known)
        if any(map(index.frequency, fresh)):
            found.append(text.Term(word, fresh, MEMBERS, of=True))
            known.update(fresh)
    return (*terms, *found)


def _without_names(terms: Terms, said: Iterable[str]) -> Terms:
    """The words less those of names: who speaks is matched as such, the name says nothing of what is spoken."""
    words = {word for key in said for word in (*key.split(" "), key.replace(" ", ""))}
    return tuple(term for term in terms if text.fold(term.word) not in words)


def _scope_notes(index: Index, query: Query) -> tuple[str, ...]:
    """A scope that nothing bears is named, with the nearest that something does."""
    if query.all_scopes or not query.scope:
        return ()
    known = index.scopes()
    if query.scope in known:
        return ()
    import difflib

    alike = {"".join(c for c in name.casefold() if c.isalnum()): name for name in known}
    near = difflib.get_close_matches("".join(c for c in query.scope.casefold() if c.isalnum()), alike, 1, 0.7)
    hint = f"; did you mean scope {alike[near[0]]}?" if near else ""
    return (f"nothing has the scope {query.scope}{hint}",)


def _time_notes(only: Filter) -> tuple[str, ...]:
    """A stretch that ends before it begins is said to be one; what holds all the time is found in it all the same."""
    is_turned = only.since and only.until and only.until <= only.since
    return ("`until` ends before `since` begins",) if is_turned else ()


@cache
def _marked() -> re.Pattern[str]:
    """A capitalised word or a figure behind another word, or a few words between quotes that are no whole sentence.

    What begins behind the quote that closes a sentence begins one, and an apostrophe within a word is no quote.
    """
    named = rf"{_BEHIND}[\"'(]?(?:[A-Z]\w+|\d[\w.]*)"
    quoted = [_quoted(*pair) for pair in (('"“', '"”'), ("'‘", "'’"), ("„", '“”"'), ("»", "«"))]
    return re.compile("|".join((named, *quoted, _quoted("«", "»", r"\s?"))))


def _quoted(opening: str, closing: str, blank: str = "") -> str:
    inner = rf"[^\s{closing}][^{closing}]{{1,58}}[^\s{closing}{_ENDS}]"
    return rf"(?<!\w)[{opening}]{blank}{inner}{blank}[{closing}](?!\w)"


@cache
def _word() -> re.Pattern[str]:
    return re.compile(r"\w[\w.]*")
