"""Choose the sentences of an interaction that become lines: the cues, and the best of the others, verbatim."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct, structs

from commonplace.extract.candidates import Candidate, find_candidates, sentence_spans
from commonplace.extract.clarity import is_unclear
from commonplace.extract.features import category_features, is_about_speaker
from commonplace.extract.key_registry import KeyRegistry, packaged_registry
from commonplace.extract.languages import ClaimType
from commonplace.extract.rules import MUST_NOT_EAT, bare_name, find_related_name
from commonplace.extract.selector import find_category
from commonplace.language import text, when
from commonplace.language.text import ends_in_question_mark
from commonplace.lazy import lazy_pattern
from commonplace.model import CATEGORIES, Capture, Category, Kind
from commonplace.retrieval.recall import is_person_name
from commonplace.shapes import Json
from commonplace.storage import files
from commonplace.storage.workspace import parse_timestamp
from commonplace.sync import decode_spans
from commonplace.truth import (
    REFERENCE_DAY,
    LineContext,
    Statement,
    Vocabulary,
    is_acknowledgement,
    is_written_statement,
    read_statements,
)
from commonplace.upkeep.consolidate.claim_record import DEFAULT_OWNER, ClaimRecord

AGENT_TYPES: tuple[ClaimType, ...] = ("error_fix", "dead_end", "decision")  # of an agent; and settings that it read
MAX_REPORT_CHARS = 600  # characters; a longer message of an agent is an essay, and no report of what it found out
ID_CHARS = 14
MIN_SCORE, MIN_TALK_SCORE = 1.1, 0.7  # in log odds: the floor of what is said to an agent, and among people
MIN_KEY_SCORE, MAX_KEY_CHARS = -2.0, 60  # the floor of a short sentence that gives a value of a key
CHANGE_SCORE = 1.5  # in log odds, by which the floor is lower for what gives up a value for another
MAX_MESSAGE_SHARE, MIN_LINES = 0.3, 4  # lines of an interaction that are no cues: by its messages, and at least
MAX_PASSAGE_CHARS = 400  # characters of a line with the sentence before it
MAX_SUBJECT_WORDS = 4
THING_CATEGORIES: tuple[Category, ...] = ("tool", "project", "procedure")
MAX_DISTILLED_CHARS = 600  # characters; a longer statement of another memory is a text, which stays evidence
LOGGED_CATEGORIES: tuple[Category, ...] = ("fact", "event", "plan", "note")
OWNER_CATEGORIES: tuple[Category, ...] = ("preference", "person")  # without a subject they are about the owner
DEFAULT_CONFIDENCE, CERTAIN = 0.8, 0.9
MIN_CERTAIN_SCORE = 1.0  # in log odds, of a cue: its words are worth a line whatever its form
KINDS: dict[Category, Kind] = {"preference": "opinion", "event": "experience", "lesson": "experience"}
_NAME = lazy_pattern(r"(?<!\w)[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+)*")
_PRESENT_VERB = lazy_pattern(r" (?:is|has|was|will|can|ist|hat|wird|est|a|es|tiene|[a-z]{2,}(?:es|[^s]s))\b")


class Passage(Struct, frozen=True):
    """A candidate in its capture, with the last sentence of the capture before it, if that is a question of another."""

    capture: Capture
    candidate: Candidate
    min_score: float = MIN_SCORE
    question: str = ""
    asked_in: str = ""  # the id of the capture of the question


def propose_claims(
    captures: tuple[Capture, ...], owner: str = DEFAULT_OWNER, vocabulary: Vocabulary | None = None
) -> Iterator[ClaimRecord]:
    """The claims of the captures of one interaction, in order: all cues that must not be missed, and of the other
    sentences above the floor the best, up to a share of the messages. The words of strangers, of tools and of the
    system, and echoes of memory claim nothing; of an agent only fixes, dead ends, decisions and settings do."""
    known = vocabulary or Vocabulary()
    passages = [one for one in _find_passages(captures) if _may_claim(one, known.registry)]
    spoken = sum(one.actor != "tool" for one in captures)
    room = max(MIN_LINES, int(MAX_MESSAGE_SHARE * spoken))
    others = [one for one in passages if not one.candidate.is_cue and _is_above_floor(one, known.registry)]
    best = sorted(others, key=lambda one: -one.candidate.score)[:room]
    chosen = {(one.capture.id, one.candidate.span) for one in best}
    yield from filter(None, (_distilled_claim(capture, owner) for capture in captures))
    for one in passages:
        if one.candidate.is_cue or (one.capture.id, one.candidate.span) in chosen:
            yield make_claim(one, owner, known)


def speaker_of(capture: Capture, owner: str) -> str:
    """The name of who said a capture: that of the owner, or the one that the capture gives."""
    return str(capture.detail.get("speaker") or "") or (owner if capture.actor == "owner" else "")


def _find_passages(captures: tuple[Capture, ...]) -> Iterator[Passage]:
    before: Capture | None = None
    for capture in captures:
        if claims_something(capture):
            quoted = decode_spans(capture.detail.get("quoted"))
            question = _last_question(before, capture)
            named = is_person_name(str(capture.detail.get("speaker") or ""))
            min_score = MIN_TALK_SCORE if named else MIN_SCORE
            for candidate in find_candidates(capture.text, to_agent=not named):
                start, end = candidate.span
                if not any(first <= start and end <= last for first, last in quoted):
                    asked_in = before.id if before and question else ""
                    yield Passage(capture, candidate, min_score, question, asked_in)
        before = capture


def claims_something(capture: Capture) -> bool:
    """Whether a capture is somebody's own words; those that another memory distilled are taken as they are."""
    is_own = capture.actor in ("owner", "agent") and capture.origin not in ("untrusted", "quarantined")
    is_essay = capture.actor == "agent" and len(capture.text) > MAX_REPORT_CHARS
    return is_own and not is_essay and not capture.detail.get("echo") and _distilled(capture) is None


