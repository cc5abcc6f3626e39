"""Drafts of lines: what captures claim, made ready for the gate, with the captures that each rests on."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from commonplace import files
from commonplace.consolidate.candidates import Candidate
from commonplace.facts import Claim, Sort, extract
from commonplace.model import Actor, Capture, Category, Kind, Trust
from commonplace.workspace.times import moment

OF_AGENTS: tuple[Sort, ...] = ("error_fix", "dead_end", "decision", "attribute", "correction")
ID_CHARS = 14
OWNER = "Owner"
WARNING: Sort = "dead_end"


class Draft(Struct, frozen=True, kw_only=True):
    """A line to be: what a claim says, and whence. `sources` are ids of captures, `time` is when it was said.

    `supersedes` are the records that it replaces; `valid_to` is set for what was over when it came in.
    """

    id: str
    text: str
    sort: Sort
    category: Category
    kind: Kind
    trust: Trust
    actor: Actor
    time: str
    scope: str = ""
    session: str = ""
    entity: str = ""
    attribute: str = ""
    value: str = ""
    entities: tuple[str, ...] = ()
    confidence: float = 0.8
    importance: float | None = None
    valid_from: str = ""
    valid_to: str = ""
    sources: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()

    @property
    def candidate(self) -> Candidate:
        """The draft as the gate looks at it."""
        return Candidate(
            text=self.text,
            category=self.category,
            kind=self.kind,
            trust=self.trust,
            actor=self.actor,
            entities=self.entities,
            attribute=self.attribute,
            value=self.value,
            explicit=self.sort == "remember",
        )


def drafts_of(capture: Capture, owner: str = OWNER) -> Iterator[Draft]:
    """What a capture claims. Nothing of what only echoes memory, of the system, or of tools and strangers.

    What strangers say stays evidence: it can be found, and it is never filed as what is known. Of an agent only what
    it did and found out counts: its fixes, dead ends, decisions and readings of settings.
    """
    if capture.detail.get("echo") or capture.actor == "system" or capture.origin in ("untrusted", "quarantined"):
        return
    speaker = str(capture.detail.get("speaker") or "") or (owner if capture.actor == "owner" else "")
    quoted = [tuple(span) for span in capture.detail.get("quoted") or ()]
    for claim in extract(capture.text, speaker=speaker, now=moment(capture.ts)):
        told = any(start <= claim.span[0] and claim.span[1] <= end for start, end in quoted)
        if not told and (capture.actor != "agent" or claim.sort in OF_AGENTS):
            yield _draft(capture, claim)


def _draft(capture: Capture, claim: Claim) -> Draft:
    return Draft(
        id=_id(capture, claim),
        text=claim.text,
        sort=claim.sort,
        category=claim.category,
        kind=claim.kind,
        trust=capture.origin,
        actor=capture.actor,
        time=moment(capture.ts),
        scope=capture.scope,
        session=capture.session,
        entity=claim.entity,
        attribute=claim.attribute,
        value=claim.value,
        entities=claim.entities or ((claim.entity,) if claim.entity else ()),
        confidence=claim.confidence,
        valid_from=claim.valid_from,
        valid_to=claim.valid_to,
        sources=(capture.id,),
    )


def _id(capture: Capture, claim: Claim) -> str:
    """The same claim of the same capture has the same id in each run, so that it is written once."""
    said = f"{capture.id}\0{claim.span}\0{claim.category}\0{claim.attribute}\0{claim.text}"
    return "c" + files.digest(said.encode("utf-8", "surrogatepass"))[:ID_CHARS]
