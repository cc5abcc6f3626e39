"""Tell which thing and which attribute a stored record speaks of, so that two records can be compared."""

from __future__ import annotations

import re
from functools import cache

from commonplace.facts.attributes import canonical
from commonplace.facts.extracting import extract
from commonplace.text import name_key

MOST_KEY_WORDS = 5
_PERSONAL_SORTS = ("attribute", "preference", "relation", "correction", "remember", "decision")


def keyed(
    text: str, entities: tuple[str, ...] = (), heading: tuple[str, ...] = (), *, now: str = ""
) -> tuple[tuple[str, str, str], ...]:
    """The (entity key, attribute, value) triples of a record's text; none where it gives no attribute of a named thing.

    Keys and values are folded with `name_key`. A key-value line (`Port: 6432`) speaks of the innermost heading, else of
    the one entity it is tagged with; so does a sentence whose subject is left out.
    """
    owner = entities[0] if len(entities) == 1 else ""
    pair = _pair().match(text.strip())
    if pair is not None and len(pair["key"].split()) <= MOST_KEY_WORDS:
        about = heading[-1] if heading else owner
        return _triples(((about, canonical(pair["key"]), pair["value"]),))
    claims = extract(text, now=now)
    return _triples(
        (claim.entity or owner, claim.attribute, claim.value)
        for claim in claims
        if claim.sort in _PERSONAL_SORTS and claim.attribute and claim.value
    )


def _triples(found: object) -> tuple[tuple[str, str, str], ...]:
    keys = ((name_key(entity), attribute, name_key(value)) for entity, attribute, value in found)  # type: ignore[attr-defined]
    return tuple(dict.fromkeys(key for key in keys if all(key)))


@cache
def _pair() -> re.Pattern[str]:
    return re.compile(r"(?:[-*•] )?\**(?P<key>[^\W_][^:\n]{0,40}?)\**: ?\**\s*(?P<value>\S[^\n]*)$")
