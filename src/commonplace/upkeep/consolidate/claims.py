"""What a capture claims, as drafts of lines: whom each is about, the passage it needs, and the capture it rests on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, cast

from msgspec import Struct, structs

from commonplace.extract import Claim, ClaimType, extract_claims, is_single_valued
from commonplace.extract.clarity import informative_words, is_unclear
from commonplace.extract.state_claims import is_subject
from commonplace.extract.statements import is_role_prompt
from commonplace.language import text
from commonplace.model import CATEGORIES, Actor, Capture, Category, Kind, Trust
from commonplace.storage import files
from commonplace.storage.workspace.timestamps import parse_timestamp
from commonplace.sync.journals import decode_spans
from commonplace.upkeep.consolidate.candidates import (
    ClaimCandidate,
    has_first_person_singular,
    is_about_speaker,
    is_acknowledgement,
)

THING_CATEGORIES: tuple[Category, ...] = ("tool", "project", "procedure")


def assign_subject(claim: Claim, speaker: str, source_text: str) -> Claim:
    """The claim, about what its line can stand below.

    An opinion is of who holds it, and so is a taste unless it is told of somebody who has a name. What is told of no
    subject that has a name is of who speaks where it says `I`; it is then no state of a thing, and gives no attribute.
    """
    if claim.claim_type == "relation" or claim.entity in ("", speaker):
        return claim
    if is_subject(claim.entity) and not (claim.claim_type == "opinion" and speaker):
        return claim
    held = claim.category == "preference" or is_about_speaker(source_text[slice(*claim.span)])
    owner = speaker if held else ""
    category = "fact" if owner and claim.category in THING_CATEGORIES else claim.category
    named = tuple(one for one in claim.entities if one != claim.entity)
    entities = tuple(dict.fromkeys((*((owner,) if owner else ()), *named)))
    return structs.replace(claim, category=category, entity=owner, attribute="", value="", entities=entities)


MAX_DISTILLED_CHARS = 600  # characters; a longer one is a text, which stays evidence
MIN_CLAIM_COVERAGE = 0.6  # of a statement that one claim must cover to stand for it
OWNER_CATEGORIES: tuple[Category, ...] = (
    "preference",
    "person",
)  # said of nobody else, these are about whose memory it was
SORT_BY_CATEGORY: dict[Category, ClaimType] = {"decision": "decision", "event": "event", "plan": "commitment"}
DEFAULT_CONFIDENCE = 0.8  # where the other memory does not say


def is_distilled(capture: Capture) -> bool:
    """Whether a capture is a statement that another memory had made to be kept."""
    return bool(_import_detail_of(capture).get("distilled")) and len(capture.text) <= MAX_DISTILLED_CHARS


def distilled_claims(capture: Capture, claims: tuple[Claim, ...], owner: str) -> tuple[Claim, ...]:
    """What a statement claims, filed as it was there and no surer than it was there.

    It is kept as it was stated, unless `claims`, which were read in it, tell nearly all of it.
    """
    category, sure = _imported_category(capture), _imported_confidence(capture)
    if len(claims) > 1:
        return tuple(structs.replace(one, confidence=min(one.confidence, sure)) for one in claims)
    if claims and claims[0].span[1] - claims[0].span[0] >= MIN_CLAIM_COVERAGE * len(capture.text):
        [only] = claims
        return (structs.replace(only, category=category or only.category, confidence=min(only.confidence, sure)),)
    category = category or (claims[0].category if claims else "fact")
    entity = (claims[0].entity if claims else "") or (owner if category in OWNER_CATEGORIES else "")
    said, span, sort = (
        text.sanitize_line(capture.text),
        (0, len(capture.text)),
        SORT_BY_CATEGORY.get(category, "attribute"),
    )
    return (Claim(sort, category, "world", said, span, entity=entity, confidence=sure),)


def _import_detail_of(capture: Capture) -> dict[str, Any]:
    told = capture.detail.get("import")
    return told if isinstance(told, dict) else {}


def _imported_category(capture: Capture) -> Category | None:
    category = _import_detail_of(capture).get("category")
    return cast("Category", category) if category in CATEGORIES else None


def _imported_confidence(capture: Capture) -> float:
    found = _import_detail_of(capture).get("confidence")
    return float(found) if isinstance(found, int | float) and 0 <= found <= 1 else DEFAULT_CONFIDENCE


MAX_PASSAGE_CHARS = 300  # characters of a line that holds more than its claim
MIN_EVENT_WORDS = 3  # words: an event told in fewer is told by the whole sentence, if that tells so many more:
MIN_EXTRA_WORDS = 2
SHORT_CLAIM_WORDS = 6  # words
QUESTION_ENDINGS = ("?", "？")
VERBATIM_SORTS: tuple[ClaimType, ...] = ("relation", "dead_end", "remember")  # these have a form of their own


class ClaimPassage(Struct, frozen=True):
    """A stretch of what was said as a line: its words, and its place in the source."""

    text: str
    start: int
    end: int


def expand_passage(source_text: str, claim: Claim, speaker: str) -> ClaimPassage:
    """The claim as it is, or its whole sentence, or that with the one before: the first that is clear by itself."""
    own = ClaimPassage(claim.text, *claim.span)
    names = (speaker,) if speaker else ()
    if claim.claim_type in VERBATIM_SORTS:
        return own
    known = {claim.entity, *claim.entities} - {speaker, ""}
    unclear = not known and is_unclear(claim.text, names)
    if not (unclear or _is_incomplete_clause(source_text, claim) or _is_too_brief(source_text, claim, names)):
        return own
    around = [
        one
        for one in sentence_spans_at(source_text, claim.span)
        if not source_text[slice(*one)].rstrip().endswith(QUESTION_ENDINGS)
    ]
    wider = (_passage_with_speaker(source_text, stretch, claim, speaker) for stretch in around)
    fits = (one for one in wider if len(one.text) <= MAX_PASSAGE_CHARS and not is_unclear(one.text, names))
    return next(fits, own)


def sentence_at(source_text: str, span: tuple[int, int]) -> str:
    """The sentence in which a stretch stands, on one line."""
    start, end = next(iter(sentence_spans_at(source_text, span)), span)
    return text.sanitize_line(source_text[start:end])


def sentence_spans_at(source_text: str, span: tuple[int, int]) -> list[tuple[int, int]]:
    """The stretch of the sentences that a span touches, then the same with the sentence before it, if there is one.

    A sentence that merely acknowledges does not count, and a question makes no line.
    """
    start, places = 0, list[tuple[int, int]]()
    for sentence in text.split_sentences(source_text):
        places.append((start, start + len(sentence)))
        start += len(sentence)
    touched = [at for at, (first, last) in enumerate(places) if first < span[1] and span[0] < last]
    if not touched:
        return []
    first, end = touched[0], places[touched[-1]][1]
    found = [(places[first][0], end)]
    if first and not is_acknowledgement(source_text[slice(*places[first - 1])]):
        found.append((places[first - 1][0], end))
    return found


def _passage_with_speaker(source_text: str, span: tuple[int, int], claim: Claim, speaker: str) -> ClaimPassage:
    """What was said, with who said it before it, and behind it the date that the claim resolves."""
    words = text.sanitize_line(source_text[slice(*span)])
    date = _resolved_date_pattern().search(claim.text)
    lead, tail = f"{speaker}: " if speaker else "", date[0] if date else ""
    return ClaimPassage(lead + words + tail, *span)


def _is_incomplete_clause(source_text: str, claim: Claim) -> bool:
    """Whether the claim is a subordinate clause without what it hangs on, or breaks off before its sentence ends."""
    before, after = source_text[: claim.span[0]].rstrip(), source_text[claim.span[1] :].lstrip(" \t")
    broken = bool(after[:1].isalnum() and _dangling_word_pattern().search(claim.text)) or _lacks_object(claim, after)
    hangs = bool(
        _noun_clause_pattern().search(before) and _missing_object_pattern().match(source_text[slice(*claim.span)])
    )
    return (
        hangs
        or broken
        or bool(_relative_pronoun_pattern().search(before) or _unclosed_quote_pattern().search(claim.text))
    )


def _lacks_object(claim: Claim, text_after: str) -> bool:
    """Whether a short claim ends before what it gives: `gave my neighbour, Mrs. Hill | , a few cuttings`."""
    return len(claim.text.split()) <= SHORT_CLAIM_WORDS and bool(_delayed_object_pattern().match(text_after))


def _is_too_brief(source_text: str, claim: Claim, speaker_names: tuple[str, ...]) -> bool:
    told = len(informative_words(claim.text, speaker_names))
    is_short = claim.claim_type == "event" and told < MIN_EVENT_WORDS
    return (
        is_short
        and len(informative_words(sentence_at(source_text, claim.span), speaker_names)) >= told + MIN_EXTRA_WORDS
    )


@cache
def _relative_pronoun_pattern() -> re.Pattern[str]:
    return re.compile(r"\b(?:which|who|whom|whose|where|dont|qui|lequel|quien|cuyo)$", re.IGNORECASE)


@cache
def _noun_clause_pattern() -> re.Pattern[str]:
    """What stands before a clause that hangs on a noun: `headphones that | I use`; not a verb of telling."""
    telling = (
        r"(?:say|says|said|saying|tell|told|think|thinks|thought|know|known|knew|believe|feel|felt|hope|guess|see|saw|"
        r"seen|find|found|hear|heard|notice|noticed|reali[sz]ed?|learn|learned|learnt|decided?|mention|mentioned|"
        r"report|mean|means|meant|remember|share|add|admit|agreed?|discover|discovered|ensure|sure|glad|happy|sad|"
        r"sorry|proud|afraid|aware|lucky|excited|grateful|thankful|now|so|such|is|was|fact|given|"
        r"me|you|us|him|her|them|it)"
    )
    return re.compile(rf"(?<!\w)(?!{telling} )[^\W\d_]{{3,}} that$", re.IGNORECASE)


@cache
def _missing_object_pattern() -> re.Pattern[str]:
    """A verb of the speaker's with nothing behind it, or what cannot be its object: `I use for …`."""
    adverbs = r"(?:(?:\w+ly|just|also|have|had|always|often) )*"
    behind = "for|with|in|at|from|on|during|every|when|as|and"
    return re.compile(rf"I(?:['’](?:ve|d|m))? {adverbs}\w+(?:$|[,.]| (?:{behind})\b)")