def _last_question(before: Capture | None, capture: Capture) -> str:
    """The last sentence of the capture before, if it is a question that another asked."""
    speakers = [(one.actor, one.detail.get("speaker")) for one in (before, capture) if one]
    if before is None or not claims_something(before) or speakers[0] == speakers[1]:
        return ""
    last = text.sanitize_line((text.split_sentences(before.text) or [""])[-1])
    return last if ends_in_question_mark(last) else ""


def _is_above_floor(passage: Passage, registry: KeyRegistry | None) -> bool:
    """Whether a sentence has the score. One that gives up a value for another needs less (`at four, not at three`), and
    so does a short one that gives a value of a key: `I live in Bern`."""
    score, sentence = passage.candidate.score, passage.capture.text[slice(*passage.candidate.span)]
    may_change = score >= passage.min_score - CHANGE_SCORE
    may_have_key = score >= MIN_KEY_SCORE and len(sentence) <= MAX_KEY_CHARS
    if score >= passage.min_score or not (may_change or may_have_key):
        return score >= passage.min_score
    statements = read_statements(sentence, LineContext(registry=registry, is_talk=True))
    is_change = may_change and any(one.given_up and not one.guard for one in statements)
    return is_change or (may_have_key and any(one.is_single_valued for one in statements))


def _may_claim(passage: Passage, registry: KeyRegistry | None) -> bool:
    if passage.capture.actor != "agent" or passage.candidate.claim_type in AGENT_TYPES:
        return True
    statements = read_statements(passage.capture.text[slice(*passage.candidate.span)], LineContext(registry=registry))
    return any(one.is_single_valued and any(map(str.isdigit, one.value)) for one in statements)


