"""Drafts of lines: what captures claim, made ready for the gate, with the captures that each rests on."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, structs

from commonplace import files
from commonplace.consolidate.about import about
from commonplace.consolidate.brought import is_distilled, stated
from commonplace.consolidate.candidates import Candidate
from commonplace.consolidate.chatter import is_personal, speaks_of_oneself
from commonplace.consolidate.context import passage, sentence_of
from commonplace.facts import Claim, Sort, extract, single_valued
from commonplace.facts.requests import casts_a_role
from commonplace.model import Actor, Capture, Category, Kind, Trust
from commonplace.sync.taints import spans
from commonplace.workspace.times import moment

OF_AGENTS: tuple[Sort, ...] = ("error_fix", "dead_end", "decision", "attribute", "correction")
READINGS: tuple[Sort, ...] = ("attribute", "correction")  # of these, only the settings of tools and projects
LONGEST_TURN = 1_000  # characters; a longer one holds text of others, of which only what is said of oneself is kept
SHORT_TURN = 300  # characters; in a longer one, what speaks of nobody may well be somebody else's text
EDGE = 120  # characters at either end of a longer one: there people ask to have something remembered
OF_ANY_TURN: tuple[Sort, ...] = ("error_fix", "dead_end", "decision", "relation")  # what no pasted text is full of
LONGEST_REPORT = 600  # characters; an agent's essay tells what anybody may look up, not what it found out here
SIDE_BY_SIDE: tuple[Category, ...] = ("plan", "event", "note", "lesson", "procedure")
ID_CHARS = 14
OWNER = "Owner"


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
    quote: str = ""  # the words on which it rests, as they were said
    sentence: str = ""  # the whole of what was said there
    speaker: str = ""
    supersedes: tuple[str, ...] = ()

    @property
    def is_exclusive(self) -> bool:
        """Whether it states an attribute that has one value at a time. Two plans, events or lessons stand together."""
        lasting = self.category not in SIDE_BY_SIDE
        return bool(lasting and self.entity and self.attribute and single_valued(self.attribute))

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
            sentence=self.sentence,
            sort=self.sort,
            speaker=self.speaker,
        )


def drafts_of(capture: Capture, owner: str = OWNER) -> Iterator[Draft]:
    """What a capture claims. Nothing of what only echoes memory, of the system, or of tools and strangers.

    What strangers say stays evidence: it can be found, and it is never filed as what is known. Of an agent only what
    it did and found out counts: its fixes, dead ends, decisions and readings of settings. What casts an agent in a role
    is a play, in which nothing is so.
    """
    if capture.detail.get("echo") or capture.actor == "system" or capture.origin in ("untrusted", "quarantined"):
        return
    speaker = str(capture.detail.get("speaker") or "") or (owner if capture.actor == "owner" else "")
    quoted = spans(capture.detail.get("quoted"))
    claims = extract(capture.text, speaker=speaker, now=moment(capture.ts))
    if is_distilled(capture):
        yield from _stated(capture, stated(capture, claims, owner))
        return
    if casts_a_role(capture.text):
        return
    for claim in (about(one, speaker, capture.text) for one in claims):
        told = any(start <= claim.span[0] and claim.span[1] <= end for start, end in quoted)
        if claim.text.strip() and not told and _is_own(capture, claim):
            yield _draft(capture, claim, speaker)


def _stated(capture: Capture, claims: tuple[Claim, ...]) -> Iterator[Draft]:
    """What another memory stated: each claim stands by itself, and nobody speaks."""
    for claim in claims:
        if claim.text.strip():
            yield structs.replace(_draft(capture, claim, ""), text=claim.text)


def _is_own(capture: Capture, claim: Claim) -> bool:
    """Whether who speaks says it of their own: not in an essay, and not in a document that was pasted."""
    if capture.actor == "agent":
        return _is_found_out(capture, claim)
    if len(capture.text) <= SHORT_TURN:
        return True
    if claim.sort == "remember":
        return claim.span[0] < EDGE or len(capture.text) - claim.span[1] < EDGE
    if len(capture.text) > LONGEST_TURN:
        return speaks_of_oneself(capture.text[slice(*claim.span)])
    return claim.sort in OF_ANY_TURN or _is_setting(claim) or is_personal(sentence_of(capture.text, claim.span))


def _is_found_out(capture: Capture, claim: Claim) -> bool:
    """Whether an agent reports what it did or found out, and does not merely explain something."""
    if len(capture.text) > LONGEST_REPORT or claim.sort not in OF_AGENTS:
        return False
    return claim.sort not in READINGS or _is_setting(claim)


def _is_setting(claim: Claim) -> bool:
    """Whether a claim reads a setting: a figure, a path, a host of a tool or project."""
    of_tool = claim.category in ("tool", "project") and single_valued(claim.attribute)
    return of_tool and any(not sign.isalpha() for sign in claim.value)


def _draft(capture: Capture, claim: Claim, speaker: str) -> Draft:
    around = passage(capture.text, claim, speaker)
    return Draft(
        id=_id(capture, claim),
        text=around.text,
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
        quote=capture.text[around.start : around.end],
        sentence=sentence_of(capture.text, claim.span),
        speaker=speaker,
    )


def _id(capture: Capture, claim: Claim) -> str:
    """The same claim of the same capture has the same id in each run, so that it is written once."""
    said = f"{capture.id}\0{claim.span}\0{claim.category}\0{claim.attribute}\0{claim.text}"
    return "c" + files.digest(said.encode("utf-8", "surrogatepass"))[:ID_CHARS]
