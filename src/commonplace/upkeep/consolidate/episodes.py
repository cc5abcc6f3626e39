"""The captures of one interaction, the sentences that say most in it, and its episode file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice

from msgspec import Struct, structs

from commonplace.extract import is_unclear
from commonplace.language import text
from commonplace.model import ACTORS, TRUSTS, Capture, Record, Trust, least_trusted
from commonplace.shapes import Json
from commonplace.storage import files
from commonplace.storage.journal import Journal, parse_capture
from commonplace.storage.workspace import join_lines, parse_document, parse_timestamp, render_annotation, slugify
from commonplace.sync import decode_spans, own_words
from commonplace.truth import column_width, is_acknowledgement, is_transient_state
from commonplace.upkeep.consolidate.claim_record import DEFAULT_OWNER, ClaimRecord
from commonplace.upkeep.consolidate.claims import MAX_REPORT_CHARS
from commonplace.upkeep.consolidate.gate import grade_importance, is_chore

SESSION_PAUSE = timedelta(hours=6)  # after so long a pause another interaction begins, also within a session
MAX_INTERACTION_CAPTURES = 80  # captures of one interaction; the rest make another
DAY_CHARS = len("2025-11-27")

InteractionKey = tuple[str, str, str]  # session, day of what belongs to none, scope


class Interaction(Struct, frozen=True):
    """Captures of one session and scope, in order of time."""

    session: str
    scope: str
    captures: tuple[Capture, ...]

    @property
    def start(self) -> str:
        """The ISO time of its first capture."""
        return self.captures[0].ts


def read_interactions(
    journal: Journal, consolidated_ids: Container[str], *, ended_before: str = ""
) -> tuple[Interaction, ...]:
    """Return the interactions in the journal that are not consolidated, oldest first.

    With `ended_before`, an ISO minute, only those that ended before it. The notes of `retain`, which are in Markdown
    already, and private captures belong to none.
    """
    groups: dict[InteractionKey, list[Capture]] = {}
    for capture in _learnable_captures(journal, lambda fields: fields["id"] not in consolidated_ids):
        key = capture.session, "" if capture.session else capture.ts[:DAY_CHARS], capture.scope
        groups.setdefault(key, []).append(capture)
    interactions = [one for group in groups.values() for one in _split_at_pauses(group)]
    ended = [one for one in interactions if not ended_before or one.captures[-1].ts < ended_before]
    return tuple(sorted(ended, key=lambda one: (one.start, one.captures[0].id)))


def read_session_captures(journal: Journal, sessions: Container[str]) -> list[Capture]:
    """Return all captures of some sessions in the order of the journal, also the consolidated ones."""
    return list(_learnable_captures(journal, lambda fields: fields.get("session") in sessions))


def _learnable_captures(journal: Journal, is_wanted: Callable[[Json], bool]) -> Iterator[Capture]:
    """The captures that may be learned from; entries that cannot be read as captures are skipped."""
    for reading in journal.read_batches("captures"):
        for entry in reading.entries:
            detail = entry.fields.get("detail")
            is_withheld = isinstance(detail, dict) and (detail.get("kept") or detail.get("private"))
            if (
                is_wanted(entry.fields)
                and len(parse_timestamp(entry.fields["ts"])) >= DAY_CHARS
                and not is_withheld
                and entry.fields.get("actor") in ACTORS
                and entry.fields.get("origin") in TRUSTS
            ):
                yield _without_pastes(parse_capture(entry.fields))


def _without_pastes(capture: Capture) -> Capture:
    """The capture with its speaker's own words alone; one that is nothing but a paste is untrusted."""
    if not (pasted := capture.detail.get("pasted")):
        return capture
    words = own_words(capture.text, pasted)
    return structs.replace(capture, text=words) if words else structs.replace(capture, origin="untrusted")


def _split_at_pauses(captures: list[Capture]) -> Iterator[Interaction]:
    """The interactions of a session, which end at long pauses, and where one has too many captures for an episode."""
    captures = sorted(captures, key=lambda one: one.ts)  # stable: equal times in the order of the journal
    start = 0
    for at in range(1, len(captures) + 1):
        is_end = at == len(captures) or at - start >= MAX_INTERACTION_CAPTURES
        if not is_end and captures[at - 1].ts[:13] != captures[at].ts[:13]:  # not within an hour, as nearly always
            minutes = ((parse_timestamp(one.ts) + "T00:00")[:16] for one in captures[at - 1 : at + 1])
            earlier, later = map(datetime.fromisoformat, minutes)
            is_end = later - earlier > SESSION_PAUSE
        if is_end:
            yield Interaction(captures[0].session, captures[0].scope, tuple(captures[start:at]))
            start = at


