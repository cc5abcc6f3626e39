"""Find the known lines that are nearest to a new one, and decide what the new line does to each of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from itertools import islice
from typing import Literal

from msgspec import Struct

from commonplace.index import Index
from commonplace.language import text
from commonplace.model import TRUSTS, Record, Trust
from commonplace.truth.comparison import Comparison, compare_all
from commonplace.truth.signatures import Statement

MAX_NEAREST = 8
MAX_RAREST_WORDS = 3
MIN_SHARED_WORDS = 0.4  # what repeats, enriches or retracts a line shares half of its content words with it
MANY_HOLDERS = 100  # lines that have one of them; of so many only those are read that have all required words
EXCLUDED_PATHS = (".memory/", "memory/pending.md", "memory/working-buffer.md", "memory/episodes/")

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