def make_claim(
    passage: Passage, owner: str, vocabulary: Vocabulary, category: Category | Literal[""] = ""
) -> ClaimRecord:
    """The claim of a candidate: whom it is about, its category, unless it is given, and the days when it holds."""
    capture, candidate = passage.capture, passage.candidate
    speaker = speaker_of(capture, owner)
    line, sources = complete_passage(passage, speaker)
    sentence = text.sanitize_line(capture.text[slice(*candidate.span)])
    statements = read_statements(sentence, LineContext(names=vocabulary.names, registry=vocabulary.registry))
    name = candidate.name or find_related_name(sentence)
    named_speaker = speaker if speaker != owner and is_person_name(speaker) else ""
    if not category and is_person_name(str(capture.detail.get("speaker") or "")):
        registry = vocabulary.registry or packaged_registry()
        category = candidate.category or ("person" if name else _categorize(sentence, statements, capture.ts, registry))
    elif not category:
        category = _categorize_for_agent(sentence, candidate.category, capture.ts)
    is_as_formed = category == candidate.category or candidate.attribute in MUST_NOT_EAT
    entity = name or _find_entity(sentence, statements, category, named_speaker)
    valid_from, valid_to = ("", "") if category == "event" else validity_days(sentence, capture.ts)
    seed = f"{capture.id}\0{candidate.span}"  # the same in every run, so that it is written once
    return ClaimRecord(
        id="c" + files.text_digest(seed)[:ID_CHARS],
        text=line,
        claim_type=candidate.claim_type,
        category=category,
        kind=KINDS.get(category, "world"),
        trust=capture.origin,
        actor=capture.actor,
        time=parse_timestamp(capture.ts),
        scope=capture.scope,
        session=capture.session,
        entity=entity,
        attribute=candidate.attribute if is_as_formed else "",
        entities=(entity,) if entity else (),
        confidence=CERTAIN if candidate.is_cue and candidate.score >= MIN_CERTAIN_SCORE else DEFAULT_CONFIDENCE,
        valid_from=valid_from,
        valid_to=valid_to,
        sources=sources,
        quote=sentence,
        sentence=sentence,
        speaker=speaker,
        said_by=named_speaker,
        is_talk=not is_written_statement(capture.text),
        must_keep=candidate.is_cue,
    )


def complete_passage(passage: Passage, speaker: str) -> tuple[str, tuple[str, ...]]:
    """A sentence as a line, if need be with the one before it or the question that it answers; and its captures."""
    capture, span = passage.capture, passage.candidate.span
    sentence, names = text.sanitize_line(capture.text[slice(*span)]), (speaker,) if speaker else ()
    alone = sentence, (capture.id,)
    if not is_unclear(sentence, names):
        return alone
    earlier = [one for one in sentence_spans(capture.text) if one[1] <= span[0]]
    before = text.sanitize_line(capture.text[slice(*earlier[-1])]) if earlier else ""
    is_told = before and not is_acknowledgement(before) and not ends_in_question_mark(before)
    lead = before if is_told else "" if before else passage.question
    line, sources = f"{lead} {sentence}", (capture.id,) if before else (capture.id, passage.asked_in)
    return (line, sources) if lead and len(line) <= MAX_PASSAGE_CHARS and not is_unclear(line, names) else alone


def _categorize(sentence: str, statements: tuple[Statement, ...], ts: str, registry: KeyRegistry) -> Category:
    """The category of a sentence without a cue, where its words are sure of one; else it is a fact."""
    if is_about_speaker(sentence):
        if "preference" in text.match_labels(sentence) and not when.find_time_phrases(sentence, parse_timestamp(ts)):
            return "preference"
    elif any((key := registry.definition(one.key)) and key.of_person for one in statements):
        return "person"
    else:  # a port, a path or another number that is no time
        values = [one.value for one in statements if one.is_single_valued and any(map(str.isdigit, one.value))]
        if not all(when.find_time_phrases(value, parse_timestamp(ts)) for value in values):
            return "tool"
    return _categorize_by_time(sentence, ts)


def _categorize_for_agent(sentence: str, formed: Category | Literal[""], ts: str) -> Category:
    """The likeliest category of what somebody tells an agent; what belongs into the log is one by its time."""
    if formed in LOGGED_CATEGORIES:
        return formed
    likely = find_category(category_features(sentence), formed)
    return _categorize_by_time(sentence, ts) if likely == "fact" else likely


