"""The keys of vectors: the digest of a text, and for encoders that read context that of the turn before it too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import apsw

from commonplace.index import sql

CONTEXT_SIGN = "+"  # in a key, between the digest of a turn and that of the turn before
TEXTS_PER_QUERY = 500
COUNT_KEYS = """\
with refused as materialized (select text_digest from records where trust = 'quarantined'), keys as (
    select text_digest, lag(text_digest, 1, '') over (
        partition by dialogue order by iif(actor <> '', time, ''), path, line_start, byte_start
    ) as context from records where dialogue <> 0 and ?1
    union all select text_digest, '' from records where dialogue = 0 or not ?1
) select text_digest || iif(context = '' or context in refused, '', ?2 || context) from keys
    where text_digest <> '' and text_digest not in refused"""
FIND_KEYS = """\
with turns as (
    select records.rowid as row, text_digest, iif(actor <> '', time, '') as said, dialogue, records.path, line_start,
            byte_start
        from json_each(?) as asked cross join records on records.rowid = asked.value
), preceded as (
    select row, text_digest, ifnull((
        select before.text_digest from records as before
            where before.dialogue = turns.dialogue and before.dialogue <> 0 and iif(actor <> '', time, '') <= said
            and (iif(actor <> '', time, ''), before.path, before.line_start, before.byte_start)
                < (said, turns.path, turns.line_start, turns.byte_start)
            order by iif(actor <> '', time, '') desc, before.path desc, before.line_start desc, before.byte_start desc
            limit 1
    ), '') as context from turns
)
select row, text_digest, iif(exists (
    select 1 from records where records.text_digest = preceded.context and trust = 'quarantined'
), '', context) from preceded"""


def count_vector_keys(db: apsw.Connection, *, with_context: bool) -> dict[str, int]:
    """See `Index.all_vector_keys`."""
    return Counter(sql.fetch_column(db, COUNT_KEYS, (with_context, CONTEXT_SIGN)))


def find_vector_keys(db: apsw.Connection, row_ids: Iterable[int]) -> dict[int, str]:
    """See `Index.vector_keys`."""
    found = sql.fetch_all(db, FIND_KEYS, (sql.json_integers(row_ids),))
    return {row_id: _vector_key(digest, context) for row_id, digest, context in found}


def read_embedded_texts(db: apsw.Connection, keys: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """See `Index.read_texts`."""
    wanted = sorted(keys)
    query = """select asked.value, text, speaker from json_each(?) as asked cross join records
        on records.rowid = (select rowid from records where text_digest = asked.value limit 1)"""
    for start in range(0, len(wanted), TEXTS_PER_QUERY):
        digests = {key: split_vector_key(key) for key in wanted[start : start + TEXTS_PER_QUERY]}
        asked = sql.json_strings(sorted({digest for both in digests.values() for digest in both}))
        texts = {
            # The name of who said it tells nothing of what was said.
            digest: text.removeprefix(f"{speaker}:").lstrip() if speaker else text
            for digest, text, speaker in sql.fetch_all(db, query, (asked,))
        }
        for key, (own, context) in digests.items():
            if own in texts:
                yield key, texts[own], texts.get(context, "")


def split_vector_key(key: str) -> tuple[str, str]:
    """The digests of the text and of the turn before; that is empty if the key has none."""
    own, _sign, context = key.partition(CONTEXT_SIGN)
    return own, context


def _vector_key(text_digest: str, context_digest: str) -> str:
    return f"{text_digest}{CONTEXT_SIGN}{context_digest}" if context_digest else text_digest
