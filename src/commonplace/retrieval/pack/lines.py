"""One record as one quoted, cited line of a prompt, and the shorter forms of that line."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import cache, lru_cache
from typing import Literal

from msgspec import Struct

from commonplace.language.text import (
    FRAME_FOOT,
    FRAME_HEAD,
    ends_in_question_mark,
    fold_name,
    name_key,
    query_terms,
    sanitize_line,
    split_sentences,
    tokenize,
)
from commonplace.language.text import detect_language as language_of
from commonplace.language.when import find_time_phrases
from commonplace.model import Hit, Record, day_of
from commonplace.retrieval.pack.policy import PackOptions
from commonplace.retrieval.shares import HALF

# What stands in for a character that would have opened something: a reader still sees what was written.
QUOTED_CHARACTERS = {"<": "‹", "＜": "‹", "﹤": "‹", "[": "⟦", "`": "ˋ"}

# Bounded: linear time.
_INVISIBLE_GAP = r"[\s/\\\u00ad\u034f\u061c\u180e\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]{0,8}"
_SPECIAL_TOKENS = (
    "s|bos|eos|pad|unk|cls|sep|start_of_turn|end_of_turn|start_header_id|end_header_id|eot_id|begin_of_text"
)
_ROLE_TAGS = "memory|system|assistant|user|human|developer|tool|function|invoke|parameter|think|im_start|im_end"
_BRACKETED_TOKENS = "INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT"


def frame_lines(lines: Iterable[str]) -> str:
    """Lines inside their frame, as they go into a prompt."""
    return "\n".join((FRAME_HEAD, *lines, FRAME_FOOT))


def quote_line(line: str) -> str:
    """One line in which every opening of a frame, special token, role tag and code fence is replaced."""
    return _frame_opening_pattern().sub(lambda match: "".join(QUOTED_CHARACTERS[char] for char in match[0]), line)


@cache
def _frame_opening_pattern() -> re.Pattern[str]:
    """Frames, ChatML and its like (`<|…|>`), Llama and Mistral tokens, `<<SYS>>`, role and tool tags, fences."""
    sys = f"<?{_INVISIBLE_GAP}SYS>>"
    angle = (
        f"[<＜﹤](?={_INVISIBLE_GAP}(?:[|｜]|(?:{_SPECIAL_TOKENS}){_INVISIBLE_GAP}[>＞]|"
        f"(?:\\w{{1,12}}:)?(?:{_ROLE_TAGS})|{sys}))"
    )
    return re.compile(f"{angle}|\\[(?={_INVISIBLE_GAP}(?:{_BRACKETED_TOKENS})\\])|`{{3,}}", re.IGNORECASE)


MAX_RECORD_CHARS = 16_000  # characters of one record that are looked at; the rest of a longer one is left to `show`
CHANGED_SOURCE_LABEL = "its source changed"
MAX_EARLIER_VALUES = 2  # of a thing, the last ones
MAX_SHORT_CHARS = 60  # characters; a longer title is a sentence of its own, a text not longer is shown whole
ELLIPSIS = "…"
RowStyle = Literal["alone", "below", "told"]  # by itself; below its file; below its file, date and title


class PackLine(Struct, frozen=True):
    """A line to be: the text with its own line breaks (`is_truncated` if cut), and what makes it understood.

    A heading above several lines may tell `date`, `title` and `is_evidence`; a line that it does not tell them to has
    `date_prefix` and `title_prefix` in front, which are empty where path, title or text say so. `labels` (opinion,
    trust, what the line is here for) and `speaker_prefix` (who speaks) are always the line's own, as is the
    `suffix`, the values before or after. `span` is the place in `path` (`#L12`), or the whole citation of a capture.
    """

    text: str
    path: str
    span: str
    body: str = ""  # the whole text on one line
    date: str = ""
    title: str = ""
    date_prefix: str = ""
    title_prefix: str = ""
    labels: str = ""
    speaker_prefix: str = ""
    is_evidence: bool = False
    is_truncated: bool = False
    suffix: str = ""

    @property
    def prefix(self) -> str:
        """The prefix of the text of a line that has no heading."""
        evidence = "(evidence) " if self.is_evidence else ""
        return f"{self.date_prefix}{evidence}{self.labels}{self.title_prefix}{self.speaker_prefix}"

    @property
    def printed_path(self) -> str:
        """The path as printed; empty for a capture that is cited by its id."""
        return self.path if self.span.startswith("#") else ""

    def render(self, body: str, style: RowStyle = "alone") -> str:
        """The line with this much of its text."""
        if style == "alone":
            return quote_line(f"- {self.prefix}{body}{self.suffix} [{self.printed_path}{self.span}]")
        date, title = (self.date_prefix, self.title_prefix) if style == "below" else ("", "")
        return quote_line(f"- {date}{self.labels}{title}{self.speaker_prefix}{body}{self.suffix} [{self.span}]")


def make_pack_line(hit: Hit, options: PackOptions, label: str = "") -> PackLine:
    """The line that shows a hit; `label` says why it is in the pack, if it is not a plain one."""
    record = hit.record
    text = record.text[:MAX_RECORD_CHARS]
    folded = fold_name(text)
    path, title = sanitize_line(record.source.path), _record_title_label(record)
    shown_path = "" if record.source.short_id else path
    # When it holds, or else when it was recorded; always the latter if its words need it.
    start, end = day_of(record.valid_from or record.time), day_of(record.valid_to)
    if start != day_of(record.time) and tells_by_its_date(text, record.time):
        start, end = day_of(record.time), ""
    date = "" if hit.day else sanitize_line(f"{start}..{end}" if end and end != start else start)
    ended = f"until {hit.until}" if hit.until and hit.until not in date else ""
    changed = CHANGED_SOURCE_LABEL if options.has_changed_source(record) else ""
    marks = hit.day, "earlier" if hit.earlier_than else "", ended
    titled = f"{title} › " if title and fold_name(title) not in folded else ""
    return PackLine(
        text=text,
        path=path,
        span=record.source.citation.removeprefix(record.source.path),
        body=sanitize_line(text),
        date="" if date in shown_path or date in title else date,
        title=title,
        date_prefix="" if date in record.text or date in shown_path or date in titled else f"({date}) ",
        title_prefix=titled,
        labels=_bracket_labels((", ".join(filter(None, marks)), record.opinion_mark, record.mark, changed, label)),
        speaker_prefix=speaker_prefix(text, record.speaker, record.mark),
        is_evidence=record.is_evidence,
        is_truncated=len(record.text) > MAX_RECORD_CHARS,
        suffix=_values_suffix(hit, options.now),
    )


def record_prefix(record: Record, shown: str = "") -> str:
    """What stands before the text of a record by itself: the date that its words need, its mark, and who said it."""
    said_by = speaker_prefix(record.text, record.speaker, record.mark)
    return f"{date_prefix(record.text, record.time, shown)}{_bracket_labels((record.mark,))}{said_by}"


def speaker_prefix(text: str, speaker: str, mark: str = "") -> str:
    """`NAME: `, unless the text begins with that name or its mark has it."""
    name = sanitize_line(speaker)
    opening = name_key(text[: 2 * len(name) + MAX_SHORT_CHARS])
    is_named = f"{opening} ".startswith(f"{name_key(name)} ") or fold_name(name) in fold_name(mark)
    return "" if not name or is_named else f"{name}: "


def date_prefix(text: str, time: str, shown: str) -> str:
    """`(2025-11-27) `, if the words tell another time by that day, and what is `shown` with them does not have it."""
    day = day_of(time)
    return f"({day}) " if day not in shown and tells_by_its_date(text, time) else ""


def tells_by_its_date(text: str, time: str) -> bool:
    """Whether a text of a known time has a phrase that is understood by it only: `yesterday`, `next week`."""
    phrases = find_time_phrases(text[:MAX_RECORD_CHARS], time) if len(time) >= len("2025-11-27") else ()
    return not all(phrase.stated for phrase in phrases)


def _values_suffix(hit: Hit, now: str) -> str:
    """The values before that of a hit, and one after it that need not stand above it."""
    shown = [f"{one.value}, until {format_day(one.day, now)}" if one.day else one.value for one in hit.earlier]
    suffix = f" (earlier: {sanitize_line('; '.join(shown[:MAX_EARLIER_VALUES]))})" if shown else ""
    if hit.later and not hit.earlier_than:
        suffix += f" (later: {sanitize_line(hit.later.value)}, {format_day(hit.later.day, now)})"
    return suffix


def format_day(day: str, now: str) -> str:
    """`3 November`, with its year if that is not the year of now; what is no day stays as it is."""
    try:
        date = datetime.fromisoformat(day)
    except ValueError:
        return day
    return f"{date.day} {date:%B}" + ("" if day.partition("-")[0] == now.partition("-")[0] else f" {date.year}")


def render_heading(pack_line: PackLine, *, has_shared_context: bool) -> str:
    """The nearest title above a record, less a date that the path has; empty if it is generic or a sentence."""
    title = f" › {pack_line.title}" if has_shared_context and pack_line.title else ""
    evidence = "evidence" if pack_line.is_evidence and pack_line.printed_path else ""
    marks = _bracket_labels((pack_line.date if has_shared_context else "", evidence))
    return quote_line(f"# {pack_line.printed_path or 'evidence'}{title} {marks}".rstrip())


def render_subheading(pack_line: PackLine) -> str:
    """The subheading for several lines of one date and title, below the heading of their file."""
    title = f"{pack_line.title} " if pack_line.title else ""
    return quote_line(f"## {title}{_bracket_labels((pack_line.date,))}".rstrip())


def _bracket_labels(labels: tuple[str, ...]) -> str:
    return "".join(f"({sanitize_line(mark)}) " for mark in labels if mark)


def _record_title_label(record: Record) -> str:
    """The nearest title above a record, less a date that the path has; empty if it is generic or a sentence."""
    title = sanitize_line(record.heading[-1]) if record.heading else ""
    date = day_of(record.time)
    if date and date in title and date in record.source.path:
        title = title.replace(date, "").strip(" ,;:()–—-")
    return "" if len(title) > MAX_SHORT_CHARS or title in ("Retain", "History", date) else title


MAX_SENTENCE_CHARS = 400  # characters; a sentence is packed whole or not at all
MAX_GIST_CHARS = 2 * MAX_SENTENCE_CHARS
MIN_OPENING_CHARS = 32  # characters; less of a longer text says nothing, nor does less go for a blank to cut it at
MAX_SHORT_WORD_CHARS = 3  # letters of a word that tells nothing
FEW_WORDS = 6  # an exclamation of fewer tells nothing; a reply of no more needs what it answers

Layer = Literal["L0", "L1", "L2"]
LineCost = Callable[[str], int]  # what a line costs with this much of its text


class QueryTokens(Struct, frozen=True):
    """The tokens of a query, and the language that they were made in."""

    tokens: frozenset[str] = frozenset()
    language: str = "en"

    def count_overlap(self, sentence: str) -> int:
        """The number of these tokens that a sentence contains."""
        return len(self.tokens.intersection(tokenize(sentence, self.language))) if self.tokens else 0


class LineForm(Struct, frozen=True):
    """A form of a line: as much of its text as is printed, and what the line costs with it."""

    layer: Layer
    body: str
    tokens: int


class _LineSentence(Struct, frozen=True):
    position: int
    text: str
    overlap: int
    content_words: int  # of its words


def tokenize_query(query_text: str) -> QueryTokens:
    """The tokens of the text of a query, without function words."""
    language = language_of(query_text)
    terms = query_terms(query_text, (language,))
    return QueryTokens(frozenset(form for term in terms for form in term.forms), language)


def fit_line(pack_line: PackLine, room: int, price: LineCost, query_tokens: QueryTokens) -> LineForm | None:
    """The largest form whose price is at most `room`; None if not even its opening fits."""
    body = pack_line.body
    if not pack_line.is_truncated:
        whole = LineForm("L2", body, price(body))
        if whole.tokens <= room:
            return whole
    parts = _split_line_sentences(pack_line, query_tokens)
    is_one = len(body) <= MAX_SENTENCE_CHARS and [part.text for part in parts] == [body]
    if is_one or (len(body) > MIN_OPENING_CHARS and price(ELLIPSIS) > room):
        return None
    return _fit_best_sentences(parts, room, price) or _fit_opening(parts, room, price)


def shorter_forms(pack_line: PackLine, query_tokens: QueryTokens) -> tuple[str, ...]:
    """Forms that leave something out, the shortest first: the sentences that bear most on the query, up to half of the
    text; and all but mere questions and exclamations. None of a text too short, or of one piece."""
    if len(pack_line.text) <= MAX_SHORT_CHARS:
        return ()
    parts = _split_line_sentences(pack_line, query_tokens)
    gist: list[_LineSentence] = []
    enough_chars = min(HALF * len(pack_line.text), MAX_GIST_CHARS)
    for part in sorted(parts, key=lambda part: (-part.overlap, -part.content_words, part.position)):
        if part.text != ELLIPSIS and sum(len(one.text) for one in gist) < enough_chars:
            gist.append(part)
    forms = gist, [part for part in parts if part.overlap or part.content_words]
    bodies = dict.fromkeys(_join_with_ellipses(some, len(parts)) for some in forms if some and len(some) < len(parts))
    return tuple(body for body in bodies if len(body) <= 2 * MAX_GIST_CHARS)


def last_sentences(pack_line: PackLine) -> str:
    """The last sentences of a line that the next one needs; a question at its end by itself."""
    parts = _split_line_sentences(pack_line, QueryTokens())
    chosen = parts[-1:]
    for part in reversed(parts[:-1]):
        if ends_in_question_mark(chosen[0].text) or sum(len(one.text) for one in chosen) >= MAX_SHORT_CHARS:
            break
        chosen.insert(0, part)
    return _join_with_ellipses(chosen, len(parts))


@lru_cache  # they are needed again and again while a pack is filled
def _split_line_sentences(pack_line: PackLine, query_tokens: QueryTokens) -> list[_LineSentence]:
    sentences = [sentence for sentence in map(sanitize_line, split_sentences(pack_line.text)) if sentence]
    if pack_line.is_truncated:
        sentences.append(ELLIPSIS)
    compared = query_tokens if len(sentences) > 1 else QueryTokens()  # a sentence by itself comes before no other
    return [
        _LineSentence(position, sentence, compared.count_overlap(sentence), _count_content_words(sentence))
        for position, sentence in enumerate(sentences)
    ]


def _fit_best_sentences(line_sentences: list[_LineSentence], room: int, price: LineCost) -> LineForm | None:
    """As many sentences as fit, those that answer the query first, printed in their own order."""
    empty = price(ELLIPSIS)
    free = room - empty
    ranked = _sort_by_overlap(line_sentences)
    chosen: list[_LineSentence] = []
    for part in ranked:
        if not chosen and part.overlap < min(ranked[0].overlap, 1):
            break  # what answers does not fit whole: its opening says more than a sentence about something else
        cost = price(part.text) - empty
        if cost <= free:
            chosen.append(part)
            free -= cost
        elif not part.overlap:
            break
    while chosen:
        layer: Layer = "L0" if [part.position for part in chosen] == [0] else "L1"
        body = _join_with_ellipses(chosen, len(line_sentences))
        form = LineForm(layer, body, price(body))
        if form.tokens <= room:
            return form
        chosen.pop()
    return None


def _count_content_words(sentence: str) -> int:
    """The number of content words in a sentence: all but the shortest; 0 for a question or an exclamation."""
    words = [word for word in sentence.split() if len(word) > MAX_SHORT_WORD_CHARS]
    is_mere = sentence.endswith(("?", "？")) or (sentence.endswith(("!", "！")) and len(words) < FEW_WORDS)
    return 0 if is_mere else len(words)


def _sort_by_overlap(line_sentences: list[_LineSentence]) -> list[_LineSentence]:
    return sorted((one for one in line_sentences if one.text != ELLIPSIS), key=lambda one: (-one.overlap, one.position))


def _join_with_ellipses(chosen_sentences: list[_LineSentence], total: int) -> str:
    """Sentences in their order, with the mark of a gap wherever some are left out."""
    pieces: list[str] = []
    before = -1
    for part in sorted(chosen_sentences, key=lambda part: part.position):
        pieces += (ELLIPSIS, part.text) if part.position > before + 1 else (part.text,)
        before = part.position
    return " ".join((*pieces, ELLIPSIS) if before < total - 1 else pieces)


def _fit_opening(line_sentences: list[_LineSentence], room: int, price: LineCost) -> LineForm | None:
    """As much of the best sentence as fits, cut at a word, if it is too long for one: a dump, not a statement."""
    best = _sort_by_overlap(line_sentences)[:1]
    if not best or len(best[0].text) <= MAX_SENTENCE_CHARS:
        return None
    text = best[0].text
    mark = f"{ELLIPSIS} " if best[0].position else ""
    lengths = range(MIN_OPENING_CHARS, len(text))
    fitting = bisect_right(lengths, room, key=lambda length: price(mark + _cut_at_word(text, length)))
    body = mark + _cut_at_word(text, lengths[fitting - 1]) if fitting else ""
    return LineForm("L0", body, price(body)) if body else None


def _cut_at_word(text: str, length: int) -> str:
    """The first `length` characters, back to the blank before a word that is cut through; never inside a character."""
    from unicodedata import category

    start = text[:length]
    if not text[length].isspace():
        blank = start.rfind(" ")
        if blank > max(length - MIN_OPENING_CHARS, 0):
            start = start[:blank]
        else:  # without a base character whose marks or joined characters would be cut off
            while length > 1 and (category(text[length])[0] == "M" or "\u200d" in text[length - 1 : length + 1]):
                length -= 1
            start = text[:length]
    return start.rstrip(" ,;:–—-") + ELLIPSIS
