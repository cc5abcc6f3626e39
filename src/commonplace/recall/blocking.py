"""Which filters of a query stop a record, and the smallest change of each that would let it through."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct, structs

from commonplace.index import Filter, Index
from commonplace.model import Query, Record
from commonplace.recall.understand import Understood, visible

Choices = dict[str, Any]
Part = Callable[[Filter, Filter], Filter]  # (open to all, that of the query) -> that of the query in one part only

PARTS: dict[str, Part] = {
    "scope": lambda opened, only: structs.replace(opened, scopes=only.scopes),
    "trust": lambda opened, only: structs.replace(opened, trusts=only.trusts, vouched=only.vouched),
    "kind": lambda opened, only: structs.replace(opened, kinds=only.kinds),
    "category": lambda opened, only: structs.replace(opened, categories=only.categories),
    "time": lambda opened, only: structs.replace(opened, since=only.since, until=only.until),
    "as-of": lambda opened, only: structs.replace(opened, as_of=only.as_of),
    "superseded": lambda opened, only: structs.replace(opened, history=only.history or bool(only.as_of)),
    "evidence": lambda opened, only: structs.replace(opened, evidence=only.evidence),
}


class Block(Struct, frozen=True):
    """A filter that stops a record: what it says, and the arguments of recall that let the record through."""

    name: str
    says: str
    choices: Choices


def blocking(index: Index, query: Query, row: int, asked: Understood) -> tuple[Block, ...]:
    """Every filter that stops the record, each by itself."""
    record = index.fetch([row])[row].record
    blocks: list[Block] = []
    for name, part in PARTS.items():
        if _lets(index, row, part(_open(record), asked.only)):
            continue
        tried = ((one, visible(structs.replace(query, **one))) for one in _choices(name, query, record))
        choices = next((one for one, only in tried if _lets(index, row, part(_open(record), only))), {})
        retold = name == "evidence" and query.evidence == "auto"
        blocks.append(Block("retold" if retold else name, _says(index, name, query, record), choices))
    if asked.among is not None and row not in asked.among:
        names = ", ".join(query.entities)
        blocks.append(Block("entity", f"entity: it does not bear {names}", {"entities": ()}))
    return tuple(blocks)


def _open(record: Record) -> Filter:
    """The filter that lets a record through whatever it is."""
    return Filter(history=True, evidence="only" if record.is_evidence else "none")


def _lets(index: Index, row: int, only: Filter) -> bool:
    return row in index.lengths([row], only)


def _choices(name: str, query: Query, record: Record) -> Iterator[Choices]:
    """Changes of the query that may let the record through this filter, the smallest first."""
    if name == "scope":
        yield {"scope": record.scope}
    elif name == "trust":
        trust = tuple(dict.fromkeys((*query.trust, record.trust)))
        yield {"trust": trust}
        yield {"trust": tuple(dict.fromkeys((*trust, "untrusted")))}
    elif name == "kind":
        yield {"kinds": (*query.kinds, record.kind)}
    elif name == "category":
        yield {"categories": (*query.categories, record.category)}
    elif name == "time":
        since, until = _days(record)
        yield from ({"since": since}, {"until": until}, {"since": since, "until": until}) if since else ()
        yield from ({"since": ""}, {"until": ""}, {"since": "", "until": ""})
    elif name == "as-of":
        yield {"as_of": "", "history": True} if record.superseded_by else {"as_of": ""}
    elif name == "superseded":
        yield {"history": True}
    else:
        yield from ({"evidence": "auto"}, {"evidence": "none"})


def _days(record: Record) -> tuple[str, str]:
    """The first and last day of a record."""
    first, last = record.time or record.valid_from, record.time or record.valid_to or record.valid_from
    return (first or last)[:10], (last or first)[:10]


def _says(index: Index, name: str, query: Query, record: Record) -> str:
    if name == "scope":
        return f"scope: it is of {record.scope!r}{_alike(query.scope, record.scope)}; seen are {_seen(query)}"
    if name == "trust":
        return f"trust: it is {record.trust}; let through are {', '.join(query.trust)}"
    if name == "kind":
        return f"kind: it is {record.kind}; asked for is {', '.join(query.kinds)}"
    if name == "category":
        return f"category: it is {record.category}; asked for is {', '.join(query.categories)}"
    if name == "time":
        return f"time: it is of {_when(record)}; asked for is {query.since or '…'} to {query.until or '…'}"
    if name == "as-of":
        return f"as of: it is of {_when(record)}, and was not known or did not hold {query.as_of}{_by(index, record)}"
    if name == "superseded":
        return f"superseded{_by(index, record)}"
    if query.evidence == "auto":
        return f"retold: it repeats captures that are found themselves{_captures(index, record)}"
    return f"evidence: it is a {'capture' if record.is_evidence else 'record'}; captures: {query.evidence}"


def _seen(query: Query) -> str:
    return f"{query.scope!r} and what is shared" if query.scope else "only what is shared"


def _alike(asked: str, has: str) -> str:
    """A word where two scopes are the same but for signs and case, or nearly."""
    import difflib

    one, other = ("".join(c for c in name.casefold() if c.isalnum()) for name in (asked, has))
    return f" (nearly {asked!r})" if one and difflib.SequenceMatcher(None, one, other).ratio() >= 0.7 else ""


def _when(record: Record) -> str:
    held = f"{record.valid_from or '…'} to {record.valid_to or '…'}" if record.valid_from or record.valid_to else ""
    return " and holds ".join(part for part in (record.time, held) if part) or "no time"


def _by(index: Index, record: Record) -> str:
    if not record.superseded_by:
        return ""
    later = index.find(record.superseded_by)
    return f" by {record.superseded_by}" + (f", {later.source.citation}" if later else "")


def _captures(index: Index, record: Record) -> str:
    said = [one.source.citation for one in map(index.find, record.sources) if one is not None and one.is_evidence]
    return f": {', '.join(said)}" if said else ""