@cache
def _unclosed_quote_pattern() -> re.Pattern[str]:
    """A title whose quotation marks do not close."""
    return re.compile(r"^[^\"]*\"(?:[^\"]*\"[^\"]*\")*[^\"]*$|(?<!\w)['‘][A-Z][^'’]*$")


@cache
def _dangling_word_pattern() -> re.Pattern[str]:
    """A last word after which something must come."""
    english = "and|but|or|so|because|of|to|with|now|speaking|for|that's|that|which|who|a|an|the|my|is|are"
    words = f"{english}|et|mais|ou|und|aber|oder|y|pero|o"
    return re.compile(rf"\b(?:{words})[,;]?$", re.IGNORECASE)


@cache
def _delayed_object_pattern() -> re.Pattern[str]:
    return re.compile(r", (?:an?|some|the|my|our|\d+)\b")


@cache
def _resolved_date_pattern() -> re.Pattern[str]:
    return re.compile(r" \(\d{4}-\d\d[^)]*\)")


AGENT_SORTS: tuple[ClaimType, ...] = ("error_fix", "dead_end", "decision", "attribute", "correction")
SETTING_SORTS: tuple[ClaimType, ...] = ("attribute", "correction")  # of these, only the settings of tools and projects
LONG_TURN_CHARS = 1_000  # characters; a longer one holds text of others, of which only what is said of oneself is kept
SHORT_TURN_CHARS = 300  # characters; in a longer one, what speaks of nobody may well be somebody else's text
TURN_EDGE_CHARS = 120  # characters at either end of a longer one: there people ask to have something remembered
ANY_TURN_SORTS: tuple[ClaimType, ...] = (
    "error_fix",
    "dead_end",
    "decision",
    "relation",
)  # what no pasted text is full of
MAX_REPORT_CHARS = 600  # characters; an agent's essay tells what anybody may look up, not what it found out here
COEXISTING_CATEGORIES: tuple[Category, ...] = ("plan", "event", "note", "lesson", "procedure")
ID_CHARS = 14
DEFAULT_OWNER = "Owner"


