"""The record of a claim on its way into memory, and the keys by which claims are compared."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, structs

from commonplace.extract.languages import ClaimType
from commonplace.language.text import fold_name, sanitize_line
from commonplace.model import TRUSTS, Actor, Category, Kind, Trust
from commonplace.storage import files
from commonplace.truth import Effect, LineContext, StatedLine, Statement, Vocabulary, read_statements

DEFAULT_OWNER = "Owner"
KEY_CHARS = 20  # of a digest in the ledger

ClaimDecision = Literal["open", "kept", "queued", "skipped"]
LineRelation = Literal["same", "fuller", "replacement", "independent"]  # of a new line to a known one


class LedgerStatement(Struct, frozen=True):
    """What the ledger says about a line: its record, the digest of its words, and when it was said."""

    record: str
    words: str
    time: str = ""


class Destination(Struct, frozen=True):
    """The file and the heading for a line. In the log of a day (`is_log`) lines are Retain bullets, and stay in place
    when they no longer hold; elsewhere such lines are moved below `## History`."""

    path: str
    heading: str
    is_log: bool = False


class ClaimRecord(Struct, frozen=True, kw_only=True):
    """A claim on its way into memory; each stage of consolidation returns it with more fields filled in. Existing lines
    have the same form: `path` and `line_text` are set for them only."""

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
    said_by: str = ""  # the speaker, unless that is the owner
    is_talk: bool = True  # not a whole message that is one sentence about somebody or something
    must_keep: bool = False  # its form says that it must not be missed, or another memory states it
    related_id: str = ""  # of a known line, and what a model says that the claim is to it
    relation: LineRelation = "independent"
    supersedes: tuple[str, ...] = ()  # ids of the records that it replaces

    # an existing line
    path: str = ""
    line_text: str = ""  # its text on disk, with names or a date before it

    # compared with existing records
    statements: tuple[Statement, ...] = ()
    similar: tuple[ClaimRecord, ...] = ()
    gathered: tuple[str, ...] = ()  # sources of the records of which it says all and more
    effect: Effect | None = None  # on `conflicts`
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
    def signatures(self) -> tuple[int, ...]:
        """The signatures of its statements."""
        return tuple(signature for statement in self.statements for signature in statement.signatures)

    @property
    def comparable(self) -> StatedLine:
        """The claim as it is compared."""
        return StatedLine(self.statements, self.time, self.scope, self.trust)

    @property
    def trust_rank(self) -> int:
        """The rank of a trust: 0 for the least trusted, higher for more."""
        return TRUSTS.index(self.trust)

    @property
    def spoken(self) -> str:
        """The whole sentence of the capture; the text if there is none."""
        return self.sentence or self.text

    @property
    def ledger_statement(self) -> LedgerStatement:
        """The statement that is recorded in the ledger."""
        return self.statement or LedgerStatement(self.id, words_key(self.text), self.time)


def read_claim_statements(claim: ClaimRecord, vocabulary: Vocabulary) -> tuple[Statement, ...]:
    """The statements of a claim. If its sentence is no assertion about now (a question, a quotation), neither is it."""
    names, registry = vocabulary.names, vocabulary.registry
    speaker, is_talk = names.speaker_name(claim.said_by), claim.is_talk
    context = LineContext("", speaker, claim.entities, is_talk=is_talk, names=names, registry=registry)
    guard = next((one.guard for one in read_statements(claim.spoken, context) if one.guard), "")
    statements = read_statements(claim.text, structs.replace(context, is_talk=False))
    return tuple(structs.replace(one, guard=one.guard or guard, is_talk=is_talk) for one in statements)


def words_key(text: str) -> str:
    """The key of a text, ignoring case, blanks and final punctuation."""
    return files.text_digest(fold_name(sanitize_line(text)).rstrip(" .!?…。！？"))[:KEY_CHARS]
