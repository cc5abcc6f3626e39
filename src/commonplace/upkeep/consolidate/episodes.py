"""The captures of one interaction, the sentences that say most in it, and its episode file."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, cast

from msgspec import Struct

from commonplace.extract.clarity import is_unclear
from commonplace.language import text
from commonplace.model import ACTORS, TRUSTS, Actor, Capture, CaptureType, Record, Trust, least_trusted
from commonplace.storage import files
from commonplace.storage.journal import Journal
from commonplace.storage.workspace import parse_document
from commonplace.storage.workspace.annotations import join_lines, render_annotation
from commonplace.storage.workspace.paths import slugify
from commonplace.storage.workspace.timestamps import parse_timestamp
from commonplace.sync.journals import decode_spans
from commonplace.upkeep.consolidate.candidates import column_width, is_acknowledgement, is_chore, is_transient_state
from commonplace.upkeep.consolidate.claims import DEFAULT_OWNER, MAX_REPORT_CHARS, RecordDraft
from commonplace.upkeep.consolidate.gate import grade_importance

SESSION_PAUSE = timedelta(hours=6)  # after so long a pause something else begins, also within a session
MAX_INTERACTION_CAPTURES = 80  # captures of one interaction; a longer one goes on in the next
DAY_CHARS = len("2025-11-27")

Json = dict[str, Any]
InteractionKey = tuple[str, str, str]  # session, day of what belongs to none, scope


class Interaction(Struct, frozen=True):
    """One interaction: captures of one session and scope, in order of time."""

    session: str
    scope: str
    captures: tuple[Capture, ...]

    @property
    def start(self) -> str:
        """When it began: an ISO time."""
        return self.captures[0].ts


def read_interactions(
    journal: Journal, consolidated_ids: Container[str], *, ended_before: str = ""
) -> tuple[Interaction, ...]:
    """The interactions in the journal that are not consolidated, oldest first.

    With `ended_before`, an ISO minute, one that went on after it waits for the next time. What stands in Markdown
    already (notes of `retain`) and what its author keeps private is no part of any.
    """
    groups: dict[InteractionKey, list[Capture]] = {}
    for reading in journal.read_batches("captures"):
        for entry in reading.entries:
            if entry.fields["id"] not in consolidated_ids and _is_learnable_capture(entry.fields):
                capture = _capture_from_fields(entry.fields)
                groups.setdefault(_interaction_key(capture), []).append(capture)
    found = [interaction for group in groups.values() for interaction in _split_at_pauses(group)]
    ended = [interaction for interaction in found if not ended_before or interaction.captures[-1].ts < ended_before]
    return tuple(sorted(ended, key=lambda unit: (unit.start, unit.captures[0].id)))


def read_session_captures(journal: Journal, sessions: Container[str]) -> list[Capture]:
    """All captures of some sessions as they were journalled, also those that are done."""
    found = (entry.fields for reading in journal.read_batches("captures") for entry in reading.entries)
    return [
        _capture_from_fields(fields)
        for fields in found
        if fields.get("session") in sessions and _is_learnable_capture(fields)
    ]


def _is_learnable_capture(fields: Json) -> bool:
    """Whether a line is a capture that may be learned from; what cannot be read as one is passed over."""
    detail = fields.get("detail")
    held_back = isinstance(detail, dict) and (detail.get("kept") or detail.get("private"))
    dated = len(parse_timestamp(fields["ts"])) >= DAY_CHARS
    return dated and not held_back and fields.get("actor") in ACTORS and fields.get("origin") in TRUSTS


def _capture_from_fields(fields: Json) -> Capture:
    detail, sources = fields.get("detail"), fields.get("from")
    return Capture(
        id=fields["id"],
        ts=fields["ts"],
        type=cast("CaptureType", fields.get("type") or "message"),
        actor=cast("Actor", fields["actor"]),
        text=str(fields.get("text") or ""),
        session=str(fields.get("session") or ""),
        agent=str(fields.get("agent") or ""),
        scope=str(fields.get("scope") or ""),
        origin=cast("Trust", fields["origin"]),
        detail=detail if isinstance(detail, dict) else {},
        from_=tuple(map(str, sources)) if isinstance(sources, list) else (),
    )


def _interaction_key(capture: Capture) -> InteractionKey:
    return capture.session, "" if capture.session else capture.ts[:DAY_CHARS], capture.scope


def _split_at_pauses(captures: list[Capture]) -> Iterator[Interaction]:
    """A session where it paused for long, or became too long for one episode."""
    captures = sorted(captures, key=lambda one: one.ts)  # stable: equal times as journalled
    start = 0
    for at in range(1, len(captures) + 1):
        if (
            at == len(captures)
            or at - start >= MAX_INTERACTION_CAPTURES
            or _is_session_pause(captures[at - 1].ts, captures[at].ts)
        ):
            yield Interaction(captures[0].session, captures[0].scope, tuple(captures[start:at]))
            start = at


def _is_session_pause(earlier: str, later: str) -> bool:
    if earlier[:13] == later[:13]:  # within an hour, as nearly always
        return False
    return _parse_minute(later) - _parse_minute(earlier) > SESSION_PAUSE


def _parse_minute(ts: str) -> datetime:
    return datetime.fromisoformat((parse_timestamp(ts) + "T00:00")[:16])


MAX_DETAILS = 10
MIN_SENTENCE_COLUMNS, MAX_SENTENCE_COLUMNS = 24, 400
TOPIC_WEIGHT = 0.3  # worth that it has at most for speaking of what the whole interaction speaks of
MAX_SUMMARY_CHARS = 240
QUESTION_MARKS = ("?", "？", "؟")

IsOwnSentence = Callable[[Capture, str], bool]


class EpisodeSentence(Struct, frozen=True):
    """A sentence as it was said, in which capture, what it is worth, and who said it."""

    capture: Capture
    sentence: str
    score: float
    speaker: str = ""


def select_salient_sentences(
    interaction: Interaction, drafts: Iterable[RecordDraft], is_own: IsOwnSentence, owner: str = DEFAULT_OWNER
) -> tuple[EpisodeSentence, ...]:
    """The sentences on which what is kept rests, in order, each once, at most ten: those that say most.

    Nothing of what strangers, tools and echoes say. `is_own` tells whether a sentence is no stranger's; `owner`
    is the name of who speaks where nobody is named.
    """
    quotes: dict[str, list[str]] = {}
    for draft in drafts:
        for source in draft.sources:
            quotes.setdefault(source, []).append(text.sanitize_line(draft.quote))
    heard = [capture for capture in interaction.captures if _is_summarizable(capture)]
    common = _weigh_topic_words(sentence for capture in heard for sentence in _split_capture_sentences(capture))
    found: dict[str, EpisodeSentence] = {}
    for capture in heard:
        kept, speaker = quotes.get(capture.id, ()), _speaker_name(capture, owner)
        for sentence in _self_contained_sentences(capture, speaker) if kept else ():
            if any(quote in sentence or sentence in quote for quote in kept):
                said = EpisodeSentence(capture, sentence, _score_sentence(sentence, common), speaker)
                found.setdefault(text.fold_name(sentence), said)
    order = sorted(found, key=lambda key: -found[key].score)
    best = set(islice((key for key in order if is_own(found[key].capture, found[key].sentence)), MAX_DETAILS))
    return tuple(one for key, one in found.items() if key in best)


def summarize_sentences(sentences: tuple[EpisodeSentence, ...]) -> tuple[str, tuple[EpisodeSentence, ...]]:
    """The one or two sentences that say most, in order, with their speakers; and which they are."""
    best = sorted(range(len(sentences)), key=lambda at: -sentences[at].score)[:2]
    both = tuple(sentences[at] for at in sorted(best))
    whole = " ".join(f"{one.speaker}: {one.sentence}" for one in both)
    if len(whole) <= MAX_SUMMARY_CHARS:
        return whole, both
    first = sentences[best[0]]
    only = f"{first.speaker}: {first.sentence}"
    cut = only if len(only) <= MAX_SUMMARY_CHARS else only[: MAX_SUMMARY_CHARS - 1].rpartition(" ")[0] + "…"
    return cut, (first,)


def _speaker_name(capture: Capture, owner: str) -> str:
    named = text.sanitize_line(str(capture.detail.get("speaker") or ""))
    return named or capture.agent or "Agent" if capture.actor == "agent" else named or owner


def _is_summarizable(capture: Capture) -> bool:
    trusted = capture.origin in ("trusted", "unknown") and capture.actor in ("owner", "agent")
    is_essay = capture.actor == "agent" and len(capture.text) > MAX_REPORT_CHARS
    return trusted and not is_essay and capture.type == "message" and not capture.detail.get("echo")


def _split_capture_sentences(capture: Capture) -> Iterator[str]:
    for sentence in text.split_sentences(capture.text):
        said = text.sanitize_line(sentence)
        if MIN_SENTENCE_COLUMNS <= column_width(said) <= MAX_SENTENCE_COLUMNS:
            yield said


def _self_contained_sentences(capture: Capture, speaker: str) -> Iterator[str]:
    """The sentences that may be told, each with the one before it where it is not clear by itself."""
    quoted = " ".join(capture.text[start:end] for start, end in decode_spans(capture.detail.get("quoted")))
    before = ""
    for sentence in map(text.sanitize_line, text.split_sentences(capture.text)):
        said = f"{before} {sentence}".strip() if is_unclear(sentence, (speaker,)) else sentence
        before = "" if is_acknowledgement(sentence) else sentence
        if (
            MIN_SENTENCE_COLUMNS <= column_width(said) <= MAX_SENTENCE_COLUMNS
            and sentence not in quoted
            and _is_reportable(said, speaker)
        ):
            yield said


def _is_reportable(sentence: str, speaker: str) -> bool:
    if sentence.endswith(QUESTION_MARKS) or is_acknowledgement(sentence):
        return False
    return not (is_chore(sentence) or is_transient_state(sentence) or is_unclear(sentence, (speaker,)))


def _score_sentence(sentence: str, topic_weights: dict[str, float]) -> float:
    own = text.detect_language(sentence)
    words = {word for word in text.tokenize(sentence, own) if not text.is_stop_word(word, own)}
    shared = sum(topic_weights.get(word, 0.0) for word in words) / max(len(words), 1)
    graded = grade_importance(sentence, category="note", entities=(), language=own).score
    return round(graded + TOPIC_WEIGHT * min(shared, 1.0), 4)


def _weigh_topic_words(sentences: Iterable[str]) -> dict[str, float]:
    """How much each word is what the interaction is about: 0 for a word said once, up to 1."""
    counts: Counter[str] = Counter()
    for sentence in sentences:
        own = text.detect_language(sentence)
        counts.update({word for word in text.tokenize(sentence, own) if not text.is_stop_word(word, own)})
    most = math.log(max(counts.values(), default=1)) or 1.0
    return {word: math.log(count) / most for word, count in counts.items() if count > 1}


EPISODES_FOLDER = "memory/episodes"
MAX_SLUG_CHARS = 50
PATH_DIGEST_CHARS = 8  # of the digest of its first capture, by which two of one second are told apart
MAX_TAGS = 7
MAX_PARTICIPANTS = 12
CONFIDENCE_BY_TRUST: dict[Trust, str] = {
    "trusted": "high",
    "unknown": "medium",
    "untrusted": "low",
    "quarantined": "low",
}


class Episode(Struct, frozen=True):
    """An episode file to be: its records, as the parser reads them, and how far its summary is trusted."""

    path: str
    data: bytes
    summary: str
    trust: Trust
    records: tuple[Record, ...]

    def record_trust(self, record: Record) -> Trust:
        """How far one of its records is trusted; the summary no further than the least of what it tells."""
        return self.trust if record.form == "summary" else record.trust


def build_episode(
    interaction: Interaction, sentences: tuple[EpisodeSentence, ...], vocabulary: Container[str] = ()
) -> Episode | None:
    """The episode of an interaction; None if nothing in it is worth telling again."""
    if not sentences:
        return None
    written, told = summarize_sentences(sentences)
    summary = join_lines(written)
    trust = least_trusted(*(one.capture.origin for one in told))
    front: dict[str, object] = {
        "timestamp": _iso_second(interaction.start),
        "participants": list(dict.fromkeys(join_lines(one.speaker) for one in sentences))[:MAX_PARTICIPANTS],
        "confidence": CONFIDENCE_BY_TRUST[trust],
        "source": list(dict.fromkeys(one.capture.id for one in told)),
    }
    optional = {"project": interaction.scope, "tags": _most_said_tags(sentences, vocabulary)}
    path = _episode_path(interaction, summary)
    data = _render_episode(summary, front | {key: value for key, value in optional.items() if value}, sentences)
    return Episode(path, data, summary, trust, parse_document(path, data).records)


def _render_episode(summary: str, front_matter: dict[str, object], sentences: tuple[EpisodeSentence, ...]) -> bytes:
    """The file; the summary stands in a block, where it needs no quotes and is read as it was said."""
    import yaml

    rest = yaml.safe_dump(front_matter, allow_unicode=True, sort_keys=False, width=10_000, default_flow_style=None)
    head = f"summary: >-\n  {summary}\n{rest}"
    details = "\n".join(map(_render_detail_line, sentences))
    return f"---\n{head}---\n\n**Details:**\n\n{details}\n".encode()


def _render_detail_line(detail: EpisodeSentence) -> str:
    """`- 13:56 Caroline: …`: a line of dialogue with its capture."""
    capture = detail.capture
    made = f"{capture.id}\0{detail.sentence}".encode("utf-8", "surrogatepass")
    origin = "" if capture.origin == "trusted" else capture.origin
    note = {"id": "e" + files.content_digest(made)[:14], "origin": origin, "from": (capture.id,)}
    spoken = f"{join_lines(detail.speaker)}: {join_lines(detail.sentence)}"
    return f"- {_iso_second(capture.ts)[11:16]} {spoken} {render_annotation(note)}"


def _iso_second(ts: str) -> str:
    """An ISO time to the second, its zone cut off; a mere date is its first."""
    seconds = ts[16:19] if ts[16:17] == ":" and ts[17:19].isdigit() else ":00"
    return (parse_timestamp(ts) + "T00:00")[:16] + seconds


def _episode_path(interaction: Interaction, summary: str) -> str:
    """By the time and what it says; the digest of its first capture tells it from another of the same second."""
    stamp = _iso_second(interaction.start).replace("T", "_").replace(":", "-")
    words = slugify(summary.replace(".", " "))[:MAX_SLUG_CHARS].rstrip("-._")
    mark = files.content_digest(interaction.captures[0].id.encode("utf-8", "surrogatepass"))[:PATH_DIGEST_CHARS]
    return f"{EPISODES_FOLDER}/{stamp}_{words}-{mark}.md"


def _most_said_tags(sentences: tuple[EpisodeSentence, ...], vocabulary: Container[str]) -> list[str]:
    """The words of the frozen vocabulary that the details say, most said first."""
    words = (word for one in sentences for word in set(_tag_words(one.sentence)))
    counts = Counter(word for word in words if word in vocabulary)
    return sorted(counts, key=lambda word: (-counts[word], word))[:MAX_TAGS]


def _tag_words(sentence: str) -> list[str]:
    kept = (char if char.isalnum() or char == "-" else " " for char in text.fold_name(sentence))
    return [word.strip("-") for word in "".join(kept).split()]
