"""Whether the owner wishes, in words of their own in a session, that a record is forgotten; if not, they are asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from commonplace.capture import WriteContext
from commonplace.index import Index
from commonplace.language import text
from commonplace.lazy import lazy_pattern
from commonplace.model import Record
from commonplace.storage import files
from commonplace.storage.journal import Journal
from commonplace.storage.workspace import QUEUE_PATH
from commonplace.upkeep import consolidate
from commonplace.upkeep.agent_words import StatementWords
from commonplace.upkeep.forget.selection import ForgetWish, select_records

MAX_WISH_CHARS = 300  # of a message; a longer one, or one of several lines, may be somebody else's letter
MAX_WISH_AGE = timedelta(hours=12)
MIN_NAMED_SHARE = 0.6  # of the content words of a wish, which a record that it names has
MIN_TARGET_SHARE = 0.25  # of the content words of that record, which the wish has
OPENING_LABELS = frozenset(("ack", "light", "leads in", "requests"))
FRAME_LABELS = OPENING_LABELS | {"forgets", "erases", "notebook"}
MINUTE_CHARS = len("2025-11-27T09:40")
_QUOTATION = lazy_pattern(r"""["“”„«»‹›「『`][^"“”«»‹›」』`]*["“”«»‹›」』`]""")
_INTERJECTION = lazy_pattern(r"^(\w+)[,!，！] *")


class OwnMessage(Struct, frozen=True):
    """What the owner wrote, without what was pasted, and when."""

    text: str
    time: str


def find_own_messages(index: Index, session: str, now: str) -> tuple[OwnMessage, ...]:
    """The owner's own messages of a session within the last hours, in order; none without a session."""
    since = (datetime.fromisoformat(now) - MAX_WISH_AGE).isoformat(timespec="minutes")
    rows = index.rows_of_session(session) if session else []
    records = [one.record for _row, one in sorted(index.fetch(rows).items(), key=lambda item: rows.index(item[0]))]
    # What anybody but the owner says is never trusted.
    return tuple(OwnMessage(one.text, one.time) for one in records if one.trust == "trusted" and one.time >= since)


def is_wished(own_messages: Sequence[OwnMessage], record: Record) -> bool:
    """Whether the last message that speaks of forgetting what a record says, and is not older than it, asks for it."""
    since = record.time if len(record.time) >= MINUTE_CHARS else record.recorded or record.time
    later = (one for one in own_messages if since[:MINUTE_CHARS] <= one.time[:MINUTE_CHARS])
    verdicts = [verdict for one in later for verdict in _read_wishes(one.text, record)]
    return bool(verdicts) and verdicts[-1]


def _read_wishes(message: str, record: Record) -> Iterable[bool]:
    """Of each sentence that names a record: True if it asks to forget it, False if it asks not to.

    A wish is the first or last sentence of a short message of one line, because a letter has a greeting before it and a
    name behind it; that something is not to be forgotten may stand anywhere. What is quoted is nobody's wish.
    """
    sentences = [one.strip() for one in text.split_sentences(_QUOTATION.sub(" ", message)) if one.strip()]
    is_short = len(message) <= MAX_WISH_CHARS and "\n" not in message.strip()
    for number, sentence in enumerate(sentences):
        lead = _INTERJECTION.match(sentence)
        bare = sentence[lead.end() :] if lead and "ack" in text.match_labels(lead[1]) else sentence
        verdict = _judge_sentence(bare, record)
        if verdict is False or (verdict and is_short and number in (0, len(sentences) - 1)):
            yield verdict


