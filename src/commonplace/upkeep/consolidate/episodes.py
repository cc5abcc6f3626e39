"""The episode of an interaction: its title and summary, the sentences that say most in it, and its file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from itertools import islice
from types import MappingProxyType

from msgspec import Struct

from commonplace.extract.clarity import is_unclear
from commonplace.extract.features import KnownNames, RarityOf, TopicSentence, choose_topics
from commonplace.language import text
from commonplace.model import Capture, Record, Trust, least_trusted
from commonplace.storage import files
from commonplace.storage.workspace import join_lines, parse_document, parse_timestamp, render_annotation, slugify
from commonplace.sync import decode_spans
from commonplace.truth import column_width, is_acknowledgement, is_transient_state
from commonplace.upkeep.consolidate.claim_record import DEFAULT_OWNER, ClaimRecord
from commonplace.upkeep.consolidate.claims import MAX_REPORT_CHARS
from commonplace.upkeep.consolidate.duplicates import SAME_START_WORDS
from commonplace.upkeep.consolidate.gate import grade_importance, is_chore
from commonplace.upkeep.consolidate.history import Interaction

MAX_DETAILS = 10
MIN_SENTENCE_COLUMNS, MAX_SENTENCE_COLUMNS = 24, 400
QUESTION_MARKS = ("?", "？", "؟")

IsOwnSentence = Callable[[Capture, str], bool]


class EpisodeSentence(Struct, frozen=True):
    """A sentence as it was said, if need be with others around it; its capture, value, speaker and subjects."""

    capture: Capture
    sentence: str
    score: float
    speaker: str = ""
    subjects: tuple[str, ...] = ()

    @property
    def spoken(self) -> str:
        """`Speaker: sentence`, on one line."""
        return f"{join_lines(self.speaker)}: {join_lines(self.sentence)}"


def select_salient_sentences(
    interaction: Interaction, claims: Iterable[ClaimRecord], is_own: IsOwnSentence, owner: str = DEFAULT_OWNER
) -> tuple[EpisodeSentence, ...]:
    """The at most ten sentences of most value among those on which kept claims rest, in order, each once; of those that
    begin with the same eight words the best. Words of strangers, of tools and of echoes are left out, and what `is_own`
    refuses, such as a stranger's copied sentence; `owner` speaks where nobody is named."""
    quotes: dict[str, list[str]] = {}
    subjects: dict[str, list[str]] = {}
    for claim in claims:
        for source in claim.sources:
            quotes.setdefault(source, []).append(text.sanitize_line(claim.quote))
            subjects.setdefault(source, []).extend((claim.entity,) if claim.entity else ())
    found: list[EpisodeSentence] = []
    earlier: set[str] = set()
    for capture in filter(_is_summarizable, interaction.captures):
        speaker = _speaker_of(capture, owner)
        for passage in _kept_passages(capture, speaker, quotes.get(capture.id, []), earlier):
            if is_own(capture, passage):
                language = text.detect_language(passage)
                score = grade_importance(passage, category="note", entities=(), language=language)
                found.append(EpisodeSentence(capture, passage, score, speaker, tuple(subjects[capture.id])))
    by_start: dict[str, int] = {}
    for at in sorted(range(len(found)), key=lambda at: -found[at].score):
        by_start.setdefault(" ".join(text.fold_name(found[at].sentence).split()[:SAME_START_WORDS]), at)
    return tuple(found[at] for at in sorted(islice(by_start.values(), MAX_DETAILS)))


def _is_summarizable(capture: Capture) -> bool:
    trusted = capture.origin in ("trusted", "unknown") and capture.actor in ("owner", "agent")
    is_essay = capture.actor == "agent" and len(capture.text) > MAX_REPORT_CHARS
    return trusted and not is_essay and capture.type == "message" and not capture.detail.get("echo")


def _speaker_of(capture: Capture, owner: str) -> str:
    named = text.sanitize_line(str(capture.detail.get("speaker") or ""))
    return named or (capture.agent or "Agent" if capture.actor == "agent" else owner)


