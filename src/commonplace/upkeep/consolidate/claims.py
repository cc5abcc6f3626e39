"""Propose claims from a capture: whom each is about, the passage that it needs, and the capture it rests on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import structs

from commonplace.extract import (
    Claim,
    ClaimType,
    KeyRegistry,
    extract_claims,
    informative_words,
    is_role_prompt,
    is_subject,
    is_unclear,
    packaged_registry,
)
from commonplace.language import text
from commonplace.lazy import lazy_pattern
from commonplace.model import CATEGORIES, Capture, Category
from commonplace.shapes import Json
from commonplace.storage import files
from commonplace.storage.workspace import parse_timestamp
from commonplace.sync import decode_spans
from commonplace.truth import is_acknowledgement, is_written_statement
from commonplace.upkeep.consolidate.chatter import has_first_person_singular, is_about_speaker
from commonplace.upkeep.consolidate.claim_record import DEFAULT_OWNER, ClaimRecord

AGENT_TYPES: tuple[ClaimType, ...] = ("error_fix", "dead_end", "decision", "attribute", "correction")
SETTING_TYPES: tuple[ClaimType, ...] = ("attribute", "correction")  # of these, only the settings of tools and projects
ANY_TURN_TYPES: tuple[ClaimType, ...] = ("error_fix", "dead_end", "decision", "relation")  # rare in pasted text
LONG_TURN_CHARS = 1_000  # characters; of a longer turn only what has a first person singular is the speaker's own
SHORT_TURN_CHARS = 300  # characters; in a longer turn, a sentence that is about nobody may well be somebody else's
TURN_EDGE_CHARS = 120  # characters at either end of a longer turn: there people ask to have something remembered
MAX_REPORT_CHARS = 600  # characters; a longer message of an agent is an essay, and no report of what it found out
ID_CHARS = 14
# What comes before a clause that hangs on a noun: `headphones that | I use`; not a verb of telling.
_NOUN_CLAUSE = lazy_pattern(
    r"(?<!\w)(?!(?:say|says|said|saying|tell|told|think|thinks|thought|know|known|knew|believe|feel|felt|hope|guess|see|saw|"
    r"seen|find|found|hear|heard|notice|noticed|reali[sz]ed?|learn|learned|learnt|decided?|mention|mentioned|"
    r"report|mean|means|meant|remember|share|add|admit|agreed?|discover|discovered|ensure|sure|glad|happy|sad|"
    r"sorry|proud|afraid|aware|lucky|excited|grateful|thankful|now|so|such|is|was|fact|given|"
    r"me|you|us|him|her|them|it) )[^\W\d_]{3,} that$",
    re.IGNORECASE,
)
# A verb of the speaker's with nothing behind it, or with what cannot be its object: `I use for …`.
_MISSING_OBJECT = lazy_pattern(
    r"I(?:['’](?:ve|d|m))? (?:(?:\w+ly|just|also|have|had|always|often) )*\w+"
    r"(?:$|[,.]| (?:for|with|in|at|from|on|during|every|when|as|and)\b)"
)
# A last word after which something must follow.
_DANGLING_WORD = lazy_pattern(
    r"\b(?:and|but|or|so|because|of|to|with|now|speaking|for|that's|that|which|who|a|an|the|my|is|are"
    r"|et|mais|ou|und|aber|oder|y|pero|o)[,;]?$",
    re.IGNORECASE,
)
_RELATIVE_PRONOUN = lazy_pattern(r"\b(?:which|who|whom|whose|where|dont|qui|lequel|quien|cuyo)$", re.IGNORECASE)
# A title whose quotation marks do not close.
_UNCLOSED_QUOTE = lazy_pattern(r"^[^\"]*\"(?:[^\"]*\"[^\"]*\")*[^\"]*$|(?<!\w)['‘][A-Z][^'’]*$")
# The object of a short claim that comes after it: `gave my neighbour, Mrs. Hill | , a few cuttings`.
_DELAYED_OBJECT = lazy_pattern(r", (?:an?|some|the|my|our|\d+)\b")
_RESOLVED_DATE = lazy_pattern(r" \(\d{4}-\d\d[^)]*\)")


def propose_claims(
    capture: Capture, owner: str = DEFAULT_OWNER, registry: KeyRegistry | None = None
) -> Iterator[ClaimRecord]:
    """The claims of a capture; none of an echo of memory, of the system, or of tools and strangers.

    `registry` are the keys of the notebook; None means the packaged ones.

    The words of strangers stay evidence: they can be found, and are never filed as facts. Of an agent only its
    findings count: fixes, dead ends, decisions and settings that it read. A prompt that gives an agent a role claims
    nothing.
    """
    if capture.detail.get("echo") or capture.actor == "system" or capture.origin in ("untrusted", "quarantined"):
        return
    speaker = str(capture.detail.get("speaker") or "") or (owner if capture.actor == "owner" else "")
    claims = extract_claims(capture.text, speaker=speaker, now=parse_timestamp(capture.ts))
    imported = capture.detail.get("import")
    if isinstance(imported, dict) and imported.get("distilled") and len(capture.text) <= MAX_DISTILLED_CHARS:
        for claim in _distilled_claims(capture, claims, imported, owner):
            if claim.text.strip():
                yield structs.replace(_propose_claim(capture, claim, ""), text=claim.text)
        return
    if is_role_prompt(capture.text):
        return
    quoted = decode_spans(capture.detail.get("quoted"))
    for claim in (assign_subject(one, speaker, capture.text) for one in claims):
        is_quoted = any(start <= claim.span[0] and claim.span[1] <= end for start, end in quoted)
        if claim.text.strip() and not is_quoted and _is_speakers_own_claim(capture, claim, registry):
            yield _propose_claim(capture, claim, speaker)


def _propose_claim(capture: Capture, claim: Claim, speaker: str) -> ClaimRecord:
    passage = expand_passage(capture.text, claim, speaker)
    # The same claim of the same capture has the same id in every run, so that it is written once.
    seed = f"{capture.id}\0{claim.span}\0{claim.category}\0{claim.attribute}\0{claim.text}"
    return ClaimRecord(
        id="c" + files.text_digest(seed)[:ID_CHARS],
        text=passage.text,
        claim_type=claim.claim_type,
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
        quote=capture.text[slice(*passage.span)],
        sentence=sentence_at(capture.text, claim.span),
        speaker=speaker,
        is_talk=not is_written_statement(capture.text),
    )


def _is_speakers_own_claim(capture: Capture, claim: Claim, registry: KeyRegistry | None) -> bool:
    """Whether the speaker makes the claim: it is in no essay of an agent, and in no document that was pasted."""
    is_setting = (  # a number, path or host of a tool or project
        claim.category in ("tool", "project")
        and (registry or packaged_registry()).cardinality(claim.attribute) == "one"
        and any(not sign.isalpha() for sign in claim.value)
    )
    if capture.actor == "agent":
        is_report = len(capture.text) <= MAX_REPORT_CHARS and claim.claim_type in AGENT_TYPES
        return is_report and (is_setting or claim.claim_type not in SETTING_TYPES)
    if len(capture.text) <= SHORT_TURN_CHARS:
        return True
    if claim.claim_type == "remember":
        return claim.span[0] < TURN_EDGE_CHARS or len(capture.text) - claim.span[1] < TURN_EDGE_CHARS
    if len(capture.text) > LONG_TURN_CHARS:
        return has_first_person_singular(capture.text[slice(*claim.span)])
    is_any_turn = claim.claim_type in ANY_TURN_TYPES or is_setting
    return is_any_turn or is_about_speaker(sentence_at(capture.text, claim.span))


THING_CATEGORIES: tuple[Category, ...] = ("tool", "project", "procedure")


def assign_subject(claim: Claim, speaker: str, source_text: str) -> Claim:
    """Return the claim with the subject under whose name its line is filed.

    An opinion is about who holds it, and so is a preference unless its holder is named. Another claim without a named
    subject is about the speaker where it says `I`; it is then no state of a thing, and loses its attribute.
    """
    if claim.claim_type == "relation" or claim.entity in ("", speaker):
        return claim
    if is_subject(claim.entity) and not (claim.claim_type == "opinion" and speaker):
        return claim
    is_own = claim.category == "preference" or is_about_speaker(source_text[slice(*claim.span)])
    owner = speaker if is_own else ""
    category = "fact" if owner and claim.category in THING_CATEGORIES else claim.category
    named = tuple(one for one in claim.entities if one != claim.entity)
    entities = tuple(dict.fromkeys((*((owner,) if owner else ()), *named)))
    return structs.replace(claim, category=category, entity=owner, attribute="", value="", entities=entities)


MAX_DISTILLED_CHARS = 600  # characters; a longer statement is a text, which stays evidence
MIN_CLAIM_COVERAGE = 0.6  # of a statement that one claim must cover to stand for it
OWNER_CATEGORIES: tuple[Category, ...] = ("preference", "person")  # without a subject they are about the owner
TYPE_BY_CATEGORY: dict[Category, ClaimType] = {"decision": "decision", "event": "event", "plan": "commitment"}
DEFAULT_CONFIDENCE = 0.8  # where the other memory gives none


def _distilled_claims(capture: Capture, claims: tuple[Claim, ...], imported: Json, owner: str) -> tuple[Claim, ...]:
    """The claim that another memory states, or the `claims` extracted from it if these cover nearly all of it."""
    category: Category | None = imported["category"] if imported.get("category") in CATEGORIES else None
    sure = imported.get("confidence")
    confidence = float(sure) if isinstance(sure, int | float) and 0 <= sure <= 1 else DEFAULT_CONFIDENCE
    if len(claims) > 1:
        return tuple(structs.replace(one, confidence=min(one.confidence, confidence)) for one in claims)
    if claims and claims[0].span[1] - claims[0].span[0] >= MIN_CLAIM_COVERAGE * len(capture.text):
        least = min(claims[0].confidence, confidence)
        return (structs.replace(claims[0], category=category or claims[0].category, confidence=least),)
    category = category or (claims[0].category if claims else "fact")
    entity = (claims[0].entity if claims else "") or (owner if category in OWNER_CATEGORIES else "")
    line, span = text.sanitize_line(capture.text), (0, len(capture.text))
    claim_type = TYPE_BY_CATEGORY.get(category, "attribute")
    return (Claim(claim_type, category, "world", line, span, entity=entity, confidence=confidence),)


MAX_PASSAGE_CHARS = 300  # characters of a line that holds more than its claim
MIN_EVENT_WORDS = 3  # words: an event of fewer is widened to its sentence, if that has so many more:
MIN_EXTRA_WORDS = 2
SHORT_CLAIM_WORDS = 6  # words
QUESTION_ENDINGS = ("?", "？")
VERBATIM_TYPES: tuple[ClaimType, ...] = ("relation", "dead_end", "remember")  # these have a form of their own


def expand_passage(source_text: str, claim: Claim, speaker: str) -> Claim:
    """Return the claim as it is, or with its whole sentence, or with the sentence before it too: the first that can be
    understood on its own."""
    names = (speaker,) if speaker else ()
    if claim.claim_type in VERBATIM_TYPES:
        return claim
    has_subject = {claim.entity, *claim.entities} - {speaker, ""}
    unclear = not has_subject and is_unclear(claim.text, names)
    if not (unclear or _is_incomplete_clause(source_text, claim) or _is_too_brief(source_text, claim, names)):
        return claim
    date = _RESOLVED_DATE.search(claim.text)
    lead, tail = f"{speaker}: " if speaker else "", date[0] if date else ""
    for span in sentence_spans_at(source_text, claim.span):
        passage = source_text[slice(*span)]
        line = lead + text.sanitize_line(passage) + tail
        is_question = passage.rstrip().endswith(QUESTION_ENDINGS)
        if not is_question and len(line) <= MAX_PASSAGE_CHARS and not is_unclear(line, names):
            return structs.replace(claim, text=line, span=span)
    return claim


def sentence_at(source_text: str, span: tuple[int, int]) -> str:
    """Return the sentence of a span, on one line."""
    start, end = next(iter(sentence_spans_at(source_text, span)), span)
    return text.sanitize_line(source_text[start:end])


def sentence_spans_at(source_text: str, span: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the span of the sentences that a span touches, then the same with the sentence before them, unless that is
    only an acknowledgement."""
    start, spans = 0, list[tuple[int, int]]()
    for sentence in text.split_sentences(source_text):
        spans.append((start, start + len(sentence)))
        start += len(sentence)
    touched = [at for at, (first, last) in enumerate(spans) if first < span[1] and span[0] < last]
    if not touched:
        return []
    first, end = touched[0], spans[touched[-1]][1]
    around = [(spans[first][0], end)]
    if first and not is_acknowledgement(source_text[slice(*spans[first - 1])]):
        around.append((spans[first - 1][0], end))
    return around


def _is_incomplete_clause(source_text: str, claim: Claim) -> bool:
    """Whether the claim is a subordinate clause without its main clause, or breaks off before its sentence ends."""
    before, after = source_text[: claim.span[0]].rstrip(), source_text[claim.span[1] :].lstrip(" \t")
    lacks_object = len(claim.text.split()) <= SHORT_CLAIM_WORDS and _DELAYED_OBJECT.match(after)
    return bool(
        (_NOUN_CLAUSE.search(before) and _MISSING_OBJECT.match(source_text[slice(*claim.span)]))
        or (after[:1].isalnum() and _DANGLING_WORD.search(claim.text))
        or lacks_object
        or _RELATIVE_PRONOUN.search(before)
        or _UNCLOSED_QUOTE.search(claim.text)
    )


def _is_too_brief(source_text: str, claim: Claim, speaker_names: tuple[str, ...]) -> bool:
    """Whether an event has very few words, and its sentence more."""
    words = len(informative_words(claim.text, speaker_names))
    if claim.claim_type != "event" or words >= MIN_EVENT_WORDS:
        return False
    return len(informative_words(sentence_at(source_text, claim.span), speaker_names)) >= words + MIN_EXTRA_WORDS