def _categorize_by_time(sentence: str, ts: str) -> Category:
    """A plan or an event, if a sentence names a time of which it is known whether it is over; else a fact."""
    day = parse_timestamp(ts)
    before, after = (when.find_time_phrases(sentence, day, direction=one)[:1] for one in ("past", "future"))
    if not before or before != after:  # no time, or nobody knows whether it is over: `on Friday`
        return "fact"
    interval = before[0].interval
    return "plan" if interval.start > day else "event" if interval.end and interval.end <= day else "fact"


def _find_entity(sentence: str, statements: tuple[Statement, ...], category: Category, speaker: str) -> str:
    """Whom or what a sentence is about: the named speaker, its subject as it is written, if that is a name or the
    sentence is about a thing, or of a person the first word for a relation: `Mum`, `Schwester`."""
    if speaker and is_about_speaker(sentence):
        return speaker
    subject = next((one.subject for one in statements if one.subject), "")
    at = sentence.casefold().find(subject) if subject else -1
    is_thing = category in THING_CATEGORIES and subject.count(" ") < MAX_SUBJECT_WORDS
    if at >= 0 and is_thing and not is_about_speaker(subject):
        return sentence[at : at + len(subject)]
    named = (one for one in _find_names(sentence) if subject and text.name_key(one) in subject)
    name = bare_name(next(named, ""))
    if name or category != "person":
        return name
    relation = next((one for one in text.match_phrases(sentence) if one.label == "relation"), None)
    words = text.split_units(sentence)[relation.start : relation.end] if relation else []
    return ("" if words and words[0] >= text.FIRST_EAST_ASIAN_CHAR else " ").join(words).capitalize()


def _find_names(sentence: str) -> Iterator[str]:
    """The names in a sentence; a single word with which it begins is one if a verb in the present follows."""
    for match in _NAME.finditer(sentence):
        is_owner = match[0].endswith(("'s", "’s"))
        if match.start() or is_owner or " " in match[0] or _PRESENT_VERB.match(sentence, match.end()):
            yield match[0]


def validity_days(sentence: str, ts: str) -> tuple[str, str]:
    """The first day of what is said to hold since a time, and the last of what holds until one; where the day `ts` on
    which it was said is not known, only of a time that does not depend on it."""
    day = parse_timestamp(ts) if len(ts) >= len(REFERENCE_DAY) else ""
    found = when.find_time_phrases(sentence, day or REFERENCE_DAY, direction="future")
    phrases = [one for one in found if day or one.stated]
    starts = (one.interval.start[:10] for one in phrases if one.relation == "since")
    ends = (one.interval.last_day for one in phrases if one.relation == "until")
    return next(starts, ""), next(ends, "")


def _distilled(capture: Capture) -> Json | None:
    """What another memory says of a statement that it distilled; None for any other capture."""
    imported = capture.detail.get("import")
    is_distilled = isinstance(imported, dict) and imported.get("distilled")
    return imported if is_distilled and len(capture.text) <= MAX_DISTILLED_CHARS else None


def _distilled_claim(capture: Capture, owner: str) -> ClaimRecord | None:
    """The claim that another memory states, as it is."""
    imported, line = _distilled(capture), text.sanitize_line(capture.text)
    if imported is None or not line or capture.origin in ("untrusted", "quarantined") or capture.detail.get("echo"):
        return None
    given = imported.get("category")
    found = find_candidates(capture.text, to_agent=True)
    category: Category | Literal[""] = given if given in CATEGORIES else ""
    formed = found[0].category if found else ""
    sure = imported.get("confidence")
    confidence = float(sure) if isinstance(sure, int | float) and 0 <= sure <= 1 else DEFAULT_CONFIDENCE
    candidate = Candidate((0, len(capture.text)), "attribute", formed)
    claim = make_claim(Passage(capture, candidate), owner, Vocabulary(), category)
    entity = claim.entity or (owner if claim.category in OWNER_CATEGORIES else "")
    entities = (entity,) if entity else ()
    return structs.replace(claim, text=line, confidence=confidence, entity=entity, entities=entities, must_keep=True)