class RecordDraft(Struct, frozen=True, kw_only=True):
    """A line to be: what a claim says, and whence. `sources` are ids of captures, `time` is when it was said.

    `supersedes` are the records that it replaces; `valid_to` is set for what was over when it came in.
    """

    id: str
    text: str
    sort: ClaimType
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
    def is_single_valued(self) -> bool:
        """Whether it states an attribute that has one value at a time. Two plans, events or lessons stand together."""
        lasting = self.category not in COEXISTING_CATEGORIES
        return bool(lasting and self.entity and self.attribute and is_single_valued(self.attribute))

    @property
    def candidate(self) -> ClaimCandidate:
        """The draft as the gate looks at it."""
        return ClaimCandidate(
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


def draft_records(capture: Capture, owner: str = DEFAULT_OWNER) -> Iterator[RecordDraft]:
    """What a capture claims. Nothing of what only echoes memory, of the system, or of tools and strangers.

    What strangers say stays evidence: it can be found, and it is never filed as what is known. Of an agent only what
    it did and found out counts: its fixes, dead ends, decisions and readings of settings. What casts an agent in a role
    is a play, in which nothing is so.
    """
    if capture.detail.get("echo") or capture.actor == "system" or capture.origin in ("untrusted", "quarantined"):
        return
    speaker = str(capture.detail.get("speaker") or "") or (owner if capture.actor == "owner" else "")
    quoted = decode_spans(capture.detail.get("quoted"))
    claims = extract_claims(capture.text, speaker=speaker, now=parse_timestamp(capture.ts))
    if is_distilled(capture):
        yield from _draft_distilled_claims(capture, distilled_claims(capture, claims, owner))
        return
    if is_role_prompt(capture.text):
        return
    for claim in (assign_subject(one, speaker, capture.text) for one in claims):
        told = any(start <= claim.span[0] and claim.span[1] <= end for start, end in quoted)
        if claim.text.strip() and not told and _is_speakers_own_claim(capture, claim):
            yield _draft_record(capture, claim, speaker)


def _draft_distilled_claims(capture: Capture, claims: tuple[Claim, ...]) -> Iterator[RecordDraft]:
    """What another memory stated: each claim stands by itself, and nobody speaks."""
    for claim in claims:
        if claim.text.strip():
            yield structs.replace(_draft_record(capture, claim, ""), text=claim.text)


def _is_speakers_own_claim(capture: Capture, claim: Claim) -> bool:
    """Whether who speaks says it of their own: not in an essay, and not in a document that was pasted."""
    if capture.actor == "agent":
        return _is_agent_finding(capture, claim)
    if len(capture.text) <= SHORT_TURN_CHARS:
        return True
    if claim.claim_type == "remember":
        return claim.span[0] < TURN_EDGE_CHARS or len(capture.text) - claim.span[1] < TURN_EDGE_CHARS
    if len(capture.text) > LONG_TURN_CHARS:
        return has_first_person_singular(capture.text[slice(*claim.span)])
    return (
        claim.claim_type in ANY_TURN_SORTS
        or _is_setting_claim(claim)
        or is_about_speaker(sentence_at(capture.text, claim.span))
    )


def _is_agent_finding(capture: Capture, claim: Claim) -> bool:
    """Whether an agent reports what it did or found out, and does not merely explain something."""
    if len(capture.text) > MAX_REPORT_CHARS or claim.claim_type not in AGENT_SORTS:
        return False
    return claim.claim_type not in SETTING_SORTS or _is_setting_claim(claim)


def _is_setting_claim(claim: Claim) -> bool:
    """Whether a claim reads a setting: a figure, a path, a host of a tool or project."""
    of_tool = claim.category in ("tool", "project") and is_single_valued(claim.attribute)
    return of_tool and any(not sign.isalpha() for sign in claim.value)


def _draft_record(capture: Capture, claim: Claim, speaker: str) -> RecordDraft:
    around = expand_passage(capture.text, claim, speaker)
    return RecordDraft(
        id=_claim_id(capture, claim),
        text=around.text,
        sort=claim.claim_type,
        category=claim.category,
        kind=claim.kind,
        trust=capture.origin,
        actor=capture.actor,
        time=parse_timestamp(capture.ts),
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
        sentence=sentence_at(capture.text, claim.span),
        speaker=speaker,
    )


def _claim_id(capture: Capture, claim: Claim) -> str:
    """The same claim of the same capture has the same id in each run, so that it is written once."""
    said = f"{capture.id}\0{claim.span}\0{claim.category}\0{claim.attribute}\0{claim.text}"
    return "c" + files.content_digest(said.encode("utf-8", "surrogatepass"))[:ID_CHARS]