def _judge_sentence(sentence: str, record: Record) -> bool | None:
    """True if a sentence asks to forget a record, False if it denies that, None if it does neither or names another."""
    marks, units = text.match_phrases(sentence), text.split_units(sentence)
    labels = {mark.label for mark in marks}
    verbs = [mark for mark in marks if mark.label == "forgets" or (mark.label == "erases" and "notebook" in labels)]
    frame = {unit for mark in marks if mark.label in FRAME_LABELS for unit in units[mark.start : mark.end]}
    if not verbs or not _names(sentence, frame, record):
        return None
    if "strict negation" in labels:
        return False
    skipped = {at for mark in marks if mark.label in OPENING_LABELS for at in range(mark.start, mark.end)}
    first = next((at for at in range(len(units)) if at not in skipped), len(units))
    is_asked = "requests" in labels or not text.ends_in_question_mark(sentence)
    is_opening = any(
        mark.start <= first or (mark.end == len(units) and units[mark.start] >= text.FIRST_EAST_ASIAN_CHAR)
        for mark in verbs
    )
    return True if is_opening and is_asked else None


def _names(sentence: str, frame: set[str], record: Record) -> bool:
    """Whether a sentence names what a record says: all its names and numbers and most of its other words are in the
    record, and each sentence of the record has some of them, so that nothing else goes with it."""
    words, target = StatementWords(sentence), consolidate.strip_line_decoration(record)
    content = [word for word in words.content if not frame.issuperset(text.split_units(word))]
    specific = [word for word in words.specific if word in content]
    pool = StatementWords(" ".join((target, *record.entities, *record.heading))).tokens
    named = sum(words.covers(pool, [word]) for word in content)
    if not named or named < MIN_NAMED_SHARE * len(content) or not words.covers(pool, specific):
        return False
    own = frozenset().union(*(StatementWords(word).tokens for word in content))
    parts = [part for part in map(StatementWords, text.split_sentences(target)) if part.content]
    shared = [sum(part.covers(own, [word]) for word in part.content) for part in parts]
    return all(shared) and sum(shared) >= MIN_TARGET_SHARE * sum(len(part.content) for part in parts)


MAX_QUESTION_CHARS = 500  # of the text that an item shows; what it is based on is listed with it
FORGET_AUTHOR = "forget"
BY_AGENT = "an agent wants to forget this, and no message of yours in its session names it"
BY_HAND = "this line was removed by hand; what it came from is still found"
CHOICE = "approve: it is hidden, which can be undone; reject: it stays"


def queue_agent_questions(context: WriteContext, index: Index, records: Iterable[Record]) -> tuple[str, ...]:
    """Ask whether records that an agent named are to be forgotten, with all that would go with them."""
    items = []
    for record in records:
        selected = (one.record for one in select_records(index, ForgetWish((record.id,))))
        hidden_ids = [one.id for one in selected if one.source.path != QUEUE_PATH]
        items.append(make_forget_item(record, hidden_ids, BY_AGENT))
    return queue_forget_items(context, items)


def make_forget_item(record: Record, hidden_ids: Iterable[str], cause: str) -> consolidate.ReviewItem:
    """The question whether a record is to be forgotten: if it is approved, these records and captures are hidden."""
    return consolidate.ReviewItem(
        id=f"{consolidate.FORGET_PREFIX}{files.text_digest(record.id)[:14]}",
        text=consolidate.strip_line_decoration(record)[:MAX_QUESTION_CHARS],
        category=record.category,
        reason="forget",
        why=f"{cause}; {CHOICE}",
        entity=next(iter(record.entities), ""),
        sources=tuple(hidden_ids),
        trust=record.trust,
        scope=record.scope,
    )


def queue_forget_items(context: WriteContext, questions: Sequence[consolidate.ReviewItem]) -> tuple[str, ...]:
    """Put questions into the queue, but for those that were rejected before; returns the ids of those that wait."""
    history = consolidate.LedgerHistory(Journal(context.root, context.device))
    waiting = tuple(one for one in questions if one.id not in history.rejected_items)
    if waiting:
        consolidate.write_plan(context, consolidate.ConsolidationPlan(pending=waiting), history, FORGET_AUTHOR)
    return tuple(one.id for one in waiting)
