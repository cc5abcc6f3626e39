"""Tell which thing and which attribute a stored record speaks of, so that two records can be compared."""

from __future__ import annotations

import re
from functools import cache

from commonplace.facts.attributes import bare_value, canonical
from commonplace.facts.extracting import extract
from commonplace.text import name_key

MOST_KEY_WORDS = 5
_NO_KEYS = ("", "is", "has", "have")  # verbs that name no side of a thing
_KEPT = ("attribute", "preference", "relation", "correction", "remember", "decision")


def keyed(
    text: str, entities: tuple[str, ...] = (), heading: tuple[str, ...] = (), *, now: str = ""
) -> tuple[tuple[str, str, str], ...]:
    """The (entity key, attribute, value) triples of a record's text; none where it gives no attribute of a named thing.

    Keys and values are folded with `name_key`. A key-value line (`Port: 6432`) speaks of the innermost heading, else of
    the one entity it is tagged with; so does a sentence whose subject is left out.
    """
    owner = entities[0] if len(entities) == 1 else ""
    pair = _pair().match(text.strip())
    if pair is not None and pair["key"] in entities:  # `Peter: We …`: words of Peter's
        return _said(pair["value"], pair["key"], now)
    about = heading[-1] if heading else owner
    if pair is not None and about and len(pair["key"].split()) <= MOST_KEY_WORDS:
        return _triples([(about, canonical(pair["key"]), pair["value"])])
    found = _said(text, "", now, owner)
    if found or not owner or name_key(owner) in name_key(text):
        return found
    return _said(f"{owner} {text[:1].lower()}{text[1:]}", "", now)


def _said(text: str, speaker: str, now: str, owner: str = "") -> tuple[tuple[str, str, str], ...]:
    """The triples of a sentence; what names nobody is about the owner."""
    return _triples(
        [
            (claim.entity or owner, claim.attribute, bare_value(claim.value, claim.attribute))
            for claim in extract(text, speaker=speaker, now=now, doubtful=True)
            if (claim.sort in _KEPT or claim.attribute == "lives_in") and claim.attribute not in _NO_KEYS
        ]
    )


def _triples(found: list[tuple[str, str, str]]) -> tuple[tuple[str, str, str], ...]:
    keys = ((name_key(entity), attribute, name_key(value)) for entity, attribute, value in found)
    return tuple(dict.fromkeys(key for key in keys if all(key) and key[0] != key[1]))


@cache
def _pair() -> re.Pattern[str]:
    return re.compile(r"(?:[-*•] )?\**(?P<key>[^\W_][^:\n]{0,40}?)\**: ?\**\s*(?P<value>\S[^\n]*)$")
