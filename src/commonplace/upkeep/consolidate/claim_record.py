"""The record of a claim on its way into memory, and the keys by which claims are compared."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from commonplace.extract import ClaimType, is_single_valued
from commonplace.language.text import fold_name, name_key, sanitize_line
from commonplace.model import TRUSTS, Actor, Category, Kind, Trust
from commonplace.storage import files

COEXISTING_CATEGORIES: tuple[Category, ...] = ("plan", "event", "note", "lesson", "procedure")
DEFAULT_OWNER = "Owner"
KEY_CHARS = 20  # of a digest in the ledger

ClaimDecision = Literal["open", "kept", "queued", "skipped"]
ClaimRelation = Literal["new", "same", "newer", "older", "conflict"]


class LedgerStatement(Struct, frozen=True):
    """What the ledger says about a line: its record, its words, its subject and attribute (`key`), the value, the time.

    All but the time are digests; `key` and `value` are empty for a line that states no attribute of anything.
    """

    record: str
    words: str
    key: str = ""
    value: str = ""
    time: str = ""


class Destination(Struct, frozen=True):
    """The file and the heading for a line; `note` gives the reason for the choice where it is in doubt.

    In the log of a day (`is_log`) lines are Retain bullets, and stay in place when they no longer hold; elsewhere such
    lines are moved below `## History`.
    """

    path: str
    heading: str
    note: str = ""
    is_log: bool = False


class ClaimRecord(Struct, frozen=True, kw_only=True):
    """A claim on its way into memory; each stage of consolidation returns it with more fields filled in.

    Existing lines with which claims are compared have the same form: `path` and `line_text` are set for them only.
    """

    # proposed from a capture
    id: str
    text: str
    claim_type: ClaimType | Literal[""] = ""  # empty for an existing line
    category: Category
    kind: Kind = "world"
    trust: Trust
    actor: Actor = "owner"
    time: str = ""  # when it was said; empty for a line without a date
    scope: str = ""
    session: str = ""
    entity: str = ""  # the subject
    attribute: str = ""
    value: str = ""
    entities: tuple[str, ...] = ()  # everybody it is about, also where the text has only a pronoun
    confidence: float = 0.8
    importance: float | None = None  # set by the gate
    valid_from: str = ""
    valid_to: str = ""
    sources: tuple[str, ...] = ()  # ids of captures
    quote: str = ""  # the words of the capture that it rests on
    sentence: str = ""  # the whole sentence of the capture
    speaker: str = ""
    supersedes: tuple[str, ...] = ()  # ids of the records that it replaces

    # an existing line
    path: str = ""
    line_text: str = ""  # its text on disk, with names or a date before it
    value_digest: str = ""  # of its value, where the value itself is not recorded

    # compared with existing records
    similar: tuple[ClaimRecord, ...] = ()
    relation: ClaimRelation = "new"  # to `conflicts`: claims of the same attribute of the same subject
    conflicts: tuple[ClaimRecord, ...] = ()

    # decided
    decision: ClaimDecision = "open"
    reason: str = ""  # of a skipped claim, a key of SKIP_REASON_SENTENCES; of a queued one, a sentence
    duplicate_of: str = ""

    # the planned edit of a kept claim
    destination: Destination = Destination("", "")
    replaces: tuple[ClaimRecord, ...] = ()
    is_over: bool = False  # it no longer holds: it arrived late, or a later claim of the same run replaces it
    statement: LedgerStatement | None = None  # for the ledger, where it differs from `ledger_statement`

    @property
    def is_single_valued(self) -> bool:
        """Whether it states an attribute that has one value at a time. Plans, events and lessons may coexist."""
        lasting = self.category not in COEXISTING_CATEGORIES
        return bool(lasting and self.entity and self.attribute and is_single_valued(self.attribute))

    @property
    def is_explicit(self) -> bool:
        """Whether a person asked to have it remembered."""
        return self.claim_type == "remember"

    @property
    def trust_rank(self) -> int:
        """The rank of a trust: 0 for the least trusted, higher for more."""
        return TRUSTS.index(self.trust)

    @property
    def spoken(self) -> str:
        """The whole sentence of the capture; the text if there is none."""
        return self.sentence or self.text

    @property
    def statement_key(self) -> str:
        """The key under which the ledger records statements of its attribute of its entity; empty without either."""
        if not (self.entity and self.attribute):
            return ""
        return files.text_digest(f"{name_key(self.entity)}\0{self.attribute}")[:KEY_CHARS]

    @property
    def value_key(self) -> str:
        """The key of its value."""
        return self.value_digest or value_key(self.value)

    @property
    def ledger_statement(self) -> LedgerStatement:
        """The statement that is recorded in the ledger."""
        key = self.statement_key
        return self.statement or LedgerStatement(
            self.id, words_key(self.text), key, self.value_key if key else "", self.time
        )


def value_key(value: str) -> str:
    """The key of a value, whatever its spelling."""
    return files.text_digest(name_key(sanitize_line(value)))[:KEY_CHARS]


def words_key(text: str) -> str:
    """The key of a text, ignoring case, blanks and final punctuation."""
    return files.text_digest(fold_name(sanitize_line(text)).rstrip(" .!?…。！？"))[:KEY_CHARS]