def _own_sentences(capture: Capture) -> list[str]:
    """The sentences of a capture, each on one line; those that it quotes are empty."""
    quoted = " ".join(capture.text[start:end] for start, end in decode_spans(capture.detail.get("quoted")))
    sentences = map(text.sanitize_line, text.split_sentences(capture.text))
    return ["" if sentence in quoted else sentence for sentence in sentences]


def _kept_passages(capture: Capture, speaker: str, quotes: list[str], earlier: set[str]) -> list[str]:
    """The sentences on which the claims with these quotes rest, each with the one before it where it needs that, and
    the next one if that goes on about it. No sentence is in two passages: `earlier` has those of other captures."""
    sentences = _own_sentences(capture) if quotes else []
    passages: list[list[str]] = []
    last, is_last_kept = -1, False  # the sentence that the last passage ends with
    for at, sentence in enumerate(sentences):
        is_kept = any(quote in sentence or sentence in quote for quote in quotes)
        hangs = bool(at) and is_unclear(sentence, (speaker,))
        goes_on = hangs and last == at - 1 and (is_kept or (is_last_kept and not is_acknowledgement(sentence)))
        if not (sentence and (is_kept or goes_on)) or text.fold_name(sentence) in earlier:
            continue
        before = passages[-1] if goes_on else [sentences[at - 1]] if hangs else []
        if not goes_on and any(is_acknowledgement(line) or text.fold_name(line) in earlier for line in before):
            before = []
        if _is_self_contained(" ".join((*before, sentence)).strip(), speaker):
            passages[len(passages) - goes_on :] = [[*before, sentence]]
            earlier.update(map(text.fold_name, (*before, sentence)))
            last, is_last_kept = at, is_kept
    return [" ".join(filter(None, passage)) for passage in passages]


def _is_self_contained(passage: str, speaker: str) -> bool:
    return (
        MIN_SENTENCE_COLUMNS <= column_width(passage) <= MAX_SENTENCE_COLUMNS
        and not passage.endswith(QUESTION_MARKS)
        and not is_acknowledgement(passage)
        and not (is_chore(passage) or is_transient_state(passage) or is_unclear(passage, (speaker,)))
    )


MAX_SENTENCES_READ = 60  # of a message, for its topics


def find_topics(
    interaction: Interaction, sentences: tuple[EpisodeSentence, ...], is_own: IsOwnSentence, rarity_of: RarityOf
) -> tuple[str, ...]:
    """The at most three phrases that name best what people talk about, in their words; what an agent says counts only
    where the episode tells it."""
    told = "\n".join(one.sentence for one in sentences)
    captures = list(filter(_is_summarizable, interaction.captures))
    topical = [
        TopicSentence(capture.id, sentence, sentence in told)
        for capture in captures
        for sentence in filter(None, _own_sentences(capture)[:MAX_SENTENCES_READ])
        if sentence in told or (capture.actor == "owner" and is_own(capture, sentence))
    ]
    speakers = dict.fromkeys(filter(None, (_speaker_of(capture, "") for capture in captures)))
    subjects = dict.fromkeys(subject for one in sentences for subject in one.subjects if subject not in speakers)
    return choose_topics(topical, KnownNames(tuple(speakers), tuple(subjects)), rarity_of)


MAX_TITLE_COLUMNS, MAX_SUMMARY_CHARS, MAX_SUMMARY_SENTENCES = 70, 240, 2
MAX_TITLE_NAMES = 3
SENTENCES_FOR_TWO, TOPIC_GAIN = 6, 0.15  # of so many sentences two are the summary


class EpisodeHeadline(Struct, frozen=True):
    """A title, and a summary that rests on these sentences; `topics` are phrases of the title, for tags. Sentences that
    the summary quotes whole are left out of the details."""

    title: str
    summary: str
    sources: tuple[EpisodeSentence, ...]
    topics: tuple[str, ...] = ()


