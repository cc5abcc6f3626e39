"""What a query asks for, without a model: its words, the names it says, the time it means, its intent, its scope."""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

from commonplace import text, when
from commonplace.errors import BadArgument
from commonplace.index import Filter, Index
from commonplace.model import Interval, Query

Intent = Literal["any", "about", "opinion"]

LONGEST_NAME = 6  # words
_OPINION = (
    r"\b(opinions?|think|thinks|thought of|feel|feels|prefer\w*|favou?rites?|likes?|believes?|views? on|attitude)\b"
)


class Understood(Struct, frozen=True):
    """A query taken apart.

    `terms` are the words to be searched, `names` the folded names of entities it says (with the name as written),
    `speakers` those of them that speak in dialogue, `windows` the stretches of time it means, `only` the hard filter.
    """

    terms: tuple[text.Term, ...]
    names: dict[str, str]
    speakers: frozenset[str]
    windows: tuple[Interval, ...]
    only: Filter
    intent: Intent = "any"
    notes: tuple[str, ...] = ()


def understand(index: Index, query: Query, languages: tuple[str, ...] = ("en",)) -> Understood:
    """Take a query apart. Raises BadArgument for a time that cannot be read."""
    phrases = when.find(query.text, query.now)
    asked = _without(query.text, [(phrase.start, phrase.end) for phrase in phrases])
    names = index.known_names(_name_candidates(query.text)) | _named(index, query.entities)
    speakers = frozenset(key for _row, key, role in index.mentions(tuple(names)) if role == "speaker")
    terms = text.query_terms(asked, languages)
    content = _without_names(terms, speakers)
    windows = tuple(phrase.interval for phrase in phrases)
    if query.around:
        windows += (_around(query.around, query.now),)
    if not content and not names and not windows:
        content = text.query_terms(query.text, languages)
    return Understood(
        terms=content or ((terms if not windows else ()) if not names else terms),
        names=names,
        speakers=speakers,
        windows=windows,
        only=visible(query),
        intent=_intent(query.text, content, names),
        notes=_scope_notes(index, query.scope),
    )


def _intent(asked: str, content: tuple[text.Term, ...], names: dict[str, str]) -> Intent:
    if re.search(_OPINION, asked, re.IGNORECASE):
        return "opinion"
    own = {word for key in names for word in key.split(" ")}
    return "about" if names and all(text.fold(term.word) in own for term in content) else "any"


def _without(written: str, spans: list[tuple[int, int]]) -> str:
    for start, end in reversed(spans):
        written = f"{written[:start]} {written[end:]}"
    return written


def _without_names(terms: tuple[text.Term, ...], speakers: frozenset[str]) -> tuple[text.Term, ...]:
    """The words less the names of speakers: who speaks is matched as such, the name says nothing about the text."""
    said = {word for key in speakers for word in key.split(" ")}
    return tuple(term for term in terms if text.fold(term.word) not in said)


def _name_candidates(written: str) -> tuple[str, ...]:
    words = text.name_key(written[:2_000]).split(" ")
    spans = (
        words[start : start + length]
        for length in range(min(LONGEST_NAME, len(words)), 0, -1)
        for start in range(len(words) - length + 1)
    )
    return tuple(dict.fromkeys(" ".join(span) for span in spans if len(span) > 1 or not text.is_stop(span[0], "en")))


def _named(index: Index, entities: tuple[str, ...]) -> dict[str, str]:
    """Entities that were asked for by name; an unknown name is kept, so that it finds nothing instead of anything."""
    keys = {text.name_key(name): name for name in entities}
    return keys | index.known_names(tuple(keys))


def visible(query: Query) -> Filter:
    """The hard filter of a query. Raises BadArgument for a time that cannot be read."""
    since = _edge("since", query.since, query.now)
    until = _edge("until", query.until, query.now)
    as_of = _edge("as_of", query.as_of, query.now)
    return Filter(
        kinds=query.kinds,
        categories=query.categories,
        scopes=None if query.all_scopes else tuple(dict.fromkeys(("", query.scope))),
        trusts=query.trust,
        since=since.start if since else "",
        until=(until.end or until.start) if until else "",
        as_of=(as_of.end or as_of.start) if as_of else "",
        history=query.history,
    )


def _edge(name: str, written: str, now: str) -> Interval | None:
    if not written:
        return None
    interval = when.resolve(written, now)
    if interval is None:
        message = f"{name}: cannot read {written!r} as a time"
        raise BadArgument(message, hint="say 2025-11-27, `last week`, `3 days ago` …")
    return interval


def _around(written: str, now: str) -> Interval:
    interval = _edge("around", written, now)
    return interval if interval is not None else Interval("", "")


def _scope_notes(index: Index, scope: str) -> tuple[str, ...]:
    """A scope that nothing bears is named, with the nearest that something does."""
    if not scope:
        return ()
    known = index.scopes()
    if scope in known:
        return ()
    import difflib

    alike = {"".join(c for c in name.casefold() if c.isalnum()): name for name in known}
    near = difflib.get_close_matches("".join(c for c in scope.casefold() if c.isalnum()), alike, 1, 0.7)
    hint = f"; did you mean scope {alike[near[0]]}?" if near else ""
    return (f"nothing has the scope {scope}{hint}",)