MAX_DETAILS = 10
MIN_SENTENCE_COLUMNS, MAX_SENTENCE_COLUMNS = 24, 400
MAX_SUMMARY_CHARS = 240
QUESTION_MARKS = ("?", "？", "؟")

IsOwnSentence = Callable[[Capture, str], bool]


class EpisodeSentence(Struct, frozen=True):
    """A sentence as it was said, its capture, its value, and its speaker."""

    capture: Capture
    sentence: str
    score: float
    speaker: str = ""


def select_salient_sentences(
    interaction: Interaction, claims: Iterable[ClaimRecord], is_own: IsOwnSentence, owner: str = DEFAULT_OWNER
) -> tuple[EpisodeSentence, ...]:
    """Return the at most ten sentences of most value among those on which kept claims rest, in order, each once.

    Words of strangers, of tools and of echoes are left out. `is_own` decides whether a sentence is not copied from a
    stranger; `owner` is the name of the speaker where nobody is named.
    """
    quotes: dict[str, list[str]] = {}
    for claim in claims:
        for source in claim.sources:
            quotes.setdefault(source, []).append(text.sanitize_line(claim.quote))
    by_name: dict[str, EpisodeSentence] = {}
    for capture in filter(_is_summarizable, interaction.captures):
        kept, named = quotes.get(capture.id, ()), text.sanitize_line(str(capture.detail.get("speaker") or ""))
        speaker = named or (capture.agent or "Agent" if capture.actor == "agent" else owner)
        for sentence in _self_contained_sentences(capture, speaker) if kept else ():
            if any(quote in sentence or sentence in quote for quote in kept):
                language = text.detect_language(sentence)
                score = grade_importance(sentence, category="note", entities=(), language=language)
                by_name.setdefault(text.fold_name(sentence), EpisodeSentence(capture, sentence, score, speaker))
    order = sorted(by_name, key=lambda key: -by_name[key].score)
    best = set(islice((key for key in order if is_own(by_name[key].capture, by_name[key].sentence)), MAX_DETAILS))
    return tuple(one for key, one in by_name.items() if key in best)


def summarize_sentences(sentences: tuple[EpisodeSentence, ...]) -> tuple[str, tuple[EpisodeSentence, ...]]:
    """Return the one or two sentences of most value with their speakers, in order; and which they are."""
    best = sorted(range(len(sentences)), key=lambda at: -sentences[at].score)[:2]
    both = tuple(sentences[at] for at in sorted(best))
    whole = " ".join(f"{one.speaker}: {one.sentence}" for one in both)
    if len(whole) <= MAX_SUMMARY_CHARS:
        return whole, both
    first = sentences[best[0]]
    only = f"{first.speaker}: {first.sentence}"
    cut = only if len(only) <= MAX_SUMMARY_CHARS else only[: MAX_SUMMARY_CHARS - 1].rpartition(" ")[0] + "…"
    return cut, (first,)


def _is_summarizable(capture: Capture) -> bool:
    trusted = capture.origin in ("trusted", "unknown") and capture.actor in ("owner", "agent")
    is_essay = capture.actor == "agent" and len(capture.text) > MAX_REPORT_CHARS
    return trusted and not is_essay and capture.type == "message" and not capture.detail.get("echo")


def _self_contained_sentences(capture: Capture, speaker: str) -> Iterator[str]:
    """The sentences that can be understood by themselves, each with the one before it where that is needed."""
    quoted = " ".join(capture.text[start:end] for start, end in decode_spans(capture.detail.get("quoted")))
    before = ""
    for sentence in map(text.sanitize_line, text.split_sentences(capture.text)):
        passage = f"{before} {sentence}".strip() if is_unclear(sentence, (speaker,)) else sentence
        before = "" if is_acknowledgement(sentence) else sentence
        if (
            MIN_SENTENCE_COLUMNS <= column_width(passage) <= MAX_SENTENCE_COLUMNS
            and sentence not in quoted
            and not passage.endswith(QUESTION_MARKS)
            and not is_acknowledgement(passage)
            and not (is_chore(passage) or is_transient_state(passage) or is_unclear(passage, (speaker,)))
        ):
            yield passage


