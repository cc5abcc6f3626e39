"""How lines relate: which are near to a new one, and what it does to them; which was said later, which are twins."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from itertools import islice
from typing import Literal

from msgspec import Struct

from commonplace.index import Index, Relations, Replacement
from commonplace.language import text
from commonplace.model import TRUSTS, Record, Trust
from commonplace.storage.workspace import QUEUE_PATH
from commonplace.truth.comparison import Comparison, compare_all
from commonplace.truth.signatures import Statement

MAX_NEAREST = 8
MAX_RAREST_WORDS = 3
MIN_SHARED_WORDS = 0.4  # what repeats, enriches or retracts a line shares half of its content words with it
MANY_HOLDERS = 100  # lines that have one of them; of so many only those are read that have all required words
EXCLUDED_PATHS = (".memory/", QUEUE_PATH, "memory/working-buffer.md", "memory/episodes/")

# What a new line does to a known one: `supports` repeats it; `enriches` says more; `replaces` ends it; `is over` was
# ended by it, because the known line was said later; `conflicts` contradicts it, and a person has to choose; `follows`
# and `precedes` give another value, later or earlier, and both hold.
Effect = Literal["supports", "enriches", "replaces", "is over", "conflicts", "follows", "precedes"]


class StatedLine(Struct, frozen=True):
    """A line with what decides whether it may end another: its statements, its scope and trust, and when it was said
    (an ISO date or minute, empty if unknown)."""

    statements: tuple[Statement, ...]
    time: str = ""
    scope: str = ""
    trust: Trust = "trusted"


def compare_lines(new: StatedLine, existing: StatedLine, undated_since: str = "") -> tuple[Effect, Comparison] | None:
    """The effect of a new line on a known one, and the comparison that says so; None if there is none. A known line
    without a time counts as said before what was said since `undated_since`; before that, nobody can tell."""
    length = min(len(new.time), len(existing.time))
    has_order = bool(existing.time) or new.time >= undated_since
    is_late = new.time[:length] < existing.time[:length]
    newer, older = (existing, new) if is_late else (new, existing)
    comparison = compare_all(newer.statements, older.statements)
    verdict, is_shared = comparison.verdict, existing.scope in ("", new.scope)
    if verdict == "independent" or not is_shared:
        return None
    if verdict == "same":
        return ("supports", comparison) if _rank(existing) >= _rank(new) else None
    if verdict == "enriches":
        return None if is_late else ("enriches", comparison)
    if existing.scope != new.scope:
        return None
    effect: Effect = "precedes" if is_late else "follows"
    if verdict == "conflicts" or (verdict == "replaces" and not has_order):
        effect = "conflicts"
    elif verdict == "replaces":
        effect = ("is over" if is_late else "replaces") if _rank(newer) >= _rank(older) else "conflicts"
    return effect, comparison


def _rank(stated_line: StatedLine) -> int:
    return TRUSTS.index(stated_line.trust)


class NearQuery(Struct, frozen=True):
    """What decides which lines are near: the signatures of a line in its scope, its words, and those that a repetition
    cannot lack. Lines of other signatures share `min_share` of the words of the shorter line with it."""

    words: Sequence[str]
    required: Sequence[str]
    signatures: Sequence[int] = ()
    scope: str = ""
    min_share: float = 0.0


def make_near_query(stated_line: StatedLine, *texts: str) -> NearQuery:
    """Look for lines that are near to one with these texts: its words, its entities, the title above it."""
    words = content_tokens(" ".join(texts))
    signatures = [signature for statement in stated_line.statements for signature in statement.signatures]
    return NearQuery(words, words, signatures, stated_line.scope, MIN_SHARED_WORDS)


def find_nearest(
    index: Index, query: NearQuery, is_comparable: Callable[[Record], bool], at_most: int = MAX_NEAREST
) -> list[Record]:
    """The nearest lines: of those that share a signature the newest, for up to half of the places; then those that have
    one of the rarest required words or, of very many, all of them, first those with most of the required words, then
    the most similar.

    Captures, the queue, the buffer and episodes are left out, and what `is_comparable` refuses.
    """
    signed = set(index.rows_with_signatures(query.signatures, query.scope))
    rows = {*signed, *_rows_with_rare_words(index, query)}
    outlines = index.outlines(rows)
    tokens_by_row = {row_id: tokens for row_id, path, tokens in outlines if not path.startswith(EXCLUDED_PATHS)}
    near = list(tokens_by_row)
    sharing = [row_id for row_id in near if row_id in signed]
    if len(near) > at_most or query.min_share:
        words = {row_id: frozenset(tokens.split()) for row_id, tokens in tokens_by_row.items()}
        shared = {row: len(own.intersection(query.words)) for row, own in words.items()}
        shares = {row: shared[row] / max(1, min(len(query.words), len(words[row]))) for row in near}
        near = [row for row in near if row in signed or shares[row] >= query.min_share]
        near.sort(key=lambda row_id: dissimilarity_key(query, words[row_id]))
    row_ids = tuple(dict.fromkeys((*sharing[::-1][: at_most // 2], *near)))
    chunks = (row_ids[start : start + at_most] for start in range(0, len(row_ids), at_most))
    records = (indexed.record for chunk in chunks for indexed in index.fetch(chunk).values())
    return list(islice(filter(is_comparable, records), at_most))


def _rows_with_rare_words(index: Index, query: NearQuery) -> Collection[int]:
    """The lines that have one of the rarest required words; of very many, where repetitions are looked for, those that
    have all of them, else those of the words that few have."""
    by_frequency = sorted((count, word) for word in query.required if (count := index.document_frequency(word)))
    holders = filter(None, (index.records_with_tokens((word,)) for _count, word in by_frequency))
    rows: set[int] = set()
    for more in islice(holders, MAX_RAREST_WORDS):
        if len(rows) + len(more) > MANY_HOLDERS:
            return (query.min_share and rows) or index.records_with_tokens(query.required)
        rows.update(more)
    return rows


def dissimilarity_key(query: NearQuery, others: frozenset[str]) -> tuple[int, float]:
    """The key to sort by: how many required words the others lack, then how few of all words they share."""
    lacking = len(query.required) - len(others.intersection(query.required))
    shared = len(others.intersection(query.words))
    return lacking, -shared / max(1, len(query.words) + len(others) - shared)


@lru_cache(4096)
def content_tokens(sentence: str) -> tuple[str, ...]:
    """The tokens of a sentence that are no stop words, each once."""
    own = text.detect_language(sentence)
    return tuple(dict.fromkeys(word for word in text.tokenize(sentence, own) if not text.is_stop_word(word, own)))


class SaidOrder(Struct, frozen=True, gc=False):
    """When something was said: an ISO date or minute, empty if unknown, and the path and line where it stands;
    `is_journal` is true of captures and of what was made of them, at the place of the capture, `is_latest` of a line
    without a date that was there on that day."""

    time: str = ""
    path: str = ""
    line: int = 0
    is_journal: bool = False
    is_latest: bool = False


def said_order(record: Record, source: Record | None = None) -> SaidOrder:
    """The order of a record; `source` is the newest capture behind it."""
    if source is not None or record.is_evidence:
        said = source or record
        return SaidOrder(said.time, said.source.path, said.source.line_start, is_journal=True)
    # The ledger has minutes of what it wrote itself.
    is_seen = not record.time and len(record.recorded) == len("2025-11-27")
    return SaidOrder(record.time or record.recorded, record.source.path, record.source.line_start, is_latest=is_seen)


def is_said_later(order: SaidOrder, other: SaidOrder) -> bool:
    """Whether what has this order was said after the `other`; false both ways where that is not known."""
    if order.is_latest and not other.is_latest:
        return False
    length = min(len(order.time), len(other.time))
    if order.time[:length] != other.time[:length]:
        return bool(length) and order.time > other.time
    if order.path == other.path:
        return order.line > other.line
    are_written = order.is_journal and other.is_journal
    return bool(length) and are_written and (order.time, order.path) > (other.time, other.path)


class ComparedLine(Struct, frozen=True, gc=False):
    """A line of a group: its row in the index, those of its statements that have the signature, when it was said, the
    start that it states, and how much it is trusted. A capture (`is_evidence`) ends no line."""

    row_id: int
    statements: tuple[Statement, ...]
    order: SaidOrder
    valid_from: str = ""
    trust: int = 0
    is_evidence: bool = False


def derive_relations(lines: Sequence[ComparedLine], held_pairs: Collection[frozenset[int]] = ()) -> Relations:
    """The relations among the lines of one signature and one scope, which come in the order of path and place, lines
    before captures. The first later line that is trusted as much replaces one; of `held_pairs` both hold, as twins."""
    ordered = sorted(lines, key=lambda line: (line.order.time, line.order.path, line.order.line))
    replacements: list[Replacement] = []
    twins: set[int] = set()
    for number, older in enumerate(ordered):
        is_replaced = False
        for newer in ordered[number + 1 :]:
            pair = {older.row_id, newer.row_id}
            may_replace = not is_replaced and newer.trust >= older.trust and newer.is_evidence <= older.is_evidence
            may_replace &= any(one.has_cue or one.is_single_valued for one in newer.statements if not one.guard)
            if (not may_replace and pair <= twins) or not is_said_later(newer.order, older.order):
                continue
            compared = compare_all(newer.statements, older.statements)
            if compared.verdict == "twins" or (compared.verdict == "replaces" and pair in held_pairs):
                twins |= pair
            elif compared.verdict == "replaces" and may_replace:
                is_replaced = True
                order = newer.order  # lines of Markdown move in their files, those of journals do not
                order_key = order.time + (f" {order.path} {order.line:09}" if order.is_journal else "")
                since, spans = newer.valid_from or order.time, (compared.old_span, compared.new_span)
                replacements.append(Replacement(older.row_id, newer.row_id, since, order_key, *spans, compared.reason))
    return Relations(tuple(replacements), _order_twins([line for line in ordered if line.row_id in twins]))


def _order_twins(ordered: list[ComparedLine]) -> tuple[tuple[int, ...], ...]:
    """The rows by position: those between which no order is known stand at one; none if all do."""
    positions: list[list[ComparedLine]] = []
    for line in ordered:
        group = [line]
        while positions and not all(is_said_later(now.order, other.order) for now in group for other in positions[-1]):
            group = positions.pop() + group
        positions.append(group)
    return tuple(tuple(line.row_id for line in group) for group in positions) if len(positions) > 1 else ()
