"""The typed tokens of a statement, and its signatures: hashes of all but one slot, by which like lines are found."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import Literal

from msgspec import Struct

Guard = Literal["", "question", "quotation", "hypothesis", "wish", "role play", "report", "past", "passing"]
SlotType = Literal["number", "date", "name", "word"]
SIGNATURE_MASK = (1 << 63) - 1
MAX_SIGNATURES = 24
GENITIVES = frozenset(("of", "von", "vom", "de", "du", "des", "d'", "del", "的", "の"))
_TYPED_FACTORS = {"number": 0x9E3779B97F4A7C15, "date": 0xC2B2AE3D27D4EB4F}
_TEXT_FACTOR, _AFTER_FACTOR, _LAST_FACTOR = 0x165667B19E3779F9, 0x27D4EB2F165667C5, 0x94D049BB133111EB


class Token(Struct, frozen=True, gc=False):
    """One unit of a statement that has weight: a word with its stem, a number, a date or a whole name; the preposition
    (`lead`) and the kind of article before it, the `unit` of a number, and the hash of the stem (`key`)."""

    text: str
    stem: str
    type: SlotType | Literal[""] = ""
    lead: str = ""
    article: str = ""
    unit: str = ""
    key: int = 0


class Statement(Struct, frozen=True, gc=False):
    """One statement of a line; its text is that of the line, without the openings.

    `subject` is folded, empty where nobody is named; `key` and `value` are those of the registry; `given_up` are the
    stems of the value that it says is over (`not 5433`). With a `guard` it asserts nothing about now; an event ends
    nothing. `sums[n]` is the sum of the keys of the first n tokens; `copula_at` is the number of tokens before the last
    copula or verb of change, -1 without one.
    """

    text: str
    language: str = "en"
    subject: str = ""
    key: str = ""
    value: str = ""
    is_single_valued: bool = False
    tokens: tuple[Token, ...] = ()
    sums: tuple[int, ...] = (0,)
    copula_at: int = -1
    has_subject: bool = False
    has_cue: bool = False
    given_up: tuple[str, ...] = ()
    guard: Guard = ""
    is_retraction: bool = False
    is_negated: bool = False
    is_additive: bool = False
    is_event: bool = False
    is_past: bool = False
    is_talk: bool = False
    signatures: tuple[int, ...] = ()

    def measure_signatures(self) -> frozenset[int]:
        """Those of its signatures by which another number of one of its units is found."""
        at_numbers = (at for at, token in enumerate(self.tokens) if token.type == "number" and token.unit)
        return frozenset(self.signatures).intersection(one for at in at_numbers for one in typed_signatures(self, at))


@lru_cache(8_192)
def hash_key(stem: str) -> int:
    """A 63-bit hash of a stem that is the same in every process."""
    return int.from_bytes(blake2b(stem.encode(), digest_size=8).digest(), "big") & SIGNATURE_MASK


def make_signatures(statement: Statement) -> tuple[int, ...]:
    """The signatures: of what stands around each number and date, whatever its order, and before each other slot."""
    found: dict[int, None] = {}
    for at, token in enumerate(statement.tokens):
        if token.type in _TYPED_FACTORS:
            found |= dict.fromkeys(typed_signatures(statement, at))
    last = len(statement.tokens) - (len(statement.tokens) != 2)  # two tokens are said again by what retracts them
    places = range(last, max(0, statement.copula_at - 1), -1)
    found |= dict.fromkeys(filter(None, (text_signature(statement, at) for at in places)))
    return tuple(found)


def key_signature(subject: str, key: str) -> int:
    """The signature of all that says a value of this key of the subject."""
    return hash_key(f"{subject}\n{key}")


def typed_signatures(statement: Statement, at: int) -> tuple[int, ...]:
    """The signature of all tokens but the number or date at a place, and of those without the noun before it."""
    token = statement.tokens[at]
    others = len(statement.tokens) - 1
    if at < statement.copula_at or others < 1 or (others == 1 and statement.copula_at < 0):
        return ()
    factor = _TYPED_FACTORS[token.type]
    bag = statement.sums[-1] - token.key
    before = statement.tokens[at - 1]
    if at > 1 and (others > 2 or statement.copula_at >= 0) and before.type == "word":
        return _mix(bag, factor), _mix(bag - before.key, factor)
    return (_mix(bag, factor),)


def text_signature(statement: Statement, at: int) -> int:
    """The signature of the slot at a place: of what is before it, and behind it if that is one unit; 0 where too little
    stands around it."""
    if at >= 2:
        return _mix(statement.sums[at], _TEXT_FACTOR)
    after = (statement.sums[-1] - statement.sums[slot_end(statement, at)]) & SIGNATURE_MASK
    if after and statement.has_subject:
        return _mix(statement.sums[at] + after * _AFTER_FACTOR, _TEXT_FACTOR)
    is_thing = statement.tokens[0].article == "definite" and len(statement.tokens) == 2  # the project uses npm
    is_value = is_thing or 0 <= statement.copula_at <= at
    return _mix(statement.sums[at], _TEXT_FACTOR) if is_value and not after else 0


def slot_end(statement: Statement, at: int) -> int:
    """The end of the slot that begins at a place: the next preposition that is no genitive, or the end."""
    tokens = statement.tokens
    for end in range(at + 1, len(tokens)):
        if (tokens[end].lead and tokens[end].lead not in GENITIVES) or end == statement.copula_at:
            return end
    return len(tokens)


def _mix(value: int, factor: int) -> int:
    value &= SIGNATURE_MASK
    value = (value ^ (value >> 29)) * factor & SIGNATURE_MASK
    return (value ^ (value >> 32)) * _LAST_FACTOR & SIGNATURE_MASK