def make_headline(
    interaction: Interaction, sentences: tuple[EpisodeSentence, ...], topics: tuple[str, ...] = ()
) -> EpisodeHeadline:
    """A headline without a word of ours: who speaks and about what, and the sentences of most value."""
    summarized = choose_summary(sentences, topics)
    summary = _join_spoken(summarized)
    if len(summary) > MAX_SUMMARY_CHARS:
        summary = summary[: MAX_SUMMARY_CHARS - 1].rpartition(" ")[0] + "…"
    names = list(dict.fromkeys(_speaker_of(one, "") for one in interaction.captures if one.actor == "owner"))
    names = [join_lines(name) for name in names if name][:MAX_TITLE_NAMES]
    lead = f"{', '.join(names)}: " if len(names) > 1 else ""
    title = lead
    for topic in topics:
        longer = f"{title}, {topic}" if title != lead else f"{title}{topic}"
        title = longer if column_width(longer) <= MAX_TITLE_COLUMNS else title
    if title == lead:
        title = join_lines(summarized[0].sentence)
        while column_width(title) > MAX_TITLE_COLUMNS:  # by words; in a script without spaces by characters
            title = (title[:-1].rpartition(" ")[0] or title[:-2]).rstrip(" …,;:") + "…"
    return EpisodeHeadline(title, summary, summarized, topics)


def choose_summary(sentences: tuple[EpisodeSentence, ...], topics: tuple[str, ...] = ()) -> tuple[EpisodeSentence, ...]:
    """What is of most value among what is short enough for a summary, of many the best two, in order; the best of all
    if nothing is short. A sentence gains by each of the topics that it names."""
    lines = [one.sentence.casefold() for one in sentences]
    named = [sum(topic.casefold() in line for topic in topics) for line in lines]
    order = sorted(range(len(sentences)), key=lambda at: -sentences[at].score - TOPIC_GAIN * named[at])
    best = [sentences[at] for at in order]
    short = [one for one in best if _is_short((one,))]
    both = tuple(one for one in sentences if one in short[:2])
    if len(sentences) >= SENTENCES_FOR_TWO and _is_short(both):
        return both
    return tuple((short or best)[:1])


def _is_short(sentences: tuple[EpisodeSentence, ...]) -> bool:
    summary = _join_spoken(sentences)
    return len(summary) <= MAX_SUMMARY_CHARS and len(text.split_sentences(summary)) <= MAX_SUMMARY_SENTENCES


def _join_spoken(sentences: tuple[EpisodeSentence, ...]) -> str:
    return " ".join(one.spoken for one in sentences)


EPISODES_FOLDER = "memory/episodes"
MAX_SLUG_CHARS = 50
PATH_DIGEST_CHARS = 8  # of the digest of its first capture, which distinguishes two of one second
STAMP_CHARS = len("2025-11-24_09-00-00")
MAX_TAGS = 7
MAX_PARTICIPANTS = 12
CONFIDENCE_BY_TRUST: dict[Trust, str] = {"trusted": "high", "unknown": "medium"}  # of all others low


class Episode(Struct, frozen=True):
    """An episode file to write: its records, as the parser reads them, and the trust of its summary."""

    path: str
    data: bytes
    title: str
    summary: str
    trust: Trust
    records: tuple[Record, ...]


