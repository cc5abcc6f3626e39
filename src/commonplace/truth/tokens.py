"""The typed tokens of a statement, and the hashes of them of which its signatures are made."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import Literal

from msgspec import Struct

SlotType = Literal["number", "date", "name", "word"]
SIGNATURE_MASK = (1 << 63) - 1


class Token(Struct, frozen=True, gc=False):
    """One unit of a statement that has weight: a word with its stem, a number, a date or a whole name.

    `lead` is the preposition before it and `article` the kind of article; `unit` belongs to a number; `key` is the hash
    of the stem. `span` are its characters in the line.
    """

    text: str
    stem: str
    type: SlotType | Literal[""] = ""
    lead: str = ""
    article: str = ""
    unit: str = ""
    key: int = 0
    span: tuple[int, int] = (0, 0)


class Frame(Struct, frozen=True, gc=False):
    """The tokens of a clause; `sums[n]` is the sum of the keys of the first n.

    `copula_at` is the number of tokens before the last copula or verb of change, -1 without one.
    """

    tokens: tuple[Token, ...] = ()
    sums: tuple[int, ...] = (0,)
    copula_at: int = -1
    has_subject: bool = False


@lru_cache(8_192)
def hash_key(stem: str) -> int:
    """A 63-bit hash of a stem that is the same in every process."""
    return int.from_bytes(blake2b(stem.encode(), digest_size=8).digest(), "big") & SIGNATURE_MASK