EPISODES_FOLDER = "memory/episodes"
MAX_SLUG_CHARS = 50
PATH_DIGEST_CHARS = 8  # of the digest of its first capture, which distinguishes two of one second
MAX_TAGS = 7
MAX_PARTICIPANTS = 12
CONFIDENCE_BY_TRUST: dict[Trust, str] = {
    "trusted": "high",
    "unknown": "medium",
    "untrusted": "low",
    "quarantined": "low",
}


class Episode(Struct, frozen=True):
    """An episode file to write: its records, as the parser reads them, and the trust of its summary."""

    path: str
    data: bytes
    summary: str
    trust: Trust
    records: tuple[Record, ...]


def build_episode(
    interaction: Interaction, sentences: tuple[EpisodeSentence, ...], vocabulary: Container[str] = ()
) -> Episode | None:
    """Return the episode of an interaction; None without sentences."""
    if not sentences:
        return None
    line, summarized = summarize_sentences(sentences)
    summary = join_lines(line)
    trust = least_trusted(*(one.capture.origin for one in summarized))
    front: dict[str, object] = {
        "timestamp": _iso_second(interaction.start),
        "participants": list(dict.fromkeys(join_lines(one.speaker) for one in sentences))[:MAX_PARTICIPANTS],
        "confidence": CONFIDENCE_BY_TRUST[trust],
        "source": list(dict.fromkeys(one.capture.id for one in summarized)),
    }
    optional = {"project": interaction.scope, "tags": _most_frequent_tags(sentences, vocabulary)}
    stamp = _iso_second(interaction.start).replace("T", "_").replace(":", "-")
    words = slugify(summary.replace(".", " "))[:MAX_SLUG_CHARS].rstrip("-._")
    digest = files.text_digest(interaction.captures[0].id)[:PATH_DIGEST_CHARS]  # it distinguishes two of one second
    path = f"{EPISODES_FOLDER}/{stamp}_{words}-{digest}.md"
    data = _render_episode(summary, front | {key: value for key, value in optional.items() if value}, sentences)
    return Episode(path, data, summary, trust, parse_document(path, data).records)


def _render_episode(summary: str, front_matter: dict[str, object], sentences: tuple[EpisodeSentence, ...]) -> bytes:
    """Return the file; the summary is a block, in which it needs no quotes and is read as it was said."""
    import yaml

    rest = yaml.safe_dump(front_matter, allow_unicode=True, sort_keys=False, width=10_000, default_flow_style=None)
    head = f"summary: >-\n  {summary}\n{rest}"
    details = "\n".join(map(_render_detail_line, sentences))
    return f"---\n{head}---\n\n**Details:**\n\n{details}\n".encode()


def _render_detail_line(detail: EpisodeSentence) -> str:
    """Return `- 13:56 Caroline: …`: a line of dialogue with the id of its capture."""
    capture = detail.capture
    origin = "" if capture.origin == "trusted" else capture.origin
    record_id = "e" + files.text_digest(f"{capture.id}\0{detail.sentence}")[:14]
    annotation = render_annotation({"id": record_id, "origin": origin, "from": (capture.id,)})
    words = f"{join_lines(detail.speaker)}: {join_lines(detail.sentence)}"
    return f"- {_iso_second(capture.ts)[11:16]} {words} {annotation}"


def _iso_second(ts: str) -> str:
    """Return an ISO time to the second without its zone; for a mere date its first second."""
    seconds = ts[16:19] if ts[16:17] == ":" and ts[17:19].isdigit() else ":00"
    return (parse_timestamp(ts) + "T00:00")[:16] + seconds


def _most_frequent_tags(sentences: tuple[EpisodeSentence, ...], vocabulary: Container[str]) -> list[str]:
    """Return the tags of the vocabulary that occur in the details, most frequent first."""
    counts: Counter[str] = Counter()
    for one in sentences:
        line = "".join(char if char.isalnum() or char == "-" else " " for char in text.fold_name(one.sentence))
        counts.update({tag for word in line.split() if (tag := word.strip("-")) in vocabulary})
    return sorted(counts, key=lambda tag: (-counts[tag], tag))[:MAX_TAGS]