def build_episode(
    interaction: Interaction,
    sentences: tuple[EpisodeSentence, ...],
    headline: EpisodeHeadline,
    *,
    vocabulary: Container[str] = (),
    written_paths: Mapping[str, str] = MappingProxyType({}),
) -> Episode:
    """The episode of an interaction. `written_paths` has the files of earlier runs by their `episode_key`."""
    title, summary = join_lines(headline.title), join_lines(headline.summary)
    trust = least_trusted(*(one.capture.origin for one in headline.sources))
    sources = tuple(dict.fromkeys(one.capture.id for one in headline.sources))
    timestamp = _iso_second(interaction.captures[0].ts)
    front: dict[str, object] = {
        "title": title,
        "timestamp": timestamp,
        "participants": list(dict.fromkeys(join_lines(one.speaker) for one in sentences))[:MAX_PARTICIPANTS],
        "tags": _choose_tags(sentences, headline.topics, vocabulary),
        "confidence": CONFIDENCE_BY_TRUST.get(trust, "low"),
        "source": list(sources),
        "project": interaction.scope,
    }
    details = [_render_detail_line(one, sources) for one in sentences if one.spoken not in summary]
    data = _render_episode({key: value for key, value in front.items() if value}, summary, details)
    stamp = timestamp.replace("T", "_").replace(":", "-")
    slug = slugify(title.replace(".", " "))[:MAX_SLUG_CHARS].rstrip("-._")
    path = f"{EPISODES_FOLDER}/{stamp}_{slug}-{files.text_digest(interaction.captures[0].id)[:PATH_DIGEST_CHARS]}.md"
    path = written_paths.get(episode_key(path), path)
    return Episode(path, data, title, summary, trust, parse_document(path, data).records)


def episode_key(path: str) -> str:
    """Return what an episode's path keeps if its title changes: its second, and a digest of its first capture."""
    name = path.rpartition("/")[2].removesuffix(".md")
    return name[:STAMP_CHARS] + name[-PATH_DIGEST_CHARS:]


def read_written_paths(root: str) -> dict[str, str]:
    """Return the paths of the episodes of a workspace by their `episode_key`."""
    paths = (f"{EPISODES_FOLDER}/{name}" for name in sorted(files.list_file_sizes(root, EPISODES_FOLDER)))
    return {episode_key(path): path for path in paths}


def _render_episode(front_matter: dict[str, object], summary: str, details: list[str]) -> bytes:
    """The file, whose front matter begins with the title; the summary is a block, in which it needs no quotes."""
    import yaml

    rest = yaml.safe_dump(front_matter, allow_unicode=True, sort_keys=False, width=10_000, default_flow_style=None)
    title, _, rest = rest.partition("\n")
    page = f"---\n{title}\nsummary: >-\n  {summary}\n{rest}---\n"
    return (page + ("\n**Details:**\n\n" + "\n".join(details) + "\n" if details else "")).encode()


def _render_detail_line(detail: EpisodeSentence, default_sources: tuple[str, ...]) -> str:
    """Return `- 13:56 Caroline: …`: a line of dialogue with the id of its capture."""
    capture = detail.capture
    annotation = {
        "id": "e" + files.text_digest(f"{capture.id}\0{detail.sentence}")[:14],
        "origin": "" if capture.origin == "trusted" else capture.origin,
        "from": (capture.id,) if default_sources != (capture.id,) else (),
    }
    return f"- {_iso_second(capture.ts)[11:16]} {detail.spoken} {render_annotation(annotation)}"


def _iso_second(ts: str) -> str:
    """Return an ISO time to the second without its zone; for a mere date its first second."""
    seconds = ts[16:19] if ts[16:17] == ":" and ts[17:19].isdigit() else ":00"
    return (parse_timestamp(ts) + "T00:00")[:16] + seconds


def _choose_tags(
    sentences: tuple[EpisodeSentence, ...], topics: tuple[str, ...], vocabulary: Container[str]
) -> list[str]:
    """The tags of the vocabulary that the sentences have, most frequent first, and then the topics, with hyphens."""
    counts = Counter(tag for one in sentences for tag in {*_tag_words(one.sentence)} if tag in vocabulary)
    listed = sorted(counts, key=lambda tag: (-counts[tag], tag))
    named = ("-".join(word for word in _tag_words(topic) if word.replace("-", "").isalpha()) for topic in topics)
    return list(dict.fromkeys((*listed, *filter(None, named))))[:MAX_TAGS]


def _tag_words(line: str) -> list[str]:
    """The words of a line in lower case, without apostrophes, with the hyphens in them."""
    bare = line.casefold().replace("'", "").replace("’", "")
    folded = "".join(char if char.isalnum() or char == "-" else " " for char in bare)
    return [tag for word in folded.split() if (tag := word.strip("-"))]
