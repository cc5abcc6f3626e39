"""What the gate is asked about: a sentence that might be kept, the records near it, and what guards them."""

from __future__ import annotations

from msgspec import Struct

from commonplace.model import Actor, Category, Kind, Trust


class Candidate(Struct, frozen=True):
    """A sentence that might be kept.

    `entities` are whom it is about, also where the text says only `she`; `attribute` and `value` are what it states
    of the first of them, where that is known. `language` is a code (`en`) or `auto`. `explicit` marks what a person
    asked to be remembered: it passes length, noise and transience, but never the guards nor what is kept already.
    `sentence` is the whole of what was said, `sort` how it was said (`opinion`), `speaker` who said it, if named.
    """

    text: str
    category: Category
    kind: Kind
    trust: Trust
    actor: Actor
    entities: tuple[str, ...] = ()
    attribute: str = ""
    value: str = ""
    language: str = "auto"
    explicit: bool = False
    sentence: str = ""
    sort: str = ""
    speaker: str = ""


class Near(Struct, frozen=True):
    """A record that is kept already and close to the candidate; the caller finds them.

    `entities` are the record's: whom it is about where its text only says `she`.
    """

    id: str
    text: str
    category: Category
    trust: Trust
    entities: tuple[str, ...] = ()


class Guards(Struct, frozen=True):
    """What must not come in again, as digests.

    `recalled` is the union of `echoes.echo_keys(line, key)` over the lines that packs gave out lately, `tombstones`
    that of `echoes.tombstone_keys(text, key)` over the texts that were forgotten. `key` is the workspace's own.
    """

    recalled: frozenset[str] = frozenset()
    tombstones: frozenset[str] = frozenset()
    key: bytes = b""
